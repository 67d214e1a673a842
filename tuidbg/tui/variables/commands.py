"""The commands of the variables pane: set, copy, read, display, search, go to, filter.

Each acts on the variable under the pane's cursor, wherever the focus is.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from tuidbg.session.errors import DebuggerError, EvaluationFailed
from tuidbg.session.events import ValuesChanged
from tuidbg.session.state import Variable, VariableKind
from tuidbg.tui.context import Context
from tuidbg.tui.find import searching
from tuidbg.tui.variables.pane import VariablesPane
from tuidbg.tui.variables.search import VariableSearch
from tuidbg.tui.variables.tree import Path
from tuidbg.tui.wording import characters

if TYPE_CHECKING:
    from tuidbg.session.values.types import Display, FullText
    from tuidbg.tui.dialogs.choice import Choice
    from tuidbg.tui.variables.set_value import SetValueDialog


def _at_variable(ui: Context) -> tuple[Path, Variable] | None:
    """The variable under the cursor; without one a hint says so."""
    found = ui.variables.cursor_variable
    if found is None:
        _show_no_variable(ui)
    return found


def _show_no_variable(ui: Context) -> None:
    if ui.focused is ui.variables:
        ui.status.show_hint("there is no variable in this row", "warning")
        return
    way = ui.key_map.tell("focus_variables", "goes there")
    ui.status.show_hint(f"no variable at the cursor of the variables pane{way}", "warning")


# Values that were put off


def value_wanted(ui: Context, event: VariablesPane.Loaded) -> None:
    ui.status.show_hint(f"working out {event.variable.name}…")
    ui.run_in_background("value", _load_value, ui, event.path, event.variable)


async def _load_value(ui: Context, path: Path, variable: Variable) -> None:
    try:
        loaded = await ui.session.values.load(variable)
    except EvaluationFailed:
        await ui.view.refresh_variables()  # it stands in its row from now on
        raise
    ui.variables.set_variable(path, loaded)
    ui.status.clear_hint()


# Set and undo


def set_variable(ui: Context) -> None:
    from tuidbg.tui.variables.set_value import SetValueDialog, cursor_region

    if (found := _at_variable(ui)) is None:
        return
    if not found[1].handle:
        ui.status.show_hint(f"{found[1].name} can't be set", "warning")
        return

    def submit(dialog: SetValueDialog, text: str) -> None:
        ui.run_command(_set_value, ui, dialog, found[1], text)

    dialog = SetValueDialog(found[1], submit, _undo_words(ui))
    dialog.edited = partial(cursor_region, ui.variables)
    ui.app.push_screen(dialog)


def _undo_words(ui: Context) -> str:
    """The key that takes a set value back, and for how long; nothing where there is none."""
    return ui.key_map.tell("undo_change", "takes it back until the program goes on")


async def _set_value(ui: Context, dialog: SetValueDialog, variable: Variable, text: str) -> None:
    try:
        change = await ui.session.values.changes.set(variable, text)
    except DebuggerError as error:
        dialog.refuse(str(error))
        return
    ui.session.publish(ValuesChanged(), "tui")
    dialog.dismiss()
    ui.status.show_hint(f"{variable.name} is {change.after.value[:200]}{_undo_words(ui)}")
    await ui.view.refresh_variables()


def undo_change(ui: Context) -> None:
    ui.run_command(_undo_change, ui)


async def _undo_change(ui: Context) -> None:
    change = await ui.session.values.changes.undo()
    if change is None:
        words = "no value was set at this stop; those of earlier ones can't be taken back"
        ui.status.show_hint(words, "warning")
        return
    ui.session.publish(ValuesChanged(), "tui")
    ui.status.show_hint(f"{change.after.name} is {change.after.value[:200]} again")
    await ui.view.refresh_variables()


# Copy


def copy_value(ui: Context) -> None:
    from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

    if (found := _at_variable(ui)) is None:
        return
    _, variable = found
    choices = [Choice("v", "the value")]
    values = ui.session.values
    if values.is_inside or values.past.has(variable.handle):
        choices.append(Choice("j", "the value as JSON"))
    if variable.evaluate_name:
        choices.insert(1, Choice("e", "the expression", variable.evaluate_name))

    def take(letter: str | None) -> None:
        if letter is not None:
            ui.run_in_background("copy", _copy_variable, ui, variable, letter)

    ui.app.push_screen(ChoiceDialog(f"Copy {variable.name}", choices), take)


async def _copy_variable(ui: Context, variable: Variable, what: str) -> None:
    contents, note = ui.session.values.contents, ""
    if what == "e":
        text = variable.evaluate_name
    elif what == "j":
        found = await contents.as_json(variable)
        text, note = found.text, "" if found.is_whole else " (its beginning only)"
    else:
        full = await contents.full(variable)
        text = full.text
        note = "" if len(text) >= full.total else f" (of {full.total:,})"
    await put_on_clipboard(ui, text, note)


async def put_on_clipboard(ui: Context, text: str, note: str = "") -> None:
    """Put a text on the clipboard and say so, or why not."""
    from tuidbg.tui.drivers.clipboard import TooLong, copy_text, environment_of

    try:
        where = await copy_text(text, ui.app.copy_to_clipboard, environment_of(ui.app))
    except TooLong as error:
        ui.status.show_hint(str(error), "warning")
        return
    by = f" by {where}" if where else ""
    ui.status.show_hint(f"copied {characters(len(text))}{note}{by}")


# All of it


def show_value(ui: Context) -> None:
    from tuidbg.tui.dialogs.pager import PagerDialog

    if (found := _at_variable(ui)) is None:
        return
    _, variable = found
    if not variable.handle:
        _show_no_variable(ui)
        return

    async def fetch(how: str) -> FullText:
        return await ui.session.values.contents.full(variable, how)

    is_returned = variable.kind is VariableKind.RETURNED
    name = variable.name if is_returned else variable.evaluate_name or variable.name

    def copy(text: str) -> None:
        ui.run_in_background("copy", put_on_clipboard, ui, text)

    ui.app.push_screen(PagerDialog(name, variable.type or "property", fetch, copy))


# Display


def display_variable(ui: Context) -> None:
    from tuidbg.session.values.types import Display
    from tuidbg.tui.dialogs.prompt import PromptDialog

    values = ui.session.values
    if values.can_be_hexadecimal:
        ui.run_command(_switch_hexadecimal, ui)
        return
    if why := values.why_no_display():
        ui.status.show_hint(f"Display the variable: {why}", "warning")
        return
    if (found := _at_variable(ui)) is None:
        return
    _, variable = found
    now = values.displays.get(variable.evaluate_name)

    def take(text: str | None) -> None:
        if text is not None:
            display = Display.read(text) if text.strip() else None
            ui.run_command(_display_variable, ui, *found, display)

    prompt = PromptDialog(
        f"Display {variable.name[:40]} as",
        hint="repr, str, type, len, an expression with {} for it · empty: as at first",
        value=str(now) if now is not None else "",
    )
    ui.app.push_screen(prompt, take)


async def _switch_hexadecimal(ui: Context) -> None:
    """Show all numbers so: the adapter can't do it for single values."""
    values = ui.session.values
    values.set_hexadecimal(not values.in_hexadecimal)
    how = "in hexadecimal" if values.in_hexadecimal else "as usual again"
    ui.status.show_hint(f"numbers are shown {how}")
    await ui.view.refresh_variables()
    ui.view.refresh_watches()


async def _display_variable(
    ui: Context, path: Path, variable: Variable, display: Display | None
) -> None:
    ui.session.values.set_display(variable, display)
    ui.variables.changes.forget_value(ui.variables.call, path)
    await ui.view.refresh_variables()


# Filter and sort


def filter_variables(ui: Context) -> None:
    from tuidbg.tui.dialogs.choice import ChoiceDialog

    ui.app.push_screen(
        ChoiceDialog(
            "Variables", _variable_filters(ui), on_choice=partial(_switch_variable_filter, ui)
        )
    )


def _variable_filters(ui: Context) -> list[Choice]:
    from tuidbg.tui.dialogs.choice import Choice

    options = ui.variables.options
    words = {True: "shown", False: "hidden"}
    return [
        Choice("p", "private names (_x, __x__)", words[options.private]),
        Choice("c", "functions and classes", words[options.callables]),
        Choice("m", "modules", words[options.modules]),
        Choice("t", "all types", words[options.types]),
        Choice("o", "order", f"by {options.order}" if options.order else "as they are"),
    ]


def _switch_variable_filter(ui: Context, letter: str) -> list[Choice]:
    from tuidbg.tui.variables.tree import ORDERS

    options = ui.variables.options
    name = {"p": "private", "c": "callables", "m": "modules", "t": "types"}.get(letter)
    if name is not None:
        options = msgspec.structs.replace(options, **{name: not getattr(options, name)})
    else:
        order = ORDERS[(ORDERS.index(options.order) + 1) % len(ORDERS)]
        options = msgspec.structs.replace(options, order=order)
    ui.variables.options = options
    title = ui.body.titles["variables"]
    title.hint = options.words
    ui.run_in_background("variables", ui.view.refresh_variables)
    return _variable_filters(ui)


# Search and go to


class _Searching:
    """Searches names and values: of what is there at once, of all pages at Enter."""

    def __init__(self, ui: Context) -> None:
        self._ui = ui
        self._found = ui.searched.variables or VariableSearch(ui.variables)
        self._before: tuple[str, Hashable] = ("", None)
        ui.searched.variables = self._found

    def begin(self) -> None:
        self._before = (self._found.text, self._ui.variables.cursor_key)

    def follow(self, text: str) -> str:
        count = self._found.look_for(text)
        return f"{count:,} here, and in all pages at Enter" if text else ""

    def accept(self, text: str) -> str:
        if text != self._found.text:
            self._found.look_for(text)
        self._ui.run_in_background("search", _search_all, self._ui, self._found)
        return ""

    def leave(self) -> None:
        text, key = self._before
        self._found.leave()
        if text:
            self._found.look_for(text)
        self._ui.variables.move_cursor_to(key)

    def go_on(self, text: str, *, backwards: bool) -> str:
        if text != self._found.text:
            return self.accept(text)
        self._found.go(-1 if backwards else 1)
        return self._found.words


def search_variables(ui: Context) -> None:
    """Search names and values."""
    searching.ask(ui, _Searching(ui), hint="a name or a value")


async def _search_all(ui: Context, search: VariableSearch) -> None:
    """Search large collections too, and say how much of them, and how many matches there are."""
    notes = []
    for path, variable in search.unseen():
        ui.status.show_hint(f"searching {variable.name}…")
        try:
            found = await ui.session.values.contents.find(variable, search.text)
        except EvaluationFailed as error:
            notes.append(f"{variable.name}: {error}")
            continue
        search.add(path, found)
        notes.append(f"{variable.name}: {found.seen:,} of {found.total:,} searched")
    search.go(1, first=True)
    searching.tell(ui, search.words, notes)


def next_match(ui: Context) -> None:
    """Go to the next match, into pages that are not shown yet too."""
    searching.go_on(ui, _Searching(ui), backwards=False)


def previous_match(ui: Context) -> None:
    """Go to the match before."""
    searching.go_on(ui, _Searching(ui), backwards=True)


def search_left(ui: Context) -> None:
    if ui.searched.variables is not None:
        ui.searched.variables.leave()
        ui.status.clear_hint()


def go_to_item(ui: Context) -> None:
    """Ask for an index or a key of the collection under the cursor, and go there."""
    from tuidbg.tui.dialogs.prompt import PromptDialog

    found = ui.variables.cursor_container
    if found is None or found[1].is_scope:
        way = ui.key_map.tell("go_to_line", "goes to an index or a key in it")
        ui.status.show_hint(f"open a collection first{way}")
        return
    path, node = found

    def take(text: str | None) -> None:
        if text and text.strip():
            ui.run_command(_go_to_item, ui, path, node.variable, text.strip())

    name = node.variable.name[:40]
    ui.app.push_screen(PromptDialog(f"Go to in {name}", hint="an index or a key"), take)


async def _go_to_item(ui: Context, path: Path, variable: Variable, key: str) -> None:
    position, name = await ui.session.values.contents.position(variable, key)
    ui.variables.reveal(path, position, name)
