"""Tests what is sent for keys, mouse and pasted text: as xterm does, as the program wants it."""

from __future__ import annotations

import pytest

from tests.support.keyboard import key_sequence
from tests.support.screens import make_key
from tuidbg.session.core.terminal.emulator import Modes
from tuidbg.tui.features.terminal.pane import (
    MOVED,
    WHEEL_UP,
    encode_key,
    encode_mouse,
    encode_paste,
)

PLAIN = Modes()
SPELLED = [
    *("a", "Z", "7", "enter", "tab", "shift+tab", "escape", "space", "backspace"),
    *("up", "down", "left", "right", "home", "end", "insert", "delete", "pageup", "pagedown"),
    *[f"f{number}" for number in range(1, 13)],
    *("ctrl+a", "ctrl+z", "ctrl+space", "ctrl+backslash", "alt+x"),
    *("shift+up", "ctrl+left", "ctrl+shift+right", "alt+end", "ctrl+delete", "shift+f5"),
]


@pytest.mark.parametrize("name", SPELLED)
def test_keys_are_sent_as_a_terminal_sends_them(name: str) -> None:
    event = make_key(name) if len(name) == 1 else None
    character = event.character if event is not None else None
    assert encode_key(name, character, PLAIN) == key_sequence(name).encode()


OTHERS = {
    ("exclamation_mark", "!"): b"!",
    ("é", "é"): "é".encode(),
    ("日", "日"): "日".encode(),
    ("plus", "+"): b"+",
    ("ctrl+@", None): b"\x00",
    ("ctrl+right_square_bracket", None): b"\x1d",
    ("ctrl+circumflex_accent", None): b"\x1e",
    ("ctrl+underscore", None): b"\x1f",
    ("ctrl+5", None): b"\x1d",
    ("alt+enter", None): b"\x1b\r",
    ("alt+backspace", None): b"\x1b\x7f",
    ("alt+exclamation_mark", None): b"\x1b!",
    ("alt+shift+x", None): b"\x1bX",
    ("alt+ctrl+a", None): b"\x1b\x01",
    ("shift+f1", None): b"\x1b[1;2P",
    ("f13", None): b"\x1b[25~",
    ("shift+enter", None): b"\r",
    ("caps_lock", None): b"",
    ("ctrl+caps_lock", None): b"",
}


@pytest.mark.parametrize("key, sent", OTHERS.items(), ids=[key for key, _ in OTHERS])
def test_rarer_keys(key: tuple[str, str | None], sent: bytes) -> None:
    assert encode_key(*key, PLAIN) == sent


def test_the_program_chooses_how_arrows_are_sent() -> None:
    wanted = Modes(application_cursor=True)
    assert encode_key("up", None, wanted) == b"\x1bOA"
    assert encode_key("home", None, wanted) == b"\x1bOH"
    assert encode_key("ctrl+up", None, wanted) == b"\x1b[1;5A"
    assert encode_key("delete", None, wanted) == b"\x1b[3~"


def test_pasted_text() -> None:
    assert encode_paste("a\nb\r\nc", PLAIN) == b"a\rb\rc"
    bracketed = encode_paste("a\x1b[201~b", Modes(bracketed_paste=True))
    assert bracketed == b"\x1b[200~a[201~b\x1b[201~"


def test_the_mouse() -> None:
    by_sgr = Modes(mouse=1000, mouse_by_sgr=True)
    assert encode_mouse(0, 4, 2, by_sgr) == b"\x1b[<0;5;3M"
    assert encode_mouse(2, 4, 2, by_sgr, released=True) == b"\x1b[<2;5;3m"
    assert encode_mouse(0, 4, 2, by_sgr, held=MOVED + 16) == b"\x1b[<48;5;3M"
    assert encode_mouse(WHEEL_UP, 300, 2, by_sgr) == b"\x1b[<64;301;3M"
    old = Modes(mouse=1000)
    assert encode_mouse(0, 4, 2, old) == b"\x1b[M %#"
    assert encode_mouse(0, 4, 2, old, released=True) == b"\x1b[M#%#"
    assert encode_mouse(0, 300, 2, old) == b""
