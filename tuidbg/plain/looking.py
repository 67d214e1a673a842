"""The commands that show: stack, source, values, threads, the exception."""

from __future__ import annotations

import ast
from pprint import pformat

from tuidbg.plain.desk import Desk, Refused
from tuidbg.plain.source_text import function_at, read_lines
from tuidbg.session.errors import DebuggerError, FrameNotFound, UnsupportedByAdapter
from tuidbg.session.state import EvaluateResult, Status, VariableKind
from tuidbg.session.values.types import Wanted

_CUT = 20_000
"""Characters at which the program cuts a result."""

_DEEPEST = 10_000
"""Frames that are shown of a stack."""

_SHOWN = (VariableKind.PLAIN, VariableKind.RETURNED, VariableKind.SHARED, VariableKind.PROPERTY)


async def where(desk: Desk, words: str) -> None:
    chosen = desk.chosen()
    frames, total = await desk.session.inspection.stack(desk.thread_id, 0, _DEEPEST)
    if total > len(frames):
        desk.say(f"{total - len(frames)} older frames are not shown")
    for frame in reversed(frames):
        await desk.show_frame(frame, "> " if frame.index == chosen.index else "  ")


async def up(desk: Desk, words: str) -> None:
    await _move(desk, _count(words), "Oldest frame")


async def down(desk: Desk, words: str) -> None:
    await _move(desk, -_count(words), "Newest frame")


async def _move(desk: Desk, distance: int, end: str) -> None:
    index = desk.chosen().index
    wanted = max(index + distance, 0)
    try:
        frame = await desk.control.frame(wanted, thread_id=desk.thread_id)
    except FrameNotFound as error:
        if index == error.total - 1:
            raise Refused(end) from None
        frame = await desk.control.frame(error.total - 1, thread_id=desk.thread_id)
    if frame.index == index:
        raise Refused(end)
    desk.choose(frame)
    await desk.show_frame(frame)


def _count(words: str) -> int:
    if words and not words.isdecimal():
        raise Refused(f"{words!r} is no number of frames")
    return int(words or 1)


# Source


async def list_source(desk: Desk, words: str) -> None:
    frame = desk.chosen()
    if frame.place is None:
        raise Refused("there is no source here")
    path, current = frame.place.path, frame.place.line
    first, last = _range(words, current, desk.listed, path)
    lines = await read_lines(desk.session, frame.place)
    if not lines:
        raise Refused(f"the source {path} can't be read")
    if first > len(lines):
        desk.say("[EOF]")
        return
    _print_lines(desk, lines, first, min(last, len(lines)))
    desk.listed = (path, last + 1)
    if last >= len(lines):
        desk.say("[EOF]")


def _range(words: str, current: int, listed: tuple[str, int] | None, path: str) -> tuple[int, int]:
    """The lines that are asked for, as pdb reads them."""
    if not words:
        first = listed[1] if listed and listed[0] == path else max(1, current - 5)
        return first, first + 10
    if words == ".":
        return max(1, current - 5), max(1, current - 5) + 10
    begin, comma, end = (word.strip() for word in words.partition(","))
    if not begin.isdecimal() or (comma and not end.isdecimal()):
        raise Refused(f"{words!r} names no lines; write `l`, `l .`, `l 20` or `l 20, 30`")
    if not comma:
        first = max(1, int(begin) - 5)
        return first, first + 10
    first, last = int(begin), int(end)
    return first, last if last >= first else first + last


async def list_function(desk: Desk, words: str) -> None:
    frame = desk.chosen()
    if frame.place is None:
        raise Refused("there is no source here")
    lines = await read_lines(desk.session, frame.place)
    if not lines:
        raise Refused(f"the source {frame.place.path} can't be read")
    first, last, _ = function_at(lines, frame)
    _print_lines(desk, lines, first, last)


def _print_lines(desk: Desk, lines: list[str], first: int, last: int) -> None:
    """With pdb's marks: B a breakpoint, -> the current line, >> where an exception was raised."""
    frame = desk.chosen()
    assert frame.place is not None
    stop = desk.session.stop
    mark = ">>" if stop and stop.exception and frame.index == 0 else "->"
    registry = desk.session.breakpoints.registry
    marked = {each.line for each in registry.of_file(frame.place.path)}
    for number in range(max(first, 1), last + 1):
        begin = f"{number:>3}".ljust(4) + ("B" if number in marked else " ")
        begin += mark if number == frame.place.line else ""
        desk.say(f"{begin}\t{lines[number - 1]}".rstrip())


async def show_source(desk: Desk, words: str) -> None:
    found = await desk.session.evaluation.describe(_given(words), desk.chosen().id, source=True)
    if not found.source:
        raise Refused(f"there is no source of {words}")
    first = found.line or 1
    for number, line in enumerate(found.source.rstrip("\n").splitlines(), first):
        desk.say(f"{number:>3}".ljust(4) + f" \t{line}".rstrip())


# Values


async def evaluate(desk: Desk, text: str) -> None:
    """A statement or an expression, as at Python's own prompt."""
    await _show_value(desk, text, "")


async def print_value(desk: Desk, words: str) -> None:
    if not desk.session.inside.is_possible:
        desk.say((await _value_of(desk, words)).value)
        return
    await _show_value(desk, _given(words), "None")


async def _show_value(desk: Desk, text: str, nothing: str) -> None:
    result = await desk.session.evaluation.evaluate(text, desk.chosen().id)
    await desk.catch_up()
    if result.text or nothing:
        desk.say(result.text or nothing)
    if len(result.text) >= _CUT:
        desk.say(f"cut after {_CUT:,} characters; _ is all of it")


async def print_pretty(desk: Desk, words: str) -> None:
    if not desk.session.inside.is_possible:
        await print_value(desk, words)
        return
    expression = f"__import__('pprint').pformat({_given(words)})"
    result = await desk.session.evaluation.evaluate(expression, desk.chosen().id)
    try:
        text = ast.literal_eval(result.text)
    except (ValueError, SyntaxError):  # too long: it was cut
        text = result.text
    desk.say(text if isinstance(text, str) else pformat(text))


async def _value_of(desk: Desk, words: str) -> EvaluateResult:
    """An expression's value by the adapter, which at a prompt would take commands of its own."""
    context = desk.session.profile.values.any_expression
    return await desk.session.inspection.evaluate(_given(words), desk.chosen().id, context)


async def show_type(desk: Desk, words: str) -> None:
    if not desk.session.inside.is_possible:
        found = await _value_of(desk, words)
        desk.say(found.type or "the debug adapter tells no type")
        return
    await _show_value(desk, f"type(({_given(words)}))", "")


async def show_arguments(desk: Desk, words: str) -> None:
    frame = desk.chosen()
    if not desk.session.inside.is_possible:
        raise Refused("here `locals` shows the arguments, among the others")
    if frame.place is None:
        raise Refused("there is no source here")
    _, _, names = function_at(await read_lines(desk.session, frame.place), frame)
    for name in names:
        try:
            result = await desk.session.evaluation.evaluate(name, frame.id)
            desk.say(f"{name} = {result.text or 'None'}")
        except DebuggerError:
            desk.say(f"{name} = *** undefined ***")


async def show_locals(desk: Desk, words: str) -> None:
    scopes = await desk.session.values.look(desk.chosen().id, {"Locals": Wanted()})
    for scope in scopes:
        for node in scope.children or ():
            if node.variable.kind in _SHOWN:
                size = f" ({node.variable.size})" if node.variable.size else ""
                desk.say(f"{node.variable.name} = {node.variable.value}{size}")
        left = scope.total - len(scope.children or ())
        if scope.children and left > 0:
            desk.say(f"{left} more; p locals() shows all")


def _given(words: str) -> str:
    if not words:
        raise Refused("name an expression")
    return words


# Displays


async def display(desk: Desk, words: str) -> None:
    if not words:
        if not len(desk.session.watches):
            desk.say("nothing is displayed")
        elif desk.frame is None:
            for watch in desk.session.watches:
                desk.say(f"display {watch.expression}")
        await desk.show_displays(everything=True)
        return
    watch = desk.session.watches.add(words)
    if desk.frame is not None:
        results = await desk.session.watches.evaluate(desk.frame.id, compared=False)
        for result in results:
            if result.watch == watch:
                value = result.variable.value if result.variable else f"*** {result.error}"
                desk.say(f"display {words}: {value}")


async def undisplay(desk: Desk, words: str) -> None:
    watches = desk.session.watches
    if not words:
        for watch in watches:
            watches.remove(watch.number)
        return
    found = watches.find(words)
    if found is None:
        raise Refused(f"{words} is not displayed")
    watches.remove(found.number)


# Threads, the exception, the session


async def threads(desk: Desk, words: str) -> None:
    for thread in await desk.control.threads():
        mark = "> " if thread.id == desk.thread_id else "  "
        desk.say(f"{mark}{thread.id} {thread.name}")


async def thread(desk: Desk, words: str) -> None:
    if not words:
        desk.chosen()
        desk.say(f"Thread {desk.thread_id}, {await desk.thread_name(desk.thread_id)}.")
        return
    if not words.isdecimal():
        raise Refused(f"{words!r} is no number of a thread; `threads` lists them")
    frame = await desk.control.frame(0, thread_id=int(words))
    desk.thread_id = int(words)
    desk.choose(frame)
    desk.say(f"Thread {desk.thread_id}, {await desk.thread_name(desk.thread_id)}.")
    await desk.show_frame(frame)


async def exceptions(desk: Desk, words: str) -> None:
    desk.chosen()
    stop = desk.session.stop
    if stop is None or stop.exception is None:
        raise Refused("the program does not stand at an exception")
    message = f": {stop.exception.message}" if stop.exception.message else ""
    desk.say(f"{stop.exception.type}{message}")
    if stop.exception.stack_trace:
        desk.say(stop.exception.stack_trace.rstrip())


async def info(desk: Desk, words: str) -> None:
    session = desk.session
    desk.say(f"program: {session.plan.title}")
    desk.say(f"state: {session.status}")
    if session.pid is not None:
        desk.say(f"process: {session.pid}")
    if session.exit is not None and session.status is Status.TERMINATED:
        desk.say(f"exit code: {session.exit.code}")
    desk.say(f"breakpoints: {len(session.breakpoints.registry)}")
    if session.status is Status.PAUSED and desk.frame is not None:
        try:
            desk.say(f"threads: {len(await desk.control.threads())}")
        except UnsupportedByAdapter:
            pass
        await desk.show_frame(desk.frame)
