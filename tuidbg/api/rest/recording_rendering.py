"""From what the operations tell of the recorded run to the contract's values."""

from __future__ import annotations

from tuidbg.api.operations.past.moments import Edge, PastResult, Point, Reached, RecordingState
from tuidbg.api.operations.past.questions import Call, Changes, Page, Time
from tuidbg.api.operations.past.views import (
    ChangeView,
    PointView,
    view_call_recorded,
    view_changes,
    view_pass,
    view_point,
)
from tuidbg.api.operations.views import VariableView
from tuidbg.api.rest import recording_answers as answers
from tuidbg.api.rest.answers import EvaluateResponse, SourceLocation, VariableTold
from tuidbg.api.rest.rendering import tell_evaluated, tell_seen

_EDGES: dict[Edge, answers.EdgeName | None] = {
    Edge.NONE: None,
    Edge.BEGINS: "begins",
    Edge.NOW: "now",
}


def tell_recording(found: RecordingState) -> answers.RecordingResponse:
    """What is recorded."""
    return answers.RecordingResponse(
        is_on=found.is_on,
        obstacle=found.obstacle or None,
        moments=found.moments,
        threads=[
            answers.RecordedThreadTold(
                name=each.name, moments=each.moments, first=each.first, last=each.last
            )
            for each in found.threads
        ],
        left_out=found.left_out or None,
        failed=found.failed or None,
    )


def _moment(seen: PointView) -> answers.RecordedMoment:
    frame = seen.frame
    location = None
    if frame is not None and frame.place is not None:
        place = frame.place
        location = SourceLocation(
            path=place.path or None, line=place.line, column=place.column, function=frame.name
        )
    return answers.RecordedMoment(
        moment=seen.id,
        when=seen.when,
        thread=seen.thread,
        event=seen.event,
        location=location,
        steps_ago=seen.steps_ago,
    )


def _moment_or_none(found: PointView | None) -> answers.RecordedMoment | None:
    return _moment(found) if found is not None else None


def tell_reached(found: Reached) -> answers.MomentResponse:
    """Where a step has led to."""
    at = _moment(view_point(found.point))
    left_out = found.left_out or None
    return answers.MomentResponse(at=at, edge=_EDGES[found.edge], left_out=left_out)


def tell_past_result(expression: str, found: PastResult) -> answers.RecordedEvaluateResponse:
    """What an expression gave."""
    value = tell_evaluated(expression, found.result)
    return answers.RecordedEvaluateResponse(moment=found.moment, value=value)


def tell_untold(why: str) -> answers.RecordedEvaluateResponse:
    """That it can't be told what an expression gave."""
    value = EvaluateResponse(result=None, type=None, error=why)
    return answers.RecordedEvaluateResponse(moment=None, value=value)


def _value(seen: VariableView | None) -> VariableTold | None:
    return tell_seen(seen) if seen is not None else None


def tell_changes(found: Changes) -> answers.ChangesResponse:
    """Changes, the newest first."""
    return answers.ChangesResponse(
        moment=found.moment, changes=[_change(each) for each in view_changes(found)]
    )


def _change(seen: ChangeView) -> answers.ChangeTold:
    return answers.ChangeTold(
        name=seen.name,
        old=_value(seen.old),
        new=_value(seen.new),
        when=seen.when,
        by=_moment_or_none(seen.by),
        since=_moment_or_none(seen.since),
        filled=[
            answers.WriterTold(last=_moment(each.last), count=each.count) for each in seen.filled
        ],
    )


def tell_time(found: Time | None) -> answers.TimeResponse:
    """When it became true."""
    if found is None:
        return answers.TimeResponse(at=None, by=None)
    return answers.TimeResponse(at=_seen(found.at), by=_seen(found.by))


def _seen(found: Point | None) -> answers.RecordedMoment | None:
    return _moment(view_point(found)) if found is not None else None


def tell_calls(found: Page) -> answers.CallsResponse:
    """Calls, the oldest first."""
    calls = []
    for row in found.rows:
        assert isinstance(row, Call)
        seen = view_call_recorded(row)
        calls.append(
            answers.CallTold(
                function=seen.function,
                begin=_moment(seen.begin),
                arguments=[tell_seen(each) for each in seen.arguments],
                end=_moment_or_none(seen.end),
                result=_value(seen.result),
                has_raised=seen.has_raised,
            )
        )
    return answers.CallsResponse(calls=calls, total=found.total or 0, has_more=found.has_more)


def tell_passes(found: Page) -> answers.PassesResponse:
    """Moments with values, the oldest first."""
    passes = []
    for row in found.rows:
        assert not isinstance(row, Call)
        seen = view_pass(row)
        values = [tell_seen(each) for each in seen.values]
        passes.append(answers.PassTold(at=_moment(seen.at), values=values))
    return answers.PassesResponse(passes=passes, has_more=found.has_more)
