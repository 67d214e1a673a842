"""Tools, answers and refusals in the types of the SDK."""

from __future__ import annotations

from collections.abc import Callable

import mcp_types as types
import msgspec

from tuidbg.api.mcp.refusals import render_refusal
from tuidbg.api.mcp.tool import Payload, Tool, ToolRefused
from tuidbg.api.mcp.tool_sets import fit_hint
from tuidbg.api.operations.views import as_sent
from tuidbg.session.errors import DebuggerError

SUMMARY = 300
"""Characters that are kept of an answer without any plain values."""


def tell_tool(tool: Tool, tool_set: str) -> types.Tool:
    """A tool as it is listed in a set."""
    return types.Tool(
        name=tool.name,
        description=fit_hint(tool_set, tool.description),
        input_schema=tool.plain_schema if tool_set == "agent" else tool.schema,
        annotations=types.ToolAnnotations.model_validate(tool.hints),
    )


def make_result(told: Payload) -> types.CallToolResult:
    """The answer of a tool."""
    content = msgspec.json.encode(as_sent(told)).decode()
    return types.CallToolResult(content=[types.TextContent(type="text", text=content)])


def make_refusal(
    tool: Tool | None, error: DebuggerError, fit_hint: Callable[[str], str]
) -> types.CallToolResult:
    """The error in the words of the tool's set."""
    if tool is not None and tool.refuse is not None:
        said = as_sent(tool.refuse(error))
    else:
        said = msgspec.json.encode(as_sent(render_refusal(error, fit_hint))).decode()
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)], is_error=True)


def refuse_arguments(tool: Tool, said: str) -> ToolRefused:
    """Refuse arguments: what is wrong with them, and the names of those that there are."""
    reason, _, where = said.partition(" - at `$.")
    field = where.rstrip("`")
    sentence = f"{field}: {reason}" if field else reason
    names = ", ".join(field.encode_name for field in msgspec.structs.fields(tool.arguments))
    return ToolRefused("INVALID_PARAMETER", sentence, f"{tool.name} takes: {names or 'nothing'}")


def summarize(tool: Tool, told: Payload) -> str:
    """The line that a person reads of the answer in the activity: its plain values.

    Of an answer that has nothing but parts it is the beginning, where a session has a transcript.
    """
    plain = {k: v for k, v in told.items() if isinstance(v, str | int | bool | float)}
    if plain or not tool.session_argument:
        return ", ".join(f"{name}: {value}" for name, value in plain.items())
    return msgspec.json.encode(told).decode()[:SUMMARY]
