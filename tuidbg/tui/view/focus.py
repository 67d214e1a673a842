"""Tells where a person looks: a thread, its stack, and one frame of it.

The session knows what is true; this is one front end's own (an agent that inspects another frame
must not move it).
"""

from __future__ import annotations

from collections.abc import Sequence

from tuidbg.recording.timeline import Moment
from tuidbg.session.state import Frame
from tuidbg.tui.variables.pane import Call


class Focus:
    """The thread and the frame that are looked at."""

    def __init__(self) -> None:
        self.frames: tuple[Frame, ...] = ()
        self.total_frames = 0
        self.is_whole = False
        """True where those frames are among them that the debugger passes over."""
        self.selected = 0
        self.thread_id = 0
        self.moment: Moment | None = None
        """The recorded moment that is looked at; None: the present."""
        self._stop_id = 0

    @property
    def frame(self) -> Frame | None:
        """The frame that is looked at."""
        return self.frames[self.selected] if self.selected < len(self.frames) else None

    @property
    def top(self) -> Frame | None:
        """The frame in which the thread stands, as far as the debugger stops there."""
        own = (frame for frame in self.frames if not frame.is_passed_over)
        return next(own, self.frames[0] if self.frames else None)

    def thread_at(self, stop_id: int) -> int | None:
        """The thread that is looked at, where its stack is one of that stop."""
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
        """Look at the stack of that thread, as it is at that stop, or was at that moment."""
        self.moment = moment
        self.is_whole = is_whole
        self.thread_id = thread_id
        self._stop_id = stop_id
        self.frames = tuple(frames)
        self.total_frames = total

    def take_more(self, frames: Sequence[Frame], total: int) -> None:
        """The frames below those that are there already."""
        self.frames += tuple(frames)
        self.total_frames = total

    def forget_stack(self) -> None:
        """The program does not stand still any more."""
        self.moment = None
        self.frames = ()

    def call_of(self, frame: Frame) -> Call:
        """The call that a frame of this stack belongs to, the same one at the next stop.

        What was recorded is compared with what was recorded: less is known of it.
        """
        function = f"{frame.place.path if frame.place else ''}:{frame.name}"
        if self.moment is not None:
            function = f"recorded {function}"
        passed_over = sum(each.is_passed_over for each in self.frames[frame.index :])
        return Call(function, self.thread_id, self.total_frames - frame.index - passed_over)
