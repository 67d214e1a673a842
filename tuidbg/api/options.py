"""Server options and their command line."""

from __future__ import annotations

import argparse
import shlex
from typing import NoReturn

import msgspec

from tuidbg.api.auth.bodies import RequestLimits
from tuidbg.api.auth.tokens import Token, read_token

PORT = 5679
"""Default REST port."""

TOOL_SETS = ("agent", "breakpoints", "recording", "job", "lldb", "all")
"""Tool sets for agents; the first is the default."""


class RelayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Listening addresses, access rules and bridge permissions.

    ``port`` 0 is any free port; ``uds`` is a Unix socket instead of host and port. ``bridge_port``
    is a second port with the same endpoints, for clients that expect the bridge at 4000.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    uds: str = ""
    bridge_port: int | None = None
    needs_token: bool = True
    allow_remote: bool = False
    redact: bool = False
    """Whether secrets are hidden from the owner's token, too."""
    tokens: tuple[Token, ...] = ()
    manage_bridge: bool = False
    build_cmd: str = ""
    tools: str = TOOL_SETS[0]
    """Tool set of agents at ``/mcp`` that request no other."""
    limits: RequestLimits = RequestLimits()


class WrongOptions(Exception):
    """Invalid or contradictory options; ``str()`` is one sentence."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise WrongOptions(f"serve: {message}")


def make_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="tuidbg serve",
        description="Serve programs: the REST relay (/api/v1) and the command bridge (/command,"
        " /health, /logs), without a screen. Ctrl+C ends it, and all its sessions.",
        epilog="A token is made at each start, shown once, and kept in a file that only you can"
        " read while the server runs; `tuidbg send` finds it there. Programs show it as"
        " `Authorization: Bearer TOKEN`.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    add("--port", type=_port, metavar="N", help=f"({PORT}); 0 is any free one")
    add("--uds", default="", metavar="PATH", help="listen on a Unix socket that only you can open")
    add("--bridge-port", type=_port, metavar="N", help="listen there, too; 4000 is usual")
    add(
        "--auth",
        choices=("token", "none"),
        default="token",
        help="none: any client that can connect may do all, as any program on this machine can",
    )
    add(
        "--token",
        dest="tokens",
        type=_token,
        action="append",
        default=[],
        metavar="NAME:SCOPES[:redact|:secrets]",
        help="make one more token, for an agent; SCOPES are of read, control, evaluate, launch and"
        " all, with commas; values that look like secrets by their names are hidden from it, with"
        " `redact` also text in which a secret has no name (output, messages, source), with"
        " `secrets` nothing",
    )
    add("--redact", action="store_true", help="hide these from your own token, too")
    add("--allow-remote", action="store_true", help="let --host be one that others can reach")
    add("--manage-bridge", action="store_true", help="allow the bridge to launch and restart")
    add("--build-cmd", default="", metavar="CMD", help="what the bridge's action `build` runs")
    add("--tools", choices=TOOL_SETS, default=TOOL_SETS[0], help="what agents get at /mcp")
    add("--openapi", action="store_true", help="print the OpenAPI document, and serve nothing")
    return parser


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is no port")
    return int(text)


def _token(text: str) -> Token:
    try:
        return read_token(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def read_serve_options(args: list[str]) -> tuple[RelayOptions, bool]:
    """Return the options, and whether ``--openapi`` was given. Raises WrongOptions."""
    found = make_parser().parse_args(args)
    tokens: tuple[Token, ...] = tuple(found.tokens)
    names = [token.name for token in tokens]
    if len(set(names)) < len(names):
        raise WrongOptions("serve: two tokens can't have the same name")
    if found.auth == "none" and (tokens or found.redact):
        raise WrongOptions("serve: --token and --redact make no sense with --auth none")
    if found.uds and found.port is not None:
        raise WrongOptions("serve: --uds is in place of --port")
    options = RelayOptions(
        host=found.host,
        port=PORT if found.port is None else found.port,
        uds=found.uds,
        bridge_port=found.bridge_port,
        needs_token=found.auth == "token",
        allow_remote=found.allow_remote,
        redact=found.redact,
        tokens=tokens,
        manage_bridge=found.manage_bridge,
        build_cmd=found.build_cmd,
        tools=found.tools,
    )
    return options, found.openapi


def read_serve_value(text: str) -> RelayOptions:
    """Parse the value of ``--serve=``: empty, a port, or options. Raises WrongOptions."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise WrongOptions(f"--serve: {error}") from None
    if len(words) == 1 and words[0].isdigit():
        words = ["--port", *words]
    options, wants_document = read_serve_options(words)
    if wants_document:
        raise WrongOptions("--openapi is for `tuidbg serve`")
    return options
