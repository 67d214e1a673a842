"""Inspection of the stopped program: stack, scopes, variables, evaluation, sources.

Every reply may be stale: the program may have been resumed before the adapter replied. All of these
raise StaleReply then, so that no front end draws an old value over a new one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from tuidbg.adapters.errors import AdapterError, RequestFailed, RequestUnsupported
from tuidbg.dap import types as dap
from tuidbg.dap.types import parse_reference
from tuidbg.session.core.values.types import FIRST_HANDLE, StopReferences
from tuidbg.session.model.errors import (
    AdapterFailed,
    EvaluationFailed,
    InvalidSessionState,
    ProgramEnded,
    StaleReply,
    UnsupportedByAdapter,
    failure,
)
from tuidbg.session.model.state import (
    EvaluateResult,
    ExceptionState,
    Frame,
    PassedOver,
    Place,
    Scope,
    StopReason,
    ThreadState,
    Variable,
    VariableKind,
)

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


_WHERE_ASKED = (StopReason.STEP, StopReason.BREAKPOINT)
"""Stops at a place chosen by the user."""


def first_frame(session: Session, frames: Sequence[Frame], thread_id: int) -> int:
    """Return the index of the first user frame, below those of the language's runtime."""
    machinery, stop = session.profile.stops.machinery, session.stop
    if not machinery or not frames or not frames[0].name.startswith(machinery):
        return 0
    if stop is not None and stop.thread_id == thread_id and stop.reason in _WHERE_ASKED:
        return 0
    return next((index for index, frame in enumerate(frames) if _is_own(session, frame)), 0)


def _is_own(session: Session, frame: Frame) -> bool:
    if frame.subtle or frame.place is None:
        return False
    if frame.place.reference or not frame.place.path.startswith("/"):
        return False  # disassembled, or of a library build without local sources
    return not session.sources.is_library(frame.place.path)


T = TypeVar("T")
V = TypeVar("V", dap.DapVariable, dap.EvaluateBody)

STACK_PAGE = 20
"""Frames fetched at a stop; the rest on demand."""

COMPLETION_TIMEOUT = 1.5
"""Seconds; the user waits for it while typing."""

_CURRENT = " (Current frame)"
_CHAINED = re.compile(r"\[Chained Exc: (?P<message>.*)\] (?P<name>.*)$", re.DOTALL)
_PAUSED_AT = re.compile(r"\s+\(note: full exception trace is shown but .*\)$")
"""debugpy appends these to the names of frames and exceptions, as if they were part of them."""

_RETURNED = "(return) "
"""debugpy's prefix of the function's name for the result of a call."""

_RETURN_VALUE = "(Return Value)"
"""lldb-dap's name for it, after a step out."""

LOCALS = "Locals"
"""The scope of a frame's own variables, whatever its name in the adapter."""

BYTECODE = "text/x-python-bytecode"
"""The MIME type of debugpy's text for code without a source."""

MOST_AT_ONCE = 1_000
"""Children requested if no number is given."""

_HEXADECIMAL = {"hex": True}
_WHOLE = {"includeAll": True}

EVALUATE_TIMEOUT = 3600.0
"""Seconds; the user may evaluate something slow, and quitting works all the same."""


class Inspection:
    """Queries to the stopped program of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.references = StopReferences(session)
        """The adapter's own references; only used without queries inside the program."""
        self.evaluations = 0  # that wait for their replies
        self._low: dict[int, int] = {}
        self._high: dict[int, int] = {}
        self.in_hexadecimal = False
        """True if the adapter shows numbers so; it must have ``supportsValueFormattingOptions``."""

    async def threads(self) -> tuple[ThreadState, ...]:
        """Return the threads of the program; works while it runs too."""
        body = await self.ask("threads", None, dap.ThreadsBody, at_stop=False)
        named = ((t.id, self._session.profile.stops.thread_name(t.name)) for t in body.threads)
        return tuple(
            ThreadState(id=number, name=name) for number, name in named if name is not None
        )

    async def stack(
        self, thread_id: int, start: int = 0, levels: int = STACK_PAGE, *, whole: bool = False
    ) -> tuple[tuple[Frame, ...], int]:
        """Return frames from ``start`` on, and their total number.

        ``whole``: includes skipped frames, if the adapter reports them.
        """
        arguments: dict[str, object] = {"threadId": thread_id}
        if whole:
            arguments["format"] = _WHOLE
        pages = self._session.adapter.capabilities.supports_delayed_stack_trace_loading
        if pages:
            arguments |= {"startFrame": start, "levels": levels}
        body = None
        if not whole:
            body = self._session.pushed_details.take_stack(thread_id, start, levels)
        if body is None:
            body = await self.ask("stackTrace", arguments, dap.StackTraceBody)
        first = start if pages else 0
        frames = tuple(
            _frame(frame, first + offset, self._session)
            for offset, frame in enumerate(body.stack_frames)
        )
        seen = first + len(frames) if frames else 0
        total = body.total_frames if body.total_frames is not None else seen
        return frames[start - first :][:levels], max(total, seen)

    async def running_stack(self, thread_id: int, *, whole: bool = False) -> tuple[Frame, ...]:
        """Return where a running thread has just been, if the adapter reports that (debugpy does).

        Nothing can be evaluated in these frames. ``whole`` is as in ``stack``.
        """
        arguments: dict[str, object] = {"threadId": thread_id}
        if whole:
            arguments["format"] = _WHOLE
        body = await self.ask("stackTrace", arguments, dap.StackTraceBody, at_stop=False)
        frames = enumerate(body.stack_frames)
        return tuple(_frame(frame, index, self._session) for index, frame in frames)

    async def scopes(self, frame_id: int) -> tuple[Scope, ...]:
        body = await self.ask("scopes", {"frameId": frame_id}, dap.ScopesBody)
        named = any(s.name == LOCALS for s in body.scopes)
        own = (s for s in body.scopes if s.presentation_hint == "locals" and not named)
        local = next(own, None)
        scopes = tuple(
            Scope(
                name=LOCALS if s is local else s.name,
                reference=s.variables_reference,
                expensive=s.expensive,
                hint=s.presentation_hint or "",
            )
            for s in body.scopes
        )
        self._session.history.note_scopes(frame_id, scopes)
        return scopes

    async def variables(
        self, reference: int, start: int = 0, count: int = 0, part: str = ""
    ) -> tuple[Variable, ...]:
        """Return the children of a scope or a variable; ``count`` from ``start`` on, if paged.

        ``part`` is ``named`` or ``indexed``. Never more than ``MOST_AT_ONCE`` if the adapter
        supports pages: a million of them would block it for minutes.
        """
        session = self._session
        asked = session.implicit_resume.begin()
        arguments: dict[str, object] = {"variablesReference": self._high.get(reference, reference)}
        if session.profile.values.has_pages:
            arguments |= {"start": start, "count": count or MOST_AT_ONCE}
        if part:
            arguments["filter"] = part
        if self.in_hexadecimal:
            arguments["format"] = _HEXADECIMAL
        try:
            body = await self.ask("variables", arguments, dap.VariablesBody)
            told = [self._lowered(each) for each in body.variables]
        finally:
            session.implicit_resume.end(asked)
        if session.profile.inside is None:
            self.references.note_variables(told)
        type_name = session.profile.values.type_name
        variables = tuple(_variable(each, type_name(each.type or "")) for each in told)
        session.history.note_variables(reference, variables)
        return variables

    async def evaluate(
        self, expression: str, frame_id: int | None = None, context: str = "repl"
    ) -> EvaluateResult:
        """Evaluate in a frame; statements too if the context is ``repl``.

        Raises EvaluationFailed with the Python error of the program.
        """
        if context == "repl":
            context = self._session.profile.values.prompt_context
        arguments: dict[str, object] = {"expression": expression, "context": context}
        if frame_id is not None:
            arguments["frameId"] = frame_id
        if self.in_hexadecimal and context != "repl":
            arguments["format"] = _HEXADECIMAL
        if context != "clipboard":  # that of tuidbg's own questions
            self._session.pushed_details.forget_values()
        self.evaluations += 1
        try:
            body = await self.ask("evaluate", arguments, dap.EvaluateBody, timeout=EVALUATE_TIMEOUT)
        except AdapterFailed as error:
            if not isinstance(error.__cause__, RequestFailed):
                raise
            if isinstance(error, ProgramEnded):
                raise
            reason = error.__cause__.reason
            raise EvaluationFailed(self._session.profile.values.explain_failure(reason)) from error
        finally:
            self.evaluations -= 1
        body = self._lowered(body)
        if body.variables_reference and self._session.profile.inside is None:
            self.references.note_result(body, expression, frame_id or 0)
        return EvaluateResult(
            value=body.result,
            type=self._session.profile.values.type_name(body.type or ""),
            reference=body.variables_reference,
            memory_reference=body.memory_reference or "",
        )

    def _lowered(self, told: V) -> V:
        """Lower the reference below our own handles: LLDB's of kept results are huge."""
        if told.variables_reference < FIRST_HANDLE:
            return told
        number = self._low.setdefault(told.variables_reference, FIRST_HANDLE - 1 - len(self._low))
        self._high[number] = told.variables_reference
        return msgspec.structs.replace(told, variables_reference=number)

    async def completions(
        self, text: str, column: int, frame_id: int
    ) -> tuple[dap.CompletionItem, ...]:
        """Return the adapter's completions at ``column`` (from 1) of a line."""
        arguments = {"frameId": frame_id, "text": text, "column": column}
        body = await self.ask(
            "completions", arguments, dap.CompletionsBody, timeout=COMPLETION_TIMEOUT
        )
        return tuple(body.targets)

    async def exception(self, thread_id: int) -> ExceptionState:
        """Return the exception that the thread stopped at."""
        try:
            body = await self.ask("exceptionInfo", {"threadId": thread_id}, dap.ExceptionInfoBody)
        except AdapterFailed as error:
            if (told := self._told_at_stop(thread_id, error)) is not None:
                return told
            raise
        profile = self._session.profile
        details = body.details or dap.ExceptionDetails()
        trace, message = profile.exceptions.read_trace(
            (details.stack_trace or "").replace(f"{_CURRENT}\n", "\n"),
            details.message or body.description or "",
        )
        return ExceptionState(
            type=_PAUSED_AT.sub("", details.type_name or body.exception_id),
            message=profile.exceptions.text(message),
            break_mode=body.break_mode,
            stack_trace=trace,
        )

    def _told_at_stop(self, thread_id: int, error: AdapterFailed) -> ExceptionState | None:
        """Return the exception from the stop event itself: Delve has no more of a fatal error."""
        stop, profile = self._session.stop, self._session.profile
        if stop is None or stop.thread_id != thread_id or not stop.text:
            return None
        if not isinstance(error.__cause__, RequestFailed):
            return None
        return ExceptionState(
            type=stop.description,
            message=profile.exceptions.text(stop.text),
            break_mode="unhandled",
        )

    async def source_text(self, reference: int, path: str) -> str:
        """Return the text of a source that is no local file; bytecode if there is no source."""
        return (await self.source(reference, path)).content

    async def source(self, reference: int, path: str) -> dap.SourceBody:
        """Return a source that is no local file; its MIME type may be ``BYTECODE``."""
        both = {"path": path, "sourceReference": reference}
        arguments = {"source": both, "sourceReference": reference}
        return await self.ask("source", arguments, dap.SourceBody, at_stop=False)

    async def ask(
        self,
        command: str,
        arguments: object,
        into: type[T],
        *,
        at_stop: bool = True,
        timeout: float | None = None,
    ) -> T:
        """Send a request about this stop (or, not ``at_stop``, at any time).

        Raises InvalidSessionState, UnsupportedByAdapter, AdapterFailed, StaleReply.
        """
        session = self._session
        if at_stop and not session.is_still:
            raise InvalidSessionState("look inside", session.status)
        stop_id = session.stop_id
        try:
            answer = await session.adapter.request(command, arguments, into=into, timeout=timeout)
        except RequestUnsupported as error:
            raise UnsupportedByAdapter(str(error)) from error
        except AdapterError as error:
            if at_stop and (session.stop_id != stop_id or not session.is_still):
                raise StaleReply(command) from error
            raise failure(session.profile, error) from error
        if at_stop and (session.stop_id != stop_id or not session.is_still):
            raise StaleReply(command)
        return answer


def _variable(told: dap.DapVariable, type_name: str) -> Variable:
    is_returned = told.name.startswith((_RETURNED, _RETURN_VALUE))
    name = told.name
    if is_returned:
        function = name.removeprefix(_RETURNED)
        name = "the call returned" if name == _RETURN_VALUE else f"{function}() returned"
    return Variable(
        name=name,
        value=told.value,
        type=type_name,
        reference=told.variables_reference,
        total=(told.named_variables or 0) + (told.indexed_variables or 0),
        evaluate_name=told.evaluate_name or "",
        kind=VariableKind.RETURNED if is_returned else VariableKind.PLAIN,
        memory_reference=told.memory_reference or "",
    )


_BESIDE = PassedOver.__struct_fields__


def _frame(frame: dap.DapStackFrame, index: int, session: Session) -> Frame:
    place = None
    if frame.source is not None and (frame.source.path or frame.source.source_reference):
        place = Place(
            path=frame.source.path or frame.source.name or "",
            line=frame.line,
            column=frame.column,
            reference=frame.source.source_reference or 0,
        )
    name, remark = session.profile.stops.frame_name(frame.name), ""
    if name.endswith(_CURRENT):
        name, remark = name.removesuffix(_CURRENT), "paused here"
    earlier = _CHAINED.match(name)
    if earlier is not None:
        name, remark = earlier["name"], f"earlier: {earlier['message']}"
    return Frame(
        id=frame.id,
        index=index,
        name=name,
        place=place,
        module=session.sources.runs_as(place.path) if place is not None else "",
        subtle=frame.presentation_hint in ("subtle", "label"),
        is_earlier=earlier is not None,
        remark=remark,
        address=parse_reference(frame.instruction_pointer_reference),
        is_passed_over=frame.passed_over is True,
        beside=PassedOver(**dict(zip(_BESIDE, frame.passed_over, strict=True)))
        if isinstance(frame.passed_over, tuple)
        else None,
    )
