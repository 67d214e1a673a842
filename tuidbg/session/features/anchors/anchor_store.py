"""The anchors of a session's breakpoints, kept from the moment a breakpoint is set.

The content of a line can only be determined while the file is unchanged; so the anchor is made at
once, and follows the line from one version of the file to the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from tuidbg.config.files import read_source
from tuidbg.session.core.breakpoints.line_anchors import LostLine, ReadText
from tuidbg.session.core.breakpoints.store import refused, told
from tuidbg.session.features.anchors.matching import (
    Anchor,
    FoundLine,
    UnfoundLine,
    find_anchor,
    is_made_of,
    make_anchor,
    reanchor,
)
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus

_NO_FILE = "the file is not there"


class _KeptAnchor(NamedTuple):
    path: str
    line: int
    anchor: Anchor
    is_lost: bool = False


class Anchors:
    """Breakpoint anchors by uuid, each for its breakpoint's line."""

    def __init__(self, read: ReadText = read_source) -> None:
        self._kept: dict[str, _KeptAnchor] = {}
        self._as_read: dict[str, tuple[Anchor, dict[str, Any]]] = {}
        self.read = read

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
        self._kept[breakpoint.uuid] = _KeptAnchor(breakpoint.path, breakpoint.line, anchor)
        return anchor

    def is_lost(self, breakpoint: Breakpoint) -> bool:
        """True if its line of code is gone: it must not be set, as another statement is there now.

        A breakpoint that the user moves to another line is no longer lost.
        """
        kept = self._kept_for(breakpoint)
        return kept is not None and kept.is_lost

    def put(self, breakpoint: Breakpoint, anchor: Anchor, *, is_lost: bool = False) -> None:
        """Keep the anchor that a breakpoint had in an earlier run."""
        self._kept[breakpoint.uuid] = _KeptAnchor(breakpoint.path, breakpoint.line, anchor, is_lost)

    def follow(
        self, breakpoints: Iterable[Breakpoint], text: str
    ) -> list[tuple[Breakpoint, int | LostLine]]:
        """Return the lines of one file's breakpoints in its new text.

        From then on each anchor has its new line: a found breakpoint has to be moved there, a lost
        one (``is_lost``) keeps its anchor and is found again if its code comes back.
        """
        known = [b for b in breakpoints if self._kept_for(b) is not None]
        anchors = {b.uuid: self._kept[b.uuid].anchor for b in known}
        lines: list[tuple[Breakpoint, int | LostLine]] = []
        for breakpoint, answer in reanchor(known, anchors, text):
            if isinstance(answer, FoundLine):
                anchor = make_anchor(text, answer.line)
                self._kept[breakpoint.uuid] = _KeptAnchor(breakpoint.path, answer.line, anchor)
                lines.append((breakpoint, answer.line))
            else:
                self.put(breakpoint, anchors[breakpoint.uuid], is_lost=True)
                lines.append((breakpoint, describe_lost(answer)))
        return lines

    def restore(self, breakpoint: Breakpoint, fields: dict[str, Any] | None) -> Breakpoint:
        """Return a saved breakpoint at its line of code; refused if that is gone."""
        if not has_anchor(breakpoint):
            return breakpoint
        anchor = msgspec.convert(fields, Anchor) if fields else None
        if fields is None or anchor is None:
            is_there = self.anchored(breakpoint) is not None
            return breakpoint if is_there else told(breakpoint, BreakpointStatus.REFUSED, _NO_FILE)
        self._as_read[breakpoint.uuid] = anchor, fields
        located = locate(breakpoint.path, anchor)
        if located is None:
            self.put(breakpoint, anchor)
            return told(breakpoint, BreakpointStatus.REFUSED, _NO_FILE)
        answer, its_anchor = located
        if isinstance(answer, UnfoundLine):
            self.put(breakpoint, anchor, is_lost=True)
            lost = describe_lost(answer)
            return refused(breakpoint, lost.sentence, lost.nearest)
        moved = msgspec.structs.replace(breakpoint, line=answer.line)
        self.put(moved, its_anchor)
        return moved

    def fields(self, breakpoint: Breakpoint) -> dict[str, Any] | None:
        """Return the saved form unchanged if equal: a newer tuidbg may have written more fields."""
        anchor = self.anchored(breakpoint)
        if anchor is None:
            return None
        read, fields = self._as_read.get(breakpoint.uuid, (None, {}))
        return fields if read is anchor else msgspec.to_builtins(anchor)

    def relocate(self, path: str, fields: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """Return the present line of a saved anchor, and its new fields; None if unchanged or gone.

        Raises msgspec.ValidationError.
        """
        anchor = msgspec.convert(fields, Anchor)
        located = locate(path, anchor)
        if located is None or isinstance(located[0], UnfoundLine) or located[1] is anchor:
            return None
        return located[0].line, msgspec.json.decode(msgspec.json.encode(located[1]))

    def _kept_for(self, breakpoint: Breakpoint) -> _KeptAnchor | None:
        kept = self._kept.get(breakpoint.uuid)
        if kept is None or (kept.path, kept.line) != (breakpoint.path, breakpoint.line):
            return None
        return kept


def has_anchor(breakpoint: Breakpoint) -> bool:
    """True if the breakpoint belongs to a line of a file."""
    return breakpoint.kind is BreakpointKind.LINE and breakpoint.path.startswith("/")


def locate(path: str, anchor: Anchor) -> tuple[FoundLine | UnfoundLine, Anchor] | None:
    """Find the line in the current file, with its new anchor; a lost line keeps its old one.

    None where the file can't be read.
    """
    text = read_source(path)
    if text is None:
        return None
    answer = find_anchor(text, anchor)
    if isinstance(answer, UnfoundLine) or is_made_of(text, anchor):
        return answer, anchor
    return answer, make_anchor(text, answer.line)


def describe_lost(lost: UnfoundLine) -> LostLine:
    """Return the message for a breakpoint refused because its line is gone."""
    if not lost.candidates:
        return LostLine("its line of code is gone")
    *others, last = map(str, lost.candidates)
    lines = f"{', '.join(others)} or {last}" if others else last
    return LostLine(f"its line of code is gone; it may be line {lines}", lost.candidates[0])
