"""Commands: go to definition, find in files, list modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.config.project import project_of
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.source.jumps import go_to_place

if TYPE_CHECKING:
    from tuidbg.session.core.sources.definitions import Definition
    from tuidbg.session.core.sources.files import LineMatch
    from tuidbg.session.core.sources.program_facts import LoadedModule
    from tuidbg.tui.toolkit.text.document import SourceDocument


def find_again(ui: Context) -> None:
    """Find a text in the project's files, starting with the last pattern."""
    find_in_files(ui, ui.searched.files)


def find_in_files(ui: Context, text: str) -> None:
    """Open the search with an initial text."""
    from tuidbg.tui.features.find.dialog import FindDialog

    def note(typed: str) -> None:
        ui.searched.files = typed

    def take(match: LineMatch | None) -> None:
        if match is not None:
            go_to_place(ui, match.path, match.line)

    plan = ui.session.plan
    folder = project_of(plan)
    ui.app.push_screen(FindDialog(folder, value=text, note=note), take)


_LETTERS = "123456789abcdefghijklmnoprstuvwxyz"
_MOST_NAMES = 12
"""Maximum names of a line to look up."""


def why_no_modules(ui: Context) -> str:
    """Return why the modules can't be listed; empty if they can."""
    return ui.session.modules.why_not()


def go_to_definition(ui: Context) -> None:
    document = ui.view.document
    if document is None:
        ui.status.show_hint("no source is shown yet", "warning")
        return
    pointed = ui.source.names.pointed
    names = ui.source.names.on_line(ui.source.cursor_line)
    wanted = [pointed] if pointed in names and pointed is not None else names[:_MOST_NAMES]
    if not wanted:
        ui.status.show_hint("there is no name on this line", "warning")
        return
    chosen = list(dict.fromkeys(name.expression for name in wanted))
    ui.run_in_background("definition", _find_definition, ui, document, chosen)


async def _find_definition(ui: Context, document: SourceDocument, names: list[str]) -> None:
    from tuidbg.session.core.sources.definitions import Definitions  # not needed at startup

    line, frame = ui.source.cursor_line, ui.view.frame
    text = "\n".join(document.lines)
    found: list[Definition] = []
    for name in names:
        found += await Definitions(ui.session).find(document.key, text, line, name, frame)
    found = _once(found, document.key, line)
    if not found:
        what = names[0] if len(names) == 1 else "these names"
        ui.status.show_hint(f"no definition of {what} was found", "warning")
    elif [(each.path, each.line) for each in found] == [(document.key, line)]:
        _say_it_is_here(ui, found[0])
    elif len(found) == 1:
        _show_definition(ui, found[0])
    else:
        _choose_definition(ui, found)


def _say_it_is_here(ui: Context, definition: Definition) -> None:
    from tuidbg.session.core.sources.name_scopes import DefinitionKind

    if definition.kind is DefinitionKind.IMPORT:  # of a built-in, compiled or missing module
        words = f"{definition.name} is imported here; no source of its module was found"
        ui.status.show_hint(words, "warning")
    else:
        ui.status.show_hint(f"{definition.name} is defined here")


def _show_definition(ui: Context, definition: Definition) -> None:
    go_to_place(ui, definition.path, definition.line)


def _choose_definition(ui: Context, found: list[Definition]) -> None:
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog

    by_letter = dict(zip(_LETTERS, found, strict=False))

    def take(letter: str | None) -> None:
        if letter is not None:
            _show_definition(ui, by_letter[letter])

    choices = [
        BoxChoice(letter, f"{each.name}  {each.kind}", f"{_place_of(ui, each)}")
        for letter, each in by_letter.items()
    ]
    ui.app.push_screen(ChoiceDialog("Definitions", choices), take)


def _place_of(ui: Context, definition: Definition) -> str:
    document = ui.view.document
    if document is not None and definition.path == document.key:
        return f"line {definition.line}"
    return f"{ui.view.shown_path(definition.path)}:{definition.line}"


# Modules


def show_modules(ui: Context) -> None:
    if why := why_no_modules(ui):
        ui.status.show_hint(f"Modules: {why}", "warning")
    else:
        ui.run_in_background("modules", _show_modules, ui)


async def _show_modules(ui: Context) -> None:
    from tuidbg.tui.features.find.dialog import ModulesDialog

    modules = await ui.session.modules.list()

    def take(module: LoadedModule | None) -> None:
        if module is not None:
            go_to_place(ui, module.path)

    is_library, show = ui.session.sources.is_library, ui.view.shown_path
    ui.app.push_screen(ModulesDialog(modules, is_library, show), take)


def _once(found: list[Definition], path: str, line: int) -> list[Definition]:
    """Remove duplicates, and the line itself unless it is the only one."""
    places = {(each.path, each.line): each for each in reversed(found)}
    kept = [each for each in reversed(places.values()) if (each.path, each.line) != (path, line)]
    return kept or found[:1]
