"""The description of a tool: its operation, name and arguments. Without the SDK, which is heavy.

Arguments are msgspec structs; the JSON schema for agents is made from them, as short as possible:
the list of all tools is read at the start of every conversation.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from tuidbg.api.auth.callers import TokenScope
from tuidbg.api.operations.operation import Operation
from tuidbg.session.model.errors import DebuggerError

if TYPE_CHECKING:
    from tuidbg.api.mcp.agent import Agent

Payload = dict[str, Any]
Run = Callable[["Agent", Any], Awaitable[Payload]]


class ToolArguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Base of tool arguments."""


class NoToolArguments(ToolArguments):
    """No arguments."""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool. ``run`` receives the calling agent and the arguments; it raises DebuggerError.

    ``destroys`` marks irreversible tools. ``check`` validates the raw arguments before they are
    decoded; ``refuse`` renders errors that differ from the usual form (``refusals.py``).
    ``session_argument`` is the argument that names a session.
    """

    name: str
    description: str
    operation: Operation[..., Any]
    run: Run
    arguments: type[ToolArguments] = NoToolArguments
    destroys: bool = False
    check: Callable[[Agent, Mapping[str, Any]], None] | None = None
    refuse: Callable[[DebuggerError], str] | None = None
    session_argument: str = ""

    @property
    def scope(self) -> TokenScope:
        """The scope its caller needs."""
        return self.operation.scope

    @property
    def hints(self) -> Payload:
        """Hints for clients that ask the user for permission, in MCP's names."""
        if self.scope is TokenScope.READ:
            return {"readOnlyHint": True}
        return {"destructiveHint": self.destroys}

    @property
    def schema(self) -> Payload:
        """The JSON schema of its arguments."""
        _, components = msgspec.json.schema_components([self.arguments])
        (schema,) = components.values()
        fields = {name: _shorten(field) for name, field in schema["properties"].items()}
        short: Payload = {"type": "object", "properties": fields}
        if required := schema.get("required"):
            short["required"] = required
        return short

    @property
    def plain_schema(self) -> Payload:
        """The schema for hosts with limited support: each argument has a single type."""
        return {
            **self.schema,
            "properties": {n: _make_plain(f) for n, f in self.schema["properties"].items()},
        }


def tool(operation: Operation[..., Any], description: str) -> Callable[[Run], Tool]:
    """Make a function a tool of the same name for an operation."""

    def make(run: Run) -> Tool:
        return Tool(
            name=run.__name__,
            description=description,
            operation=operation,
            run=run,
            arguments=arguments_of(run),
        )

    return make


def arguments_of(run: Run) -> type[ToolArguments]:
    """Return the argument type in the signature of a tool's function."""
    arguments: type[ToolArguments] = get_type_hints(run)["asked"]
    return arguments


def _shorten(field: Payload) -> Payload:
    """Remove redundant parts: ``or null``, the default ``null``, empty defaults."""
    field = dict(field)
    if "anyOf" in field:
        kinds = [kind for kind in field.pop("anyOf") if kind != {"type": "null"}]
        if len(kinds) == 1:
            field = {**kinds[0], **field}
        else:
            field["type"] = [kind["type"] for kind in kinds]
    if field.get("default", 0) in (None, "", [], {}):
        del field["default"]
    return field


_NOT_PLAIN = ("minimum", "maximum", "additionalProperties")
"""Constraints that are checked but not listed; the error names them."""


def _make_plain(field: Payload) -> Payload:
    """Give a field a single type: a string where it has several, since numbers may be strings."""
    kind = field.get("type", "string")
    plain = {name: value for name, value in field.items() if name not in _NOT_PLAIN}
    if plain.get("default", 1) in (False, 0):
        del plain["default"]
    return {**plain, "type": "string" if isinstance(kind, list) else kind}


class ToolRefused(DebuggerError):
    """A refused call. ``code`` is for programs, ``hint`` is the next step."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.hint = code, hint


def no_session() -> ToolRefused:
    """Make the error for a missing session."""
    return ToolRefused(
        "NO_SESSION", "there is no debug session", "start one: debug_launch or debug_attach"
    )
