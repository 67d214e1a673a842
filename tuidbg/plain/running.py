"""The commands that let the program go on, begin it again or end it."""

from __future__ import annotations

import shlex

import msgspec

from tuidbg.config.launch import LaunchPlan
from tuidbg.plain.desk import ORIGIN, Desk, Refused
from tuidbg.plain.places import read_wish
from tuidbg.plain.source_text import function_at, read_lines
from tuidbg.session.errors import DebuggerError
from tuidbg.session.execution import Resume
from tuidbg.session.state import Status, Variable, VariableKind
from tuidbg.session.values.types import Wanted


async def step(desk: Desk, words: str) -> None:
    await desk.resume(Resume.STEP_IN)


async def next_line(desk: Desk, words: str) -> None:
    await desk.resume(Resume.STEP_OVER)


async def go_on(desk: Desk, words: str) -> None:
    if desk.session.status is Status.RUNNING:  # an attached one that could not be paused
        await desk.wait()
        return
    await desk.resume(Resume.CONTINUE)


async def finish(desk: Desk, words: str) -> None:
    await desk.resume(Resume.STEP_OUT)
    for returned in await returned_values(desk):
        desk.say(f"{returned.name} {returned.value}")


async def until(desk: Desk, words: str) -> None:
    """To a later line of the function, or out of it: steps out, unless that line comes first."""
    frame = desk.chosen()
    if frame.place is None:
        raise Refused("there is no source here")
    path, current = frame.place.path, frame.place.line
    wanted = _line(words) if words else current + 1
    if wanted <= current:
        raise Refused(f"line {wanted} is not below the current one, {current}")
    lines = await read_lines(desk.session, frame.place)
    _, last, _ = function_at(lines, frame)
    facts = await desk.session.source_facts(path)
    below = [line for line in facts.code_lines if wanted <= line <= last]
    if not below and facts.code_lines:
        await desk.resume(Resume.STEP_OUT)
        return
    execution = desk.session.execution
    line = below[0] if below else wanted
    desk.frame = None
    await desk.go(execution.run_to(path, line, how=Resume.STEP_OUT, origin=ORIGIN))


async def jump(desk: Desk, words: str) -> None:
    frame = desk.chosen()
    if frame.index:
        raise Refused("jump from the newest frame only; `d` leads there")
    if frame.place is None:
        raise Refused("there is no source here")
    line = _line(words)
    await desk.go(desk.session.stepping.jump(frame.place.path, line, thread_id=desk.thread_id))


async def run_again(desk: Desk, words: str) -> None:
    session = desk.session
    if words and isinstance(session.plan, LaunchPlan):
        session.plan = msgspec.structs.replace(session.plan, args=_split(words))
    desk.frame, desk.thread_id = None, 0
    desk.say(f"Starting {session.plan.title}.")
    try:
        await session.lifecycle.restart()
    except DebuggerError:
        return  # why was told as the program's failure
    await desk.begin()


async def leave(desk: Desk, words: str) -> None:
    desk.leaving.set()


async def send(desk: Desk, words: str) -> None:
    if desk.session.terminal is None:
        raise Refused(
            "the program has no terminal: its input is at its end; --console terminal gives it one"
        )
    desk.session.terminal_io.send_input(words + "\n")


async def returned_values(desk: Desk) -> list[Variable]:
    """What the last step saw functions return, where the program stands."""
    if desk.frame is None or desk.session.status is not Status.PAUSED:
        return []
    try:
        scopes = await desk.session.values.look(desk.frame.id, {"Locals": Wanted()})
    except DebuggerError:
        return []
    found = [node.variable for scope in scopes for node in scope.children or ()]
    return [variable for variable in found if variable.kind is VariableKind.RETURNED]


async def show_returned(desk: Desk, words: str) -> None:
    desk.chosen()
    found = await returned_values(desk)
    if not found:
        raise Refused("not yet returned: the last step saw no function return")
    for variable in found:
        desk.say(f"{variable.name} {variable.value}")


async def run_to(desk: Desk, words: str) -> None:
    desk.chosen()
    wish = read_wish(words, desk.path, folders(desk))
    if not wish.line:
        raise Refused("name a line, or file:line")
    desk.frame = None
    await desk.go(desk.session.execution.run_to(wish.path, wish.line, origin=ORIGIN))


def folders(desk: Desk) -> tuple[str, ...]:
    """Where files are looked for that are named without one."""
    plan = desk.session.plan
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
