"""Source commands, and the user's editor at the cursor's line.

A terminal editor gets the screen, as the shell does at Ctrl+Z, and the file is read again
afterwards; an editor with a window of its own runs in parallel.
"""

from __future__ import annotations

import asyncio
import os
import os.path
from pathlib import Path

from textual.app import SuspendNotSupported

from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.source.jumps import _leave_place, open_path
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
from tuidbg.tui.toolkit.external_editor import editor_call, find_editor, run_beside, run_here
from tuidbg.tui.toolkit.widgets.input import PathSuggester


def why_no_editor(ui: Context) -> str:
    """Return why no editor can be opened here; empty if one can."""
    if ui.tuidbg.is_joined:
        return "the editor would open where tuidbg runs, not on this terminal"
    return ""


def edit_source(ui: Context) -> None:
    if why := why_no_editor(ui):
        ui.status.show_hint(f"Edit: {why}", "warning")
        return
    document = ui.view.document
    if document is None or not Path(document.key).is_file():
        ui.status.show_hint("there is no file to edit", "warning")
        return
    editor = find_editor(os.environ)
    if not editor:
        ui.status.show_hint("there is no editor: set $EDITOR", "warning")
        return
    try:
        call = editor_call(editor, document.key, ui.source.cursor_line, os.environ)
    except ValueError as error:
        ui.status.show_hint(f"$EDITOR can't be parsed ({editor}): {error}", "error")
        return
    if call.has_window:
        problem = run_beside(call.command)
        ui.status.show_hint(
            problem or f"opened in {call.command[0]}", "error" if problem else "hint"
        )
    else:
        _edit_here(ui, call.command)


def _edit_here(ui: Context, command: list[str]) -> None:
    try:
        with ui.app.suspend():
            problem = run_here(command)
    except SuspendNotSupported:
        problem = "the screen can't be left here"
    if problem:
        ui.status.show_hint(problem, "error")
    ui.run_in_background("disk", _read_again, ui)


async def _read_again(ui: Context) -> None:
    await asyncio.sleep(0)  # repaint first
    await ui.view.check_document()
    await ui.session.breakpoints.follow_edits()


def go_to_line(ui: Context) -> None:
    def check(text: str) -> str:
        return "" if not text or text.strip().isdecimal() else "a number, please"

    def take(text: str | None) -> None:
        if text and text.strip().isdecimal():
            _leave_place(ui)
            ui.source.move_cursor(int(text))
            ui.source.focus()

    ui.app.push_screen(PromptDialog("Line", on_change=check, on_submit=check), take)


def open_file(ui: Context) -> None:
    def take(text: str | None) -> None:
        if text and text.strip():
            open_path(ui, text)

    suggester = PathSuggester(ui.session.plan.cwd)
    hint = "→ takes the suggestion"
    ui.app.push_screen(PromptDialog("Open", hint=hint, suggester=suggester), take)


def show_execution(ui: Context) -> None:
    if ui.view.past.moment is not None:
        ui.view.past.leave()
        return
    if ui.view.frame is None:
        ui.status.show_hint("there is no current line while the program runs", "warning")
    else:
        ui.view.select_frame(ui.view.selected)


def why_no_rules(ui: Context) -> str:
    """Return why the user can't choose sources to skip; empty if possible."""
    return ui.session.live_rules.why_none()


def _has_no_rules(ui: Context) -> bool:
    """Report if only the adapter decides which sources are skipped; return whether it does."""
    if why := ui.session.live_rules.why_none():
        ui.status.show_hint(why, "warning")
    return bool(why)


def toggle_just_my_code(ui: Context) -> None:
    if _has_no_rules(ui):
        return
    sources = ui.session.sources
    sources.just_my_code = not sources.just_my_code
    ui.run_command(_apply_sources, ui)


def include_library(ui: Context) -> None:
    if _has_no_rules(ui):
        return
    document, sources = ui.view.document, ui.session.sources
    module = sources.module_of(document.key).partition(".")[0] if document is not None else ""
    if not module or document is None or not sources.is_library(document.key):
        ui.status.show_hint("this is no library; it is never passed over", "warning")
        return
    if sources.is_hidden(document.key):
        sources.forget(module=module)
        if sources.is_hidden(document.key):
            sources.include(module=module)
    else:
        sources.forget(module=module)
        if not sources.is_hidden(document.key):
            sources.exclude(module=module)
    ui.run_command(_apply_sources, ui)


async def _apply_sources(ui: Context) -> None:
    await ui.session.live_rules.apply(origin="tui")
    ui.view.show_title()
    passed = "passes over libraries" if ui.session.sources.just_my_code else "goes everywhere"
    rules = ui.session.sources.rules
    names = ", ".join(f"{r.module or r.path} {'in' if r.include else 'out'}" for r in rules)
    ui.status.show_hint(f"the debugger {passed}{f' ({names})' if names else ''}")
