"""Requests that set breakpoints: in sources, at functions and instructions, at exceptions."""

from __future__ import annotations

import asyncio
import os.path
from collections.abc import Hashable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tuidbg.api.dap.arguments import (
    BreakpointLocationsArguments,
    SetBreakpointsArguments,
    SetFunctionBreakpointsArguments,
    SetInstructionBreakpointsArguments,
    Source,
    SourceBreakpoint,
)
from tuidbg.api.dap.client import ORIGIN, Client
from tuidbg.api.dap.refusals import BadRequest
from tuidbg.api.dap.requests.lists import Entry, replace_list
from tuidbg.api.dap.telling.breakpoints import Asked
from tuidbg.api.operations import table
from tuidbg.config.regular_file import read_source
from tuidbg.dap.references import parse_reference
from tuidbg.dap.types import BreakpointLocationsBody
from tuidbg.lines import split_lines
from tuidbg.session.breakpoints.kinds import functions
from tuidbg.session.state import Breakpoint, BreakpointKind

Json = dict[str, Any]

MOST = 20_000
"""Breakpoints of one list."""


def path_of(client: Client, source: Source) -> str:
    """The path of a source, as files are called here. Raises BadRequest where it has none."""
    path = source.path
    if not path:
        raise BadRequest("the source has no path")
    if client.traits.path_format == "uri" or path.startswith("file://"):
        path = unquote(urlsplit(path).path)
    return os.path.normpath(Path(client.place.cwd, path))


class SourceBreakpoints:
    """The breakpoints of one client in the lines of sources, at functions and at instructions."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def set_lines(self, asked: SetBreakpointsArguments) -> Json:
        """Replace the list of one source; one answer for each, in their order."""
        client, session = self._client, self._client.session
        path = path_of(client, asked.source)
        listed = asked.breakpoints
        if listed is None:
            listed = [SourceBreakpoint(line=line) for line in asked.lines or ()]
        _check_length(listed)
        is_modified = asked.source_modified is True
        if is_modified and session.profile.sources.are_compiled and session.adapter.is_configurable:
            raise BadRequest(
                "the program was built of this source as it was: build it again, and restart"
            )
        if is_modified and session.running_sources.is_older(path):
            raise BadRequest(
                "the program runs this source as it was before the change: restart it, and its"
                " breakpoints are set in the new lines"
            )
        if is_modified:
            await session.breakpoints.source_changed(path)
        text = None
        if any(each.column is not None for each in listed):
            text = await asyncio.to_thread(read_source, path)
        lines = split_lines(text) if text is not None else None
        entries = [self._line_entry(path, each, lines) for each in listed]
        language = session.facts.language_of(path)
        existing: dict[Hashable, Breakpoint] = {
            found.line: found
            for found in session.breakpoints.registry.of_file(path)
            if found.kind is BreakpointKind.LINE and found.path == path
        }
        answers = await replace_list(client, entries, existing, language, ask_again=is_modified)
        return {"breakpoints": answers}

    def _line_entry(self, path: str, each: SourceBreakpoint, lines: Sequence[str] | None) -> Entry:
        client = self._client
        known = client.session.breakpoints.known
        line = client.line_in(each.line)
        asked = Asked(
            condition=each.condition or "",
            hit_condition=each.hit_condition or "",
            log_message=each.log_message or "",
            column=client.column_in(each.column) if each.column is not None else None,
        )
        problem = "" if line >= 1 else "there is no such line"
        if asked.column is not None and lines is not None and 1 <= line <= len(lines):
            width = len(lines[line - 1])
            if not 1 <= asked.column <= width + 1:
                problem = f"line {line} has no column {asked.column}: it is {width} characters long"
        make = partial(known.make, BreakpointKind.LINE, ORIGIN, path=path, line=line)
        return Entry(line, asked, make, problem)

    async def set_functions(self, asked: SetFunctionBreakpointsArguments) -> Json:
        """Replace the list of functions."""
        client, session = self._client, self._client.session
        _check_length(asked.breakpoints)
        known, profile = session.breakpoints.known, session.profile
        entries = [
            Entry(
                each.name,
                Asked(condition=each.condition or "", hit_condition=each.hit_condition or ""),
                partial(functions.find_or_make, known, profile, each.name, ORIGIN),
            )
            for each in asked.breakpoints
        ]
        registry = session.breakpoints.registry
        of_kind = registry.of_kind(BreakpointKind.FUNCTION)
        existing: dict[Hashable, Breakpoint] = {found.function: found for found in of_kind}
        answers = await replace_list(client, entries, existing, profile.language)
        return {"breakpoints": answers}

    async def set_instructions(self, asked: SetInstructionBreakpointsArguments) -> Json:
        """Replace the list of instructions."""
        client, session = self._client, self._client.session
        _check_length(asked.breakpoints)
        entries = []
        for each in asked.breakpoints:
            address = parse_reference(each.instruction_reference)
            place = None if address is None else address + (each.offset or 0)
            make = partial(
                session.breakpoints.known.make, BreakpointKind.ADDRESS, ORIGIN, address=place
            )
            settings = Asked(condition=each.condition or "", hit_condition=each.hit_condition or "")
            entries.append(Entry(place, settings, make, "" if place else "it is no address"))
        of_kind = session.breakpoints.registry.of_kind(BreakpointKind.ADDRESS)
        existing: dict[Hashable, Breakpoint] = {found.address: found for found in of_kind}
        answers = await replace_list(client, entries, existing, session.profile.language)
        return {"breakpoints": answers}

    async def locations(self, asked: BreakpointLocationsArguments) -> Json:
        """Lines of a range that can break."""
        client, session = self._client, self._client.session
        path = path_of(client, asked.source)
        first = client.line_in(asked.line)
        last = client.line_in(asked.end_line) if asked.end_line is not None else first
        lines = (await table.LIST_LINES(session.facts, path)).code_lines
        if not lines and session.adapter.capabilities.supports_breakpoint_locations_request:
            question = {"source": {"path": path}, "line": first, "endLine": last}
            body = await session.inspection.ask(
                "breakpointLocations", question, BreakpointLocationsBody, at_stop=False
            )
            lines = tuple(sorted({each.line for each in body.breakpoints}))
        found = [{"line": client.line_out(line)} for line in lines if first <= line <= last]
        return {"breakpoints": found}


def _check_length(listed: list[Any]) -> None:
    if len(listed) > MOST:
        raise BadRequest(f"a list of {len(listed)} breakpoints is over the limit of {MOST}")
