"""The rows of the job view: where how many stand, the odd ones first, and then each process.

Between them are the values of an expression, where one is asked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from tuidbg.session.job.job import Job, Member, describe_members, describe_standing, describe_states
from tuidbg.session.job.members import Across, Answer, describe_values, fold_answers
from tuidbg.session.job.stacks import Fold, Standing
from tuidbg.session.state import Status
from tuidbg.session.stop_history.series import sparkline
from tuidbg.tui.widgets.following import cell
from tuidbg.tui.widgets.rows import Piece, Row
from tuidbg.tui.wording import BADGES

_STYLES = {Status.RUNNING: "good", Status.PAUSED: "warning", Status.FAILED: "error"}

V = TypeVar("V")

_STATE_CELLS = 10
_MOST_VALUES = 12
_ASKED = Answer(instead="...")
_LONGEST_NAME = 28

_OTHERS = "processes"
"""The heading of those that tell neither host nor role."""


class RowKey(NamedTuple):
    """Which row it is, and the family's numbers of the processes that it stands for."""

    kind: str
    name: str
    numbers: tuple[int, ...]


def make_rows(
    job: Job, width: int, *, shown: int, by_line: bool, across: Across | None = None
) -> list[Row]:
    """The rows in so many cells; ``shown`` is the number of the process that is looked at.

    Where an expression is asked ``across`` them, its values stand between the places and the
    processes, and with each process in the place of where it is.
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


def _told(answer: Answer) -> Piece:
    """What is read of an answer, and how."""
    return answer.words, "error" if answer.problem else "faint" if answer.instead else "value"


def _heading(kind: str, text: str, numbers: tuple[int, ...]) -> Row:
    return Row(RowKey(kind, text if kind == "group" else "", numbers), ((text, "strong"),))


def _fold_rows(
    job: Job, folds: Sequence[Fold[Member, Standing]], width: int, by_line: bool
) -> list[Row]:
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
        rows.append(Row(RowKey("fold", f"{numbers[0]}{by_line}", numbers), pieces))
    return rows


def _value_rows(
    job: Job, text: str, values: Sequence[Fold[Member, Answer]], width: int
) -> list[Row]:
    """The values of an expression with those that have them; of very many the first."""
    told = describe_values(values)
    shown = values if len(values) <= _MOST_VALUES else values[: _MOST_VALUES - 1]
    numbers = tuple(number for each in values for number in _numbers(each))
    rows = [_heading("values", f" {cell(text, min(len(text), width - 20))}: {told}", numbers)]
    for found, begin in zip(shown, _beginnings(job, shown), strict=True):
        room = width - sum(len(piece) for piece, _ in begin)
        words, style = _told(found.common)
        piece = (cell(words, room), "warning" if found.is_odd else style)
        numbers = _numbers(found)
        rows.append(Row(RowKey("value", str(numbers[0]), numbers), (*begin, piece)))
    if rest := values[len(shown) :]:
        numbers = tuple(number for each in rest for number in _numbers(each))
        more = f" ... and {len(rest)} more, each below"
        rows.append(Row(RowKey("value", "more", numbers), ((more, "faint"),)))
    return rows + _bars(values, width)


def _bars(values: Sequence[Fold[Member, Answer]], width: int) -> list[Row]:
    """The numbers as bars, in the order of the processes; where they are all the same, nothing."""
    told = [(m, f.common.number) for f in values for m in f.members]
    ranked = sorted(
        told, key=lambda each: (each[0].identity.rank is None, each[0].identity.rank or 0)
    )
    numbers = [number for _, number in ranked if number is not None and math.isfinite(number)]
    if len(set(numbers)) < 2:
        return []
    ends = f"  least {min(numbers):g}, most {max(numbers):g}"
    pieces = ((f" {sparkline(numbers, width - len(ends) - 2)}", "good"), (ends, "faint"))
    return [Row(RowKey("bars", "", tuple(m.number for m, _ in ranked)), pieces)]


def _numbers(found: Fold[Member, V]) -> tuple[int, ...]:
    return tuple(each.number for each in found.members)


def _beginnings(job: Job, folds: Sequence[Fold[Member, V]]) -> list[tuple[Piece, ...]]:
    """How many have the same, and who."""
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


def _member_row(member: Member, width: int, names: int, is_shown: bool, told: Piece) -> Row:
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
    return Row(RowKey("rank", str(member.number), (member.number,)), tuple(pieces))
