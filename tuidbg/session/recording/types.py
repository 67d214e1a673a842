"""All that is known of one recorded call of a function (``session.recordings``)."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tuidbg.session.recording.path import Path
from tuidbg.session.state import Value

MAX_STEPS = 2_000
MAX_SECONDS = 60.0
"""Steps and seconds that one recording takes at most where nobody asks for another number."""


class Limits(Value, frozen=True):
    """Tells how far a recording goes: steps in the function, and seconds in all."""

    steps: int = MAX_STEPS
    seconds: float = MAX_SECONDS


class Phase(StrEnum):
    """Tells how far it is."""

    WAITING = "waiting"
    RECORDING = "recording"
    DONE = "done"


class Ending(StrEnum):
    """The ways in which a recording ends.

    ``stopped``: a breakpoint or an exception stopped the program in the middle. ``ended``: the
    program has ended. ``time``: it took too long. ``failed``: the adapter could not go on.
    """

    NONE = ""
    RETURNED = "returned"
    RAISED = "raised"
    STOPPED = "stopped"
    ENDED = "ended"
    CANCELLED = "cancelled"
    TIME = "time"
    FAILED = "failed"


class Local(Value, frozen=True):
    """A variable as it was shown."""

    name: str
    value: str
    type: str = ""
    size: str = ""


class Recording(msgspec.Struct):
    """One call. ``number`` counts from 1 over the session; ``origin`` is who asked for it.

    ``kind`` is ``generator``, ``coroutine`` or ``async generator`` where it is one. One that is not
    ``is_whole`` begins in the middle of the call, at ``first_line``. ``others`` are locals that
    were there at the beginning and are no arguments. ``returned`` is None where the value is not
    known; ``is_read`` says that it is what the line of its ``return`` names. ``steps`` are those
    that were recorded, ``sentence`` tells how it ended, ``cut`` what was left out and why;
    one that ``is_cut_short`` has no path of its last steps.
    """

    number: int
    function: str
    origin: str
    path: str = ""
    first_line: int = 0
    thread_id: int = 0
    kind: str = ""
    is_whole: bool = False
    arguments: list[Local] = []
    others: list[Local] = []
    course: Path = msgspec.field(default_factory=Path)
    steps: int = 0
    line: int = 0
    phase: Phase = Phase.WAITING
    ending: Ending = Ending.NONE
    returned: Local | None = None
    is_read: bool = False
    exception: str = ""
    sentence: str = ""
    cut: list[str] = []
    is_cut_short: bool = False
    seconds: float = 0.0

    @property
    def is_over(self) -> bool:
        """True if nothing is added any more."""
        return self.phase is Phase.DONE
