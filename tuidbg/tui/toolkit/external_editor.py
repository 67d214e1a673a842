"""The user's editor: which one, and its command for a line of a file."""

from __future__ import annotations

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
