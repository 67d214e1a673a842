"""The middleware in front of every application: admits authorized requests only.

A caller who can evaluate in a program can run code here, so a request is admitted only if it is
addressed to an address we listen on, does not come from a foreign web page, carries one of our
tokens (unless none is required), and has JSON of a sane size. No header ever allows other origins.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

import msgspec

from tuidbg.api.auth.bodies import (
    BodyRefused,
    Disconnected,
    Message,
    Receive,
    RequestLimits,
    read_body,
)
from tuidbg.api.auth.callers import Auditor, Caller
from tuidbg.api.auth.hosts import AllowedHosts
from tuidbg.api.auth.tokens import Tokens
from tuidbg.api.rest.errors import CONTENT_TYPE, encode_error, make_request_id
from tuidbg.session.core import redaction

Scope = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = dict[bytes, list[bytes]]

_NO_PAGE = "Call it from a program: tools that run in a browser's page can't use it"

BRIDGE_PATHS = ("/command", "/health", "/logs")

STREAMED = "/dap"
"""The path whose body never ends; its messages are limited one by one."""

_ORIGINS = {
    "/command": "bridge",
    "/health": "bridge",
    "/logs": "bridge",
    "/mcp": "mcp",
    "/dap": "dap",
}


class Security(msgspec.Struct):
    """The checks of a request. Without ``tokens`` any process on this machine may do everything."""

    hosts: AllowedHosts
    tokens: Tokens | None = None
    limits: RequestLimits = RequestLimits()
    audit: Auditor | None = None


class Unauthorized(Exception):
    """A rejected request. ``str()`` is the reason, ``details`` has a suggestion."""

    def __init__(
        self,
        status: int,
        code: str,
        sentence: str,
        details: Mapping[str, Any],
        *,
        close: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.status, self.code, self.details, self.close = status, code, details, close


def _forbidden(sentence: str, suggestion: str) -> Unauthorized:
    return Unauthorized(403, "FORBIDDEN", sentence, {"suggestion": suggestion})


def _invalid(field: str, sentence: str, suggestion: str, *, close: bool = False) -> Unauthorized:
    """Make the error of a malformed request, in the form of a model's validation error."""
    error = {"field": field, "message": sentence, "value": None}
    details = {"errors": [error], "suggestion": suggestion}
    return Unauthorized(400, "INVALID_REQUEST", sentence, details, close=close)


class SecurityMiddleware:
    """Middleware that sets the caller and passes a request to ``app``, or answers it itself."""

    def __init__(self, app: Application, security: Security) -> None:
        self._app = app
        self._security = security

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no endpoint needs a WebSocket
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = _by_name(scope["headers"])
        try:
            caller = self._check(scope, headers)
            state = scope.setdefault("state", {})
            if (welcome := state.get("welcome")) is not None:  # see ``http_protocol.py``
                welcome()
            if _has_body(headers) and scope["path"] != STREAMED:
                receive = await self._read(receive)
        except Unauthorized as refusal:
            await _refuse(refusal, scope, headers, send)
            return
        except Disconnected:
            return
        state["caller"] = caller
        with redaction.hidden(caller.redact, caller.actor):
            await self._app(scope, receive, _with_safe_headers(send))

    def _check(self, scope: Scope, headers: Headers) -> Caller:
        limits = self._security.limits
        size = sum(len(name) + len(value) for name, value in scope["headers"])
        if len(scope["headers"]) > limits.header_count or size > limits.headers:
            raise _invalid(
                "headers",
                "there are too many headers",
                f"Send at most {limits.header_count}, of {limits.headers} bytes together",
                close=True,
            )
        self._check_address(headers)
        caller = self._find_caller(scope["path"], headers)
        if scope["method"] not in ("GET", "HEAD") and _has_body(headers):
            kind = _only(headers, b"content-type").partition(b";")[0].strip().lower()
            if scope["path"] == STREAMED:
                if kind != b"application/vnd.dap":
                    raise _invalid(
                        "Content-Type", "this address is for editors", "Use `tuidbg dap --join`"
                    )
            elif kind != b"application/json":
                raise _invalid(
                    "Content-Type",
                    "a body must have Content-Type: application/json",
                    "Add the header Content-Type: application/json, and send JSON in UTF-8",
                )
        return caller

    def _check_address(self, headers: Headers) -> None:
        hosts = self._security.hosts
        if not hosts.admit(_only(headers, b"host").decode("latin-1")):
            raise _forbidden(
                "the Host header names another server than this one",
                "Call it by the address that it told when it started, with the port",
            )
        if b"origin" in headers and not hosts.admit_origin(
            _only(headers, b"origin").decode("latin-1")
        ):
            raise _forbidden("pages of other origins may not call this server", _NO_PAGE)
        # A picture or script that a page loads has no Origin; browsers send Sec-Fetch-Site instead.
        if not {b"cross-site", b"same-site"}.isdisjoint(headers.get(b"sec-fetch-site", ())):
            raise _forbidden("pages of other sites may not call this server", _NO_PAGE)

    def _find_caller(self, path: str, headers: Headers) -> Caller:
        origin = _ORIGINS.get("/" + path.lstrip("/").partition("/")[0], "rest")
        if self._security.tokens is None:
            return Caller(origin=origin)
        scheme, _, value = _only(headers, b"authorization").partition(b" ")
        token = self._security.tokens.find(value.strip()) if scheme.lower() == b"bearer" else None
        if token is None:
            what = "is not one of this server's" if value else "is missing"
            raise Unauthorized(
                401,
                "UNAUTHORIZED",
                f"the bearer token {what}; send the header Authorization: Bearer TOKEN",
                {"suggestion": "The server shows its token at its start; each start makes another"},
            )
        return Caller(actor=token.name, scopes=token.scopes, origin=origin, redact=token.redact)

    async def _read(self, receive: Receive) -> Receive:
        """Read the body and return the new ``receive``. Raises Refused, Disconnected."""
        try:
            body: bytes | None = await read_body(receive, self._security.limits)
        except BodyRefused as error:
            limits = self._security.limits
            limit = (
                f"Send at most {limits.body} bytes at once, with lists and objects at most"
                f" {limits.depth} deep"
            )
            raise _invalid("body", str(error), limit, close=not error.ended) from None

        async def replay() -> Message:
            nonlocal body
            if body is None:
                return await receive()
            message = {"type": "http.request", "body": body, "more_body": False}
            body = None
            return message

        return replay


def _by_name(pairs: list[tuple[bytes, bytes]]) -> Headers:
    headers: Headers = {}
    for name, value in pairs:
        headers.setdefault(name.lower(), []).append(value)
    return headers


def _only(headers: Headers, name: bytes) -> bytes:
    """Return a header's value; empty if repeated: a proxy might believe another one than we do."""
    values = headers.get(name, [])
    return values[0] if len(values) == 1 else b""


def _has_body(headers: Headers) -> bool:
    return b"transfer-encoding" in headers or headers.get(b"content-length", [b"0"]) != [b"0"]


def _with_safe_headers(send: Send) -> Send:
    """Add headers that keep browsers from sniffing, caching or embedding an answer."""

    async def send_safely(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *_SAFE]
        await send(message)

    return send_safely


_SAFE = (
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


async def _refuse(refusal: Unauthorized, scope: Scope, headers: Headers, send: Send) -> None:
    """Answer with an error in the form of the path's protocol."""
    given = scope.get("state", {}).get("request_id")  # set by an outer middleware
    request_id = given or make_request_id(_only(headers, b"x-request-id") or None)
    if scope["path"] in BRIDGE_PATHS:
        body = msgspec.json.encode({"ok": False, "error": str(refusal)})
    else:
        body = encode_error(refusal.code, str(refusal), refusal.details, request_id)
    answer = [
        (b"content-type", CONTENT_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        *_SAFE,
    ]
    if given is None:
        answer.append((b"x-request-id", request_id.encode("latin-1")))
    if refusal.status == 401:
        answer.append((b"www-authenticate", b"Bearer"))
    if refusal.close or b"expect" in headers:  # the rest of its body may or may not arrive
        answer.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": answer})
    await send({"type": "http.response.body", "body": body})
