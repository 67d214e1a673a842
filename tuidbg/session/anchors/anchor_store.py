"""The anchors of a session's breakpoints, kept from the moment in which a breakpoint is set.

What a line was can only be told while the file still is what it was then; so the anchor is made at
once, and follows the line from one version of the file to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tuidbg.config.files import read_source
from tuidbg.session.anchors.matching import (
    Anchor,
    Found,
    Lost,
    find_anchor,
    is_made_of,
    make_anchor,
    reanchor,
)
from tuidbg.session.state import Breakpoint, BreakpointKind


class _Kept(NamedTuple):
    path: str
    line: int
    anchor: Anchor
    is_lost: bool = False


class Anchors:
    """The anchors of breakpoints by uuid, each for the line at which its breakpoint stands."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self.read: Callable[[str], str | None] = read_source
        """Gives the text in which lines are meant: as the program runs it."""

    def anchored(self, breakpoint: Breakpoint) -> Anchor | None:
        """The anchor of a breakpoint, made now if it is new or stands elsewhere than before.

        None where there is no line in a file that can be read. Reads the file.
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
        """True if its line of code is gone. It must not be set then: its line is another's.

        Put on another line by a person, it is lost no more.
        """
        kept = self._kept_for(breakpoint)
        return kept is not None and kept.is_lost

    def put(self, breakpoint: Breakpoint, anchor: Anchor, *, is_lost: bool = False) -> None:
        """Keep the anchor that a breakpoint had in another run."""
        self._kept[breakpoint.uuid] = _Kept(breakpoint.path, breakpoint.line, anchor, is_lost)

    def follow(
        self, breakpoints: Iterable[Breakpoint], text: str
    ) -> list[tuple[Breakpoint, Found | Lost]]:
        """Returns where the breakpoints of one file belong in its new text.

        From then on each is known by its new line: a found one has to be moved there, a lost one
        (``is_lost``) keeps its anchor and is found again if its code comes back.
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
    """True if it hangs on a line of a file."""
    return breakpoint.kind is BreakpointKind.LINE and breakpoint.path.startswith("/")


def locate(path: str, anchor: Anchor) -> tuple[Found | Lost, Anchor] | None:
    """Tells where the line is in the present file, and its anchor there; a lost one keeps its own.

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
    """The words for a breakpoint that is refused as its line is gone."""
    if not lost.candidates:
        return "its line of code is gone"
    *others, last = map(str, lost.candidates)
    lines = f"{', '.join(others)} or {last}" if others else last
    return f"its line of code is gone; it may be line {lines}"
