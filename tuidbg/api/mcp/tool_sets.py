"""Which tools there are, and which of them a server offers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from tuidbg.api.caller import ALL_SCOPES, Scope
from tuidbg.api.mcp import breakpoint_tools, inspection_tools, session_tools
from tuidbg.api.mcp.agent import Limits
from tuidbg.api.mcp.tool import Tool

TOOL_SETS: dict[str, tuple[Tool, ...]] = {
    "breakpoints": (
        *breakpoint_tools.TOOLS,
        *inspection_tools.TOOLS,
        *session_tools.TOOLS,
    ),
}
"""The sets by their names."""


class McpOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What whoever starts the server has chosen. ``allowed`` are names of tools; empty: all."""

    tool_set: str = "breakpoints"
    scopes: frozenset[Scope] = ALL_SCOPES
    allowed: frozenset[str] = frozenset()
    limits: Limits = Limits()


def offered_tools(options: McpOptions, scopes: Collection[Scope]) -> Sequence[Tool]:
    """The tools that a caller with these scopes may use."""
    return [
        tool
        for tool in TOOL_SETS[options.tool_set]
        if tool.scope in scopes
        and tool.scope in options.scopes
        and (not options.allowed or tool.name in options.allowed)
    ]
