"""Shared parts of the routes: session lookup, the caller's origin, and operation metadata."""

# No `from __future__ import annotations`: FastAPI reads the annotations at run time.
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.responses import Response

from tuidbg.api.auth.callers import needs
from tuidbg.api.operations.operation import Operation
from tuidbg.api.rest.answers import Answer
from tuidbg.api.rest.models import MOST, MOST_ID
from tuidbg.api.rest.openapi import name_errors
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession

__all__ = [
    "SESSION",
    "Count",
    "Id",
    "Limit",
    "Offset",
    "TheHub",
    "TheMember",
    "TheOrigin",
    "operation",
]

F = TypeVar("F", bound=Callable[..., Awaitable[Response]])

SESSION = "/sessions/{session_id}"
"""Path prefix of all routes of a session."""

Limit = Annotated[int, Query(ge=1, le=1000)]
Offset = Annotated[int, Query(ge=0, le=MOST)]
Count = Annotated[int, Query(ge=0, le=MOST)]
Id = Annotated[int, Query(ge=0, le=MOST_ID)]


async def _hub(request: Request) -> Hub:
    hub: Hub = request.app.state.gate.hub
    return hub


async def _member(request: Request, session_id: str) -> HubSession:
    """Return the session of the path and renew its idle timeout."""
    hub: Hub = request.app.state.gate.hub
    return hub.use(session_id)


async def _origin(request: Request) -> str:
    origin: str = request.state.caller.origin
    return origin


async def _refuse_null(request: Request) -> None:
    """Refuse ``null`` as a body; FastAPI treats it as a missing one."""
    if (await request.body()).strip() == b"null":
        message = "Input should be an object; leave the body out instead of giving null"
        raise RequestValidationError(
            [{"type": "null", "loc": ("body",), "msg": message, "input": None}]
        )


TheHub = Annotated[Hub, Depends(_hub)]
TheMember = Annotated[HubSession, Depends(_member)]
TheOrigin = Annotated[str, Depends(_origin)]


def operation(
    router: APIRouter,
    route: str,
    asked: Operation[..., Any],
    answer: type[Answer],
    *errors: str,
    summary: str = "",
    status: int = 200,
) -> Callable[[F], F]:
    """Register a route (``GET /health``) for an operation.

    Its operation id is the function's name, and so is its ``summary`` unless given. ``errors`` are
    names of the document's error answers that only occur over HTTP.
    """
    method, _, path = route.partition(" ")

    def register(function: F) -> F:
        first, *rest = function.__name__.split("_")
        return router.api_route(
            path,
            methods=[method],
            operation_id=first + "".join(map(str.title, rest)),
            summary=summary or " ".join([first.title(), *rest]),
            status_code=status,
            response_class=Response,
            response_model=None,
            dependencies=[needs(asked.scope), Depends(_refuse_null)],
            openapi_extra={
                "x-answer": answer.__name__,
                "x-errors": [*name_errors(asked), *errors],
            },
        )(function)

    return register
