"""A failing test told in one answer."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from tests.support.agents import agent
from tests.support.marked import MarkedProgram
from tuidbg.api.mcp.tool_sets import McpOptions
from tuidbg.session.core import redaction

pytestmark = pytest.mark.full

AGENT = McpOptions(tool_set="agent")

TESTS = """
class Cart:
    def __init__(self):
        self.total = 0

    def add(self, price, count):
        self.total += price  #: wrong

def test_total():
    password = "hunter2"
    cart = Cart()
    cart.add(3, 2)
    print("so far", cart.total)
    assert cart.total == 6, password  #: assert

def test_error():
    prices = {"tea": 3}
    print(prices["milk"])  #: error

def test_passes():
    print("fine")
"""


@pytest.mark.real
async def test_a_failing_test_in_one_answer(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, TESTS, "test_cart.py")
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("run_test", test="test_cart.py::test_total")
        assert (told["passed"], told["state"], told["reason"]) == (False, "stopped", "exception")
        assert told["exception"]["type"] == "AssertionError"
        assert "assert 3 == 6" in told["exception"]["message"]
        assert told["location"]["line"] == marked["assert"]
        assert told["values"]["cart.total"] == "3"
        assert told["stack"][0]["function"] == "test_total"
        assert "so far 3" in told["output"]
        assert len(msgspec.json.encode(told)) < 5_000
        if sys.version_info >= (3, 12):
            (change, *_) = [each for each in told["last_changes"] if each["name"] == "cart.total"]
            assert (change["old"], change["new"]) == ("0", "3")
            assert change["by"]["line"] == marked["wrong"]
        else:
            assert "Python 3.12" in told["not_recorded"]
        ended = await client.told("debug_go")
        assert (ended["state"], ended["exit_code"]) == ("exited", 1)


@pytest.mark.real
async def test_an_error_and_a_test_that_passes(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, TESTS, "test_cart.py")
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("run_test", test="test_cart.py::test_error")
        assert told["exception"]["type"] == "KeyError"
        assert told["location"]["line"] == marked["error"]
        assert told["values"]["prices"] == "{'tea': 3}"
        told = await client.told("run_test", test="test_cart.py::test_passes")
        assert (told["passed"], told["state"]) == (True, "exited")
        told = await client.told("run_test", test="test_cart.py::test_nothing")
        assert not told["passed"] and "not found" in told["output"]


@pytest.mark.real
async def test_secrets_of_a_test_are_hidden(tmp_path: Path) -> None:
    MarkedProgram(tmp_path, TESTS, "test_cart.py")
    async with agent(tmp_path, AGENT, redact=True) as client:
        told = await client.told("run_test", test="test_cart.py::test_total")
        text = msgspec.json.encode(told).decode()
        assert "hunter2" not in text and redaction.REDACTED in text
