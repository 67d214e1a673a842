"""Commands that resume, end and restart the program, and set breakpoints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Unpack

import msgspec

from tuidbg.config.launch import LaunchPlan, is_source
from tuidbg.plain.context import (
    ORIGIN,
    CommandContext,
    CommandError,
    function_at,
    read_lines,
    why_refused,
)
from tuidbg.session.core.breakpoints.kinds.exceptions import (
    MOMENTS,
    OTHER_MOMENTS,
    check_rule,
    find_moment,
)
from tuidbg.session.core.breakpoints.store import BreakpointSettings
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    ExceptionRule,
    Status,
    Variable,
    VariableKind,
)

_LINE = re.compile(r"(?:(?P<file>.+):)?\s*(?P<line>\d{1,9})\Z")
_IF = re.compile(r"\s*,\s*|\s+if\s+")


class Wish(msgspec.Struct, frozen=True):
    """A line of a file, or a function; ``condition`` may be empty."""

    path: str = ""
    line: int = 0
    function: str = ""
    condition: str = ""


class NoPlace(Exception):
    """An invalid place; ``str()`` is a sentence."""


def read_wish(text: str, current: str, folders: tuple[str, ...]) -> Wish:
    """Parse a place; a bare line is one of file ``current``. Raises NoPlace."""
    place, *rest = _IF.split(text.strip(), maxsplit=1)
    condition = rest[0].strip() if rest else ""
    if not place:
        raise NoPlace("name a line, file:line or a function")
    found = _LINE.fullmatch(place)
    if found is None:
        return Wish(function=place, condition=condition)
    if found["file"]:
        path = find_file(found["file"].strip(), (str(Path(current).parent), *folders))
    elif current:
        path = current
    else:
        raise NoPlace(f"there is no current file; name that of line {found['line']}")
    return Wish(path=path, line=int(found["line"]), condition=condition)


def find_file(name: str, folders: tuple[str, ...]) -> str:
    """Find a file (or one in a zip) by name, by name with ``.py``, or by module. Raises NoPlace."""
    names = [name, f"{name}.py"]
    if "/" not in name and not name.endswith(".py"):
        names.append(f"{name.replace('.', '/')}.py")
    for each in names:
        for folder in (".", *folders):
            path = Path(folder).joinpath(each).expanduser()
            if is_source(str(path.absolute())):
                return str(path.resolve())
    raise NoPlace(f"there is no file {name}")


async def step(context: CommandContext, words: str) -> None:
    await context.resume(Resume.STEP_IN)


async def next_line(context: CommandContext, words: str) -> None:
    await context.resume(Resume.STEP_OVER)


async def go_on(context: CommandContext, words: str) -> None:
    if await context.show_announced():
        return
    if (
        context.session.status is Status.RUNNING and context.moment is None
    ):  # an attached program that could not be paused
        await context.wait()
        return
    await context.resume(Resume.CONTINUE)


async def finish(context: CommandContext, words: str) -> None:
    await context.resume(Resume.STEP_OUT)
    for returned in await returned_values(context):
        context.say(f"{returned.name} {returned.value}")


async def until(context: CommandContext, words: str) -> None:
    """Run to a later line of the function; a step out unless that line comes first."""
    frame = context.chosen()
    if frame.place is None:
        raise CommandError("there is no source here")
    path, current = frame.place.path, frame.place.line
    wanted = _line(words) if words else current + 1
    if wanted <= current:
        raise CommandError(f"line {wanted} is not below the current one, {current}")
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
        raise CommandError("jump from the newest frame only; `d` leads there")
    if frame.place is None:
        raise CommandError("there is no source here")
    line = _line(words)
    await context.go(
        context.session.stepping.jump(frame.place.path, line, thread_id=context.thread_id)
    )


async def run_again(context: CommandContext, words: str) -> None:
    session = context.session
    if why := session.lifecycle.why_no_restart():
        raise CommandError(why)
    if words and isinstance(session.plan, LaunchPlan):
        session.plan = msgspec.structs.replace(session.plan, args=_split(words))
    context.frame, context.thread_id = None, 0
    context.say(f"Starting {session.plan.title}.")
    try:
        await session.lifecycle.restart()
    except DebuggerError:
        return  # already reported as the program's failure
    await context.begin()


async def leave(context: CommandContext, words: str) -> None:
    context.leaving.set()


async def send(context: CommandContext, words: str) -> None:
    if context.session.terminal is None:
        raise CommandError(
            "the program has no terminal: its input is at its end; --console terminal gives it one"
        )
    context.session.terminal_io.send_input(words + "\n")


async def returned_values(context: CommandContext) -> list[Variable]:
    """Return the return values of the last step, while the program is stopped."""
    if context.frame is None or context.session.status is not Status.PAUSED:
        return []
    try:
        scopes = await context.session.values.look(context.frame.id, {"Locals": ChildrenRequest()})
    except DebuggerError:
        return []
    found = [node.variable for scope in scopes for node in scope.children or ()]
    return [variable for variable in found if variable.kind is VariableKind.RETURNED]


async def show_returned(context: CommandContext, words: str) -> None:
    context.must_be_stopped()
    found = await returned_values(context)
    if not found:
        raise CommandError("not yet returned: the last step saw no function return")
    for variable in found:
        context.say(f"{variable.name} {variable.value}")


async def run_to(context: CommandContext, words: str) -> None:
    context.must_be_stopped()
    wish = read_wish(words, context.path, folders(context))
    if not wish.line:
        raise CommandError("name a line, or file:line")
    context.frame = None
    await context.go(context.session.execution.run_to(wish.path, wish.line, origin=ORIGIN))


def folders(context: CommandContext) -> tuple[str, ...]:
    """Return the folders to search for files."""
    plan = context.session.plan
    first = plan.first_source.rpartition("/")[0]
    return (plan.cwd, first) if first else (plan.cwd,)


def _split(words: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(words))
    except ValueError as error:
        raise CommandError(f"{error} in {words}") from None


def _line(words: str) -> int:
    if not words.strip().isdecimal():
        raise CommandError("name the number of a line")
    return int(words)


async def set_breakpoint(context: CommandContext, words: str) -> None:
    if words:
        await _set(context, read_wish(words, context.path, folders(context)))
        return
    breakpoints = sorted(context.session.breakpoints.registry, key=lambda each: each.number)
    if not breakpoints:
        context.say("There are no breakpoints.")
    for each in breakpoints:
        context.say(describe(each))


async def set_temporary(context: CommandContext, words: str) -> None:
    if not words:
        raise CommandError("name a line, file:line or a function")
    await _set(context, read_wish(words, context.path, folders(context)), temporary=True)


async def set_log(context: CommandContext, words: str) -> None:
    place, _, text = words.partition(" ")
    if not text.strip():
        raise CommandError("write `log LINE TEXT`, with expressions in {braces}")
    wish = read_wish(place, context.path, folders(context))
    await _set(context, wish, log_message=text.strip())


async def _set(context: CommandContext, wish: Wish, **settings: Unpack[BreakpointSettings]) -> None:
    breakpoints = context.session.breakpoints
    before = {each.number for each in breakpoints.registry}
    settings["condition"] = wish.condition
    if wish.function:
        made = await breakpoints.set_function(wish.function, origin=ORIGIN, **settings)
    else:
        made = await breakpoints.set(wish.path, wish.line, origin=ORIGIN, **settings)
    if made.status is BreakpointStatus.REFUSED and made.number not in before:
        await breakpoints.remove(made.number, origin=ORIGIN, undo=False)
        raise CommandError(why_refused(made))
    context.say(describe(made, short=True))


def describe(found: Breakpoint, *, short: bool = False) -> str:
    """Describe a breakpoint in one line; ``short``: number, place, and why it is not set yet."""
    line = f"Breakpoint {found.number} {_place(found)}"
    unset = found.message if found.status is not BreakpointStatus.SET else ""
    if short:
        return ", ".join(filter(None, (line, unset)))
    words = [
        "" if found.enabled else "disabled",
        "temporary" if found.temporary else "",
        f"stop only if {found.condition}" if found.condition else "",
        f"ignore {found.ignore_count}" if found.ignore_count else "",
        f"writes {found.log_message}" if found.log_message else "",
        f"hit {found.hits} times" if found.hits > 1 else "hit once" if found.hits else "",
        unset,
    ]
    return ", ".join([line, *filter(None, words)])


def _place(found: Breakpoint) -> str:
    if found.kind is BreakpointKind.EXCEPTION and found.exception is not None:
        return f"at exceptions of type {found.exception.type or 'any'}"
    if found.path and found.line:
        return f"at {found.path}:{found.line}"
    return f"at function {found.function}" if found.function else f"at {found.kind}"


async def clear(context: CommandContext, words: str) -> None:
    breakpoints = context.session.breakpoints
    gone = list(breakpoints.registry)
    if ":" in words:
        wish = read_wish(words, context.path, folders(context))
        gone = [each for each in gone if (each.path, each.line) == (wish.path, wish.line)]
        if not gone:
            raise CommandError(f"there is no breakpoint at {words}")
    elif words:
        gone = [breakpoints.registry.get(number) for number in _numbers(words)]
    if not gone:
        raise CommandError("there are no breakpoints")
    for each in gone:
        await breakpoints.remove(each.number, origin=ORIGIN)
        context.scripts.pop(each.number, None)
        context.say(f"Deleted {describe(each, short=True).lower()}")


async def enable(context: CommandContext, words: str) -> None:
    await _switch(context, words, True)


async def disable(context: CommandContext, words: str) -> None:
    await _switch(context, words, False)


async def _switch(context: CommandContext, words: str, enabled: bool) -> None:
    breakpoints = context.session.breakpoints
    numbers = _numbers(words) if words else [each.number for each in breakpoints.registry]
    for number in numbers:
        changed = await breakpoints.update(number, origin=ORIGIN, enabled=enabled)
        verb = "Enabled" if enabled else "Disabled"
        context.say(f"{verb} {describe(changed, short=True).lower()}")


async def ignore(context: CommandContext, words: str) -> None:
    first, _, rest = words.partition(" ")
    number = _numbers(first)[0]
    count = rest.strip() or "0"
    if not count.isdecimal():
        raise CommandError(f"{count!r} is no count")
    await context.session.breakpoints.update(number, origin=ORIGIN, ignore_count=int(count))
    times = "not be ignored" if count == "0" else f"ignore the next {count} hits"
    context.say(f"Breakpoint {number} will {times}.")


async def condition(context: CommandContext, words: str) -> None:
    first, _, text = words.partition(" ")
    number = _numbers(first)[0]
    await context.session.breakpoints.update(number, origin=ORIGIN, condition=text.strip())
    if text.strip():
        context.say(f"New condition set for breakpoint {number}.")
    else:
        context.say(f"Breakpoint {number} is now unconditional.")


async def catch(context: CommandContext, words: str) -> None:
    breakpoints, exceptions = context.session.breakpoints, context.session.exceptions
    wanted = words.replace(",", " ").split()
    named = [find_moment(word) for word in wanted if word != "none"]
    if wanted and all(named):
        await exceptions.stop_at(frozenset(named), origin=ORIGIN)
    elif any(named):
        raise CommandError("name moments or types: `catch raised`, or `catch ValueError`")
    elif wanted:
        rules = [check_rule(ExceptionRule(type=name)) for name in wanted]
        for rule in rules:
            made = await breakpoints.set_exception(rule, origin=ORIGIN)
            context.say(describe(made, short=True))
        return
    moments = [moment for moment in (*MOMENTS, *OTHER_MOMENTS) if moment in exceptions.filters]
    context.say(f"The program stops at exceptions: {', '.join(moments) or 'none'}.")


def _numbers(words: str) -> list[int]:
    found = words.replace(",", " ").split()
    if not found or not all(word.isdecimal() for word in found):
        raise CommandError("name the number of a breakpoint; `b` lists them")
    return [int(word) for word in found]
