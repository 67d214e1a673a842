"""Counts, hit conditions and messages for adapters without a probe: decided here at each stop.

Slower (each hit is a stop and a resume over the wire) but the same rules: a hit is an execution of
the line with the condition true; ignore count, hit condition, trigger and message come after that.
The adapter has evaluated the condition if it could. Stops that are passed over are not published:
the program counts as running. If an adapter's own log points are better, tracepoints use these
(``take_output``).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterError, RequestFailed
from tuidbg.adapters.languages import Language
from tuidbg.adapters.probe import HitRecord
from tuidbg.dap.types import (
    DapStackFrame,
    EvaluateBody,
    OutputBody,
    StackTraceBody,
    StoppedBody,
    ThreadsBody,
)
from tuidbg.lines import split_lines
from tuidbg.session.core.breakpoints.predicates import read_hit_condition
from tuidbg.session.core.breakpoints.store import IN_CONDITION, in_condition, switched_off
from tuidbg.session.core.hits.log_messages import fill_in, is_true, split_log_message
from tuidbg.session.model.state import Breakpoint, OnError, StopReason

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

Show = Callable[["Arrival", tuple[int, ...]], None]
"""Publishes the stop, with the breakpoints hit."""


class Arrival(msgspec.Struct, frozen=True):
    """One ``stopped`` event; if several threads stop at once, there may be one for each.

    ``numbers`` are the breakpoints named by the adapter. ``is_wanted``: it stops regardless of
    these, for another reason (a step, a pause, the cursor's line). ``failure`` is the reason a
    condition failed, if the adapter stops for that.
    """

    body: StoppedBody
    thread_id: int
    reason: StopReason
    description: str
    numbers: tuple[int, ...]
    is_wanted: bool
    failure: str
    show: Show
    signal: str = ""

    @property
    def is_beside(self) -> bool:
        """True if another thread, reported before or after, has the focus.

        debugpy sets the hint at every pause, and no such thread follows.
        """
        return bool(self.body.preserve_focus_hint) and self.reason is not StopReason.PAUSE


TELL_EVERY = 0.1
"""Seconds between two events with counts, while the program runs."""


def holds(operator: str, count: int, value: int) -> bool:
    """True if a hit condition holds for a count."""
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


class HitTally:
    """The hit counts: exact at once, published a few times a second."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sent: dict[int, int] = {}
        self._changed: dict[int, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def reset(self) -> None:
        """Reset for a new run."""
        self._sent.clear()
        self._changed.clear()

    def renew_budget(self, number: int) -> None:
        """Reset the number of messages a tracepoint may log."""
        self._sent.pop(number, None)

    # Counts

    def keep(self, changed: Breakpoint) -> Breakpoint:
        """Keep a breakpoint with other counts."""
        self._session.breakpoints.registry.put(changed)
        self._changed[changed.number] = None
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TELL_EVERY, self.tell_counts)
        return changed

    def tell_counts(self) -> None:
        """Publish all counts now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        registry = self._session.breakpoints.registry
        told = [b for number in self._changed if (b := registry.look_up(number)) is not None]
        self._changed.clear()
        self._session.breakpoints.publish_all(told, origin="program")

    def count(self, found: Breakpoint) -> tuple[Breakpoint, bool]:
        """Count a hit, arm those that waited; return whether the hit conditions hold."""
        found = self.keep(msgspec.structs.replace(found, hits=found.hits + 1))
        for other in list(self._session.breakpoints.registry):
            if other.trigger == found.number and not other.armed:
                self.keep(msgspec.structs.replace(other, armed=True))
        operator, value = read_hit_condition(found.hit_condition) or ("", 0)
        is_ignored = found.hits - found.ignore_from <= found.ignore_count
        return found, not is_ignored and holds(operator, found.hits, value)

    # Records

    def is_due(self, found: Breakpoint, count: int = 0) -> bool:
        """True if this hit (or that of the count) is one to be recorded."""
        return not (found.every > 1 and (count or found.hits) % found.every) and not (
            found.at_most and self._sent.get(found.number, 0) >= found.at_most
        )

    def tell(self, found: Breakpoint, thread: str, values: Sequence[str | ValueError]) -> None:
        """Record a hit: ``values`` are those of the message's expressions, in their order."""
        sent = self._sent[found.number] = self._sent.get(found.number, 0) + 1
        left, pieces = iter(values), []
        for part in split_log_message(found.log_message, self._session.profile.language):
            value = next(left, "") if part.expression else part.text
            if isinstance(value, ValueError):
                value = f"<error: {value}>"
            elif part.expression:
                value = fill_in(part, value)
            pieces.append(value)
        self.record(found, thread, "".join(pieces))
        if found.at_most and sent >= found.at_most:
            self._switch_off(found)

    def record(self, found: Breakpoint, thread: str, text: str) -> None:
        """Write a line of a breakpoint's output."""
        self._session.probe.take_record(
            HitRecord(found.number, found.hits, time.time(), thread, text, found.path, found.line)
        )

    def _switch_off(self, found: Breakpoint) -> None:
        breakpoints = self._session.breakpoints
        off = switched_off(breakpoints.registry.look_up(found.number) or found)
        breakpoints.publish(off, origin="program")
        self._session.spawn(breakpoints.synchronise_many([off]))


_FOCUS_WITHIN = 0.05
"""Seconds after a thread's stop within which that of the focused thread comes."""


class HitFilter:
    """Decisions at the stops of an adapter that has no probe."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.tally = HitTally(session)
        self._names: dict[int, str] = {}
        self._tops: dict[int, DapStackFrame] = {}
        self._arrivals: list[Arrival] = []
        self._judging: asyncio.Task[None] | None = None
        self._arrived = asyncio.Event()

    def reset(self) -> None:
        """Reset for a new run."""
        self.tally.reset()
        self._names.clear()
        self._tops.clear()
        self._arrivals.clear()

    @property
    def is_passing(self) -> bool:
        """True while a stop is being evaluated."""
        return self._judging is not None

    # Stops

    def take(self, arrival: Arrival) -> bool:
        """True if it is evaluated, and published later if it stops; the others are only counted."""
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
                self.tally.count(found)
            self.tally.tell_counts()
            return False
        self._arrivals = [arrival]
        self._judging = session.spawn(self._judge())
        return True

    def _needs_thought(self, arrival: Arrival) -> bool:
        if arrival.is_beside or arrival.failure:
            return True
        if arrival.reason is not StopReason.BREAKPOINT:
            return False
        if not arrival.numbers:  # some adapters name none
            return not arrival.is_wanted and len(self._session.breakpoints.registry) > 0
        return not all(map(self._is_plain, self._found(arrival.numbers)))

    def _is_plain(self, found: Breakpoint) -> bool:
        filters = found.condition or found.hit_condition or found.ignore_count or found.commands
        return found.stops and found.armed and found.enabled and not filters

    def _found(self, numbers: Sequence[int]) -> list[Breakpoint]:
        registry = self._session.breakpoints.registry
        return [b for number in numbers if (b := registry.look_up(number)) is not None]

    async def _judge(self) -> None:
        """Evaluate all arrivals of one stop, and publish it or resume."""
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
            return  # it is gone, which is reported elsewhere
        finally:
            self._judging = None
        if shown is not None:
            self.tally.tell_counts()
            shown.show(shown, hit)
        else:
            await self._go_on(arrival)

    async def _more_come(self) -> bool:
        """Wait for the focused thread; True if none came."""
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
        return self._is_stepping and not self._session.profile.stops.finishes_steps

    @property
    def _is_stepping(self) -> bool:
        recorder = self._session.stop_owner
        return self._session.execution.is_stepping or (
            recorder is not None and recorder.is_stepping
        )

    async def _go_on(self, arrival: Arrival) -> None:
        try:
            await self._session.adapter.request("continue", {"threadId": arrival.thread_id})
        except AdapterError:
            pass  # it runs already, or is gone, which is reported elsewhere

    async def _count_beside(self, arrival: Arrival) -> None:
        try:
            await self._weigh(arrival)
        except AdapterError:
            return
        self.tally.tell_counts()

    async def _weigh(self, arrival: Arrival) -> tuple[int, ...] | None:
        """Count a thread's arrival, write its messages; return the breakpoints that stop it.

        None if it is at no known breakpoint.
        """
        frame = self._tops.get(arrival.thread_id)
        if not arrival.numbers or frame is None or not self._asks_anything(arrival):
            # Other arrivals of this stop are reported before the reply.
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
                self.tally.keep(msgspec.structs.replace(found, misses=found.misses + 1))
                continue
            found, counts = self.tally.count(found)
            if counts and found.stops:
                stopping.append(found.number)
                await self._print_commands(found, frame, arrival.thread_id)
            elif counts and self.tally.is_due(found):
                parts = split_log_message(found.log_message, self._session.profile.language)
                asked = [part.expression for part in parts if part.expression]
                values = await self._values(asked, frame)
                self.tally.tell(found, await self._name(arrival.thread_id), values)
        return tuple(stopping)

    def _asks_anything(self, arrival: Arrival) -> bool:
        """True if an expression is evaluated at that stop in any case."""
        return any(
            b.enabled
            and b.armed
            and not (b.stops or b.condition or b.hit_condition or b.ignore_count)
            and "{" in b.log_message
            and self.tally.is_due(b, b.hits + 1)
            for b in self._found(arrival.numbers)
        )

    async def _frame(self, thread_id: int) -> DapStackFrame | None:
        stack = await self._session.adapter.request(
            "stackTrace",
            {"threadId": thread_id, "startFrame": 0, "levels": 1},
            into=StackTraceBody,
        )
        top = stack.stack_frames[0] if stack.stack_frames else None
        if top is not None and self._session.profile.stops.keeps_frame_ids:
            self._tops[thread_id] = top
        return top

    def _at(self, frame: DapStackFrame | None) -> tuple[int, ...]:
        """Return the breakpoints at a frame's line, if the adapter names none."""
        if frame is None or frame.source is None or not frame.source.path:
            return ()
        of_file = self._session.breakpoints.registry.of_file(frame.source.path)
        return tuple(b.number for b in of_file if b.line == frame.line)

    # Conditions

    async def _examine(
        self, found: Breakpoint, frame: DapStackFrame | None, arrival: Arrival
    ) -> tuple[str, bool]:
        """Return the error of its condition, if it failed, and its truth.

        A condition that the adapter found true may have failed silently (``doubts_conditions``).
        """
        session = self._session
        if arrival.failure:
            return (arrival.failure, False) if found.condition else ("", True)
        if not found.condition:
            return "", True
        if (
            not session.profile.breakpoints.doubts_conditions
            and session.breakpoints.sends_condition(found)
        ):
            return "", True
        (value,) = await self._values([found.condition], frame)
        if isinstance(value, ValueError):
            return str(value), False
        return "", is_true(value)

    def _fail(self, found: Breakpoint, why: str) -> bool:
        """Handle a failed condition: True if the program stops for that."""
        session = self._session
        sentence = f"{why}{IN_CONDITION}"
        if not found.errors and found.on_error is OnError.REPORT:
            told = f"{in_condition(why, found.number)}; the program goes on"
            session.notify(told, "warning", quotes=True)
        self.tally.keep(msgspec.structs.replace(found, errors=found.errors + 1, message=sentence))
        if found.on_error is OnError.REPORT or not found.stops:
            return False
        session.breakpoints.note_failure(found.number, in_condition(why, found.number))
        return True

    async def _values(
        self, expressions: Sequence[str], frame: DapStackFrame | None
    ) -> list[str | ValueError]:
        """Return their values, requested all at once."""
        session = self._session
        if not expressions or not session.adapter.has_begun:
            return []
        common: dict[str, object] = {"context": session.profile.values.any_expression}
        if frame is not None:
            common["frameId"] = frame.id
        arguments = [{"expression": each, **common} for each in expressions]
        answers = await session.adapter.request_all("evaluate", arguments, into=EvaluateBody)
        return list(map(self._value, answers))

    def _value(self, answer: EvaluateBody | RequestFailed) -> str | ValueError:
        if isinstance(answer, EvaluateBody):
            return answer.result
        profile = self._session.profile
        return ValueError(_shorten(profile.values.explain_failure(answer.reason), profile.language))

    # Records

    def take_output(self, output: OutputBody) -> bool:
        """True for the output of an adapter's own log point; then it is a hit."""
        log_points = self._session.profile.breakpoints.log_points
        hit = log_points.read(output) if log_points is not None else None
        if hit is None:
            return False
        found = self._session.breakpoints.registry.look_up(hit.number)
        if found is None or not found.armed or not found.enabled or found.stops:
            return True
        found, counts = self.tally.count(found)
        if counts and self.tally.is_due(found):
            self.tally.tell(found, hit.thread, hit.values)
        return True

    async def _print_commands(
        self, found: Breakpoint, frame: DapStackFrame | None, thread_id: int
    ) -> None:
        if not found.commands:
            return
        thread = await self._name(thread_id)
        values = await self._values(found.commands, frame)
        for command, value in zip(found.commands, values, strict=True):
            shown = f"<error: {value}>" if isinstance(value, ValueError) else value
            self.tally.record(found, thread, f"{command} = {shown}")

    async def _name(self, thread_id: int) -> str:
        """Return a thread's name, requested if it is new in this run."""
        if thread_id not in self._names:
            session = self._session
            body = await session.adapter.request("threads", into=ThreadsBody)
            named = {t.id: session.profile.stops.thread_name(t.name) for t in body.threads}
            self._names |= {number: name for number, name in named.items() if name}
            self._names.setdefault(thread_id, f"thread {thread_id}")
        return self._names[thread_id]


def _shorten(reason: str, language: Language) -> str:
    """Return the reason in one line; of a Python traceback the exception's type."""
    lines = [line.strip() for line in split_lines(reason.strip())]
    if not lines:
        return "it can't be evaluated"
    return lines[-1].partition(":")[0] if language.is_exact else lines[0]
