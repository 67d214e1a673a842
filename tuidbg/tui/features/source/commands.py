"""Source commands, and the user's editor at the cursor's line.

A terminal editor gets the screen, as the shell does at Ctrl+Z, and the file is read again
afterwards; an editor with a window of its own runs in parallel.
"""

from __future__ import annotations

import asyncio
import os
import os.path
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from textual.app import SuspendNotSupported

from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.source.jumps import JumpPlace
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
from tuidbg.tui.toolkit.widgets.input import PathSuggester

VARIABLES = ("VISUAL", "EDITOR")
FALLBACKS = ("sensible-editor", "nano", "vim", "vi", "emacs")
"""Editors to try if neither variable is set."""

_COLON = frozenset({"hx", "helix", "subl", "zed", "zeditor", "lapce"})
"""Editors that accept ``FILE:LINE``."""

_GOTO = frozenset({"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"})
_WINDOWS = frozenset(
    {
        *_GOTO,
        *("gedit", "geany", "gvim", "gnome-text-editor", "idea", "kate", "kwrite", "lapce", "mate"),
        *("mousepad", "mvim", "pycharm", "subl", "xed", "zed", "zeditor"),
    }
)
"""Editors with a window of their own, on a desktop."""

_LINE_OPTION = {"kate": "-l", "kwrite": "-l", "idea": "--line", "pycharm": "--line", "mate": "-l"}
_WAITING = frozenset({"-w", "--wait", "--nofork", "-f"})
"""Options that make the command wait for its window to close, which is not done here."""


class EditorCall(NamedTuple):
    """A command, and whether the editor has a window of its own."""

    command: list[str]
    has_window: bool


def find_editor(environment: Mapping[str, str]) -> str:
    """Return the user's editor, or an installed one; empty if there is none."""
    for name in VARIABLES:
        if chosen := environment.get(name, "").strip():
            return chosen
    path = environment.get("PATH")
    return next((name for name in FALLBACKS if shutil.which(name, path=path)), "")


def editor_call(editor: str, path: str, line: int, environment: Mapping[str, str]) -> EditorCall:
    """Return the command to open a line of a file. Raises ValueError if it can't be parsed."""
    words = shlex.split(editor)
    if not words:
        raise ValueError("it is empty")
    name = Path(words[0]).name
    has_screen = any(environment.get(key) for key in ("DISPLAY", "WAYLAND_DISPLAY"))
    if name == "emacs":
        in_terminal = not has_screen or not {"-nw", "--no-window-system"}.isdisjoint(words)
        return EditorCall([*words, f"+{line}", path], not in_terminal)
    if name == "emacsclient":
        in_terminal = not {"-t", "-nw", "--tty"}.isdisjoint(words)
        return EditorCall([*words, f"+{line}", path], not in_terminal)
    has_window = name in _WINDOWS
    if has_window:
        words = [words[0], *(word for word in words[1:] if word not in _WAITING)]
    return EditorCall([*words, *_place(name, path, line)], has_window)


def _place(name: str, path: str, line: int) -> list[str]:
    if name in _COLON:
        return [f"{path}:{line}"]
    if name in _GOTO:
        return ["--goto", f"{path}:{line}"]
    if name in _LINE_OPTION:
        return [_LINE_OPTION[name], str(line), path]
    return [f"+{line}", path]  # vi, vim, nvim, nano, micro, kak, joe, gedit, and most others


Handler = Callable[[int, FrameType | None], None]


@contextmanager
def terminal_left_to_child() -> Iterator[None]:
    """Leave the terminal's signals to the program that has it.

    Ctrl+C there is not for tuidbg, and Ctrl+Z stops both, as the shell expects. Signals that end
    tuidbg are handled once the program has ended: the screen could not be restored before.
    """
    late: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        late.append(number)

    def ignore(number: int, frame: FrameType | None) -> None:
        pass

    wanted: dict[int, Handler | signal.Handlers] = {
        signal.SIGINT: ignore,
        signal.SIGTERM: remember,
        signal.SIGHUP: remember,
        signal.SIGTSTP: signal.SIG_DFL,
    }
    wakeup = signal.set_wakeup_fd(-1)  # through which the loop receives signals
    before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup)
        for number in late:
            os.kill(os.getpid(), number)


def run_here(command: Sequence[str]) -> str:
    """Run a command in this terminal until it ends; return the error, or empty."""
    try:
        with terminal_left_to_child():
            subprocess.run(command, check=False)
    except OSError as error:
        return f"{command[0]} can't be run: {error.strerror or error}"
    return ""


def run_beside(command: Sequence[str]) -> str:
    """Run a command in a window that outlives tuidbg; return the error, or empty."""
    null = subprocess.DEVNULL
    try:
        window = subprocess.Popen(
            command, stdin=null, stdout=null, stderr=null, start_new_session=True
        )
    except OSError as error:
        return f"{command[0]} can't be run: {error.strerror or error}"
    threading.Thread(target=window.wait, daemon=True).start()  # reaps it
    return ""


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


def open_path(ui: Context, text: str) -> None:
    """Open a file by a typed path."""
    try:
        typed = Path(text.strip()).expanduser()
    except RuntimeError:
        ui.status.show_hint(f"there is no home folder for {text.strip()}", "error")
        return
    # Not resolved: a program may run through symbolic links, and breakpoints use its file names.
    go_to_place(ui, os.path.normpath(Path(ui.session.plan.cwd) / typed))


def go_to_place(ui: Context, path: str, line: int | None = None) -> bool:
    """Show a place of a file, and add the present one to the jump list; False on failure."""
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
