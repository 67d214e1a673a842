"""Looking inside the stopped program: stack, scopes, variables, evaluation, sources.

Every answer may be stale: the program may have gone on while the adapter was thinking. All of
these raise StaleReply then, so that no front end paints an old value over a new one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol, TypeVar

import msgspec

from tuidbg.adapters.errors import AdapterError, RequestFailed, RequestUnsupported
from tuidbg.dap import types as dap
from tuidbg.dap.types import parse_reference
from tuidbg.session.core import Core, HasAdapter, HasProfile, Program
from tuidbg.session.errors import (
    AdapterFailed,
    EvaluationFailed,
    InvalidSessionState,
    ProgramEnded,
    StaleReply,
    UnsupportedByAdapter,
    failure,
)
from tuidbg.session.evaluation.implicit_resume import ImplicitResume
from tuidbg.session.sources.rules import Sources
from tuidbg.session.state import (
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
from tuidbg.session.stop_history.timeline import History
from tuidbg.session.values.types import FIRST_HANDLE, References

_WHERE_ASKED = (StopReason.STEP, StopReason.BREAKPOINT)
"""Stops at a place that somebody has chosen."""


class OwnCode(HasProfile, Program, Protocol):
    """A session that tells a person's own code from libraries."""

    @property
    def sources(self) -> Sources:
        """The rules by which sources are libraries."""


def first_frame(session: OwnCode, frames: Sequence[Frame], thread_id: int) -> int:
    """The index in ``frames`` of the first own one, below those of the language's machinery."""
    machinery, stop = session.profile.stops.machinery, session.stop
    if not machinery or not frames or not frames[0].name.startswith(machinery):
        return 0
    if stop is not None and stop.thread_id == thread_id and stop.reason in _WHERE_ASKED:
        return 0
    return next((index for index, frame in enumerate(frames) if _is_own(session, frame)), 0)


def _is_own(session: OwnCode, frame: Frame) -> bool:
    if frame.subtle or frame.place is None:
        return False
    if frame.place.reference or not frame.place.path.startswith("/"):
        return False  # disassembled, or of a library's build whose sources are not here
    return not session.sources.is_library(frame.place.path)


T = TypeVar("T")
V = TypeVar("V", dap.Variable, dap.EvaluateBody)

STACK_PAGE = 20
"""Frames that are fetched at a stop; the rest on demand."""

COMPLETION_TIMEOUT = 1.5
"""Seconds; whoever waits for it is typing."""

_CURRENT = " (Current frame)"
_CHAINED = re.compile(r"\[Chained Exc: (?P<message>.*)\] (?P<name>.*)$", re.DOTALL)
_PAUSED_AT = re.compile(r"\s+\(note: full exception trace is shown but .*\)$")
"""Debugpy writes these behind the names of frames and exceptions, as if they belonged to them."""

_RETURNED = "(return) "
"""Before the function's name where debugpy tells what a call returned."""

_RETURN_VALUE = "(Return Value)"
"""Names what lldb-dap calls it, after a step out."""

LOCALS = "Locals"
"""The scope of a frame's own variables, whatever the adapter calls it."""

BYTECODE = "text/x-python-bytecode"
"""The MIME type of what debugpy shows of code whose source nobody has."""

MOST_AT_ONCE = 1_000
"""Children that are asked for where no number is."""

_HEXADECIMAL = {"hex": True}
_WHOLE = {"includeAll": True}

EVALUATE_TIMEOUT = 3600.0
"""Seconds; a person may evaluate something slow, and quitting works all the same."""


class Inspected(HasAdapter, Program, Protocol):
    """The program that is asked, and who takes part in its answers."""

    @property
    def history(self) -> History:
        """All that is fetched is kept there."""

    @property
    def implicit_resume(self) -> ImplicitResume:
        """Is told of questions that may let other threads run."""

    @property
    def sources(self) -> Sources:
        """The modules that sources run as."""


class Inspection:
    """Questions to the stopped program of a session."""

    def __init__(self, session: Inspected) -> None:
        self._session = session
        self.references = References(session)
        """The adapter's own references, as it told them; only where nothing can be asked inside."""
        self.evaluations = 0  # that wait for their answers
        self._low: dict[int, int] = {}
        self._high: dict[int, int] = {}
        self.in_hexadecimal = False
        """True if the adapter shows numbers so; it must know ``supportsValueFormattingOptions``."""

    async def threads(self) -> tuple[ThreadState, ...]:
        """The threads of the program; works while it runs too."""
        body = await self.ask("threads", None, dap.ThreadsBody, at_stop=False)
        named = ((t.id, self._session.profile.stops.thread_name(t.name)) for t in body.threads)
        return tuple(
            ThreadState(id=number, name=name) for number, name in named if name is not None
        )

    async def stack(
        self, thread_id: int, start: int = 0, levels: int = STACK_PAGE, *, whole: bool = False
    ) -> tuple[tuple[Frame, ...], int]:
        """Frames from ``start`` on, and how many there are in all.

        ``whole``: those as well that the debugger passes over, where the adapter tells them.
        """
        arguments: dict[str, object] = {"threadId": thread_id}
        if whole:
            arguments["format"] = _WHOLE
        pages = self._session.adapter.capabilities.supports_delayed_stack_trace_loading
        if pages:
            arguments |= {"startFrame": start, "levels": levels}
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
        """Tells where a running thread has just been, if the adapter tells that (debugpy does).

        Nothing can be asked of these frames. ``whole`` is as in ``stack``.
        """
        arguments: dict[str, object] = {"threadId": thread_id}
        if whole:
            arguments["format"] = _WHOLE
        body = await self.ask("stackTrace", arguments, dap.StackTraceBody, at_stop=False)
        frames = enumerate(body.stack_frames)
        return tuple(_frame(frame, index, self._session) for index, frame in frames)

    async def scopes(self, frame_id: int) -> tuple[Scope, ...]:
        """The scopes of a frame."""
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
        """The children of a scope or a variable; ``count`` from ``start`` on, if it knows pages.

        ``part`` is ``named`` or ``indexed``. Never more than ``MOST_AT_ONCE`` where it knows pages:
        a million of them would hold the adapter for minutes.
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
        """Evaluate in a frame; statements too where the context is ``repl``.

        Raises EvaluationFailed with what the program's Python said.
        """
        if context == "repl":
            context = self._session.profile.values.prompt_context
        arguments: dict[str, object] = {"expression": expression, "context": context}
        if frame_id is not None:
            arguments["frameId"] = frame_id
        if self.in_hexadecimal and context != "repl":
            arguments["format"] = _HEXADECIMAL
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
        """With a reference below our own handles: LLDB's of results that it keeps are huge."""
        if told.variables_reference < FIRST_HANDLE:
            return told
        number = self._low.setdefault(told.variables_reference, FIRST_HANDLE - 1 - len(self._low))
        self._high[number] = told.variables_reference
        return msgspec.structs.replace(told, variables_reference=number)

    async def completions(
        self, text: str, column: int, frame_id: int
    ) -> tuple[dap.CompletionItem, ...]:
        """The completions at ``column`` (from 1) of a line, as the adapter has it."""
        arguments = {"frameId": frame_id, "text": text, "column": column}
        body = await self.ask(
            "completions", arguments, dap.CompletionsBody, timeout=COMPLETION_TIMEOUT
        )
        return tuple(body.targets)

    async def exception(self, thread_id: int) -> ExceptionState:
        """The exception that the thread stopped at."""
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
        """The exception by the words of the stop itself: Delve knows no more of a fatal error."""
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
        """The text of a source that is no file here; bytecode where nobody has it."""
        return (await self.source(reference, path)).content

    async def source(self, reference: int, path: str) -> dap.SourceBody:
        """A source that is no file here (DAP ``source``); its MIME type may tell ``BYTECODE``."""
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
        """Ask the adapter something about this stop (or, not ``at_stop``, at any time).

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


def _variable(told: dap.Variable, type_name: str) -> Variable:
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


def _frame(frame: dap.StackFrame, index: int, session: Inspected) -> Frame:
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


class Inspects(Inspected, Core, Protocol):
    """A session whose program can be looked into: what most parts need that ask about a stop."""

    @property
    def inspection(self) -> Inspection:
        """The questions to the stopped program."""
