"""Asks the kernel's driver of a terminal: its mode, its unread input, its size."""

from __future__ import annotations

import os
import select
import termios
from contextlib import suppress
from typing import NamedTuple


class InputState(NamedTuple):
    """Tells how a program reads from its terminal."""

    by_key: bool
    """Each key at once, and not a line at its end."""
    echoes: bool
    """Tells whether what is typed is shown."""


def has_unread_input(name: str) -> bool:
    """True if something was typed that the program has not read; ``name`` is its side's."""
    with suppress(OSError):
        slave = os.open(name, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            return bool(select.select([slave], [], [], 0)[0])
        finally:
            os.close(slave)
    return True  # nobody can tell: it is left alone


def discard_unread_input(name: str) -> None:
    """Forget what was typed and not read yet."""
    with suppress(OSError, termios.error):
        slave = os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            termios.tcflush(slave, termios.TCIFLUSH)
        finally:
            os.close(slave)


def control_character(master: int, index: int, needed_flag: int) -> bytes:
    """The control character the terminal has set, empty where its mode gives it no meaning."""
    try:
        attributes = termios.tcgetattr(master)
    except termios.error:
        return b""
    character = attributes[6][index]
    if not attributes[3] & needed_flag or not isinstance(character, bytes):
        return b""
    return b"" if character in (b"\0", b"\xff") else character


def set_size(terminal: int, columns: int, rows: int) -> None:
    """Make it so many columns and rows; 80 and 24 where they are not known."""
    size = (rows if rows > 0 else 24, columns if columns > 0 else 80)
    termios.tcsetwinsize(terminal, size)
