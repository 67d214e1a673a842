"""Agents under test: the official client on our server, in memory, over stdio and over HTTP."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import StdioServerParameters, stdio_client
from mcp.client.client import Client
from mcp.client.extension import ClientExtension, NotificationBinding
from mcp.client.streamable_http import streamable_http_client
from pydantic import BaseModel, ConfigDict

from tests.support.relay import make_hub
from tests.support.sessions import KeepingGuard, until
from tuidbg.api.auth.callers import ALL_SCOPES, AccessGate, Caller
from tuidbg.api.mcp.agent import ORIGIN
from tuidbg.api.mcp.resources import METHOD
from tuidbg.api.mcp.server import McpServer
from tuidbg.api.mcp.tool_sets import McpOptions
from tuidbg.session.core.redaction import Redaction
from tuidbg.session.hub.hub import Hub

Json = dict[str, Any]

STEPS = "breakpoints"
"""The set of single steps, of which most tests are."""


class _Params(BaseModel):
    model_config = ConfigDict(extra="allow")


class _Hits(ClientExtension):
    """The SDK's client drops notifications that nobody has asked for."""

    identifier = "org.tuidbg/hits"

    def __init__(self) -> None:
        self.seen: list[Json] = []

    def notifications(self) -> list[NotificationBinding[Any]]:
        return [NotificationBinding(method=METHOD, params_type=_Params, handler=self._note)]

    async def _note(self, params: _Params) -> None:
        self.seen.append(params.model_dump())


class Refused(Exception):
    """A tool answered with an error."""

    def __init__(self, told: Json) -> None:
        super().__init__(told)
        assert told["success"] is False
        self.code: str = told["error"]["code"]
        self.message: str = told["error"]["message"]
        self.hint: str = told["error"].get("hint", "")


class AgentUnderTest:
    """A client with what tests ask of it again and again."""

    def __init__(self, client: Client, hits: _Hits, hub: Hub | None, guard: KeepingGuard) -> None:
        self.client = client
        self._hits = hits
        self._hub = hub
        self.guard = guard

    @property
    def hub(self) -> Hub:
        """The hub behind it; only where the server is in this process."""
        assert self._hub is not None
        return self._hub

    @property
    def hits(self) -> list[Json]:
        """The notifications so far."""
        return self._hits.seen

    async def told(self, name: str, /, **arguments: Any) -> Json:
        """Returns what a tool answers. Raises Refused."""
        result = await self.client.call_tool(name, arguments)
        (content,) = result.content
        told: Json = json.loads(content.text)  # type: ignore[union-attr]
        if result.is_error:
            raise Refused(told)
        return told

    async def refusal(self, name: str, /, **arguments: Any) -> Refused:
        """Returns why a tool refuses."""
        try:
            told = await self.told(name, **arguments)
        except Refused as refused:
            return refused
        raise AssertionError(f"not refused: {told}")

    async def launch(self, script: Path, **arguments: Any) -> Json:
        """Start a script, standing at its first line."""
        asked = {"program": str(script), "stop_at_entry": True, **arguments}
        return await self.told("debug_launch", **asked)

    async def go_on(self, **wait: Any) -> Json:
        """Continue and wait for a breakpoint."""
        await self.told("debug_continue")
        return await self.told("breakpoint_wait", **wait)

    async def until_hits(self, count: int) -> list[Json]:
        """Wait for so many notifications."""
        await until(lambda: len(self.hits) >= count, f"{count} notifications")
        return self.hits


@asynccontextmanager
async def agent(
    folder: Path, options: McpOptions | None = None, *, redact: bool = False
) -> AsyncIterator[AgentUnderTest]:
    """An agent on a server in this process."""
    hub, guard = make_hub()
    try:
        async with agent_on(hub, guard, folder, options, redact=redact) as found:
            yield found
    finally:
        await hub.close()
    await guard.until_nothing_left()


@asynccontextmanager
async def agent_on(
    hub: Hub,
    guard: KeepingGuard,
    folder: Path,
    options: McpOptions | None = None,
    *,
    redact: bool = False,
    actor: str = "mcp",
) -> AsyncIterator[AgentUnderTest]:
    """One more agent on a hub that is there."""
    options = options or McpOptions(tool_set=STEPS)
    scopes = options.scopes & ALL_SCOPES
    level = Redaction.TEXTS if redact else Redaction.NOTHING
    caller = Caller(actor=actor, origin=ORIGIN, scopes=scopes, redact=level)
    server = McpServer(
        hub,
        AccessGate(hub),
        options,
        python=sys.executable,
        cwd=str(folder),
        find_caller=lambda _: caller,
    )
    hits = _Hits()
    async with Client(server.server, mode="legacy", extensions=[hits]) as client:
        yield AgentUnderTest(client, hits, hub, guard)


@asynccontextmanager
async def stdio_agent(
    folder: Path, *args: str, mode: str = "auto", env: dict[str, str] | None = None
) -> AsyncIterator[AgentUnderTest]:
    """An agent of ``tuidbg mcp``, a process of its own; of single steps unless told else."""
    if "--tools" not in args:
        args = ("--tools", STEPS, *args)
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tuidbg", "mcp", *args],
        cwd=str(folder),
        env={**os.environ, **(env or {})},
    )
    hits = _Hits()
    async with Client(stdio_client(parameters), mode=mode, extensions=[hits]) as client:
        yield AgentUnderTest(client, hits, None, KeepingGuard())


@asynccontextmanager
async def http_agent(
    url: str, token: str, *, mode: str = "legacy", hub: Hub | None = None, tools: str = STEPS
) -> AsyncIterator[AgentUnderTest]:
    """An agent of a relay's ``/mcp``; without ``tools`` of the set that the relay offers."""
    query = f"?tools={tools}" if tools else ""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    timeout = httpx2.Timeout(30.0, read=300.0)
    hits = _Hits()
    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=False) as http,
        Client(
            streamable_http_client(f"{url}/mcp{query}", http_client=http),
            mode=mode,
            extensions=[hits],
        ) as client,
    ):
        yield AgentUnderTest(client, hits, hub, KeepingGuard())
