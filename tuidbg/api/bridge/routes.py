"""The command bridge: ``/command``, ``/health`` and ``/logs``, on the current session.

All answers of ``/command`` are one object with ``ok``. The HTTP status of a refused command is 400,
or 409 if it is impossible in the current state, or 403 if the token does not allow it; a failing
build has run as requested, so it is 200 with ``ok:false``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from tuidbg import __version__
from tuidbg.api.auth.callers import AccessGate, Caller, ScopeMissing
from tuidbg.api.bridge.actions import (
    ACTIONS,
    ORIGIN,
    Actions,
    BridgeOptions,
    CommandRefused,
    read_command,
)
from tuidbg.api.operations import table
from tuidbg.api.operations.operation import words_for
from tuidbg.api.operations.views import as_sent
from tuidbg.session.hub.diagnostics import Diagnostics
from tuidbg.session.hub.hub import Hub
from tuidbg.session.model.errors import (
    AgentsPaused,
    DebuggerError,
    InvalidSessionState,
    ProgramEnded,
)
from tuidbg.session.model.state import Status

__all__ = ["BridgeOptions", "make_router"]

KEEP_ALIVE = 5.0
"""Seconds without a line after which a reader of the logs gets a keep-alive comment."""

_STATUSES: Mapping[type, int] = {
    ScopeMissing: 403,
    AgentsPaused: 409,
    InvalidSessionState: 409,
    ProgramEnded: 409,
}

_NEEDS = {name: action.needs for name, action in ACTIONS.items()}


def make_router(hub: Hub, options: BridgeOptions, diagnostics: Diagnostics) -> APIRouter:
    """Make the bridge's routes. Close ``diagnostics`` before stopping the server: that ends /logs.

    Raises BuildNotPossible for an invalid build command.
    """
    router = APIRouter(include_in_schema=False)
    actions = Actions(hub, options)

    @router.post("/command")
    async def command(request: Request) -> Response:
        return await _serve_command(request, actions)

    @router.get("/health")
    async def health(request: Request) -> Response:
        if (refusal := _refuse_reading(request)) is not None:
            return refusal
        return _serve_health(hub)

    @router.get("/logs")
    async def logs(request: Request) -> Response:
        if (refusal := _refuse_reading(request)) is not None:
            return refusal
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        lines = _stream(diagnostics)
        return StreamingResponse(lines, media_type="text/event-stream", headers=headers)

    return router


async def _serve_command(request: Request, actions: Actions) -> Response:
    caller, gate = _caller(request), _gate(request)
    try:
        command = read_command(await request.body(), _NEEDS)
        member, action = gate.hub.current, ACTIONS[command.action]
        session_id = member.id if member is not None else ""
        with gate.admit(
            caller, action.scope, command.action, arguments=command.text, session_id=session_id
        ) as call:
            payload = {"ok": True, **await actions.run(command, caller)}
            if payload["ok"]:
                call.succeed("ok")
            else:
                call.fail(f"exit code {payload['exitCode']}")
    except DebuggerError as error:
        return _refusal(error)
    except Exception:  # the caller gets the envelope in any case
        logging.getLogger(__name__).exception("a command of the bridge failed")
        return _answer({"ok": False, "error": "internal error; the server's log says more"}, 500)
    return _answer(payload)


def _serve_health(hub: Hub) -> Response:
    """Report ready if commands can be served: also without a session, but not with a lost one."""
    member = hub.current
    session = member.session if member is not None else None
    facts: dict[str, Any] = {
        "program": session.plan.title if session is not None else None,
        "session_id": member.id if member is not None else None,
        "status": session.status if session is not None else None,
        "version": __version__,
    }
    if session is not None and session.status is Status.FAILED:
        return _answer(
            {"ok": False, "error": session.failure or "the program was lost", **facts}, 503
        )
    if session is not None and session.status is Status.LAUNCHING:
        return _answer({"ok": False, "error": "the program is starting", **facts}, 503)
    return _answer({"ok": True, **facts})


async def _stream(diagnostics: Diagnostics) -> AsyncIterator[bytes]:
    """Send each line as a server-sent event as soon as it arrives."""
    lines = diagnostics.follow()
    yield b": tuidbg\n\n"
    coming = asyncio.ensure_future(anext(lines, None))
    try:
        while True:
            await asyncio.wait({coming}, timeout=KEEP_ALIVE)
            if not coming.done():
                yield b": still here\n\n"
                continue
            if (line := coming.result()) is None:
                return
            coming = asyncio.ensure_future(anext(lines, None))
            yield f"data: {as_sent(str(line))}\n\n".encode()
    finally:
        coming.cancel()
        await asyncio.wait({coming})
        await lines.aclose()


def _caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return msgspec.structs.replace(caller, origin=ORIGIN)


def _gate(request: Request) -> AccessGate:
    gate: AccessGate = request.app.state.gate
    return gate


def _refuse_reading(request: Request) -> Response | None:
    """Check the READ scope without an activity entry: health is polled often."""
    caller = _caller(request)
    scope = table.LOOK_AT_SERVER.scope
    return None if scope in caller.scopes else _refusal(ScopeMissing(scope, caller))


def _refusal(error: DebuggerError) -> Response:
    status = words_for(error, _STATUSES, 400)
    body = {"ok": False, "error": str(error)}
    if isinstance(error, CommandRefused) and error.reason:
        body["reason"] = error.reason
    return _answer(body, status)


def _answer(body: dict[str, Any], status: int = 200) -> Response:
    content = msgspec.json.encode(as_sent(body))
    return Response(content, status, media_type="application/json")
