"""Exception handlers: framework errors and all others as answers."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from tuidbg.api.rest.errors import (
    CONTENT_TYPE,
    UNEXPECTED,
    InvalidParameter,
    Rendering,
    encode_error,
    invalid_parameter,
    make_request_id,
    render,
    reply_error,
    sendable,
)
from tuidbg.session.model.errors import DebuggerError


def render_invalid(errors: Sequence[Mapping[str, Any]]) -> Rendering:
    """Render a validation error: all problems of the body, or the first one of the query."""
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
    return invalid_parameter(InvalidParameter(name, error["msg"], error.get("input")))


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
    """Format ``breakpoints[0].line``, without pydantic's names of union members."""
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
    """Answer with an error that the framework raised."""
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
    """Return all methods of a path; the framework names those of one route only."""
    routes = request.app.router.routes
    return [
        method
        for method in ("DELETE", "GET", "POST")
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes
        )
    ]


async def _on_exception(request: Request, error: Exception) -> Response:
    """Answer with INTERNAL_ERROR; the middleware logs the exception."""
    return _answer(request, UNEXPECTED)


def _unreadable() -> dict[str, Any]:
    error = {"field": "body", "message": "Body is not valid JSON", "value": None}
    return {"errors": [error], "suggestion": "Send JSON in UTF-8"}


def install(app: FastAPI) -> None:
    """Install the handlers."""
    app.add_exception_handler(DebuggerError, _on_debugger_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(Exception, _on_exception)


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_LOG = logging.getLogger("tuidbg.api")


class Outermost:
    """The outermost layer of the application (ASGI).

    It sets ``scope["state"]["request_id"]``, and every answer has the id in its header.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told = next((value for name, value in scope["headers"] if name == b"x-request-id"), None)
        request_id = make_request_id(told)
        header = (b"x-request-id", request_id.encode("latin-1"))
        scope["state"] = {**scope.get("state", {}), "request_id": request_id}
        has_begun = False

        async def send_with_id(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = message.get("headers", ())
                if all(name != b"x-request-id" for name, _ in headers):
                    message["headers"] = [*headers, header]
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception:
            _LOG.exception("%s %s failed", scope["method"], scope["path"])
            if not has_begun:
                await _send_error(send_with_id, request_id)


async def _send_error(send: Send, request_id: str) -> None:
    content = encode_error(UNEXPECTED.code, UNEXPECTED.message, UNEXPECTED.details, request_id)
    headers = [
        (b"content-type", CONTENT_TYPE.encode()),
        (b"content-length", str(len(content)).encode()),
    ]
    await send({"type": "http.response.start", "status": 500, "headers": headers})
    await send({"type": "http.response.body", "body": content})
