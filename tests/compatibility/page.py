"""The lists of the manual's page *compatibility*, made from the rows."""

from __future__ import annotations

import re
import textwrap
from itertools import groupby

from tests.compatibility import rows as _rows  # noqa: F401 - registers them
from tests.compatibility.row import ROWS, Row

_UNBROKEN = "\0"
"""Stands for a space in code, where no line is broken."""


def make_lists() -> str:
    """A heading for each group, and an entry for each of its rows."""
    parts = []
    for group, rows in groupby(ROWS.values(), lambda each: each.group):
        entries = "\n".join(_entry(each) for each in rows)
        parts.append(f"## {group}\n\n{entries}\n")
    return "\n" + "\n".join(parts) + "\n"


def _entry(each: Row) -> str:
    sentences = [f"- **{each.title}** ({each.versions}; {each.tried}): {each.works}"]
    sentences += [f"Not: {each.fails}"] if each.fails else []
    sentences += [f"Needed: {each.needs}"] if each.needs else []
    text = re.sub("`[^`]+`", lambda code: code[0].replace(" ", _UNBROKEN), " ".join(sentences))
    filled = textwrap.fill(
        text, 112, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return filled.replace(_UNBROKEN, " ")
