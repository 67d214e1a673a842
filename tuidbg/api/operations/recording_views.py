"""The recorded run, redacted for the caller by the same rules as a stop."""

from __future__ import annotations

from tuidbg.api.operations.recording import (
    BecameTrueView,
    DivergenceView,
    ExecutionView,
    MomentView,
    PathChange,
    PathChanges,
    RecordedCallView,
)
from tuidbg.api.operations.views import (
    FrameView,
    VariableView,
    View,
    view_expression,
    view_frame,
    view_result,
    view_untold,
    view_variable,
)
from tuidbg.session.model.state import Variable


class PointView(View, frozen=True):
    """A moment; ``frame`` is None if its call is no longer kept."""

    id: str
    when: int
    thread: str
    event: str
    frame: FrameView | None
    steps_ago: int


def view_point(found: MomentView) -> PointView:
    return PointView(
        id=found.id,
        when=found.when,
        thread=found.thread,
        event=found.event,
        frame=view_frame(found.frame) if found.frame is not None else None,
        steps_ago=found.steps_ago,
    )


class WriterView(View, frozen=True):
    """A line that wrote into a container ``count`` times; ``last`` is the last time."""

    last: PointView
    count: int


class ChangeView(View, frozen=True):
    """A change; a value is None where the name did not exist.

    ``since`` is the first line that may have made it, if that is not known exactly.
    """

    name: str
    old: VariableView | None
    new: VariableView | None
    when: int
    by: PointView | None
    since: PointView | None
    filled: tuple[WriterView, ...]


def view_changes(found: PathChanges) -> tuple[ChangeView, ...]:
    """Redact changes: the expression, and each step of its path, can name a secret."""
    return tuple(_change(found.expression, each) for each in found.found)


def _change(expression: str, found: PathChange) -> ChangeView:
    def seen(value: Variable | None) -> VariableView | None:
        return view_result(expression, value) if value is not None else None

    return ChangeView(
        name=view_expression(found.name),
        old=seen(found.old),
        new=seen(found.new),
        when=found.when,
        by=view_point(found.by) if found.by is not None else None,
        since=view_point(found.since) if found.since is not None else None,
        filled=tuple(
            WriterView(last=view_point(each.last), count=each.count) for each in found.filled
        ),
    )


class CallView(View, frozen=True):
    """A call; ``end`` and ``result`` are None while it is running."""

    function: str
    begin: PointView
    arguments: tuple[VariableView, ...]
    end: PointView | None
    result: VariableView | None
    has_raised: bool


def view_call_recorded(found: RecordedCallView) -> CallView:
    """Redact a call: the result of a secret-named function is hidden."""
    return CallView(
        function=found.function,
        begin=view_point(found.begin),
        arguments=tuple(view_variable(each) for each in found.arguments),
        end=view_point(found.end) if found.end is not None else None,
        result=view_variable(found.result) if found.result is not None else None,
        has_raised=found.has_raised,
    )


class PassView(View, frozen=True):
    at: PointView
    values: tuple[VariableView, ...]


def view_pass(found: ExecutionView | BecameTrueView) -> PassView:
    """Redact an execution of a line, or a new value: secret-named variables are hidden."""
    values = found.values if isinstance(found, ExecutionView) else (found.value,)
    return PassView(at=view_point(found.at), values=tuple(view_variable(each) for each in values))


class PartedView(View, frozen=True):
    """The divergence of two runs; values are text, lines are 0 for other values or an end."""

    at: PointView
    line: int
    other_line: int
    name: str
    value: str
    other_value: str


def view_parted(found: DivergenceView) -> PartedView:
    """Redact a divergence: values of a secret name are hidden."""
    return PartedView(
        at=view_point(found.at),
        line=found.line,
        other_line=found.other_line,
        name=view_expression(found.name),
        value=view_untold(found.name, found.value),
        other_value=view_untold(found.name, found.other_value),
    )
