"""The screen as the view uses it: its panes, and background work."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ParamSpec, Protocol

from textual.timer import Timer

from tuidbg.tui.panes.breakpoints.breakpoints_pane import BreakpointsPane
from tuidbg.tui.panes.console.console_pane import ConsolePane
from tuidbg.tui.panes.screen_feature import CodeDisplay
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.panes.stack.stack_pane import StackPane
from tuidbg.tui.panes.variables.variables_pane import VariablesPane
from tuidbg.tui.toolkit.keys.key_map import KeyMap
from tuidbg.tui.toolkit.widgets.key_bar import KeyBar, StatusLine
from tuidbg.tui.toolkit.widgets.pane_titles import PaneTitle
from tuidbg.tui.toolkit.widgets.rows import Piece

P = ParamSpec("P")


class PaneHost(Protocol):
    """The screen's widgets and background work."""

    source: SourcePane
    variables: VariablesPane
    stack: StackPane
    breakpoints: BreakpointsPane
    console: ConsolePane
    status: StatusLine
    keys: KeyBar
    source_title: PaneTitle
    key_map: KeyMap
    code: CodeDisplay

    @property
    def common_pieces(self) -> Sequence[Piece]:
        """Return status line pieces about the clients sharing the session."""

    def run_in_background(
        self,
        group: str,
        work: Callable[P, Coroutine[Any, Any, None]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Run background work; newer work of its group cancels it."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Textual's."""

    def show_muted(self, muted: bool) -> None:
        """Show whether breakpoints are muted."""

    def show_count(self, pane: str, count: int) -> None:
        """Show the number of items in a pane's title."""

    def note_trace(self) -> None:
        """Note new records in the session's trace."""

    def note_problem(self) -> None:
        """Note a message in the console that needs attention."""

    def note_processes(self) -> None:
        """Note that the program has started a child process."""

    @property
    def shows_code(self) -> bool:
        """Whether the disassembly is in the place of the source."""

    def note_state(self) -> None:
        """Note a stop, or a value that was set."""
