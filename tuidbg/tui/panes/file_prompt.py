"""A prompt for an output file, which asks before overwriting."""

from __future__ import annotations

import os.path
from collections.abc import Callable
from pathlib import Path

from tuidbg.tui.panes.context import Surface


def ask_for_file(
    ui: Surface,
    title: str,
    *,
    hint: str,
    default: str,
    find_problem: Callable[[Path], str],
    write: Callable[[Path], None],
) -> None:
    """Ask for a file; ``write`` gets one accepted by ``find_problem``.

    Names are relative to the program's working directory. An existing file needs a second Enter.
    """
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
    from tuidbg.tui.toolkit.widgets.input import PathSuggester

    cwd, warned = ui.session.plan.cwd, ""

    def path_of(text: str) -> Path:
        typed = os.path.expanduser(text.strip())  # noqa: PTH111
        return Path(os.path.normpath(Path(cwd) / typed))

    def check(text: str) -> str:
        nonlocal warned
        path = path_of(text)
        if problem := find_problem(path):
            return problem
        if path.exists() and warned != text:
            warned = text
            return "it exists; Enter again writes over it"
        return ""

    def take(text: str | None) -> None:
        if text is not None:
            write(path_of(text))

    suggester = PathSuggester(cwd)
    ui.app.push_screen(
        PromptDialog(title, hint=hint, value=default, suggester=suggester, on_submit=check), take
    )
