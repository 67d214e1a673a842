"""The breakpoint lists for the adapter: one for each file, and those without a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.client import DEFAULT_TIMEOUT
from tuidbg.adapters.errors import AdapterError, RequestFailed
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.config.files import file_stamp
from tuidbg.config.launch import is_source
from tuidbg.dap.types import BreakpointsBody, parse_reference
from tuidbg.dap.types import DapBreakpoint as AdapterBreakpoint
from tuidbg.session.core.breakpoints.predicates import nearest_line
from tuidbg.session.core.breakpoints.store import (
    NEWER,
    NO_ANSWER,
    NOT_IMPORTED,
    NOT_RENDERED,
    NOT_SET,
    STALE,
    BreakpointSettings,
    KnownBreakpoints,
    bound,
    check_settings,
    files_of,
    lines_of,
    no_code,
    pending,
    refused,
    told,
)
from tuidbg.session.core.evaluation.implicit_resume import own_question
from tuidbg.session.core.hits.log_messages import split_log_message
from tuidbg.session.core.hits.probe import make_spec
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus, Place

if TYPE_CHECKING:
    from tuidbg.adapters.native import NativeQuestions
    from tuidbg.session.core.connect.adapter_link import AdapterLink
    from tuidbg.session.core.session import Session

_KEYS = ("line", "name", "instructionReference", "dataId")


class Resend:
    """A record of the conditions last sent to the adapter, for deciding what must be sent again."""

    def __init__(self) -> None:
        self._conditions: dict[tuple[str, object], str] = {}

    def note(self, where: str, sent: Sequence[dict[str, Any]]) -> list[dict[str, Any]] | None:
        """Record what is sent now; return the list that must be sent before it, None if none must.

        ``where`` is the file, or the request of lists that belong to none.
        """
        fresh = {_key(where, each): str(each.get("condition") or "") for each in sent}
        stale = {
            key
            for key, condition in fresh.items()
            if self._conditions.get(key) and self._conditions[key] != condition
        }
        for key in [key for key in self._conditions if key[0] == where]:
            del self._conditions[key]
        self._conditions |= fresh
        return [each for each in sent if _key(where, each) not in stale] if stale else None

    def forget(self) -> None:
        """Forget the old adapter's lists."""
        self._conditions.clear()


def _key(where: str, sent: dict[str, Any]) -> tuple[str, object]:
    return where, next((sent[key] for key in _KEYS if key in sent), None)


async def take_back(
    adapter: AdapterLink, resend: Resend, command: str, where: str, arguments: dict[str, Any]
) -> None:
    """Remove those whose condition the adapter would not change. Raises AdapterError."""
    if not adapter.profile.breakpoints.keeps_conditions:
        return
    first = resend.note(where, arguments["breakpoints"])
    if first is not None:
        changed = {**arguments, "breakpoints": first}
        await adapter.request(command, changed, into=BreakpointsBody)


async def find_refusal(session: Session, path: str, line: int) -> tuple[str, int | None]:
    """Return why a line can't break and the nearest that can, as far as known; else empty."""
    return (await _refusals(session, path))(line)


async def _refusals(session: Session, path: str) -> Callable[[int], tuple[str, int | None]]:
    """Return ``find_refusal`` for any line of a file, whose facts are read once."""
    needs_file = session.profile.breakpoints.needs_files and not is_source(path)
    if needs_file and not session.remote.is_elsewhere(path):
        return lambda line: ("this file does not exist", None)
    facts = await session.facts.of(path)
    if facts.problem is not None and facts.problem.path:
        problem = f"this file does not compile: {facts.problem.message}"
        return lambda line: (problem, None)
    lines, code = facts.code_lines, frozenset(facts.code_lines)

    def refusal(line: int) -> tuple[str, int | None]:
        if not lines or line in code:
            return "", None
        nearest = nearest_line(lines, line)
        if line > lines[-1]:
            return f"line {line} is past the last line of code, {lines[-1]}", nearest
        return no_code(line), nearest

    return refusal


async def refuse_lines_without_code(session: Session, known: KnownBreakpoints, path: str) -> None:
    """Refuse those of a file that can't break, by the interpreter's facts."""
    of_file = [b for b in known.registry.of_file(path) if b.kind is BreakpointKind.LINE]
    if not (waiting := [b for b in of_file if b.status is BreakpointStatus.PENDING]):
        return
    refusal = await _refusals(session, path)
    for found in waiting:
        message, suggested = refusal(found.line)
        current = known.registry.look_up(found.number)
        if message and current is not None and current.line == found.line:
            known.publish(refused(current, message, suggested), origin="session")


def refuse_conditions(session: Session, known: KnownBreakpoints, path: str) -> None:
    """Refuse conditions an adapter does not support: it would stop at every execution."""
    if session.probe.is_there or session.adapter.capabilities.supports_conditional_breakpoints:
        return
    for found in known.registry.of_file(path):
        if found.condition and found.status is not BreakpointStatus.REFUSED:
            why = "this debug adapter knows no conditions"
            known.publish(refused(found, why), origin="session")


async def prepare_template(session: Session, path: str) -> None:
    """Register a template file with the program, if it is one. Raises AdapterError."""
    profile = session.profile
    templates, inside = profile.breakpoints.page_templates, profile.inside
    if templates is None or inside is None or not templates.includes(path):
        return
    prepare = inside.expression(templates.module, "prepare", templates.arguments(session.plan))
    for expression in (inside.install(templates.module), prepare):
        await session.adapter.request("evaluate", own_question(expression))


def is_template(profile: AdapterProfile, path: str) -> bool:
    """True for a template, by its name."""
    return (
        profile.breakpoints.page_templates is not None
        and profile.breakpoints.page_templates.includes(path)
    )


def waits_for_rendering(profile: AdapterProfile, message: str | None) -> bool:
    """True if the adapter's message means that the template was not rendered yet."""
    templates = profile.breakpoints.page_templates
    return templates is not None and (message or "").startswith(templates.waiting)


class TemporaryStops:
    """The places where the program stops once, outside the list of breakpoints."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        """One line per file."""
        self.functions: tuple[str, ...] = ()
        """The program stops on entry at the first of these functions that is called."""
        self.adapter_ids: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self.lines or self.functions)

    def is_hit(self, adapter_ids: Iterable[int]) -> bool:
        """True if one of the temporary stops is among those hit."""
        return any(i in self.adapter_ids for i in adapter_ids)

    def forget(self) -> None:
        self.functions = ()
        self.lines.clear()
        self.adapter_ids.clear()


class ProbeBinding:
    """The breakpoints of one session as known to its probe."""

    def __init__(self, session: Session, known: KnownBreakpoints) -> None:
        self._session = session
        self._known = known
        self._epochs: dict[int, tuple[int, int]] = {}

    def note_settings(self, known: Breakpoint | None, settings: BreakpointSettings) -> None:
        """Start an ignore count where it is set, a budget where the breakpoint is enabled."""
        if known is None:
            return
        ignore, budget = self._epochs.get(known.number, (0, 0))
        enabled_again = settings.get("enabled", False) and not known.enabled
        if enabled_again or "at_most" in settings:
            self._session.hits.tally.renew_budget(known.number)
        self._epochs[known.number] = (
            ignore + ("ignore_count" in settings),
            budget + (enabled_again or "at_most" in settings),
        )

    async def put(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Send breakpoints to the probe, which must know them before the adapter sets them."""
        asked = [b for b in breakpoints if files_of(b) and self._known.is_wanted(b)]
        wanted = [b for b in asked if b.status is not BreakpointStatus.REFUSED]
        wanted = [b for b in wanted if not self._refuse_settings(b)]
        if not wanted or not await self._session.probe.install():
            return
        problems = await self._session.probe.put([self._spec(b) for b in wanted])
        for number, problem in problems.items():
            if (found := self._known.registry.look_up(number)) is not None:
                self._known.publish(refused(found, problem), origin="program")

    async def put_counters(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Let the probe count the hits of these, on which it decides by other means."""
        await self._session.probe.put([self._spec(b) for b in breakpoints])

    def _refuse_settings(self, found: Breakpoint) -> bool:
        """Refuse one with invalid settings, possible in a loaded file; True if it is refused."""
        settings: BreakpointSettings = {
            "condition": found.condition,
            "hit_condition": found.hit_condition,
            "log_message": found.log_message,
            "commands": found.commands,
        }
        sentence = next(iter(check_settings(settings, self._session.profile.language).values()), "")
        if sentence:
            self._known.publish(refused(found, sentence), origin="session")
        return bool(sentence)

    def _spec(self, found: Breakpoint) -> dict[str, Any]:
        epochs = self._epochs.get(found.number, (0, 0))
        return make_spec(found, *epochs, language=self._session.profile.language)


class FileLoading:
    """The verified breakpoints of one session whose files may not be imported yet."""

    def __init__(self, session: Session, known: KnownBreakpoints) -> None:
        self._session = session
        self._known = known
        self._verified: set[int] = set()

    def verified(self, found: Breakpoint, path: str, remark: str) -> Breakpoint:
        """Return the breakpoint as the adapter verified it: set, or waiting for its file."""
        self._verified.add(found.number)
        if self._is_loaded(path):
            return bound(found, remark)
        self._session.probe.watch_imports()
        return pending(found, NOT_IMPORTED)

    def _is_loaded(self, path: str) -> bool:
        """True if the program has imported the file, as far as can be known."""
        session = self._session
        if not session.probe.is_there or path in session.probe.loaded_files:
            return True
        return path == session.plan.first_source or path == session.facts.target_path

    def unloaded_files(self) -> set[str]:
        """Return the files of verified breakpoints that are not imported yet."""
        registry = self._known.registry
        waiting = (b for n in self._verified if (b := registry.look_up(n)) is not None)
        return {
            path
            for b in waiting
            if b.status is BreakpointStatus.PENDING and self._known.is_wanted(b)
            for path in files_of(b)
            if not self._is_loaded(path)
        }

    def note_loaded(self, paths: Iterable[str]) -> None:
        """Mark the breakpoints that waited for these imported files as set."""
        for path in paths:
            self._session.probe.loaded_files |= {path}
            for found in self._known.registry.of_file(path):
                waits = found.status is BreakpointStatus.PENDING
                if waits and found.number in self._verified:
                    self._known.publish(bound(found), origin="program")

    def forget(self) -> None:
        """Forget everything: the program is gone."""
        self._verified.clear()


class Answers:
    """Merging of the adapter's replies to the list of a file."""

    def __init__(
        self,
        session: Session,
        known: KnownBreakpoints,
        loading: FileLoading,
        numbers: dict[int, tuple[int, ...]],
    ) -> None:
        self._session = session
        self._known = known
        self._loading = loading
        self._numbers = numbers

    async def merge(
        self, asked: Breakpoint, path: str, line: int, reported: AdapterBreakpoint | None
    ) -> bool:
        """Merge one reply; True if the adapter set it at an unrequested place."""
        answered = reported.line if reported is not None and reported.verified else None
        moved = answered is not None and answered != line
        current = self._known.registry.look_up(asked.number)
        if current is None:
            return moved  # deleted meanwhile; that deletion is still queued
        if reported is not None and reported.id is not None:
            known = self._numbers.get(reported.id, ())
            self._numbers[reported.id] = tuple(dict.fromkeys((*known, asked.number)))
        if _as_asked(current) != _as_asked(asked):
            return moved  # changed meanwhile; that change is still queued
        if reported is None:
            changed = refused(current, NO_ANSWER)
        elif moved:
            lines = (await self._session.facts.of(path)).code_lines
            suggested = (nearest_line(lines, line) if lines else answered) or None
            changed = refused(current, no_code(line), suggested)
        elif reported.verified and self._is_excluded(path):
            # debugpy reports breakpoints in files hidden by a rule as verified.
            changed = refused(current, self._session.sources.why_hidden(path))
        elif reported.verified:
            changed = self._verified(current, path, line, reported)
        elif waiting := describe_waiting(self._session.profile, reported.message):
            changed = pending(current, waiting)
        elif (native := self._session.profile.native) is not None:
            changed = await self._explained(native, current, path, line)
        else:
            hidden = self._session.sources.why_hidden(path)
            why = self._session.profile.breakpoints.explain_refusal(reported.message or "")
            changed = refused(current, hidden or why or NOT_SET)
        now = self._known.registry.look_up(asked.number)
        if changed != current and now is not None and _as_asked(now) == _as_asked(asked):
            self._known.publish(changed, origin="adapter")
        return moved

    async def _explained(
        self, native: NativeQuestions, found: Breakpoint, path: str, line: int
    ) -> Breakpoint:
        """Return it with the reason it is not set, and a line where it could be."""
        try:
            ask = self._session.adapter.request
            message, suggested = await native.explain_line(ask, path, line)
        except AdapterError:
            message, suggested = "the program has no code there", None
        if suggested is None:  # a library loaded later may contain the file
            return pending(found, message)
        return refused(found, message, suggested)

    def _verified(
        self, found: Breakpoint, path: str, line: int, reported: AdapterBreakpoint
    ) -> Breakpoint:
        if found.kind is BreakpointKind.LINE:
            place = Place(path=path, line=line, column=reported.column or 1)
            found = msgspec.structs.replace(found, places=(place,))
        return self._loading.verified(found, path, self._remark(found, reported))

    def _is_excluded(self, path: str) -> bool:
        rule = self._session.sources.rule_for(path)
        return rule is not None and not rule.include

    def _remark(self, found: Breakpoint, reported: AdapterBreakpoint) -> str:
        if found.column is not None and reported.column != found.column:
            return f"this debug adapter stops at the line, not at column {found.column}"
        return self._staleness(found.path)

    def _staleness(self, path: str) -> str:
        """Return a notice that a source was edited after the program was built."""
        plan = self._session.plan
        if not self._session.profile.sources.are_compiled or not plan.target:
            return ""
        source, built = file_stamp(path), file_stamp(plan.target)
        return NEWER if source and built and source[0] > built[0] else ""


def describe_waiting(profile: AdapterProfile, message: str | None) -> str:
    """Return the event a breakpoint waits for, by the adapter's message; empty if none."""
    if waits_for_rendering(profile, message):
        return NOT_RENDERED
    return NOT_IMPORTED if is_late(profile, message) else ""


def is_late(profile: AdapterProfile, message: str | None) -> bool:
    """True if the adapter will set it when the program has loaded the file."""
    return bool(profile.breakpoints.late_answer) and message == profile.breakpoints.late_answer


def _as_asked(breakpoint: Breakpoint) -> tuple[Any, ...]:
    b = breakpoint
    return b.line, b.column, b.condition, b.enabled, b.function


Synchronise = Callable[[str], Coroutine[Any, Any, None]]
"""Sends the list of a file."""


def take_change(
    session: Session,
    known: KnownBreakpoints,
    found: Breakpoint,
    reason: str,
    reported: AdapterBreakpoint,
    synchronise: Synchronise,
) -> None:
    """Handle a DAP ``breakpoint`` event about one of ours.

    If the adapter moved it, it is refused and the list sent again; a removal is always shown.
    """
    profile = session.profile
    if profile.native is not None:
        is_new = found.status is not BreakpointStatus.SET
        if found.kind is not BreakpointKind.LINE or not (reported.verified and is_new):
            return  # its location is requested separately
    places = (place.line for place in found.places)
    moved = reported.verified and reported.line not in (None, found.line, *places)
    if reason == "removed":
        changed = refused(found, reported.message or "the debug adapter removed it")
    elif moved:
        changed = refused(found, no_code(found.line), reported.line)
        session.spawn(synchronise(found.path))
    elif reported.verified:
        changed = bound(found)
    elif waiting := describe_waiting(profile, reported.message):
        changed = pending(found, waiting)
    elif is_template(profile, found.path):
        changed = refused(found, f"the template has nothing at line {found.line}", reported.line)
    else:
        changed = refused(found, reported.message or "the debug adapter took it back")
    if changed != found:
        known.publish(changed, origin="adapter")


class ListBinding:
    """Binding of breakpoints that are sent as one list, whatever their files."""

    def __init__(
        self,
        session: Session,
        known: KnownBreakpoints,
        numbers: dict[int, tuple[int, ...]],
        resend: Resend,
    ) -> None:
        self._session = session
        self._known = known
        self._numbers = numbers
        self._resend = resend

    def wanted(self, kind: BreakpointKind) -> list[Breakpoint]:
        """Return those of a kind that have to be sent."""
        of_kind = self._known.registry.of_kind(kind)
        return [b for b in of_kind if self._known.is_wanted(b)]

    def as_sent(self, found: Breakpoint, where: dict[str, Any]) -> dict[str, Any]:
        """Return a breakpoint in the adapter's form; ``where`` is its location."""
        if found.condition and self._session.adapter.capabilities.supports_conditional_breakpoints:
            return {**where, "condition": found.condition}
        return where

    async def send(
        self, command: str, wanted: list[Breakpoint], sent: list[dict[str, Any]]
    ) -> BreakpointsBody:
        """Send a list and merge the reply; ``sent`` may hold more than ``wanted``."""
        session, arguments = self._session, {"breakpoints": sent}
        try:
            await take_back(session.adapter, self._resend, command, command, arguments)
            answer = await session.adapter.request(command, arguments, into=BreakpointsBody)
        except AdapterError as error:
            self.refuse(wanted, str(error))
            return BreakpointsBody()
        for index, asked in enumerate(wanted):
            reported = answer.breakpoints[index] if index < len(answer.breakpoints) else None
            if reported is not None and reported.id is not None:
                self._numbers[reported.id] = (asked.number,)
            if reported is not None and reported.message:
                why = session.profile.breakpoints.explain_refusal(reported.message)
                reported = msgspec.structs.replace(reported, message=why)
            if session.profile.breakpoints.may_come_later and reported is not None:
                self._merge_or_wait(asked, reported)
            else:
                self._merge(asked, reported)
        return answer

    def refuse(self, wanted: list[Breakpoint], why: str) -> None:
        for each in wanted:
            self._tell(each, told(each, BreakpointStatus.REFUSED, why))

    def _merge_or_wait(self, asked: Breakpoint, reported: AdapterBreakpoint) -> None:
        """Merge, or wait while the program runs: a library may bring a missing place."""
        if reported.verified:
            self._merge(asked, reported)
            return
        if asked.kind is BreakpointKind.ADDRESS:
            why = f"there is no code at {asked.address or 0:#x}"
        else:
            why = f"there is no function {asked.function}"
        if self._session.stop is None:
            soon = f"{why} yet; a library may bring it"
            self._tell(asked, told(asked, BreakpointStatus.PENDING, soon))
        else:
            self.refuse([asked], reported.message or f"{why} in the program or its libraries")

    def _merge(self, asked: Breakpoint, reported: AdapterBreakpoint | None) -> None:
        if reported is None:
            self.refuse([asked], NO_ANSWER)
        elif not reported.verified:
            self.refuse([asked], reported.message or NOT_SET)
        else:
            self._tell(asked, _with_place(bound(asked), reported))

    def _tell(self, asked: Breakpoint, now: Breakpoint) -> None:
        if now != asked:
            self._known.publish(now, origin="adapter")


def _with_place(found: Breakpoint, reported: AdapterBreakpoint) -> Breakpoint:
    if reported.source is None or not reported.source.path or not reported.line:
        return found
    place = Place(
        reported.source.path,
        reported.line,
        reported.column or 1,
        address=parse_reference(reported.instruction_reference),
    )
    if place in found.places:
        return found  # only one of several
    return msgspec.structs.replace(found, places=(place,), path=place.path, line=place.line)


FOR_EACH = 0.02
"""Seconds of timeout for each breakpoint of a list, beside the usual ones of a reply."""


class FileLists:
    """The adapter's breakpoint lists of one session's files."""

    def __init__(
        self,
        session: Session,
        known: KnownBreakpoints,
        *,
        probing: ProbeBinding,
        answers: Answers,
        temporary: TemporaryStops,
        resend: Resend,
    ) -> None:
        self._session = session
        self._known = known
        self._probing = probing
        self._answers = answers
        self._temporary = temporary
        self._resend = resend
        self._locks: dict[str, asyncio.Lock] = {}
        self._turns: dict[str, asyncio.Task[None]] = {}
        """By file: the one whose list is not put together yet."""
        self._told: dict[str, dict[str, Any]] = {}
        """The arguments last sent to the adapter for each file."""

    def forget(self) -> None:
        """Forget the lists: the adapter is gone."""
        self._told.clear()

    async def synchronise(self, path: str) -> None:
        """Send one file's whole list and merge the reply; one at a time for each file.

        Changes that come before the list is put together share one request. Does nothing without
        an adapter, and gives up quietly when the adapter dies meanwhile: the session reports that,
        and the intent stays.
        """
        if not self._session.profile.sources.takes(path):
            return  # of another language; it may be for another program
        turn = self._turns.get(path)
        if turn is None or turn.done():
            turn = self._turns[path] = asyncio.create_task(self._take_turn(path))
        await asyncio.shield(turn)  # a caller that goes away leaves the others theirs

    async def _take_turn(self, path: str) -> None:
        async with self._locks.setdefault(path, asyncio.Lock()):
            del self._turns[path]  # what changes from here on needs another one
            path = await self._find_source(path)
            await refuse_lines_without_code(self._session, self._known, path)
            if not self._session.adapter.is_configurable:
                return
            try:
                await self._probing.put(self._wanted(path))
                refuse_conditions(self._session, self._known, path)
                while await self._send(path):
                    pass
            except AdapterError as error:
                for found in self._known.registry.of_file(path):
                    if found.status is BreakpointStatus.PENDING and self._known.is_wanted(found):
                        told = msgspec.structs.replace(found, message=str(error))
                        self._known.publish(told, origin="adapter")

    def sends_condition(self, found: Breakpoint) -> bool:
        """True if the adapter was asked to evaluate its condition; else the session has to.

        An adapter accepts one breakpoint a line: where there are several, it has none of their
        conditions.
        """
        if found.kind is not BreakpointKind.LINE:
            return True
        of_line = [b for b in self._wanted(found.path) if found.line in lines_of(b, found.path)]
        return len(of_line) <= 1 and self._temporary.lines.get(found.path) != found.line

    async def _find_source(self, path: str) -> str:
        """Return the program's full path of a file given by name only."""
        native = self._session.profile.native
        if native is None or not self._session.adapter.is_configurable or Path(path).exists():
            return path
        ask = self._session.adapter.request
        try:
            found = await native.find_source(ask, path)
            found = found or await native.find_source(ask, Path(path).name)
        except AdapterError:
            return path
        if len(found) != 1 or found[0] == path:
            return path
        for each in self._known.registry.of_file(path):
            if each.kind is BreakpointKind.LINE:
                moved = msgspec.structs.replace(each, path=found[0])
                self._known.publish(moved, origin="adapter")
        return found[0]

    def _wanted(self, path: str) -> list[Breakpoint]:
        profile = self._session.profile
        of_file = [b for b in self._known.registry.of_file(path) if listed_files_of(b, profile)]
        wanted = [b for b in of_file if self._known.is_wanted(b)]
        return [b for b in wanted if b.status is not BreakpointStatus.REFUSED]

    async def _send(self, path: str) -> bool:
        """Send the list once; True if one was refused and the rest must be sent again."""
        session = self._session
        by_line: dict[int, list[Breakpoint]] = {}
        for found in self._wanted(path):
            for line in lines_of(found, path):
                by_line.setdefault(line, []).append(found)  # an adapter accepts one a line
        temporary = self._temporary.lines.get(path)
        wanted = list(by_line.items())
        # Run to cursor stops there whatever the condition on that line.
        sent = [self._as_sent(group, line, always=line == temporary) for line, group in wanted]
        if temporary is not None and temporary not in by_line:
            sent.append({"line": temporary})
        await prepare_template(session, path)
        arguments: dict[str, Any] = {"source": {"path": path}, "breakpoints": sent}
        if session.facts.has_changed(path):
            arguments["sourceModified"] = True
        if session.profile.breakpoints.answers_news_only and self._told.get(path) == arguments:
            return False
        self._told[path] = arguments
        try:
            adapter = session.adapter
            await take_back(adapter, self._resend, "setBreakpoints", path, arguments)
            limit = DEFAULT_TIMEOUT + len(sent) * FOR_EACH
            answer = await adapter.request(
                "setBreakpoints", arguments, into=BreakpointsBody, timeout=limit
            )
        except RequestFailed:
            if "sourceModified" not in arguments:
                raise
            self._tell_stale(path)
            return False
        again = False
        for index, (line, group) in enumerate(wanted):
            reported = answer.breakpoints[index] if index < len(answer.breakpoints) else None
            for asked in group:
                again |= await self._answers.merge(asked, path, line, reported)
        if temporary is not None:
            lines = [line for line, _ in wanted]
            again |= self._merge_temporary(path, lines, temporary, answer.breakpoints)
        return again

    def _tell_stale(self, path: str) -> None:
        """Report an edited source: the adapter has the old lines and keeps its breakpoints."""
        for found in self._wanted(path):
            stale = msgspec.structs.replace(found, message=STALE)
            if stale != found:
                self._known.publish(stale, origin="adapter")

    def _as_sent(self, group: list[Breakpoint], line: int, *, always: bool) -> dict[str, Any]:
        sent: dict[str, Any] = {"line": line}
        first = group[0]
        column = next((b.column for b in group if b.column is not None), None)
        if column is not None:
            sent["column"] = column
        probe = self._session.profile.probe
        if self._session.probe.is_there and probe is not None:
            conditions = {b.number: b.condition for b in group}
            sent["condition"] = probe.mark_condition(conditions, always=always)
        elif len(group) == 1 and not always:
            if first.condition:
                sent["condition"] = first.condition
            if message := self._log_message(first):
                sent["logMessage"] = message
        return sent

    def _log_message(self, found: Breakpoint) -> str:
        """Return the message for the adapter itself to log, where that is better."""
        session = self._session
        log_points = session.profile.breakpoints.log_points
        capabilities = session.adapter.capabilities
        if found.stops or log_points is None or not capabilities.supports_log_points:
            return ""
        parts = split_log_message(found.log_message, session.profile.language)
        return log_points.message(found.number, [p.expression for p in parts if p.expression])

    def _merge_temporary(
        self, path: str, lines: list[int], line: int, answers: list[AdapterBreakpoint]
    ) -> bool:
        index = lines.index(line) if line in lines else len(lines)
        answer = answers[index] if index < len(answers) else None
        is_possible = answer is not None and (
            answer.verified or is_late(self._session.profile, answer.message)
        )
        if answer is None or not is_possible or answer.line not in (None, line):
            self._temporary.lines.pop(path, None)
            return answer is not None and answer.verified
        if answer.id is not None:
            self._temporary.adapter_ids.add(answer.id)
        return False


def listed_files_of(found: Breakpoint, profile: AdapterProfile) -> set[str]:
    """Return the files with it in their lists; some adapters get functions separately."""
    is_apart = found.kind is BreakpointKind.FUNCTION and not profile.sources.finds_functions
    return set() if is_apart else files_of(found)
