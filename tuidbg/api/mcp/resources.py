"""Offers what agents can read and subscribe to: session, breakpoints, threads, sources."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import unquote

import msgspec

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.notifications import BREAKPOINTS, SESSION, THREADS
from tuidbg.api.mcp.tool import Payload, ToolRefused
from tuidbg.api.mcp.tools.breakpoint_rendering import tell_listed
from tuidbg.api.mcp.tools.snapshot import take_snapshot
from tuidbg.api.operations.views import as_sent, view_source
from tuidbg.config.regular_file import LARGEST_SOURCE, read_file
from tuidbg.session.serving.members import Member

SOURCE = "debugger://source/"

RESOURCES = {
    SESSION: "Where the program is, as debug_state",
    BREAKPOINTS: "All breakpoints",
    THREADS: "The program's threads",
}
"""Each URI with what it holds; ``SOURCE`` and a path are the text of a source."""

LONGEST = 2_000_000
"""Bytes of a source that are told."""


async def read_resource(agent: Agent, uri: str) -> tuple[str, str]:
    """Its text and MIME type. Raises DebuggerError."""
    if uri.startswith(SOURCE):
        return await _read_source(agent.member, "/" + unquote(uri[len(SOURCE) :]).lstrip("/"))
    match uri:
        case str() if uri == SESSION:
            found = agent.found
            told: Payload = {"state": "not_attached"}
            if found is not None:
                told = await take_snapshot(agent, found)
        case str() if uri == BREAKPOINTS:
            registry = agent.member.session.breakpoints.registry
            told = {"breakpoints": [tell_listed(each) for each in registry]}
        case str() if uri == THREADS:
            threads = agent.member.session.threads
            told = {"threads": [{"id": t.id, "name": t.name} for t in threads]}
        case _:
            raise ToolRefused("UNKNOWN_RESOURCE", f"there is no resource {uri}")
    return msgspec.json.encode(as_sent(told)).decode(), "application/json"


async def _read_source(member: Member, path: str) -> tuple[str, str]:
    """A source of the program: one that it has loaded, or a file below its project."""
    session = member.session
    known = {frame.place.path for frame in session.frames if frame.place is not None}
    known |= set(session.breakpoints.registry.files())
    known |= {session.facts.target_path, session.plan.first_source}
    is_own = Path(path).resolve().is_relative_to(Path(member.config.project_root).resolve())
    if path not in known and not (is_own and path.endswith((".py", ".pyw", ".pyi"))):
        raise no_source(path)
    try:
        data = await asyncio.to_thread(read_file, path, limit=LARGEST_SOURCE)
    except OSError as error:
        raise ToolRefused("INVALID_FILE", f"{path}: {error.strerror}") from None
    return view_source(data[:LONGEST].decode("utf-8", "replace")), "text/x-python"


def no_source(path: str) -> ToolRefused:
    """It is none of the program's."""
    return ToolRefused("INVALID_FILE", f"{path} is no source of the program")
