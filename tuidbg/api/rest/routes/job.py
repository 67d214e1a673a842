"""``job``: all processes of a program in one call."""

# No `from __future__ import annotations`: FastAPI reads the annotations at run time.
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tuidbg.api.operations import table
from tuidbg.api.operations.job import view_job
from tuidbg.api.rest.answers import (
    JobCommanded,
    JobResponse,
    JobValuesResponse,
    tell_commanded,
    tell_job,
    tell_values,
)
from tuidbg.api.rest.errors import reply
from tuidbg.api.rest.models import JobCommandRequest, JobEvaluateRequest
from tuidbg.api.rest.routes.routing import SESSION, TheHub, TheMember, TheOrigin, operation
from tuidbg.session.features.job.commands import Verb

router = APIRouter(prefix=SESSION, tags=["Inspection"])


@operation(router, "GET /job", table.READ_JOB, JobResponse, "InvalidParameter")
async def get_job(
    request: Request,
    hub: TheHub,
    member: TheMember,
    lines: Annotated[bool, Query(description="Two lines of a function are two places")] = True,
) -> Response:
    """All processes of the program: position of each, reason of its wait, and the odd ones."""
    found = await table.READ_JOB(hub, member)
    return reply(request, tell_job(view_job(found, by_line=lines)))


@operation(router, "POST /job/commands", table.COMMAND_JOB, JobCommanded)
async def command_job(
    request: Request, member: TheMember, origin: TheOrigin, body: JobCommandRequest
) -> Response:
    """Give a command to some processes; to come to a line answers when none is on its way."""
    command = Verb(body.command)
    found = await table.COMMAND_JOB(member, command, body.ranks, body.place, origin=origin)
    return reply(request, tell_commanded(found))


@operation(router, "POST /job/evaluate", table.EVALUATE_JOB, JobValuesResponse)
async def evaluate_in_job(
    request: Request, member: TheMember, origin: TheOrigin, body: JobEvaluateRequest
) -> Response:
    """One expression in all stopped processes: equal answers together, the odd ones first."""
    found = await table.EVALUATE_JOB(
        member, body.expression, body.ranks, timeout=body.timeout, origin=origin
    )
    return reply(request, tell_values(found))
