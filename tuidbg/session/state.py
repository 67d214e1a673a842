"""What the session knows, as immutable values.

DAP's camelCase dictionaries become these types at the border and nowhere else, so that front ends
(and, later, processes) exchange one vocabulary. Lines and columns are 1-based everywhere.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Status(StrEnum):
    """Where a session stands (R003-066; ``launching`` is shown to people as ``starting``)."""

    CREATED = "created"
    LAUNCHING = "launching"
    RUNNING = "running"
    PAUSED = "paused"
    TERMINATED = "terminated"
    FAILED = "failed"


class StopReason(StrEnum):
    """Why the program stands still (R003-067, R003-184)."""

    BREAKPOINT = "breakpoint"
    STEP = "step"
    EXCEPTION = "exception"
    PAUSE = "pause"
    ENTRY = "entry"


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all state values: immutable, comparable, cheap to make."""


class Place(Value, frozen=True):
    """A line of a source. ``reference`` is DAP's sourceReference where there is no file."""

    path: str
    line: int
    column: int = 1
    reference: int = 0


class ThreadState(Value, frozen=True):
    """One thread of the program, as DAP ``threads`` gives it."""

    id: int
    name: str


class Frame(Value, frozen=True):
    """One stack frame. ``index`` counts from 0 at the top; ``id`` is DAP's, valid for one stop."""

    id: int
    index: int
    name: str
    place: Place | None
    module: str = ""
    subtle: bool = False


class Scope(Value, frozen=True):
    """One scope of a frame. ``reference`` is valid until the program runs again."""

    name: str
    reference: int
    expensive: bool = False


class Variable(Value, frozen=True):
    """One variable. ``reference`` > 0 says that it has children; it dies when the program runs."""

    name: str
    value: str
    type: str = ""
    reference: int = 0
    evaluate_name: str = ""


class ExceptionState(Value, frozen=True):
    """The exception the program stopped at (DAP ``exceptionInfo``)."""

    type: str
    message: str
    break_mode: str = ""
    stack_trace: str = ""


class Stop(Value, frozen=True):
    """One stop. ``id`` grows by one with each: replies that belong to an older one are stale."""

    id: int
    reason: StopReason
    thread_id: int
    description: str = ""
    text: str = ""
    hit_breakpoints: tuple[int, ...] = ()
    exception: ExceptionState | None = None


class BreakpointStatus(StrEnum):
    """What became of a breakpoint.

    ``pending``: no adapter has answered yet. ``set``: the adapter stands by it where it was asked.
    ``refused``: it can't stop there; ``message`` says why.
    """

    PENDING = "pending"
    SET = "set"
    REFUSED = "refused"


class Breakpoint(Value, frozen=True):
    """A source breakpoint: what was asked (number, place, condition) and what became of it.

    ``number`` counts from 1 and is never used again in a session. ``suggested_line`` is the nearest
    line that can break, where a refused one could go; it is never moved there unasked (R001-31).
    """

    number: int
    path: str
    line: int
    enabled: bool = True
    condition: str = ""
    origin: str = "tui"
    status: BreakpointStatus = BreakpointStatus.PENDING
    message: str = ""
    suggested_line: int | None = None


class ExitState(Value, frozen=True):
    """How the program ended. ``signal`` is its name where a signal ended it (``SIGKILL``)."""

    code: int | None = None
    signal: str = ""


class EvaluateResult(Value, frozen=True):
    """What an evaluation gave; ``reference`` > 0 says that it can be expanded."""

    value: str
    type: str = ""
    reference: int = 0


class OutputLine(Value, frozen=True):
    """One line of the console.

    ``category``: ``stdout``, ``stderr`` or ``terminal`` (the program), ``console`` (the debugger),
    ``important`` (the debugger, something to act on), ``input`` and ``result`` (the prompt),
    ``error`` (an evaluation that failed). ``text`` has no line end and may hold SGR colour
    sequences, no other control sequence. ``number`` counts from 1 over the session.
    """

    number: int
    category: str
    text: str
    complete: bool = True
