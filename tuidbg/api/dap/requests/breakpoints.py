"""Requests that set breakpoints of all kinds."""

from __future__ import annotations

import asyncio
import os.path
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import msgspec

from tuidbg.api.dap.arguments import (
    BreakpointLocationsArguments,
    DataBreakpoint,
    DataBreakpointInfoArguments,
    ExceptionOptions,
    FilterOptions,
    SetBreakpointsArguments,
    SetDataBreakpointsArguments,
    SetExceptionBreakpointsArguments,
    SetFunctionBreakpointsArguments,
    SetInstructionBreakpointsArguments,
    SourceArgument,
    SourceBreakpoint,
    ThreadArguments,
)
from tuidbg.api.dap.client import ORIGIN, DapClient
from tuidbg.api.dap.event_writer import Asked, KnownToClient
from tuidbg.api.dap.references import BadRequest
from tuidbg.api.dap.requests.inspection import frame_of
from tuidbg.api.operations import table
from tuidbg.api.operations.execution import code_of
from tuidbg.api.operations.views import view_exception, view_report
from tuidbg.config.files import read_source
from tuidbg.dap.types import BreakpointLocationsBody, parse_reference
from tuidbg.lines import split_lines
from tuidbg.session.core.breakpoints.kinds import locations as functions
from tuidbg.session.core.breakpoints.kinds.data import find_or_make
from tuidbg.session.core.breakpoints.store import BreakpointSettings, check_settings
from tuidbg.session.features.autopsy import Autopsy, ExceptionPart
from tuidbg.session.model.errors import DebuggerError, InvalidSetting, UnsupportedByAdapter
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    DataAccess,
    ExceptionRule,
    StopReason,
)

if TYPE_CHECKING:
    from tuidbg.adapters.languages import Language

Json = dict[str, Any]


_OVERRIDDEN = "another one at the same place comes later in the list, and counts"


class ClientBreakpoint(msgspec.Struct, frozen=True):
    """An entry of a client's list. ``key`` is its place; ``make`` creates a breakpoint there.

    ``problem`` is the reason why it can't be set, if already known.
    """

    key: Hashable
    asked: Asked
    make: Callable[[], Breakpoint]
    problem: str = ""


async def replace_list(
    client: DapClient,
    entries: Sequence[ClientBreakpoint],
    existing: dict[Hashable, Breakpoint],
    language: Language,
    *,
    ask_again: bool = False,
) -> list[Json]:
    """Replace the client's ``existing`` breakpoints by a list; return a response for each entry.

    ``ask_again`` sends the unchanged ones to the adapter again, too.
    """
    known = _known(client)
    entries = _last_of_each_place([_checked(entry, language) for entry in entries])
    _demand(client, entries, known, existing)
    wanted = {entry.key: entry for entry in entries if not entry.problem}
    changes: list[tuple[Breakpoint, BreakpointSettings]] = []
    numbers: dict[Hashable, int] = {}
    for key, entry in wanted.items():
        found = existing.get(key)
        if found is None:
            try:
                found = entry.make()
            except DebuggerError as error:
                entries = [_with_problem(e, str(error)) if e.key == key else e for e in entries]
                continue
            changes.append((found, _settings(entry.asked)))
        else:
            before = known.asked.get(found.number, Asked())
            settings = _difference(before, entry.asked)
            if settings or ask_again or found.status is BreakpointStatus.REFUSED:
                changes.append((found, settings))
        numbers[key] = found.number
    gone = [
        found
        for key, found in existing.items()
        if key not in wanted and known.may_replace(found.number)
    ]
    own: set[int] = set(numbers.values()) | {found.number for found in gone}
    changing = client.session.breakpoints.changing
    with known.changing(own):
        if changes or gone:
            await table.REPLACE_BREAKPOINTS(changing, changes, gone, origin=client.caller.origin)
        for found in gone:
            known.forget(found.number)
        return [_answer_list(client, entry, numbers.get(entry.key)) for entry in entries]


def _known(client: DapClient) -> KnownToClient:
    assert client.teller is not None
    return client.teller.known


def _checked(entry: ClientBreakpoint, language: Language) -> ClientBreakpoint:
    if entry.problem:
        return entry
    problems = check_settings(_settings(entry.asked), language)
    return _with_problem(entry, next(iter(problems.values()))) if problems else entry


def _last_of_each_place(entries: Sequence[ClientBreakpoint]) -> list[ClientBreakpoint]:
    """Mark all but the last of differing entries at a place: there is one breakpoint per place."""
    last = {entry.key: entry for entry in entries if not entry.problem}
    return [
        _with_problem(entry, _OVERRIDDEN)
        if not entry.problem and entry.asked != last[entry.key].asked
        else entry
        for entry in entries
    ]


def _with_problem(entry: ClientBreakpoint, problem: str) -> ClientBreakpoint:
    return msgspec.structs.replace(entry, problem=problem)


def _demand(
    client: DapClient,
    entries: Iterable[ClientBreakpoint],
    known: KnownToClient,
    existing: dict[Hashable, Breakpoint],
) -> None:
    """Check that code in conditions and messages may run. Raises ScopeMissing."""
    texts: list[str] = []
    for entry in entries:
        found = existing.get(entry.key)
        if found is None or known.asked.get(found.number) != entry.asked:
            texts += code_of(_settings(entry.asked))
    session_id = client.member.id
    client.place.gate.demand_code(client.caller, "setBreakpoints", session_id, texts)


def _settings(asked: Asked) -> BreakpointSettings:
    return {
        "condition": asked.condition,
        "hit_condition": asked.hit_condition,
        "log_message": asked.log_message,
        "column": asked.column,
        "enabled": True,
    }


def _difference(before: Asked, now: Asked) -> BreakpointSettings:
    """Return the client's own changes; other settings stay as other clients left them."""
    settings: BreakpointSettings = {}
    if now.condition != before.condition:
        settings["condition"] = now.condition
    if now.hit_condition != before.hit_condition:
        settings["hit_condition"] = now.hit_condition
    if now.log_message != before.log_message:
        settings["log_message"] = now.log_message
    if now.column != before.column:
        settings["column"] = now.column
    return settings


def _answer_list(client: DapClient, entry: ClientBreakpoint, number: int | None) -> Json:
    found = None
    if number is not None and not entry.problem:
        found = client.session.breakpoints.registry.look_up(number)
    if found is None:
        why = entry.problem or "somebody else has deleted it meanwhile"
        return {"verified": False, "message": why}
    return _known(client).answer(found, entry.asked)


MOST = 20_000
"""Maximum number of breakpoints in one list."""


def path_of(client: DapClient, source: SourceArgument) -> str:
    """Return the local path of a source. Raises BadRequest without one."""
    path = source.path
    if not path:
        raise BadRequest("the source has no path")
    if client.traits.path_format == "uri" or path.startswith("file://"):
        path = unquote(urlsplit(path).path)
    return os.path.normpath(Path(client.place.cwd, path))


class SourceBreakpoints:
    """Line, function and instruction breakpoints of one client."""

    def __init__(self, client: DapClient) -> None:
        self._client = client

    async def set_lines(self, asked: SetBreakpointsArguments) -> Json:
        """Replace the breakpoints of one source; return one response for each, in order."""
        client, session = self._client, self._client.session
        path = path_of(client, asked.source)
        listed = asked.breakpoints
        if listed is None:
            listed = [SourceBreakpoint(line=line) for line in asked.lines or ()]
        _check_length(listed)
        is_modified = asked.source_modified is True
        if is_modified and session.profile.sources.are_compiled and session.adapter.is_configurable:
            raise BadRequest(
                "the program was built of this source as it was: build it again, and restart"
            )
        if is_modified and session.running_sources.is_older(path):
            raise BadRequest(
                "the program runs this source as it was before the change: restart it, and its"
                " breakpoints are set in the new lines"
            )
        if is_modified:
            await session.breakpoints.source_changed(path)
        text = None
        if any(each.column is not None for each in listed):
            text = await asyncio.to_thread(read_source, path)
        lines = split_lines(text) if text is not None else None
        entries = [self._line_entry(path, each, lines) for each in listed]
        language = session.facts.language_of(path)
        existing: dict[Hashable, Breakpoint] = {
            found.line: found
            for found in session.breakpoints.registry.of_file(path)
            if found.kind is BreakpointKind.LINE and found.path == path
        }
        answers = await replace_list(client, entries, existing, language, ask_again=is_modified)
        return {"breakpoints": answers}

    def _line_entry(
        self, path: str, each: SourceBreakpoint, lines: Sequence[str] | None
    ) -> ClientBreakpoint:
        client = self._client
        known = client.session.breakpoints.known
        line = client.line_in(each.line)
        asked = Asked(
            condition=each.condition or "",
            hit_condition=each.hit_condition or "",
            log_message=each.log_message or "",
            column=client.column_in(each.column) if each.column is not None else None,
        )
        problem = "" if line >= 1 else "there is no such line"
        if asked.column is not None and lines is not None and 1 <= line <= len(lines):
            width = len(lines[line - 1])
            if not 1 <= asked.column <= width + 1:
                problem = f"line {line} has no column {asked.column}: it is {width} characters long"
        make = partial(known.make, BreakpointKind.LINE, ORIGIN, path=path, line=line)
        return ClientBreakpoint(line, asked, make, problem)

    async def set_functions(self, asked: SetFunctionBreakpointsArguments) -> Json:
        """Replace the function breakpoints."""
        client, session = self._client, self._client.session
        _check_length(asked.breakpoints)
        known, profile = session.breakpoints.known, session.profile
        entries = [
            ClientBreakpoint(
                each.name,
                Asked(condition=each.condition or "", hit_condition=each.hit_condition or ""),
                partial(functions.find_or_make_function, known, profile, each.name, ORIGIN),
            )
            for each in asked.breakpoints
        ]
        registry = session.breakpoints.registry
        of_kind = registry.of_kind(BreakpointKind.FUNCTION)
        existing: dict[Hashable, Breakpoint] = {found.function: found for found in of_kind}
        answers = await replace_list(client, entries, existing, profile.language)
        return {"breakpoints": answers}

    async def set_instructions(self, asked: SetInstructionBreakpointsArguments) -> Json:
        """Replace the instruction breakpoints."""
        client, session = self._client, self._client.session
        _check_length(asked.breakpoints)
        entries = []
        for each in asked.breakpoints:
            address = parse_reference(each.instruction_reference)
            place = None if address is None else address + (each.offset or 0)
            make = partial(
                session.breakpoints.known.make, BreakpointKind.ADDRESS, ORIGIN, address=place
            )
            settings = Asked(condition=each.condition or "", hit_condition=each.hit_condition or "")
            entries.append(
                ClientBreakpoint(place, settings, make, "" if place else "it is no address")
            )
        of_kind = session.breakpoints.registry.of_kind(BreakpointKind.ADDRESS)
        existing: dict[Hashable, Breakpoint] = {found.address: found for found in of_kind}
        answers = await replace_list(client, entries, existing, session.profile.language)
        return {"breakpoints": answers}

    async def locations(self, asked: BreakpointLocationsArguments) -> Json:
        """Return the lines of a range that can have a breakpoint."""
        client, session = self._client, self._client.session
        path = path_of(client, asked.source)
        first = client.line_in(asked.line)
        last = client.line_in(asked.end_line) if asked.end_line is not None else first
        lines = (await table.LIST_LINES(session.facts, path)).code_lines
        if not lines and session.adapter.capabilities.supports_breakpoint_locations_request:
            question = {"source": {"path": path}, "line": first, "endLine": last}
            body = await session.inspection.ask(
                "breakpointLocations", question, BreakpointLocationsBody, at_stop=False
            )
            lines = tuple(sorted({each.line for each in body.breakpoints}))
        found = [{"line": client.line_out(line)} for line in lines if first <= line <= last]
        return {"breakpoints": found}


def _check_length(listed: list[Any]) -> None:
    if len(listed) > MOST:
        raise BadRequest(f"a list of {len(listed)} breakpoints is over the limit of {MOST}")


_ACCESSES = {
    "read": DataAccess.READ,
    "write": DataAccess.WRITE,
    "readWrite": DataAccess.READ_WRITE,
}


class DataBreakpoints:
    """The data breakpoints of one client."""

    def __init__(self, client: DapClient) -> None:
        self._client = client
        self._watched: set[str] = set()

    async def info(self, asked: DataBreakpointInfoArguments) -> Json:
        """Return whether a variable or expression can be watched."""
        client, session = self._client, self._client.session
        expression = asked.name
        if asked.variables_reference:
            container = client.references.values.get(asked.variables_reference)
            found = container.children.get(asked.name)
            if found is not None:
                expression = found.evaluate_name or found.name
        try:
            session.changes.check(expression)
        except (InvalidSetting, UnsupportedByAdapter) as error:
            return {"dataId": None, "description": str(error)}
        is_native = session.adapter.capabilities.supports_data_breakpoints
        accesses = list(_ACCESSES) if is_native else ["write"]
        return {
            "dataId": expression,
            "description": expression,
            "accessTypes": accesses,
            "canPersist": False,
        }

    async def set(self, asked: SetDataBreakpointsArguments) -> Json:
        """Replace the data breakpoints."""
        session = self._client.session
        if session.adapter.capabilities.supports_data_breakpoints:
            return await self._set_native(asked.breakpoints)
        watched = {each.data_id for each in asked.breakpoints}
        for expression in self._watched - watched:
            await session.changes.ignore(expression)
        self._watched &= watched
        return {"breakpoints": [await self._watch(each) for each in asked.breakpoints]}

    async def _watch(self, each: DataBreakpoint) -> Json:
        client, session = self._client, self._client.session
        if each.condition or each.hit_condition:
            return _refused("a value that is watched takes no condition here")
        if session.changes.find(each.data_id) is None:
            _, _, frame_id = await frame_of(client, None)
            try:
                await table.WATCH_CHANGES(session.changes, each.data_id, frame_id, origin=ORIGIN)
            except DebuggerError as error:
                return _refused(str(error))
        self._watched.add(each.data_id)
        return {"verified": True}

    async def _set_native(self, listed: list[DataBreakpoint]) -> Json:
        client, session = self._client, self._client.session
        known = session.breakpoints.known
        entries = []
        for each in listed:
            if not each.data_id:
                raise BadRequest("a data breakpoint has no dataId")
            access = _ACCESSES[each.access_type or "write"]
            settings = Asked(
                condition=each.condition or "",
                hit_condition=each.hit_condition or "",
                access=access,
            )
            make = partial(find_or_make, known, each.data_id, access, ORIGIN)
            entries.append(ClientBreakpoint(each.data_id, settings, make))
        of_kind = session.breakpoints.registry.of_kind(BreakpointKind.DATA)
        existing: dict[Hashable, Breakpoint] = {found.data: found for found in of_kind}
        language = session.profile.language
        return {"breakpoints": await replace_list(client, entries, existing, language)}


def _refused(why: str) -> Json:
    return {"verified": False, "message": why}


_NOT_ALL_BUT = "types can be named, and not all types but some"

_MODES = ("never", "always", "unhandled", "userUnhandled")


class ExceptionRequests:
    """The exception breakpoints of one client.

    Its filters are added to those of other clients; it removes only its own.
    """

    def __init__(self, client: DapClient) -> None:
        self._client = client
        self._moments: frozenset[str] | None = None
        self._types: set[str] = set()

    async def set(self, asked: SetExceptionBreakpointsArguments) -> Json:
        """Replace the client's earlier exception breakpoints."""
        client, session = self._client, self._client.session
        exceptions = session.exceptions
        by_filter = {
            name: moment for moment, name in session.profile.exceptions.filter_names.items()
        }
        options = asked.filter_options or []
        wanted = [*asked.filters, *(each.filter_id for each in options if not each.condition)]
        if unknown := sorted(set(wanted) - by_filter.keys()):
            raise BadRequest(f"there is no exception filter {', '.join(unknown)}")
        moments = {by_filter[name] for name in wanted}
        chosen = asked.exception_options or []
        rules = {rule.type: rule for option in chosen for rule in _rules_of(option)}
        for option in chosen:
            moments |= _moments_of(option)
        before = self._moments
        if before is None:  # in its own session it was sent the defaults
            before = exceptions.filters if client.is_launcher else frozenset()
        self._moments = frozenset(moments)
        now = (exceptions.filters - before) | self._moments
        await table.STOP_AT_EXCEPTIONS(session.breakpoints, frozenset(now), origin=ORIGIN)
        problems = await self._set_rules(list(rules.values()))
        answers: list[Json] = [{"verified": True} for _ in asked.filters]
        answers += [_answer(each) for each in options]
        for option in chosen:
            named = (problems.get(name, "") for name in _names_of(option))
            problem = _NOT_ALL_BUT if _is_negated(option) else next(filter(None, named), "")
            answers.append({"verified": not problem} | ({"message": problem} if problem else {}))
        return {"breakpoints": answers}

    async def _set_rules(self, rules: list[ExceptionRule]) -> dict[str, str]:
        """Set rules for types and remove the earlier ones; return the problems by type."""
        breakpoints = self._client.session.breakpoints
        problems: dict[str, str] = {}
        for rule in rules:
            try:
                await table.SET_EXCEPTION(breakpoints, rule, origin=ORIGIN)
            except DebuggerError as error:
                problems[rule.type] = str(error)
        now = {rule.type for rule in rules} - problems.keys()
        for found in breakpoints.registry.of_kind(BreakpointKind.EXCEPTION):
            rule_type = found.exception.type if found.exception is not None else ""
            if rule_type in self._types - now:
                await table.REMOVE_BREAKPOINT(breakpoints, found.number, origin=ORIGIN)
        self._types = now
        return problems

    async def info(self, asked: ThreadArguments) -> Json:
        """Return the exception at which a thread is stopped."""
        session = self._client.session
        stop, found = session.stop, None
        if stop is not None and stop.thread_id == asked.thread_id:
            if stop.reason is not StopReason.EXCEPTION:
                raise BadRequest("the thread has not stopped at an exception")
            found = stop.exception
        if found is None:
            found = await table.DESCRIBE_EXCEPTION(session.inspection, asked.thread_id)
        view = view_exception(found)
        mode = view.break_mode if view.break_mode in _MODES else "always"
        details: Json = {"typeName": view.type, "message": view.message}
        if view.trace:
            details["stackTrace"] = view.trace
        if inner := await self._inner(asked.thread_id):
            details["innerException"] = inner
        body: Json = {"exceptionId": view.type, "breakMode": mode, "details": details}
        if view.message:
            body["description"] = view.message
        return body

    async def _inner(self, thread_id: int) -> list[Json]:
        """Return the causes of the exception, or the members of its group, each with its own."""
        session = self._client.session
        stop = session.stop
        if stop is None or stop.thread_id != thread_id or Autopsy.of(session).why_not():
            return []
        try:
            report = await table.EXAMINE_EXCEPTION(Autopsy.of(session))
        except DebuggerError:
            return []  # what is known of the exception itself is reported in any case
        return _details_of(view_report(report).exception)


def _details_of(part: ExceptionPart) -> list[Json]:
    """Return the chain of inner exceptions, nested; members of a group are siblings."""
    found = [_one(member) for member in part.members]
    below: list[Json] = []
    for each in reversed(part.inner):
        below = [_one(each, below)]
    return found + below


def _one(part: ExceptionPart, below: Sequence[Json] = ()) -> Json:
    body: Json = {"typeName": part.type, "message": part.message}
    if inner := [*_details_of(part), *below]:
        body["innerException"] = inner
    return body


def _answer(option: FilterOptions) -> Json:
    if not option.condition:
        return {"verified": True}
    return {"verified": False, "message": "exception filters take no condition here"}


def _names_of(option: ExceptionOptions) -> list[str]:
    """Return the type names: a path of one level means all types."""
    path = option.path or []
    return path[-1].names if len(path) > 1 else []


def _is_negated(option: ExceptionOptions) -> bool:
    return any(segment.negate for segment in option.path or ())


def _moments_of(option: ExceptionOptions) -> set[str]:
    if _is_negated(option) or _names_of(option) or option.break_mode == "never":
        return set()
    return {"always": {"raised"}, "unhandled": {"uncaught"}}.get(
        option.break_mode, {"user_uncaught"}
    )


def _rules_of(option: ExceptionOptions) -> list[ExceptionRule]:
    mode = option.break_mode
    if mode == "never" or _is_negated(option):
        return []
    return [
        ExceptionRule(
            type=name,
            raised=mode == "always",
            uncaught=mode == "unhandled",
            user_uncaught=mode == "userUnhandled",
        )
        for name in _names_of(option)
    ]
