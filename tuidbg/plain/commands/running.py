"""The commands that let the program go on, begin it again or end it."""

from __future__ import annotations

import shlex

import msgspec

from tuidbg.config.launch import LaunchPlan
from tuidbg.plain.context import ORIGIN, CommandContext, Refused
from tuidbg.plain.places import read_wish
from tuidbg.plain.source_text import function_at, read_lines
from tuidbg.session.errors import DebuggerError
from tuidbg.session.execution import Resume
from tuidbg.session.state import Status, Variable, VariableKind
from tuidbg.session.values.types import Wanted


async def step(context: CommandContext, words: str) -> None:
    await context.resume(Resume.STEP_IN)


async def next_line(context: CommandContext, words: str) -> None:
    await context.resume(Resume.STEP_OVER)


async def go_on(context: CommandContext, words: str) -> None:
    if (
        context.session.status is Status.RUNNING and context.moment is None
    ):  # an attached one that could not be paused
        await context.wait()
        return
    await context.resume(Resume.CONTINUE)


async def finish(context: CommandContext, words: str) -> None:
    await context.resume(Resume.STEP_OUT)
    for returned in await returned_values(context):
        context.say(f"{returned.name} {returned.value}")


async def until(context: CommandContext, words: str) -> None:
    """To a later line of the function, or out of it: steps out, unless that line comes first."""
    frame = context.chosen()
    if frame.place is None:
        raise Refused("there is no source here")
    path, current = frame.place.path, frame.place.line
    wanted = _line(words) if words else current + 1
    if wanted <= current:
        raise Refused(f"line {wanted} is not below the current one, {current}")
    lines = await read_lines(context.session, frame.place)
    _, last, _ = function_at(lines, frame)
    facts = await context.session.facts.of(path)
    below = [line for line in facts.code_lines if wanted <= line <= last]
    if not below and facts.code_lines:
        await context.resume(Resume.STEP_OUT)
        return
    execution = context.session.execution
    line = below[0] if below else wanted
    context.frame = None
    await context.go(execution.run_to(path, line, how=Resume.STEP_OUT, origin=ORIGIN))


async def jump(context: CommandContext, words: str) -> None:
    frame = context.chosen()
    if frame.index:
        raise Refused("jump from the newest frame only; `d` leads there")
    if frame.place is None:
        raise Refused("there is no source here")
    line = _line(words)
    await context.go(
        context.session.stepping.jump(frame.place.path, line, thread_id=context.thread_id)
    )


async def run_again(context: CommandContext, words: str) -> None:
    session = context.session
    if why := session.lifecycle.why_no_restart():
        raise Refused(why)
    if words and isinstance(session.plan, LaunchPlan):
        session.plan = msgspec.structs.replace(session.plan, args=_split(words))
    context.frame, context.thread_id = None, 0
    context.say(f"Starting {session.plan.title}.")
    try:
        await session.lifecycle.restart()
    except DebuggerError:
        return  # why was told as the program's failure
    await context.begin()


async def leave(context: CommandContext, words: str) -> None:
    context.leaving.set()


async def send(context: CommandContext, words: str) -> None:
    if context.session.terminal is None:
        raise Refused(
            "the program has no terminal: its input is at its end; --console terminal gives it one"
        )
    context.session.terminal_io.send_input(words + "\n")


async def returned_values(context: CommandContext) -> list[Variable]:
    """Returns what the last step saw functions return, where the program stands."""
    if context.frame is None or context.session.status is not Status.PAUSED:
        return []
    try:
        scopes = await context.session.values.look(context.frame.id, {"Locals": Wanted()})
    except DebuggerError:
        return []
    found = [node.variable for scope in scopes for node in scope.children or ()]
    return [variable for variable in found if variable.kind is VariableKind.RETURNED]


async def show_returned(context: CommandContext, words: str) -> None:
    context.must_be_stopped()
    found = await returned_values(context)
    if not found:
        raise Refused("not yet returned: the last step saw no function return")
    for variable in found:
        context.say(f"{variable.name} {variable.value}")


async def run_to(context: CommandContext, words: str) -> None:
    context.must_be_stopped()
    wish = read_wish(words, context.path, folders(context))
    if not wish.line:
        raise Refused("name a line, or file:line")
    context.frame = None
    await context.go(context.session.execution.run_to(wish.path, wish.line, origin=ORIGIN))


def folders(context: CommandContext) -> tuple[str, ...]:
    """Returns where files are looked for that are named without one."""
    plan = context.session.plan
    first = plan.first_source.rpartition("/")[0]
    return (plan.cwd, first) if first else (plan.cwd,)


def _split(words: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(words))
    except ValueError as error:
        raise Refused(f"{error} in {words}") from None


def _line(words: str) -> int:
    if not words.strip().isdecimal():
        raise Refused("name the number of a line")
    return int(words)
