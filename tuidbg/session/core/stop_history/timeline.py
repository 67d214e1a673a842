"""The history of stops: read-only, not a way to run the program backwards.

A stop keeps the data fetched for the screen anyway: place, reason, stack, the values shown, the
position in the output. No request is sent to the adapter for it. It is bounded in stops and in
bytes; equal values and frames of one stop and the next are kept once.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from tuidbg.session.core.values.types import VariableNode
from tuidbg.session.model.events import ExceptionDescribed, SessionEvent, StackChanged
from tuidbg.session.model.state import Frame, Place, Scope, StateValue, Stop, Variable, VariableKind

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


MAX_STOPS = 2_000
MAX_BYTES = 16 * 1024 * 1024
"""The size limit; the oldest stops are dropped."""

VALUES_PER_STOP = 500
LONGEST_VALUE = 1_000
"""Values of one stop; characters of one value. The rest is not kept."""

VariablePath = tuple[str, ...]
"""The names from the scope down to a variable."""

_UNTOLD = frozenset({VariableKind.SPECIAL, VariableKind.MODULE})
_AT_THE_END = frozenset({VariableKind.CALLABLE, VariableKind.CLASS})
"""Kinds in a scope: existing before the program ran (omitted), or only defined by it (last)."""

_OVERHEAD = 150
_ENTRY = 75
"""About the bytes of one frame or value besides its text, and of a further reference to it."""

_KEYS_KEPT = 5_000
"""Names of values that are kept once for all stops."""


class StopFrame(StateValue, frozen=True):
    """A frame of a past stop."""

    name: str
    place: Place | None
    subtle: bool = False

    @property
    def function(self) -> str:
        """Return the name that identifies its function: ``path:name``."""
        return f"{self.place.path if self.place else ''}:{self.name}"


class PastValue(StateValue, frozen=True):
    """A value as displayed, cut at ``LONGEST_VALUE``.

    One that ``is_returned`` is a call's; its name says that.
    """

    path: VariablePath
    value: str
    type: str = ""
    is_returned: bool = False

    @property
    def name(self) -> str:
        """Return its path below its scope, for display: ``order › items › 0``."""
        return " › ".join(self.path[1:])


class PastStop(msgspec.Struct):
    """One stop. ``number`` counts from 1 over the session, ``run`` the starts of the program.

    ``values`` are those displayed, by the index of their frame and their path; they arrive while
    the program is stopped there. ``output`` is the number of the last line of output before the
    stop, ``passed`` counts the stops before it that were not viewed (typed ahead), ``total`` the
    frames, ``time`` seconds since 1970.
    """

    number: int
    run: int
    stop: Stop
    time: float
    thread: str
    frames: tuple[StopFrame, ...]
    total: int
    output: int
    passed: int = 0
    values: dict[tuple[int, VariablePath], PastValue] = {}
    bytes: int = 0

    @property
    def place(self) -> Place | None:
        """Return the place of the stop."""
        return self.frames[0].place if self.frames else None

    @property
    def function(self) -> str:
        """Return the name of the function it stopped in."""
        return self.frames[0].name if self.frames else ""


class History:
    """The stops of a session, the newest last."""

    def __init__(
        self, session: Session, *, max_stops: int = MAX_STOPS, max_bytes: int = MAX_BYTES
    ) -> None:
        self._session = session
        self._max_stops = max_stops
        self._max_bytes = max_bytes
        self._stops: deque[PastStop] = deque()
        self._bytes = 0
        self._last = 0
        self._run = 1
        self._stop_id = 0
        self._paths: dict[int, tuple[int, VariablePath]] = {}
        self._keys: dict[tuple[int, VariablePath], tuple[int, VariablePath]] = {}

    # Events

    def note(self, event: SessionEvent) -> None:
        """Record an event."""
        if isinstance(event, StackChanged):
            stop = self._session.stop
            if stop is not None and stop.id == event.stop_id and event.frames:
                self._begin(stop, event.frames, event.total)
        elif isinstance(event, ExceptionDescribed):
            newest = self.newest
            if newest is not None and newest.stop.id == event.stop.id:
                newest.stop = event.stop
                if event.stop.exception is not None:
                    self._count(newest, len(event.stop.exception.stack_trace))

    def begin_run(self) -> None:
        """Begin a new run of the program."""
        if self._stops and self._stops[-1].run == self._run:
            self._run += 1

    def note_scopes(self, frame_id: int, scopes: Sequence[Scope]) -> None:
        """Record the fetched scopes of a frame, without their contents."""
        frame = self._index_of(frame_id)
        if frame is not None:
            for scope in scopes:
                self._paths[scope.reference] = frame, (scope.name,)

    def note_variables(self, reference: int, variables: Sequence[Variable]) -> None:
        """Record the fetched children of a scope or a variable."""
        above = self._paths.get(reference)
        if above is not None:
            for variable in variables:
                self._note_value(*above, variable)
            self._drop()

    def note_tree(self, frame_id: int, scopes: Sequence[VariableNode]) -> None:
        """Record the fetched scopes of a frame with their open children."""
        frame = self._index_of(frame_id)
        if frame is not None:
            for scope in scopes:
                path = (scope.variable.name,)
                self._paths[scope.variable.reference] = frame, path
                told = [n for n in scope.children or () if n.variable.kind not in _UNTOLD]
                told.sort(key=lambda node: node.variable.kind in _AT_THE_END)
                self._note_nodes(frame, path, told)
            self._drop()

    def note_children(self, reference: int, nodes: Sequence[VariableNode]) -> None:
        """Record the fetched children of a scope or a variable with their open children."""
        above = self._paths.get(reference)
        if above is not None:
            self._note_nodes(*above, nodes)
            self._drop()

    def _index_of(self, frame_id: int) -> int | None:
        return next((f.index for f in self._session.frames if f.id == frame_id), None)

    def _note_nodes(self, frame: int, above: VariablePath, nodes: Sequence[VariableNode]) -> None:
        for node in nodes:
            self._note_value(frame, above, node.variable)
            if node.children:
                self._note_nodes(frame, (*above, node.variable.name), node.children)

    def _note_value(self, frame: int, above: VariablePath, variable: Variable) -> None:
        newest = self.newest
        if newest is None or newest.stop.id != self._session.stop_id:
            return
        if variable.name == "__exception__":
            return  # debugpy's; the stop has it
        if variable.name.endswith(" variables") and not variable.value:
            return  # one of debugpy's groups
        key = frame, (*above, variable.name)
        key = self._keys.setdefault(key, key)
        if variable.reference:
            self._paths[variable.reference] = key
        if key not in newest.values:
            if frame >= len(newest.frames) or len(newest.values) >= VALUES_PER_STOP:
                return
            self._count(newest, _ENTRY)
        text = variable.value
        if len(text) > LONGEST_VALUE:
            text = text[: LONGEST_VALUE - 1] + "…"
        before = self._stops[-2].values.get(key) if len(self._stops) > 1 else None
        if before is not None and before.value == text and before.type == variable.type:
            newest.values[key] = before
            return
        is_returned = variable.kind is VariableKind.RETURNED
        newest.values[key] = PastValue(
            path=key[1], value=text, type=variable.type, is_returned=is_returned
        )
        self._count(newest, _OVERHEAD + len(text))

    def _begin(self, stop: Stop, frames: Sequence[Frame], total: int) -> None:
        session, before = self._session, self.newest
        self._paths.clear()
        if len(self._keys) > _KEYS_KEPT:
            self._keys.clear()
        if before is not None and before.run == self._run and before.stop.id == stop.id:
            return  # it was not resumed, and is still at the same stop
        known = {f: f for f in before.frames} if before is not None else {}
        shown = [
            StopFrame(name=f.name, place=f.place, subtle=f.subtle)
            for f in frames
            if not f.is_earlier  # the depth of a call would change
        ]
        self._last += 1
        past = PastStop(
            number=self._last,
            run=self._run,
            stop=stop,
            time=time.time(),
            thread=next((t.name for t in session.threads if t.id == stop.thread_id), ""),
            frames=tuple(known.get(frame, frame) for frame in shown),
            total=total - (len(frames) - len(shown)),
            output=session.output.last_number,
            passed=max(0, stop.id - self._stop_id - 1) if before is not None else 0,
        )
        self._stop_id = stop.id
        self._stops.append(past)
        new = sum(frame not in known for frame in shown)
        self._count(past, _OVERHEAD * (6 + new) + 8 * len(shown))
        self._drop()

    def _count(self, stop: PastStop, size: int) -> None:
        stop.bytes += size
        self._bytes += size

    def _drop(self) -> None:
        stops = self._stops
        while len(stops) > 1 and (len(stops) > self._max_stops or self._bytes > self._max_bytes):
            self._bytes -= stops.popleft().bytes

    # Queries

    def __len__(self) -> int:
        return len(self._stops)

    def __iter__(self) -> Iterator[PastStop]:
        return iter(self._stops)

    @property
    def newest(self) -> PastStop | None:
        """Return the last stop."""
        return self._stops[-1] if self._stops else None

    @property
    def run(self) -> int:
        """Return the number of starts of the program, without runs that never stopped."""
        return self._run

    @property
    def dropped(self) -> int:
        """Return the number of dropped stops."""
        return self._last - len(self._stops)

    def get(self, number: int) -> PastStop | None:
        """Return the stop of that number; None if it was dropped or never existed."""
        index = number - self.dropped - 1
        return self._stops[index] if 0 <= index < len(self._stops) else None

    def since(self, number: int) -> list[PastStop]:
        """Return the kept stops after ``number``, the oldest first."""
        return list(islice(self._stops, max(0, number - self.dropped), None))
