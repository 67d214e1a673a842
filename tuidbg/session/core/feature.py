"""What features add to the core. The core imports none of them: each registers itself.

``tuidbg.session.features`` lists them; a feature that is taken from that list is gone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast

from tuidbg.session.core.breakpoints.line_anchors import LineAnchors, LineNumbers, ReadText

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session
    from tuidbg.session.core.sources.definitions import Definition
    from tuidbg.session.model.state import Frame


class Feature:
    """A part of a session outside of its core, made on first use: ``Autopsy.of(session)``."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @classmethod
    def of(cls, session: Session) -> Self:
        made = session.features.get(cls.__name__)
        if made is None:
            made = session.features[cls.__name__] = cls(session)
        return cast(Self, made)


class Hooks:
    """The places in the core at which features act."""

    def __init__(self) -> None:
        self.line_anchors: Callable[[ReadText], LineAnchors] = LineNumbers
        """Makes the part that finds the lines of breakpoints again after edits."""
        self.before_run: list[Callable[[Session], Awaitable[None]]] = []
        """Called when the program is configured, before it runs."""
        self.before_close: list[Callable[[Session], Awaitable[None]]] = []
        """Called before the program is ended for good."""
        self.after_close: list[Callable[[Session], Awaitable[None]]] = []
        self.open_recording: Callable[[Session, Path], Awaitable[None]] | None = None
        """Opens the file of an ``AttachPlan.recording``. Raises DebuggerError."""
        self.recorder_report: Callable[[Session, Mapping[str, str]], None] | None = None
        """Takes what the recorder in the program reports."""
        self.find_definition: list[Finder] = []
        """Called, one after another, for a name without a definition in the sources."""
        self.value_stored: list[Callable[[Session, int | None], Awaitable[None]]] = []
        """Called when an adapter has set a value in a frame; None: the top frame."""


Finder = Callable[["Session", str, "Frame | None"], "Awaitable[tuple[Definition, ...]]"]

hooks = Hooks()
