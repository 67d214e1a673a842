"""The OpenAPI 3.1 document, made of the routes, the pydantic models and the answers' structs.

FastAPI contributes operations, parameters and request bodies; answers with their envelope, and
errors, are added here.
"""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from tuidbg.api.feed import events as feed_events
from tuidbg.api.operations.operation import Operation
from tuidbg.api.operations.recording import MomentNotFound
from tuidbg.api.rest import answers
from tuidbg.api.rest.errors import ApiError, ApiResponse, ResponseMeta
from tuidbg.session.features.recording.recorded_run import CannotRecord, NothingRecorded
from tuidbg.session.model import errors as core

PREFIX = "/api/v1"

TITLE = "tuidbg Debug Relay Server API"
VERSION = "1.0.0"

_TAGS = {
    "Server": "Server health and information",
    "Sessions": "Debug session management",
    "Program Control": "Launch, attach, and control execution",
    "Breakpoints": "Breakpoint management",
    "Execution": "Step, continue, pause operations",
    "Inspection": "Threads, stacks, variables, evaluation",
    "Output": "Program output and events",
    "Recording": "The recorded run: its moments, the changes of values, the time of conditions",
}

_ERRORS = {
    "InvalidRequest": (400, "The body does not fit (INVALID_REQUEST), or asks the impossible"),
    "InvalidParameter": (400, "A parameter is missing or invalid"),
    "Unauthorized": (401, "The bearer token is missing or unknown"),
    "Forbidden": (403, "The token, the Host or the Origin does not allow it"),
    "SessionNotFound": (404, "There is no such session, thread, frame, variable or moment"),
    "BreakpointNotFound": (404, "There is no such session or breakpoint"),
    "InvalidSessionState": (409, "The operation is not valid in this state of the session"),
    "SessionExpired": (410, "The session has expired"),
    "SessionLimitReached": (429, "There are as many sessions as there may be"),
    "LaunchFailed": (500, "The program could not be started"),
    "AttachFailed": (500, "The program could not be attached to"),
    "InternalError": (500, "The debug adapter or the server failed"),
    "AttachRefused": (502, "Nothing listens there"),
    "Unhealthy": (503, "The server can't debug"),
    "AttachTimeout": (504, "Nothing answered in time"),
    "DebugpyTimeout": (504, "The program did not stop, or answer, in time"),
}
_OF_OPERATIONS = {
    core.BreakpointNotFound: "BreakpointNotFound",
    core.InvalidSessionState: "InvalidSessionState",
    core.SessionLimitReached: "SessionLimitReached",
    core.LaunchFailed: "LaunchFailed",
    core.AttachFailed: "AttachFailed",
    core.AttachRefused: "AttachRefused",
    core.AttachTimedOut: "AttachTimeout",
    core.AdapterTimedOut: "DebugpyTimeout",
    MomentNotFound: "SessionNotFound",
    NothingRecorded: "SessionNotFound",
    CannotRecord: "InvalidSessionState",
}
"""Error answer of each exception class; the other exceptions share one of these."""
_ALWAYS = ("InvalidRequest", "Unauthorized", "Forbidden", "InternalError")

_PARAMETERS = {
    "session_id": "SessionIdParam",
    "breakpoint_id": "BreakpointIdParam",
    "offset": "OffsetParam",
    "limit": "LimitParam",
}
_ROW = re.compile(r" \(R0[^)]*\)")
_REF = "#/components/{kind}/{name}"


def make_document(app: FastAPI) -> dict[str, Any]:
    """Build the document of an application."""
    document = get_openapi(
        title=TITLE,
        version=VERSION,
        openapi_version="3.1.0",
        description="Controls Python debugging sessions: one live session, many clients.",
        routes=app.routes,
        tags=[{"name": name, "description": text} for name, text in _TAGS.items()],
        servers=[{"url": PREFIX, "description": "This server"}],
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas |= _schemas()
    document["components"]["responses"] = {
        name: {"description": text, "content": _json(_ref("schemas", "ErrorResponse"))}
        for name, (_, text) in _ERRORS.items()
    }
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{}, {"token": []}]
    parameters: dict[str, Any] = {}
    document["components"]["parameters"] = parameters
    paths = document["paths"]
    document["paths"] = {path.removeprefix(PREFIX): paths[path] for path in paths}
    for path, methods in document["paths"].items():
        for operation in methods.values():
            _finish(path, operation, parameters)
    told: dict[str, Any] = _for_readers(document)
    return told


def _for_readers(part: Any) -> Any:
    """Remove the parts of descriptions that are for tuidbg's developers only."""
    if isinstance(part, dict):
        return {
            name: _ROW.sub("", value).replace("``", "`")
            if name == "description" and isinstance(value, str)
            else _for_readers(value)
            for name, value in part.items()
        }
    return [_for_readers(each) for each in part] if isinstance(part, list | tuple) else part


def _finish(path: str, operation: dict[str, Any], parameters: dict[str, Any]) -> None:
    """Add the answers of an operation, and share its parameters."""
    responses = operation["responses"]
    responses.pop("422", None)
    answer = operation.pop("x-answer")
    (good,) = responses.values()
    good["description"] = operation["summary"]
    good["content"] = _json(_success(answer))
    good["headers"] = {"X-Request-ID": {"schema": {"type": "string"}}}
    for name in _all_errors(path, operation):
        responses.setdefault(str(_ERRORS[name][0]), {"$ref": _ref("responses", name)["$ref"]})
    if (body := operation.get("requestBody")) is not None:
        body["content"]["application/json"]["schema"].pop("default", None)  # it may be left out
    told = operation.get("parameters", [])
    for index, parameter in enumerate(told):
        shared = _PARAMETERS.get(parameter["name"])
        if shared is not None:
            parameters[shared] = parameter
            told[index] = _ref("parameters", shared)


def name_errors(asked: Operation[..., Any]) -> list[str]:
    """Return an operation's error answers by name."""
    return [_OF_OPERATIONS[error] for error in asked.errors if error in _OF_OPERATIONS]


def _all_errors(path: str, operation: dict[str, Any]) -> Iterator[str]:
    """Return a route's error answers; the first one of each status is used."""
    own = operation.pop("x-errors")
    if "requestBody" in operation:
        yield "InvalidRequest"
    is_of_session = "{session_id}" in path
    if is_of_session and "BreakpointNotFound" not in own:
        yield "SessionNotFound"
    yield from (*own, *_ALWAYS)
    if is_of_session:
        yield "SessionExpired"


def _schemas() -> dict[str, Any]:
    kinds = [
        kind
        for module in (answers, answers, answers)
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__ and kind is not answers.Answer
    ]
    bodies = [*feed_events.FeedBody.__subclasses__()]
    _, schemas = msgspec.json.schema_components(
        [*kinds, *bodies, ApiResponse, ApiError, ResponseMeta],
        ref_template="#/components/schemas/{name}",
    )
    body = {"anyOf": [_ref("schemas", kind.__name__) for kind in bodies]}
    schemas["EventTold"]["properties"]["body"] = body
    schemas["ErrorResponse"] = {
        "title": "ErrorResponse",
        "type": "object",
        "properties": {
            "success": {"const": False},
            "data": {"type": "null"},
            "error": _ref("schemas", "ApiError"),
            "meta": _ref("schemas", "ResponseMeta"),
        },
        "required": ["success", "data", "error", "meta"],
        "additionalProperties": False,
    }
    return schemas


def _success(answer: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "success": {"const": True},
            "data": _ref("schemas", answer),
            "error": {"type": "null"},
            "meta": _ref("schemas", "ResponseMeta"),
        },
        "required": ["success", "data", "error", "meta"],
        "additionalProperties": False,
    }


def _ref(kind: str, name: str) -> dict[str, str]:
    return {"$ref": _REF.format(kind=kind, name=name)}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def make_page(document: dict[str, Any]) -> str:
    """Render the document as an HTML page without scripts or resources of other servers."""
    rows = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            cells = (method.upper(), PREFIX + path, operation["summary"], operation["operationId"])
            rows.append("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in cells) + "</tr>")
    title = html.escape(document["info"]["title"])
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>"
        f"<h1>{title}</h1><p>The whole of it: <a href=/openapi.json>/openapi.json</a>"
        f"<table>{''.join(rows)}</table></html>"
    )
