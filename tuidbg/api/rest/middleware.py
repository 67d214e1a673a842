"""Around everything: gives each request its id, and answers what nobody foresaw."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from tuidbg.api.rest.envelope import CONTENT_TYPE, encode_error, make_request_id
from tuidbg.api.rest.errors import UNEXPECTED

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_LOG = logging.getLogger("tuidbg.api")


class Outermost:
    """The outermost layer of the application (ASGI).

    ``scope["state"]["request_id"]`` is the request's id from here on, and every answer has it in
    its header.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
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
    """INTERNAL_ERROR."""
    content = encode_error(UNEXPECTED.code, UNEXPECTED.message, UNEXPECTED.details, request_id)
    headers = [
        (b"content-type", CONTENT_TYPE.encode()),
        (b"content-length", str(len(content)).encode()),
    ]
    await send({"type": "http.response.start", "status": 500, "headers": headers})
    await send({"type": "http.response.body", "body": content})
