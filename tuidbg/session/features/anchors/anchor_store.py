"""The anchors of a session's breakpoints, kept from the moment a breakpoint is set.

The content of a line can only be determined while the file is unchanged; so the anchor is made at
once, and follows the line from one version of the file to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tuidbg.config.files import read_source
from tuidbg.session.features.anchors.matching import (
    Anchor,
    Found,
    Lost,
    find_anchor,
    is_made_of,
    make_anchor,
    reanchor,
)
from tuidbg.session.model.state import Breakpoint, BreakpointKind


class _Kept(NamedTuple):
    path: str
    line: int
    anchor: Anchor
    is_lost: bool = False


class Anchors:
    """Breakpoint anchors by uuid, each for its breakpoint's line."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self.read: Callable[[str], str | None] = read_source
        """Reads the text that line numbers refer to: the source as the program runs it."""

    def anchored(self, breakpoint: Breakpoint) -> Anchor | None:
        """Return the breakpoint's anchor, made now if the breakpoint is new or has moved.

        None where the file has no such line or can't be read. Reads the file.
        """
        if not has_anchor(breakpoint):
            return None
        kept = self._kept_for(breakpoint)
        if kept is not None:
            return kept.anchor
        text = self.read(breakpoint.path)
        if text is None:
            return None
        anchor = make_anchor(text, breakpoint.line)
        self._kept[breakpoint.uuid] = _Kept(breakpoint.path, breakpoint.line, anchor)
        return anchor

    def is_lost(self, breakpoint: Breakpoint) -> bool:
        """True if its line of code is gone: it must not be set, as another statement is there now.

        A breakpoint that the user moves to another line is no longer lost.
        """
        kept = self._kept_for(breakpoint)
        return kept is not None and kept.is_lost

    def put(self, breakpoint: Breakpoint, anchor: Anchor, *, is_lost: bool = False) -> None:
        """Keep the anchor that a breakpoint had in an earlier run."""
        self._kept[breakpoint.uuid] = _Kept(breakpoint.path, breakpoint.line, anchor, is_lost)

    def follow(
        self, breakpoints: Iterable[Breakpoint], text: str
    ) -> list[tuple[Breakpoint, Found | Lost]]:
        """Return the positions of one file's breakpoints in its new text.

        From then on each anchor has its new line: a found breakpoint has to be moved there, a lost
        one (``is_lost``) keeps its anchor and is found again if its code comes back.
        """
        known = [b for b in breakpoints if self._kept_for(b) is not None]
        anchors = {b.uuid: self._kept[b.uuid].anchor for b in known}
        answers = reanchor(known, anchors, text)
        for breakpoint, answer in answers:
            if isinstance(answer, Found):
                anchor = make_anchor(text, answer.line)
                self._kept[breakpoint.uuid] = _Kept(breakpoint.path, answer.line, anchor)
            else:
                self.put(breakpoint, anchors[breakpoint.uuid], is_lost=True)
        return answers

    def _kept_for(self, breakpoint: Breakpoint) -> _Kept | None:
        kept = self._kept.get(breakpoint.uuid)
        if kept is None or (kept.path, kept.line) != (breakpoint.path, breakpoint.line):
            return None
        return kept


def has_anchor(breakpoint: Breakpoint) -> bool:
    """True if the breakpoint belongs to a line of a file."""
    return breakpoint.kind is BreakpointKind.LINE and breakpoint.path.startswith("/")


def locate(path: str, anchor: Anchor) -> tuple[Found | Lost, Anchor] | None:
    """Find the line in the current file, with its new anchor; a lost line keeps its old one.

    None where the file can't be read.
    """
    text = read_source(path)
    if text is None:
        return None
    answer = find_anchor(text, anchor)
    if isinstance(answer, Lost) or is_made_of(text, anchor):
        return answer, anchor
    return answer, make_anchor(text, answer.line)


def describe_lost(lost: Lost) -> str:
    """Return the message for a breakpoint refused because its line is gone."""
    if not lost.candidates:
        return "its line of code is gone"
    *others, last = map(str, lost.candidates)
    lines = f"{', '.join(others)} or {last}" if others else last
    return f"its line of code is gone; it may be line {lines}"
