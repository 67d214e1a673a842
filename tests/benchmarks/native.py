"""Measures what hits cost on C (lldb-dap) and Go (Delve): tracepoints, breakpoints that count.

The same program passes one line again and again. What tuidbg is compared with is the adapter's own
log point, set by a bare client that does nothing else.
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks import figures as f
from tests.support.go import GO, built, go_session
from tests.support.native import PROGRAMS, compiled, lldb_session
from tuidbg.adapters.table import find_profile

PASSES = 500
MESSAGE = "{i} of {both.left}"
WARM_UP = 20
"""Passes before the clock runs: at the first of them symbols are read."""


class _Program(NamedTuple):
    adapter: str
    source: Path
    build: Callable[[], Path]
    traced: f.Measure
    counted: f.Measure


_PROGRAMS = (
    _Program(
        "lldb-dap",
        PROGRAMS / "passes.c",
        lambda: compiled("passes.c"),
        f.TRACED_C,
        f.COUNTED_C,
    ),
    _Program("dlv", GO / "passes" / "main.go", lambda: built("passes"), f.TRACED_GO, f.COUNTED_GO),
)


def measure_native(figures: f.Figures, runs: int) -> None:
    """Every program with each kind of breakpoint, in turns."""
    for program in _PROGRAMS:
        for _ in range(runs):
            figures.add(program.traced, f.TUIDBG, asyncio.run(_run(program, is_traced=True)))
            figures.add(program.traced, f.CLIENT, _log_points(program))
            figures.add(program.counted, f.TUIDBG, asyncio.run(_run(program, is_traced=False)))


def _line(program: _Program) -> int:
    lines = program.source.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if "return both" in line)


async def _run(program: _Program, *, is_traced: bool) -> float:
    """Milliseconds a hit, of a program that runs to its end."""
    settings: dict[str, Any] = {"hit_condition": f">{2 * PASSES}"}
    if is_traced:
        settings = {"trace": True, "log_message": MESSAGE}
    open_session = go_session if program.adapter == "dlv" else lldb_session
    with tempfile.TemporaryDirectory() as folder:
        arguments = (Path(folder), program.build(), str(PASSES))
        async with open_session(*arguments, stop_on_entry=False) as test:
            test.session.adapter.log = None
            breakpoints = test.session.breakpoints
            line = _line(program)
            await breakpoints.set(str(program.source), line, origin="tui", **settings)
            starting = asyncio.create_task(test.start())
            await test.until(lambda: breakpoints.registry.get(1).hits >= WARM_UP)
            first, begun = breakpoints.registry.get(1).hits, time.perf_counter()
            await test.until(lambda: breakpoints.registry.get(1).hits >= PASSES, timeout=60)
            seconds = time.perf_counter() - begun
            await test.until(lambda: test.ended)
            await starting
            counts = [record.count for record in test.session.trace]
    if is_traced and counts != list(range(1, PASSES + 1)):
        raise RuntimeError(f"{len(counts)} of {PASSES} hits were told")
    return seconds * 1000 / (PASSES - first)


def _log_points(program: _Program) -> float:
    """The same by the adapter's own log point."""
    with _Client(program.adapter) as client:
        return client.run(program)


class _Client:
    """A bare client of either adapter: blocking, without anything of tuidbg's session."""

    def __init__(self, adapter: str) -> None:
        self._adapter = adapter
        self._sent = 0
        self._events: list[dict[str, Any]] = []
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if adapter == "dlv":
            with socket.create_server(("127.0.0.1", 0)) as server:
                host, port = server.getsockname()
                command = find_profile(adapter).start.command(f"{host}:{port}")
                self._process = subprocess.Popen(command, **quiet)  # type: ignore[call-overload]
                line, _ = server.accept()
            self._reader = line.makefile("rb")
            self._write: Callable[[bytes], object] = line.sendall
        else:
            own = {**quiet, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self._process = subprocess.Popen(
                find_profile(adapter).start.command(),
                bufsize=0,
                **own,  # type: ignore[call-overload]
            )
            self._reader = self._process.stdout
            self._write = self._process.stdin.write

    def __enter__(self) -> _Client:
        return self

    def __exit__(self, *raised: object) -> None:
        self._process.kill()
        self._process.wait()

    def run(self, program: _Program) -> float:
        """Milliseconds a hit."""
        self._ask("initialize", {"adapterID": "bare", "linesStartAt1": True})
        launch = {"program": str(program.build()), "args": [str(PASSES)], "cwd": "/"}
        self._send("launch", launch | ({"mode": "exec"} if self._adapter == "dlv" else {}))
        self._wait_for("initialized")
        wanted = [{"line": _line(program), "logMessage": MESSAGE}]
        self._ask(
            "setBreakpoints", {"source": {"path": str(program.source)}, "breakpoints": wanted}
        )
        self._send("configurationDone", {})
        for _ in range(WARM_UP):
            self._wait_for_hit()
        begun = time.perf_counter()
        for _ in range(PASSES - WARM_UP):
            self._wait_for_hit()
        return (time.perf_counter() - begun) * 1000 / (PASSES - WARM_UP)

    def _wait_for_hit(self) -> None:
        while " of " not in self._wait_for("output")["output"]:
            pass

    def _send(self, command: str, arguments: dict[str, Any]) -> int:
        self._sent += 1
        message = {"seq": self._sent, "type": "request", "command": command}
        body = json.dumps(message | {"arguments": arguments}).encode()
        self._write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self._sent

    def _ask(self, command: str, arguments: dict[str, Any]) -> None:
        number = self._send(command, arguments)
        while self._read().get("request_seq") != number:
            pass

    def _wait_for(self, event: str) -> dict[str, Any]:
        while True:
            while not self._events:
                self._read()
            found = self._events.pop(0)
            if found["event"] == event:
                body: dict[str, Any] = found.get("body") or {}
                return body

    def _read(self) -> dict[str, Any]:
        length = 0
        while line := self._reader.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise EOFError("the adapter has closed its output")
        message: dict[str, Any] = json.loads(self._reader.read(length))
        if message["type"] == "event":
            self._events.append(message)
        return message
