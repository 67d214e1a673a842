"""The command ``tuidbg web``: the debugger in a browser."""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib.util
import signal
import sys
from typing import TYPE_CHECKING

from tuidbg.cli.arguments import Parser, UsageError
from tuidbg.config.extras import missing
from tuidbg.config.launch import LaunchPlan
from tuidbg.config.request import StartupRequest
from tuidbg.process.guardian import Guardian

if TYPE_CHECKING:
    from tuidbg.session.hub.hub import Hub
    from tuidbg.session.hub.members import HubSession
    from tuidbg.tui.app.app import TuidbgApp
    from tuidbg.web.server import WebServer

PORT = 5680
"""The default port; if it is in use, any free one."""


def run_command(args: list[str], guardian: Guardian) -> int:
    """Serve one session to browsers until a signal; return the exit status. Raises UsageError."""
    options, rest = _read(args)
    if any(importlib.util.find_spec(name) is None for name in ("aiohttp", "textual_serve")):
        raise UsageError(missing("the browser needs", "web"))
    from tuidbg.cli.main import read_command_line

    asked = read_command_line(rest)
    if not isinstance(asked.plan, LaunchPlan):
        raise UsageError("web: name a SCRIPT or a -m MODULE to debug")
    if asked.plain or asked.serve is not None:
        raise UsageError("web: --plain and --serve can't be had in a browser")
    from tuidbg.web.server import is_of_this_machine

    if not options.allow_remote and not is_of_this_machine(options.host):
        raise UsageError(
            f"web: others could reach {options.host}; anyone with the token may run code here;"
            " add --allow-remote if that is what you want"
        )
    gc.enable()
    try:
        return asyncio.run(_serve(asked, options, guardian), debug=False)
    finally:
        guardian.close()


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg web",
        usage="tuidbg web [--host HOST] [--port N] [--allow-remote] [OPTIONS] SCRIPT [ARGS...]\n"
        "       tuidbg web [OPTIONS] -m MODULE [ARGS...]",
        description="Debug a Python program in a browser. All tabs show the one session; closing"
        " them leaves it as it is. Ctrl+C here ends everything.",
        epilog="OPTIONS are those of `tuidbg`; see `tuidbg --help`.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    add("--port", type=_port, metavar="N", help=f"({PORT}, or one that is free)")
    add("--allow-remote", action="store_true", help="let --host be one that others can reach")
    return parser


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return int(text)


def _read(args: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Split into the command's own options and tuidbg's command line. Raises UsageError."""
    from tuidbg.cli.parser import WITH_VALUE

    mine: list[str] = []
    others: list[str] = []
    words = iter(args)
    for word in words:
        name, has_value, _ = word.partition("=")
        if word == "--" or not word.startswith("-") or word.startswith("-m"):
            others += [word, *words]
            break
        taken = mine if name in _OWN else others
        taken.append(word)
        if not has_value and name in (*WITH_VALUE, "--host", "--port"):
            taken += [value for value in [next(words, None)] if value is not None]
    return make_parser().parse_args(mine), others


_OWN = ("--host", "--port", "--allow-remote", "-h", "--help")


async def _serve(asked: StartupRequest, options: argparse.Namespace, guardian: Guardian) -> int:
    from tuidbg.adapters.table import profile_for
    from tuidbg.cli.start import LineModeStart, LogNotOpened, describe_problem, open_log
    from tuidbg.session.core.session import Session
    from tuidbg.session.hub.hub import Hub
    from tuidbg.sharing.host import Showing
    from tuidbg.web.server import WebServer

    try:
        opening = LineModeStart(asked, guardian, open_log(asked))
    except LogNotOpened as error:
        raise UsageError(str(error)) from None
    session = opening.make()
    problem = (await session.facts.of_target()).problem
    if problem is not None:
        print(describe_problem(problem), file=sys.stderr)
        return 2
    await asyncio.to_thread(_check_choices, asked)
    hub = Hub(lambda plan: Session(plan, profile_for(plan), guardian))
    member = hub.adopt(session, origin="tui")
    server = WebServer(member, Showing(hub, lambda each: _make_app(each, hub, asked)), member.name)
    ended = _await_signals()
    tasks: list[asyncio.Task[object]] = []
    try:
        await _listen(server, options)
        print(f"{member.name} is at {server.address}", flush=True)
        print("Every tab shows the same session. Ctrl+C here ends it.", flush=True)
        tasks += [asyncio.create_task(work) for work in (ended.wait(), hub.wait_until_empty())]
        starting = asyncio.create_task(opening.start())
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        starting.cancel()
        return 0
    finally:
        for task in tasks:
            task.cancel()
        await server.stop()
        await opening.close()
        await hub.close()


async def _listen(server: WebServer, options: argparse.Namespace) -> None:
    """Listen at the requested port, or at a free one. Raises UsageError."""
    from tuidbg.web.server import CannotListen

    try:
        try:
            await server.start(options.host, PORT if options.port is None else options.port)
        except CannotListen:
            if options.port is not None:
                raise
            await server.start(options.host, 0)
    except CannotListen as error:
        raise UsageError(f"web: {error}") from None


def _make_app(member: HubSession, hub: Hub, asked: StartupRequest) -> TuidbgApp:
    from tuidbg.sharing.shared_sessions import make_app

    return make_app(member, hub, theme=asked.theme, key_map=asked.key_map)


def _check_choices(asked: StartupRequest) -> None:
    """Check the theme and key map before the server starts. Raises UsageError."""
    if not asked.theme and not asked.key_map:
        return
    from tuidbg.config.user_config import config_folder, load_user_config
    from tuidbg.tui.app.keys.keymaps import choose_key_map
    from tuidbg.tui.toolkit.theme.theme import ThemeError, add_user_themes, choose_theme

    folder = config_folder()
    config = load_user_config(folder)
    add_user_themes(folder)
    try:
        choose_theme(asked.theme, "")
    except ThemeError as error:
        raise UsageError(f"--theme: {error}") from None
    try:
        choose_key_map(asked.key_map, config.key_map, "", config.keys)
    except ValueError as error:
        raise UsageError(f"--keys: {error}") from None


def _await_signals() -> asyncio.Event:
    """Return an event set by termination signals; by SIGHUP unless ignored, as under nohup."""
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, ended.set)
    return ended
