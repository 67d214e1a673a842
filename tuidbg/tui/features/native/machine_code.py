"""The disassembly of one session: when it replaces the source, and its contents.

It replaces the source on request, or if there is no source. While it has the focus, steps go by
instruction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.core.stepping import Granularity
from tuidbg.session.features.native.views import NativeViews
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import CodeDisplay, ScreenFeature

if TYPE_CHECKING:
    from tuidbg.tui.features.native.disassembly_pane import CodePane, CodeView

NAME = "code"


class MachineCode(CodeDisplay, ScreenFeature):
    """The disassembly pane, created on demand, and its visibility."""

    def __init__(self, ui: Context) -> None:
        super().__init__(ui)
        self.shown: CodeView | None = None
        self.jumps: list[int] = []
        """The jump list of addresses."""
        self._came_by_itself = False
        """It was shown for lack of source, and disappears when there is source again."""

    @property
    def pane(self) -> CodePane | None:
        """The pane, if it has the focus."""
        pane = self.shown.pane if self.shown is not None else None
        return pane if pane is not None and self._ui.focused is pane else None

    def ready(self) -> CodeView:
        """Return the controller of the disassembly, created on demand."""
        if self.shown is None:
            from tuidbg.tui.features.native.disassembly_pane import CodePane, CodeView

            pane = CodePane(id=NAME)
            self._ui.body.add_pane(pane)
            self.shown = CodeView(self._ui.session, pane)
        return self.shown

    def show(self) -> None:
        """Show and focus the disassembly on request."""
        self._came_by_itself = False
        self._turn_to_it()
        self._ui.set_focus(self.ready().pane, scroll_visible=False)

    def _turn_to_it(self) -> None:
        """Show the disassembly in place of the source."""
        ui, pane = self._ui, self.ready().pane
        had_keys = ui.focused is ui.source
        ui.body.upper = NAME
        ui.body.reveal("source")
        if had_keys:
            ui.set_focus(pane, scroll_visible=False)
        ui.view.show_title()
        self.follow()

    def give_place(self) -> None:
        """Show the source in its place on request."""
        self._came_by_itself = False
        self._ui.body.upper = "source"
        self._ui.view.show_title()

    def show_instead(self, why: str) -> bool:
        """Show the disassembly for lack of source; False if it is unavailable."""
        if NativeViews.of(self._ui.session).disassembly.why_not():
            return False
        if not self._ui.shows_code:
            self._came_by_itself = True
            self._turn_to_it()
            self._ui.status.show_hint(f"{why}: showing disassembly")
        return True

    def show_source_again(self) -> None:
        """Hide an automatically shown disassembly: there is source again."""
        if self._came_by_itself:
            had_keys = self.pane is not None
            self.give_place()
            if had_keys:
                self._ui.set_focus(self._ui.source, scroll_visible=False)

    def follow(self) -> None:
        """Follow a new stop, or another selected frame."""
        if self.shown is not None and self._ui.shows_code:
            view = self._ui.view
            self._ui.run_in_background("code", self.shown.follow, view.frames, view.frame)

    def mark(self) -> None:
        """Update the breakpoints."""
        if self.shown is not None and self._ui.shows_code:
            self.shown.show_marks()

    def extend(self, direction: int) -> None:
        """Fetch more rows for the pane, above or below."""
        if self.shown is not None:
            self._ui.run_in_background(f"code{direction}", self.shown.extend, direction)

    @property
    def title(self) -> tuple[str, str]:
        """Return its title: a label, and a hint."""
        frame = self._ui.view.frame
        name = f": {frame.name}" if frame is not None else ""
        way = self._ui.key_map.tell("focus_source", "source").removeprefix("; ")
        steps = "stepping by instruction" if self.pane is not None else ""
        return f"Disassembly{name}", " · ".join(filter(None, (steps, way)))

    def note_focus(self) -> None:
        """Update the step size in the title."""
        if self._ui.shows_code:
            self._ui.view.show_title()

    @property
    def step_granularity(self) -> Granularity | None:
        """Return the step size for steps requested now; None: the default."""
        if self.pane is None or self._ui.session.stepping.why_no_granularity():
            return None
        return Granularity.INSTRUCTION
