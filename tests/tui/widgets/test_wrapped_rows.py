"""Tests where lines and rows are, however lines come, change and go."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style

from tuidbg.tui.toolkit.widgets.log_view import WrappedRows, ansi_segments, wrap_segments


def heights(texts: list[str], width: int) -> list[int]:
    return [len(wrap_segments(ansi_segments(text, Style()), width)) for text in texts]


def check(rows: WrappedRows, texts: list[str]) -> None:
    """Compare with wrapping every line."""
    assert rows.last - rows.first + 1 == len(texts)
    row = rows.base
    for number, height in enumerate(heights(texts, rows.width), rows.first):
        assert rows.start(number) == row
        for part in range(height):
            assert rows.locate(row + part) == (number, part)
        row += height
    assert rows.end == row


def test_lines_come_change_and_go() -> None:
    rows = WrappedRows()
    texts = ["", "short", "x" * 25, "\x1b[31mred\x1b[0m" * 5, "漢字" * 7, "e\u0301" * 30]
    rows.set_width(10, lambda number: "")
    rows.append(texts)
    check(rows, texts)
    rows.replace(2, "now longer than it was before")
    texts[1] = "now longer than it was before"
    check(rows, texts)
    end = rows.end
    rows.drop_before(3)
    check(rows, texts[2:])
    assert rows.end == end
    rows.append(["more"])
    texts.append("more")
    rows.set_width(7, lambda number: texts[number - 1])
    check(rows, texts[2:])
    rows.drop_before(100)
    assert (rows.first, rows.last) == (100, 99)
    check(rows, [])
    rows.append(["again"])
    check(rows, ["again"])


@given(
    st.lists(st.text(alphabet="ab 漢é\u0301", max_size=30), max_size=8),
    st.integers(0, 40),
    st.integers(0, 40),
)
def test_any_width(texts: list[str], first: int, second: int) -> None:
    rows = WrappedRows()
    for width in (first, second):
        rows.set_width(width, lambda number: texts[number - 1])
        if not width or rows.last == 0:
            rows.append(texts[rows.last :])
        check(rows, texts)


def test_a_new_width_for_10_000_lines_is_quick() -> None:
    texts = [f"\x1b[32mline {i}\x1b[0m " + "text " * (i % 40) for i in range(10_000)]
    rows = WrappedRows()
    rows.append(texts)
    before = time.process_time()
    rows.set_width(60, lambda number: texts[number - 1])
    assert time.process_time() - before < 0.05
    assert rows.end == sum(heights(texts, 60))


def test_wide_lines_are_wrapped_the_same_way() -> None:
    text = "ab漢字cd" * 20
    segments = [Segment(text, Style())]
    rows = WrappedRows()
    rows.set_width(7, lambda number: text)
    rows.append([text])
    assert rows.end == len(wrap_segments(segments, 7))
