"""Long questions to a recording are worked out beside the loop, and can be called off.

The thread has a copy of the timeline of its own, made in the loop. What both have in common is
changed by nobody, so the recording may grow meanwhile. One question is worked out at a time.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from tuidbg.recording.expressions.reader import NotKnown
from tuidbg.recording.segment import DamagedRecording
from tuidbg.recording.timeline import Timeline
from tuidbg.session.errors import EvaluationFailed

T = TypeVar("T")


class HasTimeline(Protocol):
    """What was recorded so far."""

    timeline: Timeline


class Beside:
    """Asks the recording of a session in a thread."""

    def __init__(self, past: HasTimeline) -> None:
        self._past = past
        self._turn = asyncio.Lock()
        self._copy: _Copy | None = None

    async def ask(self, question: Callable[..., T], *others: Timeline) -> T:
        """What a question gives; who is called off while it waits calls the question off.

        It gets the timeline, and ``others`` that it asks besides. Raises EvaluationFailed with a
        sentence where it can't be told.
        """
        async with self._turn:
            copy = self._fresh()
            more = [each.copy(copy.is_off.is_set) for each in others]
            try:
                return await asyncio.to_thread(question, copy.timeline, *more)
            except asyncio.CancelledError:
                copy.is_off.set()
                self._copy = None  # the thread may look at it still
                raise
            except (NotKnown, DamagedRecording) as error:
                raise EvaluationFailed(str(error)) from None

    def _fresh(self) -> _Copy:
        """The copy that there is, with what it has unpacked, unless more was recorded since."""
        timeline = self._past.timeline
        if self._copy is None or not self._copy.is_of(timeline):
            self._copy = _Copy(timeline)
        return self._copy


class _Copy:
    """A copy of a timeline, and what tells the thread that looks at it to stop."""

    def __init__(self, timeline: Timeline) -> None:
        self.is_off = threading.Event()
        self.timeline = timeline.copy(self.is_off.is_set)
        self._original = timeline
        self._stands = _state(timeline)

    def is_of(self, timeline: Timeline) -> bool:
        """Whether it is the same still."""
        return timeline is self._original and _state(timeline) == self._stands


def _state(timeline: Timeline) -> tuple[int, int, int]:
    return timeline.now, len(timeline.chunks.all), timeline.base.chunks
