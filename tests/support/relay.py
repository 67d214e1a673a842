"""The application that serves programs, under test: over a hub with real sessions, or on a socket.

However a test ends, no process of its sessions is left.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from tests.support.sessions import KeepingGuard, until
from tests.support.waiting import PATIENCE
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.api.app import build_app
from tuidbg.api.auth.hosts import AllowedHosts
from tuidbg.api.auth.http_protocol import PatientProtocol
from tuidbg.api.auth.security import Security
from tuidbg.api.feed.feed import Feed
from tuidbg.api.rest.handlers import App
from tuidbg.api.sockets import open_tcp
from tuidbg.config.launch import LaunchPlan
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub

BASE = "/api/v1"
HOST = "127.0.0.1:5679"

Json = dict[str, Any]


class Answer:
    """An answer, which is an envelope whatever it says."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.status = response.status_code
        self.envelope: Json = response.json()
        assert set(self.envelope) == {"success", "data", "error", "meta"}
        assert self.envelope["success"] is (self.status < 400)
        assert response.headers["content-type"] == "application/json; charset=utf-8"
        assert response.headers["x-request-id"] == self.envelope["meta"]["request_id"]

    @property
    def data(self) -> Json:
        """Returns what was answered; fails where it was an error."""
        assert self.status in (200, 201), self.envelope["error"]
        assert self.envelope["error"] is None
        data: Json = self.envelope["data"]
        return data

    @property
    def error(self) -> Json:
        """Returns what went wrong; fails where nothing has."""
        assert self.status >= 400, self.envelope["data"]
        assert self.envelope["data"] is None
        error: Json = self.envelope["error"]
        assert set(error) == {"code", "message", "details"}
        assert isinstance(error["details"], dict)
        return error

    @property
    def refusal(self) -> tuple[int, str]:
        """The status and the code of an error."""
        return self.status, self.error["code"]


class Relay:
    """A client of the application, with what tests ask of it again and again."""

    def __init__(self, hub: Hub, guard: KeepingGuard, client: httpx.AsyncClient) -> None:
        self.hub, self.guard, self.client = hub, guard, client
        self.session_id = ""
        """The session that ``get`` and ``post`` are about."""

    async def ask(self, method: str, path: str, **more: Any) -> Answer:
        """Any request below the base address."""
        return Answer(await self.client.request(method, f"{BASE}{path}", **more))

    def _path(self, what: str) -> str:
        return f"/sessions/{self.session_id}" + (f"/{what}" if what else "")

    async def get(self, what: str = "", **query: Any) -> Answer:
        """Read something of the session."""
        return await self.ask("GET", self._path(what), params=query)

    async def post(self, what: str, body: Any = None) -> Answer:
        """Do something with the session."""
        return await self.ask("POST", self._path(what), **({} if body is None else {"json": body}))

    async def delete(self, what: str = "", **query: Any) -> Answer:
        """Delete the session or something of it."""
        return await self.ask("DELETE", self._path(what), params=query)

    async def create(self, **body: Any) -> Json:
        """Make the session that the rest is about."""
        data = (await self.ask("POST", "/sessions", json=body)).data
        self.session_id = data["session_id"]
        return data

    async def launch(self, script: Path, **body: Any) -> Json:
        """Launch a script in the session; makes one where there is none."""
        if not self.session_id:
            await self.create(project_root=str(script.parent))
        return (await self.post("launch", {"script": str(script), **body})).data

    async def break_at(self, path: Path, *lines: int, **settings: Any) -> list[Json]:
        """Set breakpoints in the session."""
        entries = [{"source": {"path": str(path)}, "line": line, **settings} for line in lines]
        found: list[Json] = (await self.post("breakpoints", {"breakpoints": entries})).data[
            "breakpoints"
        ]
        return found

    async def until_status(self, *statuses: str) -> Json:
        """Poll until the session has one of these statuses."""
        async with asyncio.timeout(PATIENCE):
            while (session := (await self.get()).data)["status"] not in statuses:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        return session

    async def stopped_at(self, path: Path, line: int, **settings: Any) -> Json:
        """Launch with a breakpoint and wait for it."""
        await self.create(project_root=str(path.parent))
        await self.break_at(path, line, **settings)
        await self.launch(path)
        return await self.until_status("paused")

    async def locals(self, frame: int = 0) -> dict[str, Json]:
        """The locals of a frame by name."""
        scopes = (await self.get("scopes", frame_id=frame)).data["scopes"]
        reference = scopes[0]["variables_reference"]
        found = (await self.get("variables", variables_reference=reference)).data["variables"]
        return {each["name"]: each for each in found}

    async def all_events(self) -> list[Json]:
        """All events so far."""
        found: list[Json] = (await self.get("events", limit=1000)).data["events"]
        return found


def make_hub(
    profile: Callable[[], AdapterProfile] = DebugpyProfile, **options: Any
) -> tuple[Hub, KeepingGuard]:
    """A hub whose sessions' processes are watched."""
    guard = KeepingGuard()

    def make_session(plan: LaunchPlan) -> Session:
        return Session(plan, profile(), guard)

    return Hub(make_session, follow=Feed, **options), guard


@asynccontextmanager
async def relay(
    *, profile: Callable[[], AdapterProfile] = DebugpyProfile, **options: Any
) -> AsyncIterator[Relay]:
    """The application without a socket."""
    hub, guard = make_hub(profile, **options)
    app = build_app(hub, Security(AllowedHosts(HOST)))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
        client.timeout = httpx.Timeout(40)
        try:
            yield Relay(hub, guard, client)
        finally:
            await hub.close()
    await guard.until_nothing_left()


@asynccontextmanager
async def serving(app_of: Callable[[Hub, Security], App] = build_app) -> AsyncIterator[Relay]:
    """The application on a socket of this machine, at any free port."""
    hub, guard = make_hub()
    hosts = AllowedHosts()
    app = app_of(hub, Security(hosts))
    opened = open_tcp("127.0.0.1", 0)
    port = opened.getsockname()[1]
    config = uvicorn.Config(
        app, http=PatientProtocol, log_config=None, access_log=False, lifespan="off"
    )
    server = uvicorn.Server(config)
    hosts.listen("127.0.0.1", port)
    running = asyncio.create_task(server._serve([opened]))
    await until(lambda: server.started, "the server has started")
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
        try:
            yield Relay(hub, guard, client)
        finally:
            await hub.close()
            server.should_exit = True
    await running
    await guard.until_nothing_left()


def pretty(value: Any) -> str:
    """JSON for the message of a failing test."""
    return json.dumps(value, indent=1)
