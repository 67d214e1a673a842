"""The commands of the machine code: show it, follow it, step and break by instructions.

It stands in the place of the source, when the person wants it or where there is no source. While it
has the keys, steps go by instructions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tuidbg.session.session import Session
from tuidbg.session.state import Frame
from tuidbg.session.stepping import Granularity
from tuidbg.tui.frame.layout import Sizes
from tuidbg.tui.pane_screen import PaneScreen

if TYPE_CHECKING:
    from tuidbg.session.native.disassembly import Row
    from tuidbg.tui.native.code import CodePane
    from tuidbg.tui.native.code_view import CodeView

_NAME = "code"
_TARGET = re.compile(r"\$?(0x[0-9a-fA-F]+)")
_LEADS = ("call", "j", "b", "cb", "tb")
"""How the names of instructions begin that go somewhere else."""


class CodeCommands(PaneScreen, is_part=True):
    """Adds the machine code to the screen. Its pane is made when it is wanted."""

    def __init__(self, session: Session, *, sizes: Sizes | None = None) -> None:
        super().__init__(session, sizes=sizes)
        self.code: CodeView | None = None
        self._code_jumps: list[int] = []
        """Addresses that were left."""
        self._came_by_itself = False
        """It is shown because there is no source, and goes when there is one again."""

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why some commands make no sense now, besides the status of the session."""
        why = {
            "show_code": self.session.disassembly.why_not(),
            "choose_granularity": self.session.stepping.why_no_granularity(),
        }
        return {**super().reasons, **{name: reason for name, reason in why.items() if reason}}

    # Showing it

    @property
    def code_pane(self) -> CodePane | None:
        """The pane, where it is what has the keys."""
        pane = self.code.pane if self.code is not None else None
        return pane if pane is not None and self.focused is pane else None

    def ready_code(self) -> CodeView:
        """What shows the machine code, made when it is wanted."""
        if self.code is None:
            from tuidbg.tui.native.code import CodePane
            from tuidbg.tui.native.code_view import CodeView

            pane = CodePane(id=_NAME)
            self.body.add_pane(pane)
            self.code = CodeView(self.session, pane)
        return self.code

    def command_show_code(self) -> None:
        if why := self.session.disassembly.why_not():
            self.status.show_hint(f"Machine code: {why}", "warning")
        elif self.code_pane is not None:
            self.focus_pane("source")
        else:
            self._came_by_itself = False
            self._turn_to_code()
            self.set_focus(self.ready_code().pane, scroll_visible=False)

    def _turn_to_code(self) -> None:
        """The machine code in the place of the source."""
        pane = self.ready_code().pane
        had_keys = self.focused is self.source
        self.body.upper = _NAME
        self.body.reveal("source")
        if had_keys:
            self.set_focus(pane, scroll_visible=False)
        self.view.show_title()
        self.follow_code()

    def focus_pane(self, name: str) -> None:
        if name == "source":
            self._came_by_itself = False
            self.body.upper = "source"
            self.view.show_title()
        super().focus_pane(name)

    def show_code_instead(self, why: str) -> bool:
        """There is no source to show: show the machine code; False where that can't be had."""
        if self.session.disassembly.why_not():
            return False
        if not self.shows_code:
            self._came_by_itself = True
            self._turn_to_code()
            self.status.show_hint(f"{why}: this is its machine code")
        return True

    def show_source_again(self) -> None:
        """There is source again: the machine code goes where it came by itself."""
        if self._came_by_itself:
            self._came_by_itself = False
            had_keys = self.code_pane is not None
            self.body.upper = "source"
            self.view.show_title()
            if had_keys:
                self.set_focus(self.source, scroll_visible=False)

    def follow_code(self) -> None:
        """The program stands elsewhere, or another frame is looked at."""
        if self.code is not None and self.shows_code:
            view = self.view
            self.run_in_background("code", self.code.follow, view.frames, view.frame)

    def mark_code(self) -> None:
        """The breakpoints are others."""
        if self.code is not None and self.shows_code:
            self.code.show_marks()

    @property
    def code_title(self) -> tuple[str, str]:
        """What the title above it says: a label, and a hint."""
        frame = self.view.frame
        name = f" of {frame.name}" if frame is not None else ""
        way = self.key_map.tell("focus_source", "shows the source").removeprefix("; ")
        steps = "steps go by instructions" if self.code_pane is not None else ""
        return f"Code{name}", " · ".join(filter(None, (steps, way)))

    def on_descendant_focus(self) -> None:
        self._note_focus()

    def on_descendant_blur(self) -> None:
        self._note_focus()

    def _note_focus(self) -> None:
        """The title says how far a step goes now."""
        if self.shows_code:
            self.view.show_title()

    # Moving about in it

    def on_code_pane_wanting(self, event: CodePane.Wanting) -> None:
        if self.code is not None:
            self.run_in_background(f"code{event.direction}", self.code.extend, event.direction)

    def on_code_pane_chosen(self, event: CodePane.Chosen) -> None:
        """A call or a jump: where it leads. Else the source line."""
        if (target := _target_of(event.row)) is not None:
            self.run_in_background("code", self._go_to_code, hex(target))
            return
        place = getattr(event.row, "place", None)
        if place is None:
            self.status.show_hint("no line of source is known for this", "warning")
        else:
            self.go_to_place(place.path, place.line)

    def go_to_place(self, path: str, line: int | None = None) -> bool:
        """Show a place of a file; see ``source_commands.py``."""
        raise NotImplementedError

    def ask_for_code(self) -> None:
        """Ask for an address or a function, and show its code."""
        from tuidbg.tui.dialogs.prompt import PromptDialog

        def take(text: str | None) -> None:
            if text and text.strip():
                self.run_in_background("code", self._go_to_code, text)

        hint = "an address, a function, an expression"
        self.app.push_screen(PromptDialog("Code at", hint=hint), take)

    async def _go_to_code(self, text: str) -> None:
        frame: Frame | None = self.view.frame
        address = await self.session.memory.find(text, frame.id if frame is not None else None)
        if self.code is None:
            return
        here = getattr(self.code.pane.cursor_row, "address", None)
        await self.code.show(address)
        self.code.show_marks()
        if here is not None:
            self._code_jumps.append(here)

    def go_back_in_code(self) -> None:
        """Back to where the last jump was made."""
        if self._code_jumps and self.code is not None:
            self.run_in_background("code", self.code.show, self._code_jumps.pop())
        else:
            self.status.show_hint("there is nothing to go back to", "warning")

    # Breakpoints and steps

    def on_code_pane_breakpoint_toggled(self, event: CodePane.BreakpointToggled) -> None:
        self.toggle_at(event.row)

    def toggle_at(self, row: Row) -> None:
        """Set or delete the breakpoint at an instruction, or at a line of the source."""
        from tuidbg.session.native.disassembly import SourceLine

        breakpoints = self.session.breakpoints
        if isinstance(row, SourceLine):
            self.run_command(breakpoints.toggle, row.place.path, row.place.line, origin="tui")
        else:
            self.run_command(breakpoints.toggle_address, row.address, origin="tui")

    def run_to_code(self) -> None:
        """Run to the line of the source that the row under the cursor belongs to."""
        place = getattr(self.code_pane.cursor_row if self.code_pane else None, "place", None)
        if place is None:
            way = self.key_map.tell("toggle_breakpoint", "sets a breakpoint here")
            self.status.show_hint(f"no line of source is known for this{way}", "warning")
        else:
            self.run_command(self.session.execution.run_to, place.path, place.line, origin="tui")

    @property
    def step_granularity(self) -> Granularity | None:
        """How far a step goes that is asked for now; None: as usual."""
        pane = self.code_pane
        if pane is None or self.session.stepping.why_no_granularity():
            return None
        return Granularity.INSTRUCTION

    def command_choose_granularity(self) -> None:
        from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog

        stepping = self.session.stepping
        if why := stepping.why_no_granularity():
            self.status.show_hint(f"Step by: {why}", "warning")
            return
        ways = {str(each)[0]: each for each in Granularity}
        choices = [
            Choice(letter, f"{way}s", "now" if way is stepping.granularity else "")
            for letter, way in ways.items()
        ]

        def take(letter: str | None) -> None:
            if letter is not None:
                stepping.set_granularity(ways[letter])
                self.view.refresh_status()
                self.status.show_hint(f"steps go by {ways[letter]}s")

        self.app.push_screen(ChoiceDialog("Step by", choices), take)


def _target_of(row: Row) -> int | None:
    """Where an instruction leads, where that is known."""
    text = getattr(row, "text", "") if hasattr(row, "data") else ""
    name, _, operands = text.partition(" ")
    if not name.lower().startswith(_LEADS):
        return None
    found = _TARGET.fullmatch(operands.strip())
    return int(found[1], 16) if found is not None else None
