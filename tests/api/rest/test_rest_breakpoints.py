"""Breakpoints: set several, listed, counted, refused, removed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.relay import Relay, relay
from tests.support.sessions import until
from tuidbg.session.model.state import BreakpointStatus

pytestmark = pytest.mark.real

PROGRAM = """\
# a comment
import other

total = 0
for i in range(20):
    total += i
    other.use(i)

print("done", total)
"""

OTHER = """\
def use(n):
    return n + 1
"""


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Relay]:
    (tmp_path / "main.py").write_text(PROGRAM)
    (tmp_path / "other.py").write_text(OTHER)
    async with relay() as made:
        await made.create(project_root=str(tmp_path))
        yield made


def entry(path: Path, line: int, **more: Any) -> dict[str, Any]:
    return {"source": {"path": str(path)}, "line": line, **more}


async def test_set_several(client: Relay, tmp_path: Path) -> None:
    main, other = tmp_path / "main.py", tmp_path / "other.py"
    wanted = [entry(main, 9), entry(other, 2, condition="n > 3"), entry(main, 6)]
    found = (await client.post("breakpoints", {"breakpoints": wanted})).data["breakpoints"]
    assert [(b["id"], b["source"]["path"], b["line"]) for b in found] == [
        ("bp_1", str(main), 9),
        ("bp_2", str(other), 2),
        ("bp_3", str(main), 6),
    ]
    assert set(found[0]) == {
        *("id", "verified", "source", "line", "condition", "hit_condition", "log_message"),
        *("enabled", "message"),
    }
    assert found[1]["condition"] == "n > 3" and found[0]["condition"] is None
    await client.launch(main)
    assert (await client.until_status("paused"))["current_location"]["line"] == 6
    (set_now,) = await client.break_at(main, 4)
    assert set_now["verified"] is True and set_now["message"] is None
    registry = next(iter(client.hub)).session.breakpoints.registry
    await until(lambda: registry.get(2).status is BreakpointStatus.SET, "other.py is imported")
    assert (await client.get("breakpoints", verified="true")).data["total"] == 4


async def test_calls_add_and_the_same_line_is_changed(client: Relay, tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    (first,) = await client.break_at(main, 6, condition="i == 3", log_message="x")
    (second,) = await client.break_at(main, 9)
    (again,) = await client.break_at(main, 6, enabled=False)
    assert (first["id"], second["id"], again["id"]) == ("bp_1", "bp_2", "bp_1")
    assert again["condition"] is None and again["log_message"] is None
    assert again["enabled"] is False
    assert (await client.get("breakpoints")).data["total"] == 2
    twice = [entry(main, 4, condition="a"), entry(main, 4, condition="b")]
    found = (await client.post("breakpoints", {"breakpoints": twice})).data["breakpoints"]
    assert [b["id"] for b in found] == ["bp_3", "bp_3"]
    listed = (await client.get("breakpoints")).data["breakpoints"]
    assert next(b for b in listed if b["id"] == "bp_3")["condition"] == "b"


@pytest.mark.full
@pytest.mark.parametrize(
    ("settings", "i"),
    [
        pytest.param({"condition": "i > 10"}, 11, id="condition"),
        pytest.param({"hit_condition": ">5"}, 5, id="greater"),
        pytest.param({"hit_condition": "== 10"}, 9, id="equal-with-blanks"),
        pytest.param({"hit_condition": "7"}, 6, id="number"),
        pytest.param({"hit_condition": ">=4"}, 3, id="at-least"),
        pytest.param({"hit_condition": "%6"}, 5, id="multiple"),
        pytest.param({"condition": "i % 2", "hit_condition": "==3"}, 5, id="condition-and-count"),
    ],
)
async def test_conditions(client: Relay, settings: dict[str, Any], i: int, tmp_path: Path) -> None:
    await client.break_at(tmp_path / "main.py", 6, **settings)
    await client.launch(tmp_path / "main.py")
    await client.until_status("paused")
    assert (await client.post("evaluate", {"expression": "i"})).data["result"] == str(i)


@pytest.mark.parametrize(
    "hit_condition",
    ["!5", "five", "> >5", "5.5", "%0", "-1", "i > 3"],
)
async def test_hit_conditions_that_are_none(
    client: Relay, hit_condition: str, tmp_path: Path
) -> None:
    wanted = [entry(tmp_path / "main.py", 6, hit_condition=hit_condition)]
    answer = await client.post("breakpoints", {"breakpoints": wanted})
    assert answer.refusal == (400, "INVALID_PARAMETER")
    assert answer.error["details"]["parameter"] == "hit_condition"
    assert (await client.get("breakpoints")).data["total"] == 0


@pytest.mark.full
async def test_log_points_and_disabled_ones_do_not_stop(client: Relay, tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    await client.break_at(main, 6, log_message="Processing item: {i * 2}", condition="i < 2")
    await client.break_at(main, 9, enabled=False)
    await client.launch(main)
    await client.until_status("terminated")
    entries = (await client.get("output", category="console")).data["entries"]
    told = [e for e in entries if "Processing" in e["output"]]
    assert [
        e["output"].strip().endswith(t) for e, t in zip(told, ("item: 0", "item: 2"), strict=False)
    ] == [
        True,
        True,
    ]
    assert len(told) == 2
    assert {(e["source"], e["line"]) for e in told} == {(str(main), 6)}
    events = await client.all_events()
    assert not [e for e in events if e["type"] == "stopped"]
    bodies = [e["body"] for e in events if e["type"] == "output"]
    assert [b["category"] for b in bodies if "Processing" in b["output"]] == ["console"] * 2


async def test_a_batch_of_which_some_can_be_set(client: Relay, tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    wanted = [
        entry(main, 3),
        entry(main, 6),
        entry(main, 999),
        entry(tmp_path / "none.py", 1),
        entry(main, 4, condition="1 +"),
        entry(main, 9, hit_condition="soon"),
    ]
    found = (await client.post("breakpoints", {"breakpoints": wanted})).data["breakpoints"]
    assert [b["line"] for b in found] == [3, 6, 999, 1, 4, 9]
    assert len({b["id"] for b in found}) == 6
    assert found[0]["message"] == "No executable code at line 3"
    assert found[2]["message"].startswith("No executable code at line 999")
    assert found[3]["message"] == "This file does not exist"
    assert "SyntaxError" in found[4]["message"] and found[4]["condition"] == "1 +"
    assert "number" in found[5]["message"]
    await client.launch(main)
    await client.until_status("paused")
    listed = (await client.get("breakpoints", verified="true")).data
    assert [b["id"] for b in listed["breakpoints"]] == [found[1]["id"]]
    assert (await client.get("breakpoints", verified="false")).data["total"] == 5


async def test_lines_without_code(client: Relay, tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    answer = await client.post("breakpoints", {"breakpoints": [entry(main, 3)]})
    assert answer.refusal == (400, "BREAKPOINT_INVALID_LINE")
    assert answer.error["message"] == (
        "Cannot set breakpoint at line 3: line contains only whitespace"
    )
    details = answer.error["details"]
    assert {k: details[k] for k in ("file", "line", "content", "suggestion")} == {
        "file": str(main),
        "line": 3,
        "content": "",
        "suggestion": "Try line 4 which contains: 'total = 0'",
    }
    comment = (await client.post("breakpoints", {"breakpoints": [entry(main, 1)]})).error
    assert comment["message"].endswith("line contains only a comment")
    assert comment["details"]["content"] == "# a comment"
    both = [entry(main, 3), entry(main, 1)]
    answer = await client.post("breakpoints", {"breakpoints": both})
    assert answer.error["details"]["line"] == 3
    assert (await client.get("breakpoints")).data["total"] == 0
    assert (await client.break_at(main, 4))[0]["id"] == "bp_1"


async def test_conditions_that_do_not_parse(client: Relay, tmp_path: Path) -> None:
    wanted = [entry(tmp_path / "main.py", 6, condition="x ==")]
    answer = await client.post("breakpoints", {"breakpoints": wanted})
    assert answer.refusal == (400, "BREAKPOINT_INVALID_CONDITION")
    assert "SyntaxError" in answer.error["message"]
    assert (await client.get("breakpoints")).data["total"] == 0


async def test_missing_files(client: Relay, tmp_path: Path) -> None:
    for path in (tmp_path / "none.py", tmp_path):
        answer = await client.post("breakpoints", {"breakpoints": [entry(path, 1)]})
        assert answer.refusal == (400, "BREAKPOINT_FILE_NOT_FOUND")
        assert answer.error["details"]["file"] == str(path)


async def test_validation_errors_as_in_the_contract(client: Relay, tmp_path: Path) -> None:
    wanted = [
        entry(tmp_path / "main.py", -5),
        {"source": {"path": "relative/path.py"}, "line": 1},
    ]
    answer = await client.post("breakpoints", {"breakpoints": wanted})
    assert answer.refusal == (400, "INVALID_REQUEST")
    assert answer.error["message"] == "Request validation failed"
    assert answer.error["details"]["errors"] == [
        {
            "field": "breakpoints[0].line",
            "message": "Line number must be a positive integer",
            "value": -5,
        },
        {
            "field": "breakpoints[1].source.path",
            "message": "Path must be absolute",
            "value": "relative/path.py",
        },
    ]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param({"breakpoints": []}, "breakpoints", id="no-entries"),
        pytest.param({}, "breakpoints", id="no-list"),
        pytest.param({"breakpoints": {}}, "breakpoints", id="an-object"),
        pytest.param({"breakpoints": [{"line": 1}]}, "breakpoints[0].source", id="no-source"),
        pytest.param(
            {"breakpoints": [{"source": {}, "line": 1}]},
            "breakpoints[0].source.path",
            id="no-path",
        ),
        pytest.param(
            {"breakpoints": [{"source": {"path": "/x"}}]}, "breakpoints[0].line", id="no-line"
        ),
        pytest.param(
            {"breakpoints": [{"source": {"path": "/x"}, "line": "5"}]},
            "breakpoints[0].line",
            id="line-as-text",
        ),
        pytest.param(
            {"breakpoints": [{"source": {"path": "/x"}, "line": 10**30}]},
            "breakpoints[0].line",
            id="huge-line",
        ),
        pytest.param(
            {"breakpoints": [{"source": {"path": "/x"}, "line": 1}], "more": 1},
            "more",
            id="unknown-field",
        ),
    ],
)
async def test_bodies_that_are_none(client: Relay, body: Any, field: str) -> None:
    answer = await client.post("breakpoints", body)
    assert answer.refusal == (400, "INVALID_REQUEST")
    assert [error["field"] for error in answer.error["details"]["errors"]] == [field]


@pytest.mark.full
async def test_setting_while_it_runs(client: Relay, tmp_path: Path) -> None:
    path = tmp_path / "loop.py"
    path.write_text("import time\nwhile True:\n    time.sleep(0.01)\n")
    await client.launch(path)
    (found,) = await client.break_at(path, 3)
    assert found["verified"] is True
    assert (await client.until_status("paused"))["stop_reason"] == "breakpoint"


@pytest.mark.full
async def test_setting_after_the_end(client: Relay, tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    await client.launch(main)
    await client.until_status("terminated")
    answer = await client.post("breakpoints", {"breakpoints": [entry(main, 6)]})
    assert answer.refusal == (409, "INVALID_SESSION_STATE")
    assert answer.error["details"]["current_state"] == "terminated"


@pytest.mark.full
async def test_list_and_hits(client: Relay, tmp_path: Path) -> None:
    main, other = tmp_path / "main.py", tmp_path / "other.py"
    await client.break_at(main, 9)
    await client.break_at(other, 2, condition="n > 100")
    await client.break_at(main, 6, hit_condition="%5")
    await client.launch(main)
    await client.until_status("paused")
    await client.post("continue")
    (member,) = client.hub
    await until(lambda: member.session.breakpoints.registry.get(3).hits == 10, "ten hits")
    data = (await client.get("breakpoints")).data
    hits = {b["id"]: b["hit_count"] for b in data["breakpoints"]}
    assert data["total"] == 3 and hits == {"bp_1": 0, "bp_2": 0, "bp_3": 10}
    of_file = (await client.get("breakpoints", file=str(other))).data
    assert [b["id"] for b in of_file["breakpoints"]] == ["bp_2"] and of_file["total"] == 1
    assert (await client.get("breakpoints", file="/none")).data == {"breakpoints": [], "total": 0}
    refused = await client.get("breakpoints", verified="perhaps")
    assert refused.refusal == (400, "INVALID_PARAMETER")


@pytest.mark.full
async def test_remove(client: Relay, tmp_path: Path) -> None:
    main = tmp_path / "main.py"
    await client.break_at(main, 6, 9)
    assert (await client.delete("breakpoints/bp_1")).data == {"id": "bp_1", "deleted": True}
    assert (await client.break_at(main, 4))[0]["id"] == "bp_3"
    await client.delete("breakpoints/bp_3")
    await client.launch(main)
    assert (await client.until_status("paused"))["current_location"]["line"] == 9
    await client.delete("breakpoints/bp_2")
    assert (await client.get("breakpoints")).data["total"] == 0


async def test_remove_what_is_not_there(client: Relay) -> None:
    for wrong in ("bp_99", "99", "bp_0", "bp_x", "bp_-1", "BP_1", "bp_" + "9" * 40):
        answer = await client.delete(f"breakpoints/{wrong}")
        assert answer.refusal == (404, "BREAKPOINT_NOT_FOUND")
        assert answer.error["details"]["breakpoint_id"] == wrong
    assert json.dumps(answer.envelope)


async def test_breakpoints_of_others_are_seen(client: Relay, tmp_path: Path) -> None:
    (member,) = client.hub
    main = tmp_path / "main.py"
    found = await member.session.breakpoints.set(str(main), 6, origin="tui")
    assert (await client.get("breakpoints")).data["breakpoints"][0]["id"] == "bp_1"
    await client.break_at(main, 6, condition="i")
    assert member.session.breakpoints.registry.get(found.number).condition == "i"
    events = [e for e in await client.all_events() if e["type"] == "breakpoint"]
    assert [(e["body"]["reason"], e["origin"]) for e in events] == [
        ("new", "tui"),
        ("changed", "rest"),
    ]
