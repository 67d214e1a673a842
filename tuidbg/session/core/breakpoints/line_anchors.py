"""The lines of breakpoints after edits: the interface, and the plain way by line numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from tuidbg.session.model.state import Breakpoint, StateValue

ReadText = Callable[[str], str | None]
"""Reads the text of a file that line numbers refer to; None where it can't be read."""


class LostLine(StateValue, frozen=True):
    """A line of code that is gone. ``nearest`` may be the same code, changed."""

    sentence: str
    nearest: int | None = None


class LineAnchors(Protocol):
    """Finds the lines of a session's breakpoints again. Its methods read files."""

    def __init__(self, read: ReadText) -> None: ...

    def follow(
        self, breakpoints: Iterable[Breakpoint], text: str
    ) -> list[tuple[Breakpoint, int | LostLine]]:
        """Return the lines of one file's breakpoints in its new text; unknown ones are omitted."""

    def is_lost(self, breakpoint: Breakpoint) -> bool:
        """True if its line of code is gone: another statement is at its line now."""

    def restore(self, breakpoint: Breakpoint, fields: dict[str, Any] | None) -> Breakpoint:
        """Return a saved breakpoint at its present line; refused with the reason if it is gone.

        Raises msgspec.ValidationError for invalid ``fields``.
        """

    def fields(self, breakpoint: Breakpoint) -> dict[str, Any] | None:
        """Return what is to be saved to find its line again."""

    def relocate(self, path: str, fields: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """Return the present line of saved ``fields``, and new ones; None if unchanged or gone."""


class LineNumbers:
    """Breakpoints stay at their line numbers."""

    def __init__(self, read: ReadText) -> None:
        pass

    def follow(
        self, breakpoints: Iterable[Breakpoint], text: str
    ) -> list[tuple[Breakpoint, int | LostLine]]:
        return []

    def is_lost(self, breakpoint: Breakpoint) -> bool:
        return False

    def restore(self, breakpoint: Breakpoint, fields: dict[str, Any] | None) -> Breakpoint:
        return breakpoint

    def fields(self, breakpoint: Breakpoint) -> dict[str, Any] | None:
        return None

    def relocate(self, path: str, fields: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        return None
