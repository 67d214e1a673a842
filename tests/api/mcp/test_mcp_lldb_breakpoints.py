"""The breakpoint tools of LLDB, over stdio and over HTTP, on real programs.

One server serves all the tests of a way; a program that stands in ``main`` serves those that don't
let it run.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents import AgentUnderTest, Json, http_agent, stdio_agent
from tests.support.lldb_agents import LldbAgent, hosted
from tests.support.native import compiled, line_of, needs_cc, needs_lldb
from tests.support.served import served, use_own_folders

pytestmark = [pytest.mark.real, needs_lldb, needs_cc]

ROUNDS = "rounds.c"
WORK = line_of(ROUNDS, "in work")
ROUND = line_of(ROUNDS, "each round")
COMMENT = line_of(ROUNDS, "For the tools of agents")


@asynccontextmanager
async def _over_http(folder: Path) -> AsyncIterator[AgentUnderTest]:
    async with (
        served(tools="lldb") as target,
        http_agent(target.relay.address, target.token, tools="") as client,
    ):
        yield client


@pytest.fixture(scope="module", params=["stdio", "http"])
def lldb(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LldbAgent]:
    folder = tmp_path_factory.mktemp("lldb")
    with pytest.MonkeyPatch.context() as monkeypatch:
        use_own_folders(folder, monkeypatch)
        way = request.param
        client = stdio_agent(folder, "--tools", "lldb") if way == "stdio" else _over_http(folder)
        with hosted(client) as found:
            yield found


@pytest.fixture(scope="module")
def standing(lldb: LldbAgent) -> Iterator[str]:
    """A session whose program stands in ``main``, and stays there."""
    session_id = lldb.launch(compiled(ROUNDS))
    yield session_id
    lldb.told("terminate", sessionId=session_id)


@pytest.fixture
def runner(lldb: LldbAgent) -> Iterator[str]:
    """One whose program may run."""
    session_id = lldb.launch(compiled(ROUNDS))
    yield session_id
    lldb.told("terminate", sessionId=session_id)


@pytest.fixture
def target(lldb: LldbAgent) -> Iterator[str]:
    """One with a target that does not run."""
    session_id = lldb.begin(compiled(ROUNDS))
    yield session_id
    lldb.told("terminate", sessionId=session_id)


def set_one(lldb: LldbAgent, session_id: str, **where: Any) -> Json:
    """Set a breakpoint; what is told of it."""
    told = lldb.told("setBreakpoint", sessionId=session_id, **where)
    assert set(told) == {"breakpoint"}
    found: Json = told["breakpoint"]
    return found


def listed(lldb: LldbAgent, session_id: str, number: int) -> Json:
    """One entry of the list."""
    told = lldb.told("listBreakpoints", sessionId=session_id)
    assert set(told) == {"breakpoints"}
    (found,) = [each for each in told["breakpoints"] if each["id"] == number]
    entry: Json = found
    return entry


def is_address(text: str) -> bool:
    return text.startswith("0x") and text == text.lower() and int(text, 16) > 0


# Schemas

SCHEMAS = {
    "setBreakpoint": (
        {
            "sessionId": "string",
            "file": "string",
            "line": "integer",
            "symbol": "string",
            "address": "integer",
        },
        {"sessionId"},
    ),
    "deleteBreakpoint": (
        {"sessionId": "string", "breakpointId": "integer"},
        {"sessionId", "breakpointId"},
    ),
    "listBreakpoints": ({"sessionId": "string"}, {"sessionId"}),
    "updateBreakpoint": (
        {
            "sessionId": "string",
            "breakpointId": "integer",
            "enabled": "boolean",
            "ignoreCount": "integer",
            "condition": "string",
        },
        {"sessionId", "breakpointId"},
    ),
    "pollEvents": ({"sessionId": "string", "limit": "integer"}, {"sessionId"}),
}


@pytest.mark.full
@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas(lldb: LldbAgent, name: str) -> None:
    tools = {tool.name: tool for tool in lldb.run(lldb.agent.client.list_tools()).tools}
    assert len(tools) == 40 and all(each.startswith("lldb_") for each in tools)
    schema = tools[f"lldb_{name}"].input_schema
    types, required = SCHEMAS[name]
    told = {field: entry["type"] for field, entry in schema["properties"].items()}
    assert {field: told[field] for field in types} == types
    assert set(schema["required"]) == required


# Setting


@pytest.mark.full
def test_a_line(lldb: LldbAgent, standing: str) -> None:
    by_name = set_one(lldb, standing, file=ROUNDS, line=WORK)
    (location,) = by_name["locations"]
    assert set(by_name) == {"id", "locations", "enabled"}
    assert set(location) == {"address", "file", "line"}
    assert is_address(location["address"])
    assert Path(location["file"]).name == ROUNDS and location["line"] == WORK
    assert by_name["enabled"] is True
    by_path = set_one(lldb, standing, file=location["file"], line=WORK)
    assert by_path["id"] == by_name["id"]


def test_a_symbol(lldb: LldbAgent, standing: str) -> None:
    (location,) = set_one(lldb, standing, symbol="copy")["locations"]
    assert location["symbol"] == "copy" and is_address(location["address"])
    assert location["line"] == line_of(ROUNDS, "careless")


def test_an_address(lldb: LldbAgent, standing: str) -> None:
    symbols = lldb.told("searchSymbol", sessionId=standing, pattern="work", module="rounds")
    address = int(symbols["symbols"][0]["address"], 16)
    found = set_one(lldb, standing, address=address)
    assert [each["address"] for each in found["locations"]] == [hex(address)]


@pytest.mark.parametrize(
    "where",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"file": ROUNDS}, id="no-line"),
        pytest.param({"line": 3}, id="no-file"),
        pytest.param({"file": ROUNDS, "line": 3, "symbol": "main"}, id="line-and-symbol"),
        pytest.param({"symbol": "main", "address": 4096}, id="symbol-and-address"),
        pytest.param({"file": ROUNDS, "line": 0}, id="line-0"),
        pytest.param({"symbol": " "}, id="empty-symbol"),
        pytest.param({"address": -1}, id="negative-address"),
        pytest.param({"symbol": 5}, id="symbol-as-number"),
        pytest.param({"nonsense": 5}, id="unknown-parameter"),
    ],
)
def test_parameters(lldb: LldbAgent, standing: str, where: Json) -> None:
    refused = lldb.refusal("setBreakpoint", sessionId=standing, **where)
    assert refused.code == 1001 and refused.message


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("setBreakpoint", {"symbol": "main"}, id="set"),
        pytest.param("deleteBreakpoint", {"breakpointId": 1}, id="delete"),
        pytest.param("listBreakpoints", {}, id="list"),
        pytest.param("updateBreakpoint", {"breakpointId": 1}, id="update"),
        pytest.param("pollEvents", {}, id="events"),
        pytest.param("setBreakpoint", {"symbol": 5}, id="set-with-bad-parameters"),
        pytest.param("setBreakpoint", {}, id="set-without-parameters"),
    ],
)
def test_unknown_session(lldb: LldbAgent, tool: str, arguments: Json) -> None:
    refused = lldb.refusal(tool, sessionId="sess_00000000", **arguments)
    assert refused.code == 1002 and refused.message.startswith("Session not found")


def test_without_a_target(lldb: LldbAgent) -> None:
    session_id = lldb.begin()
    for where in ({"symbol": "main"}, {}, {"symbol": 5}, {"file": ROUNDS}):  # the target is first
        assert lldb.refusal("setBreakpoint", sessionId=session_id, **where).code == 2001
    assert lldb.told("listBreakpoints", sessionId=session_id) == {"breakpoints": []}
    lldb.told("terminate", sessionId=session_id)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "where",
    [
        pytest.param({"file": ROUNDS, "line": COMMENT}, id="comment"),
        pytest.param({"file": ROUNDS, "line": 9999}, id="past-the-end"),
        pytest.param({"file": "nowhere.c", "line": 3}, id="no-such-file"),
        pytest.param({"symbol": "no_such_function"}, id="no-such-symbol"),
        pytest.param({"address": 0x10}, id="no-such-address"),
    ],
)
def test_what_cannot_be_set(lldb: LldbAgent, standing: str, where: Json) -> None:
    before = lldb.hits(standing)
    refused = lldb.refusal("setBreakpoint", sessionId=standing, **where)
    assert refused.code == 3001 and refused.message.startswith("Failed to set breakpoint")
    assert lldb.hits(standing) == before  # nothing of it stays


def test_ids(lldb: LldbAgent, target: str) -> None:
    first = set_one(lldb, target, symbol="main")["id"]
    second = set_one(lldb, target, symbol="work")["id"]
    assert (first, second) == (1, 2)
    lldb.told("deleteBreakpoint", sessionId=target, breakpointId=second)
    assert set_one(lldb, target, symbol="copy")["id"] == 3


@pytest.mark.full
def test_several_places(lldb: LldbAgent) -> None:
    session_id = lldb.launch(compiled("parcel_shop.cpp"))
    found = set_one(lldb, session_id, symbol="area")
    places = found["locations"]
    assert len(places) == 3 and len({each["address"] for each in places}) == 3
    inlined = set_one(lldb, session_id, symbol="plus_one")
    assert len(inlined["locations"]) >= 2
    lldb.told("deleteBreakpoint", sessionId=session_id, breakpointId=inlined["id"])
    lines = []
    for _ in places:
        happened = lldb.go_on(session_id)
        (hit,) = [each for each in happened if each["type"] == "breakpointHit"]
        assert hit["breakpointId"] == found["id"]
        lines.append(hit["location"]["line"])
    assert len(set(lines)) == 3
    assert lldb.hits(session_id) == {found["id"]: 3}
    lldb.told("terminate", sessionId=session_id)


def test_an_address_before_it_is_known(lldb: LldbAgent, target: str) -> None:
    (location,) = set_one(lldb, target, address=0x555555555000)["locations"]
    assert location == {"address": "0x555555555000", "resolved": False}
    (location,) = listed(lldb, target, 1)["locations"]
    assert location["resolved"] is False


@pytest.mark.full
def test_without_debug_information(lldb: LldbAgent) -> None:
    session_id = lldb.launch(compiled(ROUNDS, "-g0"))
    path = str(Path(__file__).parents[2] / "programs" / ROUNDS)
    (location,) = set_one(lldb, session_id, file=path, line=WORK)["locations"]
    assert location["resolved"] is False and "address" not in location
    assert "without debug information" in location["message"]
    (location,) = set_one(lldb, session_id, symbol="work")["locations"]
    assert location["symbol"] == "work" and is_address(location["address"])
    assert "file" not in location
    lldb.told("terminate", sessionId=session_id)


@pytest.mark.full
def test_before_the_launch(lldb: LldbAgent, target: str) -> None:
    (location,) = set_one(lldb, target, file=ROUNDS, line=WORK)["locations"]
    assert location == {"file": location["file"], "line": WORK, "resolved": False}
    assert Path(location["file"]).is_file()  # found in the program's debug information
    (location,) = set_one(lldb, target, symbol="copy")["locations"]
    assert location == {"symbol": "copy", "resolved": False}
    lldb.told("launch", sessionId=target)
    (location,) = listed(lldb, target, 1)["locations"]
    assert location["resolved"] is True and is_address(location["address"])


# Deleting


@pytest.mark.full
def test_delete(lldb: LldbAgent, runner: str) -> None:
    number = set_one(lldb, runner, symbol="work")["id"]
    told = lldb.told("deleteBreakpoint", sessionId=runner, breakpointId=number)
    assert told == {"ok": True}
    assert lldb.hits(runner) == {}
    happened = lldb.go_on(runner, "processExited")  # it stops nowhere any more
    assert not [each for each in happened if each["type"] == "breakpointHit"]


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        pytest.param("deleteBreakpoint", {}, id="delete"),
        pytest.param("updateBreakpoint", {"enabled": False}, id="update"),
    ],
)
def test_unknown_breakpoint(lldb: LldbAgent, standing: str, tool: str, more: Json) -> None:
    refused = lldb.refusal(tool, sessionId=standing, breakpointId=4711, **more)
    assert refused.code == 3001 and refused.message.startswith("Breakpoint not found")


# The list


def test_an_untouched_entry(lldb: LldbAgent, standing: str) -> None:
    by_line = set_one(lldb, standing, file=ROUNDS, line=ROUND)["id"]
    entry = listed(lldb, standing, by_line)
    (location,) = entry.pop("locations")
    assert entry == {
        "id": by_line,
        "enabled": True,
        "hitCount": 0,
        "ignoreCount": 0,
        "condition": None,
    }
    assert set(location) == {"address", "file", "line", "resolved"} and location["resolved"] is True
    by_symbol = set_one(lldb, standing, symbol="copy")["id"]
    (location,) = listed(lldb, standing, by_symbol)["locations"]
    assert location["symbol"] == "copy" and location["resolved"] is True


def test_updates_are_partial(lldb: LldbAgent, standing: str) -> None:
    number = set_one(lldb, standing, symbol="main")["id"]
    asked = {"sessionId": standing, "breakpointId": number}
    for change, expected in (
        ({"condition": "argc > 100"}, (True, 0, "argc > 100")),
        ({"ignoreCount": 10}, (True, 10, "argc > 100")),
        ({"enabled": False}, (False, 10, "argc > 100")),
        ({}, (False, 10, "argc > 100")),
    ):
        told = lldb.told("updateBreakpoint", **asked, **change)
        enabled, ignored, condition = expected
        assert told == {
            "breakpoint": {
                "id": number,
                "enabled": enabled,
                "ignoreCount": ignored,
                "condition": condition,
            }
        }
    entry = listed(lldb, standing, number)
    assert (entry["enabled"], entry["ignoreCount"]) == (False, 10)
    assert entry["condition"] == "argc > 100"


def test_clearing_and_nonsense(lldb: LldbAgent, standing: str) -> None:
    number = set_one(lldb, standing, symbol="copy")["id"]
    asked = {"sessionId": standing, "breakpointId": number}
    lldb.told("updateBreakpoint", **asked, condition="1 == 1")
    assert lldb.refusal("updateBreakpoint", **asked, ignoreCount=-1).code == 1001
    told = lldb.told("updateBreakpoint", **asked, condition="")
    assert told["breakpoint"]["condition"] is None
    assert listed(lldb, standing, number)["condition"] is None


# What they do


def seen_at(lldb: LldbAgent, session_id: str) -> int:
    """The value of ``i`` where the program stands."""
    return int(lldb.told("evaluate", sessionId=session_id, expr="i")["result"]["value"])


@pytest.mark.full
def test_hits_and_switches(lldb: LldbAgent, runner: str) -> None:
    number = set_one(lldb, runner, file=ROUNDS, line=WORK)["id"]
    for count in (1, 2, 3):
        lldb.go_on(runner)
        assert lldb.hits(runner) == {number: count}
    asked = {"sessionId": runner, "breakpointId": number}
    lldb.told("updateBreakpoint", **asked, condition="i > 4", ignoreCount=1, enabled=False)
    other = set_one(lldb, runner, file=ROUNDS, line=ROUND)["id"]
    lldb.go_on(runner)
    assert lldb.hits(runner) == {number: 3, other: 1}
    lldb.told("deleteBreakpoint", sessionId=runner, breakpointId=other)
    told = lldb.told("updateBreakpoint", **asked, enabled=True)["breakpoint"]
    assert (told["condition"], told["ignoreCount"]) == ("i > 4", 1)
    lldb.go_on(runner)
    assert seen_at(lldb, runner) == 6  # 5 was ignored
    assert lldb.hits(runner)[number] == 5


@pytest.mark.full
def test_conditions_and_ignored_hits(lldb: LldbAgent, runner: str) -> None:
    number = set_one(lldb, runner, file=ROUNDS, line=WORK)["id"]
    asked = {"sessionId": runner, "breakpointId": number}
    lldb.told("updateBreakpoint", **asked, condition="i == 2")
    lldb.go_on(runner)
    assert seen_at(lldb, runner) == 2
    # From now on: the hits before do not count, nor those whose condition is false.
    lldb.told("updateBreakpoint", **asked, condition="i % 2 == 1", ignoreCount=2)
    happened = lldb.go_on(runner)
    assert seen_at(lldb, runner) == 7
    assert len([each for each in happened if each["type"] == "breakpointHit"]) == 1


# Events


@pytest.mark.full
def test_events(lldb: LldbAgent, runner: str) -> None:
    number = set_one(lldb, runner, file=ROUNDS, line=WORK)["id"]
    (told,) = lldb.events(runner)
    assert told == {"type": "breakpointSet", "breakpointId": number}
    happened = lldb.go_on(runner)
    (hit,) = [each for each in happened if each["type"] == "breakpointHit"]
    (thread,) = lldb.told("threads", sessionId=runner)["threads"]
    assert hit == {
        "type": "breakpointHit",
        "breakpointId": number,
        "threadId": thread["id"],
        "location": {"file": hit["location"]["file"], "line": WORK},
    }
    assert lldb.told("pollEvents", sessionId=runner) == {"events": []}  # each is told once
    lldb.told("updateBreakpoint", sessionId=runner, breakpointId=number, ignoreCount=100)
    happened = lldb.go_on(runner, "processExited")
    assert not [each for each in happened if each["type"] == "breakpointHit"]
    assert lldb.hits(runner) == {number: 10}
    assert "".join(e["data"] for e in happened if e["type"] == "stdout") == "rounds: 110\n"
    assert happened[-1] == {"type": "processExited", "exitCode": 0}


@pytest.mark.full
def test_the_limit_of_events(lldb: LldbAgent, target: str) -> None:
    names = [f"function_{number}" for number in range(40)]
    for name in names:
        set_one(lldb, target, symbol=name)
    first = lldb.told("pollEvents", sessionId=target)
    assert len(first["events"]) == 32 and first["events"][0]["type"] == "targetCreated"
    second = lldb.told("pollEvents", sessionId=target, limit=5)
    assert [each["breakpointId"] for each in second["events"]] == [32, 33, 34, 35, 36]
    assert second["more"] == 4
    assert lldb.refusal("pollEvents", sessionId=target, limit=0).code == 1001
