"""Requests about exceptions: at which the program stops, and what is known of the present one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tuidbg.api.dap.arguments import (
    ExceptionOptions,
    FilterOptions,
    SetExceptionBreakpointsArguments,
    ThreadArguments,
)
from tuidbg.api.dap.client import ORIGIN, Client
from tuidbg.api.dap.refusals import BadRequest
from tuidbg.api.operations import table
from tuidbg.api.operations.reports import view_report
from tuidbg.api.operations.views import view_exception
from tuidbg.session.autopsy.report import ExceptionPart
from tuidbg.session.errors import DebuggerError
from tuidbg.session.state import BreakpointKind, ExceptionRule, StopReason

Json = dict[str, Any]

_NOT_ALL_BUT = "types can be named, and not all types but some"

_MODES = ("never", "always", "unhandled", "userUnhandled")


class ExceptionRequests:
    """The exceptions that one client stops at.

    Its filters are added to those of others; what it has asked for itself, it takes away again.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._moments: frozenset[str] | None = None
        self._types: set[str] = set()

    async def set(self, asked: SetExceptionBreakpointsArguments) -> Json:
        """Replace what this client has asked for before."""
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
        if before is None:  # of a session of its own, it was told the defaults
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
        """Set rules for types, and take away those of before; what is wrong, by the types."""
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
        """The exception at which a thread stands."""
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
        """Tells what led to it: its cause, or those of a group, each with its own."""
        session = self._client.session
        stop = session.stop
        if stop is None or stop.thread_id != thread_id or session.autopsy.why_not():
            return []
        try:
            report = await table.EXAMINE_EXCEPTION(session.autopsy)
        except DebuggerError:
            return []  # what is known of the exception itself is told all the same
        return _details_of(view_report(report).exception)


def _details_of(part: ExceptionPart) -> list[Json]:
    """The chain below an exception, each in the one before; members of a group in a row."""
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
    """The types: a path of one level means all."""
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
