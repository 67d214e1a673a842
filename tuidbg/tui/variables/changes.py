"""The differences of a call to the stop before: values that are others, new, or gone."""

from __future__ import annotations

from typing import NamedTuple

from tuidbg.session.values.types import VariableNode
from tuidbg.tui.variables.tree import Path, Values, plain_path, values_of

MOST_GONE = 20
"""Vanished variables of one parent that are shown."""


class Call(NamedTuple):
    """A frame as the stops of a run have it in common: ``depth`` counts from the bottom, from 1."""

    function: str
    thread_id: int = 0
    depth: int = 1


class Changes:
    """Compares what is known of a call with what was known of it at the stop before."""

    def __init__(self) -> None:
        self.changed: frozenset[Path] = frozenset()
        self.new: frozenset[Path] = frozenset()
        self.gone: dict[Path, list[tuple[str, str]]] = {}
        """The names and values that have vanished, by what they were in."""
        self._stops: dict[Call, int] = {}
        self._before: dict[Call, Values] = {}
        self._now: dict[Call, Values] = {}

    def begin(self, call: Call, stop_id: int) -> None:
        """The first time at each stop what was known becomes what the values are compared with."""
        if self._stops.get(call) != stop_id:
            self._stops[call] = stop_id
            self._before[call] = self._now.get(call, Values({}, set()))
            self._now[call] = Values({}, set())

    def stop_of(self, call: Call) -> int | None:
        """The stop at which the variables of a call were shown last."""
        return self._stops.get(call)

    def forget_above(self, thread_id: int, depth: int, function: str) -> None:
        """Calls above the frame where a thread stands have ended: the next there are new ones."""
        for call in list(self._stops):
            if call.thread_id == thread_id and (
                call.depth > depth or (call.depth == depth and call.function != function)
            ):
                del self._stops[call], self._before[call], self._now[call]

    def forget_all(self) -> None:
        """Another run of the program: nothing has changed since a stop of the last one."""
        self._stops.clear()
        self._before.clear()
        self._now.clear()

    def forget_value(self, call: Call, path: Path) -> None:
        """It is displayed otherwise: what stood there is nothing to compare with."""
        for known in (self._before.get(call), self._now.get(call)):
            if known is not None and plain_path(path) in known.shown:
                known.shown[plain_path(path)] = None

    def mark(self, call: Call, roots: tuple[VariableNode, ...]) -> None:
        """Compare what is shown of a call with what was shown of it at the stop before."""
        values = values_of(roots)
        nothing = Values({}, set())
        now = self._now.setdefault(call, nothing)
        now.shown.update(values.shown)
        now.whole.update(values.whole)
        before = self._before.get(call, nothing)
        old = before.shown
        # What was not shown last time is not new for that: only among known brothers.
        known = [
            (path, value)
            for path, value in values.shown.items()
            if value is not None and (*path[:-1], "") in old
        ]
        changed = ((path, old.get(path)) for path, value in known if old.get(path) != value)
        self.changed = frozenset(path for path, was in changed if was is not None)
        self.new = frozenset(
            path for path, _ in known if path not in old and path[:-1] in before.whole
        )
        self.gone = {}
        for path, value in old.items():
            parent = path[:-1]
            if value is None or path in values.shown or parent not in values.whole:
                continue
            if parent in before.whole and len(self.gone.get(parent, ())) < MOST_GONE:
                self.gone.setdefault(parent, []).append((path[-1], value))
