"""The machine code of one session: when it stands in the place of the source, and what it shows.

It stands there when the person wants it or where there is no source. While it has the keys, steps
go by instructions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.stepping import Granularity
from tuidbg.tui.surface import Surface

if TYPE_CHECKING:
    from tuidbg.tui.native.disassembly_pane import CodePane, CodeView

NAME = "code"


class MachineCode:
    """Its pane, which is made when it is wanted, and when that is shown."""

    def __init__(self, ui: Surface) -> None:
        self._ui = ui
        self.shown: CodeView | None = None
        self.jumps: list[int] = []
        """Addresses that were left."""
        self._came_by_itself = False
        """It is shown because there is no source, and goes when there is one again."""

    @property
    def pane(self) -> CodePane | None:
        """The pane, where it is what has the keys."""
        pane = self.shown.pane if self.shown is not None else None
        return pane if pane is not None and self._ui.focused is pane else None

    def ready(self) -> CodeView:
        """The view that shows the machine code, made when it is wanted."""
        if self.shown is None:
            from tuidbg.tui.native.disassembly_pane import CodePane, CodeView

            pane = CodePane(id=NAME)
            self._ui.body.add_pane(pane)
            self.shown = CodeView(self._ui.session, pane)
        return self.shown

    def show(self) -> None:
        """Show it because the person wants it, and give it the keys."""
        self._came_by_itself = False
        self._turn_to_it()
        self._ui.set_focus(self.ready().pane, scroll_visible=False)

    def _turn_to_it(self) -> None:
        """The machine code in the place of the source."""
        ui, pane = self._ui, self.ready().pane
        had_keys = ui.focused is ui.source
        ui.body.upper = NAME
        ui.body.reveal("source")
        if had_keys:
            ui.set_focus(pane, scroll_visible=False)
        ui.view.show_title()
        self.follow()

    def give_place(self) -> None:
        """The person wants the source in its place."""
        self._came_by_itself = False
        self._ui.body.upper = "source"
        self._ui.view.show_title()

    def show_instead(self, why: str) -> bool:
        """There is no source to show: show the machine code; False where that can't be had."""
        if self._ui.session.native.disassembly.why_not():
            return False
        if not self._ui.shows_code:
            self._came_by_itself = True
            self._turn_to_it()
            self._ui.status.show_hint(f"{why}: this is its machine code")
        return True

    def show_source_again(self) -> None:
        """There is source again: the machine code goes where it came by itself."""
        if self._came_by_itself:
            had_keys = self.pane is not None
            self.give_place()
            if had_keys:
                self._ui.set_focus(self._ui.source, scroll_visible=False)

    def follow(self) -> None:
        """The program stands elsewhere, or another frame is looked at."""
        if self.shown is not None and self._ui.shows_code:
            view = self._ui.view
            self._ui.run_in_background("code", self.shown.follow, view.frames, view.frame)

    def mark(self) -> None:
        """The breakpoints are others."""
        if self.shown is not None and self._ui.shows_code:
            self.shown.show_marks()

    def extend(self, direction: int) -> None:
        """The pane wants more of it, above or below."""
        if self.shown is not None:
            self._ui.run_in_background(f"code{direction}", self.shown.extend, direction)

    @property
    def title(self) -> tuple[str, str]:
        """The title above it: a label, and a hint."""
        frame = self._ui.view.frame
        name = f" of {frame.name}" if frame is not None else ""
        way = self._ui.key_map.tell("focus_source", "shows the source").removeprefix("; ")
        steps = "steps go by instructions" if self.pane is not None else ""
        return f"Code{name}", " · ".join(filter(None, (steps, way)))

    def note_focus(self) -> None:
        """The title says how far a step goes now."""
        if self._ui.shows_code:
            self._ui.view.show_title()

    @property
    def step_granularity(self) -> Granularity | None:
        """Returns how far a step goes that is asked for now; None: as usual."""
        if self.pane is None or self._ui.session.stepping.why_no_granularity():
            return None
        return Granularity.INSTRUCTION
