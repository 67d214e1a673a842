"""The command ``tuidbg adapters``: the available debug adapters, and how to install others."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec

from tuidbg.cli.arguments import Parser

if TYPE_CHECKING:
    from tuidbg.adapters.discovery.listing import ListedAdapter
    from tuidbg.process.guardian import Guardian

_HEADINGS = ("NAME", "VERSION", "LANGUAGE", "FILES", "WHERE")


def run_command(args: list[str], guardian: Guardian) -> int:
    """Print the list; return the exit status. Raises UsageError."""
    options = make_parser().parse_args(args)
    from tuidbg.adapters.discovery.listing import list_adapters
    from tuidbg.config.user_config import config_folder, load_user_config

    found = list_adapters()
    as_json = msgspec.json.format(msgspec.json.encode(found), indent=2).decode
    print(as_json() if options.json else render(found), flush=True)
    for problem in load_user_config(config_folder()).problems:
        if "[adapters" in problem:
            print(f"tuidbg: {problem}", file=sys.stderr)
    return 0


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg adapters",
        usage="tuidbg adapters [--json]",
        description="List the debug adapters: what each debugs, where it was found and its version,"
        " and for one that is missing the command that installs it. Your own are in config.toml.",
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="for programs")
    return parser


def render(adapters: list[ListedAdapter]) -> str:
    """Render the list as a table; the last column of a missing adapter says how to install it."""
    rows = [_HEADINGS, *map(_row, adapters)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS) - 1)]
    lines = []
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        lines.append("  ".join((*cells, row[-1])).rstrip())
    if any(adapter.own for adapter in adapters):
        lines.append("* of your own, in config.toml")
    lines += [f"{adapter.gaps}." for adapter in adapters if adapter.gaps]
    return "\n".join(lines)


def _row(adapter: ListedAdapter) -> tuple[str, ...]:
    name = f"{adapter.name} *" if adapter.own else adapter.name
    files = ", ".join(adapter.files) or "by --adapter"
    return name, adapter.version or "-", adapter.language, files, describe_place(adapter)


def describe_place(adapter: ListedAdapter) -> str:
    """Return where it is, or that it is missing and how to install it."""
    if adapter.is_there:
        return adapter.where
    return f"missing: {adapter.install}" if adapter.install else adapter.problem
