"""The command that finds a text in the project's files; its dialog is imported when wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.config.project import project_of
from tuidbg.tui.context import Context
from tuidbg.tui.source.commands import go_to_place

if TYPE_CHECKING:
    from tuidbg.session.sources.files import Match


def find_again(ui: Context) -> None:
    """Find a text in the project's files; to begin with, the one that was looked for last."""
    find_in_files(ui, ui.searched.files)


def find_in_files(ui: Context, text: str) -> None:
    """Open the search, with that text to begin with."""
    from tuidbg.tui.find.dialog import FindDialog

    def note(typed: str) -> None:
        ui.searched.files = typed

    def take(match: Match | None) -> None:
        if match is not None:
            go_to_place(ui, match.path, match.line)

    plan = ui.session.plan
    folder = project_of(plan)
    ui.app.push_screen(FindDialog(folder, value=text, note=note), take)
