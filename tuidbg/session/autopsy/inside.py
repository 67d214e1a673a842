"""The autopsy by one question inside the program, with its limits kept there."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tuidbg.session.autopsy.report import (
    AutopsyFrame,
    AutopsyReport,
    AutopsyVariable,
    ExceptionPart,
    FrameVariables,
    Limits,
    NoException,
    SourceLine,
    VariableProblem,
)
from tuidbg.session.autopsy.source_lines import SourceLines
from tuidbg.session.errors import StaleReply
from tuidbg.session.evaluation.inside import AsksInside
from tuidbg.session.state import ExceptionState, Place, Stop


class AutopsyInside:
    """Examines the exception inside the program."""

    def __init__(self, session: AsksInside) -> None:
        self._session = session

    async def examine(self, stop: Stop, frame_id: int, limits: Limits) -> AutopsyReport:
        """All of it. Raises NoException, AdapterFailed, StaleReply."""
        session = self._session
        told = await session.inside.ask(
            "autopsy",
            "examine",
            _Told | None,  # type: ignore[arg-type]
            frame_id=frame_id,
            max_frames=limits.frames,
            variable_frames=limits.variable_frames,
            max_inner=limits.inner,
        )
        if told is None:
            raise NoException
        described = stop.exception or await session.inspection.exception(stop.thread_id)
        if session.stop_id != stop.id:
            raise StaleReply("exceptionInfo")
        return _report(told, described, stop.id, stop.thread_id)

    async def variables(self, frame_id: int, frame: AutopsyFrame) -> AutopsyFrame:
        """That frame with its variables; one without them where it has gone."""
        told = await self._session.inside.ask(
            "autopsy",
            "variables",
            _ToldFrame | None,  # type: ignore[arg-type]
            frame_id=frame_id,
            index=frame.index,
        )
        if told is None or (told.path, told.line) != (frame.line.place.path, frame.line.place.line):
            return frame
        arguments, variables = _variables(told.variables)
        return msgspec.structs.replace(frame, arguments=arguments, variables=variables)


def _report(told: _Told, described: ExceptionState, stop_id: int, thread_id: int) -> AutopsyReport:
    lines = SourceLines()
    frames = tuple(_frame(each, index, lines) for index, each in enumerate(told.frames))
    throwing = next((frame.index for frame in frames if frame.is_throwing), 0)
    return AutopsyReport(
        stop_id=stop_id,
        thread_id=thread_id,
        exception=_part(told.exception, lines),
        is_first_chance=described.break_mode != "unhandled",
        stack_trace=described.stack_trace,
        frames=frames,
        total_frames=told.total,
        throwing_frame_index=throwing,
    )


# What the inside module tells


class _ToldValue(msgspec.Struct):
    name: str
    type: str
    value: str
    scope: str
    children: int


class _ToldVariables(msgspec.Struct):
    shown: list[_ToldValue]
    errors: list[VariableProblem]
    total: int


class _ToldFrame(msgspec.Struct):
    function: str
    name: str
    module: str
    path: str
    line: int
    column: int
    end_column: int
    is_external: bool
    is_throwing: bool
    source: str
    variables: _ToldVariables | None = None


class _ToldPlace(msgspec.Struct):
    path: str
    line: int
    function: str
    source: str


class _ToldPart(msgspec.Struct):
    type: str
    message: str
    problem: str
    link: str
    notes: list[str]
    attributes: list[_ToldValue]
    raised_at: _ToldPlace | None
    suppressed: str
    members: list[_ToldPart]
    members_total: int
    inner: list[_ToldPart] = []
    inner_truncated: bool = False


class _Told(msgspec.Struct):
    exception: _ToldPart
    frames: list[_ToldFrame]
    total: int


def _frame(told: _ToldFrame, index: int, lines: SourceLines) -> AutopsyFrame:
    source = told.source or lines.line(told.path, told.line)
    arguments, variables = _variables(told.variables)
    return AutopsyFrame(
        index=index,
        function=told.function,
        module=told.module,
        is_external=told.is_external,
        is_throwing=told.is_throwing,
        line=SourceLine(
            place=Place(path=told.path, line=told.line),
            function=told.name,
            source=source,
            column=_characters(source, told.column),
            end_column=_characters(source, told.end_column),
        ),
        arguments=arguments,
        variables=variables,
    )


def _characters(line: str, column: int) -> int:
    """A column in bytes from 0 as one in characters from 1; 0 where it is not known."""
    if column < 0 or not line:
        return 0
    return len(line.encode("utf-8", "replace")[:column].decode("utf-8", "ignore")) + 1


def _variables(
    told: _ToldVariables | None,
) -> tuple[tuple[AutopsyVariable, ...] | None, FrameVariables | None]:
    if told is None:
        return None, None
    shown = _values(told.shown)
    return tuple(v for v in shown if v.scope == "Argument"), FrameVariables(
        locals=tuple(v for v in shown if v.scope == "Local"),
        errors=tuple(told.errors) or None,
        left_out=told.total - len(shown),
    )


def _values(told: Iterable[_ToldValue]) -> tuple[AutopsyVariable, ...]:
    return tuple(
        AutopsyVariable(
            name=each.name,
            type=each.type,
            value=each.value,
            scope=each.scope,
            children_count=each.children or None,
        )
        for each in told
    )


def _part(told: _ToldPart, lines: SourceLines) -> ExceptionPart:
    at = told.raised_at
    return ExceptionPart(
        type=told.type,
        message=told.message,
        problem=told.problem,
        link=told.link,
        notes=tuple(told.notes),
        attributes=_values(told.attributes),
        raised_at=_raised_at(at, lines) if at is not None else None,
        suppressed=told.suppressed,
        members=tuple(_part(member, lines) for member in told.members),
        members_total=told.members_total,
        inner=tuple(_part(each, lines) for each in told.inner),
        inner_truncated=told.inner_truncated,
    )


def _raised_at(told: _ToldPlace, lines: SourceLines) -> SourceLine:
    return SourceLine(
        place=Place(path=told.path, line=told.line),
        function=told.function,
        source=told.source or lines.line(told.path, told.line),
    )
