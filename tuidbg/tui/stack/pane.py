"""The stack pane: the threads of the program and the frames of the one that is looked at.

Frames of libraries that follow on each other are one row until they are unfolded; the frame that is
looked at is always shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import ClassVar

import msgspec
from textual.binding import Binding, BindingType
from textual.message import Message

from tuidbg.session.state import Frame, Stop, ThreadState
from tuidbg.tui.widgets.rows import Piece, Row, RowsPane, visible

MORE = "more"
FOLDED_FROM = 2
"""Library frames in a row from which on they are folded."""

Group = tuple[int, int]
"""Frames of libraries that follow on each other: the thread, and how many frames are below them.

It stays the same while the program calls and returns above them.
"""


class ShownStack(msgspec.Struct, frozen=True):
    """Holds what the pane shows: the frames of ``thread_id``, the number ``selected`` marked.

    ``states`` are the threads' states by their ids, ``libraries`` the indices of the frames that
    are a library's, ``modules`` the names of the frames' modules where they say more than the file.
    """

    threads: Sequence[ThreadState]
    thread_id: int
    frames: Sequence[Frame]
    total: int
    selected: int
    states: dict[int, str] = {}
    libraries: frozenset[int] = frozenset()
    modules: dict[int, str] = {}


class StackPane(RowsPane):
    """Threads and frames. With one thread only its frames are listed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "unfold", show=False),
        Binding("left", "fold", show=False),
        Binding("y", "copy_stack", show=False),
    ]
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

    class CopyRequested(Message):
        """The person wants the stack as text."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: ShownStack | None = None
        self._unfolded: set[Group] = set()

    def show_stack(
        self,
        threads: Sequence[ThreadState],
        thread_id: int,
        frames: Sequence[Frame],
        total: int,
        selected: int,
        *,
        stop: Stop | None = None,
        is_library: Callable[[Frame], bool] = lambda frame: frame.subtle,
        module_of: Callable[[Frame], str] = lambda frame: "",
    ) -> None:
        """Show the frames of ``thread_id``, the frame number ``selected`` marked."""
        self._shown = ShownStack(
            threads,
            thread_id,
            frames,
            total,
            selected,
            {thread.id: state_of(thread, stop) for thread in threads} if stop else {},
            frozenset(frame.index for frame in frames if is_library(frame)),
            {frame.index: name for frame in frames if (name := module_of(frame))},
        )
        self._rebuild()

    def _rebuild(self) -> None:
        shown = self._shown
        if shown is None:
            return
        rows: list[Row] = []
        is_listed = False
        for thread in shown.threads:
            is_current = thread.id == shown.thread_id
            if len(shown.threads) > 1:
                rows.append(_thread_row(thread, is_current, shown.states.get(thread.id, "")))
            if is_current:
                is_listed = True
                rows += self._frame_rows(shown, indent=int(len(shown.threads) > 1))
        if not is_listed:
            rows += self._frame_rows(shown, indent=0)
        self.set_rows(rows)

    def _frame_rows(self, shown: ShownStack, *, indent: int) -> Iterator[Row]:
        def is_foldable(frame: Frame) -> bool:
            return frame.index in shown.libraries and frame.index != shown.selected

        for foldable, run in groupby(shown.frames, is_foldable):
            frames = list(run)
            is_group = foldable and len(frames) >= FOLDED_FROM
            if is_group:
                group = (shown.thread_id, shown.total - frames[-1].index)
                is_open = group in self._unfolded
                yield _group_row(group, len(frames), is_open, indent)
                if not is_open:
                    continue
            for frame in frames:
                yield _frame_row(frame, shown, indent + is_group)
        if shown.total > len(shown.frames):
            more = shown.total - len(shown.frames)
            one = more == 1
            words = f"{more} more frame{'' if one else 's'} (Enter shows {'it' if one else 'them'})"
            yield Row(key=MORE, pieces=((f"  … {words}", "faint"),), indent=indent)

    def show_nothing(self, why: str, threads: Sequence[ThreadState] = (), state: str = "") -> None:
        """Show why there is no stack, and the threads if there are several."""
        self._shown = None
        self.set_empty(why)
        listed = threads if len(threads) > 1 else ()
        self.set_rows([_thread_row(thread, False, state) for thread in listed])

    @property
    def shown_indices(self) -> list[int]:
        """The frames that have a row of their own, from the top."""
        return [key[1] for row in self.rows if isinstance(key := row.key, tuple) and _is_frame(key)]

    @property
    def has_more(self) -> bool:
        """Tells whether there are frames that were not fetched."""
        return self._shown is not None and self._shown.total > len(self._shown.frames)

    def action_activate(self) -> None:
        match self.cursor_key:
            case ("frame", int(index)):
                self.post_message(self.FrameSelected(index))
            case ("thread", int(thread_id)) if self._shown is not None:
                self.post_message(self.ThreadSelected(thread_id))
            case ("library", (int(thread_id), int(below))):
                self._toggle((thread_id, below))
            case "more":
                self.post_message(self.MoreFramesRequested())

    def _toggle(self, group: Group) -> None:
        self._unfolded ^= {group}
        self._rebuild()

    def action_unfold(self) -> None:
        """Show the library's frames under the cursor."""
        match self.cursor_key:
            case ("library", (int(thread_id), int(below))):
                self._unfolded.add((thread_id, below))
                self._rebuild()

    def action_fold(self) -> None:
        """Make one row of them again, from wherever the cursor is among them."""
        for index in range(min(self.cursor, len(self.rows) - 1), -1, -1):
            match self.rows[index].key:
                case ("library", (int(), int()) as group):
                    if group in self._unfolded:
                        self.cursor = index
                        self._toggle(group)
                    return
                case ("frame", int(number)) if self._is_in_library(number):
                    continue
            return

    def _is_in_library(self, index: int) -> bool:
        return self._shown is not None and index in self._shown.libraries

    def action_copy_stack(self) -> None:
        """Ask for the stack as text."""
        if self._shown is not None:
            self.post_message(self.CopyRequested())


def state_of(thread: ThreadState, stop: Stop) -> str:
    """Returns what a thread does at a stop, in a word or two."""
    if thread.id == stop.thread_id:
        return f"stopped: {stop.reason}"
    return "paused" if stop.all_threads_stopped else "running"


def _is_frame(key: tuple[object, ...]) -> bool:
    return key[0] == "frame"


def _thread_row(thread: ThreadState, current: bool, state: str) -> Row:
    mark, style = ("▾ ", "strong") if current else ("▸ ", "name")
    pieces: list[Piece] = [(mark, "faint"), (visible(thread.name), style)]
    if state:
        pieces.append((f"  {state}", "faint"))
    return Row(key=("thread", thread.id), pieces=tuple(pieces))


def _group_row(group: Group, count: int, is_open: bool, indent: int) -> Row:
    mark = "▾ " if is_open else "▸ "
    return Row(
        key=("library", group),
        pieces=((f"  {mark}{count} library frames", "faint"),),
        indent=indent,
    )


def _frame_row(frame: Frame, shown: ShownStack, indent: int) -> Row:
    selected = frame.index == shown.selected
    mark = "▶ " if selected else "  "
    faint = frame.subtle or frame.is_earlier or frame.index in shown.libraries
    style = "faint" if faint else ("strong" if selected else "name")
    place = f"{PurePath(frame.place.path).name}:{frame.place.line}" if frame.place else "no source"
    pieces = [(mark, "good"), (visible(frame.name), style), ("  " + visible(place), "faint")]
    if frame.index in shown.modules:
        pieces.append((f"  {visible(shown.modules[frame.index])}", "faint"))
    if frame.remark:
        pieces.append((f"  {visible(frame.remark, 80)}", "faint"))
    return Row(key=("frame", frame.index), pieces=tuple(pieces), indent=indent)
