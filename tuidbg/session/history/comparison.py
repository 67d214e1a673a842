"""Two past stops beside each other: which values changed, came and went."""

from __future__ import annotations

from collections.abc import Iterator

from tuidbg.session.history.timeline import PastStop, PastValue, Path
from tuidbg.session.state import Value


class Difference(Value, frozen=True):
    """A value at a stop beside the same at another.

    ``kind``: ``same``, ``changed``, ``new``, ``gone``, or empty where the other stop knows nothing
    of that call. ``now`` is None where it is gone, ``before`` where it is new.
    """

    frame: int
    path: Path
    kind: str
    now: PastValue | None
    before: PastValue | None


def compare(before: PastStop | None, now: PastStop) -> list[Difference]:
    """The values of a stop beside those of another, in the order in which they were shown.

    Values are compared within a call only: the same function at the same depth.
    """
    calls = _calls(before) if before is not None else {}
    siblings = {(frame, path[:-1]) for frame, path in before.values} if before is not None else ()
    differences: list[Difference] = []
    seen: set[tuple[int, Path]] = set()
    for (frame, path), value in now.values.items():
        known, kind, there = calls.get(_call(now, frame)), "", None
        if known is not None and before is not None and (known, path[:-1]) in siblings:
            seen.add((known, path))
            there = before.values.get((known, path))
            kind = _kind(there, value)
        differences.append(Difference(frame=frame, path=path, kind=kind, now=value, before=there))
    differences += _gone(before, now, seen)
    return differences


def _gone(
    before: PastStop | None, now: PastStop, seen: set[tuple[int, Path]]
) -> Iterator[Difference]:
    if before is None:
        return
    calls = _calls(now)
    shown = {(frame, path[:-1]) for frame, path in now.values}
    for (frame, path), value in before.values.items():
        here = calls.get(_call(before, frame))
        if here is not None and (frame, path) not in seen and (here, path[:-1]) in shown:
            yield Difference(frame=here, path=path, kind="gone", now=None, before=value)


def _kind(before: PastValue | None, now: PastValue) -> str:
    if before is None:
        return "new"
    return "same" if (before.value, before.type) == (now.value, now.type) else "changed"


def _call(stop: PastStop, frame: int) -> tuple[str, int, int]:
    """A function at its depth, counted from the bottom, in its thread."""
    return stop.frames[frame].function, stop.total - frame, stop.stop.thread_id


def _calls(stop: PastStop) -> dict[tuple[str, int, int], int]:
    return {_call(stop, index): index for index in range(len(stop.frames))}
