"""The command about all processes of a job: where they are, one expression in all, commands."""

from __future__ import annotations

from tuidbg.plain.context import ORIGIN, CommandContext, Refused
from tuidbg.session.job.asking import describe_values
from tuidbg.session.job.crew import ALONE, TOGETHER, Crew
from tuidbg.session.job.folding import Fold
from tuidbg.session.job.job import (
    Member,
    describe_members,
    describe_standing,
    describe_states,
)
from tuidbg.session.job.orders import Order, Verb, read_order
from tuidbg.session.job.stacks import Standing
from tuidbg.session.job.waiting import find_job_waits
from tuidbg.session.state import Status

_WAIT = "wait"
"""Before a number: until so many processes are there, or stand."""

_TOGETHER, _OFF = "together", "off"
"""All stop where one stops; or no more."""

_CLEAR = "clear"
"""The ended processes are taken out of the job."""

_WANTED = {"": (Status.RUNNING, Status.PAUSED), "paused": (Status.PAUSED,)}


async def job(context: CommandContext, words: str) -> None:
    """Tell where all processes are; or give some of them a command. It can be called off."""
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
            context.frame = None  # it may be one that is left now
            context.say(await crew.obey(order))


def _stop_together(context: CommandContext, crew: Crew, words: str) -> None:
    if words not in ("", _OFF):
        raise Refused(f"write `job {_TOGETHER}` or `job {_TOGETHER} {_OFF}`")
    if context.session.family is None:
        raise Refused("the program is alone")
    crew.stop_together(words != _OFF)
    context.say((ALONE if words == _OFF else TOGETHER).capitalize() + ".")


async def _wait(context: CommandContext, crew: Crew, words: str) -> None:
    count, _, state = words.partition(" ")
    wanted = _WANTED.get(state.strip())
    if not count.isdecimal() or not int(count) or wanted is None:
        raise Refused(f"{words!r} is no number of processes; write `job wait 4 [paused]`")
    if (family := context.session.family) is None:
        raise Refused("nobody can connect: the program is alone")

    def are_there() -> bool:
        found = [r for r in crew.find_all() if r.session.status in wanted and r.session.pid]
        return len(found) >= int(count)

    await family.events.wait_for(are_there)


async def _list(context: CommandContext, crew: Crew) -> None:
    found = await crew.look()
    waits = await find_job_waits(crew.find_all())
    if not found.members:
        raise Refused("no process has connected yet; `job wait 4` waits for four")
    context.say(describe_states(found))
    for fold in found.folds():
        context.say(_tell_fold(fold))
    for each in found.members:
        context.say(_tell_member(each, waits.get(each.number, "")))


def _tell_fold(fold: Fold[Member, Standing]) -> str:
    callers = ", ".join(call.function for call in fold.common.stack[1:])
    called = f", called by {callers}" if callers else ""
    differs = ", which differs" if fold.is_odd else ""
    who = describe_members(fold.members)
    return f"{len(fold.members)}, {who}: {describe_standing(fold.common)}{called}{differs}"


def _tell_member(member: Member, waits_for: str) -> str:
    words = [f"{member.label}: {member.status}", member.place]
    words += [f"waits for {waits_for}"] if waits_for else []
    words += [f"pid {member.pid}"] if member.pid is not None else []
    return ", ".join(words)


async def _evaluate(context: CommandContext, crew: Crew, order: Order) -> None:
    folds = await crew.evaluate(order)
    context.say(f"{order.about}: {describe_values(folds)}")
    for fold in folds:
        differs = ", which differs" if fold.is_odd else ""
        context.say(f"{describe_members(fold.members)}: {fold.common.words}{differs}")
