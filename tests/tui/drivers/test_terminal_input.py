"""Bytes of a terminal become keys as Textual knows them, and none ends anything."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._xterm_parser import XTermParser
from textual.keys import _character_to_key
from textual.message import Message

from tuidbg.tui.toolkit.drivers import input as terminal_input
from tuidbg.tui.toolkit.drivers.input import TerminalInput, TerminalRepeats, clean_paste
from tuidbg.tui.toolkit.keys.key_map import with_alt

BEGIN, END = b"\x1b[200~", b"\x1b[201~"

SEQUENCES = [
    *ANSI_SEQUENCES_KEYS,
    *(f"\x1b{chr(number)}" for number in range(0x20, 0x7F)),
    *("\x1b[97;5u", "\x1b[97;;97u", "\x1b[27u", "\x1b[13;2u", "\x1b[57399;;49u", "\x1b[9u"),
    *("\x1b[1;2A", "\x1b[15;5~", "\x1b[1;5P", "\x1b[I", "\x1b[O", "é", "→", "\x1bé", "\r", "\x00"),
    *("\x1b[<0;3;4M", "\x1b[<0;3;4m", "\x1b[<35;10;2M", "\x1b[<65;1;1M", "\x1b[?2026;2$y"),
]

OTHERWISE = {"\x9b", "\x1b[1;2R", "\x1b[1;5R", "\x1b[1;6R"} | {
    f"\x1b{chr(number)}" for number in range(0x21, 0x7F)
}
"""Textual takes F3 with modifiers for the place of the cursor; the first is no key in UTF-8. Of the
keys with Alt it takes some for what a Mac types so, or means by them."""


def described(messages: Iterable[Message]) -> list[str]:
    return [repr(message) for message in messages]


def read(*pieces: bytes) -> list[Message]:
    """Returns what comes of these, and of the silence after them."""
    reader = TerminalInput()
    messages = [message for piece in pieces for message in reader.feed(piece, 0.0)]
    return [*messages, *reader.tick(100.0)]


def keys(*pieces: bytes) -> list[str]:
    return [message.key for message in read(*pieces) if isinstance(message, events.Key)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sequence", sorted({*SEQUENCES} - OTHERWISE))
def test_keys_are_as_textual_knows_them(sequence: str) -> None:
    parser = XTermParser()
    theirs = list(parser.feed(sequence))
    if parser._timeout_time is not None:
        parser._timeout_time = 0.0
        theirs += parser.tick()
    data = sequence.encode()
    assert described(read(data)) == described(theirs)
    assert described(read(*(data[i : i + 1] for i in range(len(data))))) == described(theirs)


@pytest.mark.parametrize("number", range(0x21, 0x7F))
def test_alt_is_told_by_esc_before_the_key(number: int) -> None:
    character = chr(number)
    (pressed,) = read(b"\x1b" + character.encode())
    assert isinstance(pressed, events.Key)
    name = _character_to_key(character)
    assert pressed.key == with_alt(name if len(name) > 1 else character)
    assert pressed.character == character


def test_a_terminal_that_repeats_a_character_says_so_and_no_key_does() -> None:
    assert [type(message) for message in read(b"\x1b[2;4R")] == [TerminalRepeats]
    assert keys(b"\x1b[1;2R") == ["shift+f3"]
    assert not read(b"\x1b[2;2R")  # it does not


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_no_bytes_end_it(pieces: list[bytes]) -> None:
    read(*pieces)


@given(
    st.lists(
        st.sampled_from([b"\x1b", b"[", b"<", b"M", b"200~", b"201~", b"5:3", b"u", b"t", b";"])
        | st.integers(0, 10**12).map(lambda number: str(number).encode()),
        max_size=30,
    )
)
def test_no_sequence_ends_it(pieces: list[bytes]) -> None:
    for message in (*read(b"".join(pieces)), *read(*pieces)):
        if isinstance(message, events.MouseEvent):
            assert message.x < terminal_input.LARGEST
            assert message.y < terminal_input.LARGEST


@pytest.mark.full
@given(st.text(), st.integers(1, 9))
def test_a_paste_is_one_text_however_it_is_cut(text: str, size: int) -> None:
    data = BEGIN + text.encode("utf-8", "replace") + END + b"q"
    if text.encode("utf-8", "replace").find(END) >= 0:
        return
    messages = read(*(data[i : i + size] for i in range(0, len(data), size)))
    pasted = clean_paste(text.encode("utf-8", "replace").decode())
    expected = [events.Paste(pasted)] if pasted else []
    assert described(messages) == described([*expected, events.Key("q", "q")])


def test_what_is_cleaned_from_a_paste() -> None:
    assert clean_paste("\x1b[31;1mred\x1b[0m\r\n\ttab\x1b]0;title\x07\x03\x9b\x1b\x7f!") == (
        "red\r\n\ttab!"
    )


def test_esc_and_a_key_a_moment_later_are_two() -> None:
    """Also where both are looked at late."""
    reader = TerminalInput()
    for came, names in ((0.0, ["escape", "n"]), (-0.99, ["alt+n"])):
        messages = [*reader.feed(b"\x1b", 10.0), *reader.feed(b"n", 11.0 + came)]
        assert [message.key for message in messages if isinstance(message, events.Key)] == names


def test_a_paste_that_is_too_large_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal_input, "LARGEST_PASTE", 100)
    [pasted, key] = read(BEGIN, *[b"x" * 30] * 50, END[:3], END[3:] + b"q")
    assert isinstance(pasted, events.Paste)
    assert 100 <= len(pasted.text) <= 105
    assert isinstance(key, events.Key)


def test_a_paste_that_pauses_goes_on() -> None:
    """A line that hung for a while: what comes then is no key, unless it is one key alone."""
    reader = TerminalInput()
    list(reader.feed(BEGIN + b"one ", 0.0))
    assert described(reader.tick(5.0)) == described([events.Paste("one ")])
    assert list(reader.feed(b"\x1b[<35;3;3M", 5.5)) == []
    assert described(reader.feed(b"two q" + END + b"n", 6.0)) == described(
        [events.Paste("two q"), events.Key("n", "n")]
    )
    list(reader.feed(BEGIN, 10.0))
    list(reader.tick(15.0))
    assert described(reader.feed(b"n", 16.0)) == described([events.Key("n", "n")])
