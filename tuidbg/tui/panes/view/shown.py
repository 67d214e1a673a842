"""The screen as the view uses it, and the selection on it: thread, frame, recorded moment."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ParamSpec, Protocol

from textual.timer import Timer

from tuidbg.recording.timeline import Moment
from tuidbg.session.model.state import Frame
from tuidbg.tui.panes.breakpoints.breakpoints_pane import BreakpointsPane
from tuidbg.tui.panes.console.console_pane import ConsolePane
from tuidbg.tui.panes.screen_feature import CodeDisplay
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.panes.stack_pane import StackPane
from tuidbg.tui.panes.variables.variables_pane import CallIdentity, VariablesPane
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


class ViewFocus:
    """The selected thread and frame."""

    def __init__(self) -> None:
        self.frames: tuple[Frame, ...] = ()
        self.total_frames = 0
        self.is_whole = False
        """Whether the stack includes frames that the debugger skips."""
        self.selected = 0
        self.thread_id = 0
        self.moment: Moment | None = None
        """The selected recorded moment; None: the present."""
        self._stop_id = 0

    @property
    def frame(self) -> Frame | None:
        """The selected frame."""
        return self.frames[self.selected] if self.selected < len(self.frames) else None

    @property
    def top(self) -> Frame | None:
        """The top frame of the thread, among those where the debugger stops."""
        own = (frame for frame in self.frames if not frame.is_passed_over)
        return next(own, self.frames[0] if self.frames else None)

    def thread_at(self, stop_id: int) -> int | None:
        """Return the selected thread, if its stack belongs to that stop."""
        return self.thread_id if self._stop_id == stop_id else None

    def take_stack(
        self,
        thread_id: int,
        frames: Sequence[Frame],
        total: int,
        *,
        stop_id: int,
        is_whole: bool = False,
        moment: Moment | None = None,
    ) -> None:
        """Set the stack of a thread, at a stop or a recorded moment."""
        self.moment = moment
        self.is_whole = is_whole
        self.thread_id = thread_id
        self._stop_id = stop_id
        self.frames = tuple(frames)
        self.total_frames = total

    def take_more(self, frames: Sequence[Frame], total: int) -> None:
        """Append frames below the present ones."""
        self.frames += tuple(frames)
        self.total_frames = total

    def forget_stack(self) -> None:
        """Clear the stack: the program is running."""
        self.moment = None
        self.frames = ()

    def call_of(self, frame: Frame) -> CallIdentity:
        """Return the call of a frame of this stack, equal at the next stop.

        Recorded moments are only compared with each other: their values are incomplete.
        """
        function = f"{frame.place.path if frame.place else ''}:{frame.name}"
        if self.moment is not None:
            function = f"recorded {function}"
        passed_over = sum(each.is_passed_over for each in self.frames[frame.index :])
        return CallIdentity(function, self.thread_id, self.total_frames - frame.index - passed_over)
