"""The command ``tuidbg attach``: debug a running program."""

from __future__ import annotations

import argparse
import math
import re
import sys
from typing import TYPE_CHECKING

from tuidbg.cli.arguments import (
    Parser,
    UsageError,
    add_adapter_options,
    add_breakpoint_option,
    add_screen_options,
    check_serving,
    read_adapter,
    read_adapter_options,
    read_breakpoint,
    read_folder,
    read_interpreter,
)
from tuidbg.config.launch import AttachPlan
from tuidbg.config.request import StartupRequest
from tuidbg.session.core.connect.plans import ProcessRequest, make_plan

if TYPE_CHECKING:
    from tuidbg.process.guardian import Guardian

_ADDRESS = re.compile(
    r"(?:\[(?P<v6>[0-9A-Fa-f:.%\w]+)\]:|(?P<host>[^:\[\]\s]+):)?(?P<port>[0-9]{1,5})\Z"
)
_MACHINE = re.compile(r"[^\s-]\S*\Z")


def run_command(args: list[str], guardian: Guardian) -> int:
    """Attach and open the screen; return the exit status. Raises UsageError."""
    from tuidbg.cli import main as cli

    options = make_parser().parse_args(args)
    request = read_options(options)
    if request is None:
        return 0
    return cli.debug(request, guardian)


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg attach",
        usage="tuidbg attach [OPTIONS] [HOST:]PORT\n"
        "       tuidbg attach [OPTIONS] --pid PID\n"
        "       tuidbg attach [OPTIONS]",
        description="Debug a program that runs already: by the port of its debug server"
        " (python -m debugpy --listen PORT program.py), or by its process id. With neither, a list"
        " of the programs that run asks for one. The program runs on when tuidbg leaves.",
        epilog="A server that is not there yet is waited for, and one that was lost or was started"
        " again is attached to again, with all breakpoints.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("address", nargs="?", metavar="[HOST:]PORT", help="where its debug server listens")
    add("--pid", type=int, metavar="PID", help="the process to attach to")
    add(
        "--wait",
        type=_read_seconds,
        metavar="SECONDS",
        help="how long to wait for a server that is not up yet (0: not at all; else until it is),"
        " or for a process until it can be debugged (60; it is never harmed)",
    )
    add(
        "--ssh",
        metavar="[USER@]HOST",
        default="",
        help="reach [HOST:]PORT from that machine, through a tunnel by ssh",
    )
    add_attach_options(parser)
    add_adapter_options(parser)
    add_breakpoint_option(parser)
    add_screen_options(parser)
    return parser


def add_attach_options(parser: argparse.ArgumentParser) -> None:
    """Add the options shared with listening."""
    add = parser.add_argument
    add(
        "--map",
        dest="maps",
        metavar="LOCAL=REMOTE",
        action="append",
        default=[],
        help="the folder LOCAL is called REMOTE where the program runs; may be given many times",
    )
    add("--cwd", metavar="DIR", help="the project's folder here")
    add("--python", metavar="PATH", help="the interpreter that is asked about its sources")
    add("--all-code", action="store_true", help="step into libraries too (just-my-code off)")


def read_options(options: argparse.Namespace) -> StartupRequest | None:
    """Make the request; None if the user chose no process. Raises UsageError."""
    if options.address is not None and options.pid is not None:
        raise UsageError("attach: give either a port or --pid, not both")
    if options.pid is not None and options.pid < 1:
        raise UsageError(f"attach: --pid: {options.pid} is no process id")
    if options.address is None and options.ssh:
        raise UsageError("attach: --ssh goes with [HOST:]PORT, the port of a debug server")
    if options.ssh and not _MACHINE.match(options.ssh):
        raise UsageError(f"attach: --ssh: {options.ssh!r} is no [USER@]HOST")
    if options.serve is not None:
        check_serving(options.serve)
    adapter = read_adapter(options.adapter) if options.adapter is not None else ""
    host, port = _read_place(options, adapter)
    folder, mappings = read_folder(options.cwd), read_mappings(options.maps)
    python = read_interpreter(options.python)
    pid: int | None = options.pid
    if port is None and pid is None:
        pid = _pick(options.theme)
        if pid is None:
            return None
    if pid is not None:
        adapter = _check_process(pid, adapter)
    asked = ProcessRequest(
        host=host,
        port=port,
        pid=pid,
        cwd=folder,
        python=python,
        just_my_code=not options.all_code,
        path_mappings=mappings,
        wait=math.inf if options.wait is None and port is not None else options.wait,
        reconnect=port is not None,
        ssh=options.ssh,
        adapter=adapter,
        options=read_adapter_options(options.adapter_options),
    )
    return make_request(make_plan(asked), options)


def _read_place(options: argparse.Namespace, adapter: str) -> tuple[str, int | None]:
    """Return the debug server's address: the given one, or the adapter's fixed one."""
    if options.address:
        return read_address(options.address, "attach")
    if adapter and options.pid is None:
        from tuidbg.adapters.table import find_profile

        if (place := find_profile(adapter).start.address) is not None:
            return place
    return "localhost", None


def make_request(plan: AttachPlan, options: argparse.Namespace) -> StartupRequest:
    """Add the screen's options to a plan. Raises UsageError."""
    return StartupRequest(
        plan=plan,
        breakpoints=tuple(read_breakpoint(text, plan) for text in options.breaks),
        theme=options.theme,
        key_map=options.keys,
        dap_log=options.dap_log,
        plain=options.plain,
        serve=options.serve,
    )


def read_address(text: str, command: str, host: str = "localhost") -> tuple[str, int]:
    """Parse ``[HOST:]PORT``. Raises UsageError."""
    found = _ADDRESS.match(text)
    if found is None or not 0 < int(found["port"]) < 65_536:
        raise UsageError(f"{command}: {text!r} is not of the form [HOST:]PORT")
    return found["v6"] or found["host"] or host, int(found["port"])


def read_mappings(pairs: list[str]) -> dict[str, str]:
    """Parse ``--map``: local to remote folders. Raises UsageError."""
    mappings: dict[str, str] = {}
    for pair in pairs:
        local, equals, remote = pair.partition("=")
        if not equals or not local or not remote:
            raise UsageError(f"--map: {pair!r} is not of the form LOCAL=REMOTE")
        folder = read_map_folder(local)
        mappings[folder] = remote.rstrip("/") or "/"
    return mappings


def read_map_folder(local: str) -> str:
    """Check the local folder of ``--map``. Raises UsageError."""
    from tuidbg.cli.arguments import absolute

    path = absolute(local)
    if not path.is_dir():
        raise UsageError(f"--map: there is no folder {local}")
    return str(path)


def _read_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return seconds


def _check_process(pid: int, adapter: str = "") -> str:
    """Return the adapter for a process: the requested one, or that of its program.

    Raises UsageError if attaching is known to be impossible.
    """
    from tuidbg.adapters.table import adapter_of_process, find_profile

    adapter = adapter or adapter_of_process(pid)
    if obstacle := find_profile(adapter).attach.obstacle(pid):
        raise UsageError(f"can't attach to process {pid}: {obstacle}")
    return adapter


def _pick(asked_theme: str) -> int | None:
    """Let the user choose a running program. Raises UsageError."""
    if not all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        raise UsageError("attach: name a [HOST:]PORT or a --pid; choosing one needs a terminal")
    from tuidbg.adapters.table import attach_obstacle
    from tuidbg.config.stores.remembered import load_remembered
    from tuidbg.tui.app.launching.attach import pick_process
    from tuidbg.tui.toolkit.theme.theme import ThemeError, choose_theme

    try:
        theme = choose_theme(asked_theme, load_remembered().theme)
    except ThemeError as error:
        raise UsageError(f"--theme: {error}") from None
    process = pick_process(attach_obstacle, theme)
    return process.pid if process is not None else None
