"""One call among all others: whether the program stands in it, below it, or has left it.

A name and a depth tell it from its callers. In Python the frame itself is kept for as long as it is
recorded, which tells it from a later call of the same function, too.
"""

from __future__ import annotations

import msgspec

from tuidbg.session.errors import DebuggerError
from tuidbg.session.recording.look import look_at
from tuidbg.session.recording.recorded import Stepped
from tuidbg.session.recording.source import bare_name
from tuidbg.session.recording.types import Local
from tuidbg.session.state import Frame

WHOLE_STACK = 1_000
"""Frames that are looked at to find a call again."""


class Held(msgspec.Struct):
    """Holds what is known inside the program: the function's first line, and what kind it is of."""

    line: int = 0
    kind: str = ""


class RecordedCall:
    """The call at the top of a thread's stack."""

    def __init__(self, session: Stepped, thread: int, frames: tuple[Frame, ...]) -> None:
        self._session = session
        self._thread = thread
        self.top = frames[0]
        self._depth = len(frames)
        self._caller_id = frames[1].id if len(frames) > 1 else 0
        self._is_recursive = any(_same_function(frame, self.top) for frame in frames[1:])
        self._is_held = False

    async def hold(self) -> Held:
        """Keep its frame, where that can be done; what is known of it then."""
        inside = self._session.inside
        if not inside.is_possible or self.top.name.startswith("<module"):
            return Held()
        try:
            await inside.load("base", "writing", "showing", "values")
            held = await inside.ask("calls", "hold", Held, frame_id=self.top.id)
        except DebuggerError:
            return Held()
        self._is_held = True
        return held

    async def release(self) -> str:
        """Let go of it; the exception by which it was left, if it was."""
        if not self._is_held:
            return ""
        self._is_held = False
        try:
            frames, _ = await self._session.inspection.stack(self._thread, 0, 1)
            frame_id = frames[0].id if frames else None
            return await self._session.inside.ask("calls", "release", str, frame_id=frame_id)
        except DebuggerError:
            return ""

    async def frames(self, *, whole: bool = False) -> tuple[Frame, ...]:
        """The stack, as much of it as is needed to know where the program stands."""
        whole = whole or (self._is_recursive and not self._is_held)
        levels = WHOLE_STACK if whole else 1
        frames, _ = await self._session.inspection.stack(self._thread, 0, levels)
        self._session.frames = frames
        return frames

    def is_top(self, frames: tuple[Frame, ...]) -> bool:
        """True if the program stands in it."""
        if not frames:
            return False
        if self._is_held:
            return frames[0].id == self.top.id
        is_same = frames[0].name == self.top.name
        return is_same and (not self._is_recursive or len(frames) == self._depth)

    def is_below(self, frames: tuple[Frame, ...]) -> bool:
        """True if it is under way still, in a call of something else; of the whole stack."""
        if self._is_held:
            return any(frame.id == self.top.id for frame in frames)
        index = len(frames) - self._depth
        return 0 < index < len(frames) and frames[index].name == self.top.name

    async def returned(self, frames: tuple[Frame, ...]) -> Local | None:
        """The value that it gave, where the adapter writes that down among its caller's locals."""
        known = self._caller_id if self._session.inside.is_possible else 0
        callers = [frame for frame in frames[:3] if frame.id == known] or list(frames[:1])
        for frame in callers:
            try:
                found = (await look_at(self._session, frame)).returned
            except DebuggerError:
                continue
            for name in (f"{bare_name(self.top.name)}() returned", "the call returned"):
                if (value := found.get(name)) is not None:
                    return value
        return None


def is_named(frame: Frame, function: str) -> bool:
    """True if a frame is of the function of that name, as far as a frame tells its name."""
    if "." in function or ":" in function:
        return frame.name.partition("(")[0] == function
    return bare_name(frame.name) == function


def _same_function(frame: Frame, other: Frame) -> bool:
    path = other.place.path if other.place is not None else ""
    return frame.name == other.name and (frame.place is None or frame.place.path == path)
