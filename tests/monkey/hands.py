"""Makes what the monkey does: a list of deeds, of random numbers only, so that a seed tells all.

How fast a machine is has no say in it: the same seed does the same things, whatever comes of them.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from tests.support.keyboard import _KEYS, key_sequence

NAMED = [*_KEYS, *(f"ctrl+{letter}" for letter in "abdefghijklmnoprstuvwxy")]
"""Keys with names. Ctrl+C and Ctrl+Q have their own weight, and Ctrl+Z leads to a shell."""

LETTERS = "".join(map(chr, range(0x20, 0x7F)))
TEXTS = [
    "number + 1",
    "[n for n in range(1000)]",
    "'\\x1b[31m' * 100",
    "import time; time.sleep(0.5)",
    "1/0",
    "number > 3",
    "x = 5",
    "def f():",
    "(",
    "breakpoint()",
    "exit",
    "日本語 ünïcode 👩‍👩‍👧",
    "%s %d {x!r}",
    "127.0.0.1:1",
    "12",
    "0x10",
    "range",
]
REPLIES = [
    b"\x1b[?2026;2$y",
    b"\x1b[?2048;1$y",
    b"\x1b[?62;4c",
    b"\x1b[12;40R",
    b"\x1b[?1u",
    b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
    b"\x1b[I",
    b"\x1b[O",
    b"\x1b[48;24;80;480;800t",
    b"\x1bP>|term(1)\x1b\\",
]
"""Holds what terminals answer, and tell without being asked."""

BROKEN = [
    b"\xff",
    b"\xc3",
    b"\xe9t\xe9",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\x1b[M\xa0\xf0\xf1",
    b"\x1b[M !",
    b"\x1b[1114112u",
    b"\x1b[55296u",
    b"\x1b[99999999999u",
    b"\x1b[97;5:3u",
    b"\x1b[97:65:97;5:2;97u",
    b"\x1b[;;;u",
    b"\x1b[48;0;0;0;0t",
    b"\x1b[48;;;;t",
    b"\x1b[<0;0;0M",
    b"\x1b[<99;99999;99999m",
    b"\x1b[<;;M",
    b"\x1b[<0;1M",
    b"\x1b[<35;-1;-1M",
    b"\x1b[-1;3R",
    b"\x1b[999999999999999999999~",
    b"\x1b[?9999;9$y",
    b"\x1b[200~\x1b[200~\x1b[201~\x1b[201~",
    b"\x1b[201~",
    b"\x1b\x1b\x1b\x1b[",
    b"\x1b[",
    b"\x1bO",
    b"\x1b]0;title\x07",
    b"\x1bP1$r0m\x1b\\",
    b"\x9b31m",
    b"\x00\x00\x00",
    b"\x7f\x08\x0e\x0f",
]
"""Holds what no terminal should send, and some do: cut, foreign, out of range."""


class Deed(NamedTuple):
    """Bytes that are sent, or a new size (columns, rows), or seconds that are waited."""

    sent: bytes = b""
    size: tuple[int, int] | None = None
    pause: float = 0.0

    def __str__(self) -> str:
        if self.size is not None:
            return "resize {}x{}".format(*self.size)
        if self.pause:
            return f"wait {self.pause:g}"
        shown = repr(self.sent)
        return shown if len(shown) < 400 else f"{shown[:400]}… ({len(self.sent)} bytes)"


class Hands:
    """Makes deeds of ``random``; ``broken`` sequences are among them unless they are left out."""

    def __init__(self, random: Random, *, broken: bool = True) -> None:
        self.random = random
        self.size = (140, 40)
        self._broken = broken
        self._ways: list[tuple[int, Callable[[], Deed]]] = [
            (30, self.keys),
            (12, self.letters),
            (8, self.text),
            (12, self.click),
            (4, self.drag),
            (3, self.wheel),
            (6, self.resize),
            (5, self.paste),
            (3, self.reply),
            (3, self.opener),
            (12, self.wait),
            (6 if broken else 0, self.broken),
        ]

    def deed(self) -> Deed:
        """The next one."""
        weights = [weight for weight, _ in self._ways]
        return self.random.choices([way for _, way in self._ways], weights)[0]()

    def keys(self) -> Deed:
        """A few named keys in one packet."""
        names = self.random.choices(NAMED, k=self.random.choice((1, 1, 2, 3, 12)))
        if self.random.random() < 0.05:
            names.append("ctrl+c")
        return Deed("".join(map(key_sequence, names)).encode())

    def letters(self) -> Deed:
        """A few printable characters in one packet: most are commands."""
        return Deed("".join(self.random.choices(LETTERS, k=self.random.choice((1, 2, 5)))).encode())

    def text(self) -> Deed:
        """Something that makes sense in a line, mostly ended by Enter."""
        end = self.random.choice(("\r", "\r", "", "\x1b"))
        return Deed((self.random.choice(("", ":", "/", "g")) + self._text() + end).encode())

    def _text(self) -> str:
        return self.random.choice(TEXTS)

    def opener(self) -> Deed:
        """Open the palette or a dialog, and at once something else."""
        opens = self.random.choice(("\x10", "?", "/", ":", "\x10"))
        return Deed(opens.encode() + self.random.choice((self.keys, self.click, self.text))().sent)

    def _place(self) -> tuple[int, int]:
        columns, rows = self.size
        return self.random.randint(1, columns), self.random.randint(1, rows)

    def _report(self, button: int, end: str = "M") -> str:
        column, row = self._place()
        return f"\x1b[<{button};{column};{row}{end}"

    def click(self) -> Deed:
        """A button pressed and mostly let go, once to three times."""
        pressed = self._report(self.random.choice((0, 0, 0, 1, 2, 4, 8, 16)))
        times = self.random.choice((1, 1, 2, 3))
        let_go = pressed[:-1] + "m" if self.random.random() < 0.9 else ""
        return Deed(((pressed + let_go) * times).encode())

    def drag(self) -> Deed:
        """Pressed at one place, let go at another."""
        moves = [self._report(32) for _ in range(self.random.randint(1, 20))]
        return Deed((self._report(0) + "".join(moves) + self._report(0, "m")).encode())

    def wheel(self) -> Deed:
        """Some notches of the wheel, or the pointer on its way."""
        button = self.random.choice((64, 65, 66, 67, 35))
        return Deed(
            "".join(self._report(button) for _ in range(self.random.randint(1, 15))).encode()
        )

    def resize(self) -> Deed:
        """Another size of the terminal."""
        choices = [(1, 1), (2, 300), (300, 90), (300, 1), (80, 24), (140, 40), (0, 0)]
        free = (self.random.randint(1, 300), self.random.randint(1, 90))
        self.size = self.random.choice([free, free, free, *choices[:-1]])
        return Deed(size=self.size)

    def paste(self) -> Deed:
        """A bracketed paste; with escape sequences in it where broken ones are allowed."""
        text = self.random.choice((self._text(), self._text() + "\n", "a\tb\r\nc\n" * 20))
        if self._broken and self.random.random() < 0.5:
            line = f"\x1b[3{self.random.randint(0, 7)}m{self._text()}\x1b[0m q\n"
            text = line * self.random.choice((1, 3, 60, 300))
        return Deed(b"\x1b[200~" + text.encode() + b"\x1b[201~")

    def reply(self) -> Deed:
        """Returns what a terminal tells."""
        return Deed(self.random.choice(REPLIES))

    def broken(self) -> Deed:
        """Returns what can't be understood."""
        if self.random.random() < 0.3:
            return Deed(self.random.randbytes(self.random.randint(1, 40)).replace(b"\x1a", b""))
        return Deed(self.random.choice(BROKEN))

    def wait(self) -> Deed:
        """Let it work."""
        return Deed(pause=self.random.choice((0.01, 0.05, 0.2, 0.6)))
