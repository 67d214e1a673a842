"""``tuidbg send``: one action for the bridge of a running tuidbg, and its answer.

For scripts and for agents that can only run commands. The exit status is 0 for an answer with
``ok:true``, 1 for others, 2 without a server. Nothing heavy is imported, for a fast start.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import socket
import sys
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tuidbg.cli.arguments import Parser, UsageError

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 5679

PATIENCE = 120.0
"""Maximum seconds for an answer; a build has no limit."""

_FIELDS = {
    "file": "file",
    "line": "line",
    "expression": "expression",
    "variables_reference": "variablesReference",
    "thread_id": "threadId",
}


class ServerAddress(NamedTuple):
    """The address of a server, at ``uds`` if given, and its token."""

    host: str
    port: int
    uds: str
    token: str

    def __str__(self) -> str:
        return self.uds or f"{self.host}:{self.port}"


def make_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="tuidbg send",
        description="Send one action to a running tuidbg (`tuidbg serve`, or --serve) and print"
        " what it answers, as JSON.",
        epilog="Without --host, --port and --uds it is the server that you started last, with its"
        " token. The status is 0 where the answer is ok, 1 where not, 2 where there is no server.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--action", required=True, help="stacktrace, set_breakpoint, continue, evaluate, ...")
    add("--file", help="for set_breakpoint; the whole path is best")
    add("--line", type=int, help="for set_breakpoint, counted from 1")
    add("--expression", help="for evaluate and watch_expr")
    add("--variables-reference", type=int, metavar="N", help="for variables")
    add("--thread-id", type=int, metavar="N", help="for select_thread")
    add("--host", default="", help="where the server listens (127.0.0.1)")
    add("--port", type=int, help="its port")
    add("--uds", default="", metavar="PATH", help="its Unix socket, in place of host and port")
    add("--token", default="", help="the token to show; as a rule it is found by itself")
    return parser


def run_command(args: list[str], _guardian: object = None) -> int:
    """Send the action; return the exit status.

    Raises UsageError with a sentence if there is no server.
    """
    options = make_parser().parse_args(args)
    address = _find_address(options)
    given = vars(options)
    asked = {name: given[key] for key, name in _FIELDS.items() if given[key] is not None}
    answer, raw = _ask(address, {"action": options.action, **asked})
    sys.stdout.buffer.write(raw.rstrip() + b"\n")
    sys.stdout.buffer.flush()
    return 0 if answer.get("ok") is True else 1


def _find_address(options: argparse.Namespace) -> ServerAddress:
    """Find the requested server, or the newest, with the token from its server file.

    Raises UsageError without one.
    """
    from tuidbg.api.server_file import find_servers

    wanted = _host(options.host), options.port, options.uds and os.path.realpath(options.uds)
    for server in find_servers():
        for url in filter(None, (server.bridge_url, server.url)):
            parts = urlsplit(url)
            port = parts.port or 80
            found = ServerAddress(
                parts.hostname or "", port, server.uds, options.token or server.token
            )
            if _is_meant(found, *wanted):
                return found
    if not any(wanted):
        raise UsageError("send: there is no server; start one: tuidbg serve")
    host = options.host or DEFAULT_HOST
    return ServerAddress(host, options.port or DEFAULT_PORT, options.uds, options.token)


def _is_meant(found: ServerAddress, host: str, port: int | None, uds: str) -> bool:
    if found.uds or uds:
        return os.path.realpath(found.uds) == uds if uds else not (host or port)
    return (not host or _host(found.host) == host) and port in (None, found.port)


def _host(name: str) -> str:
    return DEFAULT_HOST if name.lower() == "localhost" else name.lower()


def _ask(address: ServerAddress, asked: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Send a request; return the answer, decoded and raw. Raises UsageError."""
    patience = None if asked["action"] == "build" else PATIENCE
    line = _Local(address.uds, patience) if address.uds else _over_tcp(address, patience)
    headers = {"Content-Type": "application/json"}
    if address.token:
        headers["Authorization"] = f"Bearer {address.token}"
    try:
        line.request("POST", "/command", json.dumps(asked), headers)
        raw = line.getresponse().read()
        answer = json.loads(raw)
    except TimeoutError:
        raise UsageError(f"send: {address} has not answered in {patience:g} s") from None
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(
            f"send: there is no server at {address} ({why.lower()}); start one: tuidbg serve"
        ) from None
    except (http.client.HTTPException, ValueError):
        answer = None
    finally:
        line.close()
    if not isinstance(answer, dict):
        raise UsageError(f"send: what listens at {address} is no tuidbg")
    return answer, raw


def _over_tcp(address: ServerAddress, patience: float | None) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(address.host, address.port, timeout=patience)


class _Local(http.client.HTTPConnection):
    """A connection to a Unix socket."""

    def __init__(self, path: str, patience: float | None) -> None:
        super().__init__("localhost", timeout=patience)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)
