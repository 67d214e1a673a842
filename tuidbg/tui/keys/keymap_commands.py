"""The commands about keys themselves: another map, and commands typed by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tuidbg.tui.pane_screen import PaneScreen

if TYPE_CHECKING:
    from tuidbg.tui.app import TuidbgApp


class KeyMapCommands(PaneScreen, is_part=True):
    """Adds the choice of a key map to the screen."""

    def command_choose_key_map(self) -> None:
        from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog
        from tuidbg.tui.keys.keymaps import ABOUT, KEY_MAPS

        letters = {str(number): name for number, name in enumerate(KEY_MAPS, 1)}

        def take(letter: str | None) -> None:
            if letter is not None:
                cast("TuidbgApp", self.app).set_key_map(letters[letter])
                self.status.show_hint(f"the keys are those of the map {letters[letter]}")

        width = max(map(len, KEY_MAPS))
        choices = [
            Choice(
                letter, f"{'▶' if name == self.key_map.name else ' '} {name:<{width}}", ABOUT[name]
            )
            for letter, name in letters.items()
        ]
        self.app.push_screen(ChoiceDialog("Key map", choices), take)
