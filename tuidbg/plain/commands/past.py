"""The commands that go back in time: record, step back, ask who changed a value and when.

In the past ``s``, ``n``, ``r`` and ``c`` go on in the recording; at its end is the present.
"""

from __future__ import annotations

from pathlib import Path

from tuidbg.plain.context import ORIGIN, CommandContext, Refused
from tuidbg.recording.timeline import Moment
from tuidbg.recording.ways import Way
from tuidbg.session.execution import Resume
from tuidbg.session.past.ways_back import (
    adapter_goes_back,
    has_past,
    stands_behind,
    step_of,
    why_nothing_back,
)
from tuidbg.session.state import Status

_WAYS = {
    Resume.CONTINUE: Way.BREAKPOINT,
    Resume.STEP_OVER: Way.OVER,
    Resume.STEP_IN: Way.INTO,
    Resume.STEP_OUT: Way.OUT,
}

_OFF, _WRITE = "off", "write"


async def record(context: CommandContext, words: str) -> None:
    past = context.session.past
    word, _, name = words.partition(" ")
    if word == _WRITE:
        path = Path(name.strip() or past.offered_name()).expanduser().absolute()
        await past.write(path)
        context.say(f"The recording so far is in {path}.")
        return
    if words not in ("", _OFF):
        raise Refused(
            f"{words!r} is nothing to record; write `rec`, `rec {_OFF}` or `rec {_WRITE} FILE`"
        )
    if words == _OFF:
        await past.end(ORIGIN)
        context.say("Nothing is recorded any more; what was recorded stays.")
        return
    if past.is_on:
        raise Refused("it is recorded already")
    await past.begin(ORIGIN)
    context.say("Recorded from here on; `back` steps back.")


async def back(context: CommandContext, words: str) -> None:
    await _go_back(context, Way.OVER)


async def back_into(context: CommandContext, words: str) -> None:
    await _go_back(context, Way.INTO)


async def back_out(context: CommandContext, words: str) -> None:
    await _go_back(context, Way.OUT)


async def back_to_breakpoint(context: CommandContext, words: str) -> None:
    await _go_back(context, Way.BREAKPOINT)


async def _go_back(context: CommandContext, way: Way) -> None:
    moment = context.moment
    if adapter_goes_back(context.session):
        await context.resume(step_of(context.session, way))
        return
    if not has_past(context.session) and (why := why_nothing_back(context.session)):
        raise Refused(why)
    if moment is None:
        moment = await present(context)
        if stands_behind(context.session):
            await show(context, moment)
            return
    found = context.session.past.back(moment, way)
    if found is None:
        into = context.session.past.back(moment, Way.INTO) is not None
        more = " for this function; `rstep` steps back into calls" if into else ""
        raise Refused(f"the recording begins here{more}")
    await show(context, found)


async def go_forth(context: CommandContext, how: Resume) -> None:
    """Step on in the recording, or to the present at its end."""
    assert context.moment is not None
    found = context.session.past.forth(context.moment, _WAYS[how])
    if found is None:
        await to_present(context, "")
    else:
        await show(context, found)


async def to_present(context: CommandContext, words: str) -> None:
    past = context.session.past
    if context.moment == past.place:
        raise Refused("this is where the recording was left" if past.place else "this is now")
    context.moment = context.frame = None
    if past.place is not None:
        await show(context, past.place)
    elif context.session.status is Status.PAUSED:
        await context.arrive()
    else:
        context.say("This is now: the program has ended.")


async def show(context: CommandContext, moment: Moment, words: str = "") -> None:
    """Look at a moment that was recorded."""
    context.moment = moment
    frame = context.session.past.values.frames(moment)[0]
    context.choose(frame)
    ago = context.session.past.how_long_ago(moment)
    context.say(f"[recorded, {ago}] {words}".rstrip())
    await context.show_frame(frame)


async def present(context: CommandContext) -> Moment:
    frames = context.session.frames
    stands = context.session.status is Status.PAUSED and frames
    return await context.session.past.present(frames[0].id if stands else None)
