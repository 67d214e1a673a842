"""Counts the hits that the session itself decides about, and tells of each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from tuidbg.adapters.probe import HitRecord
from tuidbg.session.breakpoints.outcomes import switched_off
from tuidbg.session.breakpoints.predicates import read_hit_condition
from tuidbg.session.core import HasProfile, Works
from tuidbg.session.hits.log_messages import split_log_message
from tuidbg.session.hits.values import fill_in
from tuidbg.session.state import Breakpoint

if TYPE_CHECKING:
    from tuidbg.session.breakpoints.breakpoints import Breakpoints
    from tuidbg.session.hits.probe import ProbeLink

TELL_EVERY = 0.1
"""Seconds between two events that tell of counts, while the program runs."""


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


class TallySession(HasProfile, Works, Protocol):
    """The session as the counts see it."""

    @property
    def breakpoints(self) -> Breakpoints:
        """Its breakpoints."""

    @property
    def probe(self) -> ProbeLink:
        """By which records are told."""


class HitTally:
    """Counts and tells. What is counted is true at once, and told a few times a second."""

    def __init__(self, session: TallySession) -> None:
        self._session = session
        self._sent: dict[int, int] = {}
        self._changed: dict[int, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def reset(self) -> None:
        """A new run."""
        self._sent.clear()
        self._changed.clear()

    def renew_budget(self, number: int) -> None:
        """A tracepoint may tell as often again as it is allowed to."""
        self._sent.pop(number, None)

    # Counts

    def keep(self, changed: Breakpoint) -> Breakpoint:
        """Take over a breakpoint with other counts."""
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

    def count(self, found: Breakpoint) -> tuple[Breakpoint, bool]:
        """Count a hit, arm what waited for it; whether this one counts for what is asked."""
        found = self.keep(msgspec.structs.replace(found, hits=found.hits + 1))
        for other in list(self._session.breakpoints.registry):
            if other.trigger == found.number and not other.armed:
                self.keep(msgspec.structs.replace(other, armed=True))
        operator, value = read_hit_condition(found.hit_condition) or ("", 0)
        is_ignored = found.hits - found.ignore_from <= found.ignore_count
        return found, not is_ignored and holds(operator, found.hits, value)

    # Telling

    def is_due(self, found: Breakpoint, count: int = 0) -> bool:
        """True if this hit (or that of the count) is one of those that are told."""
        return not (found.every > 1 and (count or found.hits) % found.every) and not (
            found.at_most and self._sent.get(found.number, 0) >= found.at_most
        )

    def tell(self, found: Breakpoint, thread: str, values: Sequence[str | ValueError]) -> None:
        """Tell of a hit: ``values`` are those of the message's expressions, in their order."""
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
        """A line of what a breakpoint tells."""
        self._session.probe.take_record(
            HitRecord(found.number, found.hits, time.time(), thread, text, found.path, found.line)
        )

    def _switch_off(self, found: Breakpoint) -> None:
        breakpoints = self._session.breakpoints
        off = switched_off(breakpoints.registry.look_up(found.number) or found)
        breakpoints.publish(off, origin="program")
        self._session.spawn(breakpoints.synchronise_many([off]))
