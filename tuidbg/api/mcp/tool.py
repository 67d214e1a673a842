"""Tells what a tool is: its operation, its name, its arguments. Without the SDK, which is heavy.

Arguments are msgspec structs; the JSON schema that an agent reads is made of them, as short as it
can be: the list of all tools is read at the start of every conversation.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from tuidbg.api.auth.callers import Scope
from tuidbg.api.operations.operation import Operation
from tuidbg.session.errors import DebuggerError

if TYPE_CHECKING:
    from tuidbg.api.mcp.agent import Agent

Payload = dict[str, Any]
Run = Callable[["Agent", Any], Awaitable[Payload]]


class Arguments(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Base of what a tool takes."""


class NoArguments(Arguments):
    """It takes nothing."""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool. ``run`` gets the agent that calls, and the arguments; it raises DebuggerError.

    ``destroys`` says that what it does can't be taken back. ``check`` is what must hold before the
    arguments are looked at, of what was given; ``refuse`` renders an error where that is not done
    as by most (``refusals.py``). ``session_argument`` is the one that names a session.
    """

    name: str
    description: str
    operation: Operation[..., Any]
    run: Run
    arguments: type[Arguments] = NoArguments
    destroys: bool = False
    check: Callable[[Agent, Mapping[str, Any]], None] | None = None
    refuse: Callable[[DebuggerError], str] | None = None
    session_argument: str = ""

    @property
    def scope(self) -> Scope:
        """Tells what its caller must be allowed to."""
        return self.operation.scope

    @property
    def hints(self) -> Payload:
        """Returns what a client may want to ask its person about, in MCP's names."""
        if self.scope is Scope.READ:
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
        """The same in what all hosts take: each argument has one type, named beside its choices."""
        return {
            **self.schema,
            "properties": {n: _make_plain(f) for n, f in self.schema["properties"].items()},
        }


def tool(operation: Operation[..., Any], description: str) -> Callable[[Run], Tool]:
    """Make a function the tool of its name, which offers an operation."""

    def make(run: Run) -> Tool:
        return Tool(
            name=run.__name__,
            description=description,
            operation=operation,
            run=run,
            arguments=arguments_of(run),
        )

    return make


def arguments_of(run: Run) -> type[Arguments]:
    """Tells what a tool's function takes besides the agent, as its signature says."""
    arguments: type[Arguments] = get_type_hints(run)["asked"]
    return arguments


def _shorten(field: Payload) -> Payload:
    """Without what says nothing: ``or null``, the default ``null``, empty defaults."""
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
"""What is checked all the same, and is told where it is exceeded."""


def _make_plain(field: Payload) -> Payload:
    """A field with one type: numbers may be given as strings, so that is the one of two."""
    kind = field.get("type", "string")
    plain = {name: value for name, value in field.items() if name not in _NOT_PLAIN}
    if plain.get("default", 1) in (False, 0):
        del plain["default"]
    return {**plain, "type": "string" if isinstance(kind, list) else kind}


class ToolRefused(DebuggerError):
    """A call can't be done. ``code`` is for programs, ``hint`` says what to do next."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.hint = code, hint


def no_session() -> ToolRefused:
    """There is nothing to act on."""
    return ToolRefused(
        "NO_SESSION", "there is no debug session", "start one: debug_launch or debug_attach"
    )
