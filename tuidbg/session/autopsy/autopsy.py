"""The autopsy of an exception: what it is, what led to it, and the frames with their values.

One question to the program answers all of it (R004-88), at an exception breakpoint and at an
uncaught exception alike, with the limits kept inside the program.
"""

from __future__ import annotations

import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tuidbg.session.autopsy import by_dap as by_dap
from tuidbg.session.autopsy.report import (
    AutopsyFrame,
    AutopsyReport,
    AutopsyVariable,
    ExceptionPart,
    FrameVariables,
    SourceLine,
    VariableProblem,
)
from tuidbg.session.errors import DebuggerError, InvalidSessionState, InvalidSetting, StaleReply
from tuidbg.session.state import ExceptionState, Place, Status, StopReason

if TYPE_CHECKING:
    from tuidbg.session.session import Session

MAX_FRAMES = 10
VARIABLES_FOR_FRAMES = 1
MAX_INNER_EXCEPTIONS = 5
"""What is told unless another number is asked for (R004-72)."""

LIMITS = {
    "max_frames": (1, 100),
    "include_variables_for_frames": (0, 10),
    "max_inner_exceptions": (0, 20),
}
"""The smallest and the largest number that can be asked for (R004-72)."""


class NoException(DebuggerError):
    """The program does not stand at an exception (R004-87)."""

    def __init__(self) -> None:
        super().__init__("the program did not stop at an exception")


class Autopsy:
    """Examines the exception at which a session's program stands."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._last: tuple[int, AutopsyReport] | None = None

    @property
    def last(self) -> AutopsyReport | None:
        """What was read last in this run: all that is left once the program has ended."""
        if self._last is None or self._last[0] != self._session.history.run:
            return None
        return self._last[1]

    def why_not(self) -> str:
        """Why there is nothing to examine now; empty where there is."""
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
        """Everything about the exception at the present stop (R004-72..88).

        Raises InvalidSetting for a number that is out of range, NoException, InvalidSessionState,
        UnsupportedByAdapter, AdapterFailed, StaleReply.
        """
        _check("max_frames", max_frames)
        _check("include_variables_for_frames", include_variables_for_frames)
        _check("max_inner_exceptions", max_inner_exceptions)
        session = self._session
        stop, frame_id = session.stop, self._frame_id()
        assert stop is not None
        if not session.inside.is_possible:
            report = await by_dap.examine(
                session,
                stop,
                _Lines().line,
                max_frames=max_frames,
                variable_frames=include_variables_for_frames,
            )
            self._last = session.history.run, report
            return report
        told = await session.inside.ask(
            "autopsy",
            "examine",
            _Told | None,  # type: ignore[arg-type]
            frame_id=frame_id,
            max_frames=max_frames,
            variable_frames=include_variables_for_frames,
            max_inner=max_inner_exceptions,
        )
        if told is None:
            raise NoException
        described = stop.exception or await session.inspection.exception(stop.thread_id)
        if session.stop_id != stop.id:
            raise StaleReply("exceptionInfo")
        report = self._report(told, described, stop.id, stop.thread_id)
        self._last = session.history.run, report
        return report

    async def variables(self, frame: AutopsyFrame) -> AutopsyFrame:
        """That frame with its arguments and variables; one without them where it has gone.

        Raises the same as ``examine``.
        """
        frame_id = self._frame_id()
        if not self._session.inside.is_possible:
            return await by_dap.variables(self._session, frame)
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

    def _frame_id(self) -> int:
        session = self._session
        if session.status is not Status.PAUSED or session.stop is None:
            raise InvalidSessionState("look at an exception", session.status)
        if session.stop.reason is not StopReason.EXCEPTION or not session.frames:
            raise NoException
        return session.frames[0].id

    def _report(
        self, told: _Told, described: ExceptionState, stop_id: int, thread_id: int
    ) -> AutopsyReport:
        lines = _Lines()
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


def _check(name: str, number: int) -> None:
    least, most = LIMITS[name]
    if not least <= number <= most:
        raise InvalidSetting(name, f"{name} is a number from {least} to {most}")


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


class _Lines:
    """Lines of source files, each file read once."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str:
        """That line without its end; empty where there is none."""
        lines = self._files.get(path)
        if lines is None:
            lines = self._files[path] = _read_lines(path)
        return lines[number - 1] if 0 < number <= len(lines) else ""


def _read_lines(path: str) -> list[str]:
    try:
        if not Path(path).is_file():
            return []
        with tokenize.open(path) as file:
            return [line.rstrip("\n") for line in file]
    except (OSError, SyntaxError, UnicodeError, ValueError):
        return []


def _frame(told: _ToldFrame, index: int, lines: _Lines) -> AutopsyFrame:
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


def _part(told: _ToldPart, lines: _Lines) -> ExceptionPart:
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


def _raised_at(told: _ToldPlace, lines: _Lines) -> SourceLine:
    return SourceLine(
        place=Place(path=told.path, line=told.line),
        function=told.function,
        source=told.source or lines.line(told.path, told.line),
    )
