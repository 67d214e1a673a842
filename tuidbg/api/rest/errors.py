"""The mapping from core errors to codes, statuses and details (section 5 of the contract)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from tuidbg.adapters.errors import RequestTimedOut
from tuidbg.api.auth.callers import ScopeMissing
from tuidbg.api.operations.operation import words_for
from tuidbg.api.operations.recording import MomentNotFound
from tuidbg.api.operations.views import as_sent, make_time, view_source
from tuidbg.session.features.job.commands import NoOrder, NotChosen
from tuidbg.session.features.recording.recorded_run import CannotRecord, NothingRecorded
from tuidbg.session.model import errors as core
from tuidbg.session.model.errors import DebuggerError

CONTENT_TYPE = "application/json; charset=utf-8"
"""Content type of every answer."""

LONGEST_ID = 256
"""Maximum length of a client's request id that is echoed; a longer one is replaced."""


class ResponseMeta(msgspec.Struct, frozen=True):
    """Metadata of each answer."""

    request_id: str
    timestamp: str


class ApiError(msgspec.Struct, frozen=True):
    """Description of an error. ``details`` has a ``suggestion`` if there is one."""

    code: str
    message: str
    details: dict[str, Any]


class ApiResponse(msgspec.Struct, frozen=True):
    """Every answer."""

    success: bool
    data: Any
    error: ApiError | None
    meta: ResponseMeta


_encode = msgspec.json.Encoder().encode


def make_request_id(told: bytes | None) -> str:
    """Return the client's request id, or a new one."""
    if told and len(told) <= LONGEST_ID:
        return told.decode("latin-1")
    return str(uuid.uuid4())


def request_id_of(request: Request) -> str:
    """Return the id that the middleware gave a request."""
    given: str | None = request.scope.get("state", {}).get("request_id")
    return given if given is not None else make_request_id(None)


def encode_answer(data: Any, request_id: str) -> bytes:
    """Encode a successful answer."""
    return _encode(ApiResponse(True, data, None, _meta(request_id)))


def encode_error(code: str, message: str, details: Mapping[str, Any], request_id: str) -> bytes:
    """Encode an error answer."""
    error = ApiError(code, sendable_text(message), dict(details))
    return _encode(ApiResponse(False, None, error, _meta(request_id)))


def _meta(request_id: str) -> ResponseMeta:
    return ResponseMeta(request_id, make_time(time.time()))


def reply(request: Request, data: Any, status: int = 200) -> Response:
    """Answer a request; the activity list shows the beginning of the answer."""
    content = encode_answer(as_sent(data), request_id_of(request))
    if (call := getattr(request.state, "call", None)) is not None:
        call.succeed(_beginning(content))
    return Response(content, status, media_type=CONTENT_TYPE)


_BEFORE_DATA = len(b'{"success":true,"data":')


def _beginning(content: bytes) -> str:
    shown = content[_BEFORE_DATA : _BEFORE_DATA + 300].partition(b',"error":null')[0]
    if shown.startswith(b'{"session_id":"'):  # already shown with the call
        shown = b"{" + shown.partition(b'",')[2]
    return shown.decode("utf-8", "replace")


def reply_error(
    request: Request,
    status: int,
    code: str,
    message: str,
    details: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
) -> Response:
    message, details = as_sent((message, dict(details)))
    content = encode_error(code, message, details, request_id_of(request))
    return Response(content, status, dict(headers or {}), CONTENT_TYPE)


def sendable_text(text: str) -> str:
    """Replace lone surrogates by U+FFFD: they can't be sent."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


_LONGEST_VALUE = 200


def sendable(value: Any) -> Any:
    """Sanitize a client's own value for an error: cut it, and replace what JSON can't represent."""
    if isinstance(value, str):
        text = sendable_text(value)
        return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and -(2**53) <= value <= 2**53:
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    try:
        return sendable(repr(value))
    except ValueError:  # an integer with more digits than Python formats
        return "a very large number"


E = TypeVar("E", bound=DebuggerError)

LIST_SESSIONS = "Use GET /api/v1/sessions to list active sessions"
MAKE_SESSION = "Create a new session with POST /api/v1/sessions"
READ_THREADS = "Use GET /api/v1/sessions/{id}/threads to list threads"
READ_STACK = "Use GET /api/v1/sessions/{id}/stacktrace to list frames"
READ_SCOPES = (
    "References end when the program resumes: get new ones from GET /api/v1/sessions/{id}/scopes"
)
BEGIN_RECORDING = "Record with POST /api/v1/sessions/{id}/recording, and let the program run"
FIND_MOMENTS = "Leave the moment out to begin with the last one"
LIST_BREAKPOINTS = "Use GET /api/v1/sessions/{id}/breakpoints to list breakpoints"


class Rendering(Struct, frozen=True):
    """The response for an error."""

    status: int
    code: str
    message: str
    details: dict[str, Any] = {}


Render = Callable[[Any], Rendering]


class InvalidParameter(DebuggerError):
    """An invalid value of a query or body parameter."""

    def __init__(self, parameter: str, sentence: str, value: Any = None) -> None:
        super().__init__(sentence)
        self.parameter, self.value = parameter, value


class UnknownBreakpointId(DebuggerError):
    """The id of no breakpoint."""

    def __init__(self, breakpoint_id: str) -> None:
        super().__init__(f"Breakpoint with ID '{sendable(breakpoint_id)}' not found")
        self.breakpoint_id = breakpoint_id


def render(error: DebuggerError) -> Rendering:
    """Map an error to its response."""
    return words_for(error, _TABLE, _adapter_failed)(error)


# The table


def _plain(status: int, code: str, suggestion: str = "") -> Render:
    def rendering(error: DebuggerError) -> Rendering:
        details = {"suggestion": suggestion} if suggestion else {}
        return Rendering(status, code, _sentence(str(error)), details)

    return rendering


def _session(status: int, code: str, verb: str, suggestion: str) -> Render:
    def rendering(error: core.SessionNotFound | core.SessionExpired) -> Rendering:
        told = sendable(error.session_id)
        details = {"session_id": told, "suggestion": suggestion}
        return Rendering(status, code, f"Session with ID '{told}' {verb}", details)

    return rendering


def _session_limit(error: core.SessionLimitReached) -> Rendering:
    suggestion = "Delete one with DELETE /api/v1/sessions/{id}"
    details = {"max_sessions": error.limit, "suggestion": suggestion}
    return Rendering(429, "SESSION_LIMIT_REACHED", _sentence(str(error)), details)


_REQUIRED = {
    "launch": "created",
    "attach": "created",
    "pause": "running",
    "list threads": "running or paused",
    "set breakpoints": "created, running or paused",
}
"""Required state by operation; all others require ``paused``."""

_WAY_OUT = {
    "created": "Call POST /sessions/{id}/launch first",
    "launching": "Wait until the program has started",
    "running": "Call POST /sessions/{id}/pause first or wait for a breakpoint",
    "paused": "Call POST /sessions/{id}/continue first",
    "terminated": MAKE_SESSION,
    "failed": MAKE_SESSION,
}


def _invalid_state(error: core.InvalidSessionState) -> Rendering:
    required = _REQUIRED.get(error.operation, "paused")
    operation = error.operation.replace("step ", "step-")
    return Rendering(
        409,
        "INVALID_SESSION_STATE",
        f"Cannot {operation}: session is not {required}",
        {
            "current_state": str(error.status),
            "required_state": required,
            "suggestion": MAKE_SESSION if required == "created" else _WAY_OUT[str(error.status)],
        },
    )


def _agents_paused(error: core.AgentsPaused) -> Rendering:
    suggestion = "Reading goes on; try again when the person has handed the controls back"
    return Rendering(409, "AGENTS_PAUSED", _sentence(str(error)), {"suggestion": suggestion})


def _breakpoint_not_found(error: UnknownBreakpointId) -> Rendering:
    details = {
        "breakpoint_id": sendable(error.breakpoint_id),
        "suggestion": LIST_BREAKPOINTS,
    }
    return Rendering(404, "BREAKPOINT_NOT_FOUND", str(error), details)


def _invalid_line(error: core.LineCannotBreak) -> Rendering:
    why = str(error)
    if why == f"no executable code at line {error.line}":
        text = error.content.strip()
        if not text:
            why = "line contains only whitespace"
        elif text.startswith("#"):
            why = "line contains only a comment"
        else:
            why = "line has no executable code"
    details: dict[str, Any] = {
        "file": error.path,
        "line": error.line,
        "content": sendable(view_source(error.content)),
    }
    if error.suggested is not None:
        found = sendable(view_source(error.suggested_text.strip()))
        details["suggestion"] = f"Try line {error.suggested} which contains: '{found}'"
        details["suggested_line"] = error.suggested
    message = f"Cannot set breakpoint at line {error.line}: {why}"
    return Rendering(400, "BREAKPOINT_INVALID_LINE", message, details)


def _file_not_found(error: core.BreakpointFileNotFound) -> Rendering:
    details = {
        "file": error.path,
        "suggestion": "Give the absolute path of a file that exists on this machine",
    }
    message = f"Source file does not exist: {sendable(error.path)}"
    return Rendering(400, "BREAKPOINT_FILE_NOT_FOUND", message, details)


def _invalid_setting(error: core.InvalidSetting) -> Rendering:
    message = f"{error.field} is invalid: {error}"
    details = {"parameter": error.field, "suggestion": _sentence(str(error))}
    return Rendering(400, "INVALID_PARAMETER", message, details)


def invalid_parameter(error: InvalidParameter) -> Rendering:
    details = {"parameter": error.parameter, "value": sendable(error.value)}
    message = f"{error.parameter} is invalid: {error}"
    return Rendering(400, "INVALID_PARAMETER", message, details)


def _invalid_cursor(error: core.InvalidCursor) -> Rendering:
    details = {
        "parameter": "cursor",
        "suggestion": "Leave the cursor out to begin with the oldest entry",
    }
    return Rendering(400, "INVALID_PARAMETER", f"cursor is invalid: {error}", details)


def _thread_not_found(error: core.ThreadNotFound) -> Rendering:
    details = {"thread_id": error.thread_id, "suggestion": READ_THREADS}
    return Rendering(404, "THREAD_NOT_FOUND", _sentence(str(error)), details)


def _frame_not_found(error: core.FrameNotFound) -> Rendering:
    details = {"frame_id": error.index, "total_frames": error.total, "suggestion": READ_STACK}
    return Rendering(404, "FRAME_NOT_FOUND", _sentence(str(error)), details)


def _variable_not_found(error: core.VariableNotFound) -> Rendering:
    details = {"variables_reference": error.reference, "suggestion": READ_SCOPES}
    return Rendering(404, "VARIABLE_NOT_FOUND", _sentence(str(error)), details)


def _moment_not_found(error: MomentNotFound) -> Rendering:
    details = {"moment": sendable(error.name), "suggestion": FIND_MOMENTS}
    return Rendering(404, "MOMENT_NOT_FOUND", sendable(_sentence(str(error))), details)


def _script_not_found(error: core.ScriptNotFound) -> Rendering:
    details = {"file": error.path, "suggestion": "Give the path of a Python script that exists"}
    message = f"Script file does not exist: {sendable(error.path)}"
    return Rendering(400, "LAUNCH_SCRIPT_NOT_FOUND", message, details)


def _syntax_error(error: core.ScriptDoesNotCompile) -> Rendering:
    details = {
        "file": error.path,
        "line": error.line,
        "offset": error.column,
        "error_message": error.message,
        "text": sendable(view_source(error.text.rstrip("\n"))),
        "suggestion": "Mend the script and launch again: the session is still created",
    }
    return Rendering(400, "LAUNCH_SYNTAX_ERROR", "Python syntax error in script", details)


def _ended(error: core.ProgramEnded) -> Rendering:
    return _invalid_state(core.InvalidSessionState(error.operation, error.status))


def _stale(error: core.StaleReply) -> Rendering:
    details = {
        "current_state": "running",
        "required_state": "paused",
        "suggestion": _WAY_OUT["running"],
    }
    message = "The program went on while it was being looked at"
    return Rendering(409, "INVALID_SESSION_STATE", message, details)


def _adapter_failed(error: DebuggerError) -> Rendering:
    if isinstance(error.__cause__, RequestTimedOut):
        return _TIMED_OUT(error)
    suggestion = "Read the session's status with GET /api/v1/sessions/{id}"
    return _plain(500, "DEBUGPY_ERROR", suggestion)(error)


_TIMED_OUT = _plain(
    504, "DEBUGPY_TIMEOUT", "The session stays usable: follow GET /api/v1/sessions/{id}/events"
)

_TABLE: Mapping[type, Render] = {
    core.SessionNotFound: _session(404, "SESSION_NOT_FOUND", "not found", LIST_SESSIONS),
    core.SessionExpired: _session(410, "SESSION_EXPIRED", "has expired", MAKE_SESSION),
    core.SessionLimitReached: _session_limit,
    core.InvalidSessionState: _invalid_state,
    core.StaleReply: _stale,
    core.ProgramEnded: _ended,
    core.AgentsPaused: _agents_paused,
    ScopeMissing: _plain(403, "FORBIDDEN", "Use a token with that scope"),
    UnknownBreakpointId: _breakpoint_not_found,
    core.LineCannotBreak: _invalid_line,
    core.InvalidCondition: _plain(
        400, "BREAKPOINT_INVALID_CONDITION", "Write a Python expression, such as x > 10"
    ),
    core.BreakpointFileNotFound: _file_not_found,
    core.InvalidSetting: _invalid_setting,
    InvalidParameter: invalid_parameter,
    core.InvalidCursor: _invalid_cursor,
    core.ThreadNotFound: _thread_not_found,
    core.FrameNotFound: _frame_not_found,
    core.VariableNotFound: _variable_not_found,
    MomentNotFound: _moment_not_found,
    NotChosen: _plain(400, "NO_SUCH_RANKS", "GET /api/v1/sessions/{id}/job has the ranks"),
    NoOrder: _plain(400, "INVALID_JOB_COMMAND", "Name a place FILE:LINE for break and until"),
    NothingRecorded: _plain(404, "NOTHING_RECORDED", BEGIN_RECORDING),
    CannotRecord: _plain(409, "CANNOT_RECORD", "Record a Python program, on 3.12 or newer"),
    core.EvaluationFailed: _plain(400, "EVALUATE_ERROR", "Write a Python expression"),
    core.EvaluationCancelled: _plain(504, "DEBUGPY_TIMEOUT", "Evaluate something that ends sooner"),
    core.EvaluationAbandoned: _plain(504, "DEBUGPY_TIMEOUT", "Evaluate something that ends sooner"),
    core.LaunchFailed: _plain(500, "LAUNCH_FAILED", MAKE_SESSION),
    core.ScriptNotFound: _script_not_found,
    core.ScriptDoesNotCompile: _syntax_error,
    core.AttachFailed: _plain(500, "ATTACH_FAILED", MAKE_SESSION),
    core.AttachTimedOut: _plain(504, "ATTACH_TIMEOUT", MAKE_SESSION),
    core.AttachRefused: _plain(502, "ATTACH_REFUSED", MAKE_SESSION),
    core.AdapterTimedOut: _TIMED_OUT,
    core.AdapterFailed: _adapter_failed,
}


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


UNEXPECTED = Rendering(
    500,
    "INTERNAL_ERROR",
    "Unexpected error",
    {"suggestion": "This is a fault of tuidbg's own; its log has the details"},
)
