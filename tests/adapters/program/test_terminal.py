"""The program's pseudo-terminal, on real processes."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tuidbg.adapters.program.terminal import LINE_LIMIT, PENDING_LIMIT, PseudoTerminal

pytestmark = pytest.mark.real

DEADLINE = 20.0


class Screen:
    """Starts programs on a terminal, keeps what they write and waits for conditions."""

    def __init__(self) -> None:
        self.output = bytearray()
        self.closings = 0
        self._news = asyncio.Event()
        self.terminal = PseudoTerminal(self._on_output, self._on_closed)

    def _on_output(self, data: bytes) -> None:
        self.output += data
        self._news.set()

    def _on_closed(self) -> None:
        self.closings += 1
        self._news.set()

    def run(self, code: str, *args: str, **options: object) -> int:
        command = [sys.executable, "-c", code, *args]
        return self.terminal.start(command, None, **options)  # type: ignore[arg-type]

    @property
    def text(self) -> str:
        return self.output.decode().replace("\r\n", "\n")

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(DEADLINE):
            while not condition():
                self._news.clear()
                await self._news.wait()

    async def until_text(self, text: str) -> None:
        try:
            await self.until(lambda: text in self.text)
        except TimeoutError:
            raise AssertionError(f"{text!r} not in {self.text[-500:]!r}") from None

    async def until_closed(self) -> None:
        await self.until(lambda: self.closings > 0)


@pytest.fixture
async def screen() -> AsyncIterator[Screen]:
    screen = Screen()
    yield screen
    screen.terminal.close()


WAYS = ["setsid", "python"] if sys.platform == "linux" and shutil.which("setsid") else ["python"]


@pytest.fixture(params=WAYS)
def claiming(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in which a program gets its controlling terminal."""
    which = shutil.which
    if request.param == "python":
        monkeypatch.setattr(
            shutil,
            "which",
            lambda name, path=None: None if name == "setsid" else which(name, path=path),
        )
    return str(request.param)


@pytest.mark.full
async def test_the_program_has_a_terminal_of_its_own(screen: Screen, claiming: str) -> None:
    pid = screen.run(
        "import os\n"
        "print('ttys', [os.isatty(fd) for fd in (0, 1, 2)])\n"
        "tty = os.open('/dev/tty', os.O_RDWR)\n"
        "print('leads', os.getsid(0) == os.getpgrp() == os.getpid())\n"
        "print('foreground', os.tcgetpgrp(tty) == os.getpid())\n"
        "print('size', tuple(os.get_terminal_size()))\n"
        "print('pid', os.getpid())\n",
        columns=97,
        rows=13,
    )
    await screen.until_closed()
    assert screen.text.splitlines() == [
        "ttys [True, True, True]",
        "leads True",
        "foreground True",
        "size (97, 13)",
        f"pid {pid}",
    ]
    assert not screen.terminal.is_open


@pytest.mark.sampled
async def test_environment_directory_and_signals(
    screen: Screen, claiming: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"COLUMNS": "7", "LINES": "7", "GONE": "x", "KEPT": "k"}.items():
        monkeypatch.setenv(name, value)
    for name in ("LC_CTYPE", "LC_ALL", "LANG"):
        monkeypatch.delenv(name, raising=False)
    # /usr/bin/env shows the environment that a program gets, with nothing added by a Python.
    screen.terminal.start(
        ["sh", "-c", "env; pwd -P; grep SigIgn /proc/self/status || true"],
        str(tmp_path),
        {"GONE": None, "ADDED": "a=b"},
    )
    await screen.until_closed()
    lines = screen.text.splitlines()
    assert "KEPT=k" in lines
    assert "ADDED=a=b" in lines
    assert "TERM=xterm-256color" in lines
    assert [line for line in lines if line.endswith(f"/{tmp_path.name}")]
    assert not [line for line in lines if line.startswith(("GONE", "COLUMNS", "LINES", "LC_"))]
    ignored = [int(line.split()[1], 16) for line in lines if line.startswith("SigIgn")]
    assert not any(mask & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGINT - 1) for mask in ignored)


@pytest.mark.full
async def test_term_can_be_chosen(screen: Screen) -> None:
    screen.terminal.start(["sh", "-c", "echo $TERM"], None, {"TERM": "dumb"})
    await screen.until_text("dumb\n")


async def test_what_cannot_start_says_so(screen: Screen, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such program"):
        screen.terminal.start(["no-such-program-here"], None)
    with pytest.raises(FileNotFoundError):
        screen.terminal.start(["sh"], str(tmp_path / "gone"))
    assert not screen.terminal.is_open


@pytest.mark.full
async def test_a_relative_program_is_sought_in_its_directory(
    screen: Screen, tmp_path: Path
) -> None:
    script = tmp_path / "here"
    script.write_text("#!/bin/sh\necho found it\n")
    script.chmod(0o755)
    screen.terminal.start(["./here"], str(tmp_path))
    await screen.until_text("found it\n")


@pytest.mark.full
async def test_a_relative_program_is_sought_in_the_current_directory(
    screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "here"
    script.write_text("#!/bin/sh\necho found it\n")
    script.chmod(0o755)
    screen.terminal.start(["./here"], None)
    await screen.until_text("found it\n")


@pytest.mark.full
async def test_lines_are_read_and_echoed(screen: Screen) -> None:
    screen.run("name = input('Name: '); print('Hello', name)")
    await screen.until_text("Name: ")
    assert screen.terminal.write("Zoë\n".encode())
    await screen.until_closed()
    assert screen.text == "Name: Zoë\nHello Zoë\n"


@pytest.mark.full
async def test_interrupt_raises_in_the_program(screen: Screen) -> None:
    screen.run(
        "import time\n"
        "try:\n    print('ready', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    await screen.until_text("ready")
    screen.terminal.send_interrupt()
    await screen.until_closed()
    assert "interrupted" in screen.text


async def test_interrupt_comes_through_unread_input(screen: Screen) -> None:
    screen.run(
        "import time\n"
        "try:\n    print('ready', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    await screen.until_text("ready")
    screen.terminal.write(b"never read\n" * 20_000)
    screen.terminal.send_interrupt()
    await screen.until_closed()
    assert "interrupted" in screen.text


async def test_interrupt_is_a_character_where_signals_are_off(screen: Screen) -> None:
    screen.run("import os, tty; tty.setraw(0); print('ready', flush=True); print(os.read(0, 9))")
    await screen.until_text("ready")
    screen.terminal.send_interrupt()
    await screen.until_text(r"b'\x03'")


async def test_end_of_file_ends_input(screen: Screen) -> None:
    screen.run(
        "print('ready', flush=True)\n"
        "try:\n    input()\nexcept EOFError:\n    print('ended')\n"
        "print('again', input())\n"
    )
    await screen.until_text("ready")
    screen.terminal.send_eof()
    await screen.until_text("ended")
    screen.terminal.write(b"alive\n")
    await screen.until_text("again alive")


async def test_the_program_sees_a_new_size(screen: Screen) -> None:
    screen.run(
        "import os, signal, time\n"
        "signal.signal(signal.SIGWINCH, lambda *_: print(tuple(os.get_terminal_size()), flush=1))\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(60)\n",
        columns=80,
        rows=24,
    )
    await screen.until_text("ready")
    screen.terminal.resize(123, 45)
    await screen.until_text("(123, 45)")


async def test_close_hangs_up(screen: Screen) -> None:
    screen.run("import time; print('ready', flush=True); time.sleep(60)")
    await screen.until_text("ready")
    screen.terminal.close()
    screen.terminal.close()
    assert not screen.terminal.write(b"x")
    assert not screen.terminal.send_eof()
    assert not screen.terminal.send_interrupt()
    screen.terminal.resize(10, 10)
    async with asyncio.timeout(DEADLINE):
        assert await screen.terminal.wait() == -signal.SIGHUP
    assert screen.terminal.exit_code == -signal.SIGHUP
    assert screen.closings == 0


@pytest.mark.full
async def test_200_000_lines_arrive_whole_and_the_loop_stays_awake(screen: Screen) -> None:
    slowest = 0.0

    async def watch() -> None:
        nonlocal slowest
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0)
            slowest = max(slowest, time.perf_counter() - before)

    watcher = asyncio.create_task(watch())
    screen.run("for i in range(200_000): print('line', i)")
    await screen.until_closed()
    watcher.cancel()
    assert screen.text == "".join(f"line {i}\n" for i in range(200_000))
    assert slowest < 0.25


@pytest.mark.full
async def test_big_input_waits_for_a_slow_reader(screen: Screen) -> None:
    pid = screen.run(
        "import signal, sys, termios\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})\n"
        "state = termios.tcgetattr(0)\n"
        "state[3] &= ~termios.ECHO\n"
        "termios.tcsetattr(0, termios.TCSANOW, state)\n"
        "print('ready', flush=True)\n"
        "signal.sigwait({signal.SIGUSR1})\n"
        "lines = sys.stdin.read().splitlines()\n"
        "print(len(lines), lines == [f'row {i} of many' for i in range(len(lines))])\n"
    )
    await screen.until_text("ready")
    before = time.perf_counter()
    for i in range(50_000):
        assert screen.terminal.write(f"row {i} of many\n".encode())
    screen.terminal.send_eof()
    assert time.perf_counter() - before < 5
    os.kill(pid, signal.SIGUSR1)
    await screen.until_text("50000 True")


@pytest.mark.full
async def test_too_much_input_is_refused_whole(screen: Screen) -> None:
    screen.run("import time; print('ready', flush=True); time.sleep(60)")
    await screen.until_text("ready")
    assert not screen.terminal.write(b"x" * (PENDING_LIMIT + 1))
    assert screen.terminal.write(b"small\n")


@pytest.mark.sampled
@pytest.mark.parametrize("length", [LINE_LIMIT - 1, LINE_LIMIT, LINE_LIMIT + 1, 4095, 4096, 50_000])
async def test_a_line_longer_than_the_driver_takes(screen: Screen, length: int) -> None:
    screen.run("print('ready'); text = input(); print(len(text), set(text)); print(input())")
    await screen.until_text("ready")
    screen.terminal.write(b"x" * length + b"\nnext\n")
    await screen.until_text(f"{length} {{'x'}}\nnext\n")


@pytest.mark.full
async def test_a_long_line_in_small_writes(screen: Screen) -> None:
    screen.run("print('ready'); text = input(); print(len(text), set(text)); print(input())")
    await screen.until_text("ready")
    for _ in range(100):
        screen.terminal.write(b"x" * 100)
    screen.terminal.write(b"\nnext\n")
    await screen.until_text("10000 {'x'}\nnext\n")


@pytest.mark.full
async def test_drain_sees_the_end(screen: Screen) -> None:
    screen.run("print('x' * 100_000)")
    await screen.until_text("x")
    assert await screen.terminal.drain(DEADLINE)
    assert len(screen.text) == 100_001
    assert await screen.terminal.drain()


@pytest.mark.full
async def test_drain_does_not_wait_for_a_process_left_behind(screen: Screen) -> None:
    screen.run(
        "import os, signal, time\n"
        "ready, tell = os.pipe()\n"
        "if (child := os.fork()) == 0:\n"
        "    signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "    os.setsid()\n"
        "    os.write(tell, b'x')\n"
        "    time.sleep(60)\n"
        "os.read(ready, 1)\n"
        "print('left behind', child, flush=True)\n"
    )
    await screen.until_text("left behind")
    async with asyncio.timeout(5):
        await screen.terminal.drain()
    words = screen.text.split()
    assert words[:2] == ["left", "behind"]
    os.kill(int(words[2]), signal.SIGKILL)


@pytest.mark.full
async def test_drain_has_a_limit(screen: Screen) -> None:
    screen.run("while True: print('x', flush=True)")
    await screen.until_text("x")
    async with asyncio.timeout(5):
        assert not await screen.terminal.drain(0.2)
