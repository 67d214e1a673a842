"""``breakpoints``: setting several, listing, removing one."""

# No `from __future__ import annotations`: FastAPI reads the annotations at run time.
import os.path
import re
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tuidbg.api.operations import table
from tuidbg.api.operations.execution import code_of
from tuidbg.api.rest import answers
from tuidbg.api.rest.errors import UnknownBreakpointId, reply
from tuidbg.api.rest.models import BreakpointEntry, SetBreakpointsRequest
from tuidbg.api.rest.rendering import tell_breakpoint, tell_listed
from tuidbg.api.rest.routes.routing import SESSION, TheMember, TheOrigin, operation
from tuidbg.session.core.breakpoints.batch import WantedLine
from tuidbg.session.model.errors import BreakpointNotFound

router = APIRouter(prefix=SESSION, tags=["Breakpoints"])

_ID = re.compile(r"bp_([1-9][0-9]{0,8})", re.ASCII)


@operation(router, "POST /breakpoints", table.SET_LINES, answers.BreakpointResponse)
async def set_breakpoints(
    request: Request, member: TheMember, origin: TheOrigin, body: SetBreakpointsRequest
) -> Response:
    """Add breakpoints, or change those that are there."""
    wanted = [_wanted(entry) for entry in body.breakpoints]
    code = [text for each in wanted for text in code_of(each.settings)]
    request.app.state.gate.demand_code(request.state.caller, "setBreakpoints", member.id, code)
    found = await table.SET_LINES(member.session, wanted, origin=origin)
    data = answers.BreakpointResponse(breakpoints=[tell_breakpoint(each) for each in found])
    return reply(request, data)


def _wanted(entry: BreakpointEntry) -> WantedLine:
    return WantedLine(
        path=entry.source.path,
        line=entry.line,
        settings={
            "condition": entry.condition or "",
            "hit_condition": entry.hit_condition or "",
            "log_message": entry.log_message or "",
            "enabled": entry.enabled,
        },
    )


@operation(
    router,
    "GET /breakpoints",
    table.LIST_BREAKPOINTS,
    answers.BreakpointListResponse,
    "InvalidParameter",
)
async def list_breakpoints(
    request: Request,
    member: TheMember,
    file: Annotated[str | None, Query(description="Filter by file path")] = None,
    verified: Annotated[bool | None, Query(description="Filter by verification status")] = None,
) -> Response:
    """The breakpoints that have a place, by file and line."""
    path = os.path.normpath(file) if file is not None else None
    of_file = [
        b for b in table.LIST_BREAKPOINTS(member.session) if b.path and path in (None, b.path)
    ]
    told = [tell_listed(each) for each in of_file]
    found = [each for each in told if verified in (None, each.verified)]
    return reply(request, answers.BreakpointListResponse(breakpoints=found, total=len(found)))


@operation(
    router,
    "DELETE /breakpoints/{breakpoint_id}",
    table.REMOVE_BREAKPOINT,
    answers.BreakpointDeleted,
)
async def remove_breakpoint(
    request: Request, member: TheMember, origin: TheOrigin, breakpoint_id: str
) -> Response:
    """Remove one."""
    number = _ID.fullmatch(breakpoint_id)
    if number is None:
        raise UnknownBreakpointId(breakpoint_id)
    try:
        await table.REMOVE_BREAKPOINT(member.session.breakpoints, int(number[1]), origin=origin)
    except BreakpointNotFound:
        raise UnknownBreakpointId(breakpoint_id) from None
    return reply(request, answers.BreakpointDeleted(id=breakpoint_id, deleted=True))
