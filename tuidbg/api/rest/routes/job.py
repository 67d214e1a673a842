"""``job``: all processes of a program in one call."""

# No `from __future__ import annotations`: FastAPI reads annotations as they stand here.
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tuidbg.api.operations import table
from tuidbg.api.operations.job.reading import view_job
from tuidbg.api.rest.envelope import reply
from tuidbg.api.rest.job_answers import JobResponse, tell_job
from tuidbg.api.rest.routes.routing import SESSION, TheHub, TheMember, operation

router = APIRouter(prefix=SESSION, tags=["Inspection"])


@operation(router, "GET /job", table.READ_JOB, JobResponse, "InvalidParameter")
async def get_job(
    request: Request,
    hub: TheHub,
    member: TheMember,
    lines: Annotated[bool, Query(description="Two lines of a function are two places")] = True,
) -> Response:
    """All processes of the program: where each is, what it waits for, and which differ."""
    found = await table.READ_JOB(hub, member)
    return reply(request, tell_job(view_job(found, by_line=lines)))
