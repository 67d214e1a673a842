"""The DAP types that tuidbg reads, as lenient structs (DAP specification, "Types").

Everything has a default: adapters omit fields required by the specification, and a session must not
end over it. Messages *sent* by tuidbg are checked against the schema in the tests instead.
"""

from __future__ import annotations

from typing import Any

import msgspec


def parse_reference(reference: str | None) -> int | None:
    """Return the address in a DAP memory reference, if it is one."""
    try:
        return int(reference, 0) if reference else None
    except ValueError:
        return None


class DapBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The base of all DAP bodies: camelCase on the wire, unknown fields ignored."""


class Nothing(DapBody, frozen=True):
    """A body whose content does not matter."""


class ExceptionBreakpointsFilter(DapBody, frozen=True):
    filter: str
    label: str = ""
    default: bool | None = None


class Capabilities(DapBody, frozen=True):
    """The adapter's capabilities; absent means unsupported (DAP ``Capabilities``)."""

    supports_configuration_done_request: bool | None = None
    supports_function_breakpoints: bool | None = None
    supports_conditional_breakpoints: bool | None = None
    supports_hit_conditional_breakpoints: bool | None = None
    supports_evaluate_for_hovers: bool | None = None
    supports_step_back: bool | None = None
    supports_set_variable: bool | None = None
    supports_restart_frame: bool | None = None
    supports_goto_targets_request: bool | None = None
    supports_step_in_targets_request: bool | None = None
    supports_completions_request: bool | None = None
    supports_modules_request: bool | None = None
    supports_restart_request: bool | None = None
    supports_exception_options: bool | None = None
    supports_value_formatting_options: bool | None = None
    supports_exception_info_request: bool | None = None
    support_terminate_debuggee: bool | None = None
    supports_terminate_debuggee: bool | None = None  # debugpy's spelling
    support_suspend_debuggee: bool | None = None
    supports_delayed_stack_trace_loading: bool | None = None
    supports_loaded_sources_request: bool | None = None
    supports_log_points: bool | None = None
    supports_terminate_threads_request: bool | None = None
    supports_set_expression: bool | None = None
    supports_terminate_request: bool | None = None
    supports_data_breakpoints: bool | None = None
    supports_read_memory_request: bool | None = None
    supports_write_memory_request: bool | None = None
    supports_disassemble_request: bool | None = None
    supports_cancel_request: bool | None = None
    supports_breakpoint_locations_request: bool | None = None
    supports_clipboard_context: bool | None = None
    supports_stepping_granularity: bool | None = None
    supports_instruction_breakpoints: bool | None = None
    supports_exception_filter_options: bool | None = None
    supports_single_thread_execution_requests: bool | None = None
    exception_breakpoint_filters: list[ExceptionBreakpointsFilter] | None = None


class DapSource(DapBody, frozen=True):
    name: str | None = None
    path: str | None = None
    source_reference: int | None = None
    presentation_hint: str | None = None


class DapStackFrame(DapBody, frozen=True):
    id: int = 0
    name: str = ""
    source: DapSource | None = None
    line: int = 0
    column: int = 0
    module_id: int | str | None = None
    instruction_pointer_reference: str | None = None
    presentation_hint: str | None = None
    passed_over: bool | tuple[int, int, int] | None = None
    """No DAP field: data on omitted frames, which tuidbg makes debugpy report."""


class StackTraceBody(DapBody, frozen=True):
    stack_frames: list[DapStackFrame] = []
    total_frames: int | None = None


class DapThread(DapBody, frozen=True):
    id: int
    name: str = ""


class ThreadsBody(DapBody, frozen=True):
    threads: list[DapThread] = []


class DapScope(DapBody, frozen=True):
    name: str
    variables_reference: int = 0
    expensive: bool = False
    presentation_hint: str | None = None


class ScopesBody(DapBody, frozen=True):
    scopes: list[DapScope] = []


class DapVariable(DapBody, frozen=True):
    name: str
    value: str = ""
    type: str | None = None
    variables_reference: int = 0
    evaluate_name: str | None = None
    named_variables: int | None = None
    indexed_variables: int | None = None
    memory_reference: str | None = None


class VariablesBody(DapBody, frozen=True):
    variables: list[DapVariable] = []


class SetVariableBody(DapBody, frozen=True):
    value: str = ""
    type: str | None = None
    variables_reference: int = 0
    result: str | None = None
    """lldb-dap 19's name for the value."""


class CompletionItem(DapBody, frozen=True):
    label: str = ""
    text: str | None = None
    start: int | None = None
    length: int | None = None


class CompletionsBody(DapBody, frozen=True):
    targets: list[CompletionItem] = []


class EvaluateBody(DapBody, frozen=True):
    result: str = ""
    type: str | None = None
    variables_reference: int = 0
    named_variables: int | None = None
    indexed_variables: int | None = None
    memory_reference: str | None = None


class ReadMemoryBody(DapBody, frozen=True):
    address: str = ""
    data: str | None = None
    unreadable_bytes: int | None = None


class WriteMemoryBody(DapBody, frozen=True):
    bytes_written: int | None = None


class DisassembledInstruction(DapBody, frozen=True):
    address: str = ""
    instruction_bytes: str | None = None
    instruction: str = ""
    symbol: str | None = None
    location: DapSource | None = None
    line: int | None = None
    presentation_hint: str | None = None


class DisassembleBody(DapBody, frozen=True):
    instructions: list[DisassembledInstruction] = []


class DapBreakpoint(DapBody, frozen=True):
    verified: bool = False
    id: int | None = None
    message: str | None = None
    source: DapSource | None = None
    line: int | None = None
    column: int | None = None
    instruction_reference: str | None = None


class BreakpointLocation(DapBody, frozen=True):
    line: int = 0
    column: int | None = None


class BreakpointLocationsBody(DapBody, frozen=True):
    breakpoints: list[BreakpointLocation] = []


class DataBreakpointInfoBody(DapBody, frozen=True):
    data_id: str | None = None
    description: str = ""
    access_types: list[str] | None = None


class BreakpointsBody(DapBody, frozen=True):
    breakpoints: list[DapBreakpoint] = []


class StepInTarget(DapBody, frozen=True):
    id: int
    label: str = ""
    line: int | None = None


class StepInTargetsBody(DapBody, frozen=True):
    targets: list[StepInTarget] = []


class GotoTarget(DapBody, frozen=True):
    id: int
    label: str = ""
    line: int = 0


class GotoTargetsBody(DapBody, frozen=True):
    targets: list[GotoTarget] = []


class ExceptionDetails(DapBody, frozen=True):
    message: str | None = None
    type_name: str | None = None
    full_type_name: str | None = None
    stack_trace: str | None = None


class ExceptionInfoBody(DapBody, frozen=True):
    exception_id: str = ""
    description: str | None = None
    break_mode: str = ""
    details: ExceptionDetails | None = None


class SourceBody(DapBody, frozen=True):
    content: str = ""
    mime_type: str | None = None


class StopDetails(DapBody, frozen=True):
    """The top of a stop's stack; scopes and watches as JSON, if they are known."""

    stack: StackTraceBody | None = None
    scopes: str = ""
    watches: str = ""


class StoppedBody(DapBody, frozen=True):
    reason: str = ""
    description: str | None = None
    thread_id: int | None = None
    text: str | None = None
    all_threads_stopped: bool | None = None
    hit_breakpoint_ids: list[int] | None = None
    preserve_focus_hint: bool | None = None
    tuidbg: StopDetails | None = None
    """Not of DAP: what tuidbg's own code in the program adds."""


class ContinuedBody(DapBody, frozen=True):
    thread_id: int | None = None
    all_threads_continued: bool | None = None


class ExitedBody(DapBody, frozen=True):
    exit_code: int = 0


class ThreadBody(DapBody, frozen=True):
    reason: str = ""
    thread_id: int = 0


class OutputBody(DapBody, frozen=True):
    category: str | None = None
    output: str = ""
    data: Any = None
    source: DapSource | None = None
    line: int | None = None
    column: int | None = None


class Module(DapBody, frozen=True):
    id: int | str = 0
    name: str = ""
    path: str | None = None
    is_optimized: bool | None = None
    is_user_code: bool | None = None
    version: str | None = None
    symbol_status: str | None = None
    symbol_file_path: str | None = None
    address_range: str | None = None
    debug_info_size: str | None = None


class ModulesBody(DapBody, frozen=True):
    modules: list[Module] = []


class ModuleEventBody(DapBody, frozen=True):
    reason: str = ""
    module: Module = Module()


class ProcessBody(DapBody, frozen=True):
    name: str = ""
    system_process_id: int | None = None


class BreakpointEventBody(DapBody, frozen=True):
    reason: str = ""
    breakpoint: DapBreakpoint = DapBreakpoint()


class CapabilitiesEventBody(DapBody, frozen=True):
    capabilities: Capabilities = Capabilities()


class StartDebuggingArguments(DapBody, frozen=True):
    configuration: dict[str, Any]
    request: str = "attach"


class RunInTerminalArguments(DapBody, frozen=True):
    args: list[str]
    cwd: str = ""
    env: dict[str, str | None] = {}
    kind: str | None = None
    title: str | None = None
