"""The value of one name in the source: at the mouse, or by key at the cursor's line.

Only names and attribute chains are looked up, never a call or an item; what the variables pane has
fetched is not asked for again.
"""

from __future__ import annotations

from textual import on

from tuidbg.session.errors import DebuggerError, StaleReply
from tuidbg.session.state import EvaluateResult, Status
from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.source.names import Name
from tuidbg.tui.source.pane import SourcePane
from tuidbg.tui.widgets.rows import visible


class HoverCommands(PaneScreen, is_part=True):
    """Adds the looking up of names to the screen."""

    def command_toggle_inline_values(self) -> None:
        shown = self.view.inline_values.toggle()
        self.status.show_hint("values behind the lines: " + ("shown" if shown else "not shown"))

    @on(SourcePane.NamePointed)
    def _name_pointed(self, event: SourcePane.NamePointed) -> None:
        if self.session.status is not Status.PAUSED or self.view.frame is None:
            if event.by_key:  # there is nothing to look up, but perhaps something to type
                self.call_next(self.run_action, "screen.command('switch_input')")
        elif event.name is None:
            self.source.set_pointed(None)
            self.status.show_hint("there is no name on this line")
        else:
            self.source.set_pointed(event.line, event.name)
            self.run_in_background("hover", self._look_up, event.name)

    async def _look_up(self, name: Name) -> None:
        frame = self.view.frame
        if frame is None:
            return
        try:
            found = self.view.inline_values.known(name.expression)
            if found is None:
                evaluate = self.session.inspection.evaluate
                found = await evaluate(name.expression, frame.id, "hover")
        except StaleReply:
            return
        except DebuggerError as error:
            self.status.show_hint(f"{name.expression}: {error}", "warning")
        else:
            self.status.show_hint(describe_value(name.expression, found))


def describe_value(expression: str, found: EvaluateResult) -> str:
    """``total: int = 12``."""
    kind = f": {found.type}" if found.type else ""
    return visible(f"{expression}{kind} = {found.value}")
