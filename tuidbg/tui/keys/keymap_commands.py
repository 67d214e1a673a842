"""The commands about keys themselves: another map, and commands typed by their names."""

from __future__ import annotations

from tuidbg.tui.context import Context


def choose_key_map(ui: Context) -> None:
    from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

    known = ui.tuidbg.key_maps()
    letters = {str(number): name for number, name in enumerate(known, 1)}

    def take(letter: str | None) -> None:
        if letter is not None:
            ui.tuidbg.set_key_map(letters[letter])
            ui.status.show_hint(f"the keys are those of the map {letters[letter]}")

    width = max(map(len, known))
    choices = [
        Choice(letter, f"{'•' if name == ui.key_map.name else ' '} {name:<{width}}", known[name])
        for letter, name in letters.items()
    ]
    ui.app.push_screen(ChoiceDialog("Key map", choices), take)
