"""What the questions about a recorded run give, row by row, as any front end shows it."""

from __future__ import annotations

import msgspec

from tuidbg.recording.timeline import Moment


class Spot(msgspec.Struct, frozen=True):
    """A moment as a person reads it: where it was, and how many steps before the present."""

    moment: Moment
    path: str
    line: int
    function: str
    ago: int

    @property
    def steps_ago(self) -> str:
        """How long ago, in words."""
        return "1 step ago" if self.ago == 1 else f"{self.ago:,} steps ago"


class ChangeRow(msgspec.Struct, frozen=True):
    """A value became another by the line of ``spot``; None: it was so when the recording began.

    ``old`` is empty where there was none. ``name`` is what has changed. ``number`` is the new value
    where that is one.
    """

    spot: Spot | None
    name: str
    old: str
    new: str
    number: float | None
    when: int


class Changes(msgspec.Struct, frozen=True):
    """All values that an expression had, the oldest first; ``is_cut``: there were more before."""

    expression: str
    rows: list[ChangeRow]
    is_cut: bool


class PassRow(msgspec.Struct, frozen=True):
    """A line was about to run; ``read`` are values before it, ``made`` those behind it.

    Empty where there was none.
    """

    spot: Spot
    read: tuple[str, ...]
    made: tuple[str, ...]


class Passes(msgspec.Struct, frozen=True):
    """The passes of a line around a moment, the oldest first, of ``total``."""

    path: str
    line: int
    read: tuple[str, ...]
    made: tuple[str, ...]
    rows: list[PassRow]
    total: int


class CallRow(msgspec.Struct, frozen=True):
    """A call: where it was made (``caller``), its first line, its end where it has come to that."""

    spot: Spot
    caller: Spot | None
    end: Moment | None
    arguments: tuple[tuple[str, str], ...]
    result: str
    has_raised: bool


class Calls(msgspec.Struct, frozen=True):
    """The calls of a function around a moment, the oldest first, of ``total``."""

    function: str
    rows: list[CallRow]
    total: int


class DifferenceRow(msgspec.Struct, frozen=True):
    """Something had another value at the later moment; ``first`` is the line that began it."""

    expression: str
    function: str
    frame: int
    before: str
    now: str
    first: Spot | None


class Differences(msgspec.Struct, frozen=True):
    """What differs between two moments, first what came to differ first."""

    earlier: Spot
    later: Spot
    rows: list[DifferenceRow]
    is_cut: bool


class Became(msgspec.Struct, frozen=True):
    """An expression became true at ``spot``, by the line ``by``; None: a call began so."""

    spot: Spot
    by: Spot | None


class Parted(msgspec.Struct, frozen=True):
    """Where this run parts from the one before: its line, and in ``words`` how they differ."""

    spot: Spot
    words: str
