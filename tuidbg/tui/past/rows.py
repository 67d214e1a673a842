"""The tables of the past as a dialog shows them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from tuidbg.session.recording.queries import Calls, Changes, Differences, Passes, Spot
from tuidbg.session.stop_history.series import sparkline
from tuidbg.tui.past.dialog import AGO, Cell, MomentRow, MomentTable
from tuidbg.tui.widgets.rows import Piece, visible

Above = list[list[Piece]]


def table_of_changes(found: Changes, at: int) -> MomentTable:
    """All values of something; the cursor is on the one that it had at a moment."""
    rows = []
    for each in found.rows:
        others = each.name != found.expression
        name = f"{each.name} " if others else ""
        new = ("deleted", "warning") if not each.new else (each.new, "changed")
        rows.append(
            MomentRow(
                (*_where(each.spot), (f"{name}{each.old}", "faint"), ("→", "faint"), new),
                each.spot.moment if each.spot is not None else None,
            )
        )
    numbers = [each.number for each in found.rows if each.number is not None]

    def above(width: int) -> Above:
        cut = "the last " if found.is_cut else ""
        pieces: Above = [[(f" {cut}{count(len(rows), 'change')}", "faint")]]
        if len(numbers) > 1:
            pieces.append([(f" {sparkline(numbers, width)}", "good")])
            ends = f" least {min(numbers):g}, most {max(numbers):g}, last {numbers[-1]:g}"
            pieces.append([(ends, "faint")])
        return pieces

    return MomentTable(
        title=f"All values of {found.expression}",
        headings=("when", "line", "old", "", "new"),
        rows=rows,
        cursor=_last([each.when for each in found.rows], at),
        above=above,
        goes="go to the line",
    )


def table_of_passes(found: Passes, at: int) -> MomentTable:
    """All passes of a line; values behind it are marked by an arrow."""
    rows = []
    for each in found.rows:
        values = [(text or "·", "value" if text else "faint") for text in each.read]
        made = [(text or "·", "changed" if text else "faint") for text in each.made]
        rows.append(MomentRow((_ago(each.spot), *values, *made), each.spot.moment))

    def above(width: int) -> Above:
        told = _of(len(rows), found.total, "pass", "passes")
        values = ", values before the line ran" if found.read else ""
        values += "; → is what it made" if found.made else ""
        return [[(f" {told}{values}", "faint")]]

    return MomentTable(
        title=f"Passes of {PurePath(found.path).name}:{found.line}",
        headings=("when", *found.read, *(f"→ {name}" for name in found.made)),
        rows=rows,
        cursor=_last([each.spot.moment.when for each in found.rows], at),
        above=above,
    )


def table_of_calls(found: Calls, at: int) -> MomentTable:
    """All calls of a function: where from, arguments, result."""
    names = list(dict.fromkeys(name for each in found.rows for name, _ in each.arguments))
    rows = []
    for each in found.rows:
        given = dict(each.arguments)
        result: Cell = (each.result, "changed")
        if each.has_raised:
            result = (f"raises {each.result}", "error")
        elif each.end is None:
            result = ("under way", "warning")
        caller = each.caller
        place = f"{PurePath(caller.path).name}:{caller.line}" if caller is not None else ""
        arguments = [(given.get(name, "·"), "value") for name in names]
        cells = (_ago(each.spot), (place, "name"), *arguments, result)
        rows.append(MomentRow(cells, each.spot.moment, each.end))

    def above(width: int) -> Above:
        return [[(f" {_of(len(rows), found.total, 'call', 'calls')}", "faint")]]

    return MomentTable(
        title=f"Calls of {found.function}",
        headings=("when", "called at", *names, "returns"),
        rows=rows,
        cursor=_last([each.spot.moment.when for each in found.rows], at),
        above=above,
        goes="go into it",
        end="to its return",
    )


def table_of_differences(found: Differences) -> MomentTable:
    """What differs between two moments; Enter goes to the line that began it."""
    rows = []
    for each in found.rows:
        place = f"{PurePath(each.first.path).name}:{each.first.line}" if each.first else ""
        rows.append(
            MomentRow(
                (
                    (each.expression, "name"),
                    (each.before or "not there", "value" if each.before else "faint"),
                    ("→", "faint"),
                    (each.now or "not there", "changed" if each.now else "faint"),
                    (each.function, "faint"),
                    (place, "name"),
                ),
                each.first.moment if each.first is not None else None,
            )
        )

    def above(width: int) -> Above:
        what = "nothing differs" if not rows else "what differed first comes first"
        more = ", more differs than is shown" if found.is_cut else ""
        lines = [f" {_told(found.earlier)} and {_told(found.later)}", f" {what}{more}"]
        return [[(line, "faint")] for line in lines]

    return MomentTable(
        title="What differs between two moments",
        headings=("what", "before", "", "after", "in", "first changed at"),
        rows=rows,
        cursor=0,
        above=above,
        goes="go to the line",
    )


def count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def _of(shown: int, total: int, one: str, many: str) -> str:
    words = f"1 {one}" if total == 1 else f"{total:,} {many}"
    return words if shown == total else f"{words}, of which {shown:,} around this moment"


def _where(spot: Spot | None) -> tuple[Cell, Cell]:
    if spot is None:
        return ("at first", "faint"), ("", "faint")
    return _ago(spot), (f"{place_of(spot)} {spot.function}", "name")


def _ago(spot: Spot) -> Cell:
    return f"{spot.ago:,}{AGO}", "faint"


def place_of(spot: Spot) -> str:
    """The file and the line."""
    return visible(f"{PurePath(spot.path).name}:{spot.line}")


def _told(spot: Spot) -> str:
    return f"{place_of(spot)} ({spot.steps_ago})"


def _last(moments: Sequence[int], at: int) -> int:
    """The index of the last one up to a moment."""
    return max((index for index, when in enumerate(moments) if when <= at), default=0)
