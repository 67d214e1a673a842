"""The answers (section 4.2 of the contract): msgspec structs with the contract's names.

The OpenAPI document is made of these types and their docstrings (``openapi.py``).
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from tuidbg.api.operations.job import AnswerView, Commanded, JobView, ProcessView
from tuidbg.session.features.job.stacks import StackEntry


class Answer(Struct, frozen=True, kw_only=True):
    """Base of all."""


StatusName = Literal["created", "launching", "running", "paused", "terminated", "failed"]
StopReasonName = Literal["breakpoint", "step", "exception", "pause", "entry"]


class HealthResponse(Answer, frozen=True):
    """How the server is."""

    status: Literal["healthy"]
    version: str
    uptime_seconds: int
    active_sessions: int
    debugpy_available: bool


class ServerCapabilities(Answer, frozen=True):
    """Capabilities."""

    supports_conditional_breakpoints: bool
    supports_hit_conditional_breakpoints: bool
    supports_log_points: bool
    supports_exception_breakpoints: bool
    supports_function_breakpoints: bool
    supports_evaluate: bool
    supports_set_variable: bool
    supports_restart: bool
    supports_attach: bool
    max_sessions: int


class InfoResponse(Answer, frozen=True):
    """The server."""

    name: str
    version: str
    api_version: str
    python_version: str
    debugpy_version: str | None
    capabilities: ServerCapabilities
    endpoints: list[str]


# Sessions


class SessionSettings(Answer, frozen=True):
    """Settings of a session."""

    project_root: str
    python_path: str
    stop_on_entry: bool


class SessionCreated(Answer, frozen=True):
    """A new session."""

    session_id: str
    name: str
    status: StatusName
    created_at: str
    expires_at: str | None
    config: SessionSettings


class SessionSummary(Answer, frozen=True):
    """One session of the list."""

    session_id: str
    name: str
    status: StatusName
    created_at: str
    program: str | None
    parent_id: str | UnsetType = UNSET


class SessionListResponse(Answer, frozen=True):
    """A page of the sessions."""

    items: list[SessionSummary]
    total: int
    offset: int
    limit: int
    has_more: bool


class Program(Answer, frozen=True, kw_only=True):
    """Program of a session."""

    script: str | UnsetType | None = UNSET
    module: str | UnsetType = UNSET
    args: tuple[str, ...]
    cwd: str
    env: dict[str, str] | UnsetType = UNSET


class SourceLocation(Answer, frozen=True):
    """Position of the program."""

    path: str | None
    line: int
    column: int
    function: str


class ExceptionTold(Answer, frozen=True):
    """The exception of a stop."""

    type: str
    message: str
    traceback: str


class SessionResponse(Answer, frozen=True):
    """All of a session."""

    session_id: str
    name: str
    status: StatusName
    stop_reason: StopReasonName | None
    created_at: str
    expires_at: str | None
    config: SessionSettings
    program: Program | None
    current_location: SourceLocation | None
    stopped_thread_id: int | None
    breakpoint_count: int
    exception: ExceptionTold | None
    parent_id: str | UnsetType = UNSET


class SessionDeleted(Answer, frozen=True):
    """Summary of a deleted session."""

    session_id: str
    deleted: bool
    final_status: StatusName
    exit_code: int | None
    runtime_seconds: float


class Launched(Answer, frozen=True):
    """A program that was started."""

    session_id: str
    status: StatusName
    pid: int | None
    program: Program


class Attached(Answer, frozen=True):
    """A program that was attached to."""

    session_id: str
    status: StatusName
    attached: bool
    pid: int | None
    host: str | None
    port: int | None


class SourceFile(Answer, frozen=True):
    """A source."""

    path: str
    name: str | UnsetType = UNSET


class BreakpointSet(Answer, frozen=True):
    """A breakpoint."""

    id: str
    verified: bool
    source: SourceFile
    line: int
    condition: str | None
    hit_condition: str | None
    log_message: str | None
    enabled: bool
    message: str | None


class BreakpointListed(BreakpointSet, frozen=True):
    """A breakpoint with its count."""

    hit_count: int


class BreakpointResponse(Answer, frozen=True):
    """The breakpoints that were asked for, in that order."""

    breakpoints: list[BreakpointSet]


class BreakpointListResponse(Answer, frozen=True):
    """The breakpoints of a session; ``total`` counts after the filters."""

    breakpoints: list[BreakpointListed]
    total: int


class BreakpointDeleted(Answer, frozen=True):
    """A breakpoint is gone."""

    id: str
    deleted: bool


class ContinueResponse(Answer, frozen=True):
    """The program goes on."""

    session_id: str
    status: StatusName
    continued: bool


class PauseResponse(Answer, frozen=True):
    """Position at the pause."""

    session_id: str
    status: StatusName
    stop_reason: StopReasonName | None
    current_location: SourceLocation | None


class StepResponse(PauseResponse, frozen=True):
    """Position after a step."""

    thread_id: int | None


class ReturnValue(Answer, frozen=True):
    """Returned value of a function."""

    type: str
    value: str


class StepOutResponse(StepResponse, frozen=True):
    """The same with the returned value, if it is known."""

    return_value: ReturnValue | None


# Inspection


class ThreadTold(Answer, frozen=True):
    """One thread."""

    id: int
    name: str
    status: StatusName
    is_current: bool


class ThreadsResponse(Answer, frozen=True):
    """The threads of the program."""

    threads: list[ThreadTold]
    stopped_thread_id: int | None


class FrameTold(Answer, frozen=True):
    """One frame; ``id`` is its index, 0 the top."""

    id: int
    name: str
    source: SourceFile | None
    line: int
    column: int
    module_name: str | None
    presentation_hint: Literal["normal", "label", "subtle"]


class StackTraceResponse(Answer, frozen=True):
    """A part of a stack."""

    thread_id: int
    frames: list[FrameTold]
    total_frames: int


class ScopeTold(Answer, frozen=True):
    """One scope."""

    name: str
    presentation_hint: Literal["locals", "globals", "registers"] | None
    variables_reference: int
    named_variables: int
    indexed_variables: int
    expensive: bool


class ScopesResponse(Answer, frozen=True):
    """The scopes of a frame."""

    frame_id: int
    scopes: list[ScopeTold]


class PresentationHint(Answer, frozen=True):
    """Kind of a variable, in DAP's terms."""

    kind: str
    attributes: list[str] | UnsetType = UNSET
    visibility: str | UnsetType = UNSET


class VariableTold(Answer, frozen=True):
    """One variable."""

    name: str
    value: str
    type: str
    variables_reference: int
    named_variables: int
    indexed_variables: int
    presentation_hint: PresentationHint
    truncated: bool


class VariablesResponse(Answer, frozen=True):
    """Variables of a scope, or of a variable; ``total`` counts all that there are."""

    variables_reference: int
    variables: list[VariableTold]
    total: int


class EvaluateResponse(Answer, frozen=True):
    """Value of an expression, or ``error`` if it raised."""

    result: str | None
    type: str | None
    variables_reference: int = 0
    named_variables: int = 0
    indexed_variables: int = 0
    presentation_hint: PresentationHint | None = None
    error: str | UnsetType = UNSET


# Output and events


class OutputTold(Answer, frozen=True):
    """A piece of output."""

    category: Literal["stdout", "stderr", "console"]
    output: str
    timestamp: str
    source: str | None
    line: int | None


class OutputResponse(Answer, frozen=True):
    """Output from a cursor on; ``dropped`` pieces after it had to give way to newer ones."""

    entries: list[OutputTold]
    next_cursor: str
    has_more: bool
    dropped: int


class EventTold(Answer, frozen=True):
    """One event; ``origin`` is its cause."""

    seq: int
    type: Literal["stopped", "continued", "terminated", "output", "breakpoint", "thread", "module"]
    timestamp: str
    body: Any
    """One of ``feed_events``, by the type."""
    origin: str


class EventsResponse(Answer, frozen=True):
    """Events from a cursor on."""

    events: list[EventTold]
    next_cursor: str
    has_more: bool
    session_status: StatusName


class JobProcess(Answer, frozen=True):
    """One process; ``instead`` describes one without a position, ``reason`` its stop."""

    session_id: str
    rank: int | None
    local_rank: int | None
    world_size: int | None
    host: str | None
    role: str | None
    worker: str | None
    name: str
    pid: int | None
    status: StatusName
    location: SourceLocation | None
    instead: str | None
    reason: str | None
    waits_for: str | None
    differs: bool


class JobStack(Answer, frozen=True):
    """A stack, the newest call first, and those that have it."""

    who: str
    count: int
    differs: bool
    calls: list[SourceLocation]
    instead: str | None
    reason: str | None


class JobResponse(Answer, frozen=True):
    """All processes in the order of their ranks, and their stacks, the fewest first."""

    processes: list[JobProcess]
    stacks: list[JobStack]


class JobCommanded(Answer, frozen=True):
    """A command to processes, and its outcome in words."""

    ranks: str
    count: int
    result: str


class JobValue(Answer, frozen=True):
    """Processes that gave the same: a result, an error, or ``instead`` why neither."""

    who: str
    ranks: list[int]
    count: int
    differs: bool
    result: str | None
    type: str | None
    error: str | None
    instead: str | None


class JobValuesResponse(Answer, frozen=True):
    """Values of an expression in the processes of a job, the odd ones first."""

    values: list[JobValue]


def tell_commanded(found: Commanded) -> JobCommanded:
    """What became of a command."""
    return JobCommanded(ranks=found.ranks, count=found.count, result=found.words)


def tell_values(seen: tuple[AnswerView, ...]) -> JobValuesResponse:
    """The values of all."""
    return JobValuesResponse(values=[_tell_value(each) for each in seen])


def _tell_value(seen: AnswerView) -> JobValue:
    return JobValue(
        who=seen.who,
        ranks=list(seen.ranks),
        count=seen.count,
        differs=seen.differs,
        result=seen.value.shown if seen.value is not None else None,
        type=(seen.value.type or None) if seen.value is not None else None,
        error=seen.problem or None,
        instead=seen.instead or None,
    )


def tell_job(seen: JobView) -> JobResponse:
    """The whole job."""
    return JobResponse(
        processes=[_tell_process(each) for each in seen.processes],
        stacks=[
            JobStack(
                who=each.who,
                count=each.numbers,
                differs=each.differs,
                calls=[_tell_call(call) for call in each.calls],
                instead=each.instead or None,
                reason=each.reason or None,
            )
            for each in seen.stacks
        ],
    )


def _tell_process(seen: ProcessView) -> JobProcess:
    who = seen.identity
    return JobProcess(
        session_id=seen.session_id,
        rank=who.rank,
        local_rank=who.local_rank,
        world_size=who.world_size,
        host=who.host or None,
        role=who.role or None,
        worker=who.worker or None,
        name=seen.name,
        pid=seen.pid,
        status=seen.status.value,
        location=_tell_call(seen.call) if seen.call is not None else None,
        instead=seen.instead or None,
        reason=seen.reason or None,
        waits_for=seen.waits_for or None,
        differs=seen.differs,
    )


def _tell_call(call: StackEntry) -> SourceLocation:
    return SourceLocation(path=call.path or None, line=call.line, column=1, function=call.function)


EdgeName = Literal["begins", "now"]


class RecordedThreadTold(Answer, frozen=True):
    """A thread of the recording, with the names of its first and last moment."""

    name: str
    moments: int
    first: str
    last: str


class RecordingResponse(Answer, frozen=True):
    """State of a recording; ``obstacle`` is the reason if recording is impossible now.

    ``failed`` is the uncaught exception that ended the program, or its exit code if that is not 0.
    ``recorder`` is ``compiled`` or ``python``; ``slower`` is why the compiled one is not used.
    """

    is_on: bool
    obstacle: str | None
    moments: int
    threads: list[RecordedThreadTold]
    left_out: str | None
    failed: str | None
    recorder: str | None
    slower: str | None


class RecordedMoment(Answer, frozen=True):
    """A moment. ``event`` is ``line`` if that line is about to run.

    ``when`` counts over all threads; ``steps_ago`` are the moments of its thread behind it.
    """

    moment: str
    when: int
    thread: str
    event: str
    location: SourceLocation | None
    steps_ago: int


class MomentResponse(Answer, frozen=True):
    """Moment after a step; ``edge`` if it is an end of the recording.

    ``left_out`` names gaps of the recording, for example all after a full disk.
    """

    at: RecordedMoment
    edge: EdgeName | None
    left_out: str | None


class RecordedStackResponse(Answer, frozen=True):
    """A part of the stack of a moment."""

    moment: str
    frames: list[FrameTold]
    total_frames: int


class RecordedVariablesResponse(Answer, frozen=True):
    """Variables of a moment, or contents of one; ``total`` is the number of all."""

    moment: str | None
    variables: list[VariableTold]
    total: int


class RecordedEvaluateResponse(Answer, frozen=True):
    """Value of an expression at a moment; ``moment`` is None if it is unknown."""

    moment: str | None
    value: EvaluateResponse


class WriterTold(Answer, frozen=True):
    """A line that has written into a container so often; ``last`` is the last time."""

    last: RecordedMoment
    count: int


class ChangeTold(Answer, frozen=True):
    """A change, seen from ``when`` on; ``by`` is the line that made it.

    ``since`` is the first possible line, if it is not known exactly. ``filled`` are the
    lines that wrote into a container, the last one first.
    """

    name: str
    old: VariableTold | None
    new: VariableTold | None
    when: int
    by: RecordedMoment | None
    since: RecordedMoment | None
    filled: list[WriterTold]


class ChangesResponse(Answer, frozen=True):
    """Changes up to a moment, the newest first."""

    moment: str
    changes: list[ChangeTold]


class TimeResponse(Answer, frozen=True):
    """When it became true, and by which line; both are None where it never did.

    ``since`` is the first line that may have, where that is not known exactly.
    """

    at: RecordedMoment | None
    by: RecordedMoment | None
    since: RecordedMoment | None


class CallTold(Answer, frozen=True):
    """A call; ``end`` and ``result`` are None while it is under way."""

    function: str
    begin: RecordedMoment
    arguments: list[VariableTold]
    end: RecordedMoment | None
    result: VariableTold | None
    has_raised: bool


class CallsResponse(Answer, frozen=True):
    """Calls of a function, the oldest first."""

    calls: list[CallTold]
    total: int
    has_more: bool


class PassTold(Answer, frozen=True):
    """A moment with values."""

    at: RecordedMoment
    values: list[VariableTold]


class PassesResponse(Answer, frozen=True):
    """Moments with values, the oldest first."""

    passes: list[PassTold]
    has_more: bool
