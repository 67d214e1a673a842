"""Tests when a program's screen is emulated, what the console gets, that a flood stays small."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

import pytest

from tests.support.sessions import until
from tuidbg.adapters.program.terminal import PseudoTerminal
from tuidbg.session.core.terminal.program_screen import KEPT, ProgramScreen

pytestmark = pytest.mark.real


class Running:
    """A program on a terminal, and its screen."""

    def __init__(self) -> None:
        self.screen = ProgramScreen()
        self.lines = b""
        self.terminal = PseudoTerminal(self._take)
        self.most_waiting = 0

    def _take(self, data: bytes) -> None:
        self.lines += self.screen.take(data)
        self.lines = self.lines[-200_000:]
        self.most_waiting = max(self.most_waiting, self.screen._waiting)

    def run(self, code: str) -> None:
        self.terminal.start([sys.executable, "-c", code], None)
        self.screen.begin(self.terminal)

    async def says(self, text: str) -> None:
        await until(lambda: text.encode() in self.lines, f"{text!r} in {self.lines[-500:]!r}")

    async def draws(self, text: str) -> None:
        await until(lambda: text in self.screen.emulator.text, f"{text!r} on the screen")


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    running = Running()
    yield running
    running.terminal.close()
    running.screen.end()


RAW = "import sys, tty, termios; tty.setcbreak(0); w = lambda s: print(s, end='', flush=True)\n"


@pytest.mark.full
async def test_nothing_is_emulated_for_a_program_that_prints(running: Running) -> None:
    running.run("print('\\x1b[31mred\\x1b[0m', '\\r50%\\r100%'); print('end'); input()")
    await running.says("end")
    await until(lambda: running.screen._look is None, "a look at how it reads")
    assert running.screen._emulator is None
    assert not running.screen.is_taken


@pytest.mark.full
async def test_it_is_emulated_from_its_beginning_when_somebody_looks(running: Running) -> None:
    running.run("print('\\x1b[31mred\\x1b[0m'); input('go on? ')")
    await running.says("go on? ")
    running.screen.show(running, True)
    assert running.screen.emulator.text.startswith("red\ngo on?")
    running.screen.type(b"yes\r")
    await running.draws("go on? yes")


async def test_the_alternate_screen_takes_it_and_leaves_the_console_alone(running: Running) -> None:
    running.run(
        "w = lambda s: print(s, end='', flush=True)\n"
        "w('before\\n\\x1b[?10'); w('49h\\x1b[2;3Hdrawn'); input()\n"
        "w('\\x1b[?1049lafter\\n'); input()"
    )
    await running.draws("drawn")
    await until(lambda: running.screen.taken.screen, "the screen is taken")
    assert b"drawn" not in running.lines
    running.screen.type(b"\r")
    await running.says("after")
    await until(lambda: not running.screen.is_taken, "the screen is given back")
    await running.draws("before")
    assert "drawn" not in running.screen.emulator.text


@pytest.mark.full
async def test_reading_keys_and_drawing_takes_it(running: Running) -> None:
    running.run(
        RAW + "saved = termios.tcgetattr(0)\nw('\\x1b[Hkey? '); sys.stdin.read(1)\n"
        "saved[3] |= termios.ICANON | termios.ECHO; termios.tcsetattr(0, 0, saved); input()"
    )
    await until(lambda: running.screen.taken.keys, "the keys are taken")
    running.screen.type(b"x")
    await until(lambda: not running.screen.is_taken, "the keys are given back")


@pytest.mark.full
async def test_reading_keys_alone_does_not(running: Running) -> None:
    running.run(RAW + "w('key? '); sys.stdin.read(1); w('\\x1b[2Jdrawn'); sys.stdin.read(1)")
    await running.says("key? ")
    await until(lambda: running.screen._look is not None, "it is looked at")
    assert not running.screen.is_taken
    running.screen.type(b"x")
    await until(lambda: running.screen.taken.keys, "the keys are taken")


@pytest.mark.full
async def test_a_secret_is_noticed(running: Running) -> None:
    running.run("import getpass; print(len(getpass.getpass('word: '))); input()")
    await until(lambda: running.screen.taken.secret, "a secret is asked for")
    running.screen.type(b"hidden\r")
    await until(lambda: not running.screen.is_taken, "it is over")
    await running.says("6")
    assert b"hidden" not in running.lines


async def test_a_question_is_answered_though_nobody_looks(running: Running) -> None:
    running.run(
        RAW + "w('ab\\x1b[6n'); s = ''\nwhile not s.endswith('R'): s += sys.stdin.read(1)\n"
        "w('\\n' + repr(s)); sys.stdin.read(1)"
    )
    await running.says("[1;3R")


@pytest.mark.full
async def test_a_flood_is_kept_small_and_its_end_is_shown(running: Running) -> None:
    running.run("for i in range(20_000): print('line', i, 'x' * 60)\ninput('end? ')")
    await running.says("end? ")
    screen = running.screen
    assert screen._emulator is None
    assert running.most_waiting <= KEPT
    screen.show(running, True)
    await running.draws("end?")
    emulator = screen.emulator
    numbers = range(emulator.first_number, emulator.end_number)
    lines = ["".join(text for text, _ in emulator.line(n)) for n in numbers]
    mark = next(n for n, line in enumerate(lines) if "passed over" in line)
    passed = int(lines[mark].strip("… ").split()[0].replace(",", ""))
    rest = [line for line in lines[mark + 1 :] if line.startswith("line")]
    assert rest == [f"line {i} {'x' * 60}" for i in range(passed, 20_000)]


@pytest.mark.full
async def test_a_flood_that_is_looked_at_stays_small(running: Running) -> None:
    running.screen.show(running, True)
    running.run("for i in range(30_000): print('line', i, 'of many')\ninput('end? ')")
    await running.draws("end?")
    assert running.most_waiting <= KEPT + 65_536
    assert "line 29999 of many" in running.screen.emulator.text


async def test_a_program_that_draws_a_flood_waits_and_loses_nothing(running: Running) -> None:
    running.run(
        RAW + "w('\\x1b[?1049h')\n"
        "for i in range(12_000): w(f'\\x1b[{i % 20 + 1};1H\\x1b[3{i % 8}mline {i} ' + 'x' * 50)\n"
        "w('\\x1b[24;1Hend'); sys.stdin.read(1)"
    )
    await running.draws("end")
    shown = running.screen.emulator.text.split("\n")
    last = {i % 20: i for i in range(12_000)}
    assert [line.split()[1] for line in shown[:20]] == [str(last[row]) for row in range(20)]
    assert running.most_waiting <= KEPT + 2 * 65_536
    assert running.lines.count(b"x") == 0


async def test_what_a_program_drew_stays_after_its_end_and_goes_with_the_next(
    running: Running,
) -> None:
    running.run(RAW + "w('\\x1b[?1049h\\x1b[?1000h\\x1b[?25l\\x1b[2;2Hlast picture')")
    await running.draws("last picture")
    await running.terminal.wait()
    await running.terminal.drain()
    running.screen.end()
    assert not running.screen.is_taken
    assert "last picture" in running.screen.emulator.text
    modes = running.screen.modes
    assert modes is not None and not modes.mouse
    running.lines = b""
    running.terminal = PseudoTerminal(running._take)
    running.run("print('second'); input()")
    await running.says("second")
    assert "picture" not in running.screen.emulator.text
