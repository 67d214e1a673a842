"""A recorded function call: arguments, executed lines with changes, and the result.

It follows a recording in progress, and can show earlier ones. Nothing here runs the program.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from tuidbg.session.core.session import Session
from tuidbg.session.features.recording import calls_of
from tuidbg.session.features.recording.calls.types import (
    CallRecording,
    LineVisit,
    PathRow,
    Phase,
    RecordingEnd,
    describe_change,
    describe_local,
    describe_result,
    path_rows,
)
from tuidbg.session.model.events import RecordingChanged
from tuidbg.session.model.state import Place
from tuidbg.tui.toolkit.dialogs.box import FollowedPane
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.keys.key_reader import CLOSES, Hint, Mode
from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, visible

VALUES = 4
"""Values of one variable shown beside a line; all kept values are listed below."""

LONGEST = 60
_LONGEST_BELOW = 500

_STYLES = {
    RecordingEnd.RETURNED: "good",
    RecordingEnd.RAISED: "error",
    RecordingEnd.FAILED: "error",
    RecordingEnd.STOPPED: "warning",
    RecordingEnd.CANCELLED: "warning",
    RecordingEnd.TIME: "warning",
}


def headline(recording: CallRecording) -> str:
    """Return the function, its place and arguments."""
    name = visible(recording.function or "the call")
    kind = f" ({recording.kind})" if recording.kind else ""
    place = f"  {PurePath(recording.path).name}:{recording.first_line}" if recording.path else ""
    begin = "" if recording.is_whole or not recording.path else "  (partial, from here)"
    return f"{name}{kind}{place}{begin}"


def arguments(recording: CallRecording) -> str:
    """Return the arguments on one line."""
    told = [describe_local(local, LONGEST) for local in recording.arguments]
    if recording.phase is Phase.WAITING:
        return f"waiting for {recording.function} to be called"
    return visible(",  ".join(told) or "no arguments", 1_000)


def ending(recording: CallRecording) -> tuple[Piece, ...]:
    """Return its end or its progress."""
    steps = f"{recording.steps:,} step{'' if recording.steps == 1 else 's'}"
    if recording.phase is Phase.WAITING:
        return ()
    if not recording.is_over:
        return ((f"{steps}, line {recording.line}…", "changed"),)
    pieces: list[Piece] = []
    if recording.returned is not None:
        read = " (as its return line names it)" if recording.is_read else ""
        pieces.append((f"→ {visible(describe_result(recording, LONGEST))}{read}  ", "good"))
    if recording.ending is not RecordingEnd.RETURNED or recording.returned is None:
        sentence = visible(recording.sentence)
        pieces.append((f"{sentence}  ", _STYLES.get(recording.ending, "name")))
    cut = f"; {visible('; '.join(recording.cut))}" if recording.cut else ""
    pieces.append((f"{steps} in {recording.seconds:.1f} s{cut}", "faint"))
    return tuple(pieces)


def path_table(
    told: Sequence[PathRow], document: SourceDocument | None, width: int
) -> Iterator[tuple[PathRow, ListRow]]:
    """Yield each row as displayed: line, source, and the changes from the middle on."""
    texts = [_text_of(row.line, document) for row in told]
    margin = min((_indent_of(text) for text in texts if text), default=0)
    digits = len(str(max((row.line for row in told), default=1)))
    deepest = max((row.depth for row in told), default=0)
    room = max(8, width // 2 - digits - deepest - 3)
    for number, (row, text) in enumerate(zip(told, texts, strict=True)):
        bars = f"{'│' * row.depth:<{deepest}} "
        if row.line:
            yield row, _line_row(number, row, text[margin:], f"{row.line:>{digits}} {bars}", room)
        else:
            mark = f" {'':>{digits}} {'│' * row.depth}↻ "
            yield row, ListRow((number, 0), ((mark, "faint"), (f"{row.times} passes", "strong")))


def _line_row(number: int, row: PathRow, text: str, margin: str, room: int) -> ListRow:
    shown = text if len(text) <= room else text[: room - 1] + "…"
    return ListRow(
        (number, row.line),
        (
            (f" {margin}", "faint"),
            (f"{shown:<{room}} ", "name"),
            (visible(",  ".join(row.changes), 1_000), "changed"),
        ),
    )


def _text_of(line: int, document: SourceDocument | None) -> str:
    if document is None or not 0 < line <= len(document.lines):
        return ""
    return document.shown(line).text.rstrip()


def _indent_of(text: str) -> int:
    return len(text) - len(text.lstrip())


def details(visit: LineVisit, width: int) -> Iterator[ListRow]:
    """Yield all recorded changes of one line, wrapped to that width."""
    times = f"line {visit.line}, executed {visit.times:,}×" if visit.times > 1 else ""
    if times:
        yield ListRow(("times",), ((f" {times}", "faint"),))
    for index, change in enumerate(visit.changes):
        text = describe_change(change, 50, _LONGEST_BELOW)
        for part, line in enumerate(textwrap.wrap(visible(text, 4_000), max(20, width - 4))):
            lead = "   " if part else " "
            yield ListRow(("change", index, part), ((lead, "name"), (line, "value")))
    if not visit.changes and not times:
        yield ListRow(("nothing",), ((" this line changed no local", "faint"),))


class LifetimeDialog(Dialog[Place | None]):
    """The recorded call. Result: the place whose line is to be shown, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "other(-1)", show=False, priority=True),
        Binding("right", "other(1)", show=False, priority=True),
        Binding("c", "only_changes", show=False),
        Binding("b", "close", show=False),
        Binding("tab,shift+tab", "other_pane", show=False),
        Binding("escape,q", "leave", show=False),
    ]
    DEFAULT_CSS = """
    LifetimeDialog #head { height: auto; max-height: 4; width: 100%; background: $panel; }
    LifetimeDialog #path { height: 1fr; background: $surface; }
    LifetimeDialog #details {
        height: 25%; min-height: 3; background: $surface; border-top: solid $foreground 35%;
    }
    """

    def __init__(
        self,
        session: Session,
        recording: CallRecording | None,
        load: Callable[[str], SourceDocument | None],
    ) -> None:
        """``load`` returns the text of a source; without a recording, the next one is shown."""
        super().__init__()
        self._session = session
        self._recording = recording
        self._load = load
        self._documents: dict[str, SourceDocument | None] = {}
        self._visits: dict[int, LineVisit] = {}
        self._has_only_changes = False

    @property
    def _shown(self) -> tuple[CallRecording | None, bool]:
        """Return the recording shown, and whether it is in progress."""
        recorder = calls_of(self._session).under_way
        under_way = recorder.recording if recorder is not None else None
        shown = self._recording or under_way
        return shown, shown is not None and shown is under_way

    @property
    def key_mode(self) -> Mode:
        """The keys: a recording in progress can be stopped; a finished one can be browsed."""
        _, is_under_way = self._shown
        if is_under_way:
            hints = [Hint("escape", "stop"), Hint("b", "keep running")]
        else:
            hints = [Hint("enter", "show the line"), CLOSES]
        hints.append(Hint("c", "changes only"))
        if len(calls_of(self._session)) > 1:
            hints.append(Hint("left right", "other call"))
        return Mode("dialog", "dialog", hints)

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = "Recorded call"
            yield Static(id="head", markup=False)
            yield FollowedPane(id="path")
            yield FollowedPane(id="details")

    @property
    def path(self) -> FollowedPane:
        """The executed lines in order."""
        return self.query_one("#path", FollowedPane)

    @property
    def details(self) -> FollowedPane:
        """All changes of the selected line."""
        return self.query_one("#details", FollowedPane)

    @property
    def recording(self) -> CallRecording | None:
        """The recording shown."""
        return self._recording

    def on_mount(self) -> None:
        self.set_focus(self.path)
        follow = self.app.theme_changed_signal.subscribe
        follow(self, lambda _: self.call_after_refresh(self._show))
        self.run_worker(self._follow(), group="events")
        self.call_after_refresh(self._show)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    async def _follow(self) -> None:
        """Show new steps, whichever client requested the recording."""
        async for entry in self._session.events.follow():
            if isinstance(entry.event, RecordingChanged):
                newest = calls_of(self._session).newest
                shown = self._recording
                if shown is None or (shown.is_over and newest is not None and not newest.is_over):
                    self._recording = newest
                self._show()

    # Keys

    def action_other(self, by: int) -> None:
        """Show the previous or next recording."""
        known = list(calls_of(self._session))
        if self._recording in known:
            index = known.index(self._recording) + by
            self._recording = known[max(0, min(len(known) - 1, index))]
            self._show()

    def action_only_changes(self) -> None:
        """Show or hide lines without changes."""
        self._has_only_changes = not self._has_only_changes
        self._show()

    def action_other_pane(self) -> None:
        """Focus the path or the changes of one line."""
        (self.path if self.details.has_focus else self.details).focus()

    def action_leave(self) -> None:
        """Stop the recording in progress; if there is none, close."""
        recorder = calls_of(self._session).under_way
        if recorder is not None and recorder.recording is not self._recording:
            recorder = None if self._recording is not None else recorder
        if recorder is not None:
            calls_of(self._session).call_off()
        else:
            self.action_close()

    def action_close(self) -> None:
        """Close; a recording in progress continues."""
        if self.is_active:
            self.dismiss(None)

    @on(FollowedPane.Moved, "#path")
    def _moved(self, event: FollowedPane.Moved) -> None:
        event.stop()
        self._show_details()

    @on(RowsPane.Activated, "#path")
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        match event.key:
            case (int(_), int(line)) if line and self._recording is not None and self.is_active:
                self.dismiss(Place(path=self._recording.path, line=line))

    # Painting

    def _show(self) -> None:
        if not self.is_attached:
            return
        recording = self._recording
        self._show_head(recording)
        self.path.set_rows(self._rows(recording) if recording is not None else [])
        self._show_details()

    def _show_head(self, recording: CallRecording | None) -> None:
        shown, _ = self._shown
        box = self.query_one("#box", Vertical)
        self.refresh_bindings()
        if shown is None:
            self.query_one("#head", Static).update("nothing was recorded")
            return
        title = f"Recorded call {shown.number}: {headline(shown)}"
        box.border_title = visible(title).replace("[", r"\[")
        head = Text(f" {arguments(shown)}", no_wrap=True, overflow="ellipsis")
        for text, style in ending(shown):
            if head.plain.count("\n") == 0:
                head.append("\n ")
            head.append(text, self._ink(style))
        if shown.course.nodes and self.size.height > 20:
            head.append(f"\n {shown.course.describe(max(20, self.size.width - 6))}")
        self.query_one("#head", Static).update(head)

    def _ink(self, name: str) -> Style:
        """Return the foreground of a piece, for any background."""
        style = self.path.get_component_rich_style(f"rows--{name}")
        return Style(color=style.color, bold=style.bold)

    def _rows(self, recording: CallRecording) -> list[ListRow]:
        document = self._document(recording.path)
        told = path_rows(recording, values=VALUES, characters=LONGEST)
        nodes = [node for _, node in recording.course]
        width = self.path.size.width or 80
        self._visits = {
            number: node for number, node in enumerate(nodes) if isinstance(node, LineVisit)
        }
        return [
            row
            for told_row, row in path_table(told, document, width)
            if told_row.changes or not told_row.line or not self._has_only_changes
        ]

    def _document(self, path: str) -> SourceDocument | None:
        if path not in self._documents:
            self._documents[path] = self._load(path) if path else None
        return self._documents[path]

    def _show_details(self) -> None:
        match self.path.cursor_key:
            case (int(number), int(line)) if line and number in self._visits:
                width = self.details.size.width
                self.details.set_rows(list(details(self._visits[number], width)))
            case _:
                self.details.set_rows([])
