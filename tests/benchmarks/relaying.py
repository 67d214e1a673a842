"""The relay: what a program on the same machine waits for, beside the bare client's own waits.

A real server with a token; connections stay open. What has something to be compared with is
measured in turns with it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from tests.benchmarks import figures as f
from tests.benchmarks.client import BareClient
from tests.benchmarks.debuggers import PROGRAMS
from tests.benchmarks.served import HttpClient, Json, Server

STEPS = PROGRAMS / "steps.py"
TICKS = PROGRAMS / "ticks.py"

_TO_THE_LOOP = 6
"""Steps from the entry of ``steps.py`` to the call that loops."""

_ROUNDS = 10
"""Samples for each of ``--runs`` of what takes a few milliseconds."""

_POLLERS = 20
_EVENTS = 500
_RATE = 100
"""Events a second."""

_SESSIONS = 10
_STEPPING = 3.0
"""Seconds for which sessions are stepped as fast as they go."""


# One call at a time


def measure_relay_steps(server: Server, figures: f.Figures, runs: int) -> None:
    """Steps by the relay, and by a client that asks for nothing but the stop."""
    with (
        server.connect() as http,
        BareClient() as bare,
        BareClient() as tuned,
        _at_loop(http) as path,
    ):
        for client in (bare, tuned):
            client.launch(STEPS)
            for command in ["next"] * _TO_THE_LOOP + ["stepIn"]:
                client.step_to_stop(command)
        tuned.tune()
        for _ in range(runs * _ROUNDS):
            for client, who in ((bare, f.CLIENT), (tuned, f.TUNED_CLIENT)):
                started = time.perf_counter()
                client.step_to_stop()
                figures.add(f.RELAY_STEP, who, _since(started))
            started = time.perf_counter()
            answer = http.ask("POST", f"{path}/step-over")
            figures.add(f.RELAY_STEP, f.TUIDBG, _since(started))
            if answer["status"] != "paused" or not answer["current_location"]:
                raise RuntimeError(f"a step went wrong: {answer}")


def measure_reading(server: Server, figures: f.Figures, runs: int) -> None:
    """Measures what programs ask again and again of a session that stands."""
    with server.connect() as http, _at_loop(http) as path:
        entries = [{"source": {"path": str(STEPS)}, "line": line} for line in (8, 9)]
        http.ask("POST", f"{path}/breakpoints", {"breakpoints": entries})
        cursor = http.ask("GET", f"{path}/events?limit=1000")["next_cursor"]
        for _ in range(runs * _ROUNDS):
            for measure, what in (
                (f.RELAY_STATUS, ""),
                (f.RELAY_BREAKPOINTS, "/breakpoints"),
                (f.RELAY_EVENTS, f"/events?cursor={cursor}"),
            ):
                started = time.perf_counter()
                http.ask("GET", path + what)
                figures.add(measure, f.TUIDBG, _since(started))


def measure_create(server: Server, figures: f.Figures, runs: int) -> None:
    """Sessions made and deleted again."""
    with server.connect() as http:
        for _ in range(runs * _ROUNDS):
            started = time.perf_counter()
            session = http.create(STEPS.parent)
            figures.add(f.RELAY_CREATE, f.TUIDBG, _since(started))
            http.ask("DELETE", f"/sessions/{session}")


def measure_relay_launches(server: Server, figures: f.Figures, runs: int) -> None:
    """Launches of both, until the program stands at its first line; the first is not counted."""
    with server.connect() as http:
        for number in range(runs + 1):
            kept = figures if number else f.Figures()
            started = time.perf_counter()
            with BareClient() as client:
                client.launch_to_stop(STEPS)
                kept.add(f.RELAY_LAUNCH, f.CLIENT, _since(started))
            path = f"/sessions/{http.create(STEPS.parent)}"
            started = time.perf_counter()
            body = {"script": str(STEPS), "stop_on_entry": True}
            answer = http.ask("POST", f"{path}/launch", body)
            kept.add(f.RELAY_LAUNCH, f.TUIDBG, _since(started))
            if answer["status"] != "paused":
                raise RuntimeError(f"it does not stand: {answer}")
            http.ask("DELETE", path)


# Long polls


def measure_long_poll(server: Server, figures: f.Figures, runs: int) -> None:
    """From the program's own ``print`` to the answer of the one who waits for it."""
    with server.connect() as http, _ticking(http) as path, ThreadPoolExecutor(1) as pool:
        for _ in range(runs):
            cursor = _end_of_events(http, path)
            with server.connect() as waiting:
                polling = pool.submit(_follow, waiting, path, cursor, 20)
                _tick(http, path, 20)
                for delay in polling.result().values():
                    figures.add(f.RELAY_POLL, f.TUIDBG, delay * 1000)


def measure_pollers(server: Server, figures: f.Figures, runs: int) -> None:
    """Many who wait at once for a stream of events; each must get all."""
    with server.connect() as http, _ticking(http) as path:
        for _ in range(max(1, runs // 5)):
            cursor = _end_of_events(http, path)
            with ThreadPoolExecutor(_POLLERS) as pool:
                clients = [server.connect() for _ in range(_POLLERS)]
                following = [
                    pool.submit(_follow, client, path, cursor, _EVENTS) for client in clients
                ]
                _tick(http, path, _EVENTS)
                found = [each.result() for each in following]
                for client in clients:
                    with client:
                        pass
            figures.add(f.RELAY_LOST, f.TUIDBG, sum(_EVENTS - len(each) for each in found))
            for each in found:
                for delay in each.values():
                    figures.add(f.RELAY_MANY_POLLS, f.TUIDBG, delay * 1000)


def _end_of_events(http: HttpClient, path: str) -> str:
    """The position behind all events so far, however many pages they are."""
    page = http.ask("GET", f"{path}/events?limit=1000")
    while page["events"]:
        page = http.ask("GET", f"{path}/events?limit=1000&cursor={page['next_cursor']}")
    cursor: str = page["next_cursor"]
    return cursor


def _follow(http: HttpClient, path: str, cursor: str, count: int) -> dict[int, float]:
    """Wait for so many ticks; how long each was under way, in seconds. Parses afterwards."""
    answers: list[tuple[float, bytes]] = []
    last = f"tick {count - 1} ".encode()
    deadline = time.monotonic() + 10 + count / _RATE
    while time.monotonic() < deadline:
        answer = http.ask_raw("GET", f"{path}/events?timeout=30&limit=1000&cursor={cursor}")
        answers.append((time.time(), answer))
        found = re.search(rb'"next_cursor":"([^"]+)"', answer)
        if found is None:
            raise RuntimeError(f"no events: {answer!r}")
        cursor = found[1].decode()
        if last in answer:
            break
    delays: dict[int, float] = {}
    for received, answer in answers:
        for event in json.loads(answer)["data"]["events"]:
            for tick in re.finditer(r"tick (\d+) ([0-9.]+)", event["body"].get("output", "")):
                if int(tick[1]) in delays:
                    raise RuntimeError(f"told twice: {tick[0]}")
                delays[int(tick[1])] = received - float(tick[2])
    return delays


@contextmanager
def _ticking(http: HttpClient) -> Iterator[str]:
    """A session whose program prints when it is told to."""
    path = f"/sessions/{http.create(TICKS.parent)}"
    line = next(n for n, text in enumerate(TICKS.read_text().splitlines(), 1) if "0.005" in text)
    entry = {"source": {"path": str(TICKS)}, "line": line}
    http.ask("POST", f"{path}/breakpoints", {"breakpoints": [entry]})
    http.ask("POST", f"{path}/launch", {"script": str(TICKS)})
    _until_paused(http, path)
    try:
        yield path
    finally:
        http.ask("DELETE", path)


def _tick(http: HttpClient, path: str, count: int) -> None:
    """Let it print so often; it stands at its breakpoint before, and afterwards again."""
    http.ask("POST", f"{path}/evaluate", {"expression": f"count = {count}", "context": "repl"})
    http.ask("POST", f"{path}/continue")
    _until_paused(http, path)


def _until_paused(http: HttpClient, path: str) -> None:
    deadline = time.monotonic() + 60
    while http.ask("GET", path)["status"] != "paused":
        if time.monotonic() > deadline:
            raise RuntimeError("the program does not stop")
        time.sleep(0.05)


# Many sessions


def measure_many_sessions(server: Server, figures: f.Figures, runs: int) -> None:
    """Ten sessions stepped at once, each as fast as it goes, beside one alone."""
    with server.connect() as http:
        paths = [_launch_into_loop(http) for _ in range(_SESSIONS)]
        try:
            for _ in range(max(1, runs // 5) + 1):
                (alone,) = _step_all(server, paths[:1])
                figures.add(f.RELAY_ALONE, f.TUIDBG, alone / _STEPPING)
                counts = _step_all(server, paths)
                figures.add(f.RELAY_TOGETHER, f.TUIDBG, sum(counts) / _STEPPING)
                share = min(counts) / (sum(counts) / len(counts))
                figures.add(f.RELAY_WORST_SHARE, f.TUIDBG, share)
        finally:
            for path in paths:
                http.ask("DELETE", path)


def _step_all(server: Server, paths: list[str]) -> list[int]:
    """Returns how many steps each of the sessions has done in a time."""

    def run(path: str) -> int:
        with server.connect() as http:
            steps, deadline = 0, time.perf_counter() + _STEPPING
            while time.perf_counter() < deadline:
                http.ask("POST", f"{path}/step-over")
                steps += 1
            return steps

    with ThreadPoolExecutor(len(paths)) as pool:
        return list(pool.map(run, paths))


# What they have in common


@contextmanager
def _at_loop(http: HttpClient) -> Iterator[str]:
    path = _launch_into_loop(http)
    try:
        yield path
    finally:
        http.ask("DELETE", path)


def _launch_into_loop(http: HttpClient) -> str:
    """A session that stands in the loop of ``steps.py``; its path."""
    path = f"/sessions/{http.create(STEPS.parent)}"
    http.ask("POST", f"{path}/launch", {"script": str(STEPS), "stop_on_entry": True})
    answer: Json = {}
    for step in ["step-over"] * _TO_THE_LOOP + ["step-into"]:
        answer = http.ask("POST", f"{path}/{step}")
    if answer["current_location"]["function"] != "walk":
        raise RuntimeError(f"it is not in its loop: {answer}")
    return path


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
