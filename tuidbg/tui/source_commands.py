"""The commands that move about in the source: search, go to a line, open a file."""

from __future__ import annotations

import os.path
from pathlib import Path

from textual import on

from tuidbg.tui.dialogs.prompt import PromptDialog
from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.panes.source import SourcePane
from tuidbg.tui.paths import PathSuggester


class SourceCommands(PaneScreen):
    """Adds the source's commands to the screen."""

    _search_text = ""

    def command_search(self) -> None:
        start = self.source.cursor_line

        def search(text: str) -> str:
            self._search_text = text
            return self._describe_match(text, self.source.find(text, start=start))

        def search_next(text: str) -> str:
            return self._describe_match(text, self.source.find(text))

        hint = "Enter: next · Esc: leave"
        self.app.push_screen(PromptDialog("/", hint=hint, on_change=search, on_submit=search_next))

    @staticmethod
    def _describe_match(text: str, line: int | None) -> str:
        if not text:
            return ""
        return f"line {line}" if line is not None else "not found"

    def command_search_next(self) -> None:
        self._search_again(backwards=False)

    def command_search_previous(self) -> None:
        self._search_again(backwards=True)

    def _search_again(self, *, backwards: bool) -> None:
        text = self._search_text
        if not text:
            self.status.show_hint("nothing has been searched yet; / searches", "warning")
        elif self.source.find(text, backwards=backwards) is None:
            self.status.show_hint(f"{text!r} was not found", "warning")

    def command_go_to_line(self) -> None:
        def check(text: str) -> str:
            return "" if not text or text.strip().isdecimal() else "a number, please"

        def take(text: str | None) -> None:
            if text and text.strip().isdecimal():
                self.source.move_cursor(int(text))
                self.source.focus()

        self.app.push_screen(PromptDialog("Line", on_change=check, on_submit=check), take)

    def command_open_file(self) -> None:
        def take(text: str | None) -> None:
            if not text or not text.strip():
                return
            try:
                typed = Path(text.strip()).expanduser()
            except RuntimeError:
                self.status.show_hint(f"there is no home folder for {text.strip()}", "error")
                return
            # Not resolved: a program may be run through links, and breakpoints go by its names.
            if self.view.open_document(os.path.normpath(Path(self.session.plan.cwd) / typed)):
                self.focus_pane("source")

        suggester = PathSuggester(self.session.plan.cwd)
        hint = "→ takes the suggestion"
        self.app.push_screen(PromptDialog("Open", hint=hint, suggester=suggester), take)

    def command_show_execution(self) -> None:
        if self.view.frame is None:
            self.status.show_hint("there is no current line while the program runs", "warning")
        else:
            self.view.select_frame(self.view.selected)

    @on(SourcePane.CursorMoved)
    def _cursor_moved(self) -> None:
        self.view.show_title()

    def command_toggle_just_my_code(self) -> None:
        sources = self.session.sources
        sources.just_my_code = not sources.just_my_code
        self.run_command(self._apply_sources)

    def command_include_library(self) -> None:
        document, sources = self.view.document, self.session.sources
        module = sources.module_of(document.key).partition(".")[0] if document is not None else ""
        if not module or document is None or not sources.is_library(document.key):
            self.status.show_hint("this is no library; it is never passed over", "warning")
            return
        if sources.is_hidden(document.key):
            sources.forget(module=module)
            if sources.is_hidden(document.key):
                sources.include(module=module)
        else:
            sources.forget(module=module)
            if not sources.is_hidden(document.key):
                sources.exclude(module=module)
        self.run_command(self._apply_sources)

    async def _apply_sources(self) -> None:
        await self.session.apply_sources()
        self.view.show_title()
        passed = "passes over libraries" if self.session.sources.just_my_code else "goes everywhere"
        rules = self.session.sources.rules
        names = ", ".join(f"{r.module or r.path} {'in' if r.include else 'out'}" for r in rules)
        self.status.show_hint(f"the debugger {passed}{f' ({names})' if names else ''}")
