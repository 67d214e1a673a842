"""The command ``tuidbg listen``: debug programs that connect."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from tuidbg.cli.arguments import (
    Parser,
    UsageError,
    add_breakpoint_option,
    add_screen_options,
    check_serving,
    complain,
    read_folder,
    read_interpreter,
)
from tuidbg.cli.commands.reach.attach import (
    add_attach_options,
    make_request,
    read_address,
    read_mappings,
)
from tuidbg.config.files import LARGEST, read_text
from tuidbg.config.launch import AttachPlan, HostsPlan
from tuidbg.config.request import StartupRequest
from tuidbg.session.core.connect.plans import ProcessRequest, make_plan

if TYPE_CHECKING:
    from tuidbg.process.guardian import Guardian


def run_command(args: list[str], guardian: Guardian) -> int:
    """Listen and open the screen; return the exit status. Raises UsageError."""
    from tuidbg.cli import main as cli

    return cli.debug(read_request(args), guardian)


def read_request(args: list[str]) -> StartupRequest:
    """Parse the options. Raises UsageError."""
    options = make_parser().parse_args(args)
    host, port = read_address(options.address, "listen", "127.0.0.1")
    if options.host:
        host, _ = read_address(f"{options.host}:{port}", "listen")
    if options.serve is not None:
        check_serving(options.serve)
    asked = ProcessRequest(
        host=host,
        port=port,
        listen=True,
        token=read_token(options.token_file) if options.token_file else "",
        hosts=_read_hosts(options),
        cwd=read_folder(options.cwd),
        python=read_interpreter(options.python),
        just_my_code=not options.all_code,
        path_mappings=read_mappings(options.maps),
    )
    plan = make_plan(asked)
    _try_port(plan)
    return make_request(plan, options)


def _read_hosts(options: Namespace) -> HostsPlan | None:
    certificate, key = options.certificate, options.key
    if not options.hosts:
        if certificate or key:
            raise UsageError("--certificate is for the machines that call at --hosts")
        return None
    if key and not certificate:
        raise UsageError("--key belongs to a --certificate")
    host, port = read_address(options.hosts, "--hosts", "127.0.0.1")
    return HostsPlan(host=host, port=port, certificate=certificate, key=key)


def read_token(path: str) -> str:
    """Read the only word of a file. Raises UsageError."""
    try:
        words = read_text(path, limit=LARGEST).split()
    except OSError as error:
        raise UsageError(f"can't read the token in {path}: {error.strerror}") from None
    except UnicodeError:
        raise UsageError(f"can't read the token in {path}: it is no text") from None
    if len(words) != 1:
        raise UsageError(f"{path} holds no token: it is to be one word and nothing else")
    return words[0]


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg listen",
        usage="tuidbg listen [OPTIONS] [HOST:]PORT",
        description="Debug the programs that connect to PORT of this machine:"
        " python -m debugpy --connect PORT --wait-for-client program.py, or debugpy.connect(PORT)"
        " in the program. Each is a session of its own.",
        epilog="Breakpoints that are set before a program has connected are in force from its first"
        " line on, where it waits (--wait-for-client, or debugpy.wait_for_client()).",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("address", metavar="[HOST:]PORT", help="where to listen; HOST is 127.0.0.1 by default")
    add("--host", metavar="HOST", default="", help="the address to listen on; 0.0.0.0 is all")
    add(
        "--token-file",
        metavar="FILE",
        default="",
        help="accept only clients with the token in FILE: debugpy --connect PORT"
        " --adapter-access-token TOKEN, or debugpy.connect(PORT, access_token=TOKEN)",
    )
    add(
        "--hosts",
        metavar="[HOST:]PORT",
        default="",
        help="take in the programs of other machines there, all of one on one line: `tuidbg forward"
        " 5678 HERE:PORT` on each of them",
    )
    add(
        "--certificate",
        metavar="FILE",
        default="",
        help="have those lines speak TLS, with this certificate (PEM)",
    )
    add("--key", metavar="FILE", default="", help="its key, where that is a file of its own")
    add_attach_options(parser)
    add_breakpoint_option(parser)
    add_screen_options(parser)
    return parser


def _try_port(plan: AttachPlan) -> None:
    """Check that a port is free, before anything is painted. Raises UsageError."""
    from tuidbg.session.core.connect.listening import (
        bind,
        bind_for_hosts,
        make_context,
        warn_of,
        warn_of_hosts,
    )
    from tuidbg.session.model.errors import AttachFailed

    try:
        bind(plan).close()
        if (hosts := plan.hosts) is not None:
            make_context(hosts)
            bind_for_hosts(plan, hosts).close()
    except AttachFailed as error:
        raise UsageError(str(error)) from None
    if warning := warn_of(plan):
        complain(warning)
    if hosts is not None and (warning := warn_of_hosts(hosts)):
        complain(warning)
