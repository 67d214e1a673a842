"""Rendering of moments, changes and calls of a recorded run for agents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from tuidbg.api.mcp.agent import AnswerLimits
from tuidbg.api.mcp.refusals import cut
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.mcp.tools.snapshot import mark_lines, size_of, tell_value
from tuidbg.api.operations.recording_views import CallView, ChangeView, PointView
from tuidbg.api.operations.views import REDACTED_SOURCE, VariableView, shows_source
from tuidbg.config.files import read_text
from tuidbg.lines import split_lines
from tuidbg.session.core.sources.name_scopes import line_of, parse_file
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.state import Place

MAIN = "MainThread"
"""The default thread; other threads are named."""

_MOST_WRITERS = 3

WIDEST = 160
"""Maximum characters of a source line."""


class QuotedLines:
    """The sources that one answer quotes; empty where source is hidden."""

    def __init__(self, texts: dict[str, list[str]]) -> None:
        self._texts = texts

    def of(self, path: str) -> list[str]:
        """Return all lines of a source."""
        return self._texts.get(path, [])

    def at(self, path: str, line: int) -> str:
        """Return the text of a line."""
        lines = self.of(path)
        return cut(lines[line - 1].strip(), WIDEST) if 0 < line <= len(lines) else ""

    def around(self, place: Place | None, context: int) -> list[str]:
        """Return the numbered lines around a place, with a mark at it."""
        if not shows_source():
            return list(REDACTED_SOURCE)
        return mark_lines(self.of(place.path), place.line, context) if place is not None else []


async def read_lines(member: HubSession, points: Iterable[PointView | None]) -> QuotedLines:
    """Read the sources that the answer quotes; a loaded recording includes its own."""
    paths = {p.frame.place.path for p in points if p and p.frame and p.frame.place}
    return await read_sources(member, paths)


async def read_sources(member: HubSession, paths: Iterable[str]) -> QuotedLines:
    """Read sources by path."""
    if not shows_source():
        return QuotedLines({})
    return QuotedLines(
        {path: await asyncio.to_thread(_read, member, path) for path in paths if path}
    )


def _read(member: HubSession, path: str) -> list[str]:
    text = member.session.running_sources.kept(path)
    if text is None:
        try:
            text = read_text(path, errors="replace")
        except OSError:
            return []
    return split_lines(text)


def tell_point(seen: PointView, lines: QuotedLines) -> Payload:
    """Render a moment: its name, an argument of later calls, and its line."""
    told: Payload = {"moment": seen.id}
    frame = seen.frame
    if frame is not None:
        told["function"] = frame.name
        if (place := frame.place) is not None:
            told |= {"file": place.path, "line": place.line}
            if code := lines.at(place.path, place.line):
                told["code"] = code
    if seen.event != "line":
        told["event"] = seen.event
    if seen.thread != MAIN:
        told["thread"] = seen.thread
    return told


async def tell_definition(begin: PointView, lines: QuotedLines) -> Payload:
    """Render the called function's first line, with parameters and defaults."""
    frame = begin.frame
    if frame is None or frame.place is None:
        return {"function": frame.name} if frame is not None else {}
    path = frame.place.path
    tree = await asyncio.to_thread(parse_file, path)
    line = line_of(tree, frame.name, frame.place.line) if tree is not None else frame.place.line
    told: Payload = {"function": frame.name, "file": path, "line": line}
    return told | ({"code": code} if (code := lines.at(path, line)) else {})


def tell_change(seen: ChangeView, lines: QuotedLines, limits: AnswerLimits) -> Payload:
    """Render a change; a missing value is omitted, and ``by`` is the line that made it.

    If the line is not known exactly, ``since`` is the first candidate.
    """
    told: Payload = {"name": seen.name}
    if seen.old is not None:
        told["old"] = tell_value(seen.old, limits.value)
    if seen.new is not None:
        told["new"] = tell_value(seen.new, limits.value)
    else:
        told["deleted"] = True
    if seen.by is None:
        return {**told, "by": "it was so when the recording began"}
    told["by"] = tell_point(seen.by, lines)
    if seen.since is not None:
        told["since"] = tell_point(seen.since, lines)
    if seen.filled:
        told["filled_by"] = [
            {"times": each.count, "last": tell_point(each.last, lines)}
            for each in seen.filled[:_MOST_WRITERS]
        ]
    return told


def tell_call(seen: CallView, limits: AnswerLimits) -> Payload:
    """Render a call: the moment of its beginning, arguments, and result."""
    told: Payload = {
        "moment": seen.begin.id,
        "arguments": [_pair(each, limits) for each in seen.arguments],
    }
    if seen.end is None:
        return {**told, "under_way": True}
    value = tell_value(seen.result, limits.value) if seen.result is not None else "None"
    return {**told, "raised" if seen.has_raised else "returned": value, "ended": seen.end.id}


def _pair(seen: VariableView, limits: AnswerLimits) -> str:
    return f"{seen.name} = {tell_value(seen, limits.value)}"


def bound_rows(told: Payload, key: str, most: int, *, start: int, has_more: bool) -> Payload:
    """Cut the rows to the limit and set where the next call continues."""
    rows = told[key]
    while len(rows) > 1 and size_of({**told, key: rows}) > most:
        rows, has_more = rows[: len(rows) * 3 // 4], True
    return {**told, key: rows} | ({"next_start": start + len(rows)} if has_more else {})
