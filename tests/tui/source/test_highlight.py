"""Colours of lines seen on their own must be those of the whole source."""

from __future__ import annotations

import argparse
import smtplib
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuidbg.tui.toolkit.text import highlight
from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.text.highlight import HIGHLIGHT_LIMIT, Highlighter, StringSpans
from tuidbg.tui.toolkit.theme.theme import SYNTAX


def kinds(highlighter: Highlighter, document: SourceDocument, line: int) -> list[tuple[str, str]]:
    """The runs of a line as pairs of text and kind."""
    text = document.lines[line - 1]
    runs = highlighter.runs(line)
    pairs, start = [], 0
    for end, kind in zip(runs[::2], runs[1::2], strict=True):
        pairs.append((text[start:end], SYNTAX[kind]))
        start = end
    return pairs


def python(text: str) -> tuple[SourceDocument, Highlighter]:
    document = SourceDocument.from_text("program.py", text)
    return document, Highlighter(document)


def finish(highlighter: Highlighter) -> list[int]:
    changed: list[int] = []
    while not highlighter.complete:
        highlighter.advance()
        changed += highlighter.settle()
    return changed


def string_characters(text: str) -> Iterator[tuple[int, int]]:
    """Line (1-based) and column of each character that Pygments, given all, finds in a string."""
    from pygments.lexers.python import PythonLexer
    from pygments.token import Literal

    line, column = 1, 0
    for _, token_type, value in PythonLexer().get_tokens_unprocessed(text):
        for character in value:
            if token_type in Literal.String and not character.isspace():
                yield line, column
            line, column = (line + 1, 0) if character == "\n" else (line, column + 1)


STRING_KINDS = {SYNTAX.index(kind) for kind in ("string", "docstring", "escape")}


def coloured_as_string(
    highlighter: Highlighter, document: SourceDocument
) -> Iterator[tuple[int, int]]:
    for line, text in enumerate(document.lines, start=1):
        start, runs = 0, highlighter.runs(line)
        for end, kind in zip(runs[::2], runs[1::2], strict=True):
            if kind in STRING_KINDS:
                yield from (
                    (line, column)
                    for column in range(start, min(end, len(text)))
                    if not text[column].isspace()
                )
            start = end


def test_a_line_is_cut_into_runs() -> None:
    document, highlighter = python("@app\ndef f(self, x):\n    return len(x) + 1  # why\n")
    assert kinds(highlighter, document, 1) == [("@app", "decorator")]
    assert kinds(highlighter, document, 2) == [
        ("def ", "keyword"),
        ("f", "function"),
        ("(", "plain"),
        ("self", "self"),
        (", x):", "plain"),
    ]
    assert kinds(highlighter, document, 3) == [
        ("    return ", "keyword"),
        ("len", "builtin"),
        ("(x) + ", "plain"),
        ("1  ", "number"),
        ("# why", "comment"),
    ]


@pytest.mark.full
@pytest.mark.parametrize("module", [argparse, smtplib])
def test_real_sources_have_the_colours_of_the_whole(module: object) -> None:
    document = SourceDocument.load(getattr(module, "__file__"))  # noqa: B009
    highlighter = Highlighter(document)
    finish(highlighter)
    expected = list(string_characters("\n".join(document.lines) + "\n"))
    assert list(coloured_as_string(highlighter, document)) == expected


TRICKY = [
    '"""doc',
    'end"""',
    "x = '''",
    "'''",
    's = "a \\',
    'b"',
    "f'''{x}",
    '# it\'s """',
    "plain = 1",
    "r'\\'",
    '"unclosed',
    "",
    "def f(): pass",
]


@given(st.lists(st.sampled_from(TRICKY), min_size=1, max_size=120))
def test_no_order_of_lines_puts_the_search_and_the_lexer_at_odds(lines: list[str]) -> None:
    spans = StringSpans(lines)
    spans.advance(float("inf"))
    assert spans.complete
    for line in range(1, len(lines) + 1):
        span = spans.at(line)
        assert span is None or span.first < line <= span.last
    document, highlighter = python("\n".join(lines) + "\n")
    for line in range(1, len(lines) + 1):
        ends = highlighter.runs(line)[::2]
        assert list(ends) == sorted(ends)
        assert not ends or ends[-1] <= len(document.lines[line - 1])


def docstring_over(lines: int) -> str:
    """A docstring that looks like code, and enough strings below to keep the search busy."""
    body = "def looks_like_code():\n    return 1\n" * (lines // 2)
    return f'"""Begins.\n{body}"""\n' + "x = 'a'\n" * 20_000


def test_a_wrong_guess_is_corrected_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highlight, "_FIRST_LOOK", 0)
    source = "y = ''\n" * 1000 + docstring_over(2000)
    document, highlighter = python(source)
    assert not highlighter.complete
    line = 1002 + 500
    assert document.lines[line - 1] == "def looks_like_code():"
    assert kinds(highlighter, document, line)[0] == ("def ", "keyword")
    changed = finish(highlighter)
    assert line in changed
    assert kinds(highlighter, document, line) == [("def looks_like_code():", "docstring")]
    assert highlighter.settle() == []


def test_a_right_guess_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highlight, "_FIRST_LOOK", 0)
    _, highlighter = python(docstring_over(20))
    highlighter.runs(15_000)
    assert not highlighter.complete
    assert finish(highlighter) == []


def test_the_inside_of_a_huge_string_needs_not_be_lexed_from_its_beginning() -> None:
    document, highlighter = python('x = """\n' + "def f(): 'x'\n" * 40_000 + '"""\ny = 1\n')
    finish(highlighter)
    before = time.process_time()
    assert {kind for _, kind in kinds(highlighter, document, 39_000)} == {"string"}
    assert time.process_time() - before < 0.5
    assert kinds(highlighter, document, 40_003) == [("y = ", "plain"), ("1", "number")]


def test_long_lines_are_coloured_in_part_and_spoil_nothing() -> None:
    long = "x = '" + "a" * 10_000 + "' + '''"
    document, highlighter = python(f"{long}\ninside\n'''\ny = 1\n")
    assert highlighter.runs(1)[-2] <= HIGHLIGHT_LIMIT
    assert kinds(highlighter, document, 2) == [("inside", "string")]
    assert kinds(highlighter, document, 4)[-1] == ("1", "number")


def test_a_megabyte_in_one_line_is_quick() -> None:
    before = time.process_time()
    _, highlighter = python("data = [" + "'item', " * 125_000 + "]\n")
    highlighter.runs(1)
    assert time.process_time() - before < 1


def written(folder: Path, name: str, text: str) -> tuple[SourceDocument, Highlighter]:
    (folder / name).write_text(text)
    document = SourceDocument.load(folder / name)
    return document, Highlighter(document)


def test_other_languages_are_lexed_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highlight, "_FIRST_LOOK", 0)
    text = "/* begins\n" + "int looks = 1;\n" * 500 + "*/\nint real = 2; // yes\n"
    document, highlighter = written(tmp_path, "main.c", text)
    assert kinds(highlighter, document, 300)[0] == ("int ", "builtin")
    assert 300 in finish(highlighter)
    assert kinds(highlighter, document, 300) == [("int looks = 1;", "comment")]
    assert kinds(highlighter, document, 503)[-1] == ("// yes", "comment")


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("script", "import os\n", "keyword"),
        ("script", "#!/usr/bin/env python3\nimport os\n", "comment"),
        ("stub.pyi", "import os\n", "keyword"),
        ("settings.toml", "# x\n", "comment"),
        ("script", "#!/bin/sh\n# x\n", None),
        ("notes.unknown-suffix", "import os\n", None),
    ],
)
def test_the_language_is_told_by_the_name(
    tmp_path: Path, name: str, text: str, kind: str | None
) -> None:
    document, highlighter = written(tmp_path, name, text)
    finish(highlighter)
    first = kinds(highlighter, document, 1)
    assert (first[0][1] if first else None) == kind


def test_a_lexer_that_stumbles_leaves_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stumbling:
        def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, object, str]]:
            raise RuntimeError("a bug in a lexer")

    monkeypatch.setattr(highlight, "_lexer_for", lambda document: Stumbling())
    _, highlighter = python("a\nb\n")
    finish(highlighter)
    assert highlighter.runs(2) == ()


def test_lines_that_are_not_there_yet_are_plain() -> None:
    document, highlighter = python("a = 1\n")
    document.lines = ["a = 1"] * 100
    assert highlighter.runs(99) == ()


@pytest.mark.full
def test_fifty_thousand_lines_take_little_memory_and_no_time_up_front() -> None:
    block = "def f():\n    '''doc\n    more'''\n    return {'a': 'b', 'c': [1, 'x']}  # why\n"
    document = SourceDocument.from_text("big.py", block * 12_500)
    highlight.preload()
    tracemalloc.start()
    try:
        before = time.process_time()
        highlighter = Highlighter(document)
        for line in range(30_000, 30_040):
            highlighter.runs(line)
        # Ten times what it takes, traced; lexing it all would take seconds.
        assert time.process_time() - before < 1
        finish(highlighter)
        for line in range(1, 50_000, 320):
            highlighter.runs(line)
        assert tracemalloc.get_traced_memory()[0] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.full
@pytest.mark.real
def test_pygments_is_imported_late_and_in_part() -> None:
    script = """
import sys
from tuidbg.tui.toolkit.text.highlight import Highlighter
from tuidbg.tui.toolkit.text.document import SourceDocument
assert "pygments" not in sys.modules
Highlighter(SourceDocument.from_text("x.py", "x = 1\\n")).runs(1)
lexers = [name for name in sys.modules if name.startswith("pygments.lexers.")]
assert lexers == ["pygments.lexers._mapping", "pygments.lexers.python"], lexers
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


@pytest.mark.parametrize(
    "name", ["page.html", "page.html.j2", "mail.txt", "page.djhtml", "x.jinja"]
)
def test_templates_are_coloured_as_such(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("<p>Hello</p>\n{% for item in items %}\n{{ item.name }}\n{% endfor %}\n")
    document = SourceDocument.load(str(path))
    highlighter = Highlighter(document)
    finish(highlighter)
    assert any("for" in t and kind == "keyword" for t, kind in kinds(highlighter, document, 2))


def test_a_page_without_tags_is_plain_html(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<p>for you</p>\n")
    document = SourceDocument.load(str(path))
    highlighter = Highlighter(document)
    finish(highlighter)
    assert not any("for" in t and kind == "keyword" for t, kind in kinds(highlighter, document, 1))
