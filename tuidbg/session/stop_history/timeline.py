"""A record of what was seen at each stop: to look back at, not a way to run the program backwards.

A stop leaves what was fetched for the screen anyway: place, reason, stack, the values that were
shown, how far the output had come. Nothing is asked of the adapter for it. It is bounded in stops
and in bytes; equal values and frames of one stop and the next are kept once.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol

import msgspec

from tuidbg.session.core import Program
from tuidbg.session.events import ExceptionDescribed, SessionEvent, StackChanged
from tuidbg.session.output import OutputBuffer
from tuidbg.session.state import Frame, Place, Scope, Stop, Value, Variable, VariableKind
from tuidbg.session.values.types import VariableNode

MAX_STOPS = 2_000
MAX_BYTES = 16 * 1024 * 1024
"""This much is kept; the oldest stops give way."""

VALUES_PER_STOP = 500
LONGEST_VALUE = 1_000
"""Values of one stop; characters of one value. What is beyond is not kept."""

VariablePath = tuple[str, ...]
"""The names from the scope down to a variable."""

_UNTOLD = frozenset({VariableKind.SPECIAL, VariableKind.MODULE})
_AT_THE_END = frozenset({VariableKind.CALLABLE, VariableKind.CLASS})
"""Of a scope: what was there before the program did anything, and what it only defines."""

_OVERHEAD = 150
_ENTRY = 75
"""About the bytes of one frame or value besides its text, and of naming it again at a stop."""

_KEYS_KEPT = 5_000
"""Names of values that are kept once for all stops."""


class PastFrame(Value, frozen=True):
    """A frame as it was."""

    name: str
    place: Place | None
    subtle: bool = False

    @property
    def function(self) -> str:
        """The name that tells its function from others: ``path:name``."""
        return f"{self.place.path if self.place else ''}:{self.name}"


class PastValue(Value, frozen=True):
    """A value as it was shown, without what was beyond ``LONGEST_VALUE``.

    One that ``is_returned`` is a call's; its name says that.
    """

    path: VariablePath
    value: str
    type: str = ""
    is_returned: bool = False

    @property
    def name(self) -> str:
        """As a person would write it below its scope: ``order › items › 0``."""
        return " › ".join(self.path[1:])


class PastStop(msgspec.Struct):
    """One stop. ``number`` counts from 1 over the session, ``run`` the starts of the program.

    ``values`` are those that were shown, by the index of their frame and their path; they come
    while the program stands there. ``output`` is the number of the last line of output before the
    stop, ``passed`` counts the stops before it at which nobody looked (typed ahead), ``total`` the
    frames, ``time`` seconds since 1970.
    """

    number: int
    run: int
    stop: Stop
    time: float
    thread: str
    frames: tuple[PastFrame, ...]
    total: int
    output: int
    passed: int = 0
    values: dict[tuple[int, VariablePath], PastValue] = {}
    bytes: int = 0

    @property
    def place(self) -> Place | None:
        """Returns where the program stood."""
        return self.frames[0].place if self.frames else None

    @property
    def function(self) -> str:
        """The name of the function it stood in."""
        return self.frames[0].name if self.frames else ""


class Recorded(Program, Protocol):
    """The program whose stops are kept."""

    @property
    def output(self) -> OutputBuffer:
        """All that it has written."""


class History:
    """The stops of a session, the newest last."""

    def __init__(
        self, session: Recorded, *, max_stops: int = MAX_STOPS, max_bytes: int = MAX_BYTES
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

    # What happens

    def note(self, event: SessionEvent) -> None:
        """Take what an event tells."""
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
        """The program is started again."""
        if self._stops and self._stops[-1].run == self._run:
            self._run += 1

    def note_scopes(self, frame_id: int, scopes: Sequence[Scope]) -> None:
        """The scopes of a frame were fetched, nothing of what is in them."""
        frame = self._index_of(frame_id)
        if frame is not None:
            for scope in scopes:
                self._paths[scope.reference] = frame, (scope.name,)

    def note_variables(self, reference: int, variables: Sequence[Variable]) -> None:
        """The children of a scope or a variable were fetched."""
        above = self._paths.get(reference)
        if above is not None:
            for variable in variables:
                self._note_value(*above, variable)
            self._drop()

    def note_tree(self, frame_id: int, scopes: Sequence[VariableNode]) -> None:
        """The scopes of a frame were fetched with what is open in them."""
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
        """The children of a scope or a variable were fetched with what is open in them."""
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
            return  # it would not go on, and stands where it stood
        known = {f: f for f in before.frames} if before is not None else {}
        shown = [
            PastFrame(name=f.name, place=f.place, subtle=f.subtle)
            for f in frames
            if not f.is_earlier  # the depth of a call would not be the same any more
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

    # What is known

    def __len__(self) -> int:
        return len(self._stops)

    def __iter__(self) -> Iterator[PastStop]:
        return iter(self._stops)

    @property
    def newest(self) -> PastStop | None:
        """The last stop there was."""
        return self._stops[-1] if self._stops else None

    @property
    def run(self) -> int:
        """Returns how often the program was started, not counting runs without a stop."""
        return self._run

    @property
    def dropped(self) -> int:
        """Returns how many stops had to give way."""
        return self._last - len(self._stops)

    def get(self, number: int) -> PastStop | None:
        """The stop of that number; None where it had to give way or has never been."""
        index = number - self.dropped - 1
        return self._stops[index] if 0 <= index < len(self._stops) else None

    def since(self, number: int) -> list[PastStop]:
        """The kept stops after ``number``, the oldest first."""
        return list(islice(self._stops, max(0, number - self.dropped), None))
