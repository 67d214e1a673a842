"""``output`` and ``events``: pages from a cursor, with long-polling for events."""

# No `from __future__ import annotations`: FastAPI reads the annotations at run time.
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tuidbg.api.feed.feed import decode_cursor, encode_cursor, feed_of
from tuidbg.api.operations import table
from tuidbg.api.rest import answers
from tuidbg.api.rest.errors import reply
from tuidbg.api.rest.rendering import status_of, tell_event, tell_output
from tuidbg.api.rest.routes.routing import SESSION, Count, Limit, TheMember, operation

router = APIRouter(prefix=SESSION, tags=["Output"])

LONGEST_POLL = 30
"""Maximum ``timeout`` in seconds."""

Cursor = Annotated[str | None, Query(description="Resume from cursor position")]


@operation(router, "GET /output", table.READ_OUTPUT, answers.OutputResponse, "InvalidParameter")
async def get_output(
    request: Request,
    member: TheMember,
    cursor: Cursor = None,
    limit: Limit = 100,
    category: Annotated[
        Literal["stdout", "stderr", "console"] | None, Query(description="Only this")
    ] = None,
) -> Response:
    """Output of the program and the debugger."""
    position = decode_cursor(cursor, member.id, "output") if cursor is not None else 0
    page = table.READ_OUTPUT(feed_of(member), position, limit, category)
    data = answers.OutputResponse(
        entries=[tell_output(entry) for entry in page.entries],
        next_cursor=encode_cursor(member.id, "output", page.next),
        has_more=page.has_more,
        dropped=page.missed,
    )
    return reply(request, data)


@operation(router, "GET /events", table.READ_EVENTS, answers.EventsResponse, "InvalidParameter")
async def poll_events(
    request: Request,
    member: TheMember,
    cursor: Cursor = None,
    limit: Limit = 100,
    timeout: Annotated[
        Count, Query(description=f"Seconds to wait for an event, {LONGEST_POLL} at most")
    ] = 0,
) -> Response:
    """Past events, or those within ``timeout`` seconds."""
    position = decode_cursor(cursor, member.id, "events") if cursor is not None else 0
    if timeout:
        await feed_of(member).wait_for_events(position, min(timeout, LONGEST_POLL))
    page = table.READ_EVENTS(feed_of(member), position, limit)
    data = answers.EventsResponse(
        events=[tell_event(event) for event in page.entries],
        next_cursor=encode_cursor(member.id, "events", page.next),
        has_more=page.has_more,
        session_status=status_of(member),
    )
    return reply(request, data)
