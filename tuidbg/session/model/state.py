"""The session's state, as immutable values.

DAP's camelCase dictionaries are converted to these types at the border and nowhere else, so that
front ends (and, later, processes) share one vocabulary. Lines and columns are 1-based everywhere.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Status(StrEnum):
    """The state of a session (``launching`` is displayed as ``starting``)."""

    CREATED = "created"
    LAUNCHING = "launching"
    RUNNING = "running"
    PAUSED = "paused"
    TERMINATED = "terminated"
    FAILED = "failed"


class StopReason(StrEnum):
    """The reason why the program is stopped."""

    BREAKPOINT = "breakpoint"
    STEP = "step"
    EXCEPTION = "exception"
    PAUSE = "pause"
    ENTRY = "entry"


class StateValue(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The base of all state values: immutable, comparable, cheap to make.

    Its parts existed before it and do not change, so no reference leads back to it: the garbage
    collector need not track it, and there are very many events.
    """


class Place(StateValue, frozen=True):
    """A line of a source. ``reference`` is DAP's sourceReference if there is no file.

    ``address`` is the instruction, for a breakpoint at one.
    """

    path: str
    line: int
    column: int = 1
    reference: int = 0
    address: int | None = None


class ThreadState(StateValue, frozen=True):
    """One thread of the program, as in DAP ``threads``."""

    id: int
    name: str


class PassedOver(StateValue, frozen=True):
    """The numbers of library frames omitted beside a shown one.

    ``above`` it and ``below`` it in the stack, and ``earlier``: of exceptions that led to the
    current one, if none of their frames is shown.
    """

    above: int = 0
    below: int = 0
    earlier: int = 0


class Frame(StateValue, frozen=True):
    """One stack frame. ``index`` counts from 0 at the top; ``id`` is DAP's, valid for one stop.

    One that ``is_earlier`` is no caller of those above it: it belongs to an exception that led to
    the current one. ``remark`` says so, or that the program is paused there. One that
    ``is_passed_over`` is shown only if all are requested; ``beside`` counts such frames.
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
    """The address of its next instruction, on native code."""
    is_passed_over: bool = False
    beside: PassedOver | None = None


class Scope(StateValue, frozen=True):
    """One scope of a frame. ``reference`` is valid until the program is resumed."""

    name: str
    reference: int
    expensive: bool = False
    hint: str = ""
    """DAP's ``presentationHint``, such as ``registers``."""


class VariableKind(StrEnum):
    """The kind of a variable, if known."""

    PLAIN = ""
    SPECIAL = "special"
    CALLABLE = "callable"
    CLASS = "class"
    MODULE = "module"
    RETURNED = "return"
    SHARED = "shared"
    PROPERTY = "property"


class ValueProblem(StrEnum):
    """The reason why a value is not shown: too slow, raised, or not requested yet.

    ``unknown``: there is no such name where it was searched.
    """

    NONE = ""
    SLOW = "slow"
    RAISED = "raised"
    LATER = "later"
    LAZY = "lazy"
    UNKNOWN = "unknown"


class Variable(StateValue, frozen=True):
    """One variable. ``reference`` > 0: it has children, until the program runs again.

    ``handle`` > 0 is its id in ``session.values``, for as long as that. ``size`` is its length, or
    its shape and the type of its elements, if that is cheap; ``total`` the number of its children,
    0 if not counted. If there is a ``problem``, ``value`` names it, and ``Values.load`` computes
    the value; ``remark`` is further information for the user. ``truncated``: ``value`` is known to
    be only a part of the full text.
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
    """DAP's, if the adapter reports a memory location."""
    is_secret: bool = False
    """Marked as a secret by its siblings; only set for callers without access to secrets."""


class WatchExpression(StateValue, frozen=True):
    """An expression evaluated at every stop. ``number`` is never reused in a session.

    One that is ``pinned`` came from a variable: it is empty where there is none.
    """

    number: int
    expression: str
    pinned: bool = False


class ExceptionState(StateValue, frozen=True):
    """The exception the program stopped at (DAP ``exceptionInfo``)."""

    type: str
    message: str
    break_mode: str = ""
    stack_trace: str = ""


class Stop(StateValue, frozen=True):
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
    """The error of a condition, if that is why it stopped."""
    exception: ExceptionState | None = None
    all_threads_stopped: bool = True
    adapter_reason: str = ""
    """The adapter's own reason, such as ``goto`` or ``function breakpoint``."""
    other_reason: str = ""
    """The same if it is no reason of DAP's, such as gdb's ``signal``."""
    signal: str = ""
    """The name of the signal that stopped it (``SIGSEGV``), on native code."""


class BreakpointStatus(StrEnum):
    """The result of setting a breakpoint.

    ``pending``: no adapter has replied yet. ``set``: the adapter has verified it at the requested
    place. ``refused``: it can't stop there; ``message`` is the reason.
    """

    PENDING = "pending"
    SET = "set"
    REFUSED = "refused"


class BreakpointKind(StrEnum):
    """The kind of a breakpoint's place."""

    LINE = "line"
    FUNCTION = "function"
    ADDRESS = "address"
    EXCEPTION = "exception"
    DATA = "data"


class DataAccess(StrEnum):
    """The access a data breakpoint stops at: the value changes, it is read, or either."""

    WRITE = "write"
    READ = "read"
    READ_WRITE = "readWrite"


class OnError(StrEnum):
    """The reaction to a failed condition: stop and show it, or continue, count and report it."""

    STOP = "stop"
    REPORT = "report"


class ExceptionRule(StateValue, frozen=True):
    """The exceptions an exception breakpoint stops at.

    ``type`` is a full name (``pkg.mod.MyError``; builtins may omit ``builtins.``), empty for any.
    ``raised`` is the first chance, ``uncaught`` the second, ``user_uncaught`` where it leaves user
    code. ``ignored`` are types that don't count, with their subtypes; ``modules`` are those in
    which it must be raised (with their submodules), empty for any.
    """

    type: str = ""
    raised: bool = True
    uncaught: bool = True
    user_uncaught: bool = False
    subtypes: bool = True
    ignored: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


class Breakpoint(StateValue, frozen=True):
    """A breakpoint: the request (number, place, conditions) and its result.

    ``number`` counts from 1 and is never reused in a session. Its place is in ``path`` and ``line``
    (also for functions, once their place is known), ``function``, ``address``, ``data`` or
    ``exception``, by its ``kind``.

    A hit is one execution with the condition true; ``hits`` counts them over this run. It stops if
    ``hit_condition`` (``>5``, ``%3``; a bare number is ``==``) holds for that count and the first
    ``ignore_count`` hits since that was set (at hit ``ignore_from``) are over. One with a
    ``log_message`` writes it to the console instead; one with ``trace`` writes to the trace, with
    or without a message, at every ``every``-th hit (0 and 1: each) and at most ``at_most`` times
    (0: always), then it disables itself. ``trigger`` is the number of the breakpoint that must be
    hit first. ``commands`` are expressions whose values are printed when it stops. If ``ranks`` are
    given, it exists in the processes of a job that have these ranks, and in no other.

    ``suggested_line`` is the nearest line that can break, for a refused one; it is never moved
    there automatically. ``places`` are the adapter's actual locations. ``misses`` counts executions
    with the condition false, ``errors`` those where it raised.
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
        """True if it stops the program; log points and tracepoints never do."""
        return not self.trace and not self.log_message


class TraceRecord(StateValue, frozen=True):
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
    """A flag for each of its values with a secret's name; None if their names are unknown."""


class ExitState(StateValue, frozen=True):
    """The end of the program.

    For a signal, ``signal`` is its name (``SIGKILL``) and ``code`` minus its number. One that
    ``runs_on`` was attached to, and detached.
    """

    code: int | None = None
    signal: str = ""
    runs_on: bool = False


class EvaluateResult(StateValue, frozen=True):
    """The result of an evaluation; ``reference`` > 0 means that it can be expanded."""

    value: str
    type: str = ""
    reference: int = 0
    memory_reference: str = ""


class OutputLine(StateValue, frozen=True):
    """One line of the console.

    ``category``: ``stdout``, ``stderr`` or ``terminal`` (the program), ``console`` (the debugger),
    ``important`` (the debugger, something to act on), ``input``, ``result`` and ``help`` (the
    prompt), ``error`` (an evaluation that failed), ``private`` (a token, for example: shown, never
    sent or saved). ``text`` has no line end and may contain SGR colour sequences, no other control
    sequence. ``number`` counts from 1 over the session. ``is_secret``: it contains the value of a
    secret.
    """

    number: int
    category: str
    text: str
    complete: bool = True
    is_secret: bool = False
