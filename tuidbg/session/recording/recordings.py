"""Recordings of calls: the arguments, the path taken, what each line changed, what came back.

One at a time is made in a session, by whoever asks for it; the newest are kept, for all front ends
to look at. It costs nothing while none is made.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterator

from tuidbg.session.errors import DebuggerError, InvalidSessionState
from tuidbg.session.events import RecordingChanged
from tuidbg.session.recording.recorder import Recorder, Records
from tuidbg.session.recording.types import Limits, Phase, Recording
from tuidbg.session.state import Place, Status

KEPT_RECORDINGS = 10

TELL_EVERY = 0.2
"""Seconds between two events that tell how far a recording is."""


class RecordingUnderWay(DebuggerError):
    """Another call is being recorded."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(
            f"a call of {recording.function} is being recorded for {recording.origin} already"
        )


class RecordingNotFound(DebuggerError):
    """There is none of that number, or not any more."""

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no recording {number}; the last {KEPT_RECORDINGS} are kept")


class Recordings:
    """The recordings of one session, the newest last."""

    def __init__(self, session: Records) -> None:
        self._session = session
        self._kept: deque[Recording] = deque(maxlen=KEPT_RECORDINGS)
        self._count = 0
        self._told = (0.0, Phase.DONE)

    def __iter__(self) -> Iterator[Recording]:
        return iter(tuple(self._kept))

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def newest(self) -> Recording | None:
        """The last one, which may be under way."""
        return self._kept[-1] if self._kept else None

    def get(self, number: int) -> Recording:
        """The one of that number. Raises RecordingNotFound."""
        found = next((each for each in self._kept if each.number == number), None)
        if found is None:
            raise RecordingNotFound(number)
        return found

    async def record(
        self,
        function: str = "",
        *,
        place: Place | None = None,
        limits: Limits | None = None,
        origin: str,
    ) -> Recording:
        """Record the next call of a function; the one in which the program stands without a name.

        ``place`` is the function's first line, if it is known: then the name need not be found.
        A name of the function in which it stands is that call, too. Returns when it is over,
        however it ended: ``ending`` and ``sentence`` say how. Whoever is cancelled meanwhile calls
        it off. Raises RecordingUnderWay, InvalidSessionState, InvalidSetting, and DebuggerError
        where nothing could be recorded at all.
        """
        session = self._session
        if session.recorder is not None:
            raise RecordingUnderWay(session.recorder.recording)
        if session.status not in (Status.PAUSED, Status.RUNNING):
            raise InvalidSessionState("record a call", session.status)
        function = function.strip().removesuffix("()")
        self._count += 1
        recording = Recording(number=self._count, function=function, origin=origin)
        recorder = Recorder(
            session, recording, limits or Limits(), lambda: self._tell(recording, origin), place
        )
        session.recorder = recorder
        task = session.spawn(recorder.run())
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            recorder.call_off()
            raise
        if recorder.error is not None:
            raise recorder.error
        return recording

    def call_off(self) -> bool:
        """End the recording under way, and leave the program where it is; whether there was one."""
        recorder = self._session.recorder
        if recorder is not None:
            recorder.call_off()
        return recorder is not None

    def _tell(self, recording: Recording, origin: str) -> None:
        last, phase = self._told
        now = time.monotonic()
        if phase is recording.phase and now - last < TELL_EVERY:
            return
        self._told = now, recording.phase
        if recording.phase is Phase.RECORDING and recording not in self._kept:
            self._kept.append(recording)
        self._session.publish(
            RecordingChanged(
                number=recording.number,
                function=recording.function,
                phase=recording.phase,
                steps=recording.steps,
                line=recording.line,
            ),
            origin,
        )
