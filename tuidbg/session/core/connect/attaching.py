"""Attaching to a running program: by the port of its debug server, or by process id.

By port, the adapter runs beside the program and is reached directly over TCP; by process id the
debug server is put into the program and connects to tuidbg. Each cause of a failure has an error
class of its own.
"""

from __future__ import annotations

import asyncio
import math
import socket
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

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
from tuidbg.session.model.errors import AttachFailed, AttachRefused, AttachTimedOut, DebuggerError
from tuidbg.session.model.events import ThreadsChanged
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.adapters.profile import AdapterProfile
    from tuidbg.session.core.session import Session

PAUSES = (0.1, 0.2, 0.5)
"""Seconds between two attempts; the last counts for all further ones."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""The names of this machine."""

Greet = Callable[[AdapterClient], Coroutine[Any, Any, None]]
"""Sends the handshake to the peer. Raises AdapterError if that is no debug adapter."""


def is_dialled(plan: AttachPlan) -> bool:
    """Return whether we connect to the program's debug server, not the reverse."""
    return plan.port is not None and not plan.listen


async def reach_adapter(session: Session) -> AdapterClient:
    """Connect to a running adapter. Raises AdapterError."""
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
    session: Session,
    plan: AttachPlan,
    greet: Greet,
    called_off: asyncio.Event,
    *,
    is_return: bool = False,
) -> AdapterClient:
    """Connect to the program's debug server and complete the greeting.

    ``is_return``: it was there before and is waited for without a limit. Raises OSError
    (TimeoutError too) and AdapterError; AdapterGone where it was cancelled.
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


async def _address(session: Session, plan: AttachPlan) -> tuple[str, int]:
    """Return the address to connect to: the server itself, or our end of a tunnel to it."""
    assert plan.port is not None
    if not plan.ssh:
        return plan.host, plan.port
    if session.adapter.tunnel is None:
        from tuidbg.session.core.connect.tunnel import Tunnel

        session.adapter.tunnel = Tunnel(plan.ssh, plan.host, plan.port, session.guard)
    return "127.0.0.1", await session.adapter.tunnel.open()


async def _call(client: AdapterClient, host: str, port: int, greet: Greet) -> None:
    await client.over_tcp(host, port)
    await greet(client)


async def unless_gone(client: AdapterClient, work: Coroutine[Any, Any, None]) -> None:
    """Run ``work`` while the adapter is there. Raises AdapterGone, and the errors of ``work``."""
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
    """Return whether such a failure may disappear once the program is up."""
    if isinstance(error, AdapterGone):  # it accepted the connection and hung up
        return not client.has_heard and (is_return or bool(plan.ssh))
    if isinstance(error, TimeoutError | socket.gaierror | TunnelFailed):
        return is_return
    return True


async def _pause(called_off: asyncio.Event, seconds: float) -> None:
    """Sleep; raise AdapterGone as soon as it is cancelled."""
    try:
        async with asyncio.timeout(seconds):
            await called_off.wait()
    except TimeoutError:
        return
    raise AdapterGone("the waiting was cancelled")


def _describe(plan: AttachPlan, is_return: bool) -> str:
    return f"waiting for {plan.title}{' to come back' if is_return else ''}"


ENTERING = 60.0
"""Seconds for a program attached by process id to become ready for a debugger."""

LETTING_GO = 0.3
"""Seconds for an adapter to complete each request before detaching."""


def prepare(profile: AdapterProfile, plan: AttachPlan) -> None:
    """Raise AdapterError if attaching is known to be impossible."""
    obstacle = profile.attach.obstacle(plan.pid) if plan.pid is not None else ""
    if plan.core:
        obstacle = profile.attach.core_obstacle(plan)
    if obstacle:
        raise AdapterError(obstacle)


def patience(plan: AttachPlan) -> float | None:
    """Return the seconds until the program must be configured; None: no limit.

    A process is ready as soon as its main thread runs Python code, and nothing can speed that up.
    """
    if plan.pid is None:
        return plan.connect_timeout
    seconds = max(plan.connect_timeout, ENTERING) if plan.wait is None else plan.wait
    return None if math.isinf(seconds) else seconds


def explain(profile: AdapterProfile, plan: AttachPlan, error: Exception) -> DebuggerError:
    """Return the error with the reason why attaching failed."""
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


async def let_go(session: Session) -> None:
    """Have an attached program continue without breakpoints, if its adapter would hold it."""
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
    if session.status is Status.PAUSED:  # while running it accepts none of these
        asked.append(("setInstructionBreakpoints", {"breakpoints": []}))
        thread = session.stop.thread_id if session.stop is not None else 1
        asked.append(("continue", {"threadId": thread}))
    for command, arguments in asked:
        try:
            await client.request(command, arguments, timeout=LETTING_GO)
        except (RequestFailed, RequestUnsupported):
            pass  # the rest is worth a try


def describe_loss(plan: AttachPlan, reason: str) -> str:
    """Describe the loss of the connection to an attached program."""
    again = "" if plan.reconnect else "; restart attaches again"
    return f"lost {plan.title}, which may run on: {reason}{again}"


async def read_threads(session: Session) -> None:
    """Fetch the thread names of a running program whose start was not observed."""
    threads = await session.inspection.threads()
    if session.status in (Status.RUNNING, Status.PAUSED) and threads != session.threads:
        session.threads, session.threads_changed = threads, False
        session.publish(ThreadsChanged(threads=threads))


def process_of(session: Session) -> int | None:
    """Return the program's process id, if it is certainly a live process of this machine."""
    plan = session.plan
    if isinstance(plan, AttachPlan) and plan.pid is not None and session.pid == plan.pid:
        return plan.pid
    return None
