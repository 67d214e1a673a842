"""Private names of Textual that tuidbg overrides or uses: without one, it says so at its start.

A method that Textual has renamed would be overridden in vain. What is named here is looked up in
the app that runs; a name is written "module:attribute.attribute", the module "APP" is that app.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.debugpy.patches.registry import resolve

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
"""By what they are for."""


def describe_misfits(app: App[Any]) -> str:
    """A sentence about the names that this Textual does not have, or an empty one."""
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
        resolve(app if module == "APP" else import_module(module), path)
    except (ImportError, AttributeError):
        return False
    return True
