"""The command ``tuidbg forward``: connect this machine's programs to a debugger on another."""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
import signal
import socket
import ssl
import sys
from typing import TYPE_CHECKING

from tuidbg.adapters.forwarding.client import Forwarder, Forwarding, ForwardingRefused
from tuidbg.adapters.forwarding.tls import calling_context
from tuidbg.cli.arguments import Parser, UsageError, complain
from tuidbg.cli.commands.reach.attach import read_address
from tuidbg.cli.commands.reach.listen import read_token
from tuidbg.process.limits import raise_limit

if TYPE_CHECKING:
    from tuidbg.process.guardian import Guardian


def run_command(args: list[str], guardian: Guardian) -> int:
    """Forward until Ctrl+C or SIGTERM; return the exit status. Raises UsageError."""
    wanted = read_forwarding(args)
    raise_limit()
    try:
        return asyncio.run(_forward(wanted))
    except ForwardingRefused as error:
        complain(str(error))
        return 1
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"can't listen at {wanted.host}:{wanted.port}: {why}") from None


async def _forward(wanted: Forwarding) -> int:
    task = asyncio.create_task(Forwarder(wanted, _tell).run())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task
    return 0


def _tell(words: str) -> None:
    with contextlib.suppress(OSError):  # stderr may be closed
        print(words, file=sys.stderr, flush=True)


def read_forwarding(args: list[str]) -> Forwarding:
    """Parse the options. Raises UsageError."""
    options = make_parser().parse_args(args)
    host, port = read_address(options.address, "forward", "127.0.0.1")
    to_host, to_port = read_address(options.target, "forward")
    return Forwarding(
        host=host,
        port=port,
        to_host=to_host,
        to_port=to_port,
        name=_read_name(options.name),
        token=read_token(options.token_file) if options.token_file else "",
        context=_read_context(options.tls, options.authority),
        waits=_read_seconds(options.wait),
    )


def _read_name(name: str) -> str:
    if name and not re.fullmatch(r"[\w.:-]{1,80}", name):
        raise UsageError(f"--name: {name!r} has characters that no machine's name has")
    return name or re.sub(r"[^\w.-]", "-", socket.gethostname())[:80] or "unnamed"


def _read_context(is_wanted: bool, authority: str) -> ssl.SSLContext | None:
    if not is_wanted and not authority:
        return None
    try:
        return calling_context(authority)
    except OSError as error:  # SSLErrors are OSErrors, too
        why = error.strerror or str(error)
        raise UsageError(f"--ca: can't use the certificate {authority}: {why}") from None


def _read_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise UsageError(f"--wait: {text!r} is no number of seconds, nor inf")
    return seconds


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg forward",
        usage="tuidbg forward [OPTIONS] [HOST:]PORT DEBUGGER:PORT",
        description="Carry the programs that connect to PORT of this machine to `tuidbg listen"
        " --hosts PORT` on another, all on one line: python -m debugpy --connect PORT"
        " --wait-for-client program.py.",
        epilog="Where the line is lost, programs run until they stop, and wait; when it is back,"
        " all is as it was. Ctrl+C lets them run on without a debugger.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("address", metavar="[HOST:]PORT", help="where programs connect; HOST is 127.0.0.1")
    add("target", metavar="DEBUGGER:PORT", help="the port that `tuidbg listen --hosts` has there")
    add("--token-file", metavar="FILE", default="", help="send the token from FILE")
    add("--tls", action="store_true", help="speak TLS, and trust whom this machine trusts")
    add("--ca", dest="authority", metavar="FILE", default="",
        help="speak TLS, and trust the certificates in FILE alone (PEM)")  # fmt: skip
    add("--wait", metavar="SECONDS", default="inf",
        help="how long programs wait for a line that is lost before they run on without it; 0 is"
        " not at all (default: for as long as it takes)")  # fmt: skip
    add("--name", metavar="NAME", default="", help="name of this machine there")
    return parser
