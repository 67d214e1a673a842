"""The OpenAPI document: its operations, and that answers are as it says."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support.relay import BASE, Relay, relay
from tuidbg.api.app import openapi_document

OPERATIONS = [
    *("getHealth", "getInfo", "listSessions", "createSession", "getSession", "deleteSession"),
    *("launchProgram", "attachProcess", "listBreakpoints", "setBreakpoints", "removeBreakpoint"),
    *("continueExecution", "pauseExecution", "stepOver", "stepInto", "stepOut", "listThreads"),
    *("getStackTrace", "getScopes", "getVariables", "evaluate", "getOutput", "pollEvents"),
    *("getRecording", "beginRecording", "endRecording", "getMoment", "getRecordedStack"),
    *("getRecordedVariables", "evaluateRecorded", "getChanges", "findTime", "listCalls"),
    *("listPasses", "listValues", "getJob", "commandJob", "evaluateInJob"),
]

PATHS = {
    *("/health", "/info", "/sessions", "/sessions/{session_id}"),
    *(
        f"/sessions/{{session_id}}/{what}"
        for what in (
            *("launch", "attach", "breakpoints", "breakpoints/{breakpoint_id}", "continue"),
            *("pause", "step-over", "step-into", "step-out", "threads", "stacktrace", "scopes"),
            *("variables", "evaluate", "output", "events", "recording", "recording/moment"),
            *("recording/stacktrace", "recording/variables", "recording/evaluate"),
            *("recording/changes", "recording/time", "recording/calls", "recording/passes"),
            *("recording/values", "job", "job/commands", "job/evaluate"),
        )
    ),
}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi_document()


@pytest.fixture
async def client() -> AsyncIterator[Relay]:
    async with relay() as made:
        yield made


@pytest.mark.full
def test_operations(
    document: dict[str, Any],
) -> None:
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]) == PATHS
    assert document["servers"][0]["url"] == BASE
    operations = [o for path in document["paths"].values() for o in path.values()]
    assert sorted(o["operationId"] for o in operations) == sorted(OPERATIONS)
    assert [tag["name"] for tag in document["tags"]] == [
        *("Server", "Sessions", "Program Control", "Breakpoints", "Execution", "Inspection"),
        *("Output", "Recording"),
    ]
    assert {o["tags"][0] for o in operations} == {tag["name"] for tag in document["tags"]}
    assert all(len(o["tags"]) == 1 and o["summary"] for o in operations)


def test_shared_parts(
    document: dict[str, Any],
) -> None:
    info, components = document["info"], document["components"]
    assert info["version"] == "1.0.0" and info["license"]["name"] == "MIT"
    assert info["title"].endswith("Debug Relay Server API")
    assert set(components["parameters"]) == {
        *("SessionIdParam", "BreakpointIdParam", "OffsetParam", "LimitParam"),
    }
    assert components["parameters"]["LimitParam"]["schema"] == {
        "type": "integer",
        "maximum": 1000,
        "minimum": 1,
        "default": 100,
        "title": "Limit",
    }
    assert {
        *("SessionNotFound", "SessionLimitReached", "InvalidSessionState", "InvalidRequest"),
        *("BreakpointNotFound", "AttachTimeout"),
    } <= set(components["responses"])
    assert {
        *("ApiResponse", "ApiError", "ResponseMeta", "ErrorResponse", "CreateSessionRequest"),
        *("LaunchRequest", "AttachRequest", "SetBreakpointsRequest", "EvaluateRequest"),
        *("SessionResponse", "SessionListResponse", "BreakpointResponse", "StackTraceResponse"),
        *("ScopesResponse", "VariablesResponse", "EvaluateResponse", "OutputResponse"),
        *("EventsResponse", "HealthResponse", "InfoResponse", "ThreadsResponse"),
        "BreakpointListResponse",
    } <= set(components["schemas"])


def test_all_references_lead_somewhere(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    for kind in ("schemas", "responses", "parameters"):
        used = {p.partition('"')[0] for p in text.split(f"#/components/{kind}/")[1:]}
        assert used <= set(document["components"][kind])
    assert not re.search(r"\bR\d{3}\b", text) and "HTTPValidationError" not in text


async def test_it_is_served(client: Relay, document: dict[str, Any]) -> None:
    served = await client.client.get("/openapi.json")
    assert served.json() == document
    page = await client.client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "pollEvents" in page.text and "<script" not in page.text and "://" not in page.text


def schema_of(document: dict[str, Any], path: str, method: str, status: int) -> dict[str, Any]:
    """Returns what an answer must be like, with all that it refers to."""
    response = document["paths"][path][method.lower()]["responses"][str(status)]
    if "$ref" in response:
        response = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
    schema: dict[str, Any] = response["content"]["application/json"]["schema"]
    return {**schema, "components": document["components"]}


@pytest.mark.full
@pytest.mark.real
async def test_answers_are_as_it_says(
    client: Relay, document: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "main.py"
    path.write_text("def main():\n    items = [1]\n    return items\n\n\nmain()\n")
    await client.stopped_at(path, 3)
    reference = (await client.get("scopes")).data["scopes"][0]["variables_reference"]
    entry = {"source": {"path": str(path)}, "line": 2}
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", "", {}),
        ("GET", "threads", {}),
        ("GET", "stacktrace", {}),
        ("GET", "scopes", {}),
        ("GET", "variables", {"params": {"variables_reference": reference}}),
        ("GET", "variables", {}),
        ("GET", "variables", {"params": {"variables_reference": 3}}),
        ("POST", "evaluate", {"json": {"expression": "items"}}),
        ("POST", "evaluate", {"json": {"expression": "nothing"}}),
        ("POST", "evaluate", {"json": {"expression": "1 +"}}),
        ("POST", "breakpoints", {"json": {"breakpoints": [entry]}}),
        ("POST", "breakpoints", {"json": {}}),
        ("GET", "breakpoints", {}),
        ("POST", "launch", {"json": {"script": "x"}}),
        ("POST", "step-over", {}),
        ("POST", "step-out", {}),
        ("POST", "pause", {}),
        ("POST", "continue", {}),
        ("GET", "output", {}),
        ("GET", "events", {}),
        ("GET", "events", {"params": {"cursor": "none"}}),
        ("DELETE", "", {}),
        ("DELETE", "", {}),
    ]
    for method, what, more in calls:
        place = f"/sessions/{{session_id}}/{what}".rstrip("/")
        answer = await client.ask(
            method, f"/sessions/{client.session_id}/{what}".rstrip("/"), **more
        )
        schema = schema_of(document, place, method, answer.status)
        jsonschema.Draft202012Validator(schema).validate(answer.envelope)


def test_null_is_allowed_where_it_comes(
    document: dict[str, Any],
) -> None:
    fields = document["components"]["schemas"]["BreakpointSet"]["properties"]
    for name in ("condition", "hit_condition", "log_message", "message"):
        assert {"type": "null"} in fields[name]["anyOf"]


def test_programs_can_write_clients_of_it(document: dict[str, Any]) -> None:
    """A union beside properties, or with null, is a model without its fields to them."""
    for name, schema in document["components"]["schemas"].items():
        if "properties" in schema:
            assert not {"oneOf", "anyOf", "allOf"} & set(schema), name
    bodies = [
        operation["requestBody"]
        for path in document["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
    ]
    assert len(bodies) == 14
    for body in bodies:
        assert list(body["content"]["application/json"]["schema"]) == ["$ref"]
    launch = document["components"]["schemas"]["LaunchRequest"]
    validate = jsonschema.Draft202012Validator(launch).is_valid
    assert validate({"script": "/a.py", "args": ["x"]}) and validate({"module": "a"})
    assert not validate({}) and not validate({"script": "/a.py", "module": "a"})
    assert not validate({"script": "/a.py", "module": None})
