"""The examples of the contract, field by field: the same names, and values of the same kinds."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.relay import BASE, Relay, relay

EXAMPLES: dict[str, list[Any]] = json.loads(
    (Path(__file__).parent / "workflows" / "examples.json").read_text()
)

EXTRAS = {
    "origin": "every event names who caused it",
    "dropped": "what had to give way to newer output is counted",
    "message": "of breakpoints that are listed: the contract's schema has it, its example not",
    "preserve_focus_hint": "of all stops, also where an example has it not",
    "hit_breakpoint_ids": "as above",
    "attributes": "of a presentation hint: as above",
    "visibility": "of a presentation hint: as above",
    "total": "of variables: how many there are in all",
}
"""Fields that the contract's examples have not, and why they are there."""

PROGRAM = """\
import threading


def helper(items):
    found = list(items)
    return found


def main():
    items = [1, 2, 3]
    config = {"debug": True}
    found = helper(items)
    again = helper(items)
    print("Processing...")
    return found + again


worker = threading.Thread(target=print)
worker.start()
main()
int("abc")
"""


def differences(example: Any, told: Any, where: str) -> list[str]:
    """Returns what an answer lacks of an example, has besides, or has of another kind."""
    if isinstance(example, dict) and isinstance(told, dict):
        if where.endswith(("env", "details.env")):
            return []
        found = [f"{where}.{name} is missing" for name in example.keys() - told.keys()]
        more = told.keys() - example.keys() - EXTRAS.keys()
        found += [f"{where}.{name} is new" for name in more]
        for name in example.keys() & told.keys():
            found += differences(example[name], told[name], f"{where}.{name}")
        return found
    if isinstance(example, list) and isinstance(told, list):
        if not example or not told:
            return [] if not example else [f"{where} is empty"]
        return differences(_union(example), _union(told), f"{where}[]")
    if example is None or told is None or _kind(example) == _kind(told):
        return []
    return [f"{where} is {told!r}, and {example!r} in the example"]


def _union(items: list[Any]) -> Any:
    """One entry with the fields of all; those that are null in one come from another."""
    if not all(isinstance(item, dict) for item in items):
        return items[0]
    union: dict[str, Any] = {}
    for item in items:
        union |= {
            name: value for name, value in item.items() if value is not None or name not in union
        }
    return union


def _kind(value: Any) -> str:
    return "number" if type(value) in (int, float) else type(value).__name__


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """The answers of all operations, by the contract's names for them."""
    return {}


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Relay]:
    async with relay() as made:
        yield made


def check(name: str, data: Any, which: int = 0) -> None:
    assert not (found := differences(EXAMPLES[name][which], data, name)), found


async def test_answers_of_the_server_and_of_sessions(client: Relay, tmp_path: Path) -> None:
    check("GET /health", (await client.ask("GET", "/health")).data)
    check("GET /info", (await client.ask("GET", "/info")).data)
    check("POST /sessions", await client.create(project_root=str(tmp_path)))
    check("GET /sessions", (await client.ask("GET", "/sessions")).data)
    check("GET /sessions/{session_id}", (await client.get()).data)
    check("DELETE /sessions/{session_id}", (await client.delete()).data)


@pytest.mark.full
@pytest.mark.real
async def test_answers_about_a_program(client: Relay, tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM)
    session = "/sessions/{session_id}"
    await client.create(project_root=str(tmp_path))
    wanted = [
        {"source": {"path": str(path)}, "line": 12, "condition": "items"},
        {"source": {"path": str(path)}, "line": 8},
    ]
    answer = await client.post("breakpoints", {"breakpoints": wanted})
    check(f"POST {session}/breakpoints", answer.data)
    check(f"POST {session}/launch", await client.launch(path, args=["-v"]))
    paused = await client.until_status("paused")
    check(f"GET {session}", paused)
    check(f"GET {session}/breakpoints", (await client.get("breakpoints")).data)
    check(f"GET {session}/threads", (await client.get("threads")).data)
    check(f"GET {session}/stacktrace", (await client.get("stacktrace")).data)
    scopes = (await client.get("scopes")).data
    check(f"GET {session}/scopes", scopes)
    reference = scopes["scopes"][0]["variables_reference"]
    variables = (await client.get("variables", variables_reference=reference)).data
    check(f"GET {session}/variables", variables)
    evaluated = (await client.post("evaluate", {"expression": "len(items)"})).data
    check(f"POST {session}/evaluate", evaluated)
    raised = (await client.post("evaluate", {"expression": "undefined_var"})).data
    assert set(EXAMPLES[f"POST {session}/evaluate"][2]) <= set(raised)
    check(f"POST {session}/step-over", (await client.post("step-over")).data)
    check(f"POST {session}/step-into", (await client.post("step-into")).data)
    check(f"POST {session}/step-out", (await client.post("step-out")).data)
    deleted = (await client.delete("breakpoints/bp_1")).data
    check(f"DELETE {session}/breakpoints/{{breakpoint_id}}", deleted)
    check(f"POST {session}/continue", (await client.post("continue")).data)
    await client.until_status("paused")
    check(f"GET {session}/output", (await client.get("output")).data)
    events = (await client.get("events", limit=1000)).data
    assert {"events", "next_cursor", "has_more", "session_status"} == set(events)
    await client.post("continue")
    await client.until_status("terminated")
    seen = await client.all_events()
    path.write_text("print('well')\n")
    await client.create(project_root=str(tmp_path))
    await client.launch(path)
    await client.until_status("terminated")
    check_events(seen + await client.all_events())


def check_events(events: list[Any]) -> None:
    """Each example of an event is like one that came."""
    for example in EXAMPLES["events"]:
        kind = example["type"]
        alike = [event for event in events if event["type"] == kind]
        assert alike, f"no {kind} event came"
        wrong = [differences(example, event, kind) for event in alike]
        assert not min(wrong, key=len), min(wrong, key=len)


@pytest.mark.full
@pytest.mark.real
async def test_the_pause_of_a_running_program(client: Relay, tmp_path: Path) -> None:
    path = tmp_path / "loop.py"
    path.write_text(
        "import time\n\n\ndef main():\n    while True:\n        time.sleep(0.01)\n\n\nmain()\n"
    )
    await client.launch(path)
    check("POST /sessions/{session_id}/pause", (await client.post("pause")).data)


def test_every_operation_has_an_example() -> None:
    assert len(EXAMPLES) == 24 and all(EXAMPLES.values())
    assert BASE == "/api/v1"
