"""The rows of the job view: where how many stand, the odd ones first, and then each process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tuidbg.session.job.job import Job, Member, describe_members, describe_standing
from tuidbg.session.job.stacks import Fold
from tuidbg.session.state import Status
from tuidbg.tui.widgets.following import cell
from tuidbg.tui.widgets.rows import Piece, Row
from tuidbg.tui.wording import BADGES

_STYLES = {Status.RUNNING: "good", Status.PAUSED: "warning", Status.FAILED: "error"}

_STATE_CELLS = 10
_LONGEST_NAME = 28
_COUNTED = (Status.RUNNING, Status.PAUSED)

_OTHERS = "processes"
"""The heading of those that tell neither host nor role."""


class RowKey(NamedTuple):
    """Which row it is, and the family's numbers of the processes that it stands for."""

    kind: str
    name: str
    numbers: tuple[int, ...]


def make_rows(job: Job, width: int, *, shown: int, by_line: bool) -> list[Row]:
    """The rows in so many cells; ``shown`` is the number of the process that is looked at."""
    folds = job.folds(by_line=by_line)
    rows = [_heading("where", f" {_count(job)}", tuple(each.number for each in job.members))]
    names = min(_LONGEST_NAME, max((len(describe_members(f.members)) for f in folds), default=0))
    count = len(str(len(job.members)))
    rows += [_fold_row(each, width, count, names, by_line) for each in folds]
    odd = {each.number for f in folds if f.is_odd for each in f.members}
    for group, members in job.groups().items():
        numbers = tuple(each.number for each in members)
        rows.append(_heading("group", f" {group or _OTHERS}: {len(members)}", numbers))
        names = min(_LONGEST_NAME, max(len(each.label) for each in members))
        rows += [_member_row(m, width, names, m.number == shown, m.number in odd) for m in members]
    return rows


def _heading(kind: str, text: str, numbers: tuple[int, ...]) -> Row:
    return Row(RowKey(kind, text if kind == "group" else "", numbers), ((text, "strong"),))


def _count(job: Job) -> str:
    """``8 processes, 7 running, 1 paused``."""
    total = len(job.members)
    words = ["1 process" if total == 1 else f"{total} processes"]
    for status in _COUNTED:
        number = sum(each.status is status for each in job.members)
        if number:
            words.append(f"{number} {BADGES[status][0]}")
    over = sum(each.status not in _COUNTED for each in job.members)
    return ", ".join(words + ([f"{over} not running"] if over else []))


def _fold_row(found: Fold[Member], width: int, count: int, names: int, by_line: bool) -> Row:
    numbers = tuple(each.number for each in found.members)
    who = describe_members(found.members)
    begin: list[Piece] = [
        (f" {len(found.members):>{count}}  ", "warning" if found.is_odd else "strong"),
        (cell(who, names) + "  ", "name"),
    ]
    room = width - sum(len(text) for text, _ in begin)
    where = describe_standing(found.standing)
    callers = "".join(f" ← {call.function}" for call in found.standing.stack[1:])
    style = "warning" if found.is_odd else "value"
    pieces = (*begin, (cell(where, min(room, len(where))), style))
    if room > len(where) and callers:
        pieces += ((cell(callers, min(room - len(where), len(callers))), "faint"),)
    return Row(RowKey("fold", f"{numbers[0]}{by_line}", numbers), pieces)


def _member_row(member: Member, width: int, names: int, is_shown: bool, is_odd: bool) -> Row:
    mark = "▶ " if is_shown else "  "
    badge = BADGES[member.status][0]
    name = cell(member.label, names) + "  "
    pid = f"  pid {member.pid}" if member.pid is not None and width >= 70 else ""
    room = width - len(mark) - len(name) - _STATE_CELLS - len(pid) - 1
    pieces: Sequence[Piece] = (
        (mark, "strong"),
        (name, "name"),
        (cell(badge, _STATE_CELLS) + " ", _STYLES.get(member.status, "faint")),
        (cell(member.place, room), "warning" if is_odd else "value"),
        (pid, "faint"),
    )
    return Row(RowKey("rank", str(member.number), (member.number,)), tuple(pieces))
