"""Variables commands: set, copy, view, format, search, go to, filter.

Each acts on the variable under the pane's cursor, wherever the focus is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from textual.app import ComposeResult
from textual.geometry import Region
from textual.widgets import Input, Static

from tuidbg.session.core.values.watches import check_expression
from tuidbg.session.model.errors import DebuggerError, EvaluationFailed
from tuidbg.session.model.events import ValuesChanged
from tuidbg.session.model.state import Status, Variable, VariableKind, WatchExpression
from tuidbg.tui.panes import searching
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.variables.variables_pane import WATCHES, Path, VariablesPane
from tuidbg.tui.panes.variables.variables_search import VariableSearch
from tuidbg.tui.panes.variables.watch_view import offered_expression
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.prompt import DialogInput, InputDialog
from tuidbg.tui.toolkit.keys.key_reader import CANCELS, Hint
from tuidbg.tui.toolkit.widgets.rows import RowsPane, visible
from tuidbg.tui.toolkit.wording import characters

if TYPE_CHECKING:
    from tuidbg.session.core.values.types import DisplayFormat, FullText
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice

LONGEST = 10_000
"""Maximum characters of a value offered for editing; for a longer one the line is empty."""


class SetValueDialog(InputDialog[None]):
    """The prompt for a new value; stays open until it is set, or Esc.

    ``on_submit`` starts the assignment, whose code calls ``refuse`` or ``dismiss``. ``undo_words``
    describes how to undo it, beginning with a semicolon.
    """

    HINTS = (Hint("enter", "set"), CANCELS)

    DEFAULT_CSS = """
    SetValueDialog #box { padding: 0 2; }
    SetValueDialog Input {
        height: 1; border: none; padding: 0; background: $surface; margin-bottom: 1;
    }
    SetValueDialog #problem { height: auto; color: $text-error; }
    SetValueDialog #hint { height: auto; color: $text-muted; }
    """

    def __init__(
        self,
        variable: Variable,
        on_submit: Callable[[SetValueDialog, str], None],
        undo_words: str = "",
    ) -> None:
        super().__init__()
        self._undo_words = undo_words
        self._variable = variable
        self._on_submit = on_submit
        self._is_busy = False

    def compose(self) -> ComposeResult:
        variable = self._variable
        name = variable.evaluate_name or variable.name
        with Box(id="box") as box:
            box.border_title = visible(f"Set {name}").replace("[", r"\[")
            # A value that can't be shown unchanged in one line would be set to something else.
            text = variable.value if _can_be_typed(variable) else ""
            yield DialogInput(text, select_on_focus=True, placeholder="an expression")
            yield Static("", id="problem", classes="problem", markup=False)
            is_ = f"of type {variable.type} now" if variable.type else "it has no value yet"
            hint = f"Evaluated in this frame; {is_}{self._undo_words}."
            yield Static(hint, id="hint", markup=False)

    def on_mount(self) -> None:
        self.query_one("#problem").display = False

    def submit(self) -> None:
        if not self._is_busy:
            self._is_busy = True
            self._on_submit(self, self.query_one(Input).value)

    def refuse(self, why: str) -> None:
        """Show why it could not be set."""
        self._is_busy = False
        problem = self.query_one("#problem", Static)
        problem.update(visible(why, 500))
        problem.display = True


def cursor_region(pane: RowsPane) -> Region | None:
    """Return the screen region of the row under the cursor; None if it is not visible."""
    x, y, width, height = pane.region
    row = pane.cursor - int(pane.scroll_offset.y)
    return Region(x, y + row, width, 1) if pane.display and 0 <= row < height else None


def _can_be_typed(variable: Variable) -> bool:
    value = variable.value
    if variable.problem or len(value) > LONGEST or value.startswith("<"):
        return False
    return value.isprintable() and not value.endswith("...") and "..." not in value[-20:]


def _at_variable(ui: Context) -> tuple[Path, Variable] | None:
    """Return the variable under the cursor; without one, show a hint."""
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


# Lazy values


def value_wanted(ui: Context, event: VariablesPane.Loaded) -> None:
    ui.status.show_hint(f"working out {event.variable.name}…")
    ui.run_in_background("value", _load_value, ui, event.path, event.variable)


async def _load_value(ui: Context, path: Path, variable: Variable) -> None:
    try:
        loaded = await ui.session.values.load(variable)
    except EvaluationFailed:
        await ui.view.refresh_variables()  # from now on it is in its row
        raise
    ui.variables.set_variable(path, loaded)
    ui.status.clear_hint()


# Set and undo


def set_variable(ui: Context) -> None:

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
    """Return the undo key and its time limit; empty if there is none."""
    return ui.key_map.tell("undo_change", "undoes it until the program resumes")


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
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog

    if (found := _at_variable(ui)) is None:
        return
    _, variable = found
    choices = [BoxChoice("v", "the value")]
    values = ui.session.values
    if values.is_inside or values.past.has(variable.handle):
        choices.append(BoxChoice("j", "the value as JSON"))
    if variable.evaluate_name:
        choices.insert(1, BoxChoice("e", "the expression", variable.evaluate_name))

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
    """Copy a text and report success or failure."""
    from tuidbg.tui.toolkit.drivers.clipboard import TooLong, copy_text, environment_of

    try:
        where = await copy_text(text, ui.app.copy_to_clipboard, environment_of(ui.app))
    except TooLong as error:
        ui.status.show_hint(str(error), "warning")
        return
    by = f" by {where}" if where else ""
    ui.status.show_hint(f"copied {characters(len(text))}{note}{by}")


# Complete value


def show_value(ui: Context) -> None:
    from tuidbg.tui.toolkit.dialogs.pager import PagerDialog

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


# Display format


def display_variable(ui: Context) -> None:
    from tuidbg.session.core.values.types import DisplayFormat
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

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
            display = DisplayFormat.read(text) if text.strip() else None
            ui.run_command(_display_variable, ui, *found, display)

    prompt = PromptDialog(
        f"Display {variable.name[:40]} as",
        hint="repr, str, type, len, an expression with {} for it · empty: the default",
        value=str(now) if now is not None else "",
    )
    ui.app.push_screen(prompt, take)


async def _switch_hexadecimal(ui: Context) -> None:
    """Switch all numbers to hexadecimal: the adapter can't do it for single values."""
    values = ui.session.values
    values.set_hexadecimal(not values.in_hexadecimal)
    how = "in hexadecimal" if values.in_hexadecimal else "as usual again"
    ui.status.show_hint(f"numbers are shown {how}")
    await ui.view.refresh_variables()
    ui.view.refresh_watches()


async def _display_variable(
    ui: Context, path: Path, variable: Variable, display: DisplayFormat | None
) -> None:
    ui.session.values.set_display(variable, display)
    ui.variables.changes.forget_value(ui.variables.call, path)
    await ui.view.refresh_variables()


# Filter and sort


def filter_variables(ui: Context) -> None:
    from tuidbg.tui.toolkit.dialogs.box import ChoiceDialog

    ui.app.push_screen(
        ChoiceDialog(
            "Variables", _variable_filters(ui), on_choice=partial(_switch_variable_filter, ui)
        )
    )


def _variable_filters(ui: Context) -> list[BoxChoice]:
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice

    options = ui.variables.options
    words = {True: "shown", False: "hidden"}
    return [
        BoxChoice("p", "private names (_x, __x__)", words[options.private]),
        BoxChoice("c", "functions and classes", words[options.callables]),
        BoxChoice("m", "modules", words[options.modules]),
        BoxChoice("t", "all types", words[options.types]),
        BoxChoice("o", "order", f"by {options.order}" if options.order else "as defined"),
    ]


def _switch_variable_filter(ui: Context, letter: str) -> list[BoxChoice]:
    from tuidbg.tui.panes.variables.variables_pane import ORDERS

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


class _VariableSearch:
    """A search of names and values: of loaded ones while typing, of all pages at Enter."""

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
    searching.ask(ui, _VariableSearch(ui), hint="a name or a value")


async def _search_all(ui: Context, search: VariableSearch) -> None:
    """Search large collections too, and report the searched part and the number of matches."""
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
    """Go to the next match, also in pages that are not shown yet."""
    searching.go_on(ui, _VariableSearch(ui), backwards=False)


def previous_match(ui: Context) -> None:
    searching.go_on(ui, _VariableSearch(ui), backwards=True)


def search_left(ui: Context) -> None:
    if ui.searched.variables is not None:
        ui.searched.variables.leave()
        ui.status.clear_hint()


def go_to_item(ui: Context) -> None:
    """Ask for an index or key of the collection under the cursor, and go there."""
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

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


_RISK = "runs at every stop, with its side effects"


def add_watch(ui: Context) -> None:
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

    def take(text: str | None) -> None:
        if text is not None:
            _add_watch(ui, text)

    removed = ui.session.watches.removed
    prompt = PromptDialog(
        "Watch",
        hint=_RISK,
        value=offered_expression(ui),
        history=(removed,) if removed and ui.session.watches.find(removed) is None else (),
        on_change=partial(_check, ui),
        on_submit=partial(_refuse, ui),
    )
    ui.app.push_screen(prompt, take)


def _refuse(ui: Context, text: str) -> str:
    return check_expression(text, ui.session.profile.language)


def _check(ui: Context, text: str) -> str:
    return (_refuse(ui, text) if text.strip() else "") or _RISK


def _add_watch(ui: Context, expression: str, *, pinned: bool = False) -> None:
    watches = ui.session.watches
    known = watches.find(expression)
    try:
        watch = watches.add(expression, pinned=pinned, origin="tui")
    except DebuggerError as error:
        ui.status.show_hint(str(error), "error")
        return
    if known is not None:
        ui.status.show_hint(f"{visible(watch.expression, 60)} is watched already")
    elif ui.session.status is not Status.PAUSED:
        ui.status.show_hint("its value is shown at the next stop")
    if not ui.variables.display:
        _show_watches(ui, watch)


def _show_watches(ui: Context, watch: WatchExpression) -> None:
    """Show the pane, unless that would hide the focused one."""
    if ui.body.maximised is None and ui.focused_pane == "source":
        ui.body.tab = "variables"
    else:
        way = ui.key_map.tell("focus_variables", "shows it")
        ui.status.show_hint(f"{visible(watch.expression, 60)} is watched{way}")


def edit_watch(ui: Context) -> None:
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

    watch = _watch_at_cursor(ui)
    if watch is None:
        _show_no_watch(ui)
        return

    def check(text: str) -> str:
        return "Enter deletes it" if not text.strip() else _check(ui, text)

    def submit(text: str) -> str:
        return _refuse(ui, text) if text.strip() else ""

    def take(text: str | None) -> None:
        if text is not None and text.strip():
            _change_watch(ui, watch.number, text)
        elif text is not None:
            _change_watch(ui, watch.number)

    prompt = PromptDialog(
        "Watch", hint=_RISK, value=watch.expression, on_change=check, on_submit=submit
    )
    ui.app.push_screen(prompt, take)


def _change_watch(ui: Context, number: int, expression: str = "") -> None:
    try:
        if expression:
            ui.session.watches.update(number, expression, origin="tui")
        else:
            ui.run_command(_ignore_changes, ui, ui.session.watches.get(number).expression)
            ui.session.watches.remove(number, origin="tui")
            way_back = ui.key_map.tell("add_watch", "and Up bring it back")
            name = visible(ui.session.watches.removed, 60)
            ui.status.show_hint(f"{name} is watched no more{way_back}")
    except DebuggerError as error:  # another client was faster
        ui.status.show_hint(str(error), "warning")


async def _ignore_changes(ui: Context, expression: str) -> None:
    """Delete the watchpoint: without its row the reason of its stops would be unknown."""
    if ui.session.status is Status.PAUSED:
        await ui.session.changes.ignore(expression)


def delete_watch(ui: Context) -> None:
    watch = _watch_at_cursor(ui)
    if watch is None:
        _show_no_watch(ui)
    else:
        _change_watch(ui, watch.number)


def display_or_delete(ui: Context) -> None:
    """Change the variable's display format; delete a watch under the cursor."""
    if _watch_at_cursor(ui) is not None:
        delete_watch(ui)
    else:
        display_variable(ui)


def pin_variable(ui: Context) -> None:
    found = ui.variables.cursor_variable
    if (watch := _watch_at_cursor(ui)) is not None and watch.pinned:
        _change_watch(ui, watch.number)
    elif found is None or found[0][0] == WATCHES:
        ui.status.show_hint("put the cursor on a variable in the variables pane", "warning")
    elif not found[1].evaluate_name:
        name = visible(found[1].name, 60)
        ui.status.show_hint(f"no expression leads to {name} again", "warning")
    else:
        _add_watch(ui, found[1].evaluate_name, pinned=True)


def break_on_change(ui: Context) -> None:
    watch = _watch_at_cursor(ui)
    expression = watch.expression if watch is not None else offered_expression(ui)
    if expression:
        ui.run_command(_break_on_change, ui, expression)
    else:
        ui.status.show_hint("put the cursor on a variable in the variables pane", "warning")


async def _break_on_change(ui: Context, expression: str) -> None:
    changes, frame = ui.session.changes, ui.view.frame
    name = visible(expression, 60)
    laid = ui.session.breakpoints.registry.find_data(expression)
    if laid is not None:
        await ui.session.breakpoints.remove(laid.number, origin="tui")
        ui.status.show_hint(f"{name} may change without a stop again")
        return
    if changes.find(expression) is not None:
        await changes.ignore(expression)
        ui.status.show_hint(f"{name} may change without a stop again")
    elif frame is not None:
        found = await changes.watch(expression, frame.id, origin="tui")
        if found is None:
            ui.status.show_hint(f"stops when {name} changes")
            return
        if ui.session.watches.find(expression) is None:
            ui.session.watches.add(expression, pinned=True, origin="tui")
        ui.status.show_hint(visible(found.limits))
    ui.view.refresh_watches()


def break_on_access(ui: Context) -> None:
    from tuidbg.session.model.state import DataAccess
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog

    watch = _watch_at_cursor(ui)
    expression = watch.expression if watch is not None else offered_expression(ui)
    if not ui.session.adapter.capabilities.supports_data_breakpoints:
        words = "this debug adapter can't watch values for reads"
        ui.status.show_hint(f"Stop when it is read: {words}", "warning")
        return
    if not expression:
        ui.status.show_hint("put the cursor on a variable in the variables pane", "warning")
        return
    ways = {"r": DataAccess.READ, "w": DataAccess.WRITE, "e": DataAccess.READ_WRITE}
    choices = [BoxChoice("r", "read"), BoxChoice("w", "written"), BoxChoice("e", "either")]

    def take(letter: str | None) -> None:
        if letter is not None:
            set_data = ui.session.breakpoints.set_data
            ui.run_command(set_data, expression, access=ways[letter], origin="tui")

    ui.app.push_screen(ChoiceDialog(f"Stop when {expression} is", choices), take)


def _watch_at_cursor(ui: Context) -> WatchExpression | None:
    key = ui.variables.cursor_key
    if isinstance(key, tuple) and len(key) > 1 and key[0] == WATCHES:
        return ui.session.watches.find(str(key[1]))
    return None


def _show_no_watch(ui: Context) -> None:
    way = ui.key_map.tell("add_watch", "adds one")
    ui.status.show_hint(f"put the cursor on a watch in the variables pane{way}")


def watch_chosen(ui: Context, event: VariablesPane.WatchChosen) -> None:
    """Compute a lazy watch; edit any other one without children."""
    watch = ui.session.watches.find(event.expression)
    if watch is None:
        return
    if event.is_slow:
        ui.view.refresh_watches(asked=watch.number)
    else:
        edit_watch(ui)


def variable_opened(ui: Context, event: VariablesPane.Opened) -> None:
    ui.run_command(ui.view.fetch_children, event.path, event.reference, event.wanted)
