"""The commands that move about in the source: search, go to a line, open a file."""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on

from tuidbg.session.session import Session
from tuidbg.tui.dialogs.prompt import PromptDialog
from tuidbg.tui.frame.layout import Sizes
from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.source.jumps import JumpPlace, Jumps
from tuidbg.tui.source.pane import SourcePane
from tuidbg.tui.widgets.paths import PathSuggester

if TYPE_CHECKING:
    from tuidbg.config.stores.layout_store import SavedLayout


class SourceCommands(PaneScreen, is_part=True):
    """Adds the source's commands to the screen."""

    _search_text = ""

    def __init__(self, session: Session, *, sizes: Sizes | None = None) -> None:
        super().__init__(session, sizes=sizes)
        self.jumps = Jumps()
        self._saved: SavedLayout | None = None

    def look_as_before(self, saved: SavedLayout) -> None:
        """The screen is to look as it was left; before it is shown."""
        from tuidbg.tui.frame.layout_memory import put_layout

        self._saved = saved
        put_layout(self, saved)

    def show_first_document(self) -> None:
        """Show the program before it runs, or where the person was, unless it stops at once."""
        plan, saved = self.session.plan, self._saved
        is_same = saved is not None and saved.target == plan.target
        left = saved.source if saved is not None and is_same and not plan.stop_on_entry else ""
        first = left if left and Path(left).is_file() else plan.first_source
        if first:
            self.view.open_document(first)
        if self.body.maximised not in (None, "source"):
            self.focus_pane(str(self.body.maximised))

    def command_search(self) -> None:
        start = self.source.cursor_line

        def search(text: str) -> str:
            self._search_text = text
            return self._describe_match(text, self.source.find(text, start=start))

        def search_next(text: str) -> str:
            return self._describe_match(text, self.source.find(text))

        hint = "Enter: next · Esc: leave"
        self.app.push_screen(PromptDialog("/", hint=hint, on_change=search, on_submit=search_next))

    def search_for(self, text: str) -> None:
        """Search in the source for a text, from the cursor on."""
        self._search_text = text
        self._search_again(backwards=False)

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
            way_out = self.key_map.tell("search", "searches")
            self.status.show_hint(f"nothing has been searched yet{way_out}", "warning")
        elif self.source.find(text, backwards=backwards) is None:
            self.status.show_hint(f"{text!r} was not found", "warning")

    def command_go_to_line(self) -> None:
        def check(text: str) -> str:
            return "" if not text or text.strip().isdecimal() else "a number, please"

        def take(text: str | None) -> None:
            if text and text.strip().isdecimal():
                self._leave_place()
                self.source.move_cursor(int(text))
                self.source.focus()

        self.app.push_screen(PromptDialog("Line", on_change=check, on_submit=check), take)

    def command_open_file(self) -> None:
        def take(text: str | None) -> None:
            if text and text.strip():
                self.open_path(text)

        suggester = PathSuggester(self.session.plan.cwd)
        hint = "→ takes the suggestion"
        self.app.push_screen(PromptDialog("Open", hint=hint, suggester=suggester), take)

    def open_path(self, text: str) -> None:
        """Open a file by a path that was typed."""
        try:
            typed = Path(text.strip()).expanduser()
        except RuntimeError:
            self.status.show_hint(f"there is no home folder for {text.strip()}", "error")
            return
        # Not resolved: a program may be run through links, and breakpoints go by its names.
        self.go_to_place(os.path.normpath(Path(self.session.plan.cwd) / typed))

    def go_to_place(self, path: str, line: int | None = None) -> bool:
        """Show a place of a file, and remember the one that is left; False where it can't be."""
        here = self._here()
        if not self.view.open_document(path, line):
            return False
        if here is not None and here != self._here():
            self.jumps.leave(here)
        self.focus_pane("source")
        return True

    def command_go_back(self) -> None:
        if (place := self.jumps.back(self._here())) is None:
            self.status.show_hint("there is nothing to go back to", "warning")
        elif self.view.open_document(place.path, place.line):
            self.focus_pane("source")

    def _here(self) -> JumpPlace | None:
        document = self.view.document
        return JumpPlace(document.key, self.source.cursor_line) if document is not None else None

    def _leave_place(self) -> None:
        if (here := self._here()) is not None:
            self.jumps.leave(here)

    def command_show_execution(self) -> None:
        if self.view.frame is None:
            self.status.show_hint("there is no current line while the program runs", "warning")
        else:
            self.view.select_frame(self.view.selected)

    @on(SourcePane.CursorMoved)
    def _cursor_moved(self) -> None:
        self.view.show_title()

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why some commands make no sense now, besides the status of the session."""
        why = self.session.live_rules.why_none()
        names = ("toggle_just_my_code", "include_library")
        return {**super().reasons, **(dict.fromkeys(names, why) if why else {})}

    def _has_no_rules(self) -> bool:
        """Say so where the adapter alone decides which sources are passed over."""
        if why := self.session.live_rules.why_none():
            self.status.show_hint(why, "warning")
        return bool(why)

    def command_toggle_just_my_code(self) -> None:
        if self._has_no_rules():
            return
        sources = self.session.sources
        sources.just_my_code = not sources.just_my_code
        self.run_command(self._apply_sources)

    def command_include_library(self) -> None:
        if self._has_no_rules():
            return
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
        await self.session.live_rules.apply(origin="tui")
        self.view.show_title()
        passed = "passes over libraries" if self.session.sources.just_my_code else "goes everywhere"
        rules = self.session.sources.rules
        names = ", ".join(f"{r.module or r.path} {'in' if r.include else 'out'}" for r in rules)
        self.status.show_hint(f"the debugger {passed}{f' ({names})' if names else ''}")
