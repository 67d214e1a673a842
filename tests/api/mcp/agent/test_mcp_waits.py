"""What hangs is told in the call that ran into its time limit, and by ``threads`` at any time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.agents import agent
from tests.support.marked import MarkedProgram
from tuidbg.api.mcp.tool_sets import McpOptions

AGENT = McpOptions(tool_set="agent")

ENOUGH = 2_000
"""Milliseconds in which the programs have come to where they hang."""

pytestmark = [pytest.mark.real, pytest.mark.full]

DEADLOCK = """
import threading

class Account:
    def __init__(self):
        self.lock = threading.Lock()

def pay(source, target, here, there):
    with source.lock:
        here.set()
        there.wait()
        with target.lock:  #: hangs
            pass

a, b = Account(), Account()
one, two = threading.Event(), threading.Event()
threads = [
    threading.Thread(target=pay, args=(a, b, one, two), name="payer"),
    threading.Thread(target=pay, args=(b, a, two, one), name="payee"),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


async def test_a_deadlock(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, DEADLOCK)
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("debug_run", program=marked.path, timeout_ms=ENOUGH)
        assert (told["state"], told["timed_out_ms"]) == ("running", ENOUGH)
        waits = told["waits"]
        assert set(waits["deadlocks"][0].split(" waits for ")) == {"payer", "payee"}
        rows = {each["name"]: each for each in waits["threads"]}
        assert set(rows) == {"MainThread", "payer", "payee"}
        payer = rows["payer"]
        assert (payer["waits_for"], payer["held_by"]) == ("lock target.lock", "payee")
        hangs = f"pay program.py:{marked['hangs']}: with target.lock:  #: hangs"
        assert payer["stack"] == [hangs], "the library's frames are left out"
        assert rows["MainThread"]["waits_for"] == "the end of a thread"
        again = await client.told("threads")
        assert (again["state"], again["deadlocks"]) == ("running", waits["deadlocks"])
        rows = {each["name"]: each for each in again["threads"]}
        assert rows["payer"]["stack"][0] == hangs and len(rows["payer"]["stack"]) > 1


HUNG = """
import asyncio

async def wait_for(others):
    await others[0]  #: task

async def take(orders):
    return await orders.get()  #: queue

async def main():
    first, second = [], []
    one = asyncio.create_task(wait_for(first), name="one")
    two = asyncio.create_task(wait_for(second), name="two")
    taker = asyncio.create_task(take(asyncio.Queue()), name="taker")
    first.append(two)
    second.append(one)
    await asyncio.gather(one, two, taker)

asyncio.run(main())
"""


async def test_awaits_that_hang(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, HUNG)
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("debug_run", program=marked.path, timeout_ms=ENOUGH)
        waits = told["waits"]
        assert set(waits["deadlocks"][0].split(" waits for ")) == {"one", "two"}
        rows = {each["name"]: each for each in waits["tasks"]}
        assert rows["one"]["waits_for"] == "a task" and "two" in rows["one"]["awaited_by"]
        line = f"wait_for program.py:{marked['task']}: await others[0]  #: task"
        assert rows["one"]["stack"] == [line]
        line = f"take program.py:{marked['queue']}: return await orders.get()  #: queue"
        assert rows["taker"]["stack"] == [line] and rows["taker"]["waits_for"]


BUSY = """
import threading, time

def spin(left):
    while left:  #: spins
        left = left or 1  #: turns

def doze():
    time.sleep(600)  #: sleeps

threading.Thread(target=doze, name="sleeper", daemon=True).start()
spin(3)
"""


async def test_a_busy_loop(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, BUSY)
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("debug_run", program=marked.path, timeout_ms=ENOUGH)
        rows = {each["name"]: each for each in told["waits"]["threads"]}
        spins = rows["MainThread"]
        assert spins["stack"][0].startswith("spin program.py:") and "waits_for" not in spins
        assert "#: spins" in spins["stack"][0] or "#: turns" in spins["stack"][0]
        line = f"doze program.py:{marked['sleeps']}: time.sleep(600)  #: sleeps"
        assert rows["sleeper"]["stack"] == [line] and "busy" not in rows["sleeper"]
        if sys.platform == "linux":
            assert spins["busy"] is True
        told = await client.told("debug_go", action="wait", timeout_ms=100)
        assert told["waits"]["threads"], "each call that reaches its limit tells it"
        told = await client.told("debug_go", action="pause")
        assert "waits" not in told
        await client.told("debug_disconnect")
        assert (await client.refusal("threads")).code == "NO_SESSION"


MANY = """
import threading

def wait_here_for_a_long_time(event):
    event.wait()  #: waits

event = threading.Event()
for number in range(60):
    threading.Thread(target=wait_here_for_a_long_time, args=(event,), daemon=True).start()
event.wait()
"""


async def test_few_of_many(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, MANY)
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("debug_run", program=marked.path, timeout_ms=ENOUGH)
        waits: dict[str, Any] = told["waits"]
        assert len(msgspec.json.encode(waits)) < 2_200
        assert len(waits["threads"]) < 20 and "61 threads" in waits["left_out"]
        assert len((await client.told("threads"))["threads"]) > len(waits["threads"])


async def test_who_gets_no_secrets_gets_the_places_alone(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, BUSY.replace("600", '600 if "hunter2" else 1'))
    async with agent(tmp_path, AGENT, redact=True) as client:
        told = await client.told("debug_run", program=marked.path, timeout_ms=ENOUGH)
        rows = {each["name"]: each for each in told["waits"]["threads"]}
        assert rows["sleeper"]["stack"] == [f"doze program.py:{marked['sleeps']}"]


CHILD = """
import os, subprocess, sys

if sys.argv[1:]:
    print(os.environ.get("MODE"))  #: child
else:
    environment = {"PATH": os.defpath}
    subprocess.run([sys.executable, __file__, "child"], env=environment)  #: starts
"""


async def test_a_stop_in_a_child_tells_who_has_started_it(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, CHILD)
    place = f"program.py:{marked['child']}"
    async with agent(tmp_path, AGENT) as client:
        told = await client.told("debug_run", program=marked.path, breakpoints=[place])
        assert told["process"]["session_id"] != told["parent"]["session_id"]
        (thread,) = told["parent"]["threads"]
        started = 'subprocess.run([sys.executable, __file__, "child"], env=environment)'
        where = f"<module> program.py:{marked['starts']}"
        assert thread["stack"] == [f"{where}: {started}  #: starts"]
        value = await client.told("evaluate", expressions=["sys.argv[1]"])
        assert "'child'" in str(value), "what comes next is for the process that stopped"
        told = await client.told("debug_go")
        assert (told["state"], told["exit_code"]) == ("exited", 0), "the child's end is no answer"
        assert "process" not in told
