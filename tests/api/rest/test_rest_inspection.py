"""Scopes, variables and evaluation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.relay import Relay, relay
from tuidbg.api.operations import inspection as looking
from tuidbg.session.core.evaluation import prompt as evaluate

pytestmark = pytest.mark.real

PROGRAM = """\
class Thing:
    def __init__(self):
        self.name = "thing"
        self._secret = 1
        self.me = self


def inner(n):
    here = n
    return here


def main():
    items = [1, 2, 3, 4, 5]
    count = 42
    config = {"debug": True, "verbose": False}
    large_list = list(range(10000))
    thing = Thing()
    text = "x" * 100000
    loop = []
    loop.append(loop)
    inner(count)
    count = 43
    inner(count)


main()
"""


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Relay]:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM)
    async with relay() as made:
        await made.stopped_at(path, 9)
        yield made


async def variables(client: Relay, reference: int, **query: Any) -> list[dict[str, Any]]:
    answer = await client.get("variables", variables_reference=reference, **query)
    found: list[dict[str, Any]] = answer.data["variables"]
    return found


@pytest.mark.full
async def test_scopes(client: Relay) -> None:
    data = (await client.get("scopes")).data
    assert set(data) == {"frame_id", "scopes"} and data["frame_id"] == 0
    local, shared = data["scopes"]
    assert set(local) == {
        *("name", "presentation_hint", "variables_reference", "named_variables"),
        *("indexed_variables", "expensive"),
    }
    assert (local["name"], local["presentation_hint"]) == ("Locals", "locals")
    assert (shared["name"], shared["presentation_hint"]) == ("Globals", "globals")
    assert local["named_variables"] == 1 and local["indexed_variables"] == 0
    assert local["variables_reference"] > 0 and local["expensive"] is False
    names = [v["name"] for v in await variables(client, local["variables_reference"])]
    assert names == ["n"]
    above = (await client.get("scopes", frame_id=1)).data
    assert above["frame_id"] == 1
    assert "items" in await client.locals(1)


@pytest.mark.full
async def test_frames_that_are_not_there(client: Relay) -> None:
    for answer in (
        await client.get("scopes", frame_id=99),
        await client.post("evaluate", {"expression": "1", "frame_id": 99}),
    ):
        assert answer.refusal == (404, "FRAME_NOT_FOUND")
        assert answer.error["details"]["frame_id"] == 99
        assert answer.error["details"]["total_frames"] == 3
    assert (await client.get("scopes", frame_id=-1)).refusal == (400, "INVALID_PARAMETER")


@pytest.mark.full
async def test_variables(client: Relay) -> None:
    found = await client.locals(1)
    assert set(found["items"]) == {
        *("name", "value", "type", "variables_reference", "named_variables"),
        *("indexed_variables", "presentation_hint", "truncated"),
    }
    items, count, config = found["items"], found["count"], found["config"]
    assert (items["value"], items["type"]) == ("[1, 2, 3, 4, 5]", "list")
    assert (items["named_variables"], items["indexed_variables"]) == (0, 5)
    assert (count["value"], count["type"], count["variables_reference"]) == ("42", "int", 0)
    assert config["value"] == "{'debug': True, 'verbose': False}"
    assert (config["named_variables"], config["indexed_variables"]) == (2, 0)
    assert items["presentation_hint"]["kind"] == "data"
    assert set(items["presentation_hint"]) == {"kind", "attributes", "visibility"}
    assert found["large_list"]["truncated"] is True and items["truncated"] is False
    assert found["text"]["truncated"] is True and len(found["text"]["value"]) < 5000
    assert found["large_list"]["indexed_variables"] == 10000
    inside = await variables(client, found["thing"]["variables_reference"])
    by_name = {v["name"]: v for v in inside}
    assert by_name["name"]["value"] == "'thing'"
    assert by_name["_secret"]["presentation_hint"]["visibility"] == "private"
    for name in ("loop", "thing"):
        reference = found[name]["variables_reference"]
        for _ in range(5):
            inner = next(v for v in await variables(client, reference) if v["name"] in ("0", "me"))
            reference = inner["variables_reference"]
            assert reference > 0


async def test_parts_of_variables(client: Relay) -> None:
    found = await client.locals(1)
    large = found["large_list"]["variables_reference"]
    page = await variables(client, large, start=100, count=100)
    assert [v["value"] for v in page] == [str(i) for i in range(100, 200)]
    assert [v["name"] for v in await variables(client, large, start=9998, count=9)] == [
        "9998",
        "9999",
    ]
    assert await variables(client, large, start=10000) == []
    whole = (await client.get("variables", variables_reference=large)).data
    assert len(whole["variables"]) == 1000 and whole["total"] == 10000
    page = await variables(client, large, start=5, count=2, filter="indexed")
    assert [v["name"] for v in page] == ["5", "6"]
    assert await variables(client, large, filter="named") == []
    config = found["config"]["variables_reference"]
    assert len(await variables(client, config, filter="named")) == 2
    assert await variables(client, config, filter="indexed") == []
    for query in ({"filter": "some"}, {"start": -1}, {"count": "many"}, {"start": "a"}):
        answer = await client.get("variables", variables_reference=large, **query)
        assert answer.refusal == (400, "INVALID_PARAMETER")


@pytest.mark.full
async def test_a_reference_is_needed(client: Relay) -> None:
    answer = await client.get("variables")
    assert answer.refusal == (400, "MISSING_PARAMETER")
    assert answer.error["details"]["parameter"] == "variables_reference"


@pytest.mark.full
async def test_references_die_with_the_stop(client: Relay, tmp_path: Path) -> None:
    for unknown in (0, 1, 7, 1000, 2**31 - 1):
        answer = await client.get("variables", variables_reference=unknown)
        assert answer.refusal == (404, "VARIABLE_NOT_FOUND")
        assert answer.error["details"]["variables_reference"] == unknown
    old = (await client.locals(1))["items"]["variables_reference"]
    await client.post("step-over")
    answer = await client.get("variables", variables_reference=old)
    assert answer.refusal == (404, "VARIABLE_NOT_FOUND")


@pytest.mark.full
@pytest.mark.parametrize("context", ["repl", "watch", "hover", None])
async def test_evaluate(client: Relay, context: str | None) -> None:
    more: dict[str, Any] = {"frame_id": 1} | ({} if context is None else {"context": context})
    data = (await client.post("evaluate", {"expression": "len(items) * 2", **more})).data
    assert data == {
        "result": "10",
        "type": "int",
        "variables_reference": 0,
        "named_variables": 0,
        "indexed_variables": 0,
        "presentation_hint": None,
    }
    complex_one = {"expression": "{'name': 'test', 'values': [1, 2, 3]}", **more}
    data = (await client.post("evaluate", complex_one)).data
    assert (data["type"], data["named_variables"]) == ("dict", 2)
    inside = await variables(client, data["variables_reference"])
    assert [v["value"] for v in inside] == ["'test'", "[1, 2, 3]"]
    below = await variables(client, inside[1]["variables_reference"])
    assert [v["value"] for v in below] == ["1", "2", "3"]


@pytest.mark.full
@pytest.mark.parametrize("context", ["repl", "watch", "hover"])
async def test_expressions_that_raise(client: Relay, context: str) -> None:
    for expression, error in (
        ("undefined_var", "NameError: name 'undefined_var' is not defined"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("[].pop()", "IndexError: pop from empty list"),
        ("(lambda: (lambda: int('abc'))())()", "ValueError: invalid literal for int() with base"),
    ):
        body = {"expression": expression, "context": context}
        data = (await client.post("evaluate", body)).data
        assert data["result"] is None and data["type"] is None
        assert data["error"].startswith(error)


@pytest.mark.full
@pytest.mark.parametrize(
    ("expression", "context"),
    [
        ("1 +", "repl"),
        ("if", "watch"),
        ("   ", "repl"),
        ("x = 1", "hover"),
        ("(" * 5000, "repl"),
        ("'", "watch"),
    ],
    ids=lambda value: value[:8],
)
async def test_what_is_no_expression(client: Relay, expression: str, context: str) -> None:
    answer = await client.post("evaluate", {"expression": expression, "context": context})
    assert answer.refusal == (400, "EVALUATE_ERROR")


@pytest.mark.full
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"expression": ""},
        {"expression": "1", "frame_id": -1},
        {"expression": "1", "frame_id": "0"},
        {"expression": "1", "context": "clipboard"},
        {"expression": "1", "frame": 0},
        {"expression": 1},
    ],
    ids=str,
)
async def test_evaluate_bodies_that_are_none(client: Relay, body: dict[str, Any]) -> None:
    assert (await client.post("evaluate", body)).refusal == (400, "INVALID_REQUEST")


@pytest.mark.full
async def test_repl_changes_the_program(client: Relay) -> None:
    body = {"expression": "count = 99", "frame_id": 1}
    assert (await client.post("evaluate", body)).data["result"] == "None"
    assert (await client.locals(1))["count"]["value"] == "99"
    await client.delete("breakpoints/bp_1")
    await client.post("continue")
    await client.until_status("terminated")
    answer = await client.post("evaluate", {"expression": "1"})
    assert answer.refusal == (409, "INVALID_SESSION_STATE")


@pytest.mark.full
@pytest.mark.parametrize("context", ["repl", "watch"])
async def test_evaluations_that_last(
    client: Relay, context: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert evaluate.EVALUATE_LIMIT == 30
    monkeypatch.setitem(looking.evaluate.__kwdefaults__, "limit", 0.3)  # type: ignore[arg-type]
    expression = "__import__('time').sleep(1.5)"
    body = {"expression": expression, "context": context}
    answer = await client.post("evaluate", body)
    assert answer.refusal == (504, "DEBUGPY_TIMEOUT")
    monkeypatch.undo()
    assert (await client.post("evaluate", {"expression": "1 + 1"})).data["result"] == "2"
