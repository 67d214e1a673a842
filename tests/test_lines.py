"""Lines are counted as Python counts them, wherever sources are told."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.structure import PACKAGE
from tuidbg.api.operations.inspection import find_place
from tuidbg.lines import first_words, split_lines
from tuidbg.session.core.sources.definitions import find_source
from tuidbg.session.core.sources.files import LineMatch, search_files
from tuidbg.session.features.recording.calls.call import SourceText

ODD = (
    '"""a\x0cb\x0bc\x1cd\x85e\u2028f\u2029g"""\n\x0c\nmark = 1\n\n\n'
    "def sought():\n    return mark\n"
)
"""A source that ``str.splitlines`` takes apart: ``mark`` is in line 3, ``sought`` in line 6."""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\nb\r\nc\rd\n", ["a", "b", "c", "d"]),
        ("a\x0cb\u2028c\x85d\x1ce\n", ["a\x0cb\u2028c\x85d\x1ce"]),
        ("a\n\n", ["a", ""]),
    ],
)
def test_lines_are_counted_as_python_counts_them(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("", ""),
        ("one\ntwo", "one"),
        ("\n\n two\nthree", " two"),
        ("...", "..."),
        ('\n"""\nTraceback (most recent call last):\n  File "x"\nKeyError: 7\n"""', "KeyError: 7"),
    ],
)
def test_a_message_is_shown_by_the_line_that_says_most(message: str, words: str) -> None:
    assert first_words(message) == words


def test_nothing_else_splits_lines() -> None:
    """``str.splitlines`` is what first comes to mind; of bytes it splits at the right places."""
    allowed = {PACKAGE / "lines.py", PACKAGE / "adapters" / "program" / "terminal.py"}
    found = [
        f"{path}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        if path not in allowed and "splitlines" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr == "splitlines"
    ]
    assert not found, "tuidbg.lines.split_lines does it as Python does"


@pytest.mark.real
async def test_views_tell_the_right_lines(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text(ODD, encoding="utf-8")
    assert find_place(f"{path}: return mark", str(tmp_path)).line == 7
    found: list[LineMatch] = []
    search_files(tmp_path, re.compile("mark = 1"), found.extend, lambda: False)
    assert [each.line for each in found] == [3]
    named = await find_source("odd.sought", str(tmp_path))
    assert named.lines[named.line - 1 : named.end_line] == ("def sought():", "    return mark")
    assert (await SourceText.load(str(path))).line(3) == "mark = 1"
