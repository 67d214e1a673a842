"""Detection of the adapter's brief resumes of other threads, for evaluating a slow value.

debugpy does so when variables take longer than three seconds, since the value may wait for one of
those threads. It reports that as a ``continued`` event and, when the value is there, as a
``stopped`` event with the reason of some earlier stop. Taken literally that is a new stop: its
variables are fetched, which takes three seconds again, and so on for ever. In truth nothing has
moved.

It does the same for an evaluation where PYDEVD_UNBLOCK_THREADS_TIMEOUT requests that, after any
time.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from tuidbg.dap.types import EvaluateBody

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


def own_question(expression: str) -> dict[str, object]:
    """Return the arguments of an ``evaluate`` request for tuidbg's own queries.

    Not in the context ``repl``: debugpy replaces the program's stdout by another stream for that,
    while the program may be writing.
    """
    return {"expression": expression, "context": "clipboard"}


async def ask_program(session: Session, expression: str, *, within: float) -> str:
    """Evaluate it, stopped or running, ``within`` seconds. Raises AdapterError."""
    body = await session.adapter.request(
        "evaluate", own_question(expression), into=EvaluateBody, timeout=within
    )
    return body.result


GRACE = 0.5
"""Seconds after a slow reply within which the two events come."""

HELD_BACK = 0.5
"""Seconds after which an unanswered request holds back steps: their events would be confused."""


class ImplicitResume:
    """The detection of such moments; ``after`` is the adapter's patience in seconds."""

    def __init__(self, after: float) -> None:
        self._after = after
        self._asked: list[float] = []
        self._until = 0.0
        self._inside = False
        self._changed = asyncio.Event()

    def begin(self) -> float:
        """Note a variables request; the result is passed to ``end``."""
        now = time.monotonic()
        self._asked.append(now)
        return now

    def end(self, asked: float) -> None:
        """Note the response, or that it is not awaited any more."""
        self._asked.remove(asked)
        now = time.monotonic()
        if now - asked >= self._after * 0.95:
            self._until = now + GRACE
        self._changed.set()

    def enter(self, *, is_evaluating: bool = False) -> bool:
        """Handle an unrequested ``continued`` event; True if it is only this."""
        now = time.monotonic()
        slow = any(now - asked >= self._after * 0.95 for asked in self._asked)
        unblocked = is_evaluating and self._after < float("inf")
        self._inside = slow or unblocked or now < self._until
        return self._inside

    def leave(self) -> bool:
        """Handle a ``stopped`` event; True if it only ends such a moment."""
        inside, self._inside = self._inside, False
        if inside:
            self._until = 0.0
            self._changed.set()
        return inside

    async def over(self) -> None:
        """Return when no such moment is under way or to be expected."""
        while (wait := self._wait()) > 0:
            self._changed.clear()
            try:
                async with asyncio.timeout(wait):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _wait(self) -> float:
        """Return the seconds until the next check; 0 if there is nothing to wait for."""
        now = time.monotonic()
        if any(now - asked >= HELD_BACK for asked in self._asked):
            return 60.0
        return max(0.0, self._until - now)

    def reset(self) -> None:
        """Reset, as the program is gone."""
        self._until = 0.0
        self._inside = False
        self._changed.set()
