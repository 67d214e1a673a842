"""Attaching to a program that runs already: by the port of its debug server, or by process id.

By port, the adapter runs beside the program and is spoken to straight over TCP; by process id the
debug server is put into the program and connects to tuidbg. Each cause of a failure has an error
class of its own.
"""

from __future__ import annotations

import asyncio
import math
import socket
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol

from tuidbg.adapters.client import AdapterClient
from tuidbg.adapters.errors import (
    AdapterError,
    AdapterGone,
    AdapterNotStarted,
    RequestFailed,
    RequestTimedOut,
    RequestUnsupported,
    TunnelFailed,
)
from tuidbg.config.launch import AttachPlan
from tuidbg.session.core import Core, HasProfile, Program, Tells
from tuidbg.session.errors import AttachFailed, AttachRefused, AttachTimedOut, DebuggerError
from tuidbg.session.events import SessionEvent, ThreadsChanged
from tuidbg.session.state import Status

if TYPE_CHECKING:
    from tuidbg.adapters.process import Guard
    from tuidbg.adapters.profile import AdapterProfile
    from tuidbg.session.connect.adapter_link import AdapterLink
    from tuidbg.session.output import OutputBuffer
    from tuidbg.session.state import ThreadState

PAUSES = (0.1, 0.2, 0.5)
"""Seconds between two attempts; the last counts for all further ones."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""This machine, as it is named to itself."""

Greet = Callable[[AdapterClient], Coroutine[Any, Any, None]]
"""Says hello to whoever answers. Raises AdapterError where that is no debug adapter."""


class Connects(HasProfile, Tells, Protocol):
    """A session that needs a conversation with an adapter."""

    @property
    def adapter(self) -> AdapterLink:
        """The conversation with the adapter."""

    @property
    def guard(self) -> Guard:
        """Sees that no process outlives tuidbg."""

    def note_waiting(self, text: str) -> None:
        """Something is waited for, or (with no words) no more."""


def is_dialled(plan: AttachPlan) -> bool:
    """Returns whether the program's debug server is called by us."""
    return plan.port is not None and not plan.listen


async def reach_adapter(session: Connects) -> AdapterClient:
    """A conversation with an adapter that runs already. Raises AdapterError."""
    start = session.profile.start
    assert start.address is not None
    client = session.adapter.connect()
    try:
        await start.reach(client)
    except OSError as error:
        host, port = start.address
        why = error.strerror or str(error)
        raise AdapterError(f"no {session.profile.name} listens at {host}:{port}: {why}") from error
    return client


async def reach(
    session: Connects,
    plan: AttachPlan,
    greet: Greet,
    called_off: asyncio.Event,
    *,
    is_return: bool = False,
) -> AdapterClient:
    """A conversation with the program's debug server, greeted already.

    ``is_return``: it was there before and is waited for, however long it takes. Raises OSError
    (TimeoutError too) and AdapterError; AdapterGone where it was called off.
    """
    patience = math.inf if is_return else plan.wait or 0.0
    begun, attempts = time.monotonic(), 0
    try:
        while True:
            client = session.adapter.connect()
            try:
                async with asyncio.timeout(plan.connect_timeout):
                    host, port = await _address(session, plan)
                    await unless_gone(client, _call(client, host, port, greet))
                    return client
            except (OSError, AdapterGone, TunnelFailed) as error:
                client.close()
                is_over = time.monotonic() - begun >= patience
                if called_off.is_set() or is_over or not _may_come(plan, client, error, is_return):
                    raise
            if not attempts and not is_return:
                how = session.profile.attach.how_to_listen(plan.port or 0)
                session.write_output("console", f"Waiting for a program: {how} ...\n")
            session.note_waiting(_describe(plan, is_return))
            await _pause(called_off, PAUSES[min(attempts, len(PAUSES) - 1)])
            attempts += 1
    finally:
        if not called_off.is_set():
            session.note_waiting("")


async def _address(session: Connects, plan: AttachPlan) -> tuple[str, int]:
    """Returns where to dial: the server itself, or our end of a tunnel to it."""
    assert plan.port is not None
    if not plan.ssh:
        return plan.host, plan.port
    if session.adapter.tunnel is None:
        from tuidbg.session.connect.tunnel import Tunnel

        session.adapter.tunnel = Tunnel(plan.ssh, plan.host, plan.port, session.guard)
    return "127.0.0.1", await session.adapter.tunnel.open()


async def _call(client: AdapterClient, host: str, port: int, greet: Greet) -> None:
    await client.over_tcp(host, port)
    await greet(client)


async def unless_gone(client: AdapterClient, work: Coroutine[Any, Any, None]) -> None:
    """Do ``work`` as long as the adapter is there. Raises AdapterGone, and what ``work`` raises."""
    doing, gone = asyncio.create_task(work), asyncio.create_task(client.wait_gone())
    try:
        await asyncio.wait((doing, gone), return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            await doing
            return
        raise AdapterGone(client.gone)
    finally:
        for task in (doing, gone):
            task.cancel()
        await asyncio.gather(doing, gone, return_exceptions=True)


def _may_come(plan: AttachPlan, client: AdapterClient, error: Exception, is_return: bool) -> bool:
    """Returns whether such a failure passes when the program is up."""
    if isinstance(error, AdapterGone):  # it took the call and hung up
        return not client.has_heard and (is_return or bool(plan.ssh))
    if isinstance(error, TimeoutError | socket.gaierror | TunnelFailed):
        return is_return
    return True


async def _pause(called_off: asyncio.Event, seconds: float) -> None:
    """Raises AdapterGone as soon as it is called off."""
    try:
        async with asyncio.timeout(seconds):
            await called_off.wait()
    except TimeoutError:
        return
    raise AdapterGone("the waiting was called off")


def _describe(plan: AttachPlan, is_return: bool) -> str:
    return f"waiting for {plan.title}{' to come back' if is_return else ''}"


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
