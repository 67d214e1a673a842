"""Holds what all routes share: whose session it is, who asks, and how an operation is described."""

# No `from __future__ import annotations`: FastAPI reads annotations as they stand here.
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.responses import Response

from tuidbg.api.gate.caller import Scope, needs
from tuidbg.api.rest.answers import Answer
from tuidbg.api.rest.models import MOST, MOST_ID
from tuidbg.session.hub import Hub
from tuidbg.session.serving.members import Member

__all__ = ["Count", "Id", "Limit", "Offset", "Scope", "TheHub", "TheMember", "TheOrigin"]
__all__ += ["operation"]

F = TypeVar("F", bound=Callable[..., Awaitable[Response]])

Limit = Annotated[int, Query(ge=1, le=1000)]
Offset = Annotated[int, Query(ge=0, le=MOST)]
Count = Annotated[int, Query(ge=0, le=MOST)]
Id = Annotated[int, Query(ge=0, le=MOST_ID)]


async def _hub(request: Request) -> Hub:
    hub: Hub = request.app.state.gate.hub
    return hub


async def _member(request: Request, session_id: str) -> Member:
    """The session of the address; asking for it keeps it alive."""
    hub: Hub = request.app.state.gate.hub
    return hub.use(session_id)


async def _origin(request: Request) -> str:
    origin: str = request.state.caller.origin
    return origin


async def _refuse_null(request: Request) -> None:
    """``null`` is no body; FastAPI takes it for one that is left out."""
    if (await request.body()).strip() == b"null":
        message = "Input should be an object; leave the body out instead of giving null"
        raise RequestValidationError(
            [{"type": "null", "loc": ("body",), "msg": message, "input": None}]
        )


TheHub = Annotated[Hub, Depends(_hub)]
TheMember = Annotated[Member, Depends(_member)]
TheOrigin = Annotated[str, Depends(_origin)]


def operation(
    router: APIRouter,
    method: str,
    path: str,
    operation_id: str,
    summary: str,
    answer: type[Answer],
    scope: Scope,
    *errors: str,
    status: int = 200,
) -> Callable[[F], F]:
    """Register a route. ``errors`` are names of the document's shared error answers."""
    return router.api_route(
        path,
        methods=[method],
        operation_id=operation_id,
        summary=summary,
        status_code=status,
        response_class=Response,
        response_model=None,
        dependencies=[needs(scope), Depends(_refuse_null)],
        openapi_extra={"x-answer": answer.__name__, "x-errors": list(errors)},
    )
