"""The sources of a remote program: their text, and which of them exist locally.

If a file of the program's does not exist locally under its name, its text is fetched from there. A
project file of the same name and much the same text is most likely the same one: then the folders
around the two are one folder with two names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.traits import RemoteQuestions
from tuidbg.config.launch import AttachPlan
from tuidbg.dap.types import EvaluateBody
from tuidbg.lines import split_lines
from tuidbg.session.core.breakpoints.store import BreakpointSettings
from tuidbg.session.core.evaluation.implicit_resume import own_question
from tuidbg.session.core.sources.files import project_files, read_text
from tuidbg.session.core.stack.stop_details import look_around
from tuidbg.session.model.errors import AdapterFailed, UnsupportedByAdapter
from tuidbg.session.model.state import StateValue, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

ALIKE = 0.5
"""The smallest share of equal lines in two versions of one file."""


class Proposal(StateValue, frozen=True):
    """The proposed mapping of the program's folder ``remote`` to ``local``, which has ``path``.

    ``share`` is the share of equal lines; 1 if the two are identical.
    """

    path: str
    local: str
    remote: str
    share: float


class RemoteSources:
    """The files of a remote program, as far as a session knows them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._texts: dict[str, str] = {}

    def is_elsewhere(self, path: str) -> bool:
        """True if a file of the program's does not exist locally under its name."""
        session = self._session
        if isinstance(session.plan, AttachPlan) and session.plan.recording:
            return not Path(path).is_file()
        if not session.is_attached or session.profile.remote is None or path.startswith("<"):
            return False
        return not Path(path).is_file()

    async def text(self, path: str) -> str:
        """Return the text of a program's file. Raises AdapterFailed, UnsupportedByAdapter."""
        if path not in self._texts:
            number = await self._ask(self._questions.reference(path))
            reference = int(number) if number.isdigit() else 0
            self._texts[path] = await self._session.inspection.source_text(reference, path)
        return self._texts[path]

    async def propose(self, path: str) -> Proposal | None:
        """Return the project file that a file of the program's most likely is."""
        text = await self.text(path)
        folder = Path(self._session.plan.cwd)
        return await asyncio.to_thread(find_twin, path, text, project_files(folder))

    async def accept(self, proposal: Proposal, *, origin: str) -> None:
        """Treat the two folders as one from now on, in the running program too.

        Raises AdapterFailed, UnsupportedByAdapter.
        """
        await self.map_paths(proposal.local, proposal.remote, origin=origin)

    async def map_paths(self, local: str, remote: str, *, origin: str) -> None:
        """Do the same for any two folders."""
        session = self._session
        # The adapter keeps one list a file, under any name.
        moved = [b for b in session.breakpoints.registry if is_below(b.path, remote)]
        for found in moved:
            await session.breakpoints.remove(found.number, origin=origin)
        session.sources.map_paths(local, remote)
        session.probe.loaded_files |= set(map(session.sources.here, session.probe.loaded_files))
        if session.adapter.is_configurable and session.profile.remote is not None:
            await self._ask(self._questions.map_paths(session.sources.ordered_mappings))
        for found in moved:
            asked = msgspec.structs.asdict(found)
            settings: Any = {name: asked[name] for name in BreakpointSettings.__annotations__}
            path = session.sources.here(found.path)
            await session.breakpoints.set(path, found.line, origin=origin, **settings)
        await session.breakpoints.reconsider_all()
        if session.status is Status.PAUSED and session.stop is not None:
            await look_around(session, session.stop)

    async def check_mappings(self) -> None:
        """Report mappings that can match nothing, as there is no such folder."""
        session = self._session
        mappings = session.sources.mappings
        if not mappings or session.profile.remote is None:
            return
        try:
            answer = await self._ask(self._questions.missing(list(mappings.values())))
        except (AdapterFailed, UnsupportedByAdapter):
            return
        missing = set(self._questions.read_missing(answer))
        for local, remote in mappings.items():
            if remote in missing:
                session.notify(
                    f"there is no folder {remote} where the program runs, so the path map"
                    f" {local}={remote} matches nothing",
                    "warning",
                )

    @property
    def _questions(self) -> RemoteQuestions:
        questions = self._session.profile.remote
        if questions is None:
            raise UnsupportedByAdapter("this debug adapter has no way to ask for its files")
        return questions

    async def _ask(self, expression: str) -> str:
        arguments = own_question(expression)
        try:
            body = await self._session.adapter.request("evaluate", arguments, into=EvaluateBody)
        except AdapterError as error:
            raise AdapterFailed(str(error)) from error
        return body.result


def is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def find_twin(path: str, text: str, files: Iterable[Path]) -> Proposal | None:
    """Find the file most like the program's of that path and text, if any."""
    parts = PurePosixPath(path).parts
    best: tuple[tuple[float, int], Proposal] | None = None
    for file in files:
        if file.name != parts[-1] or (here := read_text(file)) is None:
            continue
        share = compare(text, here)
        common = _common_end(parts, file.parts)
        if share < ALIKE:
            continue
        proposal = Proposal(str(file), _without(file.parts, common), _without(parts, common), share)
        if best is None or (share, common) > best[0]:
            best = ((share, common), proposal)
    return best[1] if best is not None else None


def compare(one: str, other: str) -> float:
    """Return the share of lines that two texts have in common, without blank ones."""
    lines, others = (
        [line.strip() for line in split_lines(text) if line.strip()] for text in (one, other)
    )
    if lines == others:
        return 1.0
    if not lines or not others:
        return 0.0
    return min(0.99, len(set(lines) & set(others)) / max(len(set(lines)), len(set(others))))


def _common_end(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal parts at the ends of two paths; a folder remains of each."""
    count = 0
    for mine, yours in zip(reversed(one[2:]), reversed(other[2:]), strict=False):
        if mine != yours:
            break
        count += 1
    return max(1, count)


def _without(parts: Sequence[str], count: int) -> str:
    return str(PurePosixPath(*parts[: len(parts) - count]))
