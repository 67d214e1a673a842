"""The parts of the manual that are made from the code: ``uv run python -m tests.support.manual``.

A test compares them with what stands in the pages, so that these can't say anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.compatibility.page import make_lists
from tuidbg.api.app import openapi_document
from tuidbg.tui.app.keys.commands import COMMANDS

FOLDER = Path(__file__).resolve().parents[2] / "tuidbg" / "manual"


def key_tables() -> str:
    """The commands that have keys, in a table for each of their groups."""
    parts = []
    group = ""
    for command in COMMANDS:
        if not command.keys:
            continue
        if command.group != group:
            group = command.group
            parts.append(f"\n### {group}\n\n| Keys | Command |\n| --- | --- |\n")
        keys = " ".join(f"`{key}`" for key in command.shown_keys.split(", "))
        parts.append(f"| {keys} | {command.title} |\n")
    return "".join(parts) + "\n"


def operation_table() -> str:
    """The operations of REST."""
    paths = openapi_document()["paths"]
    rows = ["\n| Operation | | |\n| --- | --- | --- |\n"]
    for path, methods in paths.items():
        for method, told in methods.items():
            name = told["operationId"]
            rows.append(f"| `{name}` | {told['summary']} | `{method.upper()} {path}` |\n")
    return "".join(rows) + "\n"


MADE: dict[str, tuple[str, Callable[[], str]]] = {
    "keys": ("commands", key_tables),
    "rest": ("operations", operation_table),
    "compatibility": ("rows", make_lists),
}
"""By their pages: the mark above each part, and what makes it."""


def with_made_part(topic: str) -> str:
    """The text of a page, its made part as the code has it now."""
    mark, make = MADE[topic]
    before, begin, rest = _path(topic).read_text(encoding="utf-8").partition(f"<!-- {mark} -->\n")
    _, end, after = rest.partition("<!-- end -->")
    assert begin and end, topic
    return f"{before}{begin}{make()}{end}{after}"


def _path(topic: str) -> Path:
    return FOLDER / f"{topic}.md"


def main() -> None:
    """Write the parts anew."""
    for topic in MADE:
        _path(topic).write_text(with_made_part(topic), encoding="utf-8")


if __name__ == "__main__":
    main()
