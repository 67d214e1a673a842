"""Requests that set breakpoints: in sources, at functions and instructions, at exceptions."""

from __future__ import annotations

import os.path
from collections.abc import Hashable
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
from tuidbg.dap.references import parse_reference
from tuidbg.dap.types import BreakpointLocationsBody
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
        if is_modified:
            await session.breakpoints.source_changed(path)
        entries = [self._line_entry(path, each) for each in listed]
        language = session.facts.language_of(path)
        existing: dict[Hashable, Breakpoint] = {
            found.line: found
            for found in session.breakpoints.registry.of_file(path)
            if found.kind is BreakpointKind.LINE and found.path == path
        }
        answers = await replace_list(client, entries, existing, language, ask_again=is_modified)
        return {"breakpoints": answers}

    def _line_entry(self, path: str, each: SourceBreakpoint) -> Entry:
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
