"""Questions of agents to a recorded run: who changed a value, when, which calls, and what was."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.support.agents import AgentUnderTest, agent
from tests.support.interpreters import SUPPORTED
from tests.support.marked import MarkedProgram
from tuidbg.api.auth.callers import TokenScope
from tuidbg.api.mcp.tool_sets import McpOptions
from tuidbg.session.core import redaction

pytestmark = pytest.mark.full

AGENT = McpOptions(tool_set="agent")
NEWEST = max(SUPPORTED)
OLDER = min(version for version in SUPPORTED if version >= (3, 8))

recorded = pytest.mark.skipif(NEWEST < (3, 12), reason="only Python 3.12 and newer is recorded")

SHOP = """
class Cart:
    def __init__(self):
        self.items = []
        self.total = 0

    def add(self, price, password):
        self.items.append(price)
        self.total += price  #: total
        return self.total  #: result

def main():
    cart = Cart()
    for price in (2, 7, 3):
        paid = cart.add(price, "hunter2")  #: add
    left = 20 - cart.total  #: left
    print("left", left)  #: stop

main()
"""


async def _run(client: AgentUnderTest, marked: MarkedProgram) -> None:
    told = await client.told(
        "debug_run",
        program=marked.path,
        python=SUPPORTED[NEWEST],
        record=True,
        breakpoints=[f"{marked.path}:{marked['stop']}"],
    )
    assert told["location"]["line"] == marked["stop"]
    assert told["recorded_moments"] > 20


@pytest.mark.real
@recorded
async def test_who_changed_it(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with agent(tmp_path, AGENT) as client:
        await _run(client, marked)
        told = await client.told("why", expression="cart.total", count=2)
        assert [(each["old"], each["new"]) for each in told["changes"]] == [("9", "12"), ("2", "9")]
        by = told["changes"][0]["by"]
        assert by["line"] == marked["total"] and by["code"].startswith("self.total += price")
        (line,) = [each for each in told["source"] if each.startswith("->")]
        assert line.endswith("self.total += price  #: total")
        assert "thread" not in by, "it is the main one"
        told = await client.told("why", expression="cart.total", before=told["next_before"])
        assert "source" not in told
        assert [each["new"] for each in told["changes"]] == ["2", "0"]
        assert "next_before" not in told
        inside = await client.told(
            "step_back", moment=by["moment"], way="stay", evaluate=["price * 2", "self.nothing"]
        )
        assert inside["expressions"]["price * 2"] == "6"
        assert inside["expressions"]["self.nothing"].startswith("<error: ")
        refused = await client.refusal("why", expression="cart.total + 1")
        assert refused.code == "EVAL_FAILED" and "name a variable" in refused.message
        refused = await client.refusal("why", expression="cart.total", moment="9.9.9")
        assert refused.code == "MOMENT_NOT_FOUND"


@pytest.mark.real
@recorded
async def test_when_and_which_calls(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with agent(tmp_path, AGENT) as client:
        await _run(client, marked)
        told = await client.told("when", expression="self.total > 5", function="Cart.add")
        assert told["by"]["line"] == marked["total"]
        stood = await client.told("step_back", moment=told["at"]["moment"], way="stay")
        assert "price = 7" in stood["locals"][0]["variables"]
        told = await client.told("when", expression="self.total > 50", function="Cart.add")
        assert told["found"] is False
        told = await client.told("calls", function="Cart.add", count=2)
        assert (told["total"], told["next_start"]) == (3, 2)
        assert [each["returned"] for each in told["calls"]] == ["2", "9"]
        assert "price = 2" in told["calls"][0]["arguments"]
        assert told["code"] == "def add(self, price, password):"
        assert told["line"] == marked["total"] - 2
        told = await client.told("calls", function="Cart.add", start=2)
        assert [each["returned"] for each in told["calls"]] == ["12"]
        refused = await client.refusal("calls", function="nothing")
        assert refused.code == "NOTHING_RECORDED"


@pytest.mark.real
@recorded
async def test_steps_back_are_told_as_stops(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with agent(tmp_path, AGENT) as client:
        await _run(client, marked)
        told = await client.told("step_back", evaluate=["cart.total"])
        assert (told["reason"], told["state"]) == ("recorded", "stopped")
        assert (told["location"]["line"], told["steps_ago"]) == (marked["left"], 1)
        assert told["expressions"] == {"cart.total": "12"}
        assert [each["function"] for each in told["stack"]] == ["main", "<module>"]
        assert f"-> {marked['left']}" in "\n".join(told["source"])
        assert len(msgspec.json.encode(told)) < 4_000
        into = told
        while into["stack"][0]["function"] != "Cart.add":
            into = await client.told("step_back", way="into", moment=into["moment"])
        out = await client.told("step_back", way="out", moment=into["moment"])
        assert out["location"]["line"] == marked["add"]
        now = await client.told("step_back", forth=True, moment=told["moment"])
        assert now["location"]["line"] == marked["stop"] and now["edge"].startswith("this is")
        ended = await client.told("debug_go")
        assert ended["state"] == "exited"
        told = await client.told("step_back", way="breakpoint")
        assert told["state"] == "exited"
        told = await client.told("why", expression="left", moment=now["moment"])
        assert told["changes"][0]["new"] == "8"


@pytest.mark.real
@recorded
async def test_what_was_not_recorded_says_so(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    async with agent(tmp_path, AGENT) as client:
        refused = await client.refusal("why", expression="cart")
        assert refused.code == "NO_SESSION" and "debug_run" in refused.hint
        run = {"program": marked.path, "breakpoints": [f"{marked.path}:{marked['add']}"]}
        await client.told("debug_run", python=SUPPORTED[NEWEST], **run)
        assert (await client.refusal("why", expression="cart")).code == "NOTHING_RECORDED"
        assert (await client.told("record"))["recording"] is True
        await client.told("debug_go")
        assert (await client.told("record", is_on=False))["moments"] > 3
        told = await client.told("why", expression="cart.total", count=9)
        assert [each["new"] for each in told["changes"]] == ["2", "0"]
        if OLDER < (3, 12):
            told = await client.told("debug_run", python=SUPPORTED[OLDER], record=True, **run)
            assert "Python 3.12" in told["not_recorded"]


@pytest.mark.real
@recorded
async def test_who_may_not_evaluate_asks_for_changes_only(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    scopes = frozenset(TokenScope) - {TokenScope.EVALUATE}
    async with agent(tmp_path, McpOptions(tool_set="agent", scopes=scopes)) as client:
        await _run(client, marked)
        assert (await client.told("why", expression="cart.total"))["changes"]
        assert (await client.refusal("step_back", evaluate=["cart"])).code == "PERMISSION_DENIED"
        assert (await client.refusal("when", expression="cart")).code == "PERMISSION_DENIED"


@pytest.mark.real
@recorded
async def test_secrets_of_a_recorded_run_are_hidden(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, SHOP)
    for redact in (False, True):
        async with agent(tmp_path, AGENT, redact=redact) as client:
            await _run(client, marked)
            changes = (await client.told("why", expression="cart.total"))["changes"]
            moment = changes[0]["by"]["moment"]
            answers = [
                changes,
                await client.told("calls", function="Cart.add"),
                await client.told("step_back", way="stay", moment=moment, evaluate=["password"]),
                await client.told("why", expression="password", moment=moment),
                await client.told("when", expression="password", moment=moment),
            ]
            told = msgspec.json.encode(answers).decode()
            assert ("hunter2" in told, redaction.REDACTED in told) == (not redact, redact)
