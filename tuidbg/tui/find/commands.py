"""The command that finds a text in the project's files; its dialog is imported when wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.config.project import project_of
from tuidbg.tui.source.commands import SourceCommands

if TYPE_CHECKING:
    from tuidbg.session.sources.file_search import Match


class FindCommands(SourceCommands, is_part=True):
    """Adds the search in files to the screen."""

    _find_text = ""

    def command_find_in_files(self) -> None:
        self.find_in_files(self._find_text)

    def find_in_files(self, text: str) -> None:
        """Open the search, with that text to begin with."""
        from tuidbg.tui.find.dialog import FindDialog

        def note(typed: str) -> None:
            self._find_text = typed

        def take(match: Match | None) -> None:
            if match is not None:
                self.go_to_place(match.path, match.line)

        plan = self.session.plan
        folder = project_of(plan)
        self.app.push_screen(FindDialog(folder, value=text, note=note), take)
