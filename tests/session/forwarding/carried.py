"""A debugger, a machine that carries its programs to it, and a line between them to be cut."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from tests.session.connect.test_listening import Listening
from tests.support.attachable import Line, attached_session, free_port, line_to
from tests.support.sessions import SessionUnderTest, until
from tuidbg.adapters.forwarding.client import Forwarder, Forwarding, ForwardingRefused
from tuidbg.adapters.forwarding.tls import calling_context
from tuidbg.config.launch import AttachPlan, HostsPlan

CERTIFICATE = """\
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIL/rsqVrb/83dAwAxEcFr3J2jufZ5ta1/DG6opD/9G+T
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBRzCB+qADAgECAgEHMAUGAytlcDAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcN
MjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2Fs
aG9zdDAqMAUGAytlcAMhAN0bgH2EqnMlcTsGtfkbgbgkfHIJn3W+tOiX8DTZPdtO
o28wbTAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwDwYDVR0TAQH/BAUwAwEB
/zAdBgNVHQ4EFgQUNRRnii7xXrknZGF1bLVD5ccQR1cwHwYDVR0jBBgwFoAUNRRn
ii7xXrknZGF1bLVD5ccQR1cwBQYDK2VwA0EAPj4T+vkCyJ9PUwy9zju5VCnQ1HZi
mSji5DJGrSKYmKKjYEj06kcZ47vlQb/FSqn3+ThjRAdtZU2d3kT9FLolBw==
-----END CERTIFICATE-----
"""
"""A key and a certificate for localhost, for tests alone; it is valid until 2120."""


def certificate_in(folder: Path) -> str:
    """The path of the certificate."""
    path = folder / "both.pem"
    path.write_text(CERTIFICATE)
    return str(path)


class Machine:
    """Carries the programs that connect to ``port``; what it told is kept."""

    def __init__(self, target: int, **wanted: object) -> None:
        self.port, self.target = free_port(), target
        self.told: list[str] = []
        fields: dict[str, object] = {"to_host": "127.0.0.1", "to_port": target, "name": "node7"}
        forwarding = Forwarding(
            host="127.0.0.1",
            port=self.port,
            **{**fields, **wanted},  # type: ignore[arg-type]
        )
        self.forwarder = Forwarder(forwarding, self.told.append)
        self.task = asyncio.create_task(self.forwarder.run())

    async def said(self, words: str) -> None:
        """Wait until it has told so."""
        await until(
            lambda: any(words in each for each in self.told) or self.task.done(),
            f"{words}: {self.told}",
        )
        assert any(words in each for each in self.told), (self.told, self.task)

    async def leave(self) -> None:
        """End it, as Ctrl+C does."""
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError, ForwardingRefused):
            await self.task


class Carried(Listening):
    """The debugger, with the machine and the line."""

    machine: Machine
    cable: Line

    async def told(self, words: str) -> None:
        """Wait until a person has been told so."""
        await self.under_test.until(lambda: words in self.under_test.console, words)

    async def lose(self) -> None:
        """Cut the line; both ends have seen it."""
        await self.cable.cut()
        await self.told("node7 is out of reach")


@asynccontextmanager
async def debugger(folder: Path, **plan: object) -> AsyncIterator[SessionUnderTest]:
    """A session that listens, to machines as well."""
    plan.setdefault("port", free_port())
    hosts = plan.pop("hosts", None) or HostsPlan(host="127.0.0.1", port=free_port())
    async with attached_session(folder, listen=True, hosts=hosts, **plan) as under_test:
        await under_test.session.lifecycle.start()
        yield under_test


@asynccontextmanager
async def machine_to(target: int, **wanted: object) -> AsyncIterator[Machine]:
    machine = Machine(target, **wanted)
    try:
        yield machine
    finally:
        await machine.leave()


@asynccontextmanager
async def carried(
    folder: Path, waits: float = math.inf, *, is_secret: bool = False
) -> AsyncIterator[Carried]:
    """All of it, connected."""
    certificate = certificate_in(folder) if is_secret else ""
    token = "a-long-token" if is_secret else ""
    hosts = HostsPlan(host="127.0.0.1", port=free_port(), certificate=certificate)
    async with AsyncExitStack() as stack:
        under_test = await stack.enter_async_context(debugger(folder, hosts=hosts, token=token))
        plan = under_test.session.plan
        assert isinstance(plan, AttachPlan) and plan.port
        found = Carried(under_test, plan.port)
        found.cable = await stack.enter_async_context(line_to(hosts.port))
        context = calling_context(certificate) if is_secret else None
        found.machine = await stack.enter_async_context(
            machine_to(found.cable.port, waits=waits, token=token, context=context)
        )
        await found.told("node7 has connected")
        yield found
