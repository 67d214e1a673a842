"""The command ``tuidbg join``: a session of a running tuidbg on this terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.cli.arguments import Parser, UsageError

if TYPE_CHECKING:
    from tuidbg.process.guardian import Guardian


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg join",
        description="Show a session of a running tuidbg (`tuidbg serve`, or --serve) on this"
        " terminal. q leaves it as it is.",
        epilog="Without SESSION it is the current one of the tuidbg that was started last; with it,"
        " of whichever has it.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "session", nargs="?", default="", metavar="SESSION", help="its id or its name"
    )
    parser.add_argument("--pid", type=int, help="of the tuidbg that holds it, if there are several")
    return parser


def run_command(args: list[str], guardian: Guardian) -> int:
    """Show the session until the user leaves it; return the exit status. Raises UsageError."""
    from tuidbg.sharing.client import join
    from tuidbg.sharing.shared_sessions import find_hosts

    asked = make_parser().parse_args(args)
    hosts = [(pid, path) for pid, path in find_hosts() if asked.pid in (None, pid)]
    if not hosts:
        which = "no tuidbg" if asked.pid is None else f"no tuidbg of process {asked.pid}"
        raise UsageError(f"{which} can be joined; `tuidbg serve` and `tuidbg --serve SCRIPT` can")
    first, *others = (path for _, path in hosts)
    return join(first, asked.session, *others, tell_terminal=guardian.tell_terminal)
