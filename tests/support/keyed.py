"""A screen for a pane alone that has keys, as the debugger's has them."""

from __future__ import annotations

from textual.screen import Screen

from tuidbg.tui.app.keys.commands import DEFAULT_MAP


class KeyedScreen(Screen[None]):
    """The default keys are in force."""

    key_map = DEFAULT_MAP
