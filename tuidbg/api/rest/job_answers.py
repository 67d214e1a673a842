"""Defines what the answer about a job holds, and makes it of what the operation tells."""

from __future__ import annotations

from tuidbg.api.operations.job.commanding import AnswerView, Commanded
from tuidbg.api.operations.job.reading import JobView, ProcessView
from tuidbg.api.rest.answers import Answer, SourceLocation, StatusName
from tuidbg.session.job.stacks import Call


class JobProcess(Answer, frozen=True):
    """One process; ``instead`` is what is known of one that is nowhere, ``reason`` of its stop."""

    session_id: str
    rank: int | None
    local_rank: int | None
    world_size: int | None
    host: str | None
    role: str | None
    worker: str | None
    name: str
    pid: int | None
    status: StatusName
    location: SourceLocation | None
    instead: str | None
    reason: str | None
    waits_for: str | None
    differs: bool


class JobStack(Answer, frozen=True):
    """A stack, the newest call first, and those that have it."""

    who: str
    count: int
    differs: bool
    calls: list[SourceLocation]
    instead: str | None
    reason: str | None


class JobResponse(Answer, frozen=True):
    """All processes in the order of their ranks, and their stacks, the fewest first."""

    processes: list[JobProcess]
    stacks: list[JobStack]


class JobCommanded(Answer, frozen=True):
    """A command to processes, and what became of it in words."""

    ranks: str
    count: int
    result: str


class JobValue(Answer, frozen=True):
    """Processes that gave the same: a result, an error, or ``instead`` why neither."""

    who: str
    ranks: list[int]
    count: int
    differs: bool
    result: str | None
    type: str | None
    error: str | None
    instead: str | None


class JobValuesResponse(Answer, frozen=True):
    """What an expression gave in the processes of a job, what differs first."""

    values: list[JobValue]


def tell_commanded(found: Commanded) -> JobCommanded:
    """What became of a command."""
    return JobCommanded(ranks=found.ranks, count=found.count, result=found.words)


def tell_values(seen: tuple[AnswerView, ...]) -> JobValuesResponse:
    """The values of all."""
    return JobValuesResponse(values=[_tell_value(each) for each in seen])


def _tell_value(seen: AnswerView) -> JobValue:
    return JobValue(
        who=seen.who,
        ranks=list(seen.ranks),
        count=seen.count,
        differs=seen.differs,
        result=seen.value.shown if seen.value is not None else None,
        type=(seen.value.type or None) if seen.value is not None else None,
        error=seen.problem or None,
        instead=seen.instead or None,
    )


def tell_job(seen: JobView) -> JobResponse:
    """The whole job."""
    return JobResponse(
        processes=[_tell_process(each) for each in seen.processes],
        stacks=[
            JobStack(
                who=each.who,
                count=each.numbers,
                differs=each.differs,
                calls=[_tell_call(call) for call in each.calls],
                instead=each.instead or None,
                reason=each.reason or None,
            )
            for each in seen.stacks
        ],
    )


def _tell_process(seen: ProcessView) -> JobProcess:
    who = seen.identity
    return JobProcess(
        session_id=seen.session_id,
        rank=who.rank,
        local_rank=who.local_rank,
        world_size=who.world_size,
        host=who.host or None,
        role=who.role or None,
        worker=who.worker or None,
        name=seen.name,
        pid=seen.pid,
        status=seen.status.value,
        location=_tell_call(seen.call) if seen.call is not None else None,
        instead=seen.instead or None,
        reason=seen.reason or None,
        waits_for=seen.waits_for or None,
        differs=seen.differs,
    )


def _tell_call(call: Call) -> SourceLocation:
    return SourceLocation(path=call.path or None, line=call.line, column=1, function=call.function)
