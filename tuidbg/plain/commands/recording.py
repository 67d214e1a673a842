"""Commands that record the program, step back, and query the recording."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from tuidbg.plain.context import ORIGIN, CommandContext, CommandError, read_lines
from tuidbg.recording.stepping import StepDirection
from tuidbg.recording.timeline import Moment
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.recording import run_of
from tuidbg.session.features.recording.queries import BecameTrue, CallRow, MomentPlace, PassRow
from tuidbg.session.features.recording.reverse_execution import (
    adapter_goes_back,
    has_past,
    stands_behind,
    step_of,
    why_nothing_back,
)
from tuidbg.session.model.state import Place, Status

_WAYS = {
    Resume.CONTINUE: StepDirection.BREAKPOINT,
    Resume.STEP_OVER: StepDirection.OVER,
    Resume.STEP_IN: StepDirection.INTO,
    Resume.STEP_OUT: StepDirection.OUT,
}

_OFF, _WRITE = "off", "write"


async def record(context: CommandContext, words: str) -> None:
    past = run_of(context.session)
    word, _, name = words.partition(" ")
    if word == _WRITE:
        path = Path(name.strip() or past.offered_name()).expanduser().absolute()
        await past.write(path)
        context.say(f"The recording so far is in {path}.")
        return
    if words not in ("", _OFF):
        raise CommandError(
            f"{words!r} is nothing to record; write `rec`, `rec {_OFF}` or `rec {_WRITE} FILE`"
        )
    if words == _OFF:
        await past.end(ORIGIN)
        context.say("Recording stopped; the recorded part stays.")
        return
    if past.is_on:
        is_compiled = past.recorder == "compiled"
        by = "compiled recorder" if is_compiled else f"recorder in Python ({past.why_slower})"
        raise CommandError(f"it is recorded already, by the {by}")
    await past.begin(ORIGIN)
    context.say("Recording starts here; `back` steps back.")


async def back(context: CommandContext, words: str) -> None:
    await _go_back(context, StepDirection.OVER)


async def back_into(context: CommandContext, words: str) -> None:
    await _go_back(context, StepDirection.INTO)


async def back_out(context: CommandContext, words: str) -> None:
    await _go_back(context, StepDirection.OUT)


async def back_to_breakpoint(context: CommandContext, words: str) -> None:
    await _go_back(context, StepDirection.BREAKPOINT)


async def _go_back(context: CommandContext, way: StepDirection) -> None:
    moment = context.moment
    if adapter_goes_back(context.session):
        await context.resume(step_of(context.session, way))
        return
    if not has_past(context.session) and (why := why_nothing_back(context.session)):
        raise CommandError(why)
    if moment is None:
        moment = await present(context)
        if stands_behind(context.session):
            await show(context, moment)
            return
    found = run_of(context.session).back(moment, way)
    if found is None:
        into = run_of(context.session).back(moment, StepDirection.INTO) is not None
        more = " for this function; `rstep` steps back into calls" if into else ""
        raise CommandError(f"the recording begins here{more}")
    await show(context, found)


async def go_forth(context: CommandContext, how: Resume) -> None:
    """Step forward in the recording, or to the present at its end."""
    assert context.moment is not None
    found = run_of(context.session).forth(context.moment, _WAYS[how])
    if found is None:
        await to_present(context, "")
    else:
        await show(context, found)


async def to_present(context: CommandContext, words: str) -> None:
    past = run_of(context.session)
    if context.moment == past.place:
        raise CommandError("this is where the recording was left" if past.place else "this is now")
    context.moment = context.frame = None
    if past.place is not None:
        await show(context, past.place)
    elif context.session.status is Status.PAUSED:
        await context.arrive()
    else:
        context.say("This is now: the program has ended.")


async def show(context: CommandContext, moment: Moment, words: str = "") -> None:
    """Show a recorded moment."""
    context.moment = moment
    frame = run_of(context.session).values.frames(moment)[0]
    context.choose(frame)
    ago = run_of(context.session).how_long_ago(moment)
    context.say(f"[recorded, {ago}] {words}".rstrip())
    await context.show_frame(frame)


async def present(context: CommandContext) -> Moment:
    frames = context.session.frames
    stands = context.session.status is Status.PAUSED and frames
    return await run_of(context.session).present(frames[0].id if stands else None)


async def why(context: CommandContext, words: str) -> None:
    """Show the line that last changed a value; without a name the change before the last answer."""
    past = run_of(context.session)
    moment = context.moment or await present(context)
    if words:
        frame = past.frame_at(moment, context.frame)
    elif context.question is not None and context.moment is not None:
        words, frame = context.question
    else:
        raise CommandError("name a variable, as `why total` or `why self.items[3]`")
    context.question = words, frame
    found = await past.tables.last_change(words, frame, moment.when)
    if found is None or found.place is None:
        raise CommandError(f"{words} has been so since the recording began")
    place = found.place
    source = await read_lines(context.session, Place(path=place.path, line=place.line))
    read = await past.tables.read_by(place.moment, "\n".join(source))
    told = past.questions.describe(words, found)
    if read:
        told += "; the line read " + ", ".join(f"{name} = {text}" for name, text in read)
    await show(context, place.moment, told)


async def when(context: CommandContext, words: str) -> None:
    """Show the first moment at which an expression was true in this function."""
    _need(words, "name an expression, as `when total > 100`")
    past = run_of(context.session)
    moment = context.moment or await present(context)
    codes = past.functions_of(past.frame_at(moment, context.frame))
    found = await past.tables.first_time(words, codes)
    if found is None:
        raise CommandError(f"{words} was never true in the calls of this function")
    await _show_answer(context, words, found)


async def when_last(context: CommandContext, words: str) -> None:
    """Show the last such moment before the current one."""
    _need(words, "name an expression, as `whenlast total > 100`")
    past = run_of(context.session)
    moment = context.moment or await present(context)
    codes = past.functions_of(past.frame_at(moment, context.frame))
    found = await past.tables.last_time(words, codes, moment.when)
    if found is None:
        raise CommandError(f"{words} did not become true before in the calls of this function")
    await _show_answer(context, words, found)


def _need(words: str, what: str) -> None:
    if not words:
        raise CommandError(what)


async def _show_answer(context: CommandContext, words: str, found: BecameTrue) -> None:
    by = found.made_by(_place, "as the call begins")
    await show(context, found.spot.moment, f"{words} becomes true, {by}")


async def changes(context: CommandContext, words: str) -> None:
    """List all values of a variable, with the lines that set them."""
    _need(words, "name a variable, as `changes total` or `changes self.items[3]`")
    past = run_of(context.session)
    moment = context.moment or await present(context)
    frame = past.frame_at(moment, context.frame)
    found = await past.tables.changes(words, frame, moment.when)
    if not found.rows:
        raise CommandError(f"{words} has had no value since the recording began")
    if found.is_cut:
        context.say(f"There were more changes before these {len(found.rows):,}.")
    lines = []
    for each in found.rows:
        name = each.name if each.name != words else ""
        new = each.new or "deleted"
        told = f"{name} {each.old} -> {new}".strip() if each.old else f"{name} {new}".strip()
        lines.append(f"{_at(each.spot)}: {told}")
    _list(context, lines, [each.spot.moment if each.spot else None for each in found.rows])
    context.question = words, frame


async def passes(context: CommandContext, words: str) -> None:
    """List all executions of a line, with the values before and after."""
    past = run_of(context.session)
    moment = context.moment or await present(context)
    frame = context.frame
    line = frame.place.line if frame is not None and frame.place is not None else moment.line
    if words:
        if not words.isdecimal():
            raise CommandError(f"{words!r} is no line")
        line = int(words)
    path = context.path
    source = "\n".join(await read_lines(context.session, Place(path=path, line=line)))
    found = await past.tables.passes(path, line, source, moment.when)
    if not found.rows:
        raise CommandError(f"line {line} was not passed while it was recorded")
    _say_total(context, len(found.rows), found.total, "passes")
    told = [_pass(found.read, found.made, each) for each in found.rows]
    _list(context, told, [each.spot.moment for each in found.rows])


def _pass(read: Sequence[str], made: Sequence[str], row: PassRow) -> str:
    before = [f"{name} = {text}" for name, text in zip(read, row.read, strict=True) if text]
    after = [f"-> {name} = {text}" for name, text in zip(made, row.made, strict=True) if text]
    return f"{row.spot.steps_ago}: {', '.join([*before, *after])}"


async def calls(context: CommandContext, words: str) -> None:
    """List all calls of a function with arguments and results."""
    past = run_of(context.session)
    moment = context.moment or await present(context)
    codes = past.questions.functions_named(words)
    if not words:
        codes = past.functions_of(past.frame_at(moment, context.frame))
    if not codes:
        raise CommandError(f"no call of {words} was recorded")
    found = await past.tables.calls(codes, moment.when)
    _say_total(context, len(found.rows), found.total, "calls")
    told = [_call(found.function, each) for each in found.rows]
    _list(context, told, [each.spot.moment for each in found.rows])


def _call(function: str, row: CallRow) -> str:
    arguments = ", ".join(f"{name}={text}" for name, text in row.arguments)
    result = f"raises {row.result}" if row.has_raised else f"returns {row.result}"
    caller = f" from {_place(row.caller)}" if row.caller is not None else ""
    end = result if row.end is not None else "is under way"
    return f"{row.spot.steps_ago}{caller}: {function}({arguments}) {end}"


async def mark(context: CommandContext, words: str) -> None:
    """Mark the moment for a comparison."""
    context.marked = context.moment or await present(context)
    context.say("This moment is marked; `differ` elsewhere shows the differences.")


async def differ(context: CommandContext, words: str) -> None:
    """Compare this moment with the marked one; ``differ run`` compares two runs."""
    past = run_of(context.session)
    if words == "run":
        await _differ_from_run_before(context)
        return
    moment = context.moment or await present(context)
    if context.marked is None:
        raise CommandError("mark a moment first: `mark`")
    found = await past.tables.differences(context.marked, moment)
    if not found.rows:
        context.say("Nothing differs.")
        return
    told = []
    for each in found.rows:
        first = f", first changed at {_place(each.first)}" if each.first is not None else ""
        values = f"{each.before or 'not there'} -> {each.now or 'not there'}"
        told.append(f"{each.expression}: {values} in {each.function}{first}")
    _list(context, told, [each.first.moment if each.first else None for each in found.rows])


async def _differ_from_run_before(context: CommandContext) -> None:
    past = run_of(context.session)
    found = await past.tables.parting(past.before)
    if found is None:
        context.say("The two runs do the same, as far as both were recorded.")
    else:
        await show(context, found.spot.moment, found.words)


async def go(context: CommandContext, words: str) -> None:
    """Show the moment of a row of the last table."""
    rows = context.table
    if not words.isdecimal() or not 0 < int(words) <= len(rows):
        last = f"a number up to {len(rows):,}" if rows else "a row of a table, as of `changes NAME`"
        raise CommandError(f"name {last}")
    moment = rows[int(words) - 1]
    if moment is None:
        raise CommandError("it was so when the recording began")
    await show(context, moment)


def _list(context: CommandContext, lines: Sequence[str], moments: Sequence[Moment | None]) -> None:
    context.table = list(moments)
    width = len(str(len(lines)))
    context.say("\n".join(f"{number:>{width}} {line}" for number, line in enumerate(lines, 1)))


def _say_total(context: CommandContext, shown: int, total: int, what: str) -> None:
    if shown < total:
        context.say(f"{total:,} {what}, of which these {shown:,} are around this moment.")


def _at(spot: MomentPlace | None) -> str:
    return "initially" if spot is None else f"{spot.steps_ago}, {_place(spot)} {spot.function}"


def _place(spot: MomentPlace) -> str:
    return f"{PurePath(spot.path).name}:{spot.line}"
