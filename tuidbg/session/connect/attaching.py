"""Attaching to a program that runs already: by the port of its debug server, or by process id.

By port, the adapter runs beside the program and is spoken to straight over TCP; by process id the
debug server is put into the program and connects to tuidbg. Each cause of a failure has an error
class of its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

from tuidbg.adapters.errors import (
    AdapterError,
    AdapterGone,
    AdapterNotStarted,
    RequestFailed,
    RequestTimedOut,
    RequestUnsupported,
)
from tuidbg.config.launch import AttachPlan
from tuidbg.session.core import Core, Program
from tuidbg.session.errors import AttachFailed, AttachRefused, AttachTimedOut, DebuggerError
from tuidbg.session.events import SessionEvent, ThreadsChanged
from tuidbg.session.state import Status

if TYPE_CHECKING:
    from tuidbg.adapters.profile import AdapterProfile
    from tuidbg.session.connect.adapter_link import AdapterLink
    from tuidbg.session.output.buffer import OutputBuffer
    from tuidbg.session.state import ThreadState

ENTERING = 60.0
"""Seconds that a program which is known by its process id gets to become ready for a debugger."""

LETTING_GO = 0.3
"""Seconds that an adapter gets for each thing that is asked of it before it is left."""


class _Files(Protocol):
    def files(self) -> list[str]:
        """The files that have breakpoints."""


class _Registered(Protocol):
    @property
    def registry(self) -> _Files:
        """All breakpoints."""


class Attached(Core, Protocol):
    """A session that is attached to a program, or about to be."""

    @property
    def adapter(self) -> AdapterLink:
        """The conversation with the adapter."""

    @property
    def output(self) -> OutputBuffer:
        """The console's lines."""

    @property
    def breakpoints(self) -> _Registered:
        """The breakpoints that the program would run into."""


class _Looks(Protocol):
    async def threads(self) -> tuple[ThreadState, ...]:
        """Fetch the threads of the program."""


class Threaded(Protocol):
    """A session that learns of the threads of its program."""

    status: Status
    threads: tuple[ThreadState, ...]
    threads_changed: bool

    @property
    def inspection(self) -> _Looks:
        """Looks at the threads."""

    def publish(self, event: SessionEvent, origin: str = "session") -> None:
        """Append to the event log."""


def prepare(profile: AdapterProfile, plan: AttachPlan) -> None:
    """Raise AdapterError where it is known that it can't be attached."""
    obstacle = profile.attach.obstacle(plan.pid) if plan.pid is not None else ""
    if plan.core:
        obstacle = profile.attach.core_obstacle(plan)
    if obstacle:
        raise AdapterError(obstacle)


def patience(plan: AttachPlan) -> float | None:
    """Seconds that attaching may take until the program is configured; None: any time.

    A process is ready as soon as its main thread runs Python code, which nobody can hurry.
    """
    if plan.pid is None:
        return plan.connect_timeout
    seconds = max(plan.connect_timeout, ENTERING) if plan.wait is None else plan.wait
    return None if math.isinf(seconds) else seconds


def explain(profile: AdapterProfile, plan: AttachPlan, error: Exception) -> DebuggerError:
    """Returns why it could not be attached to, in words."""
    title = plan.title
    match error:
        case ConnectionRefusedError():
            return AttachRefused(
                f"nothing listens at {title}; start the program with"
                f" {profile.attach.how_to_listen(plan.port or 0)}"
            )
        case TimeoutError() | RequestTimedOut():
            told = f"can't attach to {title}: no answer within {patience(plan) or 0.0:g} s"
            is_left = "; it runs on as before, and a longer time may do (--wait SECONDS)"
            return AttachTimedOut(told + (is_left if plan.pid is not None else ""))
        case RequestFailed():
            reason = profile.attach.explain_refusal(error.reason)
        case AdapterGone() if plan.ssh:
            reason = f"nothing listens at port {plan.port} of {plan.ssh.rpartition('@')[2]}"
        case AdapterGone() if plan.port is not None:
            reason = f"no debug server listens there ({error.reason})"
        case AdapterError() | AdapterNotStarted():
            reason = str(error)
        case OSError():
            reason = error.strerror or str(error)
        case _:
            reason = str(error)
    return AttachFailed(f"can't attach to {title}: {reason}")


async def let_go(session: Attached) -> None:
    """Have an attached program run on without breakpoints, where its adapter would hold it."""
    plan, client = session.plan, session.adapter.client
    if not isinstance(plan, AttachPlan) or client is None or not session.adapter.is_configurable:
        return
    if session.profile.attach.lets_go(plan):
        return
    files = session.breakpoints.registry.files()
    asked: list[tuple[str, dict[str, Any]]] = [
        ("setBreakpoints", {"source": {"path": path}, "breakpoints": []}) for path in files
    ]
    asked.append(("setFunctionBreakpoints", {"breakpoints": []}))
    if session.status is Status.PAUSED:  # else it takes none of these
        asked.append(("setInstructionBreakpoints", {"breakpoints": []}))
        thread = session.stop.thread_id if session.stop is not None else 1
        asked.append(("continue", {"threadId": thread}))
    for command, arguments in asked:
        try:
            await client.request(command, arguments, timeout=LETTING_GO)
        except (RequestFailed, RequestUnsupported):
            pass  # the rest is worth a try


def describe_loss(plan: AttachPlan, reason: str) -> str:
    """That the line to an attached program is gone, in words."""
    again = "" if plan.reconnect else "; restart attaches again"
    return f"lost {plan.title}, which may run on: {reason}{again}"


async def read_threads(session: Threaded) -> None:
    """The names of the threads of a program that runs and was not seen to start."""
    threads = await session.inspection.threads()
    if session.status in (Status.RUNNING, Status.PAUSED) and threads != session.threads:
        session.threads, session.threads_changed = threads, False
        session.publish(ThreadsChanged(threads=threads))


def process_of(session: Program) -> int | None:
    """The program's process id, if it surely is one of this machine's and is still there."""
    plan = session.plan
    if isinstance(plan, AttachPlan) and plan.pid is not None and session.pid == plan.pid:
        return plan.pid
    return None
