"""The path of a call through its lines, with the changes of each line; loops folded.

Loop iterations with the same lines are kept once: with their number, the first and the last values
of their changes. So a path's size depends on its shape and not on its length.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec

from tuidbg.session.core import redaction
from tuidbg.session.model.state import StateValue

LONGEST_LOOP = 60
"""Lines and inner loops of one iteration; a longer one is not recognised as a repetition."""

KEPT = 100
"""Values kept of one variable at one line: half of them the first, half the last."""

MAX_CHARACTERS = 4_000_000
"""The limit for all values of one path."""

Shape = tuple[object, ...]


class LineEffect(msgspec.Struct):
    """The effect of one line on one variable, over all executions.

    ``kind``: ``new``, ``changed``, ``gone``, or ``returned`` for the result of a call on that line.
    ``before`` is the value before the first of ``times``; ``values`` are the first ones after that,
    ``latest`` the last ones that are not among these.
    """

    name: str
    kind: str
    before: str = ""
    values: list[str] = []
    latest: deque[str] = msgspec.field(default_factory=lambda: deque(maxlen=KEPT // 2))
    times: int = 1

    @property
    def last(self) -> str:
        """Return the value after the last change."""
        return self.latest[-1] if self.latest else (self.values[-1] if self.values else "")

    def take(self, other: LineEffect) -> None:
        """Merge the same change of a later iteration."""
        for value in (*other.values, *other.latest):
            (self.values if len(self.values) < KEPT // 2 else self.latest).append(value)
        self.times += other.times


class LineVisit(msgspec.Struct):
    """A line executed ``times``, and its changes."""

    line: int
    changes: list[LineEffect] = []
    times: int = 1

    @property
    def shape(self) -> Shape:
        return (self.line,)

    def take(self, other: LineVisit) -> None:
        self.times += other.times
        for change in other.changes:
            is_value = change.kind in ("new", "changed")
            for known in self.changes:
                same = known.kind == change.kind or (is_value and known.kind in ("new", "changed"))
                if same and known.name == change.name:
                    known.take(change)
                    break
            else:
                self.changes.append(change)


class Loop(msgspec.Struct):
    """Repeated lines: ``least`` to ``most`` iterations per entry."""

    body: list[LineVisit | Loop]
    least: int = 1
    most: int = 1

    @property
    def shape(self) -> Shape:
        return ("loop", *(node.shape for node in self.body))

    def take_pass(self, nodes: Sequence[LineVisit | Loop]) -> None:
        """Merge one more iteration."""
        _take_all(self.body, nodes)
        self.least += 1
        self.most += 1

    def take(self, other: Loop) -> None:
        """Merge another entry of the same loop."""
        _take_all(self.body, other.body)
        self.least = min(self.least, other.least)
        self.most = max(self.most, other.most)


Node = LineVisit | Loop


def _take_all(nodes: Sequence[Node], others: Sequence[Node]) -> None:
    for node, other in zip(nodes, others, strict=True):
        if isinstance(node, LineVisit):
            assert isinstance(other, LineVisit)
            node.take(other)
        else:
            assert isinstance(other, Loop)
            node.take(other)


class Path:
    """The path of one call."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._shapes: list[Shape] = []
        self._characters = 0
        self.is_full = False
        """True if changes are only counted: there is no space for their values."""

    def add(self, line: int, changes: Sequence[LineEffect] = ()) -> None:
        """Add an executed line."""
        self._characters += sum(len(c.before) + sum(map(len, c.values)) for c in changes)
        self.is_full = self.is_full or self._characters > MAX_CHARACTERS
        kept = [] if self.is_full else list(changes)
        visit = LineVisit(line=line, changes=kept)
        if not self._continues(visit.shape):
            self.fold()
        self._append(visit)
        self._end_pass()

    def fold(self) -> None:
        """Fold all repetitions so far; no more iterations follow."""
        while self._fold():
            pass

    def _continues(self, shape: Shape) -> bool:
        """True if that continues an iteration of the last loop: folding around it must wait."""
        for behind in range(min(LONGEST_LOOP, len(self.nodes))):
            index = len(self.nodes) - 1 - behind
            loop = self.nodes[index]
            if isinstance(loop, Loop):
                body = self._shapes[index][1:]
                begun = (*self._shapes[index + 1 :], shape)
                return begun == body[: len(begun)]
        return False

    def _end_pass(self) -> None:
        """Merge a completed iteration into the last loop."""
        for size in range(1, min(LONGEST_LOOP, len(self.nodes) - 1) + 1):
            loop = self.nodes[-size - 1]
            if isinstance(loop, Loop):
                if self._shapes[-size - 1] == ("loop", *self._shapes[-size:]):
                    loop.take_pass(self.nodes[-size:])
                    self._drop(size)
                return

    def _append(self, node: Node) -> None:
        self.nodes.append(node)
        self._shapes.append(node.shape)

    def _fold(self) -> bool:
        """Fold a first repetition into a loop, or a further one into an iteration of its loop."""
        shapes, count = self._shapes, len(self._shapes)
        for size in range(1, min(LONGEST_LOOP, count - 1) + 1):
            tail = tuple(shapes[count - size :])
            before = self.nodes[count - size - 1]
            if isinstance(before, Loop) and shapes[count - size - 1] == ("loop", *tail):
                before.take_pass(self.nodes[count - size :])
                self._drop(size)
                return True
            first = count - 2 * size
            if first >= 0 and shapes[first] == tail[0] and tuple(shapes[first:-size]) == tail:
                loop = Loop(body=self.nodes[first : count - size])
                loop.take_pass(self.nodes[count - size :])
                self._drop(2 * size)
                self._append(loop)
                return True
        return False

    def _drop(self, size: int) -> None:
        del self.nodes[-size:]
        del self._shapes[-size:]

    def __iter__(self) -> Iterator[tuple[int, Node]]:
        """Iterate the nodes with their depth, loops before their contents."""
        return _walk(self.nodes, 0)

    def describe(self, most: int = 400) -> str:
        """Return ``12 → 13 → (14 → 15) × 998 → 17``, in about ``most`` characters."""
        text = _describe(self.nodes)
        if len(text) <= most:
            return text
        half = max(1, most // 2)
        head, _, _ = text[:half].rpartition(" → ")
        _, _, tail = text[-half:].partition(" → ")
        return f"{head or text[:half]} → … → {tail or text[-half:]}"


def _walk(nodes: Sequence[Node], depth: int) -> Iterator[tuple[int, Node]]:
    for node in nodes:
        yield depth, node
        if isinstance(node, Loop):
            yield from _walk(node.body, depth + 1)


def _describe(nodes: Sequence[Node]) -> str:
    return " → ".join(
        str(node.line)
        if isinstance(node, LineVisit)
        else f"({_describe(node.body)}) × {count_passes(node)}"
        for node in nodes
    )


def count_passes(loop: Loop) -> str:
    """Return ``998``, or ``3-7`` if the loop was entered several times."""
    return f"{loop.most:,}" if loop.least == loop.most else f"{loop.least:,}-{loop.most:,}"


MAX_STEPS = 2_000
MAX_SECONDS = 60.0
"""The default limits of one recording."""


class RecordingLimits(StateValue, frozen=True):
    """The limits of a recording: steps in the function, and seconds in all."""

    steps: int = MAX_STEPS
    seconds: float = MAX_SECONDS


class Phase(StrEnum):
    """The progress of a recording."""

    WAITING = "waiting"
    RECORDING = "recording"
    DONE = "done"


class RecordingEnd(StrEnum):
    """The reasons for the end of a recording.

    ``stopped``: a breakpoint or an exception stopped the program in the middle. ``ended``: the
    program has ended. ``time``: it took too long. ``failed``: the adapter could not continue.
    """

    NONE = ""
    RETURNED = "returned"
    RAISED = "raised"
    STOPPED = "stopped"
    ENDED = "ended"
    CANCELLED = "cancelled"
    TIME = "time"
    FAILED = "failed"


class Local(StateValue, frozen=True):
    """A variable as rendered."""

    name: str
    value: str
    type: str = ""
    size: str = ""


class CallRecording(msgspec.Struct):
    """One recorded call. ``number`` counts from 1 over the session; ``origin`` is its requester.

    ``kind`` is ``generator``, ``coroutine`` or ``async generator`` where it is one. One that is not
    ``is_whole`` begins in the middle of the call, at ``first_line``. ``others`` are locals that
    existed at the beginning and are no arguments. ``returned`` is None if the value is unknown;
    ``is_read`` is set if it was derived from its ``return`` line. ``steps`` is the number of
    recorded steps, ``sentence`` describes its end, ``cut`` the omitted parts and why; one that
    ``is_cut_short`` has no path of its last steps.
    """

    number: int
    function: str
    origin: str
    path: str = ""
    first_line: int = 0
    thread_id: int = 0
    kind: str = ""
    is_whole: bool = False
    arguments: list[Local] = []
    others: list[Local] = []
    course: Path = msgspec.field(default_factory=Path)
    steps: int = 0
    line: int = 0
    phase: Phase = Phase.WAITING
    ending: RecordingEnd = RecordingEnd.NONE
    returned: Local | None = None
    is_read: bool = False
    exception: str = ""
    sentence: str = ""
    cut: list[str] = []
    is_cut_short: bool = False
    seconds: float = 0.0

    @property
    def is_over(self) -> bool:
        """True if it is complete."""
        return self.phase is Phase.DONE


class PathRow(StateValue, frozen=True):
    """A row of a path: a line with its changes, or, with line 0, the head of a loop.

    ``depth`` counts the loops around it; ``times`` is the total number of executions of the line,
    or the loop's iterations as text.
    """

    line: int
    depth: int
    times: str = ""
    changes: tuple[str, ...] = ()


def path_rows(recording: CallRecording, *, values: int, characters: int) -> list[PathRow]:
    """Return the rows of a path: ``values`` per variable and line, each cut to ``characters``."""
    rows = []
    for depth, node in recording.course:
        if isinstance(node, LineVisit):
            told = tuple(describe_change(change, values, characters) for change in node.changes)
            times = f"{node.times:,}" if node.times > 1 else ""
            rows.append(PathRow(line=node.line, depth=depth, times=times, changes=told))
        else:
            rows.append(PathRow(line=0, depth=depth, times=count_passes(node)))
    return rows


def describe_change(change: LineEffect, values: int, characters: int) -> str:
    """Return ``total: 0 → 1 → 3 … → 499500 (999×)``."""
    if change.kind == "gone":
        return f"{change.name} deleted"
    told = [_show(change.name, value, characters) for value in _some(change, max(1, values))]
    times = f" ({change.times:,}×)" if change.times > len([t for t in told if t != "…"]) else ""
    if change.kind == "returned":
        return f"{change.name} {', '.join(told)}{times}"
    if change.kind == "new":
        return f"{change.name} = {' → '.join(told)}{times}"
    before = _show(change.name, change.before, characters)
    return f"{change.name}: {' → '.join([before, *told])}{times}"


def _some(change: LineEffect, values: int) -> list[str]:
    """Return the first values and the last one."""
    kept = [*change.values, *change.latest]
    if change.times <= values and len(kept) <= values:
        return kept
    if values == 1:
        return ["…", change.last] if change.times > 1 else kept[:1]
    return [*kept[: values - 1], "…", change.last]


def describe_local(local: Local, characters: int) -> str:
    """Return ``name = value``, truncated."""
    size = f" ({local.size})" if local.size else ""
    return f"{local.name} = {_show(local.name, local.value, characters)}{size}"


def describe_locals(locals_: Sequence[Local], characters: int, most: int) -> list[str]:
    """Return the descriptions of at most ``most`` locals."""
    return [describe_local(local, characters) for local in locals_[:most]]


def describe_result(recording: CallRecording, characters: int) -> str:
    """Return the returned value; empty if unknown."""
    local = recording.returned
    name = recording.function if local is not None else ""
    return _show(name, local.value, characters) if local is not None else ""


def _show(name: str, value: str, characters: int) -> str:
    shown = " ".join(redaction.result(name, value).split("\n"))
    return shown if len(shown) <= characters else shown[: max(1, characters - 1)] + "…"
