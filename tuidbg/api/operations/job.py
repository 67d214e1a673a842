"""Operations on all processes of a program."""

from __future__ import annotations

import asyncio

import msgspec

from tuidbg.api.operations.views import VariableView, View, view_failure, view_result
from tuidbg.session.core.process_tree.identity import Identity
from tuidbg.session.features.job.commands import NoOrder, Verb, make_order
from tuidbg.session.features.job.job import JobMember as Process
from tuidbg.session.features.job.job import JobResults, describe_members
from tuidbg.session.features.job.members import LIMIT, Crew, MemberResult, find_job_waits
from tuidbg.session.features.job.stacks import Fold, MemberLocation, Stack, StackEntry
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.state import Status, Variable

LONGEST_WAIT = 300.0
"""Maximum seconds for an expression in one process."""


class Commanded(msgspec.Struct, frozen=True):
    """The outcome of a command to several processes, in words."""

    ranks: str
    count: int
    words: str


async def command_job(
    member: HubSession, command: Verb, ranks: str = "all", place: str = "", *, origin: str
) -> Commanded:
    """Send a command to some processes: ``0,3-5``, ``all``, ``paused``, a host, a worker.

    ``until`` returns when no process is on its way to the ``place`` (``FILE:LINE``) any more; the
    other commands return when the adapters have agreed. Raises NotChosen, NoOrder, DebuggerError.
    """
    crew = Crew(member.session, origin=origin)
    if command is Verb.EVALUATE:
        raise NoOrder("that is asked for by itself")
    order = make_order(await crew.look(), ranks, command, place)
    words = await crew.obey(order)
    return Commanded(describe_members(order.members), len(order.members), words)


class AnswerView(View, frozen=True):
    """Processes with the same answer: a value, a ``problem``, or ``instead`` why neither."""

    who: str
    ranks: tuple[int, ...]
    count: int
    differs: bool
    value: VariableView | None
    problem: str
    instead: str


async def evaluate_job(
    member: HubSession, expression: str, ranks: str = "all", *, timeout: float = LIMIT, origin: str
) -> tuple[AnswerView, ...]:
    """Evaluate an expression in all paused processes, each in its top frame, grouped by answer.

    Differing answers come first. ``timeout`` is in seconds for each process, and delays no other.
    Raises NotChosen, NoOrder, DoesNotParse.
    """
    crew = Crew(member.session, origin=origin)
    order = make_order(await crew.look(), ranks, Verb.EVALUATE, expression)
    folds = await crew.evaluate(order, min(timeout, LONGEST_WAIT))
    return tuple(_view(order.about, fold) for fold in folds)


def _view(expression: str, fold: Fold[Process, MemberResult]) -> AnswerView:
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


class JobFound(msgspec.Struct, frozen=True):
    """A job, with the waits of its processes and their session ids, by process number."""

    job: JobResults
    waits: dict[int, str]
    sessions: dict[int, str]


async def read_job(hub: Hub, member: HubSession) -> JobFound:
    """Read where all processes of the job are and what they wait for.

    No process is stopped for it; one that does not answer in time is reported as such.
    """
    crew = Crew(member.session, origin=member.origin)
    everybody = crew.find_all()
    job, waits = await asyncio.gather(crew.look(), find_job_waits(everybody))
    ids = {each.session: each.id for each in hub}
    sessions = {each.number: ids[each.session] for each in everybody if each.session in ids}
    return JobFound(job, waits, sessions)


class ProcessView(View, frozen=True):
    """One process. ``call`` is its innermost call; ``instead`` is the state of one without a stack.

    ``reason`` is why it is paused. It ``differs`` if it is not where most processes are.
    """

    session_id: str
    identity: Identity
    name: str
    pid: int | None
    status: Status
    call: StackEntry | None
    instead: str
    reason: str
    waits_for: str
    differs: bool


class JobStackView(View, frozen=True):
    """A stack and its processes; ``who`` names them briefly: ``ranks 0-4, 7``."""

    who: str
    numbers: int
    differs: bool
    calls: Stack
    instead: str
    reason: str


class JobView(View, frozen=True):
    """All processes in rank order, and their stacks, rarest first."""

    processes: tuple[ProcessView, ...]
    stacks: tuple[JobStackView, ...]


def view_job(found: JobFound, *, by_line: bool) -> JobView:
    """Render a job: names of functions, files and locks as in any stack, and no values.

    Without ``by_line``, two lines of one function are the same place.
    """
    folds = found.job.folds(by_line=by_line)
    odd = {each.number for fold in folds if fold.is_odd for each in fold.members}
    return JobView(
        processes=tuple(
            _view_process(found, each, each.number in odd) for each in found.job.members
        ),
        stacks=tuple(
            JobStackView(
                who=describe_members(fold.members),
                numbers=len(fold.members),
                differs=fold.is_odd,
                calls=fold.common.stack,
                instead=_instead(fold.common),
                reason=fold.common.reason,
            )
            for fold in folds
        ),
    )


def _view_process(found: JobFound, process: Process, differs: bool) -> ProcessView:
    return ProcessView(
        session_id=found.sessions.get(process.number, ""),
        identity=process.identity,
        name=process.name,
        pid=process.pid,
        status=process.status,
        call=next(iter(process.standing.stack), None),
        instead=_instead(process.standing),
        reason=process.standing.reason,
        waits_for=found.waits.get(process.number, ""),
        differs=differs,
    )


def _instead(standing: MemberLocation) -> str:
    """Return why there is no stack."""
    return "" if standing.stack else standing.instead or "outside your code"
