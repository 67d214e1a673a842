"""The request bodies (section 4.1 of the contract): pydantic models, strict and closed.

``null`` is the same as a missing optional field; not for a pair of fields of which exactly one is
required, and not for a body. The models' docstrings are part of the OpenAPI document.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic.config import JsonDict

MOST = 2**31 - 1
"""The largest valid line, process or count; no adapter accepts larger ones."""

MOST_ID = 2**53 - 1
"""The largest thread, frame or reference: every JSON parser represents it exactly."""


def _proper(text: str) -> str:
    if "\0" in text:
        raise ValueError("Text must not hold a NUL character")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("contains a lone surrogate")
    return text


def _absolute(path: str) -> str:
    if not PurePath(path).is_absolute():
        raise ValueError("Path must be absolute")
    return path


def _positive(line: int) -> int:
    if not 1 <= line <= MOST:
        raise ValueError("Line number must be a positive integer")
    return line


def _one_of(first: str, other: str) -> JsonDict:
    """Require exactly one of two fields.

    Client generators treat a ``oneOf`` beside ``properties`` as separate models without these
    properties; keywords that they do not know they ignore.
    """
    return {
        "if": {"required": [first]},
        "then": {"not": {"required": [other]}},
        "else": {"required": [other]},
    }


def _not_null(schema: JsonDict) -> None:
    """Remove ``null`` from the schema of an optional field."""
    kinds = schema.pop("anyOf")
    assert isinstance(kinds, list)
    schema.pop("default", None)
    for kind in kinds:
        if isinstance(kind, dict) and kind != {"type": "null"}:
            schema.update(kind)


def _given(value: object) -> object:
    if value is None:
        raise ValueError("Leave it out instead of giving null")
    return value


_Given = BeforeValidator(_given)

_WRITTEN = Field(json_schema_extra={"pattern": r"^[^\u0000]*$"})

Text = Annotated[str, AfterValidator(_proper), _WRITTEN]
Name = Annotated[str, StringConstraints(min_length=1), AfterValidator(_proper), _WRITTEN]


class RequestModel(BaseModel):
    """Base of all: no unknown fields, no values that would have to be converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class CreateSessionRequest(RequestModel):
    """A new session."""

    name: Annotated[Text, Field(max_length=255)] | None = Field(
        None, description="Human-readable session name; generated if omitted"
    )
    project_root: Name | None = Field(None, description="Root directory for the project")
    python_path: Name | None = Field(None, description="Path to Python interpreter")
    timeout_minutes: int = Field(60, ge=1, le=1440, description="Session idle timeout in minutes")
    stop_on_entry: bool = Field(False, description="Pause at program entry")


class LaunchRequest(RequestModel):
    """A program to start: either ``script`` or ``module``."""

    model_config = ConfigDict(json_schema_extra=_one_of("script", "module"))

    script: Annotated[Name | None, _Given] = Field(
        None, description="Path to Python script to debug", json_schema_extra=_not_null
    )
    module: Annotated[Name | None, _Given] = Field(
        None, description="Python module to run (like python -m)", json_schema_extra=_not_null
    )
    args: list[Text] = Field([], description="Command-line arguments")
    cwd: Name | None = Field(
        None, description="Working directory; the session's project_root if left out"
    )
    env: dict[Text, Text] = Field({}, description="Environment variables to add")
    stop_on_entry: bool | None = Field(
        None, description="Pause at first line; as the session has it if left out"
    )
    record: bool = Field(
        False, description="Record the run from its first line (Python 3.12 and newer)"
    )
    stop_on_exception: bool | Literal["uncaught", "raised"] = Field(
        "uncaught", description="When to stop on exceptions"
    )
    console: Literal["internalConsole", "integratedTerminal", "externalTerminal"] = Field(
        "internalConsole",
        description="Console type; both terminals are a pseudo-terminal of the server's",
    )
    python_args: list[Text] = Field([], description="Arguments passed to Python interpreter")
    adapter: Name | None = Field(
        None, description="Debug adapter; found from the program if left out"
    )

    @model_validator(mode="after")
    def _one_target(self) -> LaunchRequest:
        if (self.script is None) == (self.module is None):
            raise ValueError("Give either script or module")
        return self


class AttachRequest(RequestModel):
    """A program that runs already: either ``pid`` or ``port``."""

    model_config = ConfigDict(json_schema_extra=_one_of("pid", "port"))

    pid: Annotated[int | None, _Given] = Field(
        None,
        ge=1,
        le=MOST,
        description="Process ID to attach to",
        json_schema_extra=_not_null,
    )
    host: Name = Field("localhost", description="debugpy host")
    port: Annotated[int | None, _Given] = Field(
        None, ge=1, le=65535, description="debugpy port", json_schema_extra=_not_null
    )
    connect_timeout: int = Field(10, ge=1, le=300, description="Connection timeout in seconds")

    @model_validator(mode="after")
    def _one_address(self) -> AttachRequest:
        if (self.pid is None) == (self.port is None):
            raise ValueError("Give either pid or port")
        return self


class SourcePath(RequestModel):
    """A source file."""

    path: Annotated[Name, AfterValidator(_absolute)] = Field(
        description="Absolute path to source file",
        json_schema_extra={"pattern": r"^/[^\u0000]*$"},
    )


class BreakpointEntry(RequestModel):
    """One breakpoint."""

    source: SourcePath
    line: Annotated[int, AfterValidator(_positive)] = Field(
        description="Line number (1-indexed)", json_schema_extra={"minimum": 1, "maximum": MOST}
    )
    condition: Text | None = Field(None, description="Stop only if this expression is true")
    hit_condition: Text | None = Field(
        None, description="Hit count condition: a number, or one after ==, >, >=, <, <= or %"
    )
    log_message: Text | None = Field(
        None, description="Write this, with {expressions} filled in, instead of stopping"
    )
    enabled: bool = Field(True, description="Whether breakpoint is active")


class SetBreakpointsRequest(RequestModel):
    """Breakpoints to add, or to change if there is one on the line."""

    breakpoints: list[BreakpointEntry] = Field(min_length=1)


class ThreadRequest(RequestModel):
    """Which thread; the stopped one, or all, if left out."""

    thread_id: int | None = Field(None, ge=0, le=MOST_ID)


class StepRequest(ThreadRequest):
    """How to step."""

    granularity: Literal["line", "statement"] = Field(
        "line", description="Python is stepped line by line either way"
    )


class EvaluateRequest(RequestModel):
    """An expression."""

    expression: Name = Field(description="Python expression to evaluate")
    frame_id: int = Field(0, ge=0, le=MOST_ID, description="Frame to evaluate in, 0 the top")
    context: Literal["watch", "repl", "hover"] = Field("repl", description="Evaluation context")


class JobCommandRequest(RequestModel):
    """A command to some processes of a job."""

    command: Literal["continue", "pause", "next", "step", "return", "break", "until"] = Field(
        description="The command"
    )
    ranks: Name = Field("all", description="Which: 0,3-5, all, paused, running, a host, a worker")
    place: Text = Field(
        "", description="FILE:LINE, for break and until; for break, also FILE:LINE if EXPR"
    )


class JobEvaluateRequest(RequestModel):
    """An expression in some processes of a job."""

    expression: Name = Field(description="Python expression to evaluate")
    ranks: Name = Field("all", description="Which: 0,3-5, all, paused, running, a host, a worker")
    timeout: float = Field(5.0, gt=0, le=300, description="Seconds that it may take in each")


class EvaluatePastRequest(RequestModel):
    """An expression over recorded values; no code runs for it."""

    expression: Name = Field(description="Python expression over recorded values")
    moment: Text = Field("", description="Name of a moment; the last one if left out")
    frame_id: int = Field(0, ge=0, le=MOST_ID, description="Recorded call, 0 the innermost")


class FindTimeRequest(EvaluatePastRequest):
    """Asks when an expression became true, in all calls of a function."""

    function: Text = Field("", description="As work or Cart.add; that of the frame if left out")
    which: Literal["first", "last"] = Field(
        "first", description="The first time behind after, or the last one before the moment"
    )
    after: int = Field(0, ge=0, le=MOST_ID, description="The when of a moment")
