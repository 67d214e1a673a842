"""The user's selection: a thread, its stack, and one frame of it.

The session has the facts; this is the state of one front end (an agent that inspects another frame
must not move it).
"""

from __future__ import annotations

from collections.abc import Sequence

from tuidbg.recording.timeline import Moment
from tuidbg.session.model.state import Frame
from tuidbg.tui.panes.variables.variables_pane import CallIdentity


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
