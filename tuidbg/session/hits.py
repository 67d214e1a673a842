"""Counts and hit conditions where the adapter has no probe: decided here at each stop.

Slow (each hit is a stop and a resume over the wire) but the same rules: a hit is an arrival with
the condition true, which the adapter has evaluated; ignore count, hit condition, trigger and
template come after that (C8, C9).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterError, RequestFailed
from tuidbg.adapters.probe import HitRecord
from tuidbg.dap.types import EvaluateBody, StackTraceBody
from tuidbg.session.predicates import read_hit_condition
from tuidbg.session.state import Breakpoint
from tuidbg.session.templates import Part, split_template

if TYPE_CHECKING:
    from tuidbg.session.session import Session


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

    def reset(self) -> None:
        """A new run."""
        self._sent.clear()

    def note_budget_set(self, number: int) -> None:
        """A tracepoint may tell as often again as it is allowed to (R004-52)."""
        self._sent.pop(number, None)

    def decide(self, numbers: Sequence[int], thread_id: int) -> bool:
        """Count a hit of each; whether the program stops. If not, it must be resumed.

        What log points and tracepoints write is fetched before, as ``tell`` of ``pass_on``.
        """
        stops = False
        telling: list[Breakpoint] = []
        for number in numbers:
            found = self._session.breakpoints.registry.look_up(number)
            if found is None or not found.armed:
                continue
            found = msgspec.structs.replace(found, hits=found.hits + 1)
            self._session.breakpoints.publish(found, origin="program")
            self._arm(found)
            operator, value = read_hit_condition(found.hit_condition) or ("", 0)
            if found.hits - found.ignore_from <= found.ignore_count or not holds(
                operator, found.hits, value
            ):
                continue
            if found.stops:
                stops = True
            elif not (found.every > 1 and found.hits % found.every):
                telling.append(found)
        if telling or not stops:
            self._session.spawn(self._pass_on(telling, thread_id, resume=not stops))
        return stops

    def _arm(self, hit: Breakpoint) -> None:
        for other in list(self._session.breakpoints.registry):
            if other.trigger == hit.number and not other.armed:
                armed = msgspec.structs.replace(other, armed=True)
                self._session.breakpoints.publish(armed, origin="program")

    async def _pass_on(
        self, telling: Sequence[Breakpoint], thread_id: int, *, resume: bool
    ) -> None:
        session = self._session
        try:
            for found in telling:
                await self._tell(found, thread_id)
            if resume:
                await session.request("continue", {"threadId": thread_id})
        except AdapterError:
            return  # it is gone, which is told elsewhere

    async def _tell(self, found: Breakpoint, thread_id: int) -> None:
        sent = self._sent.get(found.number, 0) + 1
        if found.at_most and sent > found.at_most:
            return
        self._sent[found.number] = sent
        session = self._session
        stack = await session.request(
            "stackTrace", {"threadId": thread_id, "levels": 1}, into=StackTraceBody
        )
        frame_id = stack.stack_frames[0].id if stack.stack_frames else None
        pieces = [await self._fill_in(part, frame_id) for part in split_template(found.log_message)]
        name = next((t.name for t in session.threads if t.id == thread_id), f"thread {thread_id}")
        session.probe.take_record(
            HitRecord(
                found.number, found.hits, time.time(), name, "".join(pieces), found.path, found.line
            )
        )
        if found.at_most and sent == found.at_most:
            await session.breakpoints.update(found.number, enabled=False, origin="program")

    async def _fill_in(self, part: Part, frame_id: int | None) -> str:
        if not part.expression:
            return part.text
        arguments = {"expression": part.expression, "context": "hover"}
        if frame_id is not None:
            arguments["frameId"] = frame_id  # type: ignore[assignment]
        try:
            answer = await self._session.request("evaluate", arguments, into=EvaluateBody)
        except RequestFailed as error:
            return f"<error: {str(error).splitlines()[-1].partition(':')[0].strip()}>"
        text = answer.result
        if not part.conversion and len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
            text = text[1:-1]  # strings stand without their quotes (R004-60)
        return text
