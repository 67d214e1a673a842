"""The command ``tuidbg man``: the man page as roff."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tuidbg.cli.arguments import Parser

if TYPE_CHECKING:
    from tuidbg.process.guardian import Guardian


def make_parser() -> Parser:
    return Parser(
        prog="tuidbg man",
        description="Print the man page of tuidbg and its commands (roff).",
        epilog="`tuidbg man | man -l -` shows it;"
        " `tuidbg man > ~/.local/share/man/man1/tuidbg.1` installs it.",
        allow_abbrev=False,
    )


def run_command(args: list[str], _guardian: Guardian) -> int:
    """Print the page; return the exit status. Raises UsageError."""
    make_parser().parse_args(args)
    from tuidbg.cli.reference.man_page import write_man_page
    from tuidbg.cli.reference.specs import read_main

    sys.stdout.write(write_man_page(read_main()))
    return 0
