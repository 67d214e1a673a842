"""The screen as the view takes it: its panes, and work that is done beside the keys."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ParamSpec, Protocol

from textual.timer import Timer

from tuidbg.tui.breakpoints.pane import BreakpointsPane
from tuidbg.tui.console.pane import ConsolePane
from tuidbg.tui.frame.key_bar import KeyBar, StatusLine
from tuidbg.tui.frame.titles import PaneTitle
from tuidbg.tui.keys.key_map import KeyMap
from tuidbg.tui.source.pane import SourcePane
from tuidbg.tui.stack.pane import StackPane
from tuidbg.tui.variables.pane import VariablesPane
from tuidbg.tui.widgets.rows import Piece

P = ParamSpec("P")


class Shown(Protocol):
    """The screen as the view needs it: its widgets, and work done beside the keys."""

    source: SourcePane
    variables: VariablesPane
    stack: StackPane
    breakpoints: BreakpointsPane
    console: ConsolePane
    status: StatusLine
    keys: KeyBar
    source_title: PaneTitle
    key_map: KeyMap

    @property
    def common_pieces(self) -> Sequence[Piece]:
        """The words of the status line about those who share the session."""

    def run_in_background(
        self,
        group: str,
        work: Callable[P, Coroutine[Any, Any, None]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Run it; a newer one of the same group takes its place."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Textual's."""

    def show_muted(self, muted: bool) -> None:
        """Say that no breakpoint stops, or take it back."""

    def show_count(self, pane: str, count: int) -> None:
        """Say at a pane's title how much is in it."""

    def note_trace(self) -> None:
        """There are new records in the session's trace."""

    def note_processes(self) -> None:
        """The program has started another process."""

    @property
    def shows_code(self) -> bool:
        """True where machine code stands in the place of the source."""

    @property
    def code_title(self) -> tuple[str, str]:
        """The words of the title above machine code: a label, and a hint."""

    def show_code_instead(self, why: str) -> bool:
        """There is no source to show: show machine code; False where that can't be had."""

    def show_source_again(self) -> None:
        """There is source again."""

    def mark_code(self) -> None:
        """The breakpoints are others."""

    def follow_native(self) -> None:
        """The program stands elsewhere, or something in it was set: memory and machine code."""
