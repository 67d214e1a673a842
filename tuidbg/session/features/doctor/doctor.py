"""The breakpoint doctor: finds the reason a breakpoint does not stop, and fixes it on request.

The facts are gathered here; the conclusions from them are in ``rules.py``.
"""

from __future__ import annotations

import asyncio
import filecmp
import os
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from tuidbg.session.core.breakpoints.binding.binding import find_ray_task
from tuidbg.session.core.breakpoints.store import BreakpointSettings
from tuidbg.session.core.feature import Feature
from tuidbg.session.features.doctor.rules import (
    EVERYWHERE,
    RESTART,
    RULES,
    BreakpointFacts,
    Diagnosis,
    Hiding,
    Mend,
    ended,
    times,
)
from tuidbg.session.model.errors import UnsupportedByAdapter
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


def explain(facts: BreakpointFacts) -> Diagnosis:
    """Return the diagnosis: everything that blocks it, or else the first possible cause."""
    blocking = [found for rule in RULES if (found := rule(facts)) is not None]
    tells = not facts.breakpoint.stops and not facts.breakpoint.hits
    if not blocking or (tells and len(blocking) == 1):
        blocking += [next(found for rule in _REST if (found := rule(facts)) is not None)]
    mends: dict[str, Mend] = {}
    for each in blocking:
        mends |= {mend.title: mend for mend in each.mends if mend.title not in mends}
    sentences = dict.fromkeys(sentence for each in blocking for sentence in each.sentences)
    return Diagnosis(
        title=blocking[0].title, sentences=tuple(sentences), mends=tuple(mends.values())
    )


def _is_refused(facts: BreakpointFacts) -> Diagnosis | None:
    found = facts.breakpoint
    if found.status is not BreakpointStatus.REFUSED:
        return None
    sentence = f"It was refused: {found.message or 'the debug adapter gave no reason'}"
    again = Mend(title="Try again", action="update")
    return Diagnosis(title="refused", sentences=(ended(sentence),), mends=(again,))


def _nothing_runs(facts: BreakpointFacts) -> Diagnosis | None:
    found = facts.breakpoint
    match facts.status:
        case Status.CREATED:
            sentence = "No program has been started yet; it is set when one starts."
            return Diagnosis(title="no program runs", sentences=(sentence,))
        case Status.LAUNCHING:
            sentence = "The program is just starting; it is set in a moment."
            return Diagnosis(title="the program is starting", sentences=(sentence,))
        case Status.TERMINATED | Status.FAILED:
            title, sentence = "the program has ended", "The program has ended and never came to it."
            if found.hits:
                sentence = f"The program has ended; it was hit {times(found.hits)}."
            elif found.kind is BreakpointKind.EXCEPTION:
                sentence = "The program has ended and never raised such an exception"
                return _not_raised(facts, title, sentence, RESTART)
            return Diagnosis(title=title, sentences=(sentence,), mends=(RESTART,))
    return None


def _is_not_imported(facts: BreakpointFacts) -> Diagnosis | None:
    if facts.loaded is not False:
        return None
    return Diagnosis(
        title="not imported yet",
        sentences=(
            f"The program has not imported {facts.file} yet.",
            "When it does, the breakpoint is set by itself.",
        ),
    )


def _is_pending(facts: BreakpointFacts) -> Diagnosis | None:
    found = facts.breakpoint
    if found.status is not BreakpointStatus.PENDING:
        return None
    sentence = f"It is not set yet: {found.message or 'the debug adapter has not answered'}"
    return Diagnosis(title="not set yet", sentences=(ended(sentence),))


def _works(facts: BreakpointFacts) -> Diagnosis | None:
    found = facts.breakpoint
    if not found.hits:
        return None
    sentence = f"It was hit {times(found.hits)} in this run."
    return Diagnosis(title="nothing is wrong", sentences=(sentence,))


def _was_not_reached(facts: BreakpointFacts) -> Diagnosis:
    if facts.breakpoint.kind is BreakpointKind.EXCEPTION:
        sentence = "It is set; the program has raised no such exception yet"
        return _not_raised(facts, "not raised yet", sentence)
    sentence = "It is set; the program has not reached it yet."
    return Diagnosis(title="not reached yet", sentences=(sentence,))


def _not_raised(facts: BreakpointFacts, title: str, sentence: str, *mends: Mend) -> Diagnosis:
    """Return that no such exception was raised; just-my-code hides those caught in libraries."""
    if not facts.passes_libraries:
        return Diagnosis(title=title, sentences=(f"{sentence}.",), mends=mends)
    passed = "Just-my-code is on: what libraries raise and catch among themselves is passed over."
    sentences = (f"{sentence} in your own code.", passed)
    return Diagnosis(title=title, sentences=sentences, mends=(EVERYWHERE, *mends))


_REST: tuple[Callable[[BreakpointFacts], Diagnosis | None], ...] = (
    _is_refused,
    _nothing_runs,
    _is_not_imported,
    _is_pending,
    _works,
    _was_not_reached,
)


__all__ = ["BreakpointFacts", "Diagnosis", "Doctor", "DoctorQueries", "Mend", "explain"]


class DoctorQueries(Protocol):
    """The doctor's queries beyond the breakpoints, and its fixes there."""

    @property
    def loaded_files(self) -> frozenset[str]:
        """Return files known to be loaded by the program; there may be more."""

    def is_loaded(self, path: str) -> bool | None:
        """True if the program has loaded that file; None if unknown."""

    def has_changed(self, path: str) -> bool:
        """True if the file was edited after the program had loaded it."""

    def find_hiding(self, path: str) -> Hiding | None:
        """Return the rule or switch that hides that file, if any."""

    async def include(self, *, origin: str, module: str = "", path: str = "") -> None:
        """Stop in that module or path, too."""

    async def switch_just_my_code(self, on: bool, *, origin: str) -> None:
        """Turn skipping of libraries on or off."""

    async def map_paths(self, local: str, remote: str, *, origin: str) -> None:
        """Map a folder to its path where the program runs; inform a program that can't know yet."""


class SessionSurroundings:
    """The surroundings of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def loaded_files(self) -> frozenset[str]:
        return self._session.probe.loaded_files

    def is_loaded(self, path: str) -> bool | None:
        session = self._session
        if session.status not in (Status.RUNNING, Status.PAUSED):
            return None
        if path in self.loaded_files or path == session.facts.target_path:
            return True
        return False if path in session.breakpoints.unloaded_files else None

    def has_changed(self, path: str) -> bool:
        return self._session.facts.has_changed(path)

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

    async def include(self, *, origin: str, module: str = "", path: str = "") -> None:
        self._session.sources.include(module=module, path=path)
        await self._session.live_rules.apply(origin=origin)

    async def switch_just_my_code(self, on: bool, *, origin: str) -> None:
        self._session.sources.just_my_code = on
        await self._session.live_rules.apply(origin=origin)

    async def map_paths(self, local: str, remote: str, *, origin: str) -> None:
        await self._session.remote.map_paths(local, remote, origin=origin)


def _is_copy(path: str, other: str) -> bool:
    """Whether both have the same text, as where an archive has been unpacked."""
    try:
        return filecmp.cmp(path, other, shallow=False)
    except OSError:
        return False


class Doctor(Feature):
    """The diagnosis of a session's breakpoints."""

    def __init__(self, session: Session, surroundings: DoctorQueries | None = None) -> None:
        self._session = session
        self._around = surroundings or SessionSurroundings(session)

    async def diagnose(self, number: int) -> Diagnosis:
        """Return the reason it does not stop, and the fixes. Raises BreakpointNotFound."""
        return explain(await self.gather(self._session.breakpoints.registry.get(number)))

    async def gather(self, found: Breakpoint) -> BreakpointFacts:
        """Gather a breakpoint's facts and surroundings; queries the interpreter once a file."""
        session, path = self._session, found.path
        await session.live_rules.learn_roots()
        registry = session.breakpoints.registry
        trigger = next((b for b in registry if b.number == found.trigger), None)
        group = [b for b in registry if found.group and b.group == found.group]
        facts = BreakpointFacts(
            breakpoint=found,
            status=session.status,
            muted=session.breakpoints.muted,
            rank=session.breakpoints.known.rank,
            trigger="" if trigger is None else _name(trigger),
            trigger_hits=None if trigger is None else trigger.hits,
            group_off=0 if any(b.enabled for b in group) else len(group),
            passes_libraries=session.sources.just_my_code and not session.live_rules.why_none(),
        )
        if not path:
            return facts
        task = await asyncio.to_thread(find_ray_task, path, found.line)
        return msgspec.structs.replace(
            facts,
            source=await session.facts.of(path),
            exists=path.startswith("<")
            or Path(path).is_file()
            or not session.profile.breakpoints.needs_files
            or session.remote.is_elsewhere(path),
            has_changed=self._around.has_changed(path),
            loaded=self._around.is_loaded(path),
            namesakes=self._find_namesakes(path),
            hiding=self._find_hiding(found),
            ray=task.sentence if task is not None else "",
        )

    def _find_namesakes(self, path: str) -> tuple[tuple[str, bool], ...]:
        """Return loaded files of the same name; in skipped libraries, only copies of this one."""
        name, real = PurePath(path).name, os.path.realpath(path)
        found = [
            other
            for other in sorted(self._around.loaded_files)
            if PurePath(other).name == name
            and os.path.realpath(other) != real
            and (self._around.find_hiding(other) is None or _is_copy(other, path))
        ]
        return tuple((other, Path(other).is_file()) for other in found)

    def _find_hiding(self, found: Breakpoint) -> Hiding | None:
        hiding = self._around.find_hiding(found.path)
        excluded = "excluded by filters" in found.message
        if hiding is None and excluded and found.status is BreakpointStatus.REFUSED:
            sentence = "It lies in a library, and just-my-code is on."
            return Hiding(sentence=sentence, path=str(Path(found.path).parent))
        return hiding

    async def apply(self, number: int, mend: Mend, *, origin: str) -> None:
        """Apply a fix offered by a diagnosis. Raises DebuggerError."""
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
                await self._around.map_paths(**arguments, origin=origin)
            case "include":
                await self._around.include(**arguments, origin=origin)
                await breakpoints.update(number, origin=origin)
            case "just_my_code":
                await self._around.switch_just_my_code(**arguments, origin=origin)
                await breakpoints.update(number, origin=origin)
            case _:
                raise UnsupportedByAdapter(f"there is no mend called {mend.action}")

    async def _replace(self, number: int, place: Mapping[str, Any], origin: str) -> None:
        """Set the same breakpoint in another file."""
        breakpoints = self._session.breakpoints
        found = msgspec.structs.asdict(breakpoints.registry.get(number))
        settings: Any = {name: found[name] for name in BreakpointSettings.__annotations__}
        await breakpoints.set(place["path"], place["line"], origin=origin, **settings)
        await breakpoints.remove(number, origin=origin)


def _name(found: Breakpoint) -> str:
    """Return its place in short."""
    if found.exception is not None:
        return found.exception.type or "any exception"
    place = f"{PurePath(found.path).name}:{found.line}" if found.path else ""
    address = "" if found.address is None else hex(found.address)
    return found.function or found.data or address or place
