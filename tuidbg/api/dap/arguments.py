"""The arguments of DAP requests; values of a wrong type are refused."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class RequestArguments(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of all arguments; unknown fields are ignored, as of later DAP versions."""


class NoArguments(RequestArguments, frozen=True):
    """The arguments of a request without any."""


class InitializeArguments(RequestArguments, frozen=True):
    """The client's identity and capabilities."""

    client_id: str | None = msgspec.field(default=None, name="clientID")
    client_name: str | None = None
    adapter_id: str | None = msgspec.field(default=None, name="adapterID")
    lines_start_at1: bool = True
    columns_start_at1: bool = True
    path_format: str | None = None
    supports_variable_type: bool = False
    supports_variable_paging: bool = False
    supports_run_in_terminal_request: bool = False
    supports_memory_references: bool = False
    supports_progress_reporting: bool = False
    supports_invalidated_event: bool = False
    supports_memory_event: bool = False
    supports_start_debugging_request: bool = False


class DisconnectArguments(RequestArguments, frozen=True):
    """How a client disconnects; None: the default for its kind of session."""

    restart: bool = False
    terminate_debuggee: bool | None = None
    suspend_debuggee: bool = False


class CancelArguments(RequestArguments, frozen=True):
    """The request to cancel."""

    request_id: int | None = None
    progress_id: str | None = None


# Breakpoints


class SourceArgument(RequestArguments, frozen=True):
    """A source, by its path or by the adapter's number."""

    name: str | None = None
    path: str | None = None
    source_reference: int | None = None


class SourceBreakpoint(RequestArguments, frozen=True):
    """A line breakpoint and its conditions."""

    line: int
    column: int | None = None
    condition: str | None = None
    hit_condition: str | None = None
    log_message: str | None = None


class SetBreakpointsArguments(RequestArguments, frozen=True):
    """All breakpoints of a source; ``breakpoints`` takes precedence over ``lines``."""

    source: SourceArgument
    breakpoints: list[SourceBreakpoint] | None = None
    lines: list[int] | None = None
    source_modified: bool | None = None


class FunctionBreakpoint(RequestArguments, frozen=True):
    """A function breakpoint."""

    name: str
    condition: str | None = None
    hit_condition: str | None = None


class SetFunctionBreakpointsArguments(RequestArguments, frozen=True):
    """All function breakpoints."""

    breakpoints: list[FunctionBreakpoint]


class InstructionBreakpoint(RequestArguments, frozen=True):
    """An instruction breakpoint."""

    instruction_reference: str
    offset: int | None = None
    condition: str | None = None
    hit_condition: str | None = None


class SetInstructionBreakpointsArguments(RequestArguments, frozen=True):
    """All instruction breakpoints."""

    breakpoints: list[InstructionBreakpoint]


class DataBreakpoint(RequestArguments, frozen=True):
    """A value whose change stops the program."""

    data_id: str
    access_type: Literal["read", "write", "readWrite"] | None = None
    condition: str | None = None
    hit_condition: str | None = None


class SetDataBreakpointsArguments(RequestArguments, frozen=True):
    """All data breakpoints."""

    breakpoints: list[DataBreakpoint]


class DataBreakpointInfoArguments(RequestArguments, frozen=True):
    """The variable or expression to watch."""

    name: str
    variables_reference: int | None = None
    frame_id: int | None = None


class FilterOptions(RequestArguments, frozen=True):
    filter_id: str
    condition: str | None = None


class PathSegment(RequestArguments, frozen=True):
    """Names on one level of the exception tree."""

    names: list[str]
    negate: bool = False


class ExceptionOptions(RequestArguments, frozen=True):
    """When exceptions of some types stop the program."""

    break_mode: Literal["never", "always", "unhandled", "userUnhandled"]
    path: list[PathSegment] | None = None


class SetExceptionBreakpointsArguments(RequestArguments, frozen=True):
    """All exception breakpoints."""

    filters: list[str]
    filter_options: list[FilterOptions] | None = None
    exception_options: list[ExceptionOptions] | None = None


class BreakpointLocationsArguments(RequestArguments, frozen=True):
    """A range of lines for which valid breakpoint lines are requested."""

    source: SourceArgument
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


# Execution


class ThreadArguments(RequestArguments, frozen=True):
    thread_id: int


class PauseArguments(RequestArguments, frozen=True):
    """A thread; 0, also as the default, is the whole program."""

    thread_id: int = 0


class ContinueArguments(RequestArguments, frozen=True):
    """A thread; 0, also as the default, is the whole program."""

    thread_id: int = 0
    single_thread: bool = False


class TerminateThreadsArguments(RequestArguments, frozen=True):
    """Threads to terminate."""

    thread_ids: list[int] = []


class StepArguments(RequestArguments, frozen=True):
    """A thread and its step; ``target_id`` is for a step into."""

    thread_id: int
    single_thread: bool = False
    granularity: Literal["statement", "line", "instruction"] | None = None
    target_id: int | None = None


class StepBackArguments(RequestArguments, frozen=True):
    """The thread that steps back in the recording."""

    thread_id: int


class GotoTargetsArguments(RequestArguments, frozen=True):
    """A line for which jump targets are requested."""

    source: SourceArgument
    line: int
    column: int | None = None


class GotoArguments(RequestArguments, frozen=True):
    """A jump target."""

    thread_id: int
    target_id: int


class FrameArguments(RequestArguments, frozen=True):
    frame_id: int


# Inspection


class StackTraceArguments(RequestArguments, frozen=True):
    """A range of frames of a thread; 0 levels are all."""

    thread_id: int
    start_frame: int = 0
    levels: int = 0


class VariablesArguments(RequestArguments, frozen=True):
    """A range of children of a scope or variable; a count of 0 is all."""

    variables_reference: int
    filter: Literal["indexed", "named"] | None = None
    start: int = 0
    count: int = 0


class SetVariableArguments(RequestArguments, frozen=True):
    """A variable in its scope or parent, and its new value."""

    variables_reference: int
    name: str
    value: str


class SetExpressionArguments(RequestArguments, frozen=True):
    """An expression to assign to, and its new value."""

    expression: str
    value: str
    frame_id: int | None = None


class EvaluateArguments(RequestArguments, frozen=True):
    """An expression or statements to evaluate."""

    expression: str
    frame_id: int | None = None
    context: str | None = None


class CompletionsArguments(RequestArguments, frozen=True):
    """A text and the cursor in it; line and column as the client counts."""

    text: str
    column: int
    frame_id: int | None = None
    line: int | None = None


class SourceArguments(RequestArguments, frozen=True):
    """The source to read."""

    source_reference: int
    source: SourceArgument | None = None


class ModulesArguments(RequestArguments, frozen=True):
    start_module: int = 0
    module_count: int = 0


class ReadMemoryArguments(RequestArguments, frozen=True):
    """A range of memory to read."""

    memory_reference: str
    count: int
    offset: int = 0


class WriteMemoryArguments(RequestArguments, frozen=True):
    """Bytes to write, in base64."""

    memory_reference: str
    data: str
    offset: int = 0
    allow_partial: bool = False


class DisassembleArguments(RequestArguments, frozen=True):
    """A range of instructions."""

    memory_reference: str
    instruction_count: int
    offset: int = 0
    instruction_offset: int = 0
    resolve_symbols: bool = False


Configuration = dict[str, Any]
"""The arguments of ``launch`` and ``attach``: those of launch.json."""
