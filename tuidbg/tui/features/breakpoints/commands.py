"""Commands that set, edit and delete breakpoints, by keys, in the gutter and in the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus
from tuidbg.tui.panes.breakpoints.breakpoint_texts import full_name_of, name_of
from tuidbg.tui.panes.breakpoints.breakpoints_pane import BreakpointsPane
from tuidbg.tui.panes.breakpoints.editing import (
    NO_SOURCE,
    _find,
    edit,
    edit_at,
    edit_breakpoint,
    edit_new,
)
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.source.source_pane import SourcePane

if TYPE_CHECKING:
    from tuidbg.tui.features.breakpoints.exceptions_dialog import ExceptionsAnswer


def toggle_breakpoint(ui: Context) -> None:
    if ui.view.document is not None:
        _toggle(ui, ui.view.document.key, ui.source.cursor_line)
    else:
        ui.status.show_hint(NO_SOURCE, "warning")


def _toggle(ui: Context, path: str, line: int) -> None:
    ui.run_command(ui.session.breakpoints.toggle, path, line, origin="tui")


def _at_cursor(ui: Context) -> Breakpoint | None:
    """Return the breakpoint under the list's cursor if the list has the focus, else the source's.

    With an empty list the source decides.
    """
    if ui.focused is ui.breakpoints and ui.breakpoints.rows:
        return _find(ui, ui.breakpoints.cursor_number)
    return ui.view.breakpoint_at_cursor()


# The dialog


def edit_chosen(ui: Context) -> None:
    """Edit the breakpoint under the list's cursor; with an empty list, the source's."""
    if not ui.breakpoints.rows:
        edit_breakpoint(ui)
    elif ui.breakpoints.cursor_number is None:
        ui.status.show_hint("the cursor is on a file, not on a breakpoint", "warning")
    elif (found := _find(ui, ui.breakpoints.cursor_number)) is not None:
        edit(ui, found)


def break_on_function(ui: Context) -> None:
    new = Breakpoint(number=0, kind=BreakpointKind.FUNCTION)
    edit_new(ui, new, "")


# All breakpoints, and groups


def undo_delete(ui: Context) -> None:
    ui.run_command(_undo_delete, ui)


async def _undo_delete(ui: Context) -> None:
    restored = await ui.session.breakpoints.restore(origin="tui")
    if restored is None:
        ui.status.show_hint("no breakpoint was deleted", "warning")
    else:
        ui.status.show_hint(f"breakpoint {restored.number} is back at {name_of(restored)}")


def disable_all(ui: Context) -> None:
    if not any(each.enabled for each in ui.session.breakpoints.registry):
        _say_none(ui, "enabled")
        return
    ui.run_command(ui.session.breakpoints.enable_all, False, origin="tui")
    way_back = ui.key_map.tell("enable_all", "enables those again that were enabled")
    ui.status.show_hint(f"all breakpoints are disabled{way_back}")


def enable_all(ui: Context) -> None:
    """Enable the breakpoints disabled by the last "disable all"; else all of them."""
    disabled, back = _disabled(ui), ui.session.breakpoints.changing.switched_off
    if not disabled:
        _say_none(ui, "disabled")
        return
    ui.run_command(ui.session.breakpoints.enable_all, True, origin="tui")
    stays = len(disabled - back) if disabled & back else 0
    words = f"; {stays} disabled one by one stay so" if stays else ""
    ui.status.show_hint(f"{len(disabled) - stays} enabled{words}")


def what_enabling_loses(ui: Context) -> str:
    """Return which individually disabled breakpoints "enable all" would enable."""
    disabled = _disabled(ui)
    if not disabled or disabled & ui.session.breakpoints.changing.switched_off:
        return ""
    return f"enables {len(disabled)} that were disabled one by one, in all files"


def _disabled(ui: Context) -> set[int]:
    return {each.number for each in ui.session.breakpoints.registry if not each.enabled}


def _say_none(ui: Context, what: str) -> None:
    some = "no breakpoint is " + what if ui.session.breakpoints.registry else ""
    ui.status.show_hint(some or "there are no breakpoints", "warning")


def mute_breakpoints(ui: Context) -> None:
    muted = not ui.session.breakpoints.muted
    ui.run_command(ui.session.breakpoints.mute, muted, origin="tui")
    way_back = ui.key_map.tell("mute_breakpoints", "unmutes")
    words = f"muted: nothing stops{way_back}" if muted else "no longer muted"
    ui.status.show_hint(f"breakpoints are {words}")


def group_enable_toggled(ui: Context, event: BreakpointsPane.GroupEnableToggled) -> None:
    if group := _group_of(ui, event.number):
        breakpoints = ui.session.breakpoints
        enabled = not any(b.enabled for b in breakpoints.registry.of_group(group))
        ui.run_command(breakpoints.enable_group, group, enabled, origin="tui")


def group_deleted(ui: Context, event: BreakpointsPane.GroupDeleted) -> None:
    if group := _group_of(ui, event.number):
        count = len(ui.session.breakpoints.registry.of_group(group))
        ui.run_command(ui.session.breakpoints.remove_group, group, origin="tui")
        way_out = ui.key_map.tell("undo_delete", "brings it back")
        ui.status.show_hint(f"group {group} is deleted ({count}){way_out}")


def _group_of(ui: Context, number: int) -> str:
    found = _find(ui, number)
    if found is not None and not found.group:
        ui.status.show_hint(f"breakpoint {number} has no group (B sets one)", "warning")
    return found.group if found is not None else ""


# Exceptions


def edit_exceptions(ui: Context) -> None:
    if told := ui.session.exceptions.why_no_choice():
        ui.status.show_hint(told)
        return
    from tuidbg.tui.features.breakpoints.exceptions_dialog import ExceptionsDialog

    breakpoints = ui.session.breakpoints
    dialog = ExceptionsDialog(
        breakpoints.exception_filters,
        breakpoints.registry.of_kind(BreakpointKind.EXCEPTION),
        breakpoints.seen_exceptions,
        ui.session.exceptions.labels,
        focus="any-user_uncaught" if ui.session.exceptions.passed.told else "",
    )

    def take(answer: ExceptionsAnswer | None) -> None:
        if answer is not None:
            ui.run_command(_change_exceptions, ui, answer)

    ui.app.push_screen(dialog, take)


async def _change_exceptions(ui: Context, answer: ExceptionsAnswer) -> None:
    breakpoints = ui.session.breakpoints
    if answer.filters is not None:
        await breakpoints.stop_at_exceptions(answer.filters, origin="tui")
    for number in answer.removed:
        if _find(ui, number) is not None:
            await breakpoints.remove(number, origin="tui")
    for number, enabled in answer.enabled.items():
        if _find(ui, number) is not None:
            await breakpoints.update(number, enabled=enabled, origin="tui")
    if answer.rule is not None and answer.number is not None:
        await breakpoints.change_rule(answer.number, answer.rule, origin="tui")
    elif answer.rule is not None:
        await breakpoints.set_exception(answer.rule, origin="tui")


# The doctor


def explain_breakpoint(ui: Context) -> None:
    found = _at_cursor(ui)
    if found is None:
        way = ui.key_map.tell("focus_breakpoints", "has the list of them")
        hint = f"no breakpoint at the cursor{way}"
        ui.status.show_hint(hint, "warning")
    else:
        ui.run_in_background("doctor", _diagnose, ui, found)


async def _diagnose(ui: Context, found: Breakpoint) -> None:
    from tuidbg.session.features.doctor.doctor import Doctor
    from tuidbg.tui.features.breakpoints.doctor_dialog import DoctorDialog
    from tuidbg.tui.panes.breakpoints.line_in_sight import keep_line_in_sight

    diagnosis = await Doctor.of(ui.session).diagnose(found.number)
    name = f"{found.number} {full_name_of(found)}"
    dialog = DoctorDialog(name, diagnosis)
    scroll_back = keep_line_in_sight(ui, dialog, found)
    mend = await ui.app.push_screen_wait(dialog)
    scroll_back()
    if mend is not None:
        await Doctor.of(ui.session).apply(found.number, mend, origin="tui")


# Refused breakpoints


def take_suggestion(ui: Context, found: Breakpoint | None) -> bool:
    """Move a refused breakpoint to the suggested line; False if there is none."""
    if found is None or not found.enabled or found.suggested_line is None:
        return False
    if found.status is not BreakpointStatus.REFUSED:
        return False
    ui.run_command(ui.session.breakpoints.move, found.number, found.suggested_line, origin="tui")
    ui.view.open_document(found.path, found.suggested_line)
    return True


# The gutter and the list


def gutter_clicked(ui: Context, event: SourcePane.BreakpointToggled) -> None:
    _toggle(ui, event.path, event.line)


def gutter_right_clicked(ui: Context, event: SourcePane.BreakpointEdited) -> None:
    edit_at(ui, event.path, event.line)


def breakpoint_chosen(ui: Context, event: BreakpointsPane.Chosen) -> None:
    found = _find(ui, event.number)
    if found is None or take_suggestion(ui, found):
        return
    if found.path and found.line:
        ui.view.open_document(found.path, found.line)
    elif found.kind is BreakpointKind.EXCEPTION:
        edit_exceptions(ui)
    else:
        edit(ui, found)


def enable_toggled(ui: Context, event: BreakpointsPane.EnableToggled) -> None:
    if (found := _find(ui, event.number)) is not None:
        breakpoints = ui.session.breakpoints
        ui.run_command(breakpoints.update, found.number, enabled=not found.enabled, origin="tui")


def breakpoint_deleted(ui: Context, event: BreakpointsPane.Deleted) -> None:
    if _find(ui, event.number) is not None:
        ui.run_command(ui.session.breakpoints.remove, event.number, origin="tui")
        way_back = ui.key_map.tell("undo_delete", "brings it back")
        ui.status.show_hint(f"breakpoint {event.number} is deleted{way_back}")
