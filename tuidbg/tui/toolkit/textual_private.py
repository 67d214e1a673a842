"""Private names of Textual that tuidbg overrides or uses; checked at startup.

An override of a method that Textual has renamed would have no effect. The names here are looked up
in the running app; a name has the form "module:attribute.attribute", the module "APP" is that app.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from importlib import import_module
from importlib.metadata import version
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from textual import constants, events
from textual.message import Message

from tuidbg.tui.toolkit.keys.key_map import key_of_character

if TYPE_CHECKING:
    from textual.app import App

TESTED = ">=8.2.7,<9"
"""The versions of Textual that tuidbg is tested with, as in ``pyproject.toml``."""

NAMES = MappingProxyType(
    {
        "close screens at any moment": (
            "textual.screen:Screen._invoke_later",
            "textual._context:active_message_pump",
            "APP:_handle_exception",
            "APP:_exit",
            "APP:_screen_stacks",
            "APP:_closing",
            "APP:_closed",
            "APP:_parent",
            "APP:_mounted_event",
            "APP:_pruning",
        ),
        "name the keys in dialogs": ("textual.screen:Screen._extend_compose",),
        "write only what has changed": (
            "APP:_display",
            "APP:_driver",
            "APP:_running",
            "APP:_batch_count",
            "APP:_sync_available",
            "textual._compositor:ChopsUpdate",
            "textual._compositor:LayoutUpdate",
        ),
        "render only what has changed": (
            "textual._compositor:Compositor.render_partial_update",
            "textual._compositor:Compositor._get_renders",
            "textual._compositor:Compositor.visible_widgets",
        ),
        "report a crash on the right terminal": (
            "APP:_print_error_renderables",
            "APP:_exit_renderables",
        ),
        "compute styles when they are painted": (
            "textual.dom:DOMNode._get_component_classes",
            "APP:_component_styles",
            "APP:_attach",
        ),
        "read input without errors": (
            "textual._ansi_sequences:ANSI_SEQUENCES_KEYS",
            "textual._xterm_parser:XTermParser",
            "textual._xterm_parser:XTermParser._sequence_to_key_events",
        ),
        "find keys in the key map": ("APP:_bindings.key_to_bindings", "APP:_check_bindings"),
        "run commands of the palette": (
            "textual.command:CommandPalette._action_command_list",
            "textual.command:CommandPalette._refresh_command_list",
        ),
        "type in forms and the console": (
            "textual.widgets:Input._on_paste",
            "textual.widgets:Input._on_mouse_down",
            "textual.widgets:Input._on_mouse_move",
            "textual.widgets:Input._watch_selection",
            "textual.widgets:Input._watch_value",
            "textual.screen:Screen._forward_event",
        ),
        "lay out panes and dialogs": (
            "textual.widget:Widget._add_children",
            "textual.widget:Widget._has_relative_children_width",
            "textual.scroll_view:ScrollView._scroll_update",
        ),
    }
)
"""The names by purpose."""


def describe_misfits(app: App[Any]) -> str:
    """Return a sentence about the names missing in this Textual, or an empty one."""
    missing = {
        purpose: gone
        for purpose, names in NAMES.items()
        if (gone := [name for name in names if not _exists(name, app)])
    }
    if not missing:
        return ""
    each = "; ".join(
        f"{purpose} (there is no {', '.join(gone).replace(':', '.')})"
        for purpose, gone in missing.items()
    )
    return (
        f"Textual {version('textual')} does not fit in {len(missing)} of {len(NAMES)} points, and"
        f' tuidbg may fail to {each}. Install a tested version: pip install "textual{TESTED}"'
    )


def _exists(name: str, app: App[Any]) -> bool:
    module, _, path = name.partition(":")
    try:
        attrgetter(path)(app if module == "APP" else import_module(module))
    except (ImportError, AttributeError):
        return False
    return True


class PlainKeys:
    """A reader of characters and common keys, without mouse, in place of Textual's tables."""

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
    """A class without instances: Textual's updates are all written by Textual itself."""


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
