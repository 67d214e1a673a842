"""DAP capabilities: tuidbg's own, and the adapter's.

Before an adapter runs, they are those known from its profile; once it has reported its own, a
``capabilities`` event sends the differences.
"""

from __future__ import annotations

from typing import Any

from tuidbg.adapters.profile import AdapterProfile
from tuidbg.dap.types import Capabilities
from tuidbg.session.core.session import Session
from tuidbg.session.features.recording.reverse_execution import adapter_goes_back, has_past

Json = dict[str, Any]

_LABELS = {
    "raised": "Raised exceptions",
    "uncaught": "Uncaught exceptions",
    "user_uncaught": "Exceptions that leave your own code",
    "caught": "Caught exceptions",
}

ALWAYS: Json = {
    "supportsConfigurationDoneRequest": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsLogPoints": True,
    "supportsRestartRequest": True,
    "supportTerminateDebuggee": True,
    "supportsDelayedStackTraceLoading": True,
    "supportsTerminateRequest": True,
    "supportsCancelRequest": True,
}
"""Capabilities of tuidbg itself, independent of the adapter."""

_PASSED = {
    "supportsRestartFrame": "supports_restart_frame",
    "supportsGotoTargetsRequest": "supports_goto_targets_request",
    "supportsStepInTargetsRequest": "supports_step_in_targets_request",
    "supportsCompletionsRequest": "supports_completions_request",
    "supportsExceptionInfoRequest": "supports_exception_info_request",
    "supportsReadMemoryRequest": "supports_read_memory_request",
    "supportsWriteMemoryRequest": "supports_write_memory_request",
    "supportsDisassembleRequest": "supports_disassemble_request",
    "supportsInstructionBreakpoints": "supports_instruction_breakpoints",
    "supportsSteppingGranularity": "supports_stepping_granularity",
    "supportsSingleThreadExecutionRequests": "supports_single_thread_execution_requests",
    "supportsTerminateThreadsRequest": "supports_terminate_threads_request",
    "supportsEvaluateForHovers": "supports_evaluate_for_hovers",
    "supportsClipboardContext": "supports_clipboard_context",
}
"""Capabilities that depend on the adapter."""


def describe_capabilities(session: Session) -> Json:
    """Return the DAP capabilities of a session."""
    profile = session.profile
    known = session.adapter.capabilities if session.adapter.has_begun else profile.start.announces
    is_inside = profile.inside is not None
    knows_lines = profile.sources.finds_functions or bool(
        known.supports_breakpoint_locations_request
    )
    found: Json = {name: bool(getattr(known, field)) for name, field in _PASSED.items()}
    found |= {
        "supportsConditionalBreakpoints": profile.probe is not None
        or bool(known.supports_conditional_breakpoints),
        "supportsFunctionBreakpoints": profile.sources.finds_functions
        or bool(known.supports_function_breakpoints),
        "supportsBreakpointLocationsRequest": knows_lines,
        "supportsSetVariable": is_inside
        or profile.values.assigns
        or bool(known.supports_set_variable),
        "supportsSetExpression": profile.language.is_exact or profile.values.assigns,
        "supportsDataBreakpoints": is_inside or bool(known.supports_data_breakpoints),
        "supportsModulesRequest": is_inside or bool(known.supports_modules_request),
        "supportsLoadedSourcesRequest": is_inside,
        "supportsExceptionOptions": profile.probe is not None,
        "supportsStepBack": has_past(session) or adapter_goes_back(session),
        "exceptionBreakpointFilters": describe_filters(profile, known, session.exceptions.filters),
    }
    if found["supportsCompletionsRequest"]:
        found["completionTriggerCharacters"] = ["."]
    return ALWAYS | {name: value for name, value in found.items() if value or value == []}


def describe_filters(
    profile: AdapterProfile, known: Capabilities, chosen: frozenset[str]
) -> list[Json]:
    """Return the exception filters in DAP's form."""
    announced = {each.filter for each in known.exception_breakpoint_filters or ()}
    labels = {**_LABELS, **profile.exceptions.labels}
    return [
        {"filter": name, "label": labels.get(moment, name), "default": moment in chosen}
        for moment, name in profile.exceptions.filter_names.items()
        if name in announced
    ]


def changed_capabilities(told: Json, now: Json) -> Json:
    """Return the changed capabilities; removed ones are false."""
    changed = {name: value for name, value in now.items() if told.get(name) != value}
    gone = {name: False for name, value in told.items() if name not in now and value is True}
    return changed | gone
