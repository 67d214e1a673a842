"""Tells where a program stands, in one bounded answer: what an agent would ask five times.

Each list has a cap, and says how much was left out; the answer as a whole has one, too, and what it
tells least of all goes first.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence

import msgspec

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.text import cut, plain
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.mcp.tools.processes import take_logged, tell_reason, tell_state
from tuidbg.api.operations import table
from tuidbg.api.operations.views import (
    REDACTED_SOURCE,
    VariableView,
    shows_source,
    view_frame,
    view_output,
    view_stop,
    view_variable,
)
from tuidbg.config.regular_file import read_text
from tuidbg.lines import split_lines
from tuidbg.session.control import Outcome
from tuidbg.session.errors import DebuggerError
from tuidbg.session.serving.members import Member
from tuidbg.session.session import Session
from tuidbg.session.state import Frame, OutputLine, Status, Stop, Variable, VariableKind
from tuidbg.session.values.types import VariableNode, Wanted

OF_PROGRAM = ("terminal", "stdout", "stderr")
"""The categories of output that are the program's."""

_NOISE = (VariableKind.CALLABLE, VariableKind.CLASS, VariableKind.MODULE, VariableKind.SPECIAL)
"""Locals that say nothing of the data; ``variables_get`` tells them."""

LOCALS_OF = 2
"""Frames whose locals are told."""

OBJECTS, ATTRIBUTES = 6, 8
"""Locals of a frame whose attributes are told, and how many of each."""

_SAYS_NOTHING = re.compile(r"<[\w.<>]+ object at 0x[0-9a-fA-F]+>$")
"""The ``repr`` of a class that has none of its own."""


async def take_snapshot(agent: Agent, member: Member) -> Payload:
    """The session as it is now; where it stands, with place, source, stack, locals and output."""
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


async def _tell_stop(agent: Agent, member: Member, outcome: Outcome, stop: Stop) -> Payload:
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


async def _stack(member: Member, stop: Stop, most: int) -> tuple[tuple[Frame, ...], int]:
    try:
        return await member.session.inspection.stack(stop.thread_id, 0, most)
    except DebuggerError:
        frames = member.session.frames[:most]
        return frames, len(member.session.frames)


async def _tell_locals(agent: Agent, member: Member, frames: tuple[Frame, ...]) -> list[Payload]:
    """The locals of the top frames that are the person's own code."""
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
    agent: Agent, member: Member, frame: Frame, variables: Sequence[Variable]
) -> dict[str, str]:
    """What is in those that show nothing but their type: their own attributes, one level deep."""
    if not agent.shows_attributes:
        return {}
    mute = [each for each in variables if each.reference and _SAYS_NOTHING.match(each.value)]
    shown = {each.name: Wanted(count=ATTRIBUTES) for each in mute[:OBJECTS] if _may_open(each)}
    if not shown:
        return {}
    wanted = {"Locals": Wanted(count=agent.limits.items, children=shown)}
    try:
        nodes = await member.session.values.look(frame.id, wanted)
    except DebuggerError:
        return {}
    found = [node for scope in nodes for node in scope.children or () if node.children]
    return {node.variable.name: _tell_attributes(node, agent.limits.value) for node in found}


def _may_open(variable: Variable) -> bool:
    """Tell whether the caller may see what is in it."""
    return bool(view_variable(variable).reference)


def _tell_attributes(node: VariableNode, most: int) -> str:
    own = [each.variable for each in node.children or ()]
    own = [each for each in own if each.kind is VariableKind.PLAIN and not is_noise(each)]
    return f" {{{', '.join(tell_brief(each, most // 4) for each in own)}}}" if own else ""


def is_noise(variable: Variable) -> bool:
    """Tell whether a local says nothing of the data."""
    is_dunder = variable.name.startswith("__") and variable.name.endswith("__")
    return is_dunder or variable.kind in _NOISE


async def read_locals(
    member: Member, frame: Frame, start: int, count: int, scope: str = "Locals"
) -> tuple[tuple[Variable, ...], int]:
    """A page of a scope of a frame, and how many there are. Raises DebuggerError."""
    wanted = {scope: Wanted(start=start, count=count)}
    for node in await member.session.values.look(frame.id, wanted):
        if node.variable.name == scope or (scope == "Locals" and node.children is not None):
            children = node.children or ()
            page = children[start - node.start :][:count]
            return tuple(child.variable for child in page), node.total or len(children)
    return (), 0


def tell_location(frame: Frame) -> Payload:
    """File, line, column, function and module of a frame."""
    place = frame.place
    return {
        "file": place.path if place is not None else None,
        "line": place.line if place is not None else 0,
        "column": place.column if place is not None else 0,
        "function": frame.name,
        "module": frame.module or None,
    }


def tell_frame(frame: Frame) -> Payload:
    """One row of the stack."""
    seen = view_frame(frame)
    told: Payload = {"index": seen.index, "function": seen.name}
    if seen.place is not None:
        told |= {"file": seen.place.path, "line": seen.place.line}
    if seen.remark:
        told["remark"] = seen.remark
    return told


def tell_brief(variable: Variable, most: int) -> str:
    """``name = value``, cut."""
    seen = view_variable(variable)
    size = f" ({seen.size})" if seen.size else ""
    return f"{seen.name} = {tell_value(seen, most)}{size}"


def tell_value(seen: VariableView, most: int) -> str:
    """A value, cut; of one that was cut in the program already the length is not known."""
    value = seen.shown
    if seen.truncated and len(value) > most:
        return f"{value[:most]}…"
    return cut(value, most)


def tell_variable(variable: Variable, most: int) -> Payload:
    """A variable with its type and, where there is something inside, how much."""
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
    """Find the output that the agent has not taken yet, and as what text it is told."""
    after = agent.output_read(session)
    lines = [x for x in session.output if x.number > after and x.category in categories]
    return lines, plain("\n".join(view_output(x.text, is_secret=x.is_secret) for x in lines))


def tell_new_output(agent: Agent, member: Member) -> Payload:
    """Tell what the program has written since the agent last took its output, the end of it."""
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
    """The lines around the current one, with their numbers; blocks."""
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
    """Some lines around one, with their numbers and a mark at that."""
    first, last = max(1, line - context), min(len(lines), line + context)
    width = len(str(last))
    return [
        f"{'->' if number == line else '  '} {number:{width}} {cut(lines[number - 1], 160)}"
        for number in range(first, last + 1)
    ]


_DROPPED_FIRST = ("source", "output", "logged", "stack", "locals", "last_changes")
"""Names what a too long answer goes without, in this order; each can be asked for by itself."""

_ASK = {
    "source": "debugger://source",
    "output": "process_read_output",
    "logged": "process_read_output, stream log",
    "stack": "stacktrace_get",
    "locals": "variables_get",
    "last_changes": "why",
}


def bound(agent: Agent, told: Payload, ask: Mapping[str, str] = _ASK) -> Payload:
    """The answer as long as it may be; what was left out is named with the way to it."""
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
    """Shorten one entry until the answer fits or next to nothing of it is left."""
    value = told[key]
    while size_of({**told, key: value}) > most and len(value) > 1:
        value = (
            value[len(value) // 2 :] if key in ("output", "logged") else value[: len(value) // 2]
        )
    return {**told, key: value}


def size_of(told: Payload) -> int:
    """Its length as JSON."""
    return len(msgspec.json.encode(told))
