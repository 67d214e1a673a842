"""Restarting the program when one of its sources has changed on disk (``--watch``).

The project sources that the program has loaded count, including its own file; until they are known,
all of the project. For a compiled program it is the binary. The files' times are compared, off the
loop. A change that does not compile is reported, and the program is not restarted.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.config.files import file_stamp
from tuidbg.config.launch import LaunchPlan
from tuidbg.config.project import project_of
from tuidbg.dap.types import EvaluateBody
from tuidbg.session.core.evaluation.implicit_resume import own_question
from tuidbg.session.core.feature import Feature
from tuidbg.session.core.sources.files import project_files
from tuidbg.session.model.errors import DebuggerError, UnsupportedByAdapter
from tuidbg.session.model.events import LogEntry, StatusChanged
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

EVERY = 0.5
"""Seconds between two checks of the files."""

QUIET = 0.15
"""Seconds without a change before a restart, so that an editor has written all files."""

ASK_EVERY = 2
"""Checks between two queries of the program for its loaded sources."""

MOST = 5_000
"""Maximum sources of a project that are checked."""

Stamp = tuple[int, int]


class AutoRestart(Feature):
    """The watch for changes in the sources of one session's program."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._task: asyncio.Task[None] | None = None
        self._known: dict[str, Stamp] = {}
        self._loaded: frozenset[str] = frozenset()
        self._is_fresh = True
        self._launched_at = 0
        """Nanoseconds since the epoch: the program may not have read files written later."""
        self._folder = ""

    @property
    def is_on(self) -> bool:
        """True if changes restart the program."""
        return self._task is not None

    def switch(self, on: bool) -> None:
        """Turn restarts at changes on or off. Raises UnsupportedByAdapter."""
        session = self._session
        if on and not isinstance(session.plan, LaunchPlan):
            raise UnsupportedByAdapter("only a program that was started here can be restarted")
        if on == self.is_on:
            return
        session.restarts_on_change = on
        if self._task is not None:
            self._task.cancel()
            self._task = None
            session.events.subscribers.remove(self._note)
            return
        session.events.subscribers.add(self._note)
        self._known = {}
        self._is_fresh = True
        self._task = session.spawn(self._watch())

    def _note(self, entry: LogEntry) -> None:
        event = entry.event
        if isinstance(event, StatusChanged) and event.status is Status.LAUNCHING:
            self._is_fresh = True  # it runs the version on disk now
            self._launched_at = time.time_ns()

    async def _watch(self) -> None:
        looks = 0
        while True:
            if self._is_fresh:
                self._is_fresh = False
                await self._begin()
            await asyncio.sleep(EVERY)
            looks += 1
            if looks % ASK_EVERY == 1:
                await self._ask_loaded()
            changed = await self._changes()
            while changed and not self._is_fresh:
                await asyncio.sleep(QUIET)
                if (again := await self._changes()) == changed:
                    self._known.update(changed)
                    await self._restart(sorted(changed))
                    break
                changed = again

    async def _begin(self) -> None:
        plan = self._session.plan
        assert isinstance(plan, LaunchPlan)
        self._folder = f"{str(project_of(plan)).rstrip('/')}/"
        profile = self._session.profile
        found = await asyncio.to_thread(_stamps_below, self._folder, profile.sources.watched)
        self._known = {
            path: self._known.get(path, stamp) if stamp[0] > self._launched_at else stamp
            for path, stamp in found.items()
        }
        target = (await self._session.facts.of_target()).path
        if profile.inside is None:  # the program can't be queried for its loaded files
            self._loaded = frozenset(self._known)
            target = plan.target if Path(plan.target).is_file() else ""
        self._loaded |= {target} if target else set()

    async def _ask_loaded(self) -> None:
        """Query the program; one that has ended keeps its last result."""
        session, inside = self._session, self._session.profile.inside
        if inside is None or not session.adapter.is_configurable:
            return
        if session.status is Status.LAUNCHING:
            return
        try:
            for expression in (
                inside.install("sources"),
                inside.expression("sources", "loaded", (self._folder,)),
            ):
                arguments = own_question(expression)
                answer = await session.adapter.request("evaluate", arguments, into=EvaluateBody)
            found = msgspec.json.decode(inside.read(answer.result), type=list[str])
        except (AdapterError, msgspec.MsgspecError, ValueError, SyntaxError):
            return  # it ends, or waits in C code; the next check repeats the query
        self._loaded |= frozenset(found)

    async def _changes(self) -> dict[str, Stamp]:
        """Return the changed sources; a deleted one may come back."""
        of_target = frozenset({self._session.facts.target_path})
        paths = self._loaded if self._loaded - of_target else self._loaded | set(self._known)
        now = await asyncio.to_thread(_stamps_of, paths)
        changed = {path: stamp for path, stamp in now.items() if self._known.get(path) != stamp}
        for path in [path for path in changed if path not in self._known]:
            self._known[path] = changed.pop(path)  # outside the project, or just created
        return changed

    async def _restart(self, paths: list[str]) -> None:
        session = self._session
        names = _name(paths)
        for facts in await session.profile.sources.examine(session.plan, paths):
            if (problem := facts.problem) is not None:
                line = f" (line {problem.line})" if problem.line else ""
                session.notify(
                    f"{PurePath(problem.path or paths[0]).name} has changed and does not compile:"
                    f" {problem.message}{line}; restarts once that is mended",
                    "error",
                )
                return
        is_alive = session.status in (Status.RUNNING, Status.PAUSED)
        if self._is_fresh or (is_alive and session.lifecycle.is_ending):
            return  # it is being restarted by hand
        is_paused = session.status is Status.PAUSED and session.frames
        place = session.frames[0].place if is_paused else None
        try:
            await session.lifecycle.restart()
        except DebuggerError as error:
            session.notify(f"{names} changed, but the restart failed: {error}", "error")
            return
        stood = f"; it stood at {PurePath(place.path).name}:{place.line}" if place else ""
        session.notify(f"{names} changed: restarted{stood}")


def _name(paths: list[str]) -> str:
    first = PurePath(paths[0]).name
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1} more"


def _stamps_below(folder: str, patterns: Sequence[str]) -> dict[str, Stamp]:
    found: dict[str, Stamp] = {}
    if not patterns:
        return found
    for path in project_files(Path(folder)):
        if not any(fnmatch(path.name, pattern) for pattern in patterns):
            continue
        if (stamp := file_stamp(str(path))) is not None:
            found[str(path)] = stamp
            if len(found) >= MOST:
                break
    return found


def _stamps_of(paths: Iterable[str]) -> dict[str, Stamp]:
    return {path: stamp for path in paths if (stamp := file_stamp(path)) is not None}
