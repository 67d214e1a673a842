"""The stack pane: threads, and the frames of the selected one.

Consecutive library frames are folded into one row, and so are those that the debugger omits; the
selected frame is always visible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import ClassVar

import msgspec
from textual.binding import Binding, BindingType
from textual.message import Message

from tuidbg.session.core.stack.stop_wording import ABOVE, BELOW, EARLIER, left_out, of_libraries
from tuidbg.session.model.state import Frame, Stop, ThreadState
from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, visible

MORE = "more"
FOLDED_FROM = 2
"""Number of consecutive library frames from which they are folded."""

Group = tuple[int, int]
"""Consecutive library frames: the thread, and how many frames are below them.

It stays the same while the program calls and returns above them.
"""


class ShownStack(msgspec.Struct, frozen=True):
    """The pane's contents: the frames of ``thread_id``, with number ``selected`` marked.

    ``states`` are the threads' states by id, ``libraries`` the indices of library frames,
    ``modules`` the module names where they say more than the file name. ``key`` makes the debugger
    show all libraries.
    """

    threads: Sequence[ThreadState]
    thread_id: int
    frames: Sequence[Frame]
    total: int
    selected: int
    states: dict[int, str] = {}
    libraries: frozenset[int] = frozenset()
    modules: dict[int, str] = {}
    key: str = ""
    is_past: bool = False

    def runs(self) -> Iterator[tuple[bool, list[Frame]]]:
        """Yield runs of frames: those folded into one row, and those between them."""

        def kind(frame: Frame) -> tuple[bool, bool]:
            return frame.index in self.libraries and frame.beside is None, frame.is_earlier

        for (is_foldable, _), run in groupby(self.frames, kind):
            frames = list(run)
            yield is_foldable and len(frames) >= FOLDED_FROM, frames

    def around(self, frames: Sequence[Frame]) -> Iterator[tuple[bool, list[Frame]]]:
        """Split folded frames around the selected one, which is always visible."""
        for is_selected, run in groupby(frames, lambda frame: frame.index == self.selected):
            part = list(run)
            yield not is_selected and len(part) >= FOLDED_FROM, part

    def group_of(self, frames: Sequence[Frame]) -> Group:
        """Return the key of the row of these frames."""
        return self.thread_id, self.total - frames[-1].index


class StackPane(RowsPane):
    """Threads and frames. With one thread only its frames are listed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "unfold", show=False),
        Binding("left", "fold", show=False),
        Binding("y", "copy_stack", show=False),
    ]
    EMPTY = "No stack while the program runs"

    class FrameSelected(Message):
        """A chosen frame, by its index from the top."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class ThreadSelected(Message):
        """A chosen thread."""

        def __init__(self, thread_id: int) -> None:
            super().__init__()
            self.thread_id = thread_id

    class MoreFramesRequested(Message):
        """A request for frames not fetched yet.

        With ``beside``, the id of a frame: those omitted next to it, in direction ``where``.
        """

        def __init__(self, beside: int = 0, where: str = "") -> None:
            super().__init__()
            self.beside = beside
            self.where = where

    class CopyRequested(Message):
        """A request for the stack as text."""

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
        key: str = "",
        is_past: bool = False,
    ) -> None:
        """Show the frames of ``thread_id``, with number ``selected`` marked.

        ``key`` makes the debugger show all libraries; ``is_past``: it is the stack of a recorded
        moment.
        """
        self._shown = ShownStack(
            threads,
            thread_id,
            frames,
            total,
            selected,
            {thread.id: state_of(thread, stop) for thread in threads} if stop else {},
            frozenset(frame.index for frame in frames if is_library(frame)),
            {frame.index: name for frame in frames if (name := module_of(frame))},
            key,
            is_past,
        )
        self._rebuild()

    def _rebuild(self) -> None:
        shown = self._shown
        if shown is None:
            return
        rows: list[ListRow] = []
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

    def _frame_rows(self, shown: ShownStack, *, indent: int) -> Iterator[ListRow]:
        for is_group, frames in shown.runs():
            is_open = is_group and shown.group_of(frames) in self._unfolded
            parts = [(True, frames)] if is_open else shown.around(frames) if is_group else ()
            for is_folded, part in parts or [(False, frames)]:
                yield from self._rows_of(part, shown, is_folded, indent)
        if shown.total > len(shown.frames):
            more = shown.total - len(shown.frames)
            one = more == 1
            words = f"{more} more frame{'' if one else 's'} (Enter shows {'it' if one else 'them'})"
            yield ListRow(key=MORE, pieces=((f"  … {words}", "faint"),), indent=indent)

    def _rows_of(
        self, frames: Sequence[Frame], shown: ShownStack, is_group: bool, indent: int
    ) -> Iterator[ListRow]:
        """Yield a row for the group, if it is one, and one for each unfolded frame."""
        if is_group:
            group = shown.group_of(frames)
            is_open = group in self._unfolded
            yield _group_row(group, frames, is_open, indent)
            if not is_open:
                return
        for frame in frames:
            yield from _left_out_rows(frame, (ABOVE,), shown.key, indent)
            yield _frame_row(frame, shown, indent + is_group)
            yield from _left_out_rows(frame, (BELOW, EARLIER), shown.key, indent)

    def show_nothing(self, why: str, threads: Sequence[ThreadState] = (), state: str = "") -> None:
        """Show why there is no stack, and the threads if there are several."""
        self._shown = None
        self.set_empty(why)
        listed = threads if len(threads) > 1 else ()
        self.set_rows([_thread_row(thread, False, state) for thread in listed])

    @property
    def shown_indices(self) -> list[int]:
        """Return the frames with a row of their own, from the top."""
        return [key[1] for row in self.rows if isinstance(key := row.key, tuple) and _is_frame(key)]

    @property
    def has_more(self) -> bool:
        """Return whether some frames were not fetched."""
        return self._shown is not None and self._shown.total > len(self._shown.frames)

    @property
    def key_mode(self) -> Mode:
        """The keys for the row under the cursor."""
        match self.cursor_key:
            case ("frame", _):
                hints = [Hint("enter", "show"), Hint("y", "copy")]
            case ("library", group):
                hints = [Hint("enter", "fold" if group in self._unfolded else "unfold")]
            case ("thread", _):
                hints = [Hint("enter", "show stack")]
            case "more":
                hints = [Hint("enter", "more")]
            case _:
                hints = []
        return Mode(hints=hints)

    def action_activate(self) -> None:
        match self.cursor_key:
            case ("frame", int(index)):
                self.post_message(self.FrameSelected(index))
            case ("thread", int(thread_id)) if self._shown is not None:
                self.post_message(self.ThreadSelected(thread_id))
            case ("library", (int(thread_id), int(below))):
                self._toggle((thread_id, below))
            case ("left out", int(frame_id), str(where)):
                self.post_message(self.MoreFramesRequested(frame_id, where))
            case "more":
                self.post_message(self.MoreFramesRequested())

    def _toggle(self, group: Group) -> None:
        self._unfolded ^= {group}
        self._rebuild()

    def action_unfold(self) -> None:
        """Unfold the library frames under the cursor."""
        match self.cursor_key:
            case ("library", (int(thread_id), int(below))):
                self._unfolded.add((thread_id, below))
                self._rebuild()
            case ("left out", *_):
                self.action_activate()

    def unfold(self, frame_id: int = 0, where: str = "") -> None:
        """Unfold library frames at a frame, with the cursor on their row; or all of the stack."""
        shown = self._shown
        if shown is None:
            return
        runs = list(shown.runs())
        for number, (is_group, frames) in enumerate(runs):
            if not is_group:
                continue
            group = shown.group_of(frames)
            before = [frame.id for _, each in runs[:number] for frame in each]
            after = [frame.id for _, each in runs[number + 1 :] for frame in each]
            is_meant = after[:1] == [frame_id] if where == ABOVE else before[-1:] == [frame_id]
            if is_meant or not where:
                self._unfolded.add(group)
            if is_meant and where:
                self._rebuild()
                self.move_cursor_to(("library", group))
        self._rebuild()

    def action_fold(self) -> None:
        """Fold the library frames around the cursor."""
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
        if self._shown is not None:
            self.post_message(self.CopyRequested())


def state_of(thread: ThreadState, stop: Stop) -> str:
    """Return a thread's activity at a stop, in a word or two."""
    if thread.id == stop.thread_id:
        return f"stopped: {stop.reason}"
    return "paused" if stop.all_threads_stopped else "running"


def _is_frame(key: tuple[object, ...]) -> bool:
    return key[0] == "frame"


def _thread_row(thread: ThreadState, current: bool, state: str) -> ListRow:
    mark, style = ("▾ ", "strong") if current else ("▸ ", "name")
    pieces: list[Piece] = [(mark, "faint"), (visible(thread.name), style)]
    if state:
        pieces.append((f"  {state}", "faint"))
    return ListRow(key=("thread", thread.id), pieces=tuple(pieces))


def _group_row(group: Group, frames: Sequence[Frame], is_open: bool, indent: int) -> ListRow:
    mark = "▾ " if is_open else "▸ "
    words = f"  {mark}{of_libraries(len(frames), is_earlier=frames[0].is_earlier)}"
    return ListRow(key=("library", group), pieces=((words, "faint"),), indent=indent)


def _left_out_rows(frame: Frame, places: Sequence[str], key: str, indent: int) -> Iterator[ListRow]:
    """Yield a row for each place beside a frame where the debugger omits frames."""
    for where, count, words in left_out(frame, places):
        shows = f" · {key} shows {'it' if count == 1 else 'them'}" if key else ""
        row_key = ("left out", frame.id, where)
        yield ListRow(key=row_key, pieces=((f"  ▸ {words}{shows}", "faint"),), indent=indent)


def _frame_row(frame: Frame, shown: ShownStack, indent: int) -> ListRow:
    selected = frame.index == shown.selected
    mark, mark_style = ("▷ ", "value") if selected else ("  ", "faint")
    if frame.index == 0:
        mark, mark_style = ("◀ ", "value") if shown.is_past else ("▶ ", "here")
    faint = frame.subtle or frame.is_earlier or frame.index in shown.libraries
    style = "faint" if faint else ("strong" if selected else "name")
    place = f"{PurePath(frame.place.path).name}:{frame.place.line}" if frame.place else "no source"
    pieces = [(mark, mark_style), (visible(frame.name), style), ("  " + visible(place), "faint")]
    if frame.index in shown.modules:
        pieces.append((f"  {visible(shown.modules[frame.index])}", "faint"))
    if frame.remark:
        pieces.append((f"  {visible(frame.remark, 80)}", "faint"))
    return ListRow(key=("frame", frame.index), pieces=tuple(pieces), indent=indent)
