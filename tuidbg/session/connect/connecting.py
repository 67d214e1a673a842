"""Connects to the debug server of a program that runs elsewhere: once, or until it is there.

A server that is not up yet, or not up again, refuses; through a tunnel it is the tunnel that takes
the call and hangs up. Whatever answers otherwise is no reason to wait: it says what it is.
"""

from __future__ import annotations

import asyncio
import math
import socket
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol

from tuidbg.adapters.client import AdapterClient
from tuidbg.adapters.errors import AdapterError, AdapterGone, TunnelFailed
from tuidbg.config.launch import AttachPlan
from tuidbg.session.core import HasProfile, Tells

if TYPE_CHECKING:
    from tuidbg.adapters.process import Guard
    from tuidbg.session.connect.adapter_link import AdapterLink

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
