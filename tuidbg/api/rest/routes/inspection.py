"""``threads``, ``stacktrace``, ``scopes``, ``variables`` and ``evaluate``."""

# No `from __future__ import annotations`: FastAPI reads the annotations at run time.
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tuidbg.api.operations import table
from tuidbg.api.rest import answers
from tuidbg.api.rest.errors import reply
from tuidbg.api.rest.models import MOST, EvaluateRequest
from tuidbg.api.rest.rendering import (
    tell_evaluated,
    tell_frame,
    tell_raised,
    tell_scope,
    tell_thread,
    tell_variable,
)
from tuidbg.api.rest.routes.routing import SESSION, Count, Id, TheMember, operation
from tuidbg.session.core.evaluation.prompt import EvaluationContext
from tuidbg.session.core.values.variables import MOST as MOST_CHILDREN
from tuidbg.session.core.values.variables import ChildKind
from tuidbg.session.model.errors import DoesNotParse, EvaluationFailed

router = APIRouter(prefix=SESSION, tags=["Inspection"])


@operation(router, "GET /threads", table.LIST_THREADS, answers.ThreadsResponse)
async def list_threads(request: Request, member: TheMember) -> Response:
    """The threads of the program, while it runs too."""
    found = await table.LIST_THREADS(member)
    stop = found.stop
    data = answers.ThreadsResponse(
        threads=[tell_thread(thread, stop) for thread in found.threads],
        stopped_thread_id=stop.thread_id if stop is not None else None,
    )
    return reply(request, data)


@operation(
    router, "GET /stacktrace", table.READ_STACK, answers.StackTraceResponse, "InvalidParameter"
)
async def get_stack_trace(
    request: Request,
    member: TheMember,
    thread_id: Annotated[Id | None, Query(description="Thread ID; the stopped one")] = None,
    start_frame: Annotated[Count, Query(description="Start frame index")] = 0,
    levels: Annotated[Count, Query(description="Number of frames; 0 for all")] = 20,
) -> Response:
    """A part of a thread's stack."""
    stack = await table.READ_STACK(member, thread_id, start_frame, count=levels or MOST)
    data = answers.StackTraceResponse(
        thread_id=stack.thread_id,
        frames=[tell_frame(frame) for frame in stack.frames],
        total_frames=stack.total,
    )
    return reply(request, data)


@operation(router, "GET /scopes", table.READ_SCOPES, answers.ScopesResponse, "InvalidParameter")
async def get_scopes(
    request: Request,
    member: TheMember,
    frame_id: Annotated[Id, Query(description="Frame ID from stacktrace")] = 0,
) -> Response:
    """The scopes of a frame, the locals first."""
    frame = await member.control.frame(frame_id)
    scopes = await table.READ_SCOPES(member.session.values, frame.id)
    told = [tell_scope(scope) for scope in scopes]
    return reply(request, answers.ScopesResponse(frame_id=frame_id, scopes=told))


@operation(
    router, "GET /variables", table.READ_VARIABLES, answers.VariablesResponse, "InvalidParameter"
)
async def get_variables(
    request: Request,
    member: TheMember,
    variables_reference: Id,
    start: Annotated[Count, Query(description="Start index")] = 0,
    count: Annotated[
        Count, Query(description=f"Number of variables; 0 for all, {MOST_CHILDREN} at most then")
    ] = 0,
    filter: Annotated[Literal["indexed", "named"] | None, Query(description="Only these")] = None,
) -> Response:
    """Contents of a scope or of a variable."""
    found = await table.READ_VARIABLES(
        member, variables_reference, ChildKind(filter or ""), start, count or MOST_CHILDREN
    )
    data = answers.VariablesResponse(
        variables_reference=variables_reference,
        variables=[tell_variable(variable) for variable in found.variables],
        total=found.total,
    )
    return reply(request, data)


@operation(
    router,
    "POST /evaluate",
    table.EVALUATE,
    answers.EvaluateResponse,
    summary="Evaluate expression",
)
async def evaluate(request: Request, member: TheMember, body: EvaluateRequest) -> Response:
    """Value of an expression, or the exception that it raised."""
    context = EvaluationContext(body.context)
    try:
        found = await table.EVALUATE(
            member, body.expression, frame_index=body.frame_id, context=context
        )
    except DoesNotParse:
        raise
    except EvaluationFailed as error:
        return reply(request, tell_raised(str(error)))
    return reply(request, tell_evaluated(body.expression, found))
