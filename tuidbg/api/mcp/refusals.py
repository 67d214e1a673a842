"""Errors of tool calls: a code, a sentence, and a hint for the next step."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tuidbg.api.auth.callers import ScopeMissing
from tuidbg.api.mcp.tool import Payload, ToolRefused
from tuidbg.api.operations.operation import words_for
from tuidbg.api.operations.recording import MomentNotFound
from tuidbg.api.operations.views import view_failure
from tuidbg.session.core.sources.definitions import SourceNotNamed
from tuidbg.session.core.sources.files import FileNotKnown
from tuidbg.session.features.autopsy import NoException
from tuidbg.session.features.job.commands import NoOrder, NotChosen
from tuidbg.session.features.recording.calls.recorder import RecordingNotFound, RecordingUnderWay
from tuidbg.session.features.recording.recorded_run import CannotRecord, NothingRecorded
from tuidbg.session.model.errors import (
    AdapterTimedOut,
    AgentsPaused,
    AttachFailed,
    AttachRefused,
    AttachTimedOut,
    BreakpointFileNotFound,
    BreakpointNotFound,
    DebuggerError,
    EvaluationAbandoned,
    EvaluationCancelled,
    EvaluationFailed,
    FrameNotFound,
    InvalidCondition,
    InvalidSessionState,
    InvalidSetting,
    LaunchFailed,
    LineCannotBreak,
    ProgramEnded,
    ScriptNotFound,
    SessionExpired,
    SessionLimitReached,
    SessionNotFound,
    StaleReply,
    ThreadNotFound,
    UnsupportedByAdapter,
    VariableNotFound,
)
from tuidbg.session.model.state import Status

_SGR = re.compile(r"\x1b\[[0-9;:]*m")


def plain(text: str) -> str:
    """Remove colour sequences."""
    return _SGR.sub("", text)


def cut(text: str, most: int) -> str:
    """Cut a text and append its full length."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


CODES: Mapping[type, tuple[str, str]] = {
    ScopeMissing: ("PERMISSION_DENIED", "this server was started without that permission"),
    AgentsPaused: ("AGENTS_PAUSED", "a person has the controls; looking still works"),
    RecordingUnderWay: ("BUSY", "wait for it, or debug_pause ends it"),
    RecordingNotFound: ("INVALID_PARAMETER", "record one: leave recording out"),
    CannotRecord: ("CANNOT_RECORD", ""),
    NothingRecorded: ("NOTHING_RECORDED", "debug_run with record, or record at a stop"),
    MomentNotFound: ("MOMENT_NOT_FOUND", "leave moment out for now"),
    NoException: ("NO_EXCEPTION", "set one with breakpoint_set_exception, continue and wait"),
    InvalidCondition: ("INVALID_CONDITION", "write one Python expression"),
    InvalidSetting: ("INVALID_PARAMETER", ""),
    BreakpointFileNotFound: ("INVALID_FILE", "give the absolute path"),
    FileNotKnown: ("INVALID_FILE", "give the absolute path"),
    LineCannotBreak: ("INVALID_LINE", "choose a line that holds code"),
    BreakpointNotFound: ("BREAKPOINT_NOT_FOUND", "breakpoint_list has the ids"),
    ScriptNotFound: ("INVALID_PATH", "give the absolute path, or cwd"),
    LaunchFailed: ("LAUNCH_FAILED", "mend what the message says and launch again"),
    AttachRefused: ("ATTACH_FAILED", "start it with python -m debugpy --listen PORT"),
    AttachTimedOut: ("TIMEOUT", ""),
    AttachFailed: ("ATTACH_FAILED", ""),
    NotChosen: ("NO_SUCH_RANKS", "job has the ranks"),
    NoOrder: ("INVALID_COMMAND", "break and until need a place FILE:LINE"),
    EvaluationFailed: ("EVAL_FAILED", ""),
    EvaluationCancelled: ("TIMEOUT", "a larger timeout_ms, or something cheaper"),
    EvaluationAbandoned: ("TIMEOUT", "a larger timeout_ms, or something cheaper"),
    ProgramEnded: ("NO_SESSION", "debug_launch starts a program"),
    AdapterTimedOut: ("TIMEOUT", "breakpoint_wait waits on, debug_pause stops it"),
    ThreadNotFound: ("INVALID_THREAD", "threads_list has the ids"),
    FrameNotFound: ("INVALID_FRAME", "stacktrace_get has the frames"),
    VariableNotFound: ("VARIABLES_FAILED", ""),
    SessionNotFound: ("NO_SESSION", "debug_state lists the sessions"),
    SessionExpired: ("NO_SESSION", "debug_state lists the sessions"),
    SessionLimitReached: ("SESSION_LIMIT", "debug_disconnect ends one"),
    UnsupportedByAdapter: ("UNSUPPORTED", ""),
    StaleReply: ("STALE", "the program has resumed; debug_state returns its position"),
}


def render_refusal(error: DebuggerError, fit_hint: Callable[[str], str] = str) -> Payload:
    """Render an error; ``fit_hint`` adapts the hint to the tool set."""
    code, hint = _describe(error)
    hint = fit_hint(hint)
    message = str(error)
    if isinstance(error, EvaluationFailed):
        message = view_failure(message)
    told = {"code": code, "message": message}
    if hint:
        told["hint"] = hint
    return {"success": False, "error": told}


def _describe(error: DebuggerError) -> tuple[str, str]:
    if isinstance(error, ToolRefused):
        return error.code, error.hint
    if isinstance(error, SourceNotNamed):
        return "NOT_FOUND", error.near
    if isinstance(error, InvalidSessionState):
        return _describe_state(error)
    return words_for(error, CODES, ("DEBUGGER_ERROR", ""))


def _describe_state(error: InvalidSessionState) -> tuple[str, str]:
    if error.status == Status.RUNNING:
        return "NOT_PAUSED", "debug_pause, or breakpoint_wait for a breakpoint"
    if error.status == Status.PAUSED:
        return "SESSION_ACTIVE", "it is stopped; debug_continue or debug_step"
    if error.status in (Status.TERMINATED, Status.FAILED, Status.CREATED):
        return "NO_SESSION", "debug_launch starts a program"
    return "NOT_PAUSED", "it is just starting; debug_state reports when it runs"
