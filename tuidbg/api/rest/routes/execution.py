"""``continue``, ``pause`` and the steps."""

# No `from __future__ import annotations`: FastAPI reads the annotations at run time.
from fastapi import APIRouter, Request
from starlette.responses import Response

from tuidbg.api.operations import table
from tuidbg.api.rest import answers
from tuidbg.api.rest.errors import reply
from tuidbg.api.rest.models import StepRequest, ThreadRequest
from tuidbg.api.rest.rendering import tell_pause, tell_step, tell_step_out
from tuidbg.api.rest.routes.routing import SESSION, TheMember, TheOrigin, operation
from tuidbg.session.core.execution import Resume
from tuidbg.session.hub.members import HubSession

router = APIRouter(prefix=SESSION, tags=["Execution"])

_STOPPED_THREAD, _LINE = ThreadRequest.model_validate({}), StepRequest.model_validate({})
"""Defaults for a missing body."""


@operation(router, "POST /continue", table.CONTINUE, answers.ContinueResponse)
async def continue_execution(
    request: Request, member: TheMember, origin: TheOrigin, body: ThreadRequest = _STOPPED_THREAD
) -> Response:
    """Let the program go on; answers at once."""
    await table.CONTINUE(member.control, thread_id=body.thread_id, origin=origin)
    data = answers.ContinueResponse(session_id=member.id, status="running", continued=True)
    return reply(request, data)


@operation(router, "POST /pause", table.PAUSE, answers.PauseResponse)
async def pause_execution(
    request: Request, member: TheMember, origin: TheOrigin, body: ThreadRequest = _STOPPED_THREAD
) -> Response:
    """Pause the program; answers when it is paused."""
    outcome = await table.PAUSE(member.control, thread_id=body.thread_id, origin=origin)
    return reply(request, tell_pause(member, outcome))


@operation(router, "POST /step-over", table.STEP, answers.StepResponse)
async def step_over(
    request: Request, member: TheMember, origin: TheOrigin, body: StepRequest = _LINE
) -> Response:
    """Run one line; answers when the program is paused again."""
    return await _step(request, member, origin, Resume.STEP_OVER, body)


@operation(router, "POST /step-into", table.STEP, answers.StepResponse)
async def step_into(
    request: Request, member: TheMember, origin: TheOrigin, body: StepRequest = _LINE
) -> Response:
    """Enter the call on the line, if there is one."""
    return await _step(request, member, origin, Resume.STEP_IN, body)


async def _step(
    request: Request, member: HubSession, origin: str, how: Resume, body: StepRequest
) -> Response:
    outcome = await table.STEP(
        member, how, thread_id=body.thread_id, may_run_on=False, origin=origin
    )
    return reply(request, tell_step(member, outcome))


@operation(router, "POST /step-out", table.STEP_OUT, answers.StepOutResponse)
async def step_out(
    request: Request, member: TheMember, origin: TheOrigin, body: ThreadRequest = _STOPPED_THREAD
) -> Response:
    """Run until the function returns; answers with the returned value."""
    outcome, returned = await table.STEP_OUT(
        member.control, thread_id=body.thread_id, origin=origin
    )
    return reply(request, tell_step_out(member, outcome, returned))
