"""Reads what was said on the wire, and judges it by the DAP schema and capabilities.

The schema is the one that debugpy ships. Which request needs which capability is read from the
schema's own words, so that it does not depend on tuidbg's table of the same.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import debugpy
import jsonschema

Json = dict[str, Any]

SCHEMA = Path(debugpy.__file__).parent.joinpath(
    "_vendored", "pydevd", "_pydevd_bundle", "_debug_adapter", "debugProtocol.json"
)

NEEDED_BY_ARGUMENT = {
    ("setBreakpoints", "condition"): "supportsConditionalBreakpoints",
    ("setBreakpoints", "hitCondition"): "supportsHitConditionalBreakpoints",
    ("setBreakpoints", "logMessage"): "supportsLogPoints",
    ("stackTrace", "startFrame"): "supportsDelayedStackTraceLoading",
    ("stackTrace", "levels"): "supportsDelayedStackTraceLoading",
    ("disconnect", "terminateDebuggee"): "supportTerminateDebuggee",
    ("disconnect", "suspendDebuggee"): "supportSuspendDebuggee",
    ("evaluate", "format"): "supportsValueFormattingOptions",
    ("variables", "format"): "supportsValueFormattingOptions",
    ("setExceptionBreakpoints", "filterOptions"): "supportsExceptionFilterOptions",
    ("setExceptionBreakpoints", "exceptionOptions"): "supportsExceptionOptions",
    **{
        (command, "singleThread"): "supportsSingleThreadExecutionRequests"
        for command in ("continue", "next", "stepIn", "stepOut")
    },
    **{
        (command, "granularity"): "supportsSteppingGranularity"
        for command in ("next", "stepIn", "stepOut")
    },
}
"""Arguments that need a capability: (command, name of the argument or of a breakpoint's field)."""


NEWER_ARGUMENTS = {
    "initialize": {"supportsANSIStyling"},
    **{command: {"tuidbg"} for command in ("next", "stepIn", "stepOut")},
}
"""What the DAP has got since the schema that debugpy ships (1.69), and what tuidbg's own code in a
Python program reads."""


@dataclass(frozen=True)
class WireMessage:
    """A message with its direction: sent by tuidbg or received."""

    sent: bool
    message: Json


def read_log(path: Path) -> list[WireMessage]:
    """All messages of a DAP log, in the order of the wire; what is no message is left out."""
    messages: list[WireMessage] = []
    rest = {"->": "", "<-": ""}
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        direction = entry["dir"]
        if direction == "->" and '"initialize"' in entry["data"]:
            rest["<-"] = ""  # another adapter: what the last one began is never finished
        bodies, rest[direction] = _cut(rest[direction] + entry["data"])
        messages += [WireMessage(direction == "->", body) for body in bodies]
    return messages


def _cut(text: str) -> tuple[list[Json], str]:
    bodies = []
    data = text.encode()
    while found := re.match(rb"Content-Length: (\d+)\r\n\r\n", data):
        end = found.end() + int(found[1])
        if len(data) < end:
            break
        try:
            bodies.append(json.loads(data[found.end() : end]))
        except ValueError:
            break
        data = data[end:]
    return bodies, data.decode()


@functools.cache
def definitions() -> Json:
    """The definitions of the DAP schema."""
    found: Json = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return found


@functools.cache
def _validator(definition: str) -> jsonschema.Draft4Validator:
    schema = {"$ref": f"#/definitions/{definition}", **definitions()}
    return jsonschema.Draft4Validator(schema)


def definition_of(message: Json) -> str:
    """The name of the schema's definition for a message: ``NextRequest``, ``NextResponse``."""
    command: str = message["command"]
    kind: str = message["type"]
    return command[:1].upper() + command[1:] + kind.capitalize()


def check_schema(message: Json) -> None:
    """Fails where a message of tuidbg's is not as the DAP schema has it."""
    definition = definition_of(message)
    if message["type"] == "response" and not message["success"]:
        definition = "ErrorResponse"
    assert definition in definitions()["definitions"], f"DAP knows no {definition}"
    if message.get("arguments") == {"threadId": "*"}:  # all threads, to debugpy's server
        return
    problems = [
        f"{'/'.join(map(str, error.path))}: {error.message}"
        for error in _validator(definition).iter_errors(message)
    ]
    assert not problems, f"{message}: {problems}"
    check_known_arguments(message)


def check_known_arguments(message: Json) -> None:
    """The schema lets anything more pass; a misspelt argument would go unnoticed."""
    if message["type"] != "request" or message["command"] in ("launch", "attach"):
        return
    special = definitions()["definitions"][definition_of(message)]["allOf"][1]
    reference = special["properties"].get("arguments", {}).get("$ref", "").rpartition("/")[2]
    allowed = definitions()["definitions"].get(reference)
    given = message.get("arguments") or {}
    known = set(allowed.get("properties", ())) if allowed else set()
    unknown = set(given) - known - NEWER_ARGUMENTS.get(message["command"], set())
    assert not unknown, f"{message['command']} has no {unknown}"


@functools.cache
def needed_by_request() -> dict[str, str]:
    """The capability that each request needs, as the schema's descriptions have it."""
    needed = {}
    for name, definition in definitions()["definitions"].items():
        if not name.endswith("Request") or "allOf" not in definition:
            continue
        special = definition["allOf"][1]
        command = special["properties"]["command"].get("enum", [""])[0]
        description = special.get("description", "").replace("\n", " ")
        found = re.search(
            r"only call this request if the (?:corresponding )?capability `(\w+)`"
            r" (?:is true|returns one or more filters)",
            description,
        )
        if found:
            needed[command] = found[1]
    return needed


def check_conversation(messages: Iterable[WireMessage]) -> None:
    """Every sent message is as the schema has it and needs only what was announced before."""
    for message, announced in _with_capabilities(messages):
        check_schema(message)
        if message["type"] == "request":
            check_allowed(message, announced)


def check_allowed(message: Json, announced: Json) -> None:
    """Fails where a request or an argument needs a capability that was not announced."""
    command = message["command"]
    needed = needed_by_request().get(command)
    assert needed is None or announced.get(needed), f"{command} needs {needed}"
    arguments = message.get("arguments") or {}
    fields = set(arguments).union(*(b.keys() for b in arguments.get("breakpoints") or []))
    for field in fields:
        needed = NEEDED_BY_ARGUMENT.get((command, field))
        if needed:
            spelt = needed.replace("support", "supports", 1)  # by debugpy, once
            is_announced = announced.get(needed) or announced.get(spelt)
            assert is_announced, f"{field} of {command} needs {needed}"


def _with_capabilities(messages: Iterable[WireMessage]) -> Iterator[tuple[Json, Json]]:
    """The sent messages, each with what the adapter had announced by then."""
    announced: Json = {}
    for each in messages:
        message = each.message
        if each.sent:
            if message.get("command") == "initialize":
                announced = {}  # another adapter
            yield message, announced
        elif message["type"] == "response" and message["command"] == "initialize":
            announced = {**announced, **(message.get("body") or {})}
        elif message.get("event") == "capabilities":
            announced = {**announced, **message["body"]["capabilities"]}
