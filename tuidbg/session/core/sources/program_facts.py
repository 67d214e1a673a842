"""Facts about the program's sources from its interpreter: lines and errors."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.languages import Language, language_of
from tuidbg.adapters.traits import SourceFacts
from tuidbg.config.files import file_stamp
from tuidbg.dap import types as dap
from tuidbg.session.model.errors import (
    AdapterFailed,
    InvalidSessionState,
    ProgramEnded,
    UnsupportedByAdapter,
)
from tuidbg.session.model.state import StateValue, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class ProgramFacts:
    """The facts of sources, fetched once and kept while the files are unchanged."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._target: asyncio.Task[SourceFacts] | None = None
        self._facts: dict[str, tuple[tuple[int, int], SourceFacts]] = {}
        self._stamps: dict[str, tuple[int, int]] = {}

    def forget(self) -> None:
        """Forget all: another adapter has other facts."""
        self._facts.clear()

    def forget_target(self) -> None:
        """Forget the target, as another program is set."""
        self._target = None

    def begin_run(self) -> None:
        """Prepare a new start of the program."""
        self._target = None
        self._stamps.clear()

    def share(self, other: ProgramFacts) -> None:
        """Share facts with another session, in both directions."""
        self._facts = other._facts

    @property
    def tasks(self) -> list[asyncio.Task[SourceFacts]]:
        """Return the query that may be under way."""
        return [self._target] if self._target is not None else []

    async def of_target(self) -> SourceFacts:
        """Return the interpreter's facts of the program; fetched once for each launch.

        Raises ProgramEnded where the session ends meanwhile.
        """
        session = self._session
        if not session.plan.target:
            return SourceFacts()
        if self._target is None:
            self._target = asyncio.create_task(session.profile.sources.examine_target(session.plan))
        target = self._target
        try:
            return await asyncio.shield(target)
        except asyncio.CancelledError:
            if target.cancelled():  # the caller is not cancelled by that
                raise ProgramEnded from None
            raise

    @property
    def target_path(self) -> str:
        """Return the file of the program itself, once it is known."""
        target = self._target
        if target is None or not target.done() or target.cancelled() or target.exception():
            return ""
        return target.result().path

    def language_of(self, path: str) -> Language:
        """Return the language of breakpoint expressions in that source."""
        return language_of(path, self._session.profile.language)

    def has_changed(self, path: str) -> bool:
        """True if a file was edited since the first call for it in this run."""
        stamp = file_stamp(path)
        return stamp is not None and self._stamps.setdefault(path, stamp) != stamp

    async def of(self, path: str) -> SourceFacts:
        """Return the interpreter's facts of a source; empty if there is no such file."""
        await self.learn([path])
        if (older := self._session.running_sources.facts(path)) is not None:
            return older
        known = self._facts.get(path)
        return known[1] if known is not None else SourceFacts(path)

    async def learn(self, paths: Iterable[str]) -> None:
        """Fetch the facts of many sources at once: one process instead of one a file."""
        session, running = self._session, self._session.running_sources
        paths = list(paths)
        for path in paths:
            running.take(path)
        paths = [path for path in paths if not running.is_older(path)]
        asked = {path: stamp for path in paths if (stamp := file_stamp(path)) is not None}
        new = [path for path, stamp in asked.items() if self._facts.get(path, (0, 0))[0] != stamp]
        target = await self.of_target() if new else SourceFacts()
        if target.path in new and target.path not in self._facts:
            self._facts[target.path] = (asked[target.path], target)
            new.remove(target.path)
        if new:
            found = await session.profile.sources.examine(session.plan, new)
            for path, facts in zip(new, found, strict=True):
                self._facts[path] = (asked[path], facts)
        for path, stamp in asked.items():
            if (known := self._facts.get(path)) is not None:
                running.take_facts(path, stamp, known[1])


class ModuleKind(StrEnum):
    """The kinds of modules, by their files.

    ``namespace``: a package without a file of its own. ``binary``: a program or a shared library.
    """

    SOURCE = "source"
    EXTENSION = "extension"
    NAMESPACE = "namespace"
    BUILTIN = "builtin"
    BINARY = "binary"
    UNKNOWN = "unknown"


class LoadedModule(StateValue, frozen=True):
    """One module. ``path`` is its source file, empty if there is none.

    For a binary it is the file itself, with its load ``address`` (or the range), and the state of
    its ``symbols`` in the adapter's words.
    """

    name: str
    path: str = ""
    kind: ModuleKind = ModuleKind.UNKNOWN
    version: str = ""
    address: str = ""
    symbols: str = ""


class _FactsReply(StateValue, frozen=True):
    modules: tuple[LoadedModule, ...]
    total: int


class _ModulesBody(dap.DapBody, frozen=True):
    """The response to DAP ``modules``."""

    modules: tuple[dap.Module, ...] = ()


class Modules:
    """Queries about the modules of a session's program."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def why_not(self) -> str:
        """Return why modules can't be listed here; empty if they can."""
        session = self._session
        if session.inside.is_possible or not session.adapter.has_begun:
            return ""
        is_supported = session.adapter.capabilities.supports_modules_request
        return "" if is_supported else "this adapter knows no modules"

    async def list(self) -> tuple[LoadedModule, ...]:
        """Return all modules by their names.

        Raises UnsupportedByAdapter, InvalidSessionState while the program runs, AdapterFailed,
        EvaluationFailed, StaleReply.
        """
        session = self._session
        if why := self.why_not():
            raise UnsupportedByAdapter(why)
        if session.status is not Status.PAUSED:
            raise InvalidSessionState("list the modules", session.status)
        if session.inside.is_possible:
            frame_id = session.frames[0].id if session.frames else None
            answer = await session.inside.ask(
                "modules", "list_modules", _FactsReply, frame_id=frame_id
            )
            return answer.modules
        try:
            body = await session.adapter.request("modules", {}, into=_ModulesBody)
        except AdapterError as error:
            raise AdapterFailed(str(error)) from error
        return tuple(sorted(map(_module, body.modules), key=lambda module: module.name))


def _module(told: dap.Module) -> LoadedModule:
    is_binary = bool(told.address_range or told.symbol_status)
    symbols = (told.symbol_status or "").rstrip(".").lower()
    size = f", {told.debug_info_size}" if told.debug_info_size else ""
    return LoadedModule(
        name=told.name,
        path=told.path or "",
        kind=ModuleKind.BINARY if is_binary else ModuleKind.UNKNOWN,
        version=told.version or "",
        address=told.address_range or "",
        symbols=f"{symbols}{size}" if symbols else "",
    )
