"""The state of a program in one bounded answer, in place of five calls.

Each list has a cap and the number of omitted items; the whole answer has a cap, too, and its least
important parts are cut first.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePath

import msgspec

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.refusals import cut, plain
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.operations import table
from tuidbg.api.operations.views import (
    REDACTED_SOURCE,
    VariableView,
    shows_source,
    view_breakpoint,
    view_frame,
    view_output,
    view_record,
    view_report,
    view_stop,
    view_variable,
)
from tuidbg.config.files import read_text
from tuidbg.lines import split_lines
from tuidbg.session.core.control import StepResult
from tuidbg.session.core.session import Session
from tuidbg.session.core.values.types import ChildrenRequest, VariableNode
from tuidbg.session.features.autopsy import (
    AutopsyFrame,
    AutopsyReport,
    AutopsyVariable,
    FrameVariables,
)
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import BreakpointNotFound, DebuggerError
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointStatus,
    Frame,
    OutputLine,
    Status,
    Stop,
    StopReason,
    TraceRecord,
    Variable,
    VariableKind,
)

_PREFIXES = ("bp-", "tp-", "ex-")


def wire_id(found: Breakpoint) -> str | int:
    """Return the breakpoint id for agents."""
    if found.exception is not None:
        return f"ex-{found.uuid}"
    return f"tp-{found.uuid}" if found.trace else found.number


def find_breakpoint(session: Session, asked: int | str) -> Breakpoint:
    """Find a breakpoint by its id. Raises BreakpointNotFound."""
    text = str(asked).strip()
    if text.isascii() and text.isdigit():
        return session.breakpoints.registry.get(int(text))
    if text.startswith(_PREFIXES):
        rest = text[3:]
        for each in session.breakpoints.registry:
            if each.uuid == rest or (rest.isdigit() and each.number == int(rest)):
                return each
    raise UnknownId(text)


class UnknownId(BreakpointNotFound):
    """An id without a breakpoint."""

    def __init__(self, text: str) -> None:
        super().__init__(0)
        self.args = (f"there is no breakpoint {text}",)


def tell_place(found: Breakpoint) -> Payload | None:
    """Return file and line; None without a file."""
    return {"file": found.path, "line": found.line} if found.path else None


def describe_state(found: Breakpoint, *, is_told_apart: bool = True) -> str:
    """Return pending, bound or disabled; never disabled beside a field ``enabled``."""
    if is_told_apart and not found.enabled:
        return "disabled"
    return "bound" if found.status is BreakpointStatus.SET else "pending"


def tell_listed(found: Breakpoint) -> Payload:
    """Render an entry of the list."""
    seen = view_breakpoint(found)
    told: Payload = {
        "id": wire_id(found),
        "verified": seen.is_set,
        "enabled": seen.enabled,
        "file": seen.path or None,
        "line": seen.line or None,
        "hit_count": seen.hits,
        "condition": seen.condition or None,
    }
    if found.exception is not None:
        told |= {"type": "exception", "exception_type": seen.exception_type or "any"}
    elif seen.is_trace:
        told["type"] = "tracepoint"
    if seen.function:
        told["function"] = seen.function
    told |= {"hit_condition": seen.hit_condition} if seen.hit_condition else {}
    if seen.log_message:
        told["log_message"] = seen.log_message
    if seen.message:
        told["message"] = seen.message
    if seen.errors:
        told["condition_errors"] = seen.errors
    return told


def tell_exception_rule(found: Breakpoint) -> Payload:
    """Render an exception breakpoint."""
    rule = found.exception
    assert rule is not None
    return {
        "id": wire_id(found),
        "exceptionType": rule.type,
        "breakOnFirstChance": rule.raised,
        "breakOnSecondChance": rule.uncaught,
        "includeSubtypes": rule.subtypes,
        "enabled": found.enabled,
        "verified": found.status is BreakpointStatus.SET,
        "hitCount": found.hits,
    }


def tell_report(report: AutopsyReport) -> Payload:
    """Render a whole report."""
    report = view_report(report)
    return {
        "threadId": report.thread_id,
        "exception": {
            "type": report.exception.type,
            "message": report.exception.message,
            "isFirstChance": report.is_first_chance,
            "stackTraceString": report.stack_trace,
        },
        "innerExceptions": [
            {"type": each.type, "message": each.message, "depth": each.depth}
            for each in report.inner_exceptions
        ],
        "innerExceptionsTruncated": report.inner_exceptions_truncated,
        "frames": [_tell_frame(frame) for frame in report.frames],
        "totalFrames": report.total_frames,
        "throwingFrameIndex": report.throwing_frame_index,
    }


def _tell_frame(frame: AutopsyFrame) -> Payload:
    line = frame.location
    location = None
    if line is not None:
        location = {
            "file": line.place.path,
            "line": line.place.line,
            "column": line.column or line.place.column,
            "functionName": frame.function,
            "moduleName": frame.module,
        }
    arguments = frame.arguments
    return {
        "index": frame.index,
        "function": frame.function,
        "module": frame.module,
        "isExternal": frame.is_external,
        "location": location,
        "arguments": None if arguments is None else [_tell_variable(each) for each in arguments],
        "variables": None if frame.variables is None else _tell_variables(frame.variables),
    }


def _tell_variables(variables: FrameVariables) -> Payload:
    told: Payload = {
        "locals": [_tell_variable(each) for each in variables.locals],
        "errors": None,
    }
    if variables.errors is not None:
        told["errors"] = [{"name": e.name, "error": e.problem} for e in variables.errors]
    if variables.left_out:
        told["leftOut"] = variables.left_out
    return told


def _tell_variable(variable: AutopsyVariable) -> Payload:
    told: Payload = {
        "name": variable.name,
        "type": variable.type,
        "value": variable.value,
        "scope": variable.scope,
        "hasChildren": variable.has_children,
    }
    if variable.children_count is not None:
        told["childrenCount"] = variable.children_count
    return told


_REASONS = {StopReason.ENTRY: "entry_point"}

_STATES = {
    Status.CREATED: "not_attached",
    Status.LAUNCHING: "running",
    Status.RUNNING: "running",
    Status.PAUSED: "stopped",
    Status.TERMINATED: "exited",
    Status.FAILED: "exited",
}


def tell_state(member: HubSession) -> str:
    """Return running, stopped, exited or not_attached."""
    return _STATES[member.session.status]


def tell_reason(reason: StopReason) -> str:
    """Return the stop reason."""
    return _REASONS.get(reason, reason.value)


def name_process(member: HubSession) -> Payload:
    """Identify a process: ``debug_state`` with its session_id selects it."""
    return {"session_id": member.id, "name": member.name, "pid": member.pid}


def tell_where(outcome: StepResult) -> Payload:
    """Return reason and location of a stop, in one line each; empty without a stop."""
    stop = outcome.stop
    if stop is None:
        return {}
    reason = stop.other_reason or tell_reason(stop.reason)
    told: Payload = {"stop_reason": reason, "thread_id": stop.thread_id}
    if stop.hit_breakpoints:
        told["breakpoint_ids"] = list(stop.hit_breakpoints)
    place = outcome.frame.place if outcome.frame is not None else None
    if place is not None:
        told["location"] = {"file": place.path, "line": place.line}
    return told


async def tell_others(agent: Agent, member: HubSession) -> Payload:
    """Return the program's other processes, if any, and where they are."""
    others = [each for each in agent.processes(member) if each is not member]
    most = agent.limits.items
    told = [
        {
            **name_process(each),
            "state": tell_state(each),
            **tell_where(await each.control.where()),
        }
        for each in others[:most]
    ]
    if not told:
        return {}
    more = {"more_processes": len(others) - most} if len(others) > most else {}
    return {"processes": told, **more}


def take_logged(agent: Agent, member: HubSession) -> Payload:
    """Return the newest log point output since the last call, of all processes."""
    told: list[tuple[float, Payload]] = []
    for process in agent.processes(member):
        breakpoints = process.session.breakpoints.registry
        for record in agent.take_logged(process.session):
            found = breakpoints.look_up(record.breakpoint)
            entry: Payload = {
                "breakpoint_id": wire_id(found) if found is not None else record.breakpoint,
                "hit_count": record.count,
                "text": cut(view_record(record).text, agent.limits.value),
            }
            if process is not member:
                entry["process"] = process.name
            told.append((record.time, entry))
    if not told:
        return {}
    told.sort(key=lambda each: each[0])
    most = agent.limits.items
    logged: Payload = {"logged": [entry for _, entry in told[-most:]]}
    if len(told) > most:
        logged["logged_left_out"] = len(told) - most
    return logged


def describe_record(record: TraceRecord) -> str:
    """Format a line of a log point or tracepoint."""
    return f"{PurePath(record.path).name}:{record.line}: {view_record(record).text}"


OF_PROGRAM = ("terminal", "stdout", "stderr")
"""Categories of the program's own output."""

_NOISE = (VariableKind.CALLABLE, VariableKind.CLASS, VariableKind.MODULE, VariableKind.SPECIAL)
"""Kinds of locals that are not data; ``variables_get`` lists them."""

LOCALS_OF = 2
"""Number of frames with locals."""

OBJECTS, ATTRIBUTES = 6, 8
"""Number of a frame's locals with attributes, and of attributes of each."""

_SAYS_NOTHING = re.compile(r"<[\w.<>]+ object at 0x[0-9a-fA-F]+>$")
"""The default ``repr`` of a class."""


async def take_snapshot(agent: Agent, member: HubSession) -> Payload:
    """Report the current state; of a stop: location, source, stack, locals and output."""
    outcome = await table.READ_SESSION(member.control)
    session = member.session
    told: Payload = {"session_id": member.id, "state": tell_state(member)}
    if session.status is Status.FAILED:
        told["message"] = session.failure
    if outcome.stop is not None:
        told |= await _tell_stop(agent, member, outcome, outcome.stop)
    elif session.exit is not None:
        told["exit_code"] = session.exit.code
        if session.exit.signal:
            told["signal"] = session.exit.signal
    told |= take_logged(agent, member)
    told |= tell_new_output(agent, member)
    return bound(agent, told)


async def _tell_stop(agent: Agent, member: HubSession, outcome: StepResult, stop: Stop) -> Payload:
    seen = view_stop(stop)
    told: Payload = {
        "reason": stop.other_reason or tell_reason(seen.reason),
        "thread_id": seen.thread_id,
    }
    if seen.hit_breakpoints:
        told["breakpoint_ids"] = list(seen.hit_breakpoints)
    if seen.wording.problem:
        told["problem"] = seen.wording.problem
    if seen.exception is not None:
        told["exception"] = {
            "type": seen.exception.type,
            "message": cut(seen.exception.message, agent.limits.value),
        }
    if outcome.frame is None:
        return told
    told["location"] = tell_location(outcome.frame)
    told["source"] = await asyncio.to_thread(read_around, outcome.frame, agent.limits.source)
    frames, total = await _stack(member, stop, agent.limits.frames)
    told["stack"] = [tell_frame(frame) for frame in frames]
    if total > len(frames):
        told["more_frames"] = total - len(frames)
    told["locals"] = await _tell_locals(agent, member, frames)
    return told


async def _stack(member: HubSession, stop: Stop, most: int) -> tuple[tuple[Frame, ...], int]:
    try:
        return await member.session.inspection.stack(stop.thread_id, 0, most)
    except DebuggerError:
        frames = member.session.frames[:most]
        return frames, len(member.session.frames)


async def _tell_locals(
    agent: Agent, member: HubSession, frames: tuple[Frame, ...]
) -> list[Payload]:
    """Render the locals of the user's top frames."""
    told: list[Payload] = []
    session = member.session
    own = [f for f in frames if f.place is not None and not session.sources.is_hidden(f.place.path)]
    for frame in (own or list(frames))[:LOCALS_OF]:
        try:
            variables, total = await read_locals(member, frame, 0, agent.limits.items)
        except DebuggerError as error:
            told.append({"frame": frame.index, "problem": str(error)})
            continue
        data = [variable for variable in variables if not is_noise(variable)]
        entry: Payload = {"frame": frame.index, "function": frame.name}
        inside = await _read_attributes(agent, member, frame, data)
        entry["variables"] = [
            tell_brief(variable, agent.limits.value) + inside.get(variable.name, "")
            for variable in data
        ]
        if total > len(variables):
            entry["more"] = total - len(variables)
        told.append(entry)
    return told


async def _read_attributes(
    agent: Agent, member: HubSession, frame: Frame, variables: Sequence[Variable]
) -> dict[str, str]:
    """Read the attributes, one level deep, of locals with an uninformative value."""
    if not agent.shows_attributes:
        return {}
    mute = [each for each in variables if each.reference and _SAYS_NOTHING.match(each.value)]
    shown = {
        each.name: ChildrenRequest(count=ATTRIBUTES) for each in mute[:OBJECTS] if _may_open(each)
    }
    if not shown:
        return {}
    wanted = {"Locals": ChildrenRequest(count=agent.limits.items, children=shown)}
    try:
        nodes = await member.session.values.look(frame.id, wanted)
    except DebuggerError:
        return {}
    found = [node for scope in nodes for node in scope.children or () if node.children]
    return {node.variable.name: _tell_attributes(node, agent.limits.value) for node in found}


def _may_open(variable: Variable) -> bool:
    """Whether the caller may see its children."""
    return bool(view_variable(variable).reference)


def _tell_attributes(node: VariableNode, most: int) -> str:
    own = [each.variable for each in node.children or ()]
    own = [each for each in own if each.kind is VariableKind.PLAIN and not is_noise(each)]
    return f" {{{', '.join(tell_brief(each, most // 4) for each in own)}}}" if own else ""


def is_noise(variable: Variable) -> bool:
    """Whether a local is not data."""
    is_dunder = variable.name.startswith("__") and variable.name.endswith("__")
    return is_dunder or variable.kind in _NOISE


async def read_locals(
    member: HubSession, frame: Frame, start: int, count: int, scope: str = "Locals"
) -> tuple[tuple[Variable, ...], int]:
    """Read a page of a frame's scope, and the total. Raises DebuggerError."""
    wanted = {scope: ChildrenRequest(start=start, count=count)}
    for node in await member.session.values.look(frame.id, wanted):
        if node.variable.name == scope or (scope == "Locals" and node.children is not None):
            children = node.children or ()
            page = children[start - node.start :][:count]
            return tuple(child.variable for child in page), node.total or len(children)
    return (), 0


def tell_location(frame: Frame) -> Payload:
    """Return file, line, column, function and module of a frame."""
    place = frame.place
    return {
        "file": place.path if place is not None else None,
        "line": place.line if place is not None else 0,
        "column": place.column if place is not None else 0,
        "function": frame.name,
        "module": frame.module or None,
    }


def tell_frame(frame: Frame) -> Payload:
    """Render an entry of the stack."""
    seen = view_frame(frame)
    told: Payload = {"index": seen.index, "function": seen.name}
    if seen.place is not None:
        told |= {"file": seen.place.path, "line": seen.place.line}
    if seen.remark:
        told["remark"] = seen.remark
    return told


def tell_brief(variable: Variable, most: int) -> str:
    """Format ``name = value``, cut."""
    seen = view_variable(variable)
    size = f" ({seen.size})" if seen.size else ""
    return f"{seen.name} = {tell_value(seen, most)}{size}"


def tell_value(seen: VariableView, most: int) -> str:
    """Cut a value; the full length of one already cut in the program is unknown."""
    value = seen.shown
    if seen.truncated and len(value) > most:
        return f"{value[:most]}…"
    return cut(value, most)


def tell_variable(variable: Variable, most: int) -> Payload:
    """Render a variable with its type and, if it has children, their number."""
    seen = view_variable(variable)
    told: Payload = {
        "name": seen.name,
        "value": tell_value(seen, most),
        "type": seen.type,
    }
    if seen.size:
        told["size"] = seen.size
    if seen.reference and seen.evaluate_name:
        told["expand"] = seen.evaluate_name
    return told


def read_new_output(
    agent: Agent, session: Session, categories: Collection[str]
) -> tuple[list[OutputLine], str]:
    """Return the agent's unread output as lines and as text."""
    after = agent.output_read(session)
    lines = [x for x in session.output if x.number > after and x.category in categories]
    return lines, plain("\n".join(view_output(x.text, is_secret=x.is_secret) for x in lines))


def tell_new_output(agent: Agent, member: HubSession) -> Payload:
    """Return the end of the output since the agent last read it."""
    _, text = read_new_output(agent, member.session, OF_PROGRAM)
    if not text:
        return {}
    most = agent.limits.output
    shown = text[-most:]
    told: Payload = {"output": view_output(shown)}
    if len(text) > len(shown):
        told["output_left_out"] = len(text) - len(shown)
    return told


def read_around(frame: Frame, context: int) -> list[str]:
    """Read the lines around the current one, numbered; blocking."""
    if not shows_source():
        return list(REDACTED_SOURCE)
    if frame.place is None or frame.place.reference:
        return []
    try:
        lines = split_lines(read_text(frame.place.path, errors="replace"))
    except OSError:
        return []
    return mark_lines(lines, frame.place.line, context)


def mark_lines(lines: list[str], line: int, context: int) -> list[str]:
    """Number the lines around one and mark it."""
    first, last = max(1, line - context), min(len(lines), line + context)
    width = len(str(last))
    return [
        f"{'->' if number == line else '  '} {number:{width}} {cut(lines[number - 1], 160)}"
        for number in range(first, last + 1)
    ]


_DROPPED_FIRST = ("source", "output", "logged", "stack", "locals", "last_changes")
"""Parts omitted from a too long answer, in this order; each has a tool of its own."""

_ASK = {
    "source": "debugger://source",
    "output": "process_read_output",
    "logged": "process_read_output, stream log",
    "stack": "stacktrace_get",
    "locals": "variables_get",
    "last_changes": "why",
}


def bound(agent: Agent, told: Payload, ask: Mapping[str, str] = _ASK) -> Payload:
    """Cut an answer to its limit; omitted parts are listed with their tools."""
    left_out: list[str] = []
    most = agent.limits.reply
    for key in _DROPPED_FIRST:
        if size_of(told) <= most:
            break
        if key not in told:
            continue
        told = _halve(told, key, most)
        if size_of(told) > most:
            told = {name: value for name, value in told.items() if name != key}
        left_out.append(f"{key}: {agent.fit_hint(ask[key])}")
    return {**told, "left_out": left_out} if left_out else told


def _halve(told: Payload, key: str, most: int) -> Payload:
    """Shorten one entry until the answer fits or nearly nothing is left of it."""
    value = told[key]
    while size_of({**told, key: value}) > most and len(value) > 1:
        value = (
            value[len(value) // 2 :] if key in ("output", "logged") else value[: len(value) // 2]
        )
    return {**told, key: value}


def size_of(told: Payload) -> int:
    """Return the length as JSON."""
    return len(msgspec.json.encode(told))
