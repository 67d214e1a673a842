"""Commands about keys: the choice of a key map, and the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.app import App

from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.surface import Application


def choose_key_map(ui: Context) -> None:
    choose_key_map_of(ui.app, ui.tuidbg, ui.key_map.name, ui.status.show_hint)


def choose_key_map_of(
    app: App[Any], tuidbg: Application, chosen: str, say: Callable[[str], None]
) -> None:
    """Let the user choose the app's key map, and report the choice."""
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog

    known = tuidbg.key_maps()
    letters = {str(number): name for number, name in enumerate(known, 1)}

    def take(letter: str | None) -> None:
        if letter is not None:
            tuidbg.set_key_map(letters[letter])
            say(f"the keys are those of the map {letters[letter]}")

    width = max(map(len, known))
    choices = [
        BoxChoice(letter, f"{'•' if name == chosen else ' '} {name:<{width}}", known[name])
        for letter, name in letters.items()
    ]
    app.push_screen(ChoiceDialog("Key map", choices), take)
