"""Every error of the core as a code, a status and details (section 5 of the contract)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from tuidbg.adapters.errors import RequestTimedOut
from tuidbg.api.gate.caller import ScopeMissing
from tuidbg.api.operations.views import view_source
from tuidbg.api.rest.envelope import reply_error, sendable
from tuidbg.session import errors as core
from tuidbg.session.errors import DebuggerError

E = TypeVar("E", bound=DebuggerError)

LIST_SESSIONS = "Use GET /api/v1/sessions to list active sessions"
MAKE_SESSION = "Create a new session with POST /api/v1/sessions"
READ_THREADS = "Use GET /api/v1/sessions/{id}/threads to list threads"
READ_STACK = "Use GET /api/v1/sessions/{id}/stacktrace to list frames"
READ_SCOPES = (
    "References end when the program resumes: get new ones from GET /api/v1/sessions/{id}/scopes"
)
LIST_BREAKPOINTS = "Use GET /api/v1/sessions/{id}/breakpoints to list breakpoints"


class Rendering(Struct, frozen=True):
    """What a client is told."""

    status: int
    code: str
    message: str
    details: dict[str, Any] = {}


Render = Callable[[Any], Rendering]


class InvalidParameter(DebuggerError):
    """A parameter, of the address or of a body, has a value that makes no sense (R003-221)."""

    def __init__(self, parameter: str, sentence: str, value: Any = None) -> None:
        super().__init__(sentence)
        self.parameter, self.value = parameter, value


class UnknownBreakpointId(DebuggerError):
    """A text that is the id of no breakpoint (R003-203)."""

    def __init__(self, breakpoint_id: str) -> None:
        super().__init__(f"Breakpoint with ID '{sendable(breakpoint_id)}' not found")
        self.breakpoint_id = breakpoint_id


def render(error: DebuggerError) -> Rendering:
    """What a client is told of an error."""
    for kind in type(error).__mro__:
        if (found := _TABLE.get(kind)) is not None:
            return found(error)
    return _adapter_failed(error)


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
"""The state that an operation needs; all others need ``paused``."""

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


def _invalid_parameter(error: InvalidParameter) -> Rendering:
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
    InvalidParameter: _invalid_parameter,
    core.InvalidCursor: _invalid_cursor,
    core.ThreadNotFound: _thread_not_found,
    core.FrameNotFound: _frame_not_found,
    core.VariableNotFound: _variable_not_found,
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


# What FastAPI refuses


def render_invalid(errors: Sequence[Mapping[str, Any]]) -> Rendering:
    """A request that does not fit its model: of its body all is told, of its address the first."""
    first = errors[0]
    where, *rest = first["loc"]
    if where != "body":
        return _invalid_query(first, ".".join(map(str, rest)))
    if rest == ["granularity"] and first["type"] != "missing":
        return _invalid_query(first, "granularity")
    told = [_told(error) for error in errors]
    suggestion = "Compare the body with GET /openapi.json"
    details = {"errors": told, "suggestion": suggestion}
    return Rendering(400, "INVALID_REQUEST", "Request validation failed", details)


def _invalid_query(error: Mapping[str, Any], name: str) -> Rendering:
    if error["type"] == "missing":
        details = {"parameter": name, "suggestion": f"Add {name} to the query"}
        message = f"Required parameter is missing: {name}"
        return Rendering(400, "MISSING_PARAMETER", message, details)
    return _invalid_parameter(InvalidParameter(name, error["msg"], error.get("input")))


def _told(error: Mapping[str, Any]) -> dict[str, Any]:
    loc = error["loc"][1:]
    if error["type"] == "json_invalid":
        reason = error.get("ctx", {}).get("error", "")
        message = f"Body is not valid JSON: {reason}" if reason else "Body is not valid JSON"
        return {"field": "body", "message": message, "value": None}
    is_missing = error["type"] == "missing"
    return {
        "field": _field(loc) or "body",
        "message": error["msg"].removeprefix("Value error, "),
        "value": None if is_missing else sendable(error.get("input")),
    }


def _field(loc: Sequence[str | int]) -> str:
    """``breakpoints[0].line``; without the names that pydantic gives the members of a union."""
    name = ""
    for part in loc:
        if isinstance(part, int):
            name += f"[{part}]"
        elif not part.startswith(("literal[", "constrained-", "function-")):
            name += f".{part}" if name else part
    return sendable(name.removesuffix(".bool"))  # type: ignore[no-any-return]


def _answer(request: Request, told: Rendering) -> Response:
    call = getattr(request.state, "call", None)
    if call is not None:
        call.fail(told.message)
    return reply_error(request, told.status, told.code, told.message, told.details)


async def _on_debugger_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, DebuggerError)
    return _answer(request, render(error))


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _answer(request, render_invalid(error.errors()))


async def _on_http(request: Request, error: Exception) -> Response:
    """What the framework answers itself (R003-020)."""
    assert isinstance(error, HTTPException)
    path, method = sendable(request.url.path), request.method
    see = {"suggestion": "GET /openapi.json lists all operations"}
    headers = dict(error.headers or {})
    if error.status_code == 404:
        told = Rendering(404, "NOT_FOUND", f"There is no {path}", see)
    elif error.status_code == 405:
        told = Rendering(405, "METHOD_NOT_ALLOWED", f"{path} can't be asked by {method}", see)
        headers["Allow"] = ", ".join(_methods_of(request))
    elif error.status_code < 500:
        told = Rendering(400, "INVALID_REQUEST", "Body can't be read", _unreadable())
    else:
        told = UNEXPECTED
    return reply_error(request, told.status, told.code, told.message, told.details, headers)


def _methods_of(request: Request) -> list[str]:
    """All the methods that a path can be asked by; the framework names those of one route."""
    routes = request.app.router.routes
    return [
        method
        for method in ("DELETE", "GET", "POST")
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes
        )
    ]


async def _on_exception(request: Request, error: Exception) -> Response:
    """What nobody foresaw (R003-222); the middleware writes it into the log."""
    return _answer(request, UNEXPECTED)


UNEXPECTED = Rendering(
    500,
    "INTERNAL_ERROR",
    "Unexpected error",
    {"suggestion": "This is a fault of tuidbg's own; its log has the details"},
)


def _unreadable() -> dict[str, Any]:
    error = {"field": "body", "message": "Body is not valid JSON", "value": None}
    return {"errors": [error], "suggestion": "Send JSON in UTF-8"}


def install(app: FastAPI) -> None:
    """Answer all errors of an application so."""
    app.add_exception_handler(DebuggerError, _on_debugger_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(Exception, _on_exception)
