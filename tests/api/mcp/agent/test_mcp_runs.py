"""One call from a program to a stop, and all of the stop in its answer."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from tests.support.agents import agent
from tests.support.attachable import free_port, listening
from tuidbg.api.auth.callers import TokenScope
from tuidbg.api.mcp.tool_sets import TOOL_SETS, McpOptions
from tuidbg.api.mcp.tools.recorded import TOOLS as PAST
from tuidbg.api.operations.inspection import BreakpointPlace, PlaceNotFound, find_place
from tuidbg.cli.commands.mcp import run_command
from tuidbg.process.guardian import Guardian

AGENT = McpOptions(tool_set="agent")

SHOP = """\
def collect(item, basket=[]):
    basket.append(item)
    return basket

def total(prices):
    result = 0
    for price in prices:
        result += price
    return result

first = collect(3)
second = collect(4)
print("second", second)
print(total(second))
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_text(SHOP)
    return path


@pytest.mark.full
@pytest.mark.real
async def test_a_wrong_default_in_one_call(tmp_path: Path, shop: Path) -> None:
    async with agent(tmp_path, AGENT) as client:
        told = await client.told(
            "debug_run",
            program="shop.py",
            breakpoints=["collect if item == 4"],
            evaluate=["basket", "nothing"],
        )
        assert (told["state"], told["reason"]) == ("stopped", "breakpoint")
        assert told["location"]["line"] in (1, 2)
        assert any("basket=[]" in line for line in told["source"])
        assert told["expressions"]["basket"] == "[3]"
        assert told["expressions"]["nothing"].startswith("<error: ")
        assert len(msgspec.json.encode(told)) < 4_000


@pytest.mark.full
@pytest.mark.real
async def test_on_to_the_end(tmp_path: Path, shop: Path) -> None:
    async with agent(tmp_path, AGENT) as client:
        told = await client.told(
            "debug_run", program="shop.py", breakpoints=["shop.py:return basket"]
        )
        assert told["location"]["line"] == 3
        told = await client.told("debug_go", action="wait", evaluate=["item"])
        assert told["expressions"] == {"item": "3"}, "it stands already"
        told = await client.told("debug_go", action="out", evaluate=["len(second)"])
        assert told["expressions"]["len(second)"].startswith("<error: ")
        told = await client.told("debug_go", evaluate=["basket"])
        assert told["expressions"] == {"basket": "[3, 4]"}
        told = await client.told("debug_go")
        assert (told["state"], told["exit_code"]) == ("exited", 0)
        assert "second [3, 4]" in told["output"]


@pytest.mark.full
@pytest.mark.real
async def test_again_with_another_breakpoint(tmp_path: Path, shop: Path) -> None:
    async with agent(tmp_path, AGENT) as client:
        await client.told("debug_run", program="shop.py", breakpoints=["shop.py:11"])
        told = await client.told("debug_run", program="shop.py", breakpoints=["shop.py:12"])
        assert told["location"]["line"] == 12
        assert len(list(client.hub)) == 1


@pytest.mark.full
@pytest.mark.real
async def test_a_time_limit_says_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "hang.py").write_text("import threading\nthreading.Event().wait()\n")
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("debug_run", program="hang.py", timeout_ms=1_500)
        assert (told["state"], told["timed_out_ms"], told["held"]) == ("running", 1_500, False)
        told = await client.told("debug_go", action="wait", timeout_ms=100)
        assert (told["state"], told["timed_out_ms"]) == ("running", 100)
        refused = await client.refusal("debug_go")
        assert refused.code == "NOT_PAUSED" and "debug_go with action pause" in refused.hint


@pytest.mark.full
@pytest.mark.real
async def test_several_expressions_at_once(tmp_path: Path, shop: Path) -> None:
    async with agent(tmp_path, AGENT) as client:
        await client.told("debug_run", program="shop.py", breakpoints=["shop.py:return basket"])
        told = await client.told(
            "evaluate", expressions=["basket", "1 / 0", "item + 1"], frame_index="0"
        )
        basket, failed, item = told["results"]
        assert (basket["value"], basket["type"], basket["children"]) == ("[3]", "list", 1)
        assert failed["error"].endswith("division by zero") and "value" not in failed
        assert (item["expression"], item["value"]) == ("item + 1", "4")
        told = await client.told("evaluate", expressions=["{'a': [1], 'b': 'x'}"], shape=True)
        assert told["results"][0] == {
            "expression": "{'a': [1], 'b': 'x'}",
            "type": "dict",
            "size": "2",
            "keys": ["'a': list (1)", "'b': str (1)"],
        }
        refused = await client.refusal("evaluate", expressions=["basket"], frame_index="x")
        assert refused.code == "INVALID_PARAMETER"


@pytest.mark.full
@pytest.mark.real
async def test_a_function_that_is_not_there_names_the_nearest(tmp_path: Path, shop: Path) -> None:
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("debug_run", program="shop.py", breakpoints=["colect"])
        assert told["state"] == "exited"
        (missed,) = told["not_hit"]
        assert missed["function"] == "colect" and "collect (shop.py:1)" in missed["hint"]


@pytest.mark.full
@pytest.mark.real
async def test_a_step_that_takes_too_long_says_so(tmp_path: Path) -> None:
    (tmp_path / "hang.py").write_text("import threading\nthreading.Event().wait()\n")
    async with agent(tmp_path, AGENT) as client:
        await client.told("debug_run", program="hang.py", breakpoints=["hang.py:2"])
        told = await client.told("debug_go", action="over", timeout_ms="500")
        assert (told["state"], told["timed_out_ms"], told["held"]) == ("running", 500, False)


@pytest.mark.full
@pytest.mark.real
async def test_a_loop_is_paused(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text("number = 0\nwhile True:\n    number += 1\n")
    async with agent(tmp_path, AGENT) as client:
        await client.told("debug_run", program="loop.py", timeout_ms=1_500)
        told = await client.told("debug_go", action="pause", evaluate=["number > 0"])
        assert (told["state"], told["reason"]) == ("stopped", "pause")
        assert told["expressions"] == {"number > 0": "True"}


@pytest.mark.real
async def test_without_the_right_to_evaluate(tmp_path: Path, shop: Path) -> None:
    scopes = frozenset(TokenScope) - {TokenScope.EVALUATE}
    async with agent(tmp_path, McpOptions(tool_set="agent", scopes=scopes)) as client:
        refused = await client.refusal("debug_run", program="shop.py", evaluate=["first"])
        assert refused.code
        assert not list(client.hub)


def test_places(tmp_path: Path, shop: Path) -> None:
    folder = str(tmp_path)
    assert find_place("shop.py:3", folder) == BreakpointPlace(path=str(shop), line=3)
    assert find_place("shop.py:3 if item", folder).condition == "item"
    assert find_place("Shop.total", folder) == BreakpointPlace(function="Shop.total")
    assert find_place("shop.py:result += price", folder).line == 8
    with pytest.raises(PlaceNotFound) as refused:
        find_place("shop.py:result += prise", folder)
    assert refused.value.near == "nearest: line 8: result += price"
    with pytest.raises(PlaceNotFound) as refused:
        find_place("shop.py:= collect(", folder)
    assert refused.value.near.startswith("name one: 11: first = collect(")
    (tmp_path / "told.py").write_text(
        '"""Tells the total."""\n# the total of all\nprint("the total:", 3)\n'
    )
    assert find_place("told.py:total", folder).line == 3, "no comment, no docstring"
    assert find_place("told.py:# the total", folder).line == 2, "where only that has it"


def test_the_skill_names_tools_of_the_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["--skill"], Guardian.__new__(Guardian)) == 0
    skill = capsys.readouterr().out
    assert len(skill.splitlines()) <= 60
    others = {tool.name for tools in TOOL_SETS.values() for tool in tools}
    own = {tool.name for tool in TOOL_SETS["agent"]}
    named = set(re.findall(r"`(\w+)", skill))
    assert named & others <= own
    assert {tool.name for tool in PAST} | {"debug_run", "debug_go", "trace", "source"} <= named


# Until an expression is true

LOOP = """\
def add(n):
    total = 0
    for i in range(n):
        total += i
    return total

print(add(4))
print(add(100))
print("done")
"""


@pytest.mark.real
async def test_until_an_expression_is_true(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    async with agent(tmp_path, AGENT) as client:
        await client.told("debug_run", program="loop.py", breakpoints=["loop.py:total = 0"])
        told = await client.told("debug_go", until="total > 50 and i", evaluate=["total", "i"])
        assert told["breakpoint_ids"] == [1] and told["location"]["line"] == 2, "it stops as ever"
        told = await client.told("debug_go", until="total > 50 and i", evaluate=["total", "i"])
        assert (told["state"], told["location"]["line"]) == ("stopped", 3)
        assert told["expressions"] == {"total": "55", "i": "10"}
        told = await client.told("debug_go", until="total == 55")
        assert told["message"] == "total == 55 is true already" and told["location"]["line"] == 3
        refused = await client.refusal("debug_go", until="total >")
        assert refused.code == "INVALID_PARAMETER" and "no expression" in refused.message
        told = await client.told("debug_go", until="i > 1000")
        assert (told["state"], told["exit_code"]) == ("exited", 0)


@pytest.mark.full
@pytest.mark.real
async def test_until_asks_no_more_once_it_stands(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    async with agent(tmp_path, AGENT) as client:
        await client.told("debug_run", program="loop.py", breakpoints=["loop.py:print(add(100))"])
        await client.told("debug_go", action="into")
        told = await client.told("debug_go", until="total % 10 == 5", evaluate=["total"])
        assert told["expressions"] == {"total": "15"}
        told = await client.told("debug_go")
        assert told["state"] == "exited", "not where it becomes true again"


SLOW = """\
import pathlib, time

def wait():
    is_ready = False
    each = 0
    while each < 1000:
        is_ready = is_ready or pathlib.Path("go").exists()
        if is_ready:
            each += 1
        else:
            time.sleep(0.01)

wait()
"""


@pytest.mark.full
@pytest.mark.real
async def test_until_goes_on_after_its_time_limit(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    async with agent(tmp_path, AGENT) as client:
        await client.told("debug_run", program="slow.py", breakpoints=["slow.py:each = 0"])
        told = await client.told("debug_go", until="is_ready and each > 3", timeout_ms=300)
        assert (told["state"], told["timed_out_ms"]) == ("running", 300)
        (tmp_path / "go").touch()
        told = await client.told("debug_go", action="wait", evaluate=["each"])
        assert (told["state"], told["expressions"]) == ("stopped", {"each": "4"})


@pytest.mark.full
@pytest.mark.real
async def test_who_may_not_evaluate_waits_for_no_expression(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    options = McpOptions(tool_set="agent", scopes=frozenset(TokenScope) - {TokenScope.EVALUATE})
    async with agent(tmp_path, options) as client:
        await client.told("debug_run", program="loop.py", breakpoints=["loop.py:7"])
        refused = await client.refusal("debug_go", until="print(1)")
        assert refused.code == "PERMISSION_DENIED"


# What is in the locals

OBJECTS = """\
class Cart:
    limit = 3
    def __init__(self, owner):
        self.owner, self.items, self.parent = owner, [1, 2], None
        self.password = "hunter2"
    @property
    def total(self):
        print("asked for")
        return sum(self.items)

def pay(cart, plain):
    return cart.total

first = Cart("ada")
first.parent = Cart("bob")
pay(first, object())
"""


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("redact", [False, True])
async def test_attributes_of_own_objects_in_a_stop(tmp_path: Path, redact: bool) -> None:
    (tmp_path / "carts.py").write_text(OBJECTS)
    async with agent(tmp_path, AGENT, redact=redact) as client:
        told = await client.told("debug_run", program="carts.py", breakpoints=["pay"])
        cart, plain = told["locals"][0]["variables"]
        assert cart.startswith("cart = <__main__.Cart object at 0x")
        secret = "<redacted>" if redact else "'hunter2' (7)"
        assert "{owner = 'ada' (3), items = [1, 2] (2), parent = <__main__.Cart" in cart
        assert cart.endswith(f"password = {secret}}}"), "no property runs, no class's own"
        assert re.fullmatch(r"plain = <object object at 0x[0-9a-f]+>", plain)
        assert "asked for" not in told.get("output", "")
    async with agent(tmp_path) as client:
        (tmp_path / "carts.py").write_text(OBJECTS)
        await client.launch(tmp_path / "carts.py")
        await client.told("breakpoint_set", file="carts.py", line=12)
        hit = await client.go_on()
        cart = hit["snapshot"]["locals"][0]["variables"][0]
        assert re.fullmatch(r"cart = <__main__.Cart object at 0x[0-9a-f]+>", cart)


# What runs already, and what asks


@pytest.mark.full
@pytest.mark.real
async def test_attached_by_its_port(tmp_path: Path) -> None:
    async with listening(tmp_path) as (program, port), agent(tmp_path, AGENT) as client:
        told = await client.told(
            "debug_run",
            attach=f"127.0.0.1:{port}",
            breakpoints=["work if number > 5"],
            evaluate=["number > 5"],
        )
        assert (told["state"], told["location"]["function"]) == ("stopped", "work")
        assert told["expressions"] == {"number > 5": "True"}
        await client.told("debug_disconnect")
        await program.goes_on()


@pytest.mark.real
async def test_one_target(tmp_path: Path, shop: Path) -> None:
    async with agent(tmp_path, AGENT) as client:
        for asked in ({}, {"program": "shop.py", "attach": 1}, {"program": "a", "module": "b"}):
            refused = await client.refusal("debug_run", **asked)
            assert refused.code == "INVALID_PARAMETER" and "give one of" in refused.message
        for process in ("here", "localhost:", "localhost:70000", "-1", ":x"):
            refused = await client.refusal("debug_run", attach=process)
            assert refused.code == "INVALID_PARAMETER" and "1234, a process" in refused.message
        refused = await client.refusal("debug_run", attach=f"127.0.0.1:{free_port()}")
        assert refused.code == "ATTACH_FAILED"
        assert list(client.hub) == []


@pytest.mark.full
@pytest.mark.real
async def test_input_in_the_call_that_waits(tmp_path: Path) -> None:
    (tmp_path / "asks.py").write_text("name = input('name? ')\nprint('hello', name)\n")
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("debug_run", program="asks.py", timeout_ms=3_000)
        assert told["state"] == "running"
        told = await client.told("debug_go", input="ada\n")
        assert (told["state"], told["exit_code"]) == ("exited", 0)
        assert "hello ada" in told["output"]
