"""The commands that say where the program shall stop."""

from __future__ import annotations

from typing import Unpack

from tuidbg.plain.commands.running import folders
from tuidbg.plain.context import ORIGIN, CommandContext, Refused, why_refused
from tuidbg.plain.places import Wish, read_wish
from tuidbg.session.breakpoints.kinds.exceptions import (
    MOMENTS,
    OTHER_MOMENTS,
    check_rule,
    find_moment,
)
from tuidbg.session.breakpoints.options import BreakpointSettings
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus, ExceptionRule


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
        raise Refused("name a line, file:line or a function")
    await _set(context, read_wish(words, context.path, folders(context)), temporary=True)


async def set_log(context: CommandContext, words: str) -> None:
    place, _, text = words.partition(" ")
    if not text.strip():
        raise Refused("write `log LINE TEXT`, with expressions in {braces}")
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
        raise Refused(why_refused(made))
    context.say(describe(made, short=True))


def describe(found: Breakpoint, *, short: bool = False) -> str:
    """A breakpoint in one line; ``short``: its number, its place and why it is not set yet."""
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
            raise Refused(f"there is no breakpoint at {words}")
    elif words:
        gone = [breakpoints.registry.get(number) for number in _numbers(words)]
    if not gone:
        raise Refused("there are no breakpoints")
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
        raise Refused(f"{count!r} is no count")
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
        raise Refused("name moments or types: `catch raised`, or `catch ValueError`")
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
        raise Refused("name the number of a breakpoint; `b` lists them")
    return [int(word) for word in found]
