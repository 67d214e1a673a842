"""``/sessions``: creating, listing, reading and deleting sessions."""

# No `from __future__ import annotations`: FastAPI reads the annotations at run time.
import os
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tuidbg.api.operations import table
from tuidbg.api.rest import answers
from tuidbg.api.rest.errors import reply
from tuidbg.api.rest.models import CreateSessionRequest
from tuidbg.api.rest.rendering import tell_created, tell_session, tell_summary
from tuidbg.api.rest.routes.routing import (
    Limit,
    Offset,
    TheHub,
    TheMember,
    TheOrigin,
    operation,
)
from tuidbg.session.hub.members import SessionConfig

router = APIRouter(tags=["Sessions"])

_ANY = CreateSessionRequest.model_validate({})
"""Defaults for a missing body."""


@operation(router, "POST /sessions", table.CREATE_SESSION, answers.SessionCreated, status=201)
async def create_session(
    request: Request, hub: TheHub, origin: TheOrigin, body: CreateSessionRequest = _ANY
) -> Response:
    """A new session without a program."""
    root = os.path.abspath(body.project_root or ".")
    python = body.python_path or request.app.state.python
    config = SessionConfig(project_root=root, python_path=python, stop_on_entry=body.stop_on_entry)
    member = table.CREATE_SESSION(
        hub, config, name=body.name or "", timeout_minutes=body.timeout_minutes, origin=origin
    )
    return reply(request, tell_created(member), 201)


@operation(
    router, "GET /sessions", table.LIST_SESSIONS, answers.SessionListResponse, "InvalidParameter"
)
async def list_sessions(
    request: Request,
    hub: TheHub,
    offset: Offset = 0,
    limit: Limit = 100,
    status: Annotated[answers.StatusName | None, Query(description="Filter by status")] = None,
) -> Response:
    """The sessions, oldest first, in pages."""
    found = [
        m for m in table.LIST_SESSIONS(hub) if status is None or m.session.status.value == status
    ]
    page = found[offset : offset + limit]
    data = answers.SessionListResponse(
        items=[tell_summary(member) for member in page],
        total=len(found),
        offset=offset,
        limit=limit,
        has_more=offset + len(page) < len(found),
    )
    return reply(request, data)


@operation(router, "GET /sessions/{session_id}", table.READ_SESSION, answers.SessionResponse)
async def get_session(request: Request, member: TheMember) -> Response:
    """A session, and the position of its program."""
    return reply(request, tell_session(member, await table.READ_SESSION(member.control)))


@operation(router, "DELETE /sessions/{session_id}", table.DELETE_SESSION, answers.SessionDeleted)
async def delete_session(
    request: Request,
    hub: TheHub,
    origin: TheOrigin,
    session_id: str,
    force: Annotated[
        bool, Query(description="Processes that do not end within moments are killed in both cases")
    ] = False,
) -> Response:
    """End a session, its program and its adapter."""
    deleted = await table.DELETE_SESSION(hub, session_id, origin=origin)
    data = answers.SessionDeleted(
        session_id=deleted.session_id,
        deleted=True,
        final_status=deleted.final_status.value,
        exit_code=deleted.exit_code,
        runtime_seconds=deleted.runtime_seconds,
    )
    return reply(request, data)
