"""The autopsy of an exception: its chain, its frames and their values."""

from __future__ import annotations

import asyncio
import importlib.util
import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tuidbg.config.launch import is_in_zip, read_zipped
from tuidbg.lines import split_lines
from tuidbg.session.core.feature import Feature
from tuidbg.session.core.stack.inspection import STACK_PAGE, first_frame
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.model.errors import (
    DebuggerError,
    InvalidSessionState,
    InvalidSetting,
    StaleReply,
)
from tuidbg.session.model.state import (
    ExceptionState,
    Frame,
    Place,
    StateValue,
    Status,
    Stop,
    StopReason,
    Variable,
)

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class NoException(DebuggerError):
    """The program is not stopped at an exception."""

    def __init__(self) -> None:
        super().__init__("the program did not stop at an exception")


class ReportLimits(NamedTuple):
    """Limits on the report: frames, frames with variables, inner exceptions."""

    frames: int
    variable_frames: int
    inner: int


class AutopsyLine(StateValue, frozen=True):
    """A line of the program. ``source`` is its text, empty if it can't be read.

    ``column`` and ``end_column`` are the relevant part (from 1, the end exclusive); 0: unknown.
    """

    place: Place
    function: str = ""
    source: str = ""
    column: int = 0
    end_column: int = 0


class AutopsyVariable(StateValue, frozen=True):
    """A value as rendered, truncated and with a time limit.

    ``scope`` is ``Argument`` or ``Local``; ``children_count`` is None where it has none.
    """

    name: str
    type: str
    value: str
    scope: str
    children_count: int | None = None

    @property
    def has_children(self) -> bool:
        return self.children_count is not None


class VariableProblem(StateValue, frozen=True):
    """A variable that could not be read, and why."""

    name: str
    problem: str


class FrameVariables(StateValue, frozen=True):
    """The locals of a frame; ``errors`` is None where all could be read.

    ``left_out`` counts the arguments and locals beyond the limit.
    """

    locals: tuple[AutopsyVariable, ...]
    errors: tuple[VariableProblem, ...] | None = None
    left_out: int = 0


class AutopsyFrame(StateValue, frozen=True):
    """A frame that the exception passed through, or a caller of those frames.

    Library frames and already exited frames are included; debugpy's own stack lacks some of these.
    ``arguments`` and ``variables`` are None unless requested.
    """

    index: int
    function: str
    module: str
    is_external: bool
    is_throwing: bool
    line: AutopsyLine
    arguments: tuple[AutopsyVariable, ...] | None = None
    variables: FrameVariables | None = None

    @property
    def location(self) -> AutopsyLine | None:
        """Return its location in user code; None for libraries."""
        return None if self.is_external else self.line


class ExceptionPart(StateValue, frozen=True):
    """One exception of the autopsy.

    ``link`` is its relation to the one above: ``cause`` (the direct cause), ``context`` (it was
    being handled), ``member`` (of a group); empty for the exception itself. ``inner`` is its chain
    of earlier exceptions, the latest first, ``members`` those of a group. ``suppressed`` is the
    type hidden by ``raise ... from None``. ``problem`` is the reason for a missing message.
    """

    type: str
    message: str
    problem: str = ""
    link: str = ""
    notes: tuple[str, ...] = ()
    attributes: tuple[AutopsyVariable, ...] = ()
    raised_at: AutopsyLine | None = None
    suppressed: str = ""
    members: tuple[ExceptionPart, ...] = ()
    members_total: int = 0
    inner: tuple[ExceptionPart, ...] = ()
    inner_truncated: bool = False


class InnerException(StateValue, frozen=True):
    """One of the chain; ``depth`` counts from 1."""

    type: str
    message: str
    depth: int


class AutopsyReport(StateValue, frozen=True):
    """The complete report on the exception at a stop.

    ``is_first_chance``: it may still be caught. ``stack_trace`` is Python's own text of it.
    """

    stop_id: int
    thread_id: int
    exception: ExceptionPart
    is_first_chance: bool
    stack_trace: str
    frames: tuple[AutopsyFrame, ...]
    total_frames: int
    throwing_frame_index: int

    @property
    def inner_exceptions(self) -> tuple[InnerException, ...]:
        """Return the chain, up to the requested length."""
        return tuple(
            InnerException(type=part.type, message=part.message, depth=depth)
            for depth, part in enumerate(self.exception.inner, start=1)
        )

    @property
    def inner_exceptions_truncated(self) -> bool:
        """True if the chain is longer than the part returned."""
        return self.exception.inner_truncated


class SourceLines:
    """Lines of source files, each file read once."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str:
        """Return that line without its end; empty if there is none."""
        lines = self._files.get(path)
        if lines is None:
            lines = self._files[path] = _read_lines(path)
        return lines[number - 1] if 0 < number <= len(lines) else ""


def _read_lines(path: str) -> list[str]:
    try:
        if is_in_zip(path):
            text = importlib.util.decode_source(read_zipped(path))
            return split_lines(text)
        if not Path(path).is_file():
            return []
        with tokenize.open(path) as file:
            return [line.rstrip("\n") for line in file]
    except (OSError, SyntaxError, UnicodeError, ValueError):
        return []


_NOWHERE = Place(path="", line=0)


class AutopsyByDap:
    """The examination of an exception by standard DAP requests."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def examine(self, stop: Stop, frame_id: int, limits: ReportLimits) -> AutopsyReport:
        """Return the adapter's exception data and the frames below, without tuidbg's own.

        Raises UnsupportedByAdapter, AdapterFailed, StaleReply.
        """
        session, lines = self._session, SourceLines()
        described = stop.exception or await session.inspection.exception(stop.thread_id)
        levels = limits.frames + STACK_PAGE
        stack, total = await session.inspection.stack(stop.thread_id, 0, levels)
        skipped = first_frame(session, stack, stop.thread_id)
        shown = stack[skipped:][: limits.frames]
        frames = await asyncio.to_thread(
            lambda: [_frame_by_dap(session, each, i, lines) for i, each in enumerate(shown)]
        )
        for index in range(min(limits.variable_frames, len(shown))):
            frames[index] = await _with_variables(session, shown[index], frames[index])
        if session.stop_id != stop.id:
            raise StaleReply("exceptionInfo")
        raised_at = frames[0].line if frames else None
        return AutopsyReport(
            stop_id=stop.id,
            thread_id=stop.thread_id,
            exception=ExceptionPart(
                type=described.type, message=described.message, raised_at=raised_at
            ),
            is_first_chance=described.break_mode in ("always", "userUnhandled"),
            stack_trace=described.stack_trace,
            frames=tuple(frames),
            total_frames=total - skipped,
            throwing_frame_index=0,
        )

    async def variables(self, frame_id: int, frame: AutopsyFrame) -> AutopsyFrame:
        """Return that frame with its variables; without them if the frame is gone.

        Raises as ``examine``.
        """
        session = self._session
        stop = session.stop
        if stop is None:
            return frame
        stack, _ = await session.inspection.stack(stop.thread_id, 0, frame.index + STACK_PAGE)
        index = first_frame(session, stack, stop.thread_id) + frame.index
        if index >= len(stack) or stack[index].place != frame.line.place:
            return frame
        return await _with_variables(session, stack[index], frame)


async def _with_variables(session: Session, frame: Frame, told: AutopsyFrame) -> AutopsyFrame:
    """Return the frame with its locals, or the reason they can't be read. Raises StaleReply."""
    try:
        scopes = await session.values.look(frame.id, {"Locals": ChildrenRequest()})
    except StaleReply:
        raise
    except DebuggerError as error:
        problem = VariableProblem(name="", problem=str(error))
        found = FrameVariables(locals=(), errors=(problem,))
        return msgspec.structs.replace(told, arguments=(), variables=found)
    nodes = [node for scope in scopes[:1] for node in scope.children or ()]
    total = max((scope.total for scope in scopes[:1]), default=0)
    found = FrameVariables(
        locals=tuple(_variable(node.variable) for node in nodes),
        left_out=max(0, total - len(nodes)),
    )
    return msgspec.structs.replace(told, arguments=(), variables=found)


def _frame_by_dap(session: Session, frame: Frame, index: int, lines: SourceLines) -> AutopsyFrame:
    place = frame.place or _NOWHERE
    source = lines.line(place.path, place.line) if frame.place is not None else ""
    is_library = frame.place is None or session.sources.is_library(place.path)
    return AutopsyFrame(
        index=index,
        function=frame.name,
        module=frame.module,
        is_external=frame.subtle or is_library,
        is_throwing=index == 0,
        line=AutopsyLine(place=place, function=frame.name, source=source),
    )


def _variable(variable: Variable) -> AutopsyVariable:
    return AutopsyVariable(
        name=variable.name,
        type=variable.type,
        value=variable.value,
        scope="Local",
        children_count=max(1, variable.total) if variable.reference else None,
    )


class AutopsyInside:
    """The examination of an exception inside the program."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def examine(self, stop: Stop, frame_id: int, limits: ReportLimits) -> AutopsyReport:
        """Return the whole report. Raises NoException, AdapterFailed, StaleReply."""
        session = self._session
        told = await session.inside.ask(
            "autopsy",
            "examine",
            _AutopsyReply | None,  # type: ignore[arg-type]
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
        """Return that frame with its variables; without them if the frame is gone."""
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


def _report(
    told: _AutopsyReply, described: ExceptionState, stop_id: int, thread_id: int
) -> AutopsyReport:
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


# Replies of the module inside the program


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


class _AutopsyReply(msgspec.Struct):
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
        line=AutopsyLine(
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
    """Convert a column in bytes from 0 to one in characters from 1; 0 if unknown."""
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


def _raised_at(told: _ToldPlace, lines: SourceLines) -> AutopsyLine:
    return AutopsyLine(
        place=Place(path=told.path, line=told.line),
        function=told.function,
        source=told.source or lines.line(told.path, told.line),
    )


MAX_FRAMES = 10
VARIABLES_FOR_FRAMES = 1
MAX_INNER_EXCEPTIONS = 5
"""The number of inner exceptions returned by default."""

LIMITS = {
    "max_frames": (1, 100),
    "include_variables_for_frames": (0, 10),
    "max_inner_exceptions": (0, 20),
}
"""The smallest and the largest valid number for each limit."""


class Autopsy(Feature):
    """The examination of the exception at a session's stop."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._last: tuple[int, AutopsyReport] | None = None

    @property
    def last(self) -> AutopsyReport | None:
        """Return the last report of this run: the only one left after the program's end."""
        if self._last is None or self._last[0] != self._session.history.run:
            return None
        return self._last[1]

    def why_not(self) -> str:
        """Return why there is nothing to examine now; empty if there is."""
        session = self._session
        if session.status in (Status.TERMINATED, Status.FAILED):
            return "" if self.last is not None else "the program has ended, and none was looked at"
        if session.status is not Status.PAUSED or session.stop is None:
            return "the program is not paused at an exception"
        if session.stop.reason is not StopReason.EXCEPTION:
            return str(NoException())
        return ""

    async def examine(
        self,
        *,
        max_frames: int = MAX_FRAMES,
        include_variables_for_frames: int = VARIABLES_FOR_FRAMES,
        max_inner_exceptions: int = MAX_INNER_EXCEPTIONS,
    ) -> AutopsyReport:
        """Return the full report on the exception at the current stop.

        Raises InvalidSetting for a number that is out of range, NoException, InvalidSessionState,
        UnsupportedByAdapter, AdapterFailed, StaleReply.
        """
        _check("max_frames", max_frames)
        _check("include_variables_for_frames", include_variables_for_frames)
        _check("max_inner_exceptions", max_inner_exceptions)
        session = self._session
        stop, frame_id = session.stop, self._frame_id()
        assert stop is not None
        limits = ReportLimits(max_frames, include_variables_for_frames, max_inner_exceptions)
        report = await self._way.examine(stop, frame_id, limits)
        self._last = session.history.run, report
        return report

    async def variables(self, frame: AutopsyFrame) -> AutopsyFrame:
        """Return that frame with its arguments and variables; without them if the frame is gone.

        Raises the same as ``examine``.
        """
        return await self._way.variables(self._frame_id(), frame)

    @property
    def _way(self) -> AutopsyInside | AutopsyByDap:
        """Return the way to query this adapter."""
        session = self._session
        return AutopsyInside(session) if session.inside.is_possible else AutopsyByDap(session)

    def _frame_id(self) -> int:
        session = self._session
        if session.status is not Status.PAUSED or session.stop is None:
            raise InvalidSessionState("look at an exception", session.status)
        if session.stop.reason is not StopReason.EXCEPTION or not session.frames:
            raise NoException
        return session.frames[0].id


def _check(name: str, number: int) -> None:
    least, most = LIMITS[name]
    if not least <= number <= most:
        raise InvalidSetting(name, f"{name} is a number from {least} to {most}")
