"""The commands that move about in the source: go to a line, open a file."""

from __future__ import annotations

import os.path
from pathlib import Path

from tuidbg.tui.context import Context
from tuidbg.tui.dialogs.prompt import PromptDialog
from tuidbg.tui.source.jumps import JumpPlace
from tuidbg.tui.widgets.paths import PathSuggester


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


def open_path(ui: Context, text: str) -> None:
    """Open a file by a path that was typed."""
    try:
        typed = Path(text.strip()).expanduser()
    except RuntimeError:
        ui.status.show_hint(f"there is no home folder for {text.strip()}", "error")
        return
    # Not resolved: a program may be run through links, and breakpoints go by its names.
    go_to_place(ui, os.path.normpath(Path(ui.session.plan.cwd) / typed))


def go_to_place(ui: Context, path: str, line: int | None = None) -> bool:
    """Show a place of a file, and remember the one that is left; False where it can't be."""
    here = _here(ui)
    if not ui.view.open_document(path, line):
        return False
    if here is not None and here != _here(ui):
        ui.jumps.leave(here)
    ui.focus_pane("source")
    return True


def go_back(ui: Context) -> None:
    if (place := ui.jumps.back(_here(ui))) is None:
        ui.status.show_hint("there is nothing to go back to", "warning")
    elif ui.view.open_document(place.path, place.line):
        ui.focus_pane("source")


def _here(ui: Context) -> JumpPlace | None:
    document = ui.view.document
    return JumpPlace(document.key, ui.source.cursor_line) if document is not None else None


def _leave_place(ui: Context) -> None:
    if (here := _here(ui)) is not None:
        ui.jumps.leave(here)


def show_execution(ui: Context) -> None:
    if ui.view.past.moment is not None:
        ui.view.past.leave()
        return
    if ui.view.frame is None:
        ui.status.show_hint("there is no current line while the program runs", "warning")
    else:
        ui.view.select_frame(ui.view.selected)


def why_no_rules(ui: Context) -> str:
    """Tells why the person can't say which sources are passed over; empty if they can."""
    return ui.session.live_rules.why_none()


def _has_no_rules(ui: Context) -> bool:
    """Say so where the adapter alone decides which sources are passed over."""
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
