"""The breakpoint doctor: finds out what keeps a breakpoint from stopping, and mends it on request.

The facts are gathered here; what follows from them stands in ``explanation.py``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from tuidbg.session.breakpoints.options import BreakpointSettings
from tuidbg.session.doctor.diagnosis import Diagnosis, Facts, Hiding, Mend
from tuidbg.session.doctor.explanation import explain
from tuidbg.session.errors import UnsupportedByAdapter
from tuidbg.session.state import Breakpoint, BreakpointStatus, Status

if TYPE_CHECKING:
    from tuidbg.session.session import Session

__all__ = ["Diagnosis", "Doctor", "Facts", "Mend", "Surroundings", "explain"]


class Surroundings(Protocol):
    """What the doctor asks of a session beside its breakpoints."""

    @property
    def loaded_files(self) -> frozenset[str]:
        """Files that the program is known to have loaded; there may be more."""

    @property
    def child_files(self) -> frozenset[str]:
        """The same of its child processes."""

    def is_loaded(self, path: str) -> bool | None:
        """Whether the program has loaded that file; None where that is unknown."""

    def has_changed(self, path: str) -> bool:
        """Whether the file was edited after the program had loaded it."""

    def find_hiding(self, path: str) -> Hiding | None:
        """What hides that file; None where nothing does."""

    async def include(self, *, module: str = "", path: str = "") -> None:
        """Stop in that module or path, too."""

    async def switch_just_my_code(self, on: bool) -> None:
        """Pass over libraries, or don't."""

    async def map_paths(self, local: str, remote: str) -> None:
        """A folder is called so where the program runs; a program that can't know yet is told."""


class SessionSurroundings:
    """The surroundings of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def loaded_files(self) -> frozenset[str]:
        return self._session.probe.loaded_files

    @property
    def child_files(self) -> frozenset[str]:
        found: frozenset[str] = getattr(self._session.probe, "child_files", frozenset())
        return found

    def is_loaded(self, path: str) -> bool | None:
        session = self._session
        if session.status not in (Status.RUNNING, Status.PAUSED):
            return None
        if path in self.loaded_files or path == session.target_path:
            return True
        return False if path in session.breakpoints.unloaded_files else None

    def has_changed(self, path: str) -> bool:
        return self._session.has_source_changed(path)

    def find_hiding(self, path: str) -> Hiding | None:
        sources = self._session.sources
        if not (sentence := sources.why_hidden(path)):
            return None
        rule = sources.rule_for(path)
        if rule is not None:
            where = {"module": rule.module, "path": rule.path}
            return Hiding(sentence=sentence, by_switch=False, **where)
        library = sources.library_of(path)
        return Hiding(sentence=sentence, module=library, path="" if library else path)

    async def include(self, *, module: str = "", path: str = "") -> None:
        self._session.sources.include(module=module, path=path)
        await self._session.live_rules.apply(origin="tui")

    async def switch_just_my_code(self, on: bool) -> None:
        self._session.sources.just_my_code = on
        await self._session.live_rules.apply(origin="tui")

    async def map_paths(self, local: str, remote: str) -> None:
        await self._session.remote.map_paths(local, remote)


class Doctor:
    """Explains the breakpoints of a session."""

    def __init__(self, session: Session, surroundings: Surroundings | None = None) -> None:
        self._session = session
        self._around = surroundings or SessionSurroundings(session)

    async def diagnose(self, number: int) -> Diagnosis:
        """Why it does not stop, and what can be done. Raises BreakpointNotFound."""
        return explain(await self.gather(self._session.breakpoints.registry.get(number)))

    async def gather(self, found: Breakpoint) -> Facts:
        """What is known of a breakpoint and its surroundings; asks the interpreter once a file."""
        session, path = self._session, found.path
        await session.live_rules.learn_roots()
        registry = session.breakpoints.registry
        trigger = next((b for b in registry if b.number == found.trigger), None)
        group = [b for b in registry if found.group and b.group == found.group]
        facts = Facts(
            breakpoint=found,
            status=session.status,
            muted=session.breakpoints.muted,
            trigger="" if trigger is None else _name(trigger),
            trigger_hits=None if trigger is None else trigger.hits,
            group_off=0 if any(b.enabled for b in group) else len(group),
        )
        if not path:
            return facts
        return msgspec.structs.replace(
            facts,
            source=await session.source_facts(path),
            exists=path.startswith("<")
            or Path(path).is_file()
            or not session.profile.needs_files
            or session.remote.is_elsewhere(path),
            has_changed=self._around.has_changed(path),
            loaded=self._around.is_loaded(path),
            namesakes=self._find_namesakes(path),
            hiding=self._find_hiding(found),
            in_child=path in self._around.child_files,
        )

    def _find_namesakes(self, path: str) -> tuple[tuple[str, bool], ...]:
        """Loaded files of the same name, but none of a library that is passed over anyway."""
        name, real = PurePath(path).name, os.path.realpath(path)
        found = [
            other
            for other in sorted(self._around.loaded_files)
            if PurePath(other).name == name
            and os.path.realpath(other) != real
            and self._around.find_hiding(other) is None
        ]
        return tuple((other, Path(other).is_file()) for other in found)

    def _find_hiding(self, found: Breakpoint) -> Hiding | None:
        hiding = self._around.find_hiding(found.path)
        excluded = "excluded by filters" in found.message
        if hiding is None and excluded and found.status is BreakpointStatus.REFUSED:
            sentence = "It lies in a library, and just-my-code is on."
            return Hiding(sentence=sentence, path=str(Path(found.path).parent))
        return hiding

    async def apply(self, number: int, mend: Mend, *, origin: str = "tui") -> None:
        """Do what a diagnosis offered. Raises DebuggerError."""
        breakpoints, arguments = self._session.breakpoints, mend.arguments
        match mend.action:
            case "update":
                await breakpoints.update(number, origin=origin, **arguments)
            case "move":
                await breakpoints.move(number, origin=origin, **arguments)
            case "replace":
                await self._replace(number, arguments, origin)
            case "enable_group":
                await breakpoints.enable_group(origin=origin, **arguments)
            case "mute":
                await breakpoints.mute(origin=origin, **arguments)
            case "restart":
                await self._session.lifecycle.restart()
            case "map":
                await self._around.map_paths(**arguments)
            case "include":
                await self._around.include(**arguments)
                await breakpoints.update(number, origin=origin)
            case "just_my_code":
                await self._around.switch_just_my_code(**arguments)
                await breakpoints.update(number, origin=origin)
            case _:
                raise UnsupportedByAdapter(f"there is no mend called {mend.action}")

    async def _replace(self, number: int, place: Mapping[str, Any], origin: str) -> None:
        """The same breakpoint in another file."""
        breakpoints = self._session.breakpoints
        found = msgspec.structs.asdict(breakpoints.registry.get(number))
        settings: Any = {name: found[name] for name in BreakpointSettings.__annotations__}
        await breakpoints.set(place["path"], place["line"], origin=origin, **settings)
        await breakpoints.remove(number, origin=origin)


def _name(found: Breakpoint) -> str:
    """What it hangs on, in short."""
    if found.exception is not None:
        return found.exception.type or "any exception"
    place = f"{PurePath(found.path).name}:{found.line}" if found.path else ""
    address = "" if found.address is None else hex(found.address)
    return found.function or found.data or address or place
