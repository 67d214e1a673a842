"""The commands of the watches: add one, edit it, take it away, pin a variable."""

from __future__ import annotations

from functools import partial

from tuidbg.session.errors import DebuggerError
from tuidbg.session.state import Status, Watch
from tuidbg.session.values.watches import check_expression
from tuidbg.tui.context import Context
from tuidbg.tui.variables.commands import display_variable
from tuidbg.tui.variables.pane import VariablesPane
from tuidbg.tui.variables.tree import WATCHES
from tuidbg.tui.widgets.rows import visible

_RISK = "it runs at every stop, with all that it does"


def add_watch(ui: Context) -> None:
    from tuidbg.tui.dialogs.prompt import PromptDialog

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


def _show_watches(ui: Context, watch: Watch) -> None:
    """Bring the pane forward, unless that would hide what the person looks at."""
    if ui.body.maximised is None and ui.focused_pane == "source":
        ui.body.tab = "variables"
    else:
        way = ui.key_map.tell("focus_variables", "shows it")
        ui.status.show_hint(f"{visible(watch.expression, 60)} is watched{way}")


def offered_expression(ui: Context) -> str:
    """That of the variable or the name that the person looks at."""
    if ui.focused is ui.variables:
        found = ui.variables.cursor_variable
        if found is not None and found[0][0] != WATCHES:
            return found[1].evaluate_name
    if ui.focused is ui.source and (pointed := ui.source.names.pointed) is not None:
        return pointed.expression
    return ""


def edit_watch(ui: Context) -> None:
    from tuidbg.tui.dialogs.prompt import PromptDialog

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
    except DebuggerError as error:  # another front end was faster
        ui.status.show_hint(str(error), "warning")


async def _ignore_changes(ui: Context, expression: str) -> None:
    """Without its row nobody would know why the program stops."""
    if ui.session.status is Status.PAUSED:
        await ui.session.changes.ignore(expression)


def delete_watch(ui: Context) -> None:
    watch = _watch_at_cursor(ui)
    if watch is None:
        _show_no_watch(ui)
    else:
        _change_watch(ui, watch.number)


def display_or_delete(ui: Context) -> None:
    """Display the variable at the cursor otherwise; a watch there is taken away."""
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
    from tuidbg.session.state import DataAccess
    from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

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
    choices = [Choice("r", "read"), Choice("w", "written"), Choice("e", "either")]

    def take(letter: str | None) -> None:
        if letter is not None:
            set_data = ui.session.breakpoints.set_data
            ui.run_command(set_data, expression, access=ways[letter], origin="tui")

    ui.app.push_screen(ChoiceDialog(f"Stop when {expression} is", choices), take)


def _watch_at_cursor(ui: Context) -> Watch | None:
    key = ui.variables.cursor_key
    if isinstance(key, tuple) and len(key) > 1 and key[0] == WATCHES:
        return ui.session.watches.find(str(key[1]))
    return None


def _show_no_watch(ui: Context) -> None:
    way = ui.key_map.tell("add_watch", "adds one")
    ui.status.show_hint(f"put the cursor on a watch in the variables pane{way}")


def watch_chosen(ui: Context, event: VariablesPane.WatchChosen) -> None:
    """One without anything in it: work it out where it is slow, else edit it."""
    watch = ui.session.watches.find(event.expression)
    if watch is None:
        return
    if event.is_slow:
        ui.view.refresh_watches(asked=watch.number)
    else:
        edit_watch(ui)
