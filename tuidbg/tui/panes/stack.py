"""The stack pane: the threads of the program and the frames of the one that is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from textual.message import Message

from tuidbg.session.state import Frame, ThreadState
from tuidbg.tui.rows import Row, RowsPane, visible

MORE = "more"


class StackPane(RowsPane):
    """Threads and frames. With one thread only its frames are listed."""

    EMPTY = "No stack while the program runs"

    class FrameSelected(Message):
        """A frame was chosen, by its index from the top."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class ThreadSelected(Message):
        """A thread was chosen."""

        def __init__(self, thread_id: int) -> None:
            super().__init__()
            self.thread_id = thread_id

    class MoreFramesRequested(Message):
        """The person wants the frames that were not fetched yet."""

    def show_stack(
        self,
        threads: Sequence[ThreadState],
        thread_id: int,
        frames: Sequence[Frame],
        total: int,
        selected: int,
    ) -> None:
        """Show the frames of ``thread_id``, the frame number ``selected`` marked."""
        rows: list[Row] = []
        shown = False
        for thread in threads:
            if len(threads) > 1:
                rows.append(_thread_row(thread, thread.id == thread_id))
            if thread.id == thread_id:
                shown = True
                rows += self._frame_rows(frames, total, selected, indent=int(len(threads) > 1))
        if not shown:
            rows += self._frame_rows(frames, total, selected, indent=0)
        self.set_rows(rows)

    @staticmethod
    def _frame_rows(
        frames: Sequence[Frame], total: int, selected: int, *, indent: int
    ) -> list[Row]:
        rows = [_frame_row(frame, frame.index == selected, indent) for frame in frames]
        if total > len(frames):
            more = total - len(frames)
            one = more == 1
            words = f"{more} more frame{'' if one else 's'} (Enter shows {'it' if one else 'them'})"
            rows.append(Row(key=MORE, pieces=((f"  … {words}", "faint"),), indent=indent))
        return rows

    def show_nothing(self, why: str) -> None:
        """Show why there is no stack."""
        self.set_empty(why)
        self.set_rows(())

    def action_activate(self) -> None:
        match self.cursor_key:
            case ("frame", int(index)):
                self.post_message(self.FrameSelected(index))
            case ("thread", int(thread_id)):
                self.post_message(self.ThreadSelected(thread_id))
            case "more":
                self.post_message(self.MoreFramesRequested())


def _thread_row(thread: ThreadState, current: bool) -> Row:
    mark, style = ("▾ ", "strong") if current else ("▸ ", "name")
    return Row(key=("thread", thread.id), pieces=((mark, "faint"), (visible(thread.name), style)))


def _frame_row(frame: Frame, selected: bool, indent: int) -> Row:
    mark = "▶ " if selected else "  "
    style = "faint" if frame.subtle else ("strong" if selected else "name")
    place = f"{PurePath(frame.place.path).name}:{frame.place.line}" if frame.place else "no source"
    return Row(
        key=("frame", frame.index),
        pieces=((mark, "good"), (visible(frame.name), style), ("  " + visible(place), "faint")),
        indent=indent,
    )
