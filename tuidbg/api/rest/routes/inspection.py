"""``threads``, ``stacktrace``, ``scopes``, ``variables`` and ``evaluate``."""

# No `from __future__ import annotations`: FastAPI reads annotations as they stand here.
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tuidbg.api.rest import answers
from tuidbg.api.rest.envelope import reply
from tuidbg.api.rest.models import MOST, EvaluateRequest
from tuidbg.api.rest.rendering import (
    tell_evaluated,
    tell_frame,
    tell_raised,
    tell_scope,
    tell_thread,
    tell_variable,
)
from tuidbg.api.rest.routes.routing import Count, Id, Scope, TheMember, operation
from tuidbg.session.errors import DoesNotParse, EvaluationFailed
from tuidbg.session.evaluation.evaluate import Context, ask
from tuidbg.session.values.parts import MOST as MOST_CHILDREN
from tuidbg.session.values.parts import Part, read_part, read_scopes

router = APIRouter(tags=["Inspection"])


@operation(
    router,
    "GET",
    "/sessions/{session_id}/threads",
    "listThreads",
    "List threads",
    answers.ThreadsResponse,
    Scope.READ,
    "SessionNotFound",
    "InvalidSessionState",
)
async def list_threads(request: Request, member: TheMember) -> Response:
    """The threads of the program, while it runs too."""
    threads = await member.control.threads()
    stop = member.session.stop if member.session.status.value == "paused" else None
    data = answers.ThreadsResponse(
        threads=[tell_thread(thread, stop) for thread in threads],
        stopped_thread_id=stop.thread_id if stop is not None else None,
    )
    return reply(request, data)


@operation(
    router,
    "GET",
    "/sessions/{session_id}/stacktrace",
    "getStackTrace",
    "Get stack trace",
    answers.StackTraceResponse,
    Scope.READ,
    "SessionNotFound",
    "InvalidSessionState",
    "InvalidParameter",
)
async def get_stack_trace(
    request: Request,
    member: TheMember,
    thread_id: Annotated[Id | None, Query(description="Thread ID; the stopped one")] = None,
    start_frame: Annotated[Count, Query(description="Start frame index")] = 0,
    levels: Annotated[Count, Query(description="Number of frames; 0 for all")] = 20,
) -> Response:
    """A part of a thread's stack."""
    thread = await member.control.thread(thread_id)
    stack = member.session.inspection.stack
    frames, total = await stack(thread, start_frame, levels or MOST)
    data = answers.StackTraceResponse(
        thread_id=thread,
        frames=[tell_frame(frame) for frame in frames],
        total_frames=total,
    )
    return reply(request, data)


@operation(
    router,
    "GET",
    "/sessions/{session_id}/scopes",
    "getScopes",
    "Get scopes",
    answers.ScopesResponse,
    Scope.READ,
    "SessionNotFound",
    "InvalidSessionState",
    "InvalidParameter",
)
async def get_scopes(
    request: Request,
    member: TheMember,
    frame_id: Annotated[Id, Query(description="Frame ID from stacktrace")] = 0,
) -> Response:
    """The scopes of a frame, the locals first."""
    frame = await member.control.frame(frame_id)
    scopes = await read_scopes(member.session.values, frame.id)
    told = [tell_scope(scope) for scope in scopes]
    return reply(request, answers.ScopesResponse(frame_id=frame_id, scopes=told))


@operation(
    router,
    "GET",
    "/sessions/{session_id}/variables",
    "getVariables",
    "Get variables",
    answers.VariablesResponse,
    Scope.READ,
    "SessionNotFound",
    "InvalidSessionState",
    "InvalidParameter",
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
    """What is in a scope or in a variable."""
    member.control.must_stand("look inside")
    found = await read_part(
        member.session.values,
        variables_reference,
        Part(filter or ""),
        start,
        count or MOST_CHILDREN,
    )
    data = answers.VariablesResponse(
        variables_reference=variables_reference,
        variables=[tell_variable(variable) for variable in found.variables],
        total=found.total,
    )
    return reply(request, data)


@operation(
    router,
    "POST",
    "/sessions/{session_id}/evaluate",
    "evaluate",
    "Evaluate expression",
    answers.EvaluateResponse,
    Scope.EVALUATE,
    "InvalidRequest",
    "SessionNotFound",
    "InvalidSessionState",
    "DebugpyTimeout",
)
async def evaluate(request: Request, member: TheMember, body: EvaluateRequest) -> Response:
    """What an expression gives, or what it raised."""
    frame = await member.control.frame(body.frame_id)
    try:
        found = await ask(member.session, body.expression, frame.id, Context(body.context))
    except DoesNotParse:
        raise
    except EvaluationFailed as error:
        return reply(request, tell_raised(str(error)))
    return reply(request, tell_evaluated(body.expression, found))
