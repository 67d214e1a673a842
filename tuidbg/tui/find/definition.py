"""The command that goes to the definition of a name, and the one that lists the modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tuidbg.tui.source.commands import SourceCommands

if TYPE_CHECKING:
    from tuidbg.session.sources.definitions import Definition
    from tuidbg.session.sources.modules import LoadedModule
    from tuidbg.tui.source.document import Document

_LETTERS = "123456789abcdefghijklmnoprstuvwxyz"
_MOST_NAMES = 12
"""Names of a line that are looked up."""


class DefinitionCommands(SourceCommands, is_part=True):
    """Adds these commands to the screen. Dialogs are imported when they are wanted."""

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why some commands make no sense now, besides the status of the session."""
        why = self.session.modules.why_not()
        return {**super().reasons, **({"show_modules": why} if why else {})}

    def command_go_to_definition(self) -> None:
        document = self.view.document
        if document is None:
            self.status.show_hint("no source is shown yet", "warning")
            return
        pointed = self.source.pointed_name
        names = self.source.names_on(self.source.cursor_line)
        wanted = [pointed] if pointed in names and pointed is not None else names[:_MOST_NAMES]
        if not wanted:
            self.status.show_hint("there is no name on this line", "warning")
            return
        chosen = list(dict.fromkeys(name.expression for name in wanted))
        self.run_in_background("definition", self._find_definition, document, chosen)

    async def _find_definition(self, document: Document, names: list[str]) -> None:
        line, frame = self.source.cursor_line, self.view.frame
        text = "\n".join(document.lines)
        found: list[Definition] = []
        for name in names:
            found += await self.session.definitions.find(document.key, text, line, name, frame)
        found = _once(found, document.key, line)
        if not found:
            what = names[0] if len(names) == 1 else "these names"
            self.status.show_hint(f"no definition of {what} was found", "warning")
        elif [(each.path, each.line) for each in found] == [(document.key, line)]:
            self.status.show_hint(f"{found[0].name} is defined here")
        elif len(found) == 1:
            self._show_definition(found[0])
        else:
            self._choose_definition(found)

    def _show_definition(self, definition: Definition) -> None:
        self.go_to_place(definition.path, definition.line)

    def _choose_definition(self, found: list[Definition]) -> None:
        from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

        by_letter = dict(zip(_LETTERS, found, strict=False))

        def take(letter: str | None) -> None:
            if letter is not None:
                self._show_definition(by_letter[letter])

        choices = [
            Choice(letter, f"{each.name}  {each.kind}", f"{self._place_of(each)}")
            for letter, each in by_letter.items()
        ]
        self.app.push_screen(ChoiceDialog("Definitions", choices), take)

    def _place_of(self, definition: Definition) -> str:
        document = self.view.document
        if document is not None and definition.path == document.key:
            return f"line {definition.line}"
        return f"{self.view.shown_path(definition.path)}:{definition.line}"

    # Modules

    def command_show_modules(self) -> None:
        if why := self.session.modules.why_not():
            self.status.show_hint(f"Modules: {why}", "warning")
        else:
            self.run_in_background("modules", self._show_modules)

    async def _show_modules(self) -> None:
        from tuidbg.tui.find.modules import ModulesDialog

        modules = await self.session.modules.list()

        def take(module: LoadedModule | None) -> None:
            if module is not None:
                self.go_to_place(module.path)

        is_library, show = self.session.sources.is_library, self.view.shown_path
        self.app.push_screen(ModulesDialog(modules, is_library, show), take)


def _once(found: list[Definition], path: str, line: int) -> list[Definition]:
    """Each place once, and the line itself only where there is nothing else."""
    places = {(each.path, each.line): each for each in reversed(found)}
    kept = [each for each in reversed(places.values()) if (each.path, each.line) != (path, line)]
    return kept or found[:1]
