"""``continue``, ``pause`` and the steps."""

# No `from __future__ import annotations`: FastAPI reads annotations as they stand here.
from fastapi import APIRouter, Request
from starlette.responses import Response

from tuidbg.api.rest import answers
from tuidbg.api.rest.envelope import reply
from tuidbg.api.rest.models import StepRequest, ThreadRequest
from tuidbg.api.rest.rendering import tell_pause, tell_step, tell_step_out
from tuidbg.api.rest.routes.routing import Scope, TheMember, TheOrigin, operation
from tuidbg.session.execution import Resume

router = APIRouter(tags=["Execution"])

_ERRORS = (
    "InvalidRequest",
    "SessionNotFound",
    "InvalidSessionState",
    "DebugpyTimeout",
)


_STOPPED_THREAD, _LINE = ThreadRequest.model_validate({}), StepRequest.model_validate({})
"""Holds what a body that is left out stands for."""


@operation(
    router,
    "POST",
    "/sessions/{session_id}/continue",
    "continueExecution",
    "Continue execution",
    answers.ContinueResponse,
    Scope.CONTROL,
    *_ERRORS,
)
async def continue_execution(
    request: Request, member: TheMember, origin: TheOrigin, body: ThreadRequest = _STOPPED_THREAD
) -> Response:
    """Let the program go on; answers at once."""
    await member.control.go_on(thread_id=body.thread_id, origin=origin)
    data = answers.ContinueResponse(session_id=member.id, status="running", continued=True)
    return reply(request, data)


@operation(
    router,
    "POST",
    "/sessions/{session_id}/pause",
    "pauseExecution",
    "Pause execution",
    answers.PauseResponse,
    Scope.CONTROL,
    *_ERRORS,
)
async def pause_execution(
    request: Request, member: TheMember, origin: TheOrigin, body: ThreadRequest = _STOPPED_THREAD
) -> Response:
    """Pause the program; answers when it stands."""
    outcome = await member.control.pause(thread_id=body.thread_id, origin=origin)
    return reply(request, tell_pause(member, outcome))


@operation(
    router,
    "POST",
    "/sessions/{session_id}/step-over",
    "stepOver",
    "Step over",
    answers.StepResponse,
    Scope.CONTROL,
    *_ERRORS,
    "InvalidParameter",
)
async def step_over(
    request: Request, member: TheMember, origin: TheOrigin, body: StepRequest = _LINE
) -> Response:
    """Run one line; answers when the program stands again."""
    outcome = await member.control.step(Resume.STEP_OVER, thread_id=body.thread_id, origin=origin)
    return reply(request, tell_step(member, outcome))


@operation(
    router,
    "POST",
    "/sessions/{session_id}/step-into",
    "stepInto",
    "Step into",
    answers.StepResponse,
    Scope.CONTROL,
    *_ERRORS,
    "InvalidParameter",
)
async def step_into(
    request: Request, member: TheMember, origin: TheOrigin, body: StepRequest = _LINE
) -> Response:
    """Enter the call on the line, where there is one."""
    outcome = await member.control.step(Resume.STEP_IN, thread_id=body.thread_id, origin=origin)
    return reply(request, tell_step(member, outcome))


@operation(
    router,
    "POST",
    "/sessions/{session_id}/step-out",
    "stepOut",
    "Step out",
    answers.StepOutResponse,
    Scope.CONTROL,
    *_ERRORS,
)
async def step_out(
    request: Request, member: TheMember, origin: TheOrigin, body: ThreadRequest = _STOPPED_THREAD
) -> Response:
    """Run until the function returns, and tell what it returned."""
    outcome, returned = await member.control.step_out(thread_id=body.thread_id, origin=origin)
    return reply(request, tell_step_out(member, outcome, returned))
