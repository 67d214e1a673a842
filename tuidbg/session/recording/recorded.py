"""The session as a recording takes it: it steps the program, and nobody else is told."""

from __future__ import annotations

from typing import Protocol

from tuidbg.session.breakpoints.breakpoints import Breakpoints
from tuidbg.session.events import EventLog
from tuidbg.session.execution import Execution
from tuidbg.session.state import Frame, Stop
from tuidbg.session.values.variables import ShowsValues


class Stepped(ShowsValues, Protocol):
    """A session whose program is stepped without telling of each stop."""

    stop: Stop | None
    stop_id: int
    frames: tuple[Frame, ...]

    @property
    def execution(self) -> Execution:
        """Steps the program."""

    @property
    def breakpoints(self) -> Breakpoints:
        """Stop where the call begins."""

    @property
    def events(self) -> EventLog:
        """The log of events, which tells its subscribers of each."""

    @property
    def stack_of(self) -> int:
        """The stop whose stack ``frames`` is."""

    def note_resumed(self, *, stepping: bool, origin: str, how: str = "") -> None:
        """The program runs, for all others."""

    def show_stop(self, stop: Stop) -> None:
        """Tell of a stop that was kept from everybody so far."""
