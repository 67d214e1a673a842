"""The job view: all processes of a program on one screen, grouped by place, outliers visible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tuidbg.session.core.execution import Resume
from tuidbg.session.core.stop_history.series import sparkline
from tuidbg.session.features.job.commands import JobCommand, Verb, read_order
from tuidbg.session.features.job.job import (
    JobMember,
    JobResults,
    describe_members,
    describe_standing,
    describe_states,
)
from tuidbg.session.features.job.members import (
    ALONE,
    TOGETHER,
    Across,
    Crew,
    MemberResult,
    describe_values,
    fold_answers,
)
from tuidbg.session.features.job.stacks import Fold, MemberLocation
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Status
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
from tuidbg.tui.toolkit.keys.key_reader import CHOOSES, CLOSES, Hint, Mode
from tuidbg.tui.toolkit.widgets.following import cell
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, visible
from tuidbg.tui.toolkit.wording import BADGES

_STYLES = {Status.RUNNING: "good", Status.PAUSED: "warning", Status.FAILED: "error"}

V = TypeVar("V")

_STATE_CELLS = 10
_MOST_VALUES = 12
_ASKED = MemberResult(instead="...")
_LONGEST_NAME = 28

_OTHERS = "processes"
"""The heading of processes without host or role."""


class RowKey(NamedTuple):
    """The identity of a row, and the numbers of its processes in the process tree."""

    kind: str
    name: str
    numbers: tuple[int, ...]


def make_rows(
    job: JobResults, width: int, *, shown: int, by_line: bool, across: Across | None = None
) -> list[ListRow]:
    """Return the rows for so many cells; ``shown`` is the number of the selected process.

    With an expression evaluated ``across`` them, its values come between the places and the
    processes, and replace the place of each process.
    """
    folds = job.folds(by_line=by_line)
    rows = [
        _heading("where", f" {describe_states(job)}", tuple(each.number for each in job.members))
    ]
    rows += _fold_rows(job, folds, width, by_line)
    odd = {each.number for f in folds if f.is_odd for each in f.members}
    told = {each.number: (each.place, "value") for each in job.members}
    if across is not None:
        asked = [m for m in job.members if across.numbers is None or m.number in across.numbers]
        values = fold_answers((m, across.answers.get(m.number, _ASKED)) for m in asked)
        rows += _value_rows(job, across.text, values, width)
        odd = {each.number for f in values if f.is_odd for each in f.members}
        told |= {m.number: _told(f.common) for f in values for m in f.members}
    for group, members in job.groups().items():
        numbers = tuple(each.number for each in members)
        rows.append(_heading("group", f" {group or _OTHERS}: {len(members)}", numbers))
        names = min(_LONGEST_NAME, max(len(each.label) for each in members))
        for each in members:
            text, style = told[each.number]
            style = "warning" if each.number in odd else style
            rows.append(_member_row(each, width, names, each.number == shown, (text, style)))
    return rows


def _told(answer: MemberResult) -> Piece:
    """Return an answer's display text and style."""
    return answer.words, "error" if answer.problem else "faint" if answer.instead else "value"


def _heading(kind: str, text: str, numbers: tuple[int, ...]) -> ListRow:
    return ListRow(RowKey(kind, text if kind == "group" else "", numbers), ((text, "strong"),))


def _fold_rows(
    job: JobResults, folds: Sequence[Fold[JobMember, MemberLocation]], width: int, by_line: bool
) -> list[ListRow]:
    rows = []
    for found, begin in zip(folds, _beginnings(job, folds), strict=True):
        room = width - sum(len(text) for text, _ in begin)
        where = describe_standing(found.common)
        callers = "".join(f" ← {call.function}" for call in found.common.stack[1:])
        style = "warning" if found.is_odd else "value"
        pieces = (*begin, (cell(where, min(room, len(where))), style))
        if room > len(where) and callers:
            pieces += ((cell(callers, min(room - len(where), len(callers))), "faint"),)
        numbers = _numbers(found)
        rows.append(ListRow(RowKey("fold", f"{numbers[0]}{by_line}", numbers), pieces))
    return rows


def _value_rows(
    job: JobResults, text: str, values: Sequence[Fold[JobMember, MemberResult]], width: int
) -> list[ListRow]:
    """Return the values of an expression with their processes; only the first of very many."""
    told = describe_values(values)
    shown = values if len(values) <= _MOST_VALUES else values[: _MOST_VALUES - 1]
    numbers = tuple(number for each in values for number in _numbers(each))
    rows = [_heading("values", f" {cell(text, min(len(text), width - 20))}: {told}", numbers)]
    for found, begin in zip(shown, _beginnings(job, shown), strict=True):
        room = width - sum(len(piece) for piece, _ in begin)
        words, style = _told(found.common)
        piece = (cell(words, room), "warning" if found.is_odd else style)
        numbers = _numbers(found)
        rows.append(ListRow(RowKey("value", str(numbers[0]), numbers), (*begin, piece)))
    if rest := values[len(shown) :]:
        numbers = tuple(number for each in rest for number in _numbers(each))
        more = f" ... and {len(rest)} more, each below"
        rows.append(ListRow(RowKey("value", "more", numbers), ((more, "faint"),)))
    return rows + _bars(values, width)


def _bars(values: Sequence[Fold[JobMember, MemberResult]], width: int) -> list[ListRow]:
    """Return numbers as bars, in process order; empty if they are all the same."""
    told = [(m, f.common.number) for f in values for m in f.members]
    ranked = sorted(
        told, key=lambda each: (each[0].identity.rank is None, each[0].identity.rank or 0)
    )
    numbers = [number for _, number in ranked if number is not None and math.isfinite(number)]
    if len(set(numbers)) < 2:
        return []
    ends = f"  min {min(numbers):g}, max {max(numbers):g}"
    pieces = ((f" {sparkline(numbers, width - len(ends) - 2)}", "good"), (ends, "faint"))
    return [ListRow(RowKey("bars", "", tuple(m.number for m, _ in ranked)), pieces)]


def _numbers(found: Fold[JobMember, V]) -> tuple[int, ...]:
    return tuple(each.number for each in found.members)


def _beginnings(job: JobResults, folds: Sequence[Fold[JobMember, V]]) -> list[tuple[Piece, ...]]:
    """Return the count and names of processes with equal values."""
    told = [describe_members(each.members) for each in folds]
    names = min(_LONGEST_NAME, max(map(len, told), default=0))
    count = len(str(len(job.members)))
    return [
        (
            (f" {len(each.members):>{count}}  ", "warning" if each.is_odd else "strong"),
            (cell(who, names) + "  ", "name"),
        )
        for each, who in zip(folds, told, strict=True)
    ]


def _member_row(member: JobMember, width: int, names: int, is_shown: bool, told: Piece) -> ListRow:
    mark = "▷ " if is_shown else "  "
    badge = BADGES[member.status][0]
    name = cell(member.label, names) + "  "
    pid = f"  pid {member.pid}" if member.pid is not None and width >= 70 else ""
    room = width - len(mark) - len(name) - _STATE_CELLS - len(pid) - 1
    pieces: Sequence[Piece] = (
        (mark, "strong"),
        (name, "name"),
        (cell(badge, _STATE_CELLS) + " ", _STYLES.get(member.status, "faint")),
        (cell(told[0], room), told[1]),
        (pid, "faint"),
    )
    return ListRow(RowKey("rank", str(member.number), (member.number,)), tuple(pieces))


LOOKS_EVERY = 1.0
"""Seconds between two updates while the dialog is open."""

NO_PROCESS = "No process has connected yet"

_GIVEN = (
    Hint("c", "continue"),
    Hint("p", "pause"),
    Hint("n", "over"),
    Hint("s", "into"),
    Hint("o", "out"),
)


class JobPane(RowsPane):
    """The places with their number of processes, and the processes below."""

    EMPTY = "Asking the processes where they are ..."


class JobDialog(Dialog[int | None]):
    """The job view. Result: the number of the process to show; None on Esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("l", "fold_lines", show=False),
        Binding("e", "ask_expression", show=False),
        Binding("colon", "ask_order", show=False),
        Binding("t", "stop_together", show=False),
        Binding("x", "clear_ended", show=False),
        Binding("c,f5", "command('continue')", show=False),
        Binding("n,f10", "command('next')", show=False),
        Binding("s,f11", "command('stepIn')", show=False),
        Binding("o,shift+f11", "command('stepOut')", show=False),
        Binding("p,f6", "command('pause')", show=False),
    ]
    DEFAULT_CSS = """
    JobDialog #box JobPane { height: 1fr; }
    """

    def __init__(self, crew: Crew, shown: int) -> None:
        """``shown`` is the number of the selected process."""
        super().__init__()
        self._crew, self._shown = crew, shown
        self._job = JobResults()
        self._across: Across | None = None
        self._by_line = True
        self._is_looking = False

    @property
    def key_mode(self) -> Mode:
        """The keys; the labels of ``l`` and ``t`` show their next effect."""
        lines = Hint("l", "by function" if self._by_line else "by line")
        asks = (Hint("e", "evaluate"), Hint("colon", "to ranks"))
        together = "stop alone" if self._crew.stops_together else "stop together"
        more = (lines, Hint("t", together), Hint("x", "clear ended"))
        hints = (Hint("enter", "show"), CLOSES, *asks, *_GIVEN, *more, CHOOSES)
        return Mode("dialog", "job", hints)

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = "Job"
            yield JobPane(id="job")

    @property
    def pane(self) -> JobPane:
        """The list of rows."""
        return self.query_one(JobPane)

    def on_mount(self) -> None:
        self.set_focus(self.pane)
        self._begin_look()
        self.set_interval(LOOKS_EVERY, self._begin_look)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def _begin_look(self) -> None:
        """Query the processes again, unless an answer is still pending."""
        if not self._is_looking:
            self._is_looking = True
            self.run_worker(self._take_look())

    async def _take_look(self) -> None:
        is_first = not self._job.members
        try:
            self._job = await self._crew.look()
        finally:
            self._is_looking = False
        self._begin_to_ask()
        self._show()
        if is_first and self.is_attached and len(self.pane.rows) > 1:
            self.pane.cursor = 1

    def _show(self) -> None:
        if not self.is_attached:
            return
        if not self._job.members:
            if not self._is_looking:
                self.pane.set_empty(NO_PROCESS)
            self.pane.set_rows([])
            return
        width = max(20, self.app.size.width - 5)
        rows = make_rows(
            self._job, width, shown=self._shown, by_line=self._by_line, across=self._across
        )
        self.pane.set_rows(rows)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        """Show the process of the row; of several, the first."""
        event.stop()
        if self.is_active and isinstance(event.key, RowKey) and event.key.numbers:
            self.dismiss(event.key.numbers[0])

    def action_command(self, how: str) -> None:
        """Send a command to the processes of the row: one, those of a stack or a group, or all."""
        key = self.pane.cursor_key
        if isinstance(key, RowKey):
            wanted = None if how == "pause" else Resume(how)
            self.run_worker(self._command(key.numbers, wanted))

    async def _command(self, numbers: tuple[int, ...], how: Resume | None) -> None:
        self._tell((await self._crew.command(numbers, how)).words)

    def _tell(self, words: str) -> None:
        """Show a command's result on the border, and update."""
        self._note(words)
        if self.is_attached:
            self._begin_look()

    def _note(self, words: str) -> None:
        if self.is_attached:
            self.query_one(Box).border_subtitle = visible(words).replace("[", r"\[")

    def action_ask_order(self) -> None:
        """Ask for processes and a command for them."""
        hint = "0,3-5 continue · 2 break train.py:40 · all until train.py:40 · node0 evaluate loss"
        prompt = PromptDialog("To", hint=hint, on_submit=self._why_no_order)
        self.app.push_screen(prompt, self._take_order)

    def _why_no_order(self, text: str) -> str:
        try:
            order = read_order(self._job, text)
        except DebuggerError as error:
            return str(error)
        return self._crew.why_not(order.about) if order.verb is Verb.EVALUATE else ""

    def _take_order(self, text: str | None) -> None:
        if text is None or self._why_no_order(text):
            return
        order = read_order(self._job, text)
        if order.verb is Verb.EVALUATE:
            self._begin_across(Across(order.about, numbers=order.numbers))
        else:
            self.run_worker(self._obey(order))

    async def _obey(self, order: JobCommand) -> None:
        try:
            told = await self._crew.obey(order, self._note)
        except DebuggerError as error:
            told = str(error)
        self._tell(told)

    def action_ask_expression(self) -> None:
        """Ask for an expression to evaluate in all stopped processes; an empty one ends that."""
        known = self._across.text if self._across is not None else ""
        hint = "in each stopped process; empty: none"
        prompt = PromptDialog("Evaluate", value=known, hint=hint, on_submit=self._why_not)
        self.app.push_screen(prompt, self._take_expression)

    def _why_not(self, text: str) -> str:
        return self._crew.why_not(text) if text.strip() else ""

    def _take_expression(self, text: str | None) -> None:
        if text is not None:
            self._begin_across(Across(text) if text.strip() else None)

    def _begin_across(self, across: Across | None) -> None:
        self._across = across
        self._begin_to_ask()
        self._show()

    def _begin_to_ask(self) -> None:
        """Query newly stopped processes; show answers when all, or the next update, are there.

        A process that hangs in it does not keep others from being queried again.
        """
        if self._across is not None and self._job.members:
            self.run_worker(self._take_answers(self._across))

    async def _take_answers(self, across: Across) -> None:
        if await self._crew.ask(across, [each.number for each in self._job.members]):
            self._show()

    def action_stop_together(self) -> None:
        """Turn "one stops, all stop" on or off."""
        self._crew.stop_together(not self._crew.stops_together)
        self._note(TOGETHER if self._crew.stops_together else ALONE)
        self.refresh_bindings()

    def action_clear_ended(self) -> None:
        """Remove the rows of ended processes."""
        self._tell(self._crew.clear_ended())

    def action_fold_lines(self) -> None:
        """Distinguish lines of one function, or not."""
        self._by_line = not self._by_line
        self._show()
        self.refresh_bindings()

    def action_close(self) -> None:
        if self.is_active:
            self.dismiss(None)
