"""From pieces of output to lines: what stays, what goes, wherever the pieces are cut."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuidbg.session.core.terminal.text import LINE_LIMIT, TextStream, apply_sgr


def lines_of(*pieces: str | bytes) -> list[str]:
    stream = TextStream()
    lines = [line for piece in pieces for line in stream.feed(piece)]
    return lines + stream.finish()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one\ntwo\n", ["one", "two"]),
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("\n\n", ["", ""]),
        ("no end", ["no end"]),
        ("", []),
        # a carriage return goes back to the start, what follows overwrites
        ("10%\r50%\r100%\n", ["100%"]),
        ("long text\rshort\n", ["shorttext"]),
        ("abc\r\n", ["abc"]),
        ("abc\r\r\n", ["abc"]),
        ("working\r\x1b[Kdone\n", ["done"]),
        ("working\x1b[2K\rdone\n", ["done"]),
        ("working\x1b[4D\x1b[K\n", ["wor"]),
        ("working\x1b[1K\n", ["       "]),
        ("working\x1b[3G\x1b[1K!\n", ["  !king"]),
        ("abcdef\x1b[3GX\n", ["abXdef"]),
        ("a\x1b[3Cb\n", ["a   b"]),
        ("a\x1b[999999999Cb\n", ["a" + " " * 1023 + "b"]),
        # backspace
        ("abc\b\bXY\n", ["aXY"]),
        ("abc\b \b\n", ["ab "]),
        ("\b\bx\n", ["x"]),
        # tabs
        ("a\tb\n", ["a       b"]),
        ("1234567\t8\t\t9\n", ["1234567 8               9"]),
        ("漢\tb\n", ["漢      b"]),
        ("\x1b[31ma\x1b[0m\tb\n", ["\x1b[31ma\x1b[0m       b"]),
        # vertical tab, form feed and their 8-bit relatives break lines
        ("a\vb\fc\x85d\n", ["a", "b", "c", "d"]),
        # C0 and C1 go, other text stays
        ("a\x00b\x07c\x7fd\x80e\n", ["abcde"]),
        ("naïve – ok ✓\n", ["naïve – ok ✓"]),
        # CSI other than colours
        ("\x1b[2J\x1b[H\x1b[?25lx\x1b[1;5Hy\x1b[5 q\n", ["xy"]),
        ("\x9b31mred\x9b0m\n", ["\x1b[31mred\x1b[0m"]),
        # OSC: title, link, clipboard; ended by BEL, ST, 8-bit ST
        ("\x1b]0;title\x07a\x1b]2;t\x1b\\b\x1b]2;t\x9cc\x9d0;t\x07d\n", ["abcd"]),
        ("\x1b]8;;http://host/\x1b\\link\x1b]8;;\x1b\\ after\n", ["link after"]),
        # DCS, SOS, PM, APC
        ("\x1bPq#0;1\n2\x1b\\a\x1bXs\x1b\\b\x1b^p\x1b\\c\x1b_a\x1b\\d\x90q\x9ce\n", ["abcde"]),
        # charsets, keypad, save and restore, lone ESC
        ("\x1b(Ba\x1b)0b\x1b=c\x1b7d\x1b8e\x1b#8f\n", ["abcdef"]),
        ("a\x1b\x1b\x1bb\n", ["a"]),  # ESC b is a sequence too
        ("a\x1b\n", ["a"]),
        # without an end they do not swallow what follows
        ("\x1b]0;title\nnext\n", ["0;title", "next"]),
        ("\x1b]0;title", ["0;title"]),
        ("\x1bPdata\x1b[1mnext\n", ["data\x1b[1mnext"]),
        ("\x1b[31\nnext\n", ["31", "next"]),
        # rubbish in a colour sequence
        ("\x1b[" + "1;" * 100 + "mx\n", ["x"]),
    ],
)
def test_lines(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines
    # The same, one character at a time.
    assert shown(lines_of(*text)) == shown(lines)


def test_a_string_without_an_end_is_bounded() -> None:
    stream = TextStream()
    stream.feed("\x1bP")
    shown = 0
    for _ in range(20):
        shown += len(stream.feed("swallowed?" * 100 + "\n"))
    assert shown >= 11


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("\x1b[31mred\nstill\x1b[0m\nplain\n", ["\x1b[31mred", "\x1b[31mstill\x1b[0m", "plain"]),
        ("\x1b[1m\x1b[31m\nx\n", ["\x1b[1m\x1b[31m", "\x1b[1;31mx"]),
        ("\x1b[32ma\n\x1b[1mb\nc\n", ["\x1b[32ma", "\x1b[32m\x1b[1mb", "\x1b[1;32mc"]),
    ],
)
def test_colours_go_on_in_the_next_line(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


def test_colours_go_on_in_the_next_piece() -> None:
    assert lines_of("\x1b[31", "mred\n", "more\nand\n", "more") == [
        "\x1b[31mred",
        "\x1b[31mmore",
        "\x1b[31mand",
        "\x1b[31mmore",
    ]


def test_colours_are_overwritten_with_their_text() -> None:
    assert lines_of("\x1b[31mabcdef\r\x1b[32mXY\x1b[0m\n") == ["\x1b[32mXY\x1b[0;31mcdef"]


def test_the_open_line_is_seen() -> None:
    stream = TextStream()
    assert not stream.is_open
    assert stream.feed("one\nName: ") == ["one"]
    assert stream.is_open
    assert stream.rest == "Name: "
    assert stream.feed("\x1b[1mx") == []
    assert stream.rest == "Name: \x1b[1mx"
    assert stream.feed("\r\x1b[K") == []
    assert stream.rest == ""
    assert stream.is_open
    assert stream.feed("y\n") == ["\x1b[1my"]
    assert not stream.is_open


def test_bytes_are_utf8_wherever_they_are_cut() -> None:
    data = "naïve 漢字 😀\n".encode()
    assert lines_of(*(data[i : i + 1] for i in range(len(data)))) == ["naïve 漢字 😀"]
    assert lines_of(b"caf\xe9 ok\n") == ["caf\ufffd ok"]
    assert lines_of(b"cut \xf0\x9f\x98") == ["cut \ufffd"]


def test_halves_of_characters_join_or_are_replaced() -> None:
    assert lines_of("a\ud83d", "\ude00b\n") == ["a😀b"]
    assert lines_of("a\ud83db\ude00c\n") == ["a\ufffdb\ufffdc"]
    "".join(lines_of("a\ud83d")).encode()


def test_long_lines_are_cut() -> None:
    lines = lines_of(*["x" * 10_000] * 20, "\nshort\n")
    assert [len(line) for line in lines] == [LINE_LIMIT] * 3 + [200_000 - 3 * LINE_LIMIT, 5]
    lines = lines_of("y" * LINE_LIMIT + "\nz\n")
    assert [len(line) for line in lines] == [LINE_LIMIT, 1]
    lines = lines_of("\x1b[31m" + "z" * (LINE_LIMIT + 1) + "\n")
    assert lines == ["\x1b[31m" + "z" * LINE_LIMIT, "\x1b[31mz"]


PARTS = st.sampled_from(
    [
        *("text", "é漢😀", " ", "\n", "\r\n", "\r", "\t", "\b", "\x07", "\x85", "\x9b", "\x9d"),
        *("\x1b", "[", "]", "P", "\\", "\x07", "0;", "31m", "K", "\x1b[1;31m", "\x1b[0m"),
        *("\x1b]0;t\x07", "\x1b]8;;u\x1b\\", "\x1bPq\x1b\\", "\x1b(B", "\x1b[2J", "\x1b[K"),
    ]
)


@given(st.lists(PARTS, max_size=30), st.data())
def test_cuts_make_no_difference(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    encoded = text.encode()
    assert shown(lines_of(*pieces)) == shown(lines_of(text))
    assert shown(lines_of(*(encoded[i : i + 3] for i in range(0, len(encoded), 3)))) == (
        shown(lines_of(text))
    )


@given(st.lists(st.one_of(PARTS, st.text(max_size=5)), max_size=30))
def test_nothing_but_colours_is_left(parts: list[str]) -> None:
    for line in lines_of("".join(parts)):
        rest = re.sub(r"\x1b\[[0-9;:]*m", "", line)
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", rest)


def shown(lines: list[str]) -> list[list[tuple[str, str]]]:
    """Returns what a terminal would show of each line: characters with their attributes."""
    result = []
    for line in lines:
        cells: list[tuple[str, str]] = []
        state = ""
        for text, parameters in re.findall(r"([^\x1b]+)|\x1b\[([0-9;:]*)m", line):
            if text:
                cells += [(character, state) for character in text]
            else:
                state = apply_sgr(state, parameters)
        result.append(cells)
    return result
