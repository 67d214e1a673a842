"""Tells all processes of a program as one job, as the caller may see it: one call for all ranks."""

from __future__ import annotations

import asyncio

import msgspec

from tuidbg.api.operations.views import View
from tuidbg.session.hub import Hub
from tuidbg.session.job.crew import Crew
from tuidbg.session.job.identity import Identity
from tuidbg.session.job.job import Job, describe_members
from tuidbg.session.job.job import Member as Process
from tuidbg.session.job.stacks import Call, Stack, Standing
from tuidbg.session.job.waiting import find_job_waits
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Status


class JobFound(msgspec.Struct, frozen=True):
    """A job with what its processes wait for, and their sessions' ids, both by their numbers."""

    job: Job
    waits: dict[int, str]
    sessions: dict[int, str]


async def read_job(hub: Hub, member: Member) -> JobFound:
    """Ask all processes that belong together where they are and what they wait for.

    None is stopped for it; one that does not answer in time is told as such.
    """
    crew = Crew(member.session, origin=member.origin)
    everybody = crew.find_all()
    job, waits = await asyncio.gather(crew.look(), find_job_waits(everybody))
    ids = {each.session: each.id for each in hub}
    sessions = {each.number: ids[each.session] for each in everybody if each.session in ids}
    return JobFound(job, waits, sessions)


class ProcessView(View, frozen=True):
    """One process. ``call`` is where it is; ``instead`` is what is known where it is nowhere,
    ``reason`` why it is paused.

    It ``differs`` where most of all are at one place, and it is not.
    """

    session_id: str
    identity: Identity
    name: str
    pid: int | None
    status: Status
    call: Call | None
    instead: str
    reason: str
    waits_for: str
    differs: bool


class StackView(View, frozen=True):
    """A stack and those that have it; ``who`` names them in few words, ``ranks 0-4, 7``."""

    who: str
    numbers: int
    differs: bool
    calls: Stack
    instead: str
    reason: str


class JobView(View, frozen=True):
    """All processes in the order of their ranks, and their stacks, the fewest first."""

    processes: tuple[ProcessView, ...]
    stacks: tuple[StackView, ...]


def view_job(found: JobFound, *, by_line: bool) -> JobView:
    """A job: names of functions, files and locks, as every stack tells them, and no values.

    Not ``by_line``: two lines of one function are the same place.
    """
    folds = found.job.folds(by_line=by_line)
    odd = {each.number for fold in folds if fold.is_odd for each in fold.members}
    return JobView(
        processes=tuple(
            _view_process(found, each, each.number in odd) for each in found.job.members
        ),
        stacks=tuple(
            StackView(
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


def _instead(standing: Standing) -> str:
    """Why there is no stack."""
    return "" if standing.stack else standing.instead or "outside your code"
