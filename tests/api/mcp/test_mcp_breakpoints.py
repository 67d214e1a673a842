"""The breakpoint tools over the official client, on the real debugpy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents import AgentUnderTest, agent
from tests.support.sessions import until

pytestmark = pytest.mark.real

PROGRAM = """\
class Order:
    def __init__(self, number, total):
        self.id = f"ORD-{number}"
        self.total = total

    def check(self):
        return self.total > 0

class Special(ValueError):
    pass

def handle(order, n):
    text = order.id
    try:
        if n == 3:
            raise Special(f"bad {n}")
        if n == 4:
            raise KeyError("k")
    except Exception:
        text = ""
    return order.check()

for n in range(1, 7):
    handle(Order(n, n * 100), n)
print("done")
"""
TEXT, RAISED, CAUGHT, CHECKED = 13, 16, 20, 7


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "shop" / "orders.py"
    path.parent.mkdir()
    path.write_text(PROGRAM)
    return path


@pytest.fixture
async def at_entry(tmp_path: Path, program: Path) -> AsyncIterator[AgentUnderTest]:
    """In a task of its own: the SDK's client must be closed by whoever has opened it."""
    ready: asyncio.Future[AgentUnderTest] = asyncio.get_running_loop().create_future()
    ended = asyncio.Event()

    async def whole() -> None:
        async with agent(tmp_path) as client:
            await client.launch(program)
            ready.set_result(client)
            await ended.wait()

    running = asyncio.create_task(whole())
    await asyncio.wait((running, ready), return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        await running
    yield ready.result()
    ended.set()
    await running


NAMES = (
    *("breakpoint_set", "breakpoint_remove", "breakpoint_list", "breakpoint_enable"),
    *("breakpoint_set_exception", "tracepoint_set", "breakpoint_wait", "exception_get_context"),
)


async def test_the_tools_are_listed(tmp_path: Path) -> None:
    async with agent(tmp_path) as client:
        listed = await client.client.list_tools()
    names = {tool.name for tool in listed.tools}
    assert names >= {*NAMES, "debug_continue", "debug_state"}
    assert len(names) == 22
    # It is read at the start of every conversation.
    assert len(listed.model_dump_json(by_alias=True, exclude_none=True)) <= 12_000


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        pytest.param(name, arguments, id=name)
        for name, arguments in {
            "breakpoint_set": {"file": "a.py", "line": 1},
            "breakpoint_remove": {"id": 1},
            "breakpoint_list": {},
            "breakpoint_enable": {"id": "1"},
            "breakpoint_set_exception": {"exception_type": "ValueError"},
            "tracepoint_set": {"file": "a.py", "line": 1},
            "breakpoint_wait": {},
            "exception_get_context": {},
            "debug_continue": {},
            "debug_pause": {},
            "debug_step": {"action": "over"},
            "threads_list": {},
            "stacktrace_get": {},
            "variables_get": {},
            "evaluate": {"expression": "1"},
            "process_write_input": {"data": "x"},
            "process_read_output": {},
            "debug_disconnect": {},
        }.items()
    ],
)
async def test_without_a_session(name: str, arguments: dict[str, Any], tmp_path: Path) -> None:
    async with agent(tmp_path) as client:
        refused = await client.refusal(name, **arguments)
        assert refused.code == "NO_SESSION" and "debug_launch" in refused.hint
        assert await client.told("debug_state") == {"state": "not_attached"}


BAD_PLACES = [
    pytest.param({}, "INVALID_PARAMETER", id="nothing"),
    pytest.param({"file": "orders.py"}, "INVALID_PARAMETER", id="no-line"),
    pytest.param({"line": 3}, "INVALID_PARAMETER", id="no-file"),
    pytest.param(
        {"file": "orders.py", "line": 3, "function": "handle"},
        "INVALID_PARAMETER",
        id="line-and-function",
    ),
    pytest.param({"file": "orders.py", "line": 0}, "INVALID_LINE", id="line-0"),
    pytest.param({"file": "orders.py", "line": 13, "column": 0}, "INVALID_COLUMN", id="column-0"),
    pytest.param({"file": "orders.py", "line": 8}, "INVALID_LINE", id="empty-line"),
    pytest.param({"file": "orders.py", "line": 9_999}, "INVALID_LINE", id="past-the-end"),
    pytest.param({"file": "nowhere.py", "line": 1}, "INVALID_FILE", id="no-such-file"),
    pytest.param(
        {"file": "orders.py", "line": 13, "condition": "n >"}, "INVALID_CONDITION", id="condition"
    ),
    pytest.param(
        {"file": "orders.py", "line": 13, "log_message": "{n"}, "INVALID_PARAMETER", id="template"
    ),
    pytest.param({"function": "a b"}, "INVALID_PARAMETER", id="no-name"),
    pytest.param(
        {"file": "orders.py", "line": 13, "hit_count": -1}, "INVALID_PARAMETER", id="hit-count"
    ),
    pytest.param({"fiel": "orders.py", "line": 13}, "INVALID_PARAMETER", id="unknown-argument"),
    pytest.param({"file": "orders.py", "line": "x"}, "INVALID_PARAMETER", id="no-number"),
]


@pytest.mark.full
async def test_bad_places_are_refused_in_words(at_entry: AgentUnderTest) -> None:
    for case in BAD_PLACES:
        arguments, code = case.values
        assert isinstance(arguments, dict)
        refused = await at_entry.refusal("breakpoint_set", **arguments)
        assert refused.code == code, (case.id, refused)
        assert refused.message, case.id
    assert (await at_entry.told("breakpoint_list"))["breakpoints"] == []


@pytest.mark.full
async def test_set_and_list(at_entry: AgentUnderTest, program: Path) -> None:
    told = await at_entry.told("breakpoint_set", file="shop/orders.py", line=TEXT)
    place = {"file": str(program), "line": TEXT}
    assert told == {"id": 1, "verified": True, "location": place}
    again = await at_entry.told("breakpoint_set", file="orders.py", line=TEXT, condition="n > 100")
    assert again["id"] == 1
    assert (await at_entry.told("breakpoint_list"))["breakpoints"] == [
        {
            "id": 1,
            "verified": True,
            "enabled": True,
            **place,
            "hit_count": 0,
            "condition": "n > 100",
        }
    ]
    await at_entry.told("breakpoint_set", file="orders.py", line=TEXT)
    (listed,) = (await at_entry.told("breakpoint_list"))["breakpoints"]
    assert listed["condition"] is None


@pytest.mark.full
async def test_a_column_is_kept_and_stops_on_its_line(at_entry: AgentUnderTest) -> None:
    await at_entry.told("breakpoint_set", file="orders.py", line=TEXT, column=12)
    member = at_entry.hub.current
    assert member is not None
    (found,) = member.session.breakpoints.registry
    assert found.column == 12
    assert (await at_entry.go_on())["location"]["line"] == TEXT


@pytest.mark.full
async def test_conditions_counts_and_functions(at_entry: AgentUnderTest, program: Path) -> None:
    await at_entry.told("breakpoint_set", function="Order.check", hit_count=2)
    await at_entry.told("breakpoint_set", file="orders.py", line=TEXT, condition="n == 4")
    hit = await at_entry.go_on()
    assert (hit["location"]["line"], hit["hit_count"]) == (CHECKED, 2)
    hit = await at_entry.go_on()  # the third and later ones, too
    assert (hit["location"]["line"], hit["hit_count"]) == (CHECKED, 3)
    await at_entry.told("breakpoint_remove", id=1)
    hit = await at_entry.go_on()
    assert (hit["location"]["line"], hit["breakpoint_id"]) == (TEXT, 2)
    assert "n = 4" in hit["snapshot"]["locals"][0]["variables"]
    await at_entry.told("breakpoint_remove", id="2")
    assert (await at_entry.go_on())["reason"] == "terminated"


@pytest.mark.full
async def test_a_pending_one_is_bound_by_itself(tmp_path: Path) -> None:
    (tmp_path / "later.py").write_text("def greet():\n    return 'hi'\n")
    path = tmp_path / "first.py"
    path.write_text("import sys\nx = 1\nimport later\nlater.greet()\n")
    async with agent(tmp_path) as client:
        await client.launch(path)
        told = await client.told("breakpoint_set", function="later.greet")
        assert told == {
            "id": 1,
            "verified": False,
            "location": {"file": str(tmp_path / "later.py"), "line": 2},
            "message": "Breakpoint pending, module not loaded",
        }
        (listed,) = (await client.told("breakpoint_list"))["breakpoints"]
        assert listed["verified"] is False
        hit = await client.go_on()
        assert (hit["hit"], hit["location"]["line"]) == (True, 2)
        (listed,) = (await client.told("breakpoint_list"))["breakpoints"]
        assert listed["verified"] is True


@pytest.mark.full
async def test_log_points_log_and_do_not_stop(at_entry: AgentUnderTest) -> None:
    template = "{order.id} {{n}}={n} {n + 1} {order.nothing}"
    await at_entry.told("breakpoint_set", file="orders.py", line=TEXT, log_message=template)
    assert (await at_entry.go_on())["reason"] == "terminated"
    session = at_entry.hub.current
    assert session is not None
    console = [line.text for line in session.session.output]
    assert "ORD-1 {n}=1 2 <error: AttributeError>" in "\n".join(console)


@pytest.mark.full
async def test_remove(at_entry: AgentUnderTest) -> None:
    line = await at_entry.told("breakpoint_set", file="orders.py", line=TEXT)
    trace = await at_entry.told("tracepoint_set", file="orders.py", line=CAUGHT)
    rule = await at_entry.told("breakpoint_set_exception", exception_type="KeyError")
    for known in (str(line["id"]), trace["tracepoint"]["id"], rule["breakpoint"]["id"]):
        assert await at_entry.told("breakpoint_remove", id=known) == {"success": True, "id": known}
    assert (await at_entry.told("breakpoint_list"))["breakpoints"] == []
    for unknown in (99, "99", "bp-nothing", "tp-1-2", ""):
        refused = await at_entry.refusal("breakpoint_remove", id=unknown)
        assert refused.code == "BREAKPOINT_NOT_FOUND" and "breakpoint_list" in refused.hint


@pytest.mark.full
async def test_enable(at_entry: AgentUnderTest, program: Path) -> None:
    await at_entry.told("breakpoint_set", file="orders.py", line=TEXT, condition="n > 2")
    off = await at_entry.told("breakpoint_enable", id="1", enabled=False)
    assert off == {
        "success": True,
        "breakpoint": {
            "id": "1",
            "location": {"file": str(program), "line": TEXT},
            "state": "bound",
            "enabled": False,
            "verified": True,
            "hitCount": 0,
        },
    }
    (listed,) = (await at_entry.told("breakpoint_list"))["breakpoints"]
    assert (listed["enabled"], listed["condition"]) == (False, "n > 2")
    await at_entry.told("breakpoint_enable", id="1")
    hit = await at_entry.go_on()
    assert "n = 3" in hit["snapshot"]["locals"][0]["variables"]


@pytest.mark.full
async def test_exceptions_by_type(at_entry: AgentUnderTest) -> None:
    told = await at_entry.told("breakpoint_set_exception", exception_type="ValueError")
    rule = told["breakpoint"]
    assert rule.pop("id").startswith("ex-")
    assert rule == {
        "exceptionType": "ValueError",
        "breakOnFirstChance": True,
        "breakOnSecondChance": True,
        "includeSubtypes": True,
        "enabled": True,
        "verified": True,
        "hitCount": 0,
    }
    hit = await at_entry.go_on()
    assert (hit["location"]["line"], hit["hit_count"]) == (RAISED, 1)
    assert hit["snapshot"]["exception"]["message"] == "bad 3"
    (listed,) = (await at_entry.told("breakpoint_list"))["breakpoints"]
    assert (listed["type"], listed["hit_count"]) == ("exception", 1)
    assert (await at_entry.go_on())["reason"] == "terminated"  # no KeyError, and once only


@pytest.mark.full
async def test_exactly_that_type(at_entry: AgentUnderTest) -> None:
    await at_entry.told(
        "breakpoint_set_exception", exception_type="builtins.ValueError", include_subtypes=False
    )
    refused = await at_entry.refusal(
        "breakpoint_set_exception",
        exception_type="KeyError",
        break_on_first_chance=False,
        break_on_second_chance=False,
    )
    assert refused.code == "INVALID_PARAMETER"
    assert (await at_entry.go_on())["reason"] == "terminated"


@pytest.mark.full
async def test_the_second_chance(tmp_path: Path) -> None:
    path = tmp_path / "raises.py"
    path.write_text("def f():\n    raise KeyError('gone')\nf()\n")
    async with agent(tmp_path) as client:
        await client.launch(path)
        await client.told(
            "breakpoint_set_exception", exception_type="KeyError", break_on_first_chance=False
        )
        hit = await client.go_on()
        assert hit["location"]["line"] == 2
        context = await client.told("exception_get_context")
        assert context["exception"]["isFirstChance"] is False
        assert (await client.go_on())["reason"] == "terminated"


@pytest.mark.full
async def test_tracepoints_tell_and_do_not_stop(at_entry: AgentUnderTest, program: Path) -> None:
    told = await at_entry.told("tracepoint_set", file="orders.py", line=TEXT)
    point = told["tracepoint"]
    known = point.pop("id")
    assert known.startswith("tp-")
    assert point == {
        "type": "tracepoint",
        "location": {"file": str(program), "line": TEXT},
        "state": "bound",
        "enabled": True,
        "logMessage": None,
    }
    (listed,) = (await at_entry.told("breakpoint_list"))["breakpoints"]
    assert (listed["id"], listed["type"]) == (known, "tracepoint")
    assert (await at_entry.go_on())["reason"] == "terminated"
    hits = await at_entry.until_hits(6)
    assert [hit["hitCount"] for hit in hits] == [1, 2, 3, 4, 5, 6]
    assert {hit["breakpointId"] for hit in hits} == {known}
    assert {hit["logMessage"] for hit in hits} == {None}


@pytest.mark.full
async def test_tracepoints_every_so_often(tmp_path: Path) -> None:
    path = tmp_path / "loop.py"
    path.write_text("i = 0\nfor i in range(1, 41):\n    x = i\n    if i == 20:\n        y = 1\n")
    async with agent(tmp_path) as client:
        await client.launch(path)
        for wrong in ({"hit_count_multiple": -1}, {"max_notifications": -1}):
            refused = await client.refusal("tracepoint_set", file="loop.py", line=3, **wrong)
            assert refused.code == "INVALID_PARAMETER"
        told = await client.told(
            "tracepoint_set",
            file="loop.py",
            line=3,
            log_message="at {i}",
            hit_count_multiple=3,
            max_notifications=2,
        )
        await client.told("breakpoint_set", file="loop.py", line=5)
        await client.go_on()
        hits = [hit for hit in await client.until_hits(3) if hit["type"] == "tracepoint"]
        assert [(hit["hitCount"], hit["logMessage"]) for hit in hits] == [(3, "at 3"), (6, "at 6")]
        listed = (await client.told("breakpoint_list"))["breakpoints"]
        assert [each["enabled"] for each in listed if "type" in each] == [False]
        await client.told("breakpoint_enable", id=told["tracepoint"]["id"])
        assert (await client.go_on())["reason"] == "terminated"
        await client.until_hits(5)
        traced = [hit["hitCount"] for hit in client.hits if hit["type"] == "tracepoint"]
        assert len(traced) == 4 and traced[2:] == sorted(traced[2:]) and traced[2] > 6


@pytest.mark.full
async def test_breakpoints_while_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "runs.py"
    path.write_text("import time\nn = 0\nwhile n < 6000:\n    n += 1\n    time.sleep(0.005)\n")
    async with agent(tmp_path) as client:
        await client.launch(path, stop_at_entry=False)
        told = await client.told("breakpoint_set", file="runs.py", line=4, condition="n > 5")
        assert told["verified"] is True
        hit = await client.told("breakpoint_wait")
        assert hit["breakpoint_id"] == told["id"]
        await client.told("breakpoint_enable", id=told["id"], enabled=False)
        seen = len(await client.until_hits(1))
        await client.told("debug_continue")
        refused = await client.refusal("stacktrace_get")
        assert refused.code == "NOT_PAUSED" and "debug_pause" in refused.hint
        paused = await client.told("debug_pause")
        assert (paused["state"], paused["reason"]) == ("stopped", "pause")
        assert len(client.hits) == seen
        member = client.hub.current
        assert member is not None
        await client.told("debug_disconnect")
        await until(lambda: not client.guard.remains(), "the program is ended")
        assert await client.told("debug_state") == {"state": "not_attached"}
