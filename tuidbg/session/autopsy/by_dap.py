"""The autopsy where nothing can be asked inside the program: by DAP's own questions.

It knows no causes, and no arguments apart from the other locals.
"""

from __future__ import annotations

import asyncio

import msgspec

from tuidbg.session.autopsy.report import (
    AutopsyFrame,
    AutopsyReport,
    AutopsyVariable,
    ExceptionPart,
    FrameVariables,
    Limits,
    SourceLine,
    VariableProblem,
)
from tuidbg.session.autopsy.source_lines import SourceLines
from tuidbg.session.errors import DebuggerError, StaleReply
from tuidbg.session.stack.first_frame import first_frame
from tuidbg.session.stack.inspection import STACK_PAGE
from tuidbg.session.state import Frame, Place, Stop, Variable
from tuidbg.session.values.types import Wanted
from tuidbg.session.values.variables import ShowsValues

_NOWHERE = Place(path="", line=0)


class AutopsyByDap:
    """Examines the exception by DAP's own questions."""

    def __init__(self, session: ShowsValues) -> None:
        self._session = session

    async def examine(self, stop: Stop, frame_id: int, limits: Limits) -> AutopsyReport:
        """The adapter's words on the exception and the frames below, own machinery left out.

        Raises UnsupportedByAdapter, AdapterFailed, StaleReply.
        """
        session, lines = self._session, SourceLines()
        described = stop.exception or await session.inspection.exception(stop.thread_id)
        levels = limits.frames + STACK_PAGE
        stack, total = await session.inspection.stack(stop.thread_id, 0, levels)
        skipped = first_frame(session, stack, stop.thread_id)
        shown = stack[skipped:][: limits.frames]
        frames = await asyncio.to_thread(
            lambda: [_frame(session, each, i, lines) for i, each in enumerate(shown)]
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
        """That frame with its variables; one without them where it has gone.

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


async def _with_variables(session: ShowsValues, frame: Frame, told: AutopsyFrame) -> AutopsyFrame:
    """The frame with its locals, or why they can't be read. Raises StaleReply."""
    try:
        scopes = await session.values.look(frame.id, {"Locals": Wanted()})
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


def _frame(session: ShowsValues, frame: Frame, index: int, lines: SourceLines) -> AutopsyFrame:
    place = frame.place or _NOWHERE
    source = lines.line(place.path, place.line) if frame.place is not None else ""
    is_library = frame.place is None or session.sources.is_library(place.path)
    return AutopsyFrame(
        index=index,
        function=frame.name,
        module=frame.module,
        is_external=frame.subtle or is_library,
        is_throwing=index == 0,
        line=SourceLine(place=place, function=frame.name, source=source),
    )


def _variable(variable: Variable) -> AutopsyVariable:
    return AutopsyVariable(
        name=variable.name,
        type=variable.type,
        value=variable.value,
        scope="Local",
        children_count=max(1, variable.total) if variable.reference else None,
    )
