"""The whole server under test: on real sockets, with all that it writes in a test's folder."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.sessions import KeepingGuard, debugpy_session
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.api.feed.feed import Feed
from tuidbg.api.options import RelayOptions
from tuidbg.api.server import Relay
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession

BASE = "/api/v1"

PROGRAM = """\
password = "hunter2"
user = {"name": "ada", "api_key": "k-123"}
print(user["name"])
"""


def use_own_folders(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what servers write from what the person at this machine has."""
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(folder / name.lower()))


class Served:
    """A server with its hub."""

    def __init__(self, **options: Any) -> None:
        self.guard = KeepingGuard()
        self.hub = Hub(lambda plan: Session(plan, DebugpyProfile(), self.guard), follow=Feed)
        self.relay = Relay(self.hub, RelayOptions(**{"port": 0, **options}), guard=self.guard)

    @property
    def port(self) -> int:
        """Returns where it listens."""
        return int(self.relay.address.rpartition(":")[2])

    @property
    def token(self) -> str:
        """The owner's."""
        assert self.relay.tokens is not None
        return self.relay.tokens.owner.value

    @property
    def member(self) -> HubSession:
        """The session that stands at the first line of its program."""
        assert self.hub.current is not None
        return self.hub.current

    def client(self, token: str | None = None, **changes: Any) -> httpx.AsyncClient:
        """A client that shows the owner's token, or this one."""
        shown = self.token if token is None and self.relay.tokens is not None else token
        headers = {"Authorization": f"Bearer {shown}"} if shown else {}
        return httpx.AsyncClient(
            **{"base_url": self.relay.address, "headers": headers, "trust_env": False, **changes}
        )

    async def ask(
        self, method: str, path: str, token: str | None = None, **request: Any
    ) -> httpx.Response:
        """One request on a connection of its own."""
        async with self.client(token) as client:
            return await client.request(method, path, **request)

    async def speak(self, data: bytes, *, limit: float = 10.0) -> bytes:
        """Send bytes, and all that is answered until the server hangs up or is silent."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(data)
            async with asyncio.timeout(limit):
                answer = await reader.read()
        except (ConnectionError, OSError):
            answer = b""
        finally:
            writer.close()
        return answer

    async def assert_unharmed(self) -> None:
        """The session stands where it stood, and whoever may, can use it."""
        path = f"{BASE}/sessions/{self.member.id}/evaluate"
        answer = await self.ask("POST", path, json={"expression": "1 + 1"})
        assert answer.status_code == 200, answer.text
        assert answer.json()["data"]["result"] == "2"


@asynccontextmanager
async def served(**options: Any) -> AsyncIterator[Served]:
    """A server without sessions."""
    under_test = Served(**options)
    await under_test.relay.start()
    try:
        yield under_test
    finally:
        await under_test.relay.stop()
        await under_test.hub.close()
        assert not under_test.guard.remains()


@asynccontextmanager
async def served_session(folder: Path, **options: Any) -> AsyncIterator[Served]:
    """A server with a real session that stands at the first line."""
    program = folder / "program.py"
    program.write_text(PROGRAM)
    async with (
        served(**options) as under_test,
        debugpy_session(folder, program, stop_on_entry=True) as session,
    ):
        await session.start()
        under_test.hub.adopt(session.session, origin="tui")
        yield under_test


def free_port() -> tuple[socket.socket, int]:
    """A port that is taken as long as the socket is open."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    return taken, int(taken.getsockname()[1])
