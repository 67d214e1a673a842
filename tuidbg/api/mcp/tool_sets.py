"""All tools, and the sets of them that a server offers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from urllib.parse import parse_qsl, urlencode

import msgspec

from tuidbg.api.auth.callers import ALL_SCOPES, TokenScope
from tuidbg.api.mcp.agent import AnswerLimits
from tuidbg.api.mcp.lldb import breakpoints as lldb_breakpoint_tools
from tuidbg.api.mcp.lldb import frames as lldb_frame_tools
from tuidbg.api.mcp.lldb import memory as lldb_memory_tools
from tuidbg.api.mcp.lldb import process as lldb_process_tools
from tuidbg.api.mcp.tool import Tool
from tuidbg.api.mcp.tools import breakpoints as breakpoint_tools
from tuidbg.api.mcp.tools import evaluate_all as evaluate_tools
from tuidbg.api.mcp.tools import inspection as inspection_tools
from tuidbg.api.mcp.tools import job as job_tools
from tuidbg.api.mcp.tools import recorded as recording_tools
from tuidbg.api.mcp.tools import runs as run_tools
from tuidbg.api.mcp.tools import session as session_tools

_BREAKPOINTS = (
    *breakpoint_tools.TOOLS,
    *inspection_tools.TOOLS,
    *run_tools.LIFETIME_TOOLS,
    *session_tools.TOOLS,
)
INSTEAD = {
    "debug_launch": "debug_run",
    "debug_attach": "debug_run with attach",
    "debug_step": "debug_go",
    "debug_pause": "debug_go with action pause",
    "process_write_input": "debug_go with input",
    "threads_list": "threads",
    "stacktrace_get": "threads",
    "variables_get": "evaluate",
}
"""Replacements in the agent set for tools of the other sets; hints name these.

The set also has all tools that set and wait for breakpoints, under the same names.
"""

_STEPWISE = (*breakpoint_tools.TOOLS, *inspection_tools.TOOLS, *session_tools.TOOLS)
_AGENT = (
    *run_tools.TOOLS,
    *evaluate_tools.TOOLS,
    *run_tools.TESTING_TOOLS,
    *run_tools.TRACING_TOOLS,
    *inspection_tools.SOURCE_TOOLS,
    *inspection_tools.THREAD_TOOLS,
    *recording_tools.TOOLS,
    *recording_tools.COMPARING_TOOLS,
    *(tool for tool in _STEPWISE if tool.name not in {*INSTEAD, "evaluate"}),
)
_LLDB = (
    *lldb_process_tools.SESSION_TOOLS,
    *lldb_process_tools.TOOLS,
    *lldb_breakpoint_tools.TOOLS,
    *lldb_process_tools.EXECUTION_TOOLS,
    *lldb_frame_tools.TOOLS,
    *lldb_memory_tools.TOOLS,
    *lldb_breakpoint_tools.WATCHPOINT_TOOLS,
    *lldb_frame_tools.SYMBOL_TOOLS,
    *lldb_process_tools.EVENT_TOOLS,
    *lldb_memory_tools.CRASH_TOOLS,
)

TOOL_SETS: dict[str, tuple[Tool, ...]] = {
    "agent": _AGENT,
    "breakpoints": _BREAKPOINTS,
    "recording": recording_tools.TOOLS,
    "job": job_tools.TOOLS,
    "lldb": _LLDB,
    "all": (*_BREAKPOINTS, *recording_tools.TOOLS, *job_tools.TOOLS, *_LLDB),
}
"""Tool sets by name; ``all`` has the sets made of single steps."""

DEFAULT = next(iter(TOOL_SETS))


class McpOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the server. ``allowed`` names tools; empty: all."""

    tool_set: str = DEFAULT
    scopes: frozenset[TokenScope] = ALL_SCOPES
    allowed: frozenset[str] = frozenset()
    limits: AnswerLimits = AnswerLimits()


_STARTS = "start one: debug_launch or debug_attach"


def describe_joining(tool_set: str) -> str:
    """Explain how to start a program for a set that can't."""
    return (
        "start one with `tuidbg PROGRAM --serve`, or `tuidbg listen PORT --serve` for the ranks of"
        f" a job, and this server as `tuidbg mcp --join --tools {tool_set}`; `tuidbg mcp --tools"
        " all` starts programs itself"
    )


def fit_hint(tool_set: str, hint: str) -> str:
    """Adapt a hint or description to a tool set: it names no tool that the set lacks."""
    if tool_set in {"job", "recording"}:
        hint = hint.replace(_STARTS, describe_joining(tool_set))
    if tool_set == "agent":
        hint = hint.replace("debug_launch or debug_attach", "debug_run")
        for name, other in INSTEAD.items():
            hint = hint.replace(name, other)
    return hint


def offered_tools(options: McpOptions, scopes: Collection[TokenScope]) -> Sequence[Tool]:
    """Return the tools for a caller with these scopes."""
    return [
        tool
        for tool in TOOL_SETS[options.tool_set]
        if tool.scope in scopes
        and tool.scope in options.scopes
        and (not options.allowed or tool.name in options.allowed)
    ]


# Query of an ``/mcp`` address


def write_query(options: McpOptions) -> str:
    """Encode options as a query."""
    pairs: list[tuple[str, str]] = [("tools", options.tool_set)]
    pairs += [("scope", scope.value) for scope in sorted(options.scopes)]
    pairs += [("allow", name) for name in sorted(options.allowed)]
    pairs += [(f"max_{k}", str(v)) for k, v in msgspec.structs.asdict(options.limits).items()]
    return urlencode(pairs)


def read_query(query: str, default: McpOptions) -> McpOptions:
    """Decode options from a query; missing ones are as in ``default``.

    A client can restrict itself this way, but never exceed its token's scopes. Raises ValueError.
    """
    pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=100)
    told = dict(pairs)
    tool_set = told.get("tools", default.tool_set)
    if tool_set not in TOOL_SETS:
        raise ValueError(f"there is no tool set {tool_set}; there are {', '.join(TOOL_SETS)}")
    scopes = frozenset(TokenScope(value) for name, value in pairs if name == "scope")
    allowed = frozenset(value for name, value in pairs if name == "allow")
    limits = {
        name: _read_limit(told[f"max_{name}"])
        for name in AnswerLimits.__struct_fields__
        if f"max_{name}" in told
    }
    return McpOptions(
        tool_set=tool_set,
        scopes=scopes & default.scopes if scopes else default.scopes,
        allowed=allowed or default.allowed,
        limits=msgspec.structs.replace(default.limits, **limits),
    )


def _read_limit(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise ValueError("limits are numbers from 1 on")
    return int(text)
