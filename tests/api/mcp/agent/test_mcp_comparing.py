"""Two runs of a program in one call, and the first place where they part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.agents import Json, agent
from tests.support.interpreters import SUPPORTED
from tests.support.marked import MarkedProgram
from tuidbg.api.mcp.tool_sets import McpOptions

NEWEST = max(SUPPORTED)
OLDER = min(version for version in SUPPORTED if version >= (3, 8))

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(NEWEST < (3, 12), reason="only Python 3.12 and newer is recorded"),
    pytest.mark.full,
]

PRICES = """
import os, sys

def price(count):
    total = count * 3
    if total > 10:
        total -= int(os.environ.get("RABATE", "1"))  #: rabate
    return total

counts = [int(each) for each in sys.argv[1:]]  #: counts
password = os.environ.get("SECRET", "")  #: password
print(sum(price(each) for each in counts))
"""


async def _compare(folder: Path, *, redact: bool = False, **asked: Any) -> Json:
    async with agent(folder, McpOptions(), redact=redact) as client:
        return await client.told("compare", python=SUPPORTED[NEWEST], **asked)


async def test_by_the_arguments(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, PRICES)
    asked: Json = {"program": marked.path, "args": ["1", "2"], "other_args": ["1", "5"]}
    told = await _compare(tmp_path, **asked)
    assert [run["exit_code"] for run in told["runs"]] == [0, 0]
    assert told["runs"][0]["output"].strip() == "9" and told["runs"][1]["output"].strip() == "17"
    assert told["parts"]["line"] == marked["counts"] and told["parts"]["moment"]
    assert told["values"] == ["(1, 2)", "(1, 5)"]


async def test_by_the_environment_and_without_secrets(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, PRICES)
    asked: Json = {"program": marked.path, "args": ["7"]}
    told = await _compare(tmp_path, **asked, other_env={"RABATE": "5"})
    assert told["parts"]["line"] == marked["rabate"]
    assert (told["name"], told["values"]) == ("total", ["20", "16"])
    for redact in (False, True):
        told = await _compare(
            tmp_path,
            redact=redact,
            **asked,
            env={"SECRET": "hunter2"},
            other_env={"SECRET": "hunter3"},
        )
        assert told["parts"]["line"] == marked["password"]
        assert ("hunter" in str(told)) is not redact


async def test_alike(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, PRICES)
    told = await _compare(tmp_path, program=marked.path, args=["1"])
    assert told["message"].startswith("both do the same") and "parts" not in told


async def test_by_the_lines(tmp_path: Path) -> None:
    marked = MarkedProgram(
        tmp_path,
        """
        import os
        if os.environ.get("FAST"):  #: if
            print("fast")  #: fast
        else:
            print("slow")  #: slow
        """,
    )
    told = await _compare(tmp_path, program=marked.path, other_env={"FAST": "1"})
    assert told["parts"]["line"] == marked["if"]
    assert told["next_lines"] == [marked["slow"], marked["fast"]]


async def test_the_second_run_can_be_asked(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, PRICES)
    async with agent(tmp_path, McpOptions()) as client:
        asked = {"program": marked.path, "args": ["1"], "other_args": ["5"]}
        told = await client.told("compare", python=SUPPORTED[NEWEST], **asked)
        moment = told["parts"]["moment"]
        there = await client.told("step_back", moment=moment, way="stay")
        assert there["location"]["line"] == told["parts"]["line"]
        calls = await client.told("calls", function="price")
        assert calls["calls"][0]["returned"] == "14"
        assert len(list(client.hub)) == 1


async def test_what_fails_and_what_does_not_end(tmp_path: Path) -> None:
    marked = MarkedProgram(
        tmp_path,
        """
        import sys, time
        if sys.argv[1:]:
            raise ValueError(sys.argv[1])
        while True:
            time.sleep(0.01)
        """,
    )
    told = await _compare(tmp_path, program=marked.path, timeout_ms=3_000, other_args=["wrong"])
    waiting, failed = told["runs"]
    assert (waiting["state"], waiting["timed_out_ms"]) == ("running", 3_000)
    assert failed["exception"] == {"type": "ValueError", "message": "wrong"}
    assert "parts" in told


async def test_what_can_not_be_recorded_says_so(tmp_path: Path) -> None:
    if OLDER >= (3, 12):
        pytest.skip("every Python of this machine can be recorded")
    marked = MarkedProgram(tmp_path, PRICES)
    async with agent(tmp_path, McpOptions()) as client:
        told = await client.told("compare", program=marked.path, python=SUPPORTED[OLDER])
        assert "Python 3.12" in told["not_recorded"] and "parts" not in told
        refused = await client.refusal("compare")
        assert refused.code == "INVALID_PARAMETER" and "program or module" in refused.message
