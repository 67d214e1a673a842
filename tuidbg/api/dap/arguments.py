"""The arguments of the requests that clients send, by DAP; what is of a wrong type is refused."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class Arguments(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of all arguments: what DAP gets later, or a client adds, is passed over."""


class NoArguments(Arguments, frozen=True):
    """For requests that need none."""


class InitializeArguments(Arguments, frozen=True):
    """Says who the client is, and what it can do."""

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


class DisconnectArguments(Arguments, frozen=True):
    """Tells how a client leaves; None: as is usual for how it came."""

    restart: bool = False
    terminate_debuggee: bool | None = None
    suspend_debuggee: bool = False


class CancelArguments(Arguments, frozen=True):
    """Which request is not wanted any more."""

    request_id: int | None = None
    progress_id: str | None = None


# Breakpoints


class Source(Arguments, frozen=True):
    """A source, by its path or by a number of the adapter's."""

    name: str | None = None
    path: str | None = None
    source_reference: int | None = None


class SourceBreakpoint(Arguments, frozen=True):
    """A line to stop at, and when."""

    line: int
    column: int | None = None
    condition: str | None = None
    hit_condition: str | None = None
    log_message: str | None = None


class SetBreakpointsArguments(Arguments, frozen=True):
    """The whole list of a source; ``breakpoints`` wins where both lists are given."""

    source: Source
    breakpoints: list[SourceBreakpoint] | None = None
    lines: list[int] | None = None
    source_modified: bool | None = None


class FunctionBreakpoint(Arguments, frozen=True):
    """A function to stop at."""

    name: str
    condition: str | None = None
    hit_condition: str | None = None


class SetFunctionBreakpointsArguments(Arguments, frozen=True):
    """All functions to stop at."""

    breakpoints: list[FunctionBreakpoint]


class InstructionBreakpoint(Arguments, frozen=True):
    """An instruction to stop at."""

    instruction_reference: str
    offset: int | None = None
    condition: str | None = None
    hit_condition: str | None = None


class SetInstructionBreakpointsArguments(Arguments, frozen=True):
    """All instructions to stop at."""

    breakpoints: list[InstructionBreakpoint]


class DataBreakpoint(Arguments, frozen=True):
    """A value whose change stops the program."""

    data_id: str
    access_type: Literal["read", "write", "readWrite"] | None = None
    condition: str | None = None
    hit_condition: str | None = None


class SetDataBreakpointsArguments(Arguments, frozen=True):
    """All values that are watched."""

    breakpoints: list[DataBreakpoint]


class DataBreakpointInfoArguments(Arguments, frozen=True):
    """Asks whether a variable, or an expression, can be watched."""

    name: str
    variables_reference: int | None = None
    frame_id: int | None = None


class FilterOptions(Arguments, frozen=True):
    """A filter with a condition."""

    filter_id: str
    condition: str | None = None


class PathSegment(Arguments, frozen=True):
    """Names of one level of the tree of exceptions."""

    names: list[str]
    negate: bool = False


class ExceptionOptions(Arguments, frozen=True):
    """When exceptions of some types stop the program."""

    break_mode: Literal["never", "always", "unhandled", "userUnhandled"]
    path: list[PathSegment] | None = None


class SetExceptionBreakpointsArguments(Arguments, frozen=True):
    """All exceptions to stop at."""

    filters: list[str]
    filter_options: list[FilterOptions] | None = None
    exception_options: list[ExceptionOptions] | None = None


class BreakpointLocationsArguments(Arguments, frozen=True):
    """Asks which lines of a range can break."""

    source: Source
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


# Running


class ThreadArguments(Arguments, frozen=True):
    """Names a thread."""

    thread_id: int


class PauseArguments(Arguments, frozen=True):
    """Names a thread; 0, as by those who leave it out, is the whole program."""

    thread_id: int = 0


class ContinueArguments(Arguments, frozen=True):
    """Names a thread; 0, as by those who leave it out, is the whole program."""

    thread_id: int = 0
    single_thread: bool = False


class TerminateThreadsArguments(Arguments, frozen=True):
    """Names threads that are to end."""

    thread_ids: list[int] = []


class StepArguments(Arguments, frozen=True):
    """Names a thread and how far it goes; ``target_id`` is for a step into."""

    thread_id: int
    single_thread: bool = False
    granularity: Literal["statement", "line", "instruction"] | None = None
    target_id: int | None = None


class StepBackArguments(Arguments, frozen=True):
    """Names the thread that goes back in what was recorded."""

    thread_id: int


class GotoTargetsArguments(Arguments, frozen=True):
    """Asks where one can go on, for a line."""

    source: Source
    line: int
    column: int | None = None


class GotoArguments(Arguments, frozen=True):
    """Goes on at a target."""

    thread_id: int
    target_id: int


class FrameArguments(Arguments, frozen=True):
    """Names a frame."""

    frame_id: int


# Looking


class StackTraceArguments(Arguments, frozen=True):
    """Asks for frames of a thread; 0 levels are all."""

    thread_id: int
    start_frame: int = 0
    levels: int = 0


class VariablesArguments(Arguments, frozen=True):
    """Asks for what is in a scope or a variable; 0 of them are all."""

    variables_reference: int
    filter: Literal["indexed", "named"] | None = None
    start: int = 0
    count: int = 0


class SetVariableArguments(Arguments, frozen=True):
    """Sets a variable, by the scope or variable that it is in."""

    variables_reference: int
    name: str
    value: str


class SetExpressionArguments(Arguments, frozen=True):
    """Sets what an expression stands for."""

    expression: str
    value: str
    frame_id: int | None = None


class EvaluateArguments(Arguments, frozen=True):
    """Evaluates an expression, or runs statements."""

    expression: str
    frame_id: int | None = None
    context: str | None = None


class CompletionsArguments(Arguments, frozen=True):
    """Asks what could be typed at a place of a text; line and column as the client counts."""

    text: str
    column: int
    frame_id: int | None = None
    line: int | None = None


class SourceArguments(Arguments, frozen=True):
    """Asks for the text of a source."""

    source_reference: int
    source: Source | None = None


class ModulesArguments(Arguments, frozen=True):
    """Asks for modules."""

    start_module: int = 0
    module_count: int = 0


class ReadMemoryArguments(Arguments, frozen=True):
    """Asks for bytes of the program's memory."""

    memory_reference: str
    count: int
    offset: int = 0


class WriteMemoryArguments(Arguments, frozen=True):
    """Writes bytes, in base64, to the program's memory."""

    memory_reference: str
    data: str
    offset: int = 0
    allow_partial: bool = False


class DisassembleArguments(Arguments, frozen=True):
    """Asks for instructions."""

    memory_reference: str
    instruction_count: int
    offset: int = 0
    instruction_offset: int = 0
    resolve_symbols: bool = False


Configuration = dict[str, Any]
"""The arguments of ``launch`` and ``attach``: those of launch.json."""
