"""The lists of the manual's page *compatibility*, made from the rows."""

from __future__ import annotations

import textwrap
from itertools import groupby

from tests.compatibility import rows as _rows  # noqa: F401 - registers them
from tests.compatibility.row import ROWS, Row
from tuidbg.manual.pages import FOLDER

_BEGIN, _END = "<!-- rows -->\n", "<!-- end -->"


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
    return textwrap.fill(
        " ".join(sentences), 112, subsequent_indent="  ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def write_page() -> None:
    """Write the lists between the page's marks."""
    path = FOLDER / "compatibility.md"
    before, begin, rest = path.read_text(encoding="utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    assert begin and end
    path.write_text(f"{before}{begin}{make_lists()}{end}{after}", encoding="utf-8")
