"""The command bridge under test: served for real on a free port of the loopback address."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from tests.support.command import environment
from tests.support.sessions import KeepingGuard, until
from tests.support.waiting import PATIENCE
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.api.app import build_app
from tuidbg.api.auth.hosts import AllowedHosts
from tuidbg.api.auth.security import Security
from tuidbg.api.auth.tokens import Tokens
from tuidbg.api.bridge.routes import BridgeOptions, make_router
from tuidbg.api.feed.feed import Feed
from tuidbg.config.launch import Console, LaunchPlan, Plan, TargetKind
from tuidbg.session.core.session import Session
from tuidbg.session.hub.diagnostics import Diagnostics
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession, SessionConfig

Json = dict[str, Any]


class BridgeUnderTest:
    """A bridge with its hub, and a client of it."""

    def __init__(self, folder: Path, options: Json, tokens: Tokens | None) -> None:
        self.folder = folder
        self.guard = KeepingGuard()
        self.hub = Hub(self._make_session, follow=Feed)
        self.diagnostics = Diagnostics(self.hub)
        self.tokens = tokens
        bridge = BridgeOptions(guard=self.guard, folder=str(folder), **options)
        self.hosts = AllowedHosts()
        router = make_router(self.hub, bridge, self.diagnostics)
        served = build_app(self.hub, Security(hosts=self.hosts, tokens=tokens), [router])
        config = uvicorn.Config(
            served, host="127.0.0.1", port=0, lifespan="off", log_config=None, ws="none"
        )
        self.server = uvicorn.Server(config)
        self.client = httpx.AsyncClient(trust_env=False, timeout=60.0)
        self.port = 0
        self.replies: list[httpx.Response] = []

    def _make_session(self, plan: Plan) -> Session:
        return Session(plan, DebugpyProfile(), self.guard)

    @property
    def member(self) -> HubSession:
        """The current session."""
        assert self.hub.current is not None
        return self.hub.current

    @property
    def session(self) -> Session:
        """The current session's core."""
        return self.member.session

    @property
    def url(self) -> str:
        """Returns where it listens."""
        return f"http://127.0.0.1:{self.port}"

    # The program

    def plan(self, source: str, name: str = "app.py", **changes: Any) -> LaunchPlan:
        """The plan to launch a program of that text."""
        path = self.folder / name
        path.write_text(source)
        fields: dict[str, Any] = {
            "kind": TargetKind.SCRIPT,
            "target": str(path),
            "cwd": str(self.folder),
            "python": sys.executable,
            "console": Console.INTERNAL,
            **changes,
        }
        return LaunchPlan(**fields)

    def make_session(self, source: str) -> Session:
        """A session of such a program, not started and in no hub."""
        return self._make_session(self.plan(source))

    async def start(self, source: str, **changes: Any) -> None:
        """Launch a program; returns when it stands at its entry, or runs."""
        config = SessionConfig(project_root=str(self.folder), python_path=sys.executable)
        member, plan = self.hub.create(config, origin="rest"), self.plan(source, **changes)
        await self.hub.launch(member, plan, origin="rest")
        if plan.stop_on_entry:
            await member.control.wait_for_stop()

    # Calls

    async def post(self, body: Any, **headers: str) -> httpx.Response:
        """One POST to /command, JSON or raw bytes."""
        raw = {"content": body} if isinstance(body, bytes) else {"json": body}
        sent = {"Content-Type": "application/json", **headers}
        reply = await self.client.post(f"{self.url}/command", headers=sent, **raw)
        self.replies.append(reply)
        return reply

    async def call(self, action: str, **fields: Any) -> Json:
        """Returns what an action answers, whatever that is."""
        reply: Json = (await self.post({"action": action, **fields})).json()
        return reply

    async def ok(self, action: str, **fields: Any) -> Json:
        """Returns what an action answers that must work."""
        reply = await self.call(action, **fields)
        assert reply["ok"] is True, reply
        assert self.replies[-1].status_code == 200
        return reply

    async def refused(self, action: str, **fields: Any) -> str:
        """The sentence of an action that must be refused."""
        reply = await self.call(action, **fields)
        assert reply["ok"] is False and isinstance(reply["error"], str), reply
        assert self.replies[-1].status_code >= 400
        assert "Traceback" not in reply["error"]
        error: str = reply["error"]
        return error

    @asynccontextmanager
    async def logs(self) -> AsyncIterator[Logs]:
        """A reader of /logs."""
        async with self.client.stream("GET", f"{self.url}/logs") as response:
            logs = Logs(response)
            try:
                yield logs
            finally:
                await logs.close()

    # The server

    async def open(self) -> None:
        """Serve, without touching the signals of the test's process."""
        self._serving = asyncio.create_task(self.server._serve())
        await until(lambda: self.server.started or self._serving.done(), "the server is up")
        self.port = self.server.servers[0].sockets[0].getsockname()[1]
        self.hosts.listen("127.0.0.1", self.port)

    async def close(self) -> None:
        """Stop the server as its owner does: the readers of the logs first."""
        self.diagnostics.close()
        self.server.should_exit = True
        async with asyncio.timeout(PATIENCE):
            await self._serving
        await self.client.aclose()
        await self.hub.close()
        await self.guard.until_nothing_left()


class Logs:
    """The lines that a reader of /logs has got."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.lines: list[str] = []
        self.ended = False
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for line in self.response.aiter_lines():
            if line.startswith("data: "):
                self.lines.append(line.removeprefix("data: "))
        self.ended = True

    async def until(self, text: str) -> str:
        """The first line with this text, when it has come."""
        await until(lambda: any(text in line for line in self.lines), f"{text} in {self.lines}")
        return next(line for line in self.lines if text in line)

    async def close(self) -> None:
        """Read no more."""
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reading


@asynccontextmanager
async def bridge(
    folder: Path, *, tokens: Tokens | None = None, **options: Any
) -> AsyncIterator[BridgeUnderTest]:
    """A bridge without a session yet; ``options`` are fields of ``BridgeOptions``."""
    under_test = BridgeUnderTest(folder.resolve(), options, tokens)
    await under_test.open()
    try:
        yield under_test
    finally:
        await under_test.close()


async def send(
    under_test: BridgeUnderTest, *words: str, env: dict[str, str] | None = None
) -> tuple[int, Json | None, str]:
    """``tuidbg send`` with these words: its exit status, its answer, and what stderr says.

    The server that it asks is named to it unless ``env`` says where to find one.
    """
    command = [sys.executable, "-m", "tuidbg", "send", *words]
    if env is None:
        command += ["--port", str(under_test.port)]
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=under_test.folder,
        env={**environment(under_test.folder), **(env or {})},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(PATIENCE):
        stdout, stderr = await process.communicate()
    assert process.returncode is not None
    answer: Json | None = json.loads(stdout) if stdout else None
    return process.returncode, answer, stderr.decode()
