"""Breakpoint dialogs: edit a breakpoint, or set one with all settings."""

from __future__ import annotations

import os.path
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.session.model.state import Breakpoint, BreakpointKind
from tuidbg.tui.panes.breakpoints.breakpoint_texts import name_of

if TYPE_CHECKING:
    from tuidbg.tui.panes.breakpoints.breakpoint_dialog import BreakpointAnswer
    from tuidbg.tui.panes.context import Context


NO_SOURCE = "no source is shown yet"


def _find(ui: Context, number: int | None) -> Breakpoint | None:
    """Find a breakpoint of the list, which may show one that has just been deleted."""
    return ui.session.breakpoints.registry.look_up(number) if number is not None else None


def edit_breakpoint(ui: Context) -> None:
    """Edit the breakpoint at the source cursor, or set one there."""
    if ui.view.document is not None:
        edit_at(ui, ui.view.document.key, ui.source.cursor_line)
    else:
        ui.status.show_hint(NO_SOURCE, "warning")


def edit_at(ui: Context, path: str, line: int) -> None:
    found = ui.session.breakpoints.registry.find(path, line)
    if found is not None:
        edit(ui, found)
    else:
        new = Breakpoint(number=0, path=path, line=line)
        edit_new(ui, new, _shown_place(ui, new))


def edit(ui: Context, found: Breakpoint) -> None:
    _ask(ui, found, _shown_place(ui, found), partial(_take_changed, ui))


def _ask(
    ui: Context,
    found: Breakpoint,
    place: str,
    take: Callable[[Breakpoint, BreakpointAnswer], None],
    *,
    is_new: bool = False,
) -> None:
    from tuidbg.tui.panes.breakpoints.breakpoint_dialog import BreakpointDialog
    from tuidbg.tui.panes.breakpoints.line_in_sight import keep_line_in_sight

    registry = ui.session.breakpoints.registry
    others = {b.number: name_of(b) for b in registry if b.number != found.number}
    language = ui.session.facts.language_of(found.path)
    dialog = BreakpointDialog(
        found,
        place,
        is_new=is_new,
        others=others,
        language=language,
        function_name=ui.session.profile.breakpoints.function_name,
    )

    scroll_back = keep_line_in_sight(ui, dialog, found)

    def taken(answer: BreakpointAnswer | None) -> None:
        scroll_back()
        if answer is None:
            return
        take(found, answer)
        settings = answer.settings
        if settings.get("log_message") and not (settings.get("trace") or answer.delete):
            way = ui.key_map.tell("focus_console", "shows it")
            ui.status.show_hint(f"log point output goes to the console{way}")

    ui.app.push_screen(dialog, taken)


def edit_new(ui: Context, new: Breakpoint, place: str) -> None:
    """Ask for all settings of a new breakpoint."""
    _ask(ui, new, place, partial(_take_new, ui), is_new=True)


def _shown_place(ui: Context, found: Breakpoint) -> str:
    """Return the place relative to the program's working directory."""
    if found.kind is not BreakpointKind.LINE:
        return name_of(found)
    return f"{ui.view.shown_path(found.path)}:{found.line}"


def _take_new(ui: Context, new: Breakpoint, answer: BreakpointAnswer) -> None:
    from tuidbg.tui.panes.breakpoints.breakpoint_dialog import read_address

    breakpoints, settings = ui.session.breakpoints, answer.settings
    match answer.kind:
        case BreakpointKind.FUNCTION:
            ui.run_command(breakpoints.set_function, answer.place, **settings, origin="tui")
        case BreakpointKind.DATA:
            ui.run_command(breakpoints.set_data, answer.place, **settings, origin="tui")
        case BreakpointKind.ADDRESS:
            address = read_address(answer.place) or 0
            ui.run_command(breakpoints.set_address, address, **settings, origin="tui")
        case _:
            path, line = _read_place(ui, answer.place, new)
            ui.run_command(breakpoints.set, path, line, **settings, origin="tui")


def _take_changed(ui: Context, found: Breakpoint, answer: BreakpointAnswer) -> None:
    if _find(ui, found.number) is None:
        return  # another client has deleted it meanwhile
    if answer.delete:
        ui.run_command(ui.session.breakpoints.remove, found.number, origin="tui")
        return
    ui.run_command(_change, ui, found, answer)


async def _change(ui: Context, found: Breakpoint, answer: BreakpointAnswer) -> None:
    breakpoints, place = ui.session.breakpoints, answer.place
    if answer.settings:
        found = await breakpoints.update(found.number, **answer.settings, origin="tui")
    if place and found.kind is BreakpointKind.FUNCTION:
        name = ui.session.profile.breakpoints.function_name(place)
        await breakpoints.changing.rename(found, name, "tui")
    elif place and (line := _read_place(ui, place, found)[1]) != found.line:
        await breakpoints.move(found.number, line, origin="tui")


def _read_place(ui: Context, text: str, near: Breakpoint) -> tuple[str, int]:
    """Parse ``FILE:LINE`` relative to the working directory, or a line of the file of ``near``."""
    file, _, line = text.rpartition(":")
    if not file or (near.path and file == ui.view.shown_path(near.path)):
        return near.path, int(line)
    # Not resolved: a program may run through symbolic links, and breakpoints use its file names.
    path = Path(ui.session.plan.cwd) / os.path.expanduser(file.strip())  # noqa: PTH111
    return os.path.normpath(path), int(line)
