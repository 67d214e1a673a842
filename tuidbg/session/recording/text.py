"""A recorded call in words: its path line by line, with what each line changed beside it."""

from __future__ import annotations

from collections.abc import Sequence

from tuidbg.session import redaction
from tuidbg.session.recording.path import Change, Visit, count_passes
from tuidbg.session.recording.types import Local, Recording
from tuidbg.session.state import Value


class PathRow(Value, frozen=True):
    """A row of a path: a line with its changes, or, with line 0, the head of a loop.

    ``depth`` counts the loops around it; ``times`` is how often the line was executed in all, or
    the passes of the loop as words.
    """

    line: int
    depth: int
    times: str = ""
    changes: tuple[str, ...] = ()


def path_rows(recording: Recording, *, values: int, characters: int) -> list[PathRow]:
    """The rows of a path: so many values of one variable at a line, each so long at most."""
    rows = []
    for depth, node in recording.course:
        if isinstance(node, Visit):
            told = tuple(describe_change(change, values, characters) for change in node.changes)
            times = f"{node.times:,}" if node.times > 1 else ""
            rows.append(PathRow(line=node.line, depth=depth, times=times, changes=told))
        else:
            rows.append(PathRow(line=0, depth=depth, times=count_passes(node)))
    return rows


def describe_change(change: Change, values: int, characters: int) -> str:
    """``total: 0 → 1 → 3 … → 499500 (999×)``."""
    if change.kind == "gone":
        return f"{change.name} is gone"
    told = [_show(change.name, value, characters) for value in _some(change, max(1, values))]
    times = f" ({change.times:,}×)" if change.times > len([t for t in told if t != "…"]) else ""
    if change.kind == "returned":
        return f"{change.name} {', '.join(told)}{times}"
    if change.kind == "new":
        return f"{change.name} = {' → '.join(told)}{times}"
    before = _show(change.name, change.before, characters)
    return f"{change.name}: {' → '.join([before, *told])}{times}"


def _some(change: Change, values: int) -> list[str]:
    """The first values and the last one."""
    kept = [*change.values, *change.latest]
    if change.times <= values and len(kept) <= values:
        return kept
    if values == 1:
        return ["…", change.last] if change.times > 1 else kept[:1]
    return [*kept[: values - 1], "…", change.last]


def describe_local(local: Local, characters: int) -> str:
    """``name = value``, cut."""
    size = f" ({local.size})" if local.size else ""
    return f"{local.name} = {_show(local.name, local.value, characters)}{size}"


def describe_locals(locals_: Sequence[Local], characters: int, most: int) -> list[str]:
    """So many of them."""
    return [describe_local(local, characters) for local in locals_[:most]]


def describe_result(recording: Recording, characters: int) -> str:
    """The value that it returned; empty where nobody knows."""
    local = recording.returned
    name = recording.function if local is not None else ""
    return _show(name, local.value, characters) if local is not None else ""


def _show(name: str, value: str, characters: int) -> str:
    shown = " ".join(redaction.result(name, value).split("\n"))
    return shown if len(shown) <= characters else shown[: max(1, characters - 1)] + "…"
