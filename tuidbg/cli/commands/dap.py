"""The command ``tuidbg dap``: a debug adapter with its own sessions, or on a user's."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.cli.arguments import Parser, UsageError, read_interpreter
from tuidbg.process.guardian import Guardian

if TYPE_CHECKING:
    from tuidbg.api.dap.client import ServerContext
    from tuidbg.session.hub.hub import Hub

_AFTER_THE_START = 1.5
"""Seconds after which the first program's start is over."""

_NO_AUTH = (
    "dap: DAP has no authentication: any process that reaches that port on this machine may run"
    " code as you; if that is intended, add --auth none (--socket PATH accepts only you)"
)


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg dap",
        description="Be a debug adapter (DAP) on stdin and stdout, as an editor starts one. With"
        " --join the editor works on the session that a person looks at.",
        epilog="`tuidbg help editors` has the configurations of VS Code, Neovim, Emacs, Helix and"
        " Zed.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--join",
        nargs="?",
        const="",
        default=None,
        metavar="SESSION",
        help="on a session of the running tuidbg that serves (F2, --serve or `tuidbg serve`): the"
        " current one, or that of this id or name",
    )
    add("--pid", type=int, help="with --join: of the tuidbg to join, if there are several")
    add("--port", type=int, metavar="N", help="listen on that port of this machine; 0 is any")
    add("--socket", metavar="PATH", help="listen on a Unix socket that only you can open")
    add("--auth", choices=("none",), help="with --port: accept any client")
    return parser


def run_command(args: list[str], guardian: Guardian) -> int:
    """Serve until a disconnect or a signal; return the exit status. Raises UsageError."""
    asked = make_parser().parse_args(args)
    ways = [name for name in ("join", "port", "socket") if getattr(asked, name) is not None]
    if len(ways) > 1 and "socket" in ways:
        raise UsageError(f"dap: --{ways[0]} and --{ways[1]} don't go together")
    if asked.port is not None and asked.auth != "none":
        raise UsageError(_NO_AUTH)
    if asked.auth is not None and asked.port is None:
        raise UsageError("dap: --auth goes with --port")
    if asked.pid is not None and asked.join is None:
        raise UsageError("dap: --pid goes with --join")
    if asked.join is not None:
        from tuidbg.api.dap.endpoint import EndpointUnreachable, join

        try:
            if asked.port is not None:
                return asyncio.run(_join_by_port(asked.join, asked.pid, asked.port))
            return join(asked.join, asked.pid)
        except EndpointUnreachable as error:
            raise UsageError(f"dap: {error}") from None
    try:
        return asyncio.run(_serve(guardian, asked.port, asked.socket or ""), debug=False)
    except KeyboardInterrupt:
        return 130


async def _serve(guardian: Guardian, port: int | None, path: str) -> int:
    from tuidbg.api.dap.client import ServerContext
    from tuidbg.api.standalone import open_gate

    async with open_gate(guardian) as (hub, gate):
        place = ServerContext(
            hub=hub, gate=gate, python=read_interpreter(None), cwd=str(Path.cwd())
        )
        joining = asyncio.create_task(_let_people_join(hub), name="joining")
        try:
            if port is None and not path:
                await _on_stdio(place)
                return 0
            return await _on_socket(place, hub, port, path)
        finally:
            joining.cancel()
            await asyncio.wait({joining})


async def _join_by_port(session: str, pid: int | None, port: int) -> int:
    from tuidbg.api.dap.endpoint import serve_port
    from tuidbg.cli.serving import await_signals

    try:
        server = await serve_port(session, pid, port)
    except OSError as error:
        raise UsageError(f"dap: --port: {error.strerror or error}") from None
    host, port = server.sockets[0].getsockname()
    print(f"Editors can connect to {host}:{port}.", flush=True)
    ended = asyncio.Event()
    await_signals(ended)
    await ended.wait()
    server.close()
    return 0


async def _let_people_join(hub: Hub) -> None:
    """Let `tuidbg join` show an editor's session in a terminal.

    The imports for it are delayed until the first session's program has started.
    """
    async for _ in hub.events.follow(0):
        if len(hub):
            break
    await asyncio.sleep(_AFTER_THE_START)
    await asyncio.to_thread(importlib.import_module, "tuidbg.sharing.shared_sessions")
    from tuidbg.sharing.shared_sessions import listen_for_clients

    try:
        people = await listen_for_clients(hub)
    except OSError as error:
        print(f"tuidbg: joining is not possible: {error.strerror or error}", file=sys.stderr)
        return
    try:
        await asyncio.Event().wait()
    finally:
        await people.stop()


async def _on_stdio(place: ServerContext) -> None:
    from msgspec.structs import replace

    from tuidbg.api.dap.streams import OwnSocket, serve_stdio
    from tuidbg.cli.serving import await_signals

    out = os.dup(1)
    os.dup2(2, 1)  # other prints to stdout must not get between the messages
    own = OwnSocket(place)
    over = asyncio.Event()
    await_signals(over)  # some editors send one right after closing stdin
    try:
        await serve_stdio(replace(place, open_socket=own.open), out, over)
    finally:
        await own.close()


async def _on_socket(place: ServerContext, hub: Hub, port: int | None, path: str) -> int:
    from tuidbg.api.dap.streams import Listening
    from tuidbg.cli.serving import await_signals
    from tuidbg.session.hub.switch import ServingFailed

    listening = Listening(place)
    try:
        where = await listening.open(port, path)
    except ServingFailed as error:
        raise UsageError(f"dap: {error}") from None
    print(f"Editors can connect to {where}.", flush=True)
    ended = asyncio.Event()
    await_signals(ended)
    try:
        await ended.wait()
    finally:
        await listening.close()
    return 0
