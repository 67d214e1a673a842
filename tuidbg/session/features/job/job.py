"""All processes of a family as one job: identity, state and location of each.

A running process is queried for its location; it is not stopped for that. One that does not reply
in time is reported as such, and delays no other.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import NamedTuple

from tuidbg.session.core.process_tree.family import ProcessInfo, ProcessTree
from tuidbg.session.core.process_tree.identity import PATIENCE, Identity, learn_identity, name_ranks
from tuidbg.session.core.run.ending import describe_exit
from tuidbg.session.core.session import Session
from tuidbg.session.core.stack.stop_wording import name_reason
from tuidbg.session.features.job.stacks import (
    Fold,
    MemberLocation,
    Stack,
    StackEntry,
    fold,
    stack_of,
)
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import StateValue, Status, StopReason, ThreadState

WAITS_FOR_WORK = "waits for work"
WAITS_FOR_REQUESTS = "waits for requests"


class _Loop(NamedTuple):
    """A task loop's function, and the one it waits for tasks in.

    Empty: it waits itself.
    """

    file: str
    function: str
    waits_in: str
    words: str


_LOOPS = (
    _Loop("multiprocessing/pool.py", "worker", "get", WAITS_FOR_WORK),
    _Loop("concurrent/futures/process.py", "_process_worker", "get", WAITS_FOR_WORK),
    _Loop("loky/process_executor.py", "_process_worker", "get", WAITS_FOR_WORK),
    _Loop("billiard/pool.py", "workloop", "receive", WAITS_FOR_WORK),
    _Loop("multiprocessing/forkserver.py", "main", "select", WAITS_FOR_REQUESTS),
    _Loop("billiard/forkserver.py", "main", "select", WAITS_FOR_REQUESTS),
    _Loop("multiprocessing/resource_tracker.py", "main", "", WAITS_FOR_REQUESTS),
    _Loop("loky/backend/resource_tracker.py", "main", "", WAITS_FOR_REQUESTS),
    _Loop("billiard/semaphore_tracker.py", "main", "", WAITS_FOR_REQUESTS),
)

_WAITING = (
    "multiprocessing/queues.py",
    "multiprocessing/connection.py",
    "multiprocessing/synchronize.py",
    "billiard/pool.py",
    "billiard/connection.py",
    "billiard/synchronize.py",
    "/selectors.py",
)
"""Files in which a worker only waits; user objects unpickled there have frames of their own."""


def is_of_a_file(stack: Stack) -> bool:
    """True if the newest call has a file; a line of ``python -c`` has none."""
    return bool(stack) and not stack[0].path.startswith("<")


def without_bootstrap(stack: Stack) -> Stack:
    """Return the stack without the ``python -c`` line at its bottom, unless that is all."""
    end = len(stack)
    while end > 1 and _is_line(stack[end - 1]):
        end -= 1
    return stack[:end]


def read_worker(whole: Stack) -> MemberLocation:
    """Return a process's location from its full stack, libraries included; empty if unknown.

    It is the call it waits in, or the newest call that has a file.
    """
    if words := _what_it_waits_for(whole):
        return MemberLocation(instead=words)
    first = next((at for at, call in enumerate(whole) if is_of_a_file((call,))), None)
    return (
        MemberLocation(stack=without_bootstrap(whole[first:]))
        if first is not None
        else MemberLocation()
    )


def _what_it_waits_for(whole: Sequence[StackEntry]) -> str:
    for at, call in enumerate(whole):
        for loop in _LOOPS:
            if _is(call, loop) and _only_waits(whole[:at], loop.waits_in):
                return loop.words
    return ""


def _is(call: StackEntry, loop: _Loop) -> bool:
    return call.function == loop.function and call.path.endswith(loop.file)


def _only_waits(above: Sequence[StackEntry], waits_in: str) -> bool:
    if not above or not waits_in:
        return not above and not waits_in
    return above[-1].function == waits_in and all(c.path.endswith(_WAITING) for c in above)


def _is_line(call: StackEntry) -> bool:
    return call.function == "<module>" and call.path == "<string>"


_COUNTED = (Status.RUNNING, Status.PAUSED)

NO_ANSWER = "does not answer"

_DESCRIBED_WITHIN = 0.5
"""Seconds to wait for an exception's type after its location."""

MOST_THREADS = 16
"""Threads queried per process, if the ones before are outside user code."""

_NO_STOP = {
    Status.CREATED: "not started",
    Status.LAUNCHING: "starting",
    Status.RUNNING: "running",
    Status.TERMINATED: "ended",
    Status.FAILED: "lost",
}


class JobMember(StateValue, frozen=True):
    """One process of a job. ``number`` is that of its family; ``name`` is for display."""

    number: int
    name: str
    identity: Identity
    pid: int | None
    status: Status
    standing: MemberLocation

    @property
    def label(self) -> str:
        """Return its label for a row: its rank, its worker's name, else its own name."""
        return self.identity.label or self.name

    @property
    def place(self) -> str:
        """Return its location in words: ``all_reduce at net.py:5``."""
        return describe_standing(self.standing)


class JobResults(StateValue, frozen=True):
    """The results for all processes, in the order of their ranks."""

    members: tuple[JobMember, ...] = ()

    def folds(self, *, by_line: bool = True) -> tuple[Fold[JobMember, MemberLocation], ...]:
        """Return the processes grouped by location; the smallest group first."""
        return fold(((each, each.standing) for each in self.members), by_line=by_line)

    def groups(self) -> dict[str, list[JobMember]]:
        """Return the processes grouped by host and role."""
        found: dict[str, list[JobMember]] = {}
        for each in self.members:
            found.setdefault(each.identity.group, []).append(each)
        return found


async def look_at_job(session: Session) -> JobResults:
    """Query the locations of all related processes."""
    family = session.family
    relatives = list(family) if family is not None else [ProcessInfo(session, None, "", 0)]
    wanted = [each for each in relatives if each.is_program]
    found = await asyncio.gather(*(_look(family, each) for each in wanted))
    living = {_key(each) for each in found if each.status not in (Status.TERMINATED, Status.FAILED)}
    members = [
        each
        for each in found
        if each.status not in (Status.TERMINATED, Status.FAILED) or _key(each) not in living
    ]
    return JobResults(members=tuple(sorted(members, key=_in_order)))


def _key(member: JobMember) -> object:
    """Return the properties a process shares with the one it replaced."""
    identity = member.identity
    return (identity.rank, identity.role) if identity.rank is not None else member.number


def _in_order(member: JobMember) -> tuple[bool, int, int]:
    rank = member.identity.rank
    return rank is None, rank if rank is not None else 0, member.number


async def _look(family: ProcessTree | None, relative: ProcessInfo) -> JobMember:
    session = relative.session
    is_living = session.status in (Status.RUNNING, Status.PAUSED)
    if is_living and relative.is_to_be_asked:
        identity = await learn_identity(session, is_here=not session.is_attached)
        if family is not None:
            family.identify(relative, identity)
        else:
            relative.take_identity(identity)
    identity = relative.identity or Identity()
    return JobMember(
        number=relative.number,
        name=relative.name or session.plan.title,
        identity=identity,
        pid=session.pid,
        status=session.status,
        standing=await _standing(session, is_worker=bool(identity.worker)),
    )


async def _standing(session: Session, *, is_worker: bool) -> MemberLocation:
    """Return a process's location. A forked worker has its parent's calls below its own."""
    if session.status not in (Status.PAUSED, Status.RUNNING):
        return MemberLocation(instead=describe_absence(session))
    try:
        async with asyncio.timeout(PATIENCE):
            if session.status is Status.PAUSED:
                return await _place_of_stop(session)
            main, *others = (await session.inspection.threads())[:MOST_THREADS] or (None,)
            if main is None:
                return MemberLocation()
            stack = stack_of(await session.inspection.running_stack(main.id))
            standing, is_own = MemberLocation(stack=without_bootstrap(stack)), is_of_a_file(stack)
            if is_own and not is_worker:
                return standing
            frames = await session.inspection.running_stack(main.id, whole=True)
    except (TimeoutError, DebuggerError):
        return MemberLocation(instead=NO_ANSWER)
    worker = read_worker(stack_of(frames))
    if is_own and not worker.instead:
        return standing
    is_known = bool(worker.instead) or (bool(stack) and bool(worker.stack))
    return await _beside(session, others, worker if is_known else standing)


async def _place_of_stop(session: Session) -> MemberLocation:
    await session.events.wait_for(
        lambda: session.status is not Status.PAUSED or session.stack_of == session.stop_id
    )
    with contextlib.suppress(TimeoutError):  # then the type of its exception is not known
        async with asyncio.timeout(_DESCRIBED_WITHIN):
            await session.events.wait_for(lambda: _is_described(session))
    return standing_of_stop(session)


def _is_described(session: Session) -> bool:
    """True if the reason of its stop is known, or it was resumed."""
    stop = session.stop
    is_exception = stop is not None and stop.reason is StopReason.EXCEPTION
    return not is_exception or (stop is not None and stop.exception is not None)


def standing_of_stop(session: Session) -> MemberLocation:
    """Return a paused process's location, as far as its stop is known, and the stop's reason."""
    stop = session.stop
    return MemberLocation(
        stack=without_bootstrap(stack_of(session.frames)),
        reason=name_reason(stop) if stop is not None else "",
    )


async def _beside(
    session: Session, others: list[ThreadState], main: MemberLocation
) -> MemberLocation:
    """Return the location of the first other thread in user code; else of the main thread.

    A Dask worker, for example: its main thread runs the event loop, a thread beside it the tasks.
    Code without a file (``python -c``, as ``multiprocessing`` starts) counts if there is nothing
    else.
    """
    # All at once: debugpy waits half a second for each, in case that it stops.
    questions = (session.inspection.running_stack(each.id) for each in others)
    try:
        async with asyncio.timeout(PATIENCE):
            told = await asyncio.gather(*questions, return_exceptions=True)
    except TimeoutError:
        return main
    found = [without_bootstrap(stack_of(each)) for each in told if isinstance(each, tuple)]
    own = next(filter(is_of_a_file, found), None)
    return MemberLocation(stack=own) if own is not None else main


# Wording


def describe_absence(session: Session) -> str:
    """Return why a process has no location: ``running``, ``was killed (SIGKILL)``."""
    if session.exit is not None:
        return describe_exit(session.exit, "it").removeprefix("it ").rstrip(".")
    return _NO_STOP[session.status]


def describe_standing(standing: MemberLocation) -> str:
    """Return place and reason: ``save at net.py:5 (KeyError)``; or its state instead."""
    if standing.instead:
        return standing.instead
    reason = f" ({standing.reason})" if standing.reason else ""
    if not standing.stack:
        return f"outside your code{reason}"
    top = standing.stack[0]
    return f"{top.function} at {top.place}{reason}"


def describe_states(job: JobResults) -> str:
    """Return the number per state: ``8 processes, 7 running, 1 paused``."""
    total = len(job.members)
    words = ["1 process" if total == 1 else f"{total} processes"]
    for status in _COUNTED:
        if number := sum(each.status is status for each in job.members):
            words.append(f"{number} {status}")
    over = sum(each.status not in _COUNTED for each in job.members)
    return ", ".join(words + ([f"{over} not running"] if over else []))


def describe_members(members: tuple[JobMember, ...]) -> str:
    """Name them in few words: ``rank 3``, ``ranks 0-2, 4``, ``gw0, gw1``."""
    ranks = [each.identity.rank for each in members if each.identity.rank is not None]
    names = [each.label for each in members if each.identity.rank is None]
    return ", ".join(([name_ranks(ranks)] if ranks else []) + names)


def describe_folds(folds: tuple[Fold[JobMember, MemberLocation], ...]) -> str:
    """Return the number per location: ``1 in forward at a.py:9, 7 in all_reduce at b.py:5``."""
    return ", ".join(f"{len(each.members)} {_in(each.common)}" for each in folds)


def _in(standing: MemberLocation) -> str:
    words = describe_standing(standing)
    return f"in {words}" if standing.stack and not standing.instead else words
