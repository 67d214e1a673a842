"""The tool that tells a source by the name of what it defines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.text import cut
from tuidbg.api.mcp.tool import Arguments, Payload, tool
from tuidbg.api.mcp.tools.past.rendering import WIDEST, bound_rows
from tuidbg.api.operations import table
from tuidbg.api.operations.views import REDACTED_SOURCE, shows_source


class SourceArguments(Arguments):
    """The arguments of ``source``."""

    name: Annotated[str, Meta(description="work, Cart.add, shop.cart, FILE or FILE:NAME")]
    start: Annotated[int, Meta(ge=0, description="next_start of an answer")] = 0
    count: Annotated[int, Meta(ge=1, le=1_000, description="lines")] = 150


@tool(
    table.FIND_SOURCE,
    "Source of a function, class or module by its name, with line numbers.",
)
async def source(agent: Agent, asked: SourceArguments) -> Payload:
    """A page of what is defined under a name."""
    member = agent.found
    folder, roots = agent.cwd or ".", list[str]()
    if member is not None:
        session = member.session
        folder = session.plan.cwd or member.config.project_root or folder
        roots = [str(Path(path).parent) for path in (session.plan.first_source,) if path]
        roots += session.sources.libraries
    found = await table.FIND_SOURCE(asked.name, str(Path(folder).absolute()), roots)
    told: Payload = {"name": found.name, "file": found.path, "line": found.line}
    told["end_line"] = found.end_line
    if not shows_source():
        return {**told, "source": list(REDACTED_SOURCE)}
    first = found.line + asked.start
    last = min(found.end_line, first + asked.count - 1)
    width = len(str(last))
    told["source"] = [
        f"{number:{width}} {cut(found.lines[number - 1], WIDEST)}"
        for number in range(first, last + 1)
    ]
    return bound_rows(
        told,
        "source",
        agent.limits.reply,
        start=asked.start,
        has_more=last < found.end_line,
    )


TOOLS = (source,)
