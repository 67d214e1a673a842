"""Colour sequences become styles; rows are as wide as the cells allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from tuidbg.tui.toolkit.widgets.log_view import (
    ansi_segments,
    single_cells,
    strip_sgr,
    wrap_segments,
)

BASE = Style(color="white", bgcolor="black")


def styled(text: str) -> list[tuple[str, Style]]:
    return [(segment.text, segment.style or Style()) for segment in ansi_segments(text, Style())]


@pytest.mark.parametrize(
    ("sequence", "style"),
    [
        ("1", Style(bold=True)),
        ("2", Style(dim=True)),
        ("3", Style(italic=True)),
        ("4", Style(underline=True)),
        ("7", Style(reverse=True)),
        ("9", Style(strike=True)),
        ("5", Style()),
        ("8", Style()),
        ("31", Style(color=Color.from_ansi(1))),
        ("42", Style(bgcolor=Color.from_ansi(2))),
        ("97", Style(color=Color.from_ansi(15))),
        ("100", Style(bgcolor=Color.from_ansi(8))),
        ("38;5;200", Style(color=Color.from_ansi(200))),
        ("48;2;1;2;3", Style(bgcolor=Color.from_rgb(1, 2, 3))),
        ("1;4;31", Style(bold=True, underline=True, color=Color.from_ansi(1))),
    ],
)
def test_styles(sequence: str, style: Style) -> None:
    assert styled(f"a\x1b[{sequence}mb\x1b[0mc") == [("a", Style()), ("b", style), ("c", Style())]


def test_colours_lie_over_the_base() -> None:
    [plain, red] = ansi_segments("a\x1b[31mb", BASE)
    assert plain.style == BASE
    assert red.style == BASE + Style(color=Color.from_ansi(1))
    assert ansi_segments("", BASE) == []


def test_text_is_never_markup() -> None:
    text = "[bold]x[/bold] [red]\\[y] [@click=app.quit]z[/] :smile: {a}"
    assert styled(text) == [(text, Style())]
    assert styled(f"\x1b[1m{text}") == [(text, Style(bold=True))]


def test_strip() -> None:
    assert strip_sgr("\x1b[1;31mred\x1b[0m plain") == "red plain"


def rows_of(*texts: str, width: int) -> list[str]:
    rows = wrap_segments([Segment(text, BASE) for text in texts], width)
    return ["".join(segment.text for segment in row) for row in rows]


def test_wrapping() -> None:
    assert rows_of("", width=4) == [""]
    assert rows_of(width=4) == [""]
    assert rows_of("abcd", width=4) == ["abcd"]
    assert rows_of("abcdefghi", width=4) == ["abcd", "efgh", "i"]
    assert rows_of("abc", "def", "ghi", width=4) == ["abcd", "efgh", "i"]
    assert rows_of("漢字漢字", width=5) == ["漢字", "漢字"]
    assert rows_of("a漢字漢字", width=5) == ["a漢字", "漢字"]
    assert rows_of("ab", "漢字", "c", width=3) == ["ab", "漢", "字c"]
    assert rows_of("e\u0301" * 5, width=3) == ["e\u0301" * 3, "e\u0301" * 2]
    assert rows_of("漢字", width=1) == ["漢", "字"]
    assert rows_of("abc", width=0) == ["a", "b", "c"]


@given(st.lists(st.text(alphabet="ab é漢😀\u0301─", max_size=12), max_size=4), st.integers(2, 9))
def test_rows_fit_and_lose_nothing(texts: list[str], width: int) -> None:
    rows = rows_of(*texts, width=width)
    assert "".join(rows) == "".join(texts)
    assert all(cell_len(row) <= width for row in rows)


@given(st.text())
def test_single_cells_are_single(text: str) -> None:
    printable = "".join(character for character in text if character.isprintable())
    if single_cells(printable):
        assert cell_len(printable) == len(printable)
