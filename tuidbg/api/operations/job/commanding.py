"""Commands to the processes of a job, and one expression in them: as people write them by ranks."""

from __future__ import annotations

import msgspec

from tuidbg.api.operations.views import VariableView, View, view_failure, view_result
from tuidbg.session.job.asking import LIMIT, Answer
from tuidbg.session.job.crew import Crew
from tuidbg.session.job.folding import Fold
from tuidbg.session.job.job import Member as Process
from tuidbg.session.job.job import describe_members
from tuidbg.session.job.orders import NoOrder, Verb, make_order
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Variable

LONGEST_WAIT = 300.0
"""Seconds that an expression may take in one process at most."""


class Commanded(msgspec.Struct, frozen=True):
    """What became of a command to so many processes, in words."""

    ranks: str
    count: int
    words: str


async def command_job(
    member: Member, command: Verb, ranks: str = "all", place: str = "", *, origin: str
) -> Commanded:
    """Give a command to some processes: ``0,3-5``, ``all``, ``paused``, a host, a worker.

    ``until`` returns when none of them is on its way to the ``place`` (``FILE:LINE``) any more; the
    others do when the adapters have agreed. Raises NotChosen, NoOrder, DebuggerError.
    """
    crew = Crew(member.session, origin=origin)
    if command is Verb.EVALUATE:
        raise NoOrder("that is asked for by itself")
    order = make_order(await crew.look(), ranks, command, place)
    words = await crew.obey(order)
    return Commanded(describe_members(order.members), len(order.members), words)


class AnswerView(View, frozen=True):
    """What those gave that gave the same: a value, a ``problem``, or why there is neither."""

    who: str
    ranks: tuple[int, ...]
    count: int
    differs: bool
    value: VariableView | None
    problem: str
    instead: str


async def evaluate_job(
    member: Member, expression: str, ranks: str = "all", *, timeout: float = LIMIT, origin: str
) -> tuple[AnswerView, ...]:
    """One expression in all processes that stand, each in its top frame; equal answers together.

    What differs comes first. It may take ``timeout`` seconds in each, which delays no other. Raises
    NotChosen, NoOrder, DoesNotParse.
    """
    crew = Crew(member.session, origin=origin)
    order = make_order(await crew.look(), ranks, Verb.EVALUATE, expression)
    folds = await crew.evaluate(order, min(timeout, LONGEST_WAIT))
    return tuple(_view(order.about, fold) for fold in folds)


def _view(expression: str, fold: Fold[Process, Answer]) -> AnswerView:
    answer, members = fold.common, fold.members
    has_value = not (answer.problem or answer.instead)
    found = Variable(name=expression, value=answer.value, type=answer.type)
    return AnswerView(
        who=describe_members(members),
        ranks=tuple(m.identity.rank for m in members if m.identity.rank is not None),
        count=len(members),
        differs=fold.is_odd,
        value=view_result(expression, found) if has_value else None,
        problem=view_failure(answer.problem),
        instead=answer.instead,
    )
