"""``/mcp`` on the relay: agents over streamable HTTP, behind the relay's security.

The SDK takes a while to import and few relays are used by agents, so all of it is made when the
first request comes.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from tuidbg.api.caller import Caller, Gate
from tuidbg.api.mcp.agent import ORIGIN
from tuidbg.session.hub import Hub

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"

_MISSING = {"error": "agents need more packages; install them: pip install 'tuidbg[mcp]'"}


class McpEndpoint:
    """The ASGI application at ``/mcp``."""

    def __init__(self, hub: Hub, gate: Gate, *, python: str = "", cwd: str = "") -> None:
        self._hub, self._gate = hub, gate
        self._python, self._cwd = python, cwd
        self._running: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[StreamableHTTPSessionManager] | None = None
        self._ended = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if importlib.util.find_spec("mcp") is None:
            await JSONResponse(_MISSING, 501)(scope, receive, send)
            return
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._ready), name="mcp")
        manager = await asyncio.shield(self._ready)
        await manager.handle_request(scope, receive, send)

    async def _run(self, ready: asyncio.Future[StreamableHTTPSessionManager]) -> None:
        """Keep what serves the requests alive until ``close``."""
        try:
            await asyncio.to_thread(importlib.import_module, "tuidbg.api.mcp.server")
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

            from tuidbg.api.mcp.server import McpServer
            from tuidbg.api.mcp.tool_sets import McpOptions

            server = McpServer(
                self._hub,
                self._gate,
                McpOptions(),
                python=self._python,
                cwd=self._cwd,
                find_caller=find_caller,
            )
            manager = StreamableHTTPSessionManager(server.server)
            async with manager.run():
                ready.set_result(manager)
                await self._ended.wait()
        except Exception as error:
            if not ready.done():
                ready.set_exception(error)
            raise

    async def close(self) -> None:
        """End all its connections."""
        if self._running is not None:
            self._ended.set()
            await asyncio.wait((self._running,))


def find_caller(context: Any) -> Caller:
    """Who calls, as the security middleware has found out."""
    caller: Caller = context.request.state.caller
    return msgspec.structs.replace(caller, origin=ORIGIN)
