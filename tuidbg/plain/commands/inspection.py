"""Commands that show stack, source, values, threads, exceptions and processes."""

from __future__ import annotations

import ast
from pprint import pformat

from tuidbg.lines import split_lines
from tuidbg.plain.context import ORIGIN, CommandContext, CommandError, function_at, read_lines
from tuidbg.session.core.stack.stop_wording import ABOVE, BELOW, EARLIER, left_out
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.features.job.commands import JobCommand, Verb, read_order
from tuidbg.session.features.job.job import (
    JobMember,
    describe_members,
    describe_standing,
    describe_states,
)
from tuidbg.session.features.job.members import (
    ALONE,
    TOGETHER,
    Crew,
    describe_values,
    find_job_waits,
)
from tuidbg.session.features.job.stacks import Fold, MemberLocation
from tuidbg.session.features.recording import run_of
from tuidbg.session.model.errors import DebuggerError, FrameNotFound, UnsupportedByAdapter
from tuidbg.session.model.state import EvaluateResult, Frame, Status, VariableKind

_CUT = 20_000
"""Length at which the program cuts a result."""

_DEEPEST = 10_000
"""Maximum number of frames shown."""

_ALL = "all"
"""Argument of ``where`` for frames of libraries, too."""

_SHOWN = (VariableKind.PLAIN, VariableKind.RETURNED, VariableKind.SHARED, VariableKind.PROPERTY)


async def where(context: CommandContext, words: str) -> None:
    """Show the stack; hidden frames are noted in their place, and shown by ``all``."""
    if words not in ("", _ALL):
        raise CommandError(f"{words!r} is no part of the stack; write `w` or `w {_ALL}`")
    chosen, inspection = context.chosen(), context.session.inspection
    if context.moment is not None:
        for frame in reversed(run_of(context.session).values.frames(context.moment)):
            await context.show_frame(frame, "> " if frame.index == chosen.index else "  ")
        return
    whole = words == _ALL
    frames, total = await inspection.stack(context.thread_id, 0, _DEEPEST, whole=whole)
    if total > len(frames):
        context.say(f"{total - len(frames)} older frames are not shown")
    for frame in reversed(frames):
        _tell_left_out(context, frame, (EARLIER, BELOW))
        await context.show_frame(frame, "> " if frame.id == chosen.id else "  ")
        _tell_left_out(context, frame, (ABOVE,))


def _tell_left_out(context: CommandContext, frame: Frame, places: tuple[str, ...]) -> None:
    for each in left_out(frame, places):
        shown = "it" if each.number == 1 else "them"
        context.say(f"  {each.words}; `w {_ALL}` shows {shown}")


async def up(context: CommandContext, words: str) -> None:
    await _move(context, _count(words), "Oldest frame")


async def down(context: CommandContext, words: str) -> None:
    await _move(context, -_count(words), "Newest frame")


async def _move(context: CommandContext, distance: int, end: str) -> None:
    index = context.chosen().index
    wanted = max(index + distance, 0)
    if context.moment is not None:
        frames = run_of(context.session).values.frames(context.moment)
        if (wanted := min(wanted, len(frames) - 1)) == index:
            raise CommandError(end)
        context.choose(frames[wanted])
        await context.show_frame(frames[wanted])
        return
    try:
        frame = await context.control.frame(wanted, thread_id=context.thread_id)
    except FrameNotFound as error:
        if index == error.total - 1:
            raise CommandError(end) from None
        frame = await context.control.frame(error.total - 1, thread_id=context.thread_id)
    if frame.index == index:
        raise CommandError(end)
    context.choose(frame)
    await context.show_frame(frame)


def _count(words: str) -> int:
    if words and not words.isdecimal():
        raise CommandError(f"{words!r} is no number of frames")
    return int(words or 1)


# Source


async def list_source(context: CommandContext, words: str) -> None:
    frame = context.chosen()
    if frame.place is None:
        raise CommandError("there is no source here")
    path, current = frame.place.path, frame.place.line
    first, last = _range(words, current, context.listed, path)
    lines = await read_lines(context.session, frame.place)
    if not lines:
        raise CommandError(f"the source {path} can't be read")
    if first > len(lines):
        context.say("[EOF]")
        return
    _print_lines(context, lines, first, min(last, len(lines)))
    context.listed = (path, last + 1)
    if last >= len(lines):
        context.say("[EOF]")


def _range(words: str, current: int, listed: tuple[str, int] | None, path: str) -> tuple[int, int]:
    """Parse a range of lines like pdb."""
    if not words:
        first = listed[1] if listed and listed[0] == path else max(1, current - 5)
        return first, first + 10
    if words == ".":
        return max(1, current - 5), max(1, current - 5) + 10
    begin, comma, end = (word.strip() for word in words.partition(","))
    if not begin.isdecimal() or (comma and not end.isdecimal()):
        raise CommandError(f"{words!r} names no lines; write `l`, `l .`, `l 20` or `l 20, 30`")
    if not comma:
        first = max(1, int(begin) - 5)
        return first, first + 10
    first, last = int(begin), int(end)
    return first, last if last >= first else first + last


async def list_function(context: CommandContext, words: str) -> None:
    frame = context.chosen()
    if frame.place is None:
        raise CommandError("there is no source here")
    lines = await read_lines(context.session, frame.place)
    if not lines:
        raise CommandError(f"the source {frame.place.path} can't be read")
    first, last, _ = function_at(lines, frame)
    _print_lines(context, lines, first, last)


def _print_lines(context: CommandContext, lines: list[str], first: int, last: int) -> None:
    """Print with pdb's marks: B a breakpoint, -> the current line, >> an exception's origin."""
    frame = context.chosen()
    assert frame.place is not None
    stop = context.session.stop
    mark = ">>" if stop and stop.exception and frame.index == 0 else "->"
    registry = context.session.breakpoints.registry
    marked = {each.line for each in registry.of_file(frame.place.path)}
    for number in range(max(first, 1), last + 1):
        begin = f"{number:>3}".ljust(4) + ("B" if number in marked else " ")
        begin += mark if number == frame.place.line else ""
        context.say(f"{begin}\t{lines[number - 1]}".rstrip())


async def show_source(context: CommandContext, words: str) -> None:
    found = await context.session.evaluation.describe(
        _given(words), context.chosen().id, source=True
    )
    if not found.source:
        raise CommandError(f"there is no source of {words}")
    first = found.line or 1
    for number, line in enumerate(split_lines(found.source.rstrip("\n")), first):
        context.say(f"{number:>3}".ljust(4) + f" \t{line}".rstrip())


# Values


async def evaluate(context: CommandContext, text: str) -> None:
    """Run a statement or evaluate an expression, as at Python's own prompt."""
    await _show_value(context, text, "")


async def print_value(context: CommandContext, words: str) -> None:
    if not context.session.inside.is_possible and context.moment is None:
        context.say((await _value_of(context, words)).value)
        return
    await _show_value(context, _given(words), "None")


async def _show_value(context: CommandContext, text: str, nothing: str) -> None:
    result = await context.session.evaluation.evaluate(text, context.chosen().id)
    await context.catch_up()
    if result.text or nothing:
        context.say(result.text or nothing)
    if len(result.text) >= _CUT:
        context.say(f"cut after {_CUT:,} characters; _ is all of it")


async def print_pretty(context: CommandContext, words: str) -> None:
    if not context.session.inside.is_possible or context.moment is not None:
        await print_value(context, words)
        return
    expression = f"__import__('pprint').pformat({_given(words)})"
    result = await context.session.evaluation.evaluate(expression, context.chosen().id)
    try:
        text = ast.literal_eval(result.text)
    except (ValueError, SyntaxError):  # a too long text is cut
        text = result.text
    context.say(text if isinstance(text, str) else pformat(text))


async def _value_of(context: CommandContext, words: str) -> EvaluateResult:
    """Evaluate by the adapter, whose prompt would read commands of its own."""
    how = context.session.profile.values.any_expression
    return await context.session.inspection.evaluate(_given(words), context.chosen().id, how)


async def show_type(context: CommandContext, words: str) -> None:
    if not context.session.inside.is_possible:
        found = await _value_of(context, words)
        context.say(found.type or "the debug adapter reports no type")
        return
    await _show_value(context, f"type(({_given(words)}))", "")


async def show_arguments(context: CommandContext, words: str) -> None:
    frame = context.chosen()
    if not context.session.inside.is_possible:
        raise CommandError("here `locals` shows the arguments, among the others")
    if frame.place is None:
        raise CommandError("there is no source here")
    _, _, names = function_at(await read_lines(context.session, frame.place), frame)
    for name in names:
        try:
            result = await context.session.evaluation.evaluate(name, frame.id)
            context.say(f"{name} = {result.text or 'None'}")
        except DebuggerError:
            context.say(f"{name} = *** undefined ***")


async def show_locals(context: CommandContext, words: str) -> None:
    scopes = await context.session.values.look(context.chosen().id, {"Locals": ChildrenRequest()})
    for scope in scopes:
        for node in scope.children or ():
            if node.variable.kind in _SHOWN:
                size = f" ({node.variable.size})" if node.variable.size else ""
                context.say(f"{node.variable.name} = {node.variable.value}{size}")
        left = scope.total - len(scope.children or ())
        if scope.children and left > 0:
            context.say(f"{left} more; p locals() shows all")


def _given(words: str) -> str:
    if not words:
        raise CommandError("name an expression")
    return words


# Displays


async def display(context: CommandContext, words: str) -> None:
    if not words:
        if not len(context.session.watches):
            context.say("nothing is displayed")
        elif context.frame is None:
            for watch in context.session.watches:
                context.say(f"display {watch.expression}")
        await context.show_displays(everything=True)
        return
    watch = context.session.watches.add(words, origin="tui")
    if context.frame is not None:
        results = await context.session.watches.evaluate(context.frame.id, compared=False)
        for result in results:
            if result.watch == watch:
                value = result.variable.value if result.variable else f"*** {result.error}"
                context.say(f"display {words}: {value}")


async def undisplay(context: CommandContext, words: str) -> None:
    watches = context.session.watches
    if not words:
        for watch in watches:
            watches.remove(watch.number, origin="tui")
        return
    found = watches.find(words)
    if found is None:
        raise CommandError(f"{words} is not displayed")
    watches.remove(found.number, origin="tui")


# Threads, the exception, the session


async def threads(context: CommandContext, words: str) -> None:
    for thread in await context.control.threads():
        mark = "> " if thread.id == context.thread_id else "  "
        context.say(f"{mark}{thread.id} {thread.name}")


async def thread(context: CommandContext, words: str) -> None:
    if not words:
        context.must_be_stopped()
        context.say(f"Thread {context.thread_id}, {await context.thread_name(context.thread_id)}.")
        return
    if not words.isdecimal():
        raise CommandError(f"{words!r} is no number of a thread; `threads` lists them")
    frame = await context.control.frame(0, thread_id=int(words))
    context.thread_id = int(words)
    context.choose(frame)
    context.say(f"Thread {context.thread_id}, {await context.thread_name(context.thread_id)}.")
    await context.show_frame(frame)


async def exceptions(context: CommandContext, words: str) -> None:
    context.must_be_stopped()
    stop = context.session.stop
    if stop is None or stop.exception is None:
        raise CommandError("the program is not at an exception")
    message = f": {stop.exception.message}" if stop.exception.message else ""
    context.say(f"{stop.exception.type}{message}")
    if stop.exception.stack_trace:
        context.say(stop.exception.stack_trace.rstrip())


async def info(context: CommandContext, words: str) -> None:
    session = context.session
    context.say(f"program: {session.plan.title}")
    context.say(f"state: {session.status}")
    if session.pid is not None:
        context.say(f"process: {session.pid}")
    if session.exit is not None and session.status is Status.TERMINATED:
        context.say(f"exit code: {session.exit.code}")
    context.say(f"breakpoints: {len(session.breakpoints.registry)}")
    if session.status is Status.PAUSED and context.frame is not None:
        try:
            context.say(f"threads: {len(await context.control.threads())}")
        except UnsupportedByAdapter:
            pass
        await context.show_frame(context.frame)


_WAIT = "wait"
"""Before a number: wait for so many processes, running or paused."""

_TOGETHER, _OFF = "together", "off"
"""Stop all processes when one stops; or not any more."""

_CLEAR = "clear"
"""Remove ended processes from the job."""

_WANTED = {"": (Status.RUNNING, Status.PAUSED), "paused": (Status.PAUSED,)}


async def job(context: CommandContext, words: str) -> None:
    """Report all processes; or send some of them a command. It can be cancelled."""
    await context.unless_leaving(_do(context, words))


async def _do(context: CommandContext, words: str) -> None:
    crew = Crew(context.session, origin=ORIGIN)
    name, _, rest = words.partition(" ")
    if name == _TOGETHER:
        _stop_together(context, crew, rest.strip())
    elif name == _WAIT:
        await _wait(context, crew, rest.strip())
    elif words == _CLEAR:
        context.say(crew.clear_ended().capitalize() + ".")
    elif not words:
        await _list(context, crew)
    else:
        order = read_order(await crew.look(), words)
        if order.verb is Verb.EVALUATE:
            await _evaluate(context, crew, order)
        else:
            context.frame = None  # it may be of a removed process
            context.say(await crew.obey(order))


def _stop_together(context: CommandContext, crew: Crew, words: str) -> None:
    if words not in ("", _OFF):
        raise CommandError(f"write `job {_TOGETHER}` or `job {_TOGETHER} {_OFF}`")
    if context.session.family is None:
        raise CommandError("the program is alone")
    crew.stop_together(words != _OFF)
    context.say((ALONE if words == _OFF else TOGETHER).capitalize() + ".")


async def _wait(context: CommandContext, crew: Crew, words: str) -> None:
    count, _, state = words.partition(" ")
    wanted = _WANTED.get(state.strip())
    if not count.isdecimal() or not int(count) or wanted is None:
        raise CommandError(f"{words!r} is no number of processes; write `job wait 4 [paused]`")
    if (family := context.session.family) is None:
        raise CommandError("this program has no other processes to wait for")

    def are_there() -> bool:
        found = [r for r in crew.find_all() if r.session.status in wanted and r.session.pid]
        return len(found) >= int(count)

    await family.events.wait_for(are_there)


async def _list(context: CommandContext, crew: Crew) -> None:
    found = await crew.look()
    waits = await find_job_waits(crew.find_all())
    if not found.members:
        raise CommandError("no process has connected yet; `job wait 4` waits for four")
    context.say(describe_states(found))
    for fold in found.folds():
        context.say(_tell_fold(fold))
    for each in found.members:
        context.say(_tell_member(each, waits.get(each.number, "")))


def _tell_fold(fold: Fold[JobMember, MemberLocation]) -> str:
    callers = ", ".join(call.function for call in fold.common.stack[1:])
    called = f", called by {callers}" if callers else ""
    differs = ", which differs" if fold.is_odd else ""
    who = describe_members(fold.members)
    return f"{len(fold.members)}, {who}: {describe_standing(fold.common)}{called}{differs}"


def _tell_member(member: JobMember, waits_for: str) -> str:
    words = [f"{member.label}: {member.status}", member.place]
    words += [f"waits for {waits_for}"] if waits_for else []
    words += [f"pid {member.pid}"] if member.pid is not None else []
    return ", ".join(words)


async def _evaluate(context: CommandContext, crew: Crew, order: JobCommand) -> None:
    folds = await crew.evaluate(order)
    context.say(f"{order.about}: {describe_values(folds)}")
    for fold in folds:
        differs = ", which differs" if fold.is_odd else ""
        context.say(f"{describe_members(fold.members)}: {fold.common.words}{differs}")
