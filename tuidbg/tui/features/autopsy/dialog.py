"""The exception autopsy: the exceptions, their causes, their frames and variables.

The list of exceptions and frames is above, details of the selected one below. The source pane
behind follows the cursor. Consecutive library frames are folded into one row.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import ClassVar, NamedTuple

from rich.cells import chop_cells
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from tuidbg.lines import first_words, split_lines
from tuidbg.session.features.autopsy import (
    AutopsyFrame,
    AutopsyLine,
    AutopsyReport,
    AutopsyVariable,
    ExceptionPart,
)
from tuidbg.session.model.errors import DebuggerError
from tuidbg.tui.toolkit.dialogs.box import FollowedPane
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.keys.key_reader import CLOSES, Hint, Mode
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, visible

LINKS = {
    "cause": "direct cause: ",
    "context": "while handling: ",
    "member": "",
}
"""How an exception led to the one above it."""

MESSAGE_LINES = 200
"""Maximum lines of a message in the details."""


def parts_of(part: ExceptionPart, depth: int) -> Iterator[tuple[int, ExceptionPart]]:
    """Yield an exception with its depth, then its group, then its causes."""
    yield depth, part
    for member in part.members:
        yield from parts_of(member, depth + 1)
    for earlier in part.inner:
        yield from parts_of(earlier, depth)  # a sibling of the exception, not a child


def part_rows(
    number: int, depth: int, part: ExceptionPart, interpreter: tuple[str, str]
) -> Iterator[ListRow]:
    """Yield the rows of an exception and its remarks. ``interpreter``: the program's, and why."""
    first_line = first_words(part.message)
    mark = "✗ " if not part.link else "│ " if part.link == "member" else "↳ "
    pieces: list[Piece] = [
        (" " + mark, "error"),
        (LINKS.get(part.link, ""), "faint"),
        (visible(part.type), "strong" if not part.link else "name"),
    ]
    if part.message or part.problem:
        pieces.append((": ", "faint"))
        text = (f"<{part.problem}>", "warning") if part.problem else (visible(first_line), "value")
        pieces.append(text)
    yield ListRow(("part", number), tuple(pieces), depth)
    for index, remark in enumerate(_remarks(part, interpreter)):
        yield ListRow(("part", number, index), (("   ", "plain"), *remark), depth)


def _remarks(part: ExceptionPart, interpreter: tuple[str, str]) -> Iterator[tuple[Piece, ...]]:
    """Yield further remarks on an exception, one row each."""
    if interpreter[0] and part.type == "ModuleNotFoundError":
        yield ("not found by ", "faint"), (visible(interpreter[0], 400), "name")
        if interpreter[1]:
            yield ("which is ", "faint"), (visible(interpreter[1]), "name")
    for note in part.notes:
        yield ("note: ", "faint"), (visible(note.partition("\n")[0]), "name")
    if missing := part.members_total - len(part.members):
        yield ((f"not shown: {missing:,} of the group", "faint"),)
    if part.suppressed:
        yield ((f"raised from None (hides {visible(part.suppressed)})", "faint"),)


def part_details(part: ExceptionPart, width: int) -> Iterator[ListRow]:
    rows: list[tuple[Piece, ...]] = [(((" " + visible(part.type)), "strong"),)]
    if part.problem:
        rows.append(((f" no message: {part.problem}", "warning"),))
    rows += [((" " + line, "value"),) for line in _wrap(part.message, width)]
    for note in part.notes:
        rows.append(((" Note", "faint"),))
        rows += [(("  " + line, "name"),) for line in _wrap(note, width)]
    if part.attributes:
        rows.append(((" Attributes", "faint"),))
        rows += [_variable_pieces(each) for each in part.attributes]
    if part.raised_at is not None:
        rows.append(((" Raised at ", "faint"), (_place(part.raised_at), "name")))
        if part.raised_at.source:
            rows.append(_source_pieces(part.raised_at))
    for index, pieces in enumerate(rows):
        yield ListRow(index, pieces)


def _wrap(text: str, width: int) -> list[str]:
    lines: list[str] = []
    for line in split_lines(text)[:MESSAGE_LINES]:
        lines += chop_cells(visible(line, 4000), width) or [""]
    return lines


def groups_of(frames: Sequence[AutopsyFrame]) -> Iterator[list[AutopsyFrame]]:
    """Yield consecutive library frames together, all others alone.

    The frame that raised is alone, too: it is the one the user looks for.
    """

    def kind(frame: AutopsyFrame) -> tuple[bool, int]:
        is_folded = frame.is_external and not frame.is_throwing
        return is_folded, 0 if is_folded else frame.index

    for _, group in groupby(frames, kind):
        yield list(group)


def group_row(first: int, number: int, is_open: bool) -> ListRow:
    """Return the row of ``number`` library frames, with ``first`` as the innermost."""
    words = f"   {'▾' if is_open else '▸'} {number} frames of libraries"
    return ListRow(("library", first), ((words, "faint"),))


def frame_row(frame: AutopsyFrame, indent: int = 0) -> ListRow:
    style = "faint" if frame.is_external else "name"
    pieces: list[Piece] = [
        (" ! " if frame.is_throwing else "   ", "error"),
        (visible(frame.function), style),
        (f"  {_place(frame.line)}", "faint"),
    ]
    if frame.line.source and not frame.is_external:
        pieces.append((f"  {visible(frame.line.source.strip())}", "value"))
    return ListRow(("frame", frame.index), tuple(pieces), indent)


def frame_details(frame: AutopsyFrame, *, is_gone: bool = False) -> Iterator[ListRow]:
    """Yield the details of a frame; ``is_gone``: its variables can't be read any more."""
    where = f" {visible(frame.module)}." if frame.module else " "
    names: dict[int, str] = {}
    rows: list[tuple[Piece, ...]] = [
        (
            (where, "faint"),
            (visible(frame.function), "strong"),
            (f"  {_place(frame.line)}", "faint"),
        )
    ]
    if frame.line.source:
        rows.append(_source_pieces(frame.line))
    if frame.arguments is None or frame.variables is None:
        gone = " variables not read: the program has resumed"
        rows.append(((gone if is_gone else " reading its variables…", "faint"),))
    else:
        for title, found in (("Arguments", frame.arguments), ("Locals", frame.variables.locals)):
            rows.append(((f" {title}", "faint"), ("" if found else "  (none)", "faint")))
            names |= {len(rows) + number: each.name for number, each in enumerate(found)}
            rows += [_variable_pieces(each) for each in found]
        if frame.variables.left_out:
            rows.append(((f"   … {frame.variables.left_out} more", "faint"),))
        for problem in frame.variables.errors or ():
            text = f" could not be read: {visible(problem.name)} ({visible(problem.problem)})"
            rows.append(((text, "warning"),))
    for index, pieces in enumerate(rows):
        yield ListRow(("variable", names[index]) if index in names else index, pieces)


def _variable_pieces(variable: AutopsyVariable) -> tuple[Piece, ...]:
    count = f" [{variable.children_count:,}]" if variable.children_count is not None else ""
    return (
        ("   " + visible(variable.name), "name"),
        (" = ", "faint"),
        (visible(variable.value), "value"),
        (f"  {visible(variable.type)}{count}", "faint"),
    )


def _source_pieces(line: AutopsyLine) -> tuple[Piece, ...]:
    """Return the line with the part that raised highlighted."""
    text = line.source
    start = line.column - 1 if line.column else 0
    end = line.end_column - 1 if line.end_column else len(text)
    if not line.column:
        start = end = 0
    indent = min(len(text) - len(text.lstrip()), start) if line.column else 0
    text = text[indent:] if line.column else text.lstrip()
    start, end = start - indent, end - indent
    return (
        ("   ", "plain"),
        (visible(text[:start]), "name"),
        (visible(text[start:end]), "changed"),
        (visible(text[end:]), "name"),
    )


def _place(line: AutopsyLine) -> str:
    return visible(f"{PurePath(line.place.path).name}:{line.place.line}")


def count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


class TracedValue(NamedTuple):
    """A frame variable whose value is to be traced to the line that made it."""

    frame: AutopsyFrame
    name: str


class AutopsyDialog(Dialog[AutopsyFrame | AutopsyLine | TracedValue | None]):
    """The autopsy dialog. Result: the chosen frame, line or value; None on Esc."""

    HINTS = (
        Hint("enter", "go there"),
        CLOSES,
        Hint("up down", "move"),
        Hint("tab", "other list"),
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,e", "close", show=False),
        Binding("tab,shift+tab", "other_pane", show=False),
        Binding("right", "unfold(True)", show=False),
        Binding("left", "unfold(False)", show=False),
        Binding("number_sign", "trace", show=False),
    ]
    DEFAULT_CSS = """
    AutopsyDialog #box {
        border: round $error; border-title-color: $text-error; border-title-style: bold;
    }
    AutopsyDialog #parts { height: 1fr; background: $surface; }
    AutopsyDialog #details { height: 1fr; background: $surface; border-top: solid $foreground 35%; }
    """

    def __init__(
        self,
        report: AutopsyReport,
        *,
        show_line: Callable[[AutopsyLine], None],
        fetch: Callable[[AutopsyFrame], Awaitable[AutopsyFrame]],
        is_recorded: bool = False,
        interpreter: tuple[str, str] = ("", ""),
    ) -> None:
        """``show_line`` shows a line in the source pane, ``fetch`` reads a frame's variables.

        A recorded run (``is_recorded``) knows the origin of a value. ``interpreter`` is the
        program's, and why it is that one.
        """
        super().__init__()
        self._interpreter = interpreter
        self._is_recorded = is_recorded
        self._report = report
        self._frames = list(report.frames)
        self._show_line = show_line
        self._fetch = fetch
        self._parts = list(parts_of(report.exception, 0))
        self._unfolded: set[int] = set()

    def compose(self) -> ComposeResult:
        part = self._report.exception
        with Vertical(id="box") as box:
            chance = "Raised" if self._report.is_first_chance else "Uncaught"
            box.border_title = visible(f"{chance} {part.type}").replace("[", r"\[")
            yield FollowedPane(id="parts")
            yield FollowedPane(id="details")

    @property
    def key_mode(self) -> Mode:
        """The keys; tracing a value needs a recorded run."""
        traces = Hint("number_sign", "last change")
        hints = [*self.HINTS[:2], traces, *self.HINTS[2:]] if self._is_recorded else self.HINTS
        return Mode("dialog", "dialog", hints)

    @property
    def parts(self) -> FollowedPane:
        """The list of exceptions and frames."""
        return self.query_one("#parts", FollowedPane)

    @property
    def details(self) -> FollowedPane:
        """The details of the selected item."""
        return self.query_one("#details", FollowedPane)

    def on_mount(self) -> None:
        self.parts.set_rows(list(self._list_rows()))
        first = next((f.index for f in self._frames if not f.is_external), None)
        if first is not None:
            self.parts.move_cursor_to(("frame", first))
        self.set_focus(self.parts)
        self._show_details()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_details)

    # The list

    def _list_rows(self) -> Iterator[ListRow]:
        for number, (depth, part) in enumerate(self._parts):
            yield from part_rows(number, depth, part, self._interpreter)
        if self._report.inner_exceptions_truncated:
            yield ListRow(("chain",), (("   … earlier causes not shown", "faint"),))
        total = self._report.total_frames
        yield ListRow(("heading",), ((f" {count(total, 'frame')}, innermost first", "faint"),))
        for group in groups_of(self._frames):
            first = group[0].index
            if len(group) > 1:
                is_open = first in self._unfolded
                yield group_row(first, len(group), is_open)
                if not is_open:
                    continue
            for frame in group:
                yield frame_row(frame, indent=int(len(group) > 1))
        if more := total - len(self._frames):
            yield ListRow(("more",), ((f"   … {count(more, 'frame')} more", "faint"),))

    @on(FollowedPane.Moved, "#parts")
    def _moved(self, event: FollowedPane.Moved) -> None:
        event.stop()
        self._show_details()

    def _show_details(self) -> None:
        """Show the selected item in the details and in the source pane."""
        line: AutopsyLine | None = None
        match self.parts.cursor_key:
            case ("frame", int(index)):
                frame = self._frames[index]
                line = frame.line
                rows = list(frame_details(frame))
                if frame.variables is None:
                    self.run_worker(self._read(index), group="frame", exclusive=True)
            case ("part", int(number), *_):
                part = self._parts[number][1]
                line = part.raised_at
                rows = list(part_details(part, max(20, self.details.size.width - 3)))
            case _:
                rows = []
        self.details.cursor = 0
        self.details.set_rows(rows)
        if line is not None:
            self._show_line(line)

    async def _read(self, index: int) -> None:
        try:
            frame = await self._fetch(self._frames[index])
            is_gone = False
        except DebuggerError:  # the program has resumed meanwhile
            frame, is_gone = self._frames[index], True
        self._frames[index] = frame
        if self.is_active and self.parts.cursor_key == ("frame", index):
            self.details.set_rows(list(frame_details(frame, is_gone=is_gone)))

    @on(RowsPane.Activated)
    def _chosen(self, event: RowsPane.Activated) -> None:
        event.stop()
        if not self.is_active:
            return
        match self.parts.cursor_key:
            case ("frame", int(index)):
                self.dismiss(self._frames[index])
            case ("library", int(first)):
                self.action_unfold(first not in self._unfolded)
            case ("part", int(number), *_):
                if (line := self._parts[number][1].raised_at) is not None:
                    self.dismiss(line)

    def action_unfold(self, is_open: bool) -> None:
        """Unfold the library frames under the cursor, or fold them again."""
        match self.parts.cursor_key:
            case ("library", int(first)):
                self._unfolded = (self._unfolded | {first}) if is_open else self._unfolded - {first}
                self.parts.set_rows(list(self._list_rows()))

    def action_other_pane(self) -> None:
        """Focus the list or the details, if there is more to scroll."""
        (self.parts if self.details.has_focus else self.details).focus()

    def action_trace(self) -> None:
        """Close and go to the line that made the value; focus the frame's values first."""
        match self.parts.cursor_key, self.details.cursor_key:
            case ("frame", int(index)), ("variable", str(name)) if self._is_recorded:
                if self.is_active:
                    self.dismiss(TracedValue(self._frames[index], name))
            case ("frame", int()), _ if self._is_recorded:
                values = (row.key for row in self.details.rows if not isinstance(row.key, int))
                if (first := next(values, None)) is not None:
                    self.details.move_cursor_to(first)
                    self.details.focus()

    def action_close(self) -> None:
        """Close without a result."""
        if self.is_active:
            self.dismiss(None)
