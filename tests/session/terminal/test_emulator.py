"""The emulated terminal: what programs draw, ask and switch, piece by piece."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tuidbg.session.core.terminal.emulator import HISTORY_LINES, Emulator


class Screen:
    """An emulator with what it answered."""

    def __init__(self, columns: int = 10, rows: int = 4) -> None:
        self.answers = b""
        self.emulator = Emulator(columns, rows, self._answer)

    def _answer(self, data: bytes) -> None:
        self.answers += data

    def shows(self, data: str | bytes) -> list[str]:
        self.emulator.feed(data.encode() if isinstance(data, str) else data)
        return self.emulator.text.split("\n")

    def lines(self) -> list[str]:
        """Everything from the first line of the history on."""
        emulator = self.emulator
        numbers = range(emulator.first_number, emulator.end_number)
        return ["".join(text for text, _ in emulator.line(n)) for n in numbers]


DRAWN = {
    "lines": ("one\r\ntwo", ["one", "two", "", ""]),
    "carriage return": ("12345\rab", ["ab345", "", "", ""]),
    "backspace": ("abc\b\bX", ["aXc", "", "", ""]),
    "tabs": ("a\tb", ["a       b", "", "", ""]),
    "back tab": ("a\tb\x1b[ZX", ["a       X", "", "", ""]),
    "wraps": ("abcdefghijkl", ["abcdefghij", "kl", "", ""]),
    "waits before it wraps": ("abcdefghij\rX", ["Xbcdefghij", "", "", ""]),
    "does not wrap": ("\x1b[?7labcdefghijkl", ["abcdefghil", "", "", ""]),
    "scrolls": ("1\r\n2\r\n3\r\n4\r\n5", ["2", "3", "4", "5"]),
    "places": ("\x1b[3;4Hx\x1b[Hy", ["y", "", "   x", ""]),
    "moves": ("\x1b[2;2Ha\x1b[Bb\x1b[Ac\x1b[2Dd\x1b[5Ge", ["", " adce", "  b", ""]),
    "erases to the end": ("abcdef\x1b[3G\x1b[K", ["ab", "", "", ""]),
    "erases to the start": ("abcdef\x1b[3G\x1b[1K", ["   def", "", "", ""]),
    "erases below": ("1\r\n2\r\n3\x1b[2;1H\x1b[J", ["1", "", "", ""]),
    "erases all": ("1\r\n2\x1b[2J", ["", "", "", ""]),
    "erases characters": ("abcdef\x1b[2G\x1b[3X", ["a   ef", "", "", ""]),
    "inserts": ("abc\x1b[2G\x1b[2@", ["a  bc", "", "", ""]),
    "deletes": ("abcdef\x1b[2G\x1b[2P", ["adef", "", "", ""]),
    "insert mode": ("abc\x1b[4h\rXY", ["XYabc", "", "", ""]),
    "inserts a line": ("1\r\n2\r\n3\x1b[2;1H\x1b[L", ["1", "", "2", "3"]),
    "deletes a line": ("1\r\n2\r\n3\x1b[1;1H\x1b[M", ["2", "3", "", ""]),
    "a region scrolls": ("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\n", ["1", "3", "", "4"]),
    "a region scrolls back": ("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[2;1H\x1bM", ["1", "", "2", "4"]),
    "below the region": ("\x1b[1;2r\x1b[3;1Ha\n\rb", ["", "", "a", "b"]),
    "up": ("1\r\n2\r\n3\x1b[S", ["2", "3", "", ""]),
    "down": ("1\r\n2\x1b[T", ["", "1", "2", ""]),
    "repeats": ("-\x1b[4bx", ["-----x", "", "", ""]),
    "line drawing": ("\x1b(0lqk\x1b(Bq", ["┌─┐q", "", "", ""]),
    "line drawing by shift": ("\x1b)0\x0ex\x0fx", ["│x", "", "", ""]),
    "saves the cursor": ("ab\x1b7\r\ncd\x1b8X", ["abX", "cd", "", ""]),
    "saves it otherwise": ("ab\x1b[s\r\ncd\x1b[uX", ["abX", "cd", "", ""]),
    "wide": ("日本語", ["日本語", "", "", ""]),
    "wide at the edge": ("123456789日", ["123456789", "日", "", ""]),
    "half of a wide one": ("日本\x1b[2Gx", [" x本", "", "", ""]),
    "other half of a wide one": ("日本\rx", ["x 本", "", "", ""]),
    "combining": ("e\u0301x", ["e\u0301x", "", "", ""]),
    "alternate": ("main\x1b[?1049halt\x1b[?1049l!", ["main!", "", "", ""]),
    "alternate shows its own": ("main\x1b[?1049h\x1b[Halt", ["alt", "", "", ""]),
    "older alternates": ("main\x1b[?47h\x1b[Halt\x1b[?47l", ["main", "", "", ""]),
    "soft reset": ("\x1b[1;2r\x1b[?7l\x1b[!p\x1b[4;1Hend", ["", "", "", "end"]),
    "full reset": ("text\x1bc", ["", "", "", ""]),
    "unknown ones are not shown": (
        "a\x1b[>4;2mb\x1b[?u\x1bP+q544e\x1b\\c\x1b_app\x1b\\d\x1b[ q\x1b[5 qe\x1b]8;;http://x\x07f",
        ["abcdef", "", "", ""],
    ),
    "not UTF-8": (b"a\xffb", ["a\ufffdb", "", "", ""]),
    "controls": ("a\x00\x01\x7fb\x9bc", ["abc", "", "", ""]),
}


@pytest.mark.parametrize("data, shown", DRAWN.values(), ids=DRAWN)
def test_draws_as_a_terminal_does(data: str | bytes, shown: list[str]) -> None:
    assert Screen().shows(data) == shown


@pytest.mark.parametrize("data, shown", DRAWN.values(), ids=DRAWN)
def test_draws_the_same_in_single_bytes(data: str | bytes, shown: list[str]) -> None:
    screen = Screen()
    for byte in data.encode() if isinstance(data, str) else data:
        screen.shows(bytes([byte]))
    assert screen.emulator.text.split("\n") == shown


ASKED = {
    "what it is": ("\x1b[c", b"\x1b[?62;22c"),
    "what it is, again": ("\x1b[0c", b"\x1b[?62;22c"),
    "its version": ("\x1b[>c", b"\x1b[>1;10;0c"),
    "whether it works": ("\x1b[5n", b"\x1b[0n"),
    "where the cursor is": ("ab\r\nc\x1b[6n", b"\x1b[2;2R"),
    "at the edge": ("0123456789\x1b[6n", b"\x1b[1;10R"),
    "a mode that is set": ("\x1b[?2004h\x1b[?2004$p", b"\x1b[?2004;1$y"),
    "a mode that is not": ("\x1b[?2026$p", b"\x1b[?2026;2$y"),
    "a mode that there is not": ("\x1b[?2048$p", b"\x1b[?2048;0$y"),
    "its size": ("\x1b[18t", b"\x1b[8;4;10t"),
    "something else": ("\x1b[?u\x1b]11;?\x07\x1bP$qm\x1b\\\x1b[14t", b""),
}


@pytest.mark.parametrize("data, answer", ASKED.values(), ids=ASKED)
def test_answers_what_a_program_asks(data: str, answer: bytes) -> None:
    screen = Screen()
    screen.shows(data)
    assert screen.answers == answer


COLOURS = {
    "16": ("\x1b[1;31;44ma", "44;1;31"),
    "bright": ("\x1b[93ma", "93"),
    "256": ("\x1b[38;5;208ma", "38;5;208"),
    "true": ("\x1b[48;2;1;2;3ma", "48;2;1;2;3"),
    "by colons": ("\x1b[38:2::10:20:30ma", "38;2;10;20;30"),
    "attributes": ("\x1b[2;3;4;7;9ma", "2;3;7;9;4"),
    "off again": ("\x1b[1;31m\x1b[0ma", ""),
}


@pytest.mark.parametrize("data, state", COLOURS.values(), ids=COLOURS)
def test_colours_and_attributes(data: str, state: str) -> None:
    screen = Screen()
    screen.shows(data)
    ((text, sgr),) = screen.emulator.line(0)
    assert text == "a"
    assert sorted(sgr.split(";")) == sorted(state.split(";"))


def test_erased_cells_take_the_background_and_nothing_else() -> None:
    screen = Screen()
    screen.shows("\x1b[4;31;44m\x1b[2K\x1b[0mx")
    assert screen.emulator.line(0) == (("x", ""), (" " * 9, "44"))


def test_modes_are_told() -> None:
    screen = Screen()
    assert not any(screen.emulator.modes)
    screen.shows("\x1b[?1;1004;2004h\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b[?25l")
    modes = screen.emulator.modes
    assert modes == (True, True, True, 1003, True)
    assert screen.emulator.cursor is None
    screen.shows("\x1b[?1003l")
    assert screen.emulator.modes.mouse == 1000
    screen.emulator.let_go()
    assert not any(screen.emulator.modes)
    assert screen.emulator.cursor == (0, 0)


def test_title_and_bell() -> None:
    screen = Screen()
    screen.shows("\x1b]0;a title\x07\x1b]2;better\x1b\\\a\a\x1b]1;icon\x07")
    assert (screen.emulator.title, screen.emulator.bells) == ("better", 2)


def test_lines_that_scroll_out_are_kept_with_their_numbers() -> None:
    screen = Screen()
    screen.shows("\x1b[31mred\x1b[0m\r\n" + "\r\n".join(map(str, range(20))))
    assert screen.emulator.first_number == 0
    assert screen.emulator.line(0) == (("red", "31"),)
    assert screen.lines()[1:] == [str(n) for n in range(20)]


def test_the_history_is_bounded() -> None:
    screen = Screen()
    screen.shows("".join(f"{n}\r\n" for n in range(HISTORY_LINES + 500)))
    lines = screen.lines()
    assert len(lines) == HISTORY_LINES + 4
    assert lines[-2] == str(HISTORY_LINES + 499)


def test_the_alternate_screen_leaves_no_history() -> None:
    screen = Screen()
    screen.shows("main\x1b[?1049h" + "".join(f"{n}\r\n" for n in range(50)))
    assert screen.emulator.first_number == screen.emulator.top_number
    screen.shows("\x1b[?1049l")
    assert screen.lines() == ["main", "", "", ""]


def test_resizing_keeps_what_stands_at_the_cursor() -> None:
    screen = Screen()
    screen.shows("1\r\n2\r\n3\r\n4 and more")
    screen.emulator.resize(6, 2)
    assert screen.emulator.text.split("\n") == ["3", "4 and"]
    assert screen.lines() == ["1", "2", "3", "4 and"]
    screen.emulator.resize(12, 3)
    assert screen.emulator.text.split("\n") == ["2", "3", "4 and"]
    screen.emulator.resize(12, 6)
    assert screen.emulator.text.split("\n") == ["1", "2", "3", "4 and", "", ""]
    assert screen.shows("!")[3] == "4 and!"


def test_lines_come_back_from_the_history_as_they_were() -> None:
    screen = Screen()
    screen.shows("\x1b[31m日e\u0301x\x1b[0m end\r\n2\r\n3\r\n4\r\n5")
    before = screen.emulator.line(0)
    screen.emulator.resize(10, 5)
    assert screen.emulator.text.split("\n") == ["日e\u0301x end", "2", "3", "4", "5"]
    assert screen.emulator.line(0) == before


def test_resizing_on_the_alternate_screen_spares_the_other() -> None:
    screen = Screen()
    screen.shows("1\r\n2\r\n3\r\n4\x1b[?1049h\x1b[4;1Halt")
    screen.emulator.resize(5, 2)
    screen.shows("\x1b[?1049l")
    assert screen.emulator.text.split("\n")[0] == "1"
    screen.shows("\x1b[2;1Hx")
    assert screen.emulator.text.split("\n")[1][0] == "x"


def test_a_line_that_is_the_same_is_the_same_object() -> None:
    screen = Screen()
    screen.shows("one\r\ntwo")
    before = screen.emulator.line(0), screen.emulator.line(1)
    screen.shows("\rtwo\x1b[1;1Hone")
    assert screen.emulator.line(0) is before[0]
    assert screen.emulator.line(1) is before[1]


PARTS = st.sampled_from(
    [
        *"\x1b[]?;:0123456789 hlmHJKLMPSTXr@ABCDbcnp$!\r\n\t\b\a\\PX^_()#78",
        "日",
        "é",
        "\u0301",
        "x" * 30,
        *("1049", "2026", "\x1b[", "\x1b]", "\x1b[?1049h", "\x1b[?1049l", "\x9b", "\udcff"),
    ]
)


@settings(max_examples=150)
@given(st.lists(PARTS, max_size=120), st.integers(2, 12), st.integers(1, 6))
def test_nothing_that_a_program_writes_breaks_it(parts: list[str], columns: int, rows: int) -> None:
    screen = Screen(7, 3)
    data = "".join(parts).encode("utf-8", "surrogateescape")
    screen.shows(data[: len(data) // 2])
    screen.emulator.resize(columns, rows)
    shown = screen.shows(data[len(data) // 2 :])
    assert len(shown) == rows
    screen.emulator.clear()
    assert screen.shows("ok")[0] == "ok"
