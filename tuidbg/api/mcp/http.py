"""``/mcp`` on the relay: agents over streamable HTTP, behind the relay's security.

The SDK takes a while to import and few relays are used by agents, so all of it is made when the
first request comes.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from tuidbg.api.gate.caller import ALL_SCOPES, Caller, Gate
from tuidbg.api.gate.caller import Scope as Allowed
from tuidbg.api.mcp.agent import ORIGIN
from tuidbg.config.extras import missing
from tuidbg.session.hub import Hub

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from tuidbg.api.mcp.tool_sets import McpOptions

PATH = "/mcp"

_MISSING = {"error": missing("agents need", "mcp")}


_MOST = 16
"""Different sets of options that clients can ask for at a time."""


class McpEndpoint:
    """The ASGI application at ``/mcp``. Its query says what a client wants (``tool_sets.py``)."""

    def __init__(
        self, hub: Hub, gate: Gate, *, python: str = "", cwd: str = "", tool_set: str = ""
    ) -> None:
        """``tool_set`` is what clients get that don't ask for another one."""
        self._hub, self._gate = hub, gate
        self._python, self._cwd = python, cwd
        self._tool_set = tool_set
        self._served: dict[str, _Served] = {}

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

    async def _begin(self, query: str) -> _Served:
        """Raises ValueError for a query that makes no sense."""
        await asyncio.to_thread(importlib.import_module, "tuidbg.api.mcp.server")
        from tuidbg.api.mcp.tool_sets import McpOptions, read_query

        default = McpOptions(tool_set=self._tool_set) if self._tool_set else McpOptions()
        options = read_query(query, default)
        if query not in self._served:
            if len(self._served) >= _MOST:
                raise ValueError("too many clients ask for different tools")
            served = _Served(asyncio.get_running_loop().create_future())
            self._served[query] = served
            served.task = asyncio.create_task(self._run(served, options), name="mcp")
        return self._served[query]

    async def _run(self, served: _Served, options: McpOptions) -> None:
        """Keep what serves the requests alive until ``close``."""
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
        """End all its connections."""
        for served in self._served.values():
            served.ended.set()
        tasks = [served.task for served in self._served.values() if served.task is not None]
        if tasks:
            await asyncio.wait(tasks)


class _Served:
    """Serves the clients that ask for the same."""

    def __init__(self, ready: asyncio.Future[StreamableHTTPSessionManager]) -> None:
        self.ready = ready
        self.ended = asyncio.Event()
        self.task: asyncio.Task[None] | None = None


def find_caller(context: Any, *, scopes: frozenset[Allowed] = ALL_SCOPES) -> Caller:
    """Who calls, as the security middleware has found out; with no more than ``scopes``."""
    caller: Caller = context.request.state.caller
    return msgspec.structs.replace(caller, origin=ORIGIN, scopes=caller.scopes & scopes)
