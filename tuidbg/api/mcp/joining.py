"""``tuidbg mcp --join``: an agent's stdio on the relay of a running tuidbg.

Messages are handed through as they are; the relay sees one client of its own.
"""

from __future__ import annotations

import asyncio

import anyio
import httpx2
import mcp_types as types
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from tuidbg.api.mcp.http import PATH
from tuidbg.api.mcp.tool_sets import McpOptions, write_query
from tuidbg.api.server_file import ServerFile, find_servers

_NOT_HANDED_ON = "server/discover"
"""Asks for a dialect without connections, in which nobody could be told of a hit."""


class NotJoined(Exception):
    """There is no running tuidbg to work on, or it has gone; ``str()`` is a sentence."""


def join(pid: int | None, options: McpOptions) -> int:
    """Serve until the client or the relay goes; the exit status. Raises NotJoined.

    ``options`` are what the agent's own configuration asks for; the relay keeps to them.
    """
    servers = [server for server in find_servers() if pid in (None, server.pid)]
    if not servers:
        which = "no tuidbg" if pid is None else f"no tuidbg of process {pid}"
        raise NotJoined(
            f"{which} serves; press F2 in it, or start it with --serve, or tuidbg serve"
        )
    try:
        return asyncio.run(_bridge(servers[0], options))
    except* (httpx2.HTTPError, OSError) as errors:
        raise NotJoined(f"lost the running tuidbg: {errors.exceptions[0]}") from None


async def _bridge(server: ServerFile, options: McpOptions) -> int:
    url = f"{server.url}{PATH}?{write_query(options)}"
    headers = {"Authorization": f"Bearer {server.token}"} if server.token else {}
    transport = httpx2.AsyncHTTPTransport(uds=server.uds or None)
    client = httpx2.AsyncClient(
        transport=transport, headers=headers, timeout=httpx2.Timeout(30.0, read=None)
    )
    async with (
        client,
        stdio_server() as (from_agent, to_agent),
        streamable_http_client(url, http_client=client) as (from_relay, to_relay),
        anyio.create_task_group() as tasks,
    ):

        async def hand_on() -> None:
            async for message in from_agent:
                if isinstance(message, Exception):
                    continue  # no JSON-RPC: the SDK has said so
                refusal = _refuse(message)
                if refusal is not None:
                    await to_agent.send(refusal)
                else:
                    await to_relay.send(message)
            tasks.cancel_scope.cancel()

        async def hand_back() -> None:
            async for message in from_relay:
                if not isinstance(message, Exception):
                    await to_agent.send(message)
            tasks.cancel_scope.cancel()

        tasks.start_soon(hand_on)
        tasks.start_soon(hand_back)
    return 0


def _refuse(message: SessionMessage) -> SessionMessage | None:
    asked = message.message
    if not isinstance(asked, types.JSONRPCRequest) or asked.method != _NOT_HANDED_ON:
        return None
    error = types.ErrorData(code=types.METHOD_NOT_FOUND, message="Method not found")
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=asked.id, error=error))
