"""The demo's guide: a row with the next key to press, until it has been pressed."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from tuidbg.session.core.session import Session
from tuidbg.session.features.recording.reverse_execution import past_of
from tuidbg.session.model.events import ExceptionDescribed, StackChanged, StatusChanged
from tuidbg.session.model.state import Status
from tuidbg.tui.toolkit.widgets.key_bar import CellLine
from tuidbg.tui.toolkit.widgets.rows import Piece


class DemoGuide(CellLine):
    """Three consecutive hints; the row disappears after the last, or with the program."""

    PREFIX = "guide"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"guide--key"}
    DEFAULT_CSS = """
    DemoGuide { background: $primary 20%; color: $foreground; }
    DemoGuide > .guide--key { color: $text-primary; text-style: bold; }
    """

    def __init__(self, session: Session, key_of: Callable[[str], str]) -> None:
        """``key_of`` returns the key of a command, or nothing."""
        super().__init__(id="guide")
        self._session = session
        self._key_of = key_of
        self._stops: list[int] = []
        """The stops at which a hint was shown, except those at an exception."""
        self._is_over = False

    def on_mount(self) -> None:
        self.run_worker(self._follow(), group="events")

    async def _follow(self) -> None:
        self.look()
        async for entry in self._session.events.follow():
            if isinstance(entry.event, StackChanged | ExceptionDescribed | StatusChanged):
                self.look()
            if self._is_over:
                return

    def note_command(self, name: str) -> None:
        """Record a command: the last hint leads to the autopsy."""
        if name == "show_autopsy":
            self._end()

    def look(self) -> None:
        """Show the hint for the program's position; the previous one stays while it runs."""
        session, stop = self._session, self._session.stop
        if session.status in (Status.TERMINATED, Status.FAILED):
            self._end()
        elif session.status is Status.PAUSED and stop is not None:
            if stop.exception is not None:
                self.show_pieces(self._at_exception())
                return
            if stop.id not in self._stops:
                self._stops.append(stop.id)
            first = len(self._stops) == 1
            self.show_pieces(self._at_first() if first else self._later())

    def _end(self) -> None:
        self._is_over = True
        self.display = False

    def _at_first(self) -> list[Piece]:
        return [
            *self._try("step_over", " Try ", " to run a line"),
            *self._try("step_into", ", ", " to enter a call"),
            *self._try("resume", ", ", " to run on"),
        ]

    def _later(self) -> list[Piece]:
        return [
            (" * marks what changed.", ""),
            *self._try("toggle_breakpoint", " Try ", " for a breakpoint"),
            *self._try("resume", ", ", " to run on"),
        ]

    def _at_exception(self) -> list[Piece]:
        past = past_of(self._session)
        traces = past is not None and past.is_on
        return [
            *self._try("show_autopsy", " Try ", ": causes of the exception"),
            *(self._try("show_last_change", ", then ", " its last change") if traces else ()),
        ]

    def _try(self, command: str, before: str, what: str) -> list[Piece]:
        key = self._key_of(command)
        return [(before, ""), (key, "key"), (what, "")] if key else []
