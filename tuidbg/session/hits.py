"""Counts, hit conditions and messages where the adapter has no probe: decided here at its stops.

Slower (each hit is a stop and a resume over the wire) but the same rules: a hit is an arrival with
the condition true; ignore count, hit condition, trigger and template come after that (C8, C9). The
adapter has evaluated the condition where it could. While stops are passed over nobody is told of
them: the program counts as running. Where an adapter's own log points are better, tracepoints are
told by these (``take_output``).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterError, RequestFailed
from tuidbg.adapters.languages import Language
from tuidbg.adapters.probe import HitRecord
from tuidbg.dap.types import EvaluateBody, OutputBody, StackFrame, StackTraceBody, ThreadsBody
from tuidbg.session.arrivals import Arrival
from tuidbg.session.hit_values import fill_in, is_true
from tuidbg.session.predicates import read_hit_condition
from tuidbg.session.state import Breakpoint, OnError, StopReason
from tuidbg.session.templates import Part, split_template

if TYPE_CHECKING:
    from tuidbg.session.session import Session

TELL_EVERY = 0.1
"""Seconds between two events that tell of counts, while the program runs."""

_FOCUS_WITHIN = 0.05
"""Seconds after a thread's arrival within which the one comes that is to be looked at."""


def holds(operator: str, count: int, value: int) -> bool:
    """Whether a hit condition holds for a count (C8)."""
    match operator:
        case "":
            return True
        case "%":
            return count % value == 0
        case "==":
            return count == value
        case ">":
            return count > value
        case ">=":
            return count >= value
        case "<":
            return count < value
    return count <= value


class HitFilter:
    """Decides at the stops of an adapter that has no probe."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sent: dict[int, int] = {}
        self._names: dict[int, str] = {}
        self._arrivals: list[Arrival] = []
        self._judging: asyncio.Task[None] | None = None
        self._arrived = asyncio.Event()
        self._changed: dict[int, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def reset(self) -> None:
        """A new run."""
        self._sent.clear()
        self._names.clear()
        self._arrivals.clear()
        self._changed.clear()

    @property
    def is_passing(self) -> bool:
        """Whether the program stands at a stop that is judged just now."""
        return self._judging is not None

    def note_budget_set(self, number: int) -> None:
        """A tracepoint may tell as often again as it is allowed to (R004-52)."""
        self._sent.pop(number, None)

    # Counts

    def _keep(self, changed: Breakpoint) -> Breakpoint:
        """Counts are true at once, and told a few times a second."""
        self._session.breakpoints.registry.put(changed)
        self._changed[changed.number] = None
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TELL_EVERY, self.tell_counts)
        return changed

    def tell_counts(self) -> None:
        """Tell now of all that was counted."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        registry = self._session.breakpoints.registry
        told = [b for number in self._changed if (b := registry.look_up(number)) is not None]
        self._changed.clear()
        self._session.breakpoints.publish_all(told, origin="program")

    def _count(self, found: Breakpoint) -> tuple[Breakpoint, bool]:
        """Count a hit, arm what waited for it; whether this one counts for what is asked."""
        found = self._keep(msgspec.structs.replace(found, hits=found.hits + 1))
        for other in list(self._session.breakpoints.registry):
            if other.trigger == found.number and not other.armed:
                self._keep(msgspec.structs.replace(other, armed=True))
        operator, value = read_hit_condition(found.hit_condition) or ("", 0)
        is_ignored = found.hits - found.ignore_from <= found.ignore_count
        return found, not is_ignored and holds(operator, found.hits, value)

    # Stops

    def take(self, arrival: Arrival) -> bool:
        """Whether it is judged here, and told later if it stops; the others are counted only."""
        session = self._session
        if self._judging is not None:  # another thread's, at the same stop
            self._arrivals.append(arrival)
            self._arrived.set()
            return True
        if session.is_still and arrival.is_beside:
            session.spawn(self._count_beside(arrival))
            return True
        if not self._needs_thought(arrival):
            for found in self._found(arrival.numbers):
                self._count(found)
            self.tell_counts()
            return False
        self._arrivals = [arrival]
        self._judging = session.spawn(self._judge())
        return True

    def _needs_thought(self, arrival: Arrival) -> bool:
        if arrival.is_beside or arrival.failure:
            return True
        if arrival.reason is not StopReason.BREAKPOINT:
            return False
        if not arrival.numbers:  # there are adapters that name none
            return not arrival.is_wanted and len(self._session.breakpoints.registry) > 0
        return not all(map(self._is_plain, self._found(arrival.numbers)))

    def _is_plain(self, found: Breakpoint) -> bool:
        filters = found.condition or found.hit_condition or found.ignore_count or found.commands
        return found.stops and found.armed and found.enabled and not filters

    def _found(self, numbers: Sequence[int]) -> list[Breakpoint]:
        registry = self._session.breakpoints.registry
        return [b for number in numbers if (b := registry.look_up(number)) is not None]

    async def _judge(self) -> None:
        """Weigh all that arrived at one stop of the program, and show it or go on."""
        shown: Arrival | None = None
        hit: tuple[int, ...] = ()
        has_focus = False
        try:
            while self._arrivals or not (has_focus or await self._more_come()):
                if not self._arrivals:
                    break
                arrival = self._arrivals.pop(0)
                has_focus |= not arrival.is_beside
                numbers = await self._weigh(arrival)
                stops = numbers is None or numbers or self._must_stop(arrival)
                if stops and (shown is None or not arrival.is_beside):
                    shown, hit = arrival, numbers or ()
        except AdapterError:
            return  # it is gone, which is told elsewhere
        finally:
            self._judging = None
        if shown is not None:
            self.tell_counts()
            shown.show(shown, hit)
        else:
            await self._go_on(arrival)

    async def _more_come(self) -> bool:
        """Wait for the thread that is to be looked at; whether none came."""
        self._arrived.clear()
        try:
            async with asyncio.timeout(_FOCUS_WITHIN):
                await self._arrived.wait()
        except TimeoutError:
            return True
        return False

    def _must_stop(self, arrival: Arrival) -> bool:
        execution = self._session.execution
        if arrival.is_wanted or execution.is_pausing:
            return True
        return self._is_stepping and not self._session.profile.finishes_steps

    @property
    def _is_stepping(self) -> bool:
        recorder = self._session.recorder
        return self._session.execution.is_stepping or (
            recorder is not None and recorder.is_stepping
        )

    async def _go_on(self, arrival: Arrival) -> None:
        try:
            await self._session.request("continue", {"threadId": arrival.thread_id})
        except AdapterError:
            pass  # it runs already, or is gone, which is told elsewhere

    async def _count_beside(self, arrival: Arrival) -> None:
        try:
            await self._weigh(arrival)
        except AdapterError:
            return
        self.tell_counts()

    async def _weigh(self, arrival: Arrival) -> tuple[int, ...] | None:
        """Count a thread's arrival and tell what is to be told; where it stops the program.

        None where it has come to no breakpoint that anybody knows.
        """
        frame = await self._frame(arrival.thread_id)
        numbers = arrival.numbers or self._at(frame)
        if not numbers:
            return None
        stopping = []
        for found in self._found(numbers):
            if not found.armed or not found.enabled:
                continue
            failure, is_met = await self._examine(found, frame, arrival)
            if failure:
                if self._fail(found, failure):
                    stopping.append(found.number)
                continue
            if not is_met:
                self._keep(msgspec.structs.replace(found, misses=found.misses + 1))
                continue
            found, counts = self._count(found)
            if counts and found.stops:
                stopping.append(found.number)
                await self._print_commands(found, frame, arrival.thread_id)
            elif counts and self._is_due(found):
                parts = split_template(found.log_message, self._session.profile.language)
                values = await self._values([p.expression for p in parts], frame)
                self._tell(found, await self._name(arrival.thread_id), parts, values)
        return tuple(stopping)

    async def _frame(self, thread_id: int) -> StackFrame | None:
        stack = await self._session.request(
            "stackTrace",
            {"threadId": thread_id, "startFrame": 0, "levels": 1},
            into=StackTraceBody,
        )
        return stack.stack_frames[0] if stack.stack_frames else None

    def _at(self, frame: StackFrame | None) -> tuple[int, ...]:
        """The breakpoints at a frame's line, where the adapter names none."""
        if frame is None or frame.source is None or not frame.source.path:
            return ()
        of_file = self._session.breakpoints.registry.of_file(frame.source.path)
        return tuple(b.number for b in of_file if b.line == frame.line)

    # Conditions

    async def _examine(
        self, found: Breakpoint, frame: StackFrame | None, arrival: Arrival
    ) -> tuple[str, bool]:
        """Why its condition failed, if it did, and whether it is true.

        What the adapter has found true may have failed without a word (``doubts_conditions``).
        """
        session = self._session
        if arrival.failure:
            return (arrival.failure, False) if found.condition else ("", True)
        if not found.condition:
            return "", True
        if not session.profile.doubts_conditions and session.breakpoints.binding.sends_condition(
            found
        ):
            return "", True
        (value,) = await self._values([found.condition], frame)
        if isinstance(value, ValueError):
            return str(value), False
        return "", is_true(value)

    def _fail(self, found: Breakpoint, why: str) -> bool:
        """Its condition failed: whether the program stops for that."""
        session = self._session
        sentence = f"the condition failed: {why}"
        if not found.errors and found.on_error is OnError.REPORT:
            told = f"the condition of breakpoint {found.number} failed: {why}; the program goes on"
            session.notify(told, "warning")
        self._keep(msgspec.structs.replace(found, errors=found.errors + 1, message=sentence))
        if found.on_error is OnError.REPORT or not found.stops:
            return False
        session.breakpoints.note_failure(
            found.number, f"the condition of breakpoint {found.number} failed: {why}"
        )
        return True

    async def _values(
        self, expressions: Sequence[str], frame: StackFrame | None
    ) -> list[str | ValueError]:
        """What they give, asked all at once; nothing for an empty one."""
        return list(await asyncio.gather(*(self._value(each, frame) for each in expressions)))

    async def _value(self, expression: str, frame: StackFrame | None) -> str | ValueError:
        if not expression:
            return ""
        profile = self._session.profile
        arguments: dict[str, object] = {
            "expression": expression,
            "context": profile.any_expression,
        }
        if frame is not None:
            arguments["frameId"] = frame.id
        try:
            answer = await self._session.request("evaluate", arguments, into=EvaluateBody)
        except RequestFailed as error:
            why = profile.explain_evaluation(error.reason)
            return ValueError(_shorten(why, profile.language))
        return answer.result

    # Telling

    def take_output(self, output: OutputBody) -> bool:
        """Whether an output is of an adapter's own log point; then it is a hit."""
        log_points = self._session.profile.log_points
        hit = log_points.read(output) if log_points is not None else None
        if hit is None:
            return False
        found = self._session.breakpoints.registry.look_up(hit.number)
        if found is None or not found.armed or not found.enabled or found.stops:
            return True
        found, counts = self._count(found)
        if counts and self._is_due(found):
            parts = split_template(found.log_message, self._session.profile.language)
            values = iter(hit.values)
            filled = [next(values, "") if part.expression else "" for part in parts]
            self._tell(found, hit.thread, parts, filled)
        return True

    def _is_due(self, found: Breakpoint) -> bool:
        """Whether this hit is one of those that are told."""
        return not (found.every > 1 and found.hits % found.every) and not (
            found.at_most and self._sent.get(found.number, 0) >= found.at_most
        )

    def _tell(
        self,
        found: Breakpoint,
        thread: str,
        parts: Sequence[Part],
        values: Sequence[str | ValueError],
    ) -> None:
        session = self._session
        sent = self._sent[found.number] = self._sent.get(found.number, 0) + 1
        pieces = [self._piece(part, value) for part, value in zip(parts, values, strict=True)]
        self._record(found, thread, "".join(pieces))
        if found.at_most and sent >= found.at_most:
            message = f"told {found.at_most} times, and switched itself off"
            off = msgspec.structs.replace(found, enabled=False, message=message)
            session.breakpoints.publish(off, origin="program")
            session.spawn(session.breakpoints.binding.synchronise_one(off))

    def _piece(self, part: Part, value: str | ValueError) -> str:
        if not part.expression:
            return part.text
        return f"<error: {value}>" if isinstance(value, ValueError) else fill_in(part, value)

    def _record(self, found: Breakpoint, thread: str, text: str) -> None:
        self._session.probe.take_record(
            HitRecord(found.number, found.hits, time.time(), thread, text, found.path, found.line)
        )

    async def _print_commands(
        self, found: Breakpoint, frame: StackFrame | None, thread_id: int
    ) -> None:
        if not found.commands:
            return
        thread = await self._name(thread_id)
        values = await self._values(found.commands, frame)
        for command, value in zip(found.commands, values, strict=True):
            shown = f"<error: {value}>" if isinstance(value, ValueError) else value
            self._record(found, thread, f"{command} = {shown}")

    async def _name(self, thread_id: int) -> str:
        """The name of a thread, asked for where it has not been met before in this run."""
        if thread_id not in self._names:
            session = self._session
            body = await session.request("threads", into=ThreadsBody)
            named = {t.id: session.profile.thread_name(t.name) for t in body.threads}
            self._names |= {number: name for number, name in named.items() if name}
            self._names.setdefault(thread_id, f"thread {thread_id}")
        return self._names[thread_id]


def _shorten(reason: str, language: Language) -> str:
    """What went wrong in a line; of Python's traceback the type of the exception."""
    lines = [line.strip() for line in reason.strip().splitlines()]
    if not lines:
        return "it can't be evaluated"
    return lines[-1].partition(":")[0] if language.is_exact else lines[0]
