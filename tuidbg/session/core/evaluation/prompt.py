"""The prompt of a session: evaluates typed text, interrupts it, explains objects, completes.

Where tuidbg can query inside the program (``debuggee/console``) an evaluation can
be interrupted without harm to the program, the last result is ``_``, ``await`` works, and results
stay openable. Elsewhere it is the adapter's own ``evaluate``, which can only be abandoned.

An evaluation was requested by the user: it may change the program, and run for any time.
"""

from __future__ import annotations

import ast
import asyncio
import re
import time
import warnings
from collections.abc import Coroutine, Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import msgspec

from tuidbg.adapters.languages import Language
from tuidbg.dap.types import CompletionItem
from tuidbg.lines import split_everywhere
from tuidbg.session.core.values.types import ChildrenRequest, ValueAddress
from tuidbg.session.core.values.variables import count_children
from tuidbg.session.model.errors import (
    AdapterTimedOut,
    DoesNotParse,
    EvaluationAbandoned,
    EvaluationCancelled,
    EvaluationFailed,
    StaleReply,
    UnsupportedByAdapter,
)
from tuidbg.session.model.events import ValuesChanged
from tuidbg.session.model.state import EvaluateResult, StateValue, Variable

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


T = TypeVar("T")

CANCEL_PATIENCE = 2.0
"""Seconds for an interrupted evaluation to end before it is abandoned."""

_NOT_BEGUN = 0.02
"""Seconds until the next check for an evaluation to interrupt."""

_WORD = re.compile(r"[\w.]+$")
_NAME = re.compile(r"\w+$")
_ONE_LINE = 200
"""Characters of a multi-line result that can be opened."""

_OUT_OF_TIME = "no answer within {:g} s; it may need a thread or a lock that the pause holds"
_NO_INTERRUPT = "this debug adapter can't interrupt it: it may go on in the program"
_BLOCKED = "it goes on in a call into C that takes no interrupt, which comes when that returns"
_HELD = "the program answers nothing: a call into C holds all of it"
_IMPOSSIBLE = "in this thread it can't be interrupted: the program has not loaded ctypes"
_ASKED_TWICE = "it may go on in the program"


class Evaluated(StateValue, frozen=True):
    """A result. ``text`` is empty where there is none (a statement, None).

    ``openable`` is set if it has children; ``Evaluation.open`` fetches them. ``number`` counts the
    evaluations of a session; ``reference`` is DAP's, where the adapter itself evaluated.
    """

    number: int
    text: str = ""
    type: str = ""
    openable: bool = False
    reference: int = 0


class ChildrenPart(NamedTuple):
    """A part of a value's children, and their total number."""

    variables: tuple[Variable, ...]
    total: int


class Help(StateValue, frozen=True):
    """The documentation of an object. For an instance, ``file`` and ``source`` are its class's."""

    type: str = ""
    text: str = ""
    signature: str = ""
    doc: str = ""
    init_doc: str = ""
    file: str = ""
    line: int = 0
    source: str = ""


class Completions(StateValue, frozen=True):
    """The names that fit from ``start`` (an index into the text) to the cursor."""

    start: int
    names: tuple[str, ...] = ()


class RunningEvaluation(msgspec.Struct, eq=False):
    """An evaluation under way. ``since`` is of ``time.monotonic``."""

    number: int
    text: str
    since: float
    abandoned: asyncio.Future[str]
    task: asyncio.Task[Any] | None
    """The task that waits for it."""
    is_cancelling: bool = False


class _GuardedReply(msgspec.Struct, frozen=True):
    """The reply of the inside module (``guarded`` in ``console.py``)."""

    kind: Literal["value", "nothing", "help", "error", "refused", "cancelled"]
    text: str = ""
    type: str = ""
    openable: bool = False
    signature: str = ""
    doc: str = ""
    init_doc: str = ""
    file: str = ""
    line: int = 0
    source: str = ""


class Evaluation:
    """Evaluations in the frames of a stopped program."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._last_number = 0
        self.running: dict[int, RunningEvaluation] = {}
        """Those under way, by their numbers, the oldest first."""
        self.limit: float | None = None
        """Seconds for each, if there is no user to interrupt it."""

    async def evaluate(
        self, text: str, frame_id: int | None = None, *, timeout: float | None = None
    ) -> Evaluated:
        """Run statements or an expression in a frame; return the value of the last expression.

        After ``timeout`` seconds it is interrupted, as by ``cancel``. Raises EvaluationFailed with
        Python's message, EvaluationCancelled, EvaluationAbandoned, InvalidSessionState,
        AdapterFailed, StaleReply.
        """
        running = self._begin(text)
        if (limit := timeout or self.limit) is None:
            return await self._evaluate(running, text, frame_id)
        loop = asyncio.get_running_loop()
        timer = loop.call_later(limit, lambda: self._session.spawn(self._call_off(running)))
        try:
            return await self._evaluate(running, text, frame_id)
        except (EvaluationCancelled, EvaluationAbandoned) as error:
            if timeout is None and loop.time() >= timer.when():
                raise EvaluationAbandoned(f"{_OUT_OF_TIME.format(limit)} ({error})") from error
            raise
        finally:
            timer.cancel()

    async def _evaluate(
        self, running: RunningEvaluation, text: str, frame_id: int | None
    ) -> Evaluated:
        if frame_id is not None and frame_id < 0:
            return await self._wait(running, self._evaluate_past(running, text, frame_id))
        if frame_id is None or not self._session.inside.is_possible:
            return await self._wait(running, self._evaluate_plainly(running, text, frame_id))
        asking = self._ask("evaluate", running, frame_id, text=text, stop=self._session.stop_id)
        answer = await self._wait(running, asking)
        return Evaluated(
            number=running.number, text=answer.text, type=answer.type, openable=answer.openable
        )

    async def _evaluate_past(
        self, running: RunningEvaluation, text: str, frame_id: int
    ) -> Evaluated:
        """Read it from the recording: in a recorded frame nothing runs."""
        variable = self._session.values.past.evaluate(frame_id, text)
        return Evaluated(
            number=running.number,
            text=variable.value,
            type=variable.type,
            openable=variable.reference > 0,
            reference=variable.reference,
        )

    async def _evaluate_plainly(
        self, running: RunningEvaluation, text: str, frame_id: int | None
    ) -> Evaluated:
        result = await self._session.inspection.evaluate(text, frame_id)
        told = self._session.profile.values.read_result(result.value).rstrip("\n")
        if result.reference > 0 and "\n" in told:  # its children can be opened
            told = _in_one_line(told)
        return Evaluated(
            number=running.number,
            text=told,
            type=result.type,
            openable=result.reference > 0,
            reference=result.reference,
        )

    async def describe(
        self, expression: str, frame_id: int | None, *, source: bool = False
    ) -> Help:
        """Return signature, documentation and file of an object, with ``source`` its source too.

        The expression is evaluated. Raises as ``evaluate``, and UnsupportedByAdapter.
        """
        if frame_id is None or not self._session.inside.is_possible:
            raise UnsupportedByAdapter("this debug adapter has no help on objects")
        running = self._begin(expression)
        asking = self._ask("describe", running, frame_id, text=expression, source=source)
        answer = await self._wait(running, asking)
        fields = {name: getattr(answer, name) for name in Help.__struct_fields__}
        return Help(**fields)

    async def _ask(
        self, function: str, running: RunningEvaluation, frame_id: int, **arguments: object
    ) -> _GuardedReply:
        answer = await self._session.inside.ask(
            "console", function, _GuardedReply, frame_id=frame_id, token=running.number, **arguments
        )
        match answer.kind:
            case "error" | "refused":
                raise EvaluationFailed(answer.text)
            case "cancelled":
                raise EvaluationCancelled
        return answer

    def _begin(self, text: str) -> RunningEvaluation:
        self._last_number += 1
        abandoned = asyncio.get_running_loop().create_future()
        task = asyncio.current_task()
        return RunningEvaluation(self._last_number, text, time.monotonic(), abandoned, task)

    async def _wait(self, running: RunningEvaluation, work: Coroutine[Any, Any, T]) -> T:
        """Wait for the evaluation's result, until it is abandoned."""
        self.running[running.number] = running
        asking = asyncio.create_task(work)
        try:
            ends: set[asyncio.Future[Any]] = {asking, running.abandoned}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise EvaluationAbandoned(running.abandoned.result())
            return asking.result()
        finally:
            del self.running[running.number]
            running.abandoned.cancel()
            asking.cancel()

    # Interrupting

    async def cancel(self) -> None:
        """Interrupt the oldest evaluation, and only that: the program stays paused.

        In the main thread by SIGINT, in others by an injected exception. Its caller then gets
        EvaluationCancelled; EvaluationAbandoned if it continues all the same (a call into C), or if
        this is requested a second time.
        """
        running = next(iter(self.running.values()), None)
        if running is not None:
            await self._call_off(running)

    async def cancel_of(self, task: asyncio.Task[Any]) -> bool:
        """Cancel the evaluation that this task waits for; False if it waits for none."""
        running = next((each for each in self.running.values() if each.task is task), None)
        if running is not None:
            await self._call_off(running)
        return running is not None

    async def _call_off(self, running: RunningEvaluation) -> None:
        if not self._session.inside.is_possible:
            _abandon(running, _NO_INTERRUPT)
        elif running.is_cancelling:
            _abandon(running, _ASKED_TWICE)
        else:
            running.is_cancelling = True
            await self._interrupt(running)

    async def _interrupt(self, running: RunningEvaluation) -> None:
        why = _HELD
        try:
            async with asyncio.timeout(CANCEL_PATIENCE):
                await self._session.inside.load("base", "console")
                while not (how := await self._send_interrupt(running)):
                    # Finished, or not begun: the program may be busy with an earlier request.
                    if await _is_over(running, _NOT_BEGUN):
                        return
                why = _IMPOSSIBLE if how == "impossible" else _BLOCKED
                if why is _BLOCKED:
                    await _is_over(running, CANCEL_PATIENCE)
        except TimeoutError:
            pass
        except StaleReply:
            return  # the program was resumed, which ended the evaluation
        _abandon(running, why)

    async def _send_interrupt(self, running: RunningEvaluation) -> str:
        """Interrupt it without a frame: another thread of the program answers, this one is busy."""
        inside = self._session.profile.inside
        assert inside is not None
        call = inside.call("console", "cancel", {"token": running.number})
        answer = await self._session.inspection.evaluate(call, None, "clipboard")
        return answer.value.strip("\"'")

    # Results and names

    async def open(self, result: Evaluated, frame_id: int) -> tuple[Variable, ...]:
        """Return the children of a result; ``frame_id`` is any frame of the current stop.

        Results of earlier stops are kept until the next evaluation. Raises EvaluationFailed if it
        was dropped, AdapterFailed, StaleReply.
        """
        reference = self.reference(result, frame_id)
        return (await self.page(reference)).variables if reference else ()

    def reference(self, result: Evaluated, frame_id: int) -> int:
        """Return a result's reference for ``page`` at the current stop; 0 if it has no children."""
        inside = self._session.profile.inside
        if inside is None or result.reference:
            return result.reference
        kept = inside.expression("console", "result", (result.number,))
        return self._session.values.remember(ValueAddress(frame_id, kept, (), "", ""))

    async def page(self, reference: int, start: int = 0) -> ChildrenPart:
        """Return the children of a result, or of one of its values, starting at index ``start``.

        As in the variables, no slow code of the program is run. Raises as ``open``.
        """
        nodes, first, total = await self._session.values.children(reference, ChildrenRequest(start))
        return ChildrenPart(tuple(node.variable for node in nodes[start - first :]), total)

    async def complete(self, text: str, cursor: int, frame_id: int) -> Completions:
        """Return the adapter's completions of the text before ``cursor`` (DAP ``completions``).

        The adapter may read attributes for that, so only plain dotted names are sent. Raises
        UnsupportedByAdapter, AdapterFailed, StaleReply.
        """
        begin = text.rfind("\n", 0, cursor) + 1
        line = text[begin:cursor]
        if not self._session.profile.language.is_exact:
            return await self._complete_plainly(line, begin, frame_id)
        word = _WORD.search(line)
        before = line[: word.start()] if word is not None else line
        if word is None or (word[0].startswith(".") and before):
            return Completions(start=cursor)
        start = begin + word.start() + word[0].rfind(".") + 1
        body = await self._session.inspection.completions(line, len(line) + 1, frame_id)
        prefix = text[start:cursor]
        names = {item.text or item.label for item in body}
        return Completions(start=start, names=rank_names(names, prefix))

    async def _complete_plainly(self, line: str, begin: int, frame_id: int) -> Completions:
        """Complete, in other languages, the name at the end of a line, whatever precedes it."""
        found = _NAME.search(line)
        start = found.start() if found is not None else len(line)
        if not line[:start].endswith((".", "->", "::")) and start == len(line):
            return Completions(start=begin + len(line))
        body = await self._session.inspection.completions(line, len(line) + 1, frame_id)
        names = {name for each in body if (name := _name_in(each, line, start)).isidentifier()}
        return Completions(start=begin + start, names=rank_names(names, line[start:]))


def _in_one_line(text: str) -> str:
    line = ", ".join(line.strip() for line in split_everywhere(text))
    line = line.replace("{, ", "{").replace(", }", "}")
    return line if len(line) <= _ONE_LINE else f"{line[:_ONE_LINE]}…"


def _name_in(item: CompletionItem, line: str, start: int) -> str:
    """Return the name an item inserts at ``start``: some items repeat all the text before it."""
    text = item.text or item.label
    replaced = line[len(line) - (item.length or 0) : start]
    return text.removeprefix(replaced)


def rank_names(names: Iterable[str], prefix: str) -> tuple[str, ...]:
    """Return names that begin with ``prefix``, those in its own case and public ones first."""
    folded = prefix.lower()
    found = {name for name in names if name.lower().startswith(folded) and name != prefix}

    def rank(name: str) -> tuple[bool, int, str]:
        underscores = len(name) - len(name.lstrip("_"))
        return not name.startswith(prefix), underscores, name.lower()

    return tuple(sorted(found, key=rank))


async def _is_over(running: RunningEvaluation, seconds: float) -> bool:
    """True if it ends, or is abandoned, within that many seconds."""
    return bool((await asyncio.wait({running.abandoned}, timeout=seconds))[0])


def _abandon(running: RunningEvaluation, why: str) -> None:
    if not running.abandoned.done():
        running.abandoned.set_result(f"not waited for any more; {why}")


EVALUATE_LIMIT = 30.0
"""Seconds that an evaluation may take."""


class EvaluationContext(StrEnum):
    """The purpose of an evaluation, in DAP's words."""

    WATCH = "watch"
    REPL = "repl"
    HOVER = "hover"


def check_text(text: str, context: EvaluationContext, language: Language) -> None:
    """Raise DoesNotParse with Python's own message if it does not compile."""
    mode = "exec" if context is EvaluationContext.REPL else "eval"
    if not text.strip():
        raise DoesNotParse("the expression is empty")
    if not language.is_exact:
        if context is not EvaluationContext.REPL and (problem := language.check(text)):
            raise DoesNotParse(problem)
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text if mode == "exec" else text.strip(), "<expression>", mode)
    except SyntaxError as error:
        raise DoesNotParse(f"{type(error).__name__}: {error.msg}") from None
    except (MemoryError, RecursionError):
        raise DoesNotParse("the expression is too complicated") from None
    except (ValueError, OverflowError, UnicodeError) as error:
        raise DoesNotParse(str(error)) from None


async def ask(
    session: Session,
    text: str,
    frame_id: int,
    context: EvaluationContext,
    *,
    limit: float = EVALUATE_LIMIT,
) -> Variable:
    """Evaluate a text in a frame; return its value as a variable named by the text.

    Raises DoesNotParse, EvaluationFailed with Python's message, AdapterTimedOut after ``limit``
    seconds, EvaluationCancelled, EvaluationAbandoned, InvalidSessionState, AdapterFailed,
    StaleReply.
    """
    check_text(text, context, session.profile.language)
    if context is EvaluationContext.REPL:
        found = await session.evaluation.evaluate(text, frame_id, timeout=limit)
        session.publish(ValuesChanged(), "program")
        reference = session.evaluation.reference(found, frame_id) if found.openable else 0
        nothing = session.profile.language.nothing
        value, kind = found.text or nothing[0], found.type or nothing[1]
        memory = ""
    else:
        seen = await _look(session, text.strip(), frame_id, context, limit)
        value, kind, reference = seen.value, seen.type, seen.reference
        memory = seen.memory_reference
    total = await count_children(session.values, reference) if reference else 0
    return Variable(
        name=text,
        value=value,
        type=kind,
        reference=reference if total else 0,
        total=total,
        memory_reference=memory,
    )


async def _look(
    session: Session, text: str, frame_id: int, context: EvaluationContext, limit: float
) -> EvaluateResult:
    try:
        async with asyncio.timeout(limit):
            found = await session.inspection.evaluate(text, frame_id, context)
    except TimeoutError:
        raise AdapterTimedOut(f"it has not been evaluated within {limit:g} s") from None
    if not found.reference:
        return found
    address = ValueAddress(frame_id, f"({text})", (), text, f"({text})")
    reference = session.values.source.opened(found.reference, address)
    return msgspec.structs.replace(found, reference=reference)
