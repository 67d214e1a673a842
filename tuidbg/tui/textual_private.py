"""Private names of Textual, each with a stand-in: a version that has renamed one still starts.

No other module imports any. ``textual_names.py`` reports what is missing, at the start.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Any

from textual import constants, events
from textual.message import Message

from tuidbg.tui.keys.written_keys import key_of_character


class PlainKeys:
    """Reads characters and the most common keys, and no mouse, in place of Textual's tables."""

    def parse_mouse_code(self, code: str) -> Message | None:
        return None

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if (key := _PLAIN.get(sequence)) is not None:
            yield events.Key(key, sequence if len(sequence) == 1 else None)
        elif len(sequence) == 1:
            name = key_of_character(sequence)
            yield events.Key(f"alt+{name}" if alt else name, sequence)


_PLAIN = {
    **{chr(number): f"ctrl+{chr(number + 0x60)}" for number in range(1, 27)},
    "\t": "tab",
    "\r": "enter",
    "\x7f": "backspace",
    "\x1b[Z": "shift+tab",
    **{
        f"\x1b[{final}": key
        for final, key in zip("ABCD", ("up", "down", "right", "left"), strict=True)
    },
}


class _NoUpdate:
    """No update is of this class: Textual writes all of them itself."""


def _find(name: str, stand_in: Any) -> Any:
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError):
        return stand_in


if TYPE_CHECKING:
    from textual._ansi_sequences import ANSI_SEQUENCES_KEYS as ANSI_SEQUENCES_KEYS
    from textual._compositor import ChopsUpdate as ChopsUpdate
    from textual._compositor import LayoutUpdate as LayoutUpdate
    from textual._context import active_message_pump as active_message_pump
    from textual._xterm_parser import XTermParser as XTermParser
else:
    ANSI_SEQUENCES_KEYS = _find("textual._ansi_sequences:ANSI_SEQUENCES_KEYS", {})
    ChopsUpdate = _find("textual._compositor:ChopsUpdate", _NoUpdate)
    LayoutUpdate = _find("textual._compositor:LayoutUpdate", _NoUpdate)
    active_message_pump = _find("textual._context:active_message_pump", ContextVar("no_pump"))
    XTermParser = _find("textual._xterm_parser:XTermParser", PlainKeys)
    if not hasattr(XTermParser, "_sequence_to_key_events"):
        XTermParser = PlainKeys

READS_WHOLE_KEYS = not (constants.DISABLE_KITTY_KEY or issubclass(XTermParser, PlainKeys))
"""Whether keys can be read in kitty's protocol."""
