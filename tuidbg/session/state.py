"""Holds what the session knows, as immutable values.

DAP's camelCase dictionaries become these types at the border and nowhere else, so that front ends
(and, later, processes) exchange one vocabulary. Lines and columns are 1-based everywhere.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Status(StrEnum):
    """Tells where a session stands (``launching`` is shown to people as ``starting``)."""

    CREATED = "created"
    LAUNCHING = "launching"
    RUNNING = "running"
    PAUSED = "paused"
    TERMINATED = "terminated"
    FAILED = "failed"


class StopReason(StrEnum):
    """Tells why the program stands still."""

    BREAKPOINT = "breakpoint"
    STEP = "step"
    EXCEPTION = "exception"
    PAUSE = "pause"
    ENTRY = "entry"


class Value(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Base of all state values: immutable, comparable, cheap to make.

    What it is made of was there before it and does not change, so nothing leads back to it: the
    collector of garbage need not look at it, and of events there are very many.
    """


class Place(Value, frozen=True):
    """A line of a source. ``reference`` is DAP's sourceReference where there is no file.

    ``address`` is the instruction, where a breakpoint stands at one.
    """

    path: str
    line: int
    column: int = 1
    reference: int = 0
    address: int | None = None


class ThreadState(Value, frozen=True):
    """One thread of the program, as DAP ``threads`` gives it."""

    id: int
    name: str


class PassedOver(Value, frozen=True):
    """Tells how many frames of libraries are left out beside one that is told.

    ``above`` it and ``below`` it in the stack, and ``earlier``: of exceptions that led to the
    present one, where none of their frames is told.
    """

    above: int = 0
    below: int = 0
    earlier: int = 0


class Frame(Value, frozen=True):
    """One stack frame. ``index`` counts from 0 at the top; ``id`` is DAP's, valid for one stop.

    One that ``is_earlier`` is no caller of those above it: it belongs to an exception that led to
    the present one. ``remark`` says so, or that the program is paused there. One that
    ``is_passed_over`` is told only where all are asked for; ``beside`` counts such frames.
    """

    id: int
    index: int
    name: str
    place: Place | None
    module: str = ""
    subtle: bool = False
    is_earlier: bool = False
    remark: str = ""
    address: int | None = None
    """Tells where its next instruction is, on native code."""
    is_passed_over: bool = False
    beside: PassedOver | None = None


class Scope(Value, frozen=True):
    """One scope of a frame. ``reference`` is valid until the program runs again."""

    name: str
    reference: int
    expensive: bool = False
    hint: str = ""
    """DAP's ``presentationHint``: ``registers``, say."""


class VariableKind(StrEnum):
    """Names the kind of entry that a variable is, where that is known."""

    PLAIN = ""
    SPECIAL = "special"
    CALLABLE = "callable"
    CLASS = "class"
    MODULE = "module"
    RETURNED = "return"
    SHARED = "shared"
    PROPERTY = "property"


class ValueProblem(StrEnum):
    """Says why a value is not shown: it would take too long, it raised, nobody has asked yet.

    ``unknown``: there is no such name where it was looked for.
    """

    NONE = ""
    SLOW = "slow"
    RAISED = "raised"
    LATER = "later"
    LAZY = "lazy"
    UNKNOWN = "unknown"


class Variable(Value, frozen=True):
    """One variable. ``reference`` > 0 says that it has children; it dies when the program runs.

    ``handle`` > 0 is what ``session.values`` knows it by, as long as that. ``size`` is its length,
    or its shape and the type of its elements, where that is cheap to tell; ``total`` how many
    children it has, 0 where nobody has counted. Where there is a ``problem``, ``value`` names it,
    and ``Values.load`` works the value out; ``remark`` says what else a person should know of it.
    ``truncated``: ``value`` is known to be only a part of what could be shown.
    """

    name: str
    value: str
    type: str = ""
    reference: int = 0
    evaluate_name: str = ""
    handle: int = 0
    size: str = ""
    total: int = 0
    kind: VariableKind = VariableKind.PLAIN
    problem: ValueProblem = ValueProblem.NONE
    remark: str = ""
    truncated: bool = False
    memory_reference: str = ""
    """DAP's, where the adapter says that it is somewhere in memory."""
    is_secret: bool = False
    """What is beside it shows that it is a secret; only those who get none are told so."""


class Watch(Value, frozen=True):
    """An expression that is evaluated at every stop. ``number`` is never used again in a session.

    One that is ``pinned`` came from a variable: it has nothing to say where there is none.
    """

    number: int
    expression: str
    pinned: bool = False


class ExceptionState(Value, frozen=True):
    """The exception the program stopped at (DAP ``exceptionInfo``)."""

    type: str
    message: str
    break_mode: str = ""
    stack_trace: str = ""


class Stop(Value, frozen=True):
    """One stop. ``id`` grows by one with each: replies that belong to an older one are stale.

    ``all_threads_stopped``: else the other threads run on.
    """

    id: int
    reason: StopReason
    thread_id: int
    description: str = ""
    text: str = ""
    hit_breakpoints: tuple[int, ...] = ()
    problem: str = ""
    """That a condition raised, where this is why it stands here."""
    exception: ExceptionState | None = None
    all_threads_stopped: bool = True
    adapter_reason: str = ""
    """The adapter's own word for it, such as ``goto`` or ``function breakpoint``."""
    other_reason: str = ""
    """The same where it is no reason of DAP's: gdb's ``signal``, say."""
    signal: str = ""
    """The name of the signal that stopped it (``SIGSEGV``), on native code."""


class BreakpointStatus(StrEnum):
    """Says what became of a breakpoint.

    ``pending``: no adapter has answered yet. ``set``: the adapter stands by it where it was asked.
    ``refused``: it can't stop there; ``message`` says why.
    """

    PENDING = "pending"
    SET = "set"
    REFUSED = "refused"


class BreakpointKind(StrEnum):
    """Names what a breakpoint hangs on."""

    LINE = "line"
    FUNCTION = "function"
    ADDRESS = "address"
    EXCEPTION = "exception"
    DATA = "data"


class DataAccess(StrEnum):
    """Says what a data breakpoint stops at: the value changes, it is read, or either."""

    WRITE = "write"
    READ = "read"
    READ_WRITE = "readWrite"


class OnError(StrEnum):
    """Says what happens where a condition raises: stop and show it, or go on, count, report it."""

    STOP = "stop"
    REPORT = "report"


class ExceptionRule(Value, frozen=True):
    """Tells which exceptions an exception breakpoint stops at.

    ``type`` is a full name (``pkg.mod.MyError``; builtins may go without ``builtins.``), nothing
    for any. ``raised`` is the first chance, ``uncaught`` the second, ``user_uncaught`` where it
    leaves the person's own code. ``ignored`` are types that don't count, with their subtypes;
    ``modules`` are those in which it must be raised (with what is below them), nothing for any.
    """

    type: str = ""
    raised: bool = True
    uncaught: bool = True
    user_uncaught: bool = False
    subtypes: bool = True
    ignored: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


class Breakpoint(Value, frozen=True):
    """A breakpoint: what was asked (number, place, conditions) and what became of it.

    ``number`` counts from 1 and is never used again in a session. What it hangs on stands in
    ``path`` and ``line`` (also for functions, once their place is known), ``function``,
    ``address``, ``data`` or ``exception``, by its ``kind``.

    A hit is one arrival with the condition true; ``hits`` counts them over this run. It stops
    where ``hit_condition`` (``>5``, ``%3``; a bare number is ``==``) holds for that count and the
    first ``ignore_count`` hits since that was set (at hit ``ignore_from``) are over. One with a
    ``log_message`` writes it
    to the console instead; one with ``trace`` writes to the trace, with a message or without,
    at every ``every``-th hit (0 and 1: each) and ``at_most`` that often (0: always), then it
    disables itself. ``trigger`` is the number of the breakpoint that must be hit first.
    ``commands`` are expressions whose values are printed where it stops. Where ``ranks`` are named,
    it is there in the processes of a job that have these ranks, and in no other.

    ``suggested_line`` is the nearest line that can break, where a refused one could go; it is never
    moved there unasked. ``places`` are where the adapter has set it. ``misses`` counts
    arrivals with the condition false, ``errors`` those where it raised.
    """

    number: int
    path: str = ""
    line: int = 0
    column: int | None = None
    kind: BreakpointKind = BreakpointKind.LINE
    function: str = ""
    address: int | None = None
    data: str = ""
    access: DataAccess = DataAccess.WRITE
    exception: ExceptionRule | None = None
    uuid: str = ""
    enabled: bool = True
    condition: str = ""
    hit_condition: str = ""
    ignore_count: int = 0
    ignore_from: int = 0
    log_message: str = ""
    trace: bool = False
    every: int = 0
    at_most: int = 0
    trigger: int | None = None
    temporary: bool = False
    commands: tuple[str, ...] = ()
    on_error: OnError = OnError.STOP
    group: str = ""
    ranks: tuple[int, ...] = ()
    origin: str = "tui"
    status: BreakpointStatus = BreakpointStatus.PENDING
    message: str = ""
    suggested_line: int | None = None
    places: tuple[Place, ...] = ()
    hits: int = 0
    misses: int = 0
    errors: int = 0
    armed: bool = True

    @property
    def stops(self) -> bool:
        """Tells whether it stops the program; log points and tracepoints never do."""
        return not self.trace and not self.log_message


class TraceRecord(Value, frozen=True):
    """One hit of a tracepoint or log point. ``number`` counts from 1 over the session.

    ``count`` is the hit count of the breakpoint, ``time`` seconds since 1970.
    """

    number: int
    breakpoint: int
    count: int
    time: float
    thread: str
    text: str
    path: str = ""
    line: int = 0
    are_secret: tuple[bool, ...] | None = ()
    """Whether each value of it has a secret's name; None where nobody knows what they are of."""


class ExitState(Value, frozen=True):
    """Says how the program ended. If a signal did it, ``signal`` is its name (``SIGKILL``) and
    ``code`` minus its number.

    One that ``runs_on`` was attached to, and let go.
    """

    code: int | None = None
    signal: str = ""
    runs_on: bool = False


class EvaluateResult(Value, frozen=True):
    """Holds what an evaluation gave; ``reference`` > 0 says that it can be expanded."""

    value: str
    type: str = ""
    reference: int = 0
    memory_reference: str = ""


class OutputLine(Value, frozen=True):
    """One line of the console.

    ``category``: ``stdout``, ``stderr`` or ``terminal`` (the program), ``console`` (the debugger),
    ``important`` (the debugger, something to act on), ``input``, ``result`` and ``help`` (the
    prompt), ``error`` (an evaluation that failed), ``private`` (a token, say: shown, never sent or
    saved). ``text`` has no line end and may hold SGR colour sequences, no other control sequence.
    ``number`` counts from 1 over the session. ``is_secret``: the value of a secret stands in it.
    """

    number: int
    category: str
    text: str
    complete: bool = True
    is_secret: bool = False
