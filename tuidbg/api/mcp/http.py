"""The MCP endpoint of the relay, and ``tuidbg mcp --join``: an agent's stdio connected to it.

Messages are forwarded unchanged; for the relay it is one client.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import threading
from collections.abc import Awaitable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
import mcp_types as types
import msgspec
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from tuidbg.api.auth.callers import ALL_SCOPES, AccessGate, Caller
from tuidbg.api.auth.callers import TokenScope as Allowed
from tuidbg.api.mcp.agent import ORIGIN
from tuidbg.api.mcp.tool_sets import McpOptions, write_query
from tuidbg.api.server_file import ServerFile, find_servers
from tuidbg.config.extras import missing
from tuidbg.session.hub.hub import Hub

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"

_MISSING = {"error": missing("agents need", "mcp")}


_MOST = 16
"""Maximum number of different option sets of clients at a time."""


class McpEndpoint:
    """The ASGI application at ``/mcp``. Its query has the client's options (``tool_sets.py``)."""

    def __init__(
        self, hub: Hub, gate: AccessGate, *, python: str = "", cwd: str = "", tool_set: str = ""
    ) -> None:
        """``tool_set`` is the default for clients that request none."""
        self._hub, self._gate = hub, gate
        self._python, self._cwd = python, cwd
        self._tool_set = tool_set
        self._served: dict[str, _ServerGroup] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if importlib.util.find_spec("mcp") is None:
            await JSONResponse(_MISSING, 501)(scope, receive, send)
            return
        query = scope.get("query_string", b"").decode("latin-1")
        served = self._served.get(query)
        if served is None:
            try:
                served = await self._begin(query)
            except ValueError as error:
                await JSONResponse({"error": str(error)}, 400)(scope, receive, send)
                return
        manager = await asyncio.shield(served.ready)
        await manager.handle_request(scope, receive, send)

    async def _begin(self, query: str) -> _ServerGroup:
        """Start a server for a query. Raises ValueError for an invalid one."""
        await asyncio.to_thread(importlib.import_module, "tuidbg.api.mcp.server")
        from tuidbg.api.mcp.tool_sets import McpOptions, read_query

        default = McpOptions(tool_set=self._tool_set) if self._tool_set else McpOptions()
        options = read_query(query, default)
        if query not in self._served:
            if len(self._served) >= _MOST:
                raise ValueError("too many clients ask for different tools")
            served = _ServerGroup(asyncio.get_running_loop().create_future())
            self._served[query] = served
            served.task = asyncio.create_task(self._run(served, options), name="mcp")
        return self._served[query]

    async def _run(self, served: _ServerGroup, options: McpOptions) -> None:
        """Run the session manager until ``close``."""
        try:
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

            from tuidbg.api.mcp.server import McpServer

            server = McpServer(
                self._hub,
                self._gate,
                options,
                python=self._python,
                cwd=self._cwd,
                find_caller=partial(find_caller, scopes=options.scopes),
            )
            manager = StreamableHTTPSessionManager(server.server)
            async with manager.run():
                served.ready.set_result(manager)
                await served.ended.wait()
        except Exception as error:
            if not served.ready.done():
                served.ready.set_exception(error)
            raise

    async def close(self) -> None:
        for served in self._served.values():
            served.ended.set()
        tasks = [served.task for served in self._served.values() if served.task is not None]
        if tasks:
            await asyncio.wait(tasks)


class _ServerGroup:
    """The server for clients with the same options."""

    def __init__(self, ready: asyncio.Future[StreamableHTTPSessionManager]) -> None:
        self.ready = ready
        self.ended = asyncio.Event()
        self.task: asyncio.Task[None] | None = None


def find_caller(context: Any, *, scopes: frozenset[Allowed] = ALL_SCOPES) -> Caller:
    """Return the caller that the security middleware found, restricted to ``scopes``."""
    caller: Caller = context.request.state.caller
    return msgspec.structs.replace(caller, origin=ORIGIN, scopes=caller.scopes & scopes)


_NOT_HANDED_ON = "server/discover"
"""A request for the connectionless protocol version, in which hits can't be sent."""

LOOK_EVERY = 1.0
"""Seconds between two checks that the relay is running."""

_READ = 65_536

LAST_ANSWERS = 10.0
"""Seconds for pending responses after the agent's input has ended."""

_UNANSWERED = "the input ended before this was answered"
_GONE = "the running tuidbg has ended, or does not serve any more"


class ServerUnreachable(Exception):
    """No reachable running tuidbg, or a lost connection to it; ``str()`` is a sentence."""


def join(pid: int | None, options: McpOptions) -> int:
    """Serve until the client or the relay ends; return the exit status. Raises NotJoined.

    ``options`` are those of the agent's own configuration; the relay enforces them.
    """
    servers = [server for server in find_servers() if pid in (None, server.pid)]
    if not servers:
        which = "no tuidbg" if pid is None else f"no tuidbg of process {pid}"
        raise ServerUnreachable(
            f"{which} serves; press F2 in it, or start it with --serve, or tuidbg serve"
        )
    try:
        return asyncio.run(_bridge(servers[0], options), debug=False)
    except* (httpx2.HTTPError, OSError) as errors:
        raise ServerUnreachable(f"lost the running tuidbg: {_first(errors)}") from None
    except* ServerUnreachable as lost:
        raise _first(lost) from None


def _first(errors: BaseException) -> BaseException:
    """Unwrap the first error of the groups made by tasks."""
    while isinstance(errors, BaseExceptionGroup):
        errors = errors.exceptions[0]
    return errors


async def _bridge(server: ServerFile, options: McpOptions) -> int:
    url = f"{server.url}{PATH}?{write_query(options)}"
    headers = {"Authorization": f"Bearer {server.token}"} if server.token else {}
    transport = httpx2.AsyncHTTPTransport(uds=server.uds or None)
    client = httpx2.AsyncClient(
        transport=transport, headers=headers, timeout=httpx2.Timeout(30.0, read=None)
    )
    typed: Any = LinesOfStdin()
    async with (
        client,
        stdio_server(stdin=typed) as (from_agent, to_agent),
        to_agent,  # the writer to the agent ends with this, and not before
    ):
        bridge = _Bridge(server, from_agent, to_agent)
        try:
            async with streamable_http_client(url, http_client=client) as (from_relay, to_relay):
                await bridge.run(from_relay, to_relay)
        finally:
            typed.end()
            await bridge.answer_the_rest()
    if bridge.is_lost:
        raise ServerUnreachable(_GONE)
    return 0


class _Bridge:
    """Forwarding between agent and relay, with the agent's pending requests."""

    def __init__(self, server: ServerFile, from_agent: Any, to_agent: Any) -> None:
        self._server = server
        self._from_agent = from_agent
        self._to_agent = to_agent
        self._open: dict[types.RequestId, None] = {}
        self._answered = asyncio.Event()
        self.is_lost = False

    async def run(self, from_relay: Any, to_relay: Any) -> None:
        """Forward until the agent or the relay ends."""
        async with anyio.create_task_group() as tasks:

            async def alone(work: Awaitable[None]) -> None:
                await work
                tasks.cancel_scope.cancel()

            tasks.start_soon(alone, self._hand_on_all(to_relay))
            tasks.start_soon(alone, self._hand_back(from_relay))
            tasks.start_soon(alone, self._watch_relay())

    async def _hand_on_all(self, to_relay: Any) -> None:
        """Forward until the input has ended and pending requests are answered, as in a pipe."""
        await self._hand_on(to_relay)
        with anyio.move_on_after(LAST_ANSWERS):
            await self._wait_for_answers()

    async def _wait_for_answers(self) -> None:
        while self._open:
            self._answered.clear()
            await self._answered.wait()

    async def _hand_on(self, to_relay: Any) -> None:
        async for message in self._from_agent:
            if isinstance(message, Exception):
                continue  # not JSON-RPC: the SDK has reported it
            refusal = _refuse(message)
            if refusal is not None:
                await self._to_agent.send(refusal)
                continue
            if isinstance(message.message, types.JSONRPCRequest):
                self._open[message.message.id] = None
            await to_relay.send(message)
            if getattr(message.message, "method", "") == "initialize":
                await self._wait_for_answers()  # the response names the session of what follows

    async def _hand_back(self, from_relay: Any) -> None:
        async for message in from_relay:
            if isinstance(message, Exception):
                continue
            if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
                self._open.pop(message.message.id, None)  # type: ignore[arg-type]
            await self._to_agent.send(message)
            self._answered.set()

    async def _watch_relay(self) -> None:
        """Poll until the relay is gone: its streams report that late or never."""
        file = Path(self._server.path)
        while file.exists() and self._server.is_living:  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(LOOK_EVERY)
        self.is_lost = True

    async def answer_the_rest(self) -> None:
        """Answer the agent's pending requests with an error."""
        why = _GONE if self.is_lost else _UNANSWERED
        for asked in self._open:
            error = types.ErrorData(code=types.INTERNAL_ERROR, message=why)
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                await self._to_agent.send(
                    SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=asked, error=error))
                )


class LinesOfStdin:
    """The lines of stdin, read by a daemon thread, so that a pending read delays no exit."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def _read(self) -> None:
        begun = b""
        with suppress(OSError):
            while data := os.read(0, _READ):
                *lines, begun = (begun + data).split(b"\n")
                for line in lines:
                    self._tell(line.decode(errors="replace"))
        if begun:
            self._tell(begun.decode(errors="replace"))
        self._tell(None)

    def _tell(self, line: str | None) -> None:
        with suppress(RuntimeError):  # the loop is closed at the end
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)

    def end(self) -> None:
        """Stop the iteration."""
        self._lines.put_nowait(None)

    def __aiter__(self) -> LinesOfStdin:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        return line


def _refuse(message: SessionMessage) -> SessionMessage | None:
    asked = message.message
    if not isinstance(asked, types.JSONRPCRequest) or asked.method != _NOT_HANDED_ON:
        return None
    error = types.ErrorData(code=types.METHOD_NOT_FOUND, message="Method not found")
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=asked.id, error=error))
