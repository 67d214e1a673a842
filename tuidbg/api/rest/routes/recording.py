"""``recording``: the recorded run, its moments, and queries.

Each request names its moment, so that clients at different moments do not affect each other.
"""

# No `from __future__ import annotations`: FastAPI reads the annotations at run time.
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tuidbg.api.operations import table
from tuidbg.api.operations.recording import MOST as MOST_ROWS
from tuidbg.api.operations.recording import Direction, Which
from tuidbg.api.rest import answers
from tuidbg.api.rest.errors import reply
from tuidbg.api.rest.models import EvaluatePastRequest, FindTimeRequest
from tuidbg.api.rest.rendering import (
    tell_calls,
    tell_changes,
    tell_frame,
    tell_passes,
    tell_past_result,
    tell_reached,
    tell_recording,
    tell_time,
    tell_untold,
    tell_variable,
)
from tuidbg.api.rest.routes.routing import SESSION, Count, Id, TheMember, TheOrigin, operation
from tuidbg.recording.stepping import StepDirection
from tuidbg.session.core.values.variables import MOST as MOST_CHILDREN
from tuidbg.session.model.errors import EvaluationFailed

router = APIRouter(prefix=f"{SESSION}/recording", tags=["Recording"])

At = Annotated[str, Query(description="Name of a moment; the last one if left out")]
Call = Annotated[Id, Query(description="Recorded call, 0 the innermost")]
Rows = Annotated[int, Query(ge=1, le=MOST_ROWS, description="Number of rows")]
Named = Annotated[
    str, Query(description="Function, as work or Cart.add; that of the frame if left out")
]


@operation(router, "GET", table.READ_RECORDING, answers.RecordingResponse)
async def get_recording(request: Request, member: TheMember) -> Response:
    """State of the recording, and the range of its moments."""
    return reply(request, tell_recording(await table.READ_RECORDING(member)))


@operation(router, "POST", table.BEGIN_RECORDING, answers.RecordingResponse)
async def begin_recording(request: Request, member: TheMember, origin: TheOrigin) -> Response:
    """Record the program from here on."""
    return reply(request, tell_recording(await table.BEGIN_RECORDING(member, origin=origin)))


@operation(router, "DELETE", table.END_RECORDING, answers.RecordingResponse)
async def end_recording(request: Request, member: TheMember, origin: TheOrigin) -> Response:
    """Stop recording; the recorded part can still be queried."""
    return reply(request, tell_recording(await table.END_RECORDING(member, origin=origin)))


@operation(router, "GET /moment", table.GO_IN_PAST, answers.MomentResponse, "InvalidParameter")
async def get_moment(
    request: Request,
    member: TheMember,
    moment: At = "",
    go: Annotated[
        Literal["back", "forth", "stay"], Query(description="The step from the moment")
    ] = "stay",
    way: Annotated[
        Literal["over", "into", "out", "breakpoint"], Query(description="How far")
    ] = "over",
) -> Response:
    """A moment, or the one that a step from it leads to."""
    found = await table.GO_IN_PAST(member, moment, StepDirection(way), Direction(go))
    return reply(request, tell_reached(found))


@operation(
    router,
    "GET /stacktrace",
    table.READ_PAST_STACK,
    answers.RecordedStackResponse,
    "InvalidParameter",
)
async def get_recorded_stack(
    request: Request,
    member: TheMember,
    moment: At = "",
    start_frame: Count = 0,
    levels: Annotated[int, Query(ge=1, le=1000, description="Number of frames")] = 20,
) -> Response:
    """A part of the stack of a moment."""
    stack = await table.READ_PAST_STACK(member, moment, start_frame, count=levels)
    data = answers.RecordedStackResponse(
        moment=stack.moment,
        frames=[tell_frame(frame) for frame in stack.frames],
        total_frames=stack.total,
    )
    return reply(request, data)


@operation(
    router,
    "GET /variables",
    table.READ_PAST_VARIABLES,
    answers.RecordedVariablesResponse,
    "InvalidParameter",
)
async def get_recorded_variables(
    request: Request,
    member: TheMember,
    moment: At = "",
    frame_id: Call = 0,
    scope: Annotated[Literal["locals", "globals"], Query(description="Of which scope")] = "locals",
    variables_reference: Annotated[
        Id, Query(description="Contents of this recorded value, instead of a scope")
    ] = 0,
    start: Count = 0,
    count: Annotated[int, Query(ge=1, le=MOST_CHILDREN)] = MOST_CHILDREN,
) -> Response:
    """Variables of a recorded call, or the contents of a recorded value."""
    name: str | None = None
    if variables_reference:
        inner = await table.OPEN_PAST_VALUE(member, variables_reference, start=start, count=count)
        variables, total = inner.variables, inner.total
    else:
        found = await table.READ_PAST_VARIABLES(
            member, moment, frame_id, is_global=scope == "globals", start=start, count=count
        )
        name, variables, total = found.moment, found.variables, found.total
    data = answers.RecordedVariablesResponse(
        moment=name, variables=[tell_variable(each) for each in variables], total=total
    )
    return reply(request, data)


@operation(router, "POST /evaluate", table.EVALUATE_PAST, answers.RecordedEvaluateResponse)
async def evaluate_recorded(
    request: Request, member: TheMember, body: EvaluatePastRequest
) -> Response:
    """Value of an expression at a moment, or the reason why it is unknown."""
    try:
        found = await table.EVALUATE_PAST(
            member, body.expression, moment=body.moment, frame_index=body.frame_id
        )
    except EvaluationFailed as error:
        return reply(request, tell_untold(str(error)))
    return reply(request, tell_past_result(body.expression, found))


@operation(router, "GET /changes", table.LAST_CHANGES, answers.ChangesResponse, "InvalidParameter")
async def get_changes(
    request: Request,
    member: TheMember,
    expression: Annotated[
        str, Query(min_length=1, description="A variable, or a path as self.items[3]")
    ],
    moment: At = "",
    frame_id: Call = 0,
    before: Annotated[Id | None, Query(description="The when of a change: those before it")] = None,
    count: Rows = 1,
) -> Response:
    """The last changes of a value up to a moment: the line, the old and the new value."""
    found = await table.LAST_CHANGES(
        member, expression, moment=moment, frame_index=frame_id, before=before, count=count
    )
    return reply(request, tell_changes(found))


@operation(router, "POST /time", table.FIND_TIME, answers.TimeResponse)
async def find_time(request: Request, member: TheMember, body: FindTimeRequest) -> Response:
    """The first or last time that an expression became true in a function."""
    found = await table.FIND_TIME(
        member,
        body.expression,
        Which(body.which),
        function=body.function,
        moment=body.moment,
        frame_index=body.frame_id,
        after=body.after,
    )
    return reply(request, tell_time(found))


@operation(router, "GET /calls", table.LIST_CALLS, answers.CallsResponse, "InvalidParameter")
async def list_calls(
    request: Request,
    member: TheMember,
    function: Named = "",
    moment: At = "",
    frame_id: Call = 0,
    start: Count = 0,
    count: Rows = MOST_ROWS,
) -> Response:
    """All calls of a function: arguments, results, exceptions."""
    found = await table.LIST_CALLS(
        member, function, moment=moment, frame_index=frame_id, start=start, count=count
    )
    return reply(request, tell_calls(found))


@operation(router, "GET /passes", table.LIST_PASSES, answers.PassesResponse, "InvalidParameter")
async def list_passes(
    request: Request,
    member: TheMember,
    path: Annotated[str, Query(min_length=1, description="Absolute path of a source")],
    line: Annotated[int, Query(ge=1, le=2**20)],
    names: Annotated[
        str, Query(description="Variables, with commas between; those on the line if left out")
    ] = "",
    start: Count = 0,
    count: Rows = MOST_ROWS,
) -> Response:
    """All times that a line was about to run, with the values of variables."""
    wanted = [name for each in names.split(",") if (name := each.strip())]
    found = await table.LIST_PASSES(member, path, line, wanted, start=start, count=count)
    return reply(request, tell_passes(found))


@operation(router, "GET /values", table.LIST_VALUES, answers.PassesResponse, "InvalidParameter")
async def list_values(
    request: Request,
    member: TheMember,
    name: Annotated[str, Query(min_length=1, description="A variable of the function")],
    function: Named = "",
    moment: At = "",
    frame_id: Call = 0,
    start: Count = 0,
    count: Rows = MOST_ROWS,
) -> Response:
    """All values that a variable had in the calls of a function."""
    found = await table.LIST_VALUES(
        member,
        name,
        function=function,
        moment=moment,
        frame_index=frame_id,
        start=start,
        count=count,
    )
    return reply(request, tell_passes(found))
