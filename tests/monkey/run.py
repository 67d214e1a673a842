"""One run of the monkey: the real tuidbg with a program, all deeds, and what is left at the end."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tests.monkey.hands import Deed, Hands
from tests.monkey.programs import KINDS, write_program
from tests.support.command import TUIDBG, private_environment
from tests.support.crowd import Crowd
from tests.support.terminal import Terminal

KEY_MAPS = ("default", "pdb", "vscode", "vim")
QUIT_SECONDS = 1.5
"""Limits what quitting may take on a machine that has nothing else to do; see ``Crowd``."""

_REACTS_WITHIN = 10.0
ENDS_WITHIN = 5.0
"""Seconds after the end of tuidbg for all it has started."""

_KEYS_AWAY = "Ctrl+] takes"
"""Stands on the screen while all keys are the program's."""

_ENTER, _LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"
_MODES = re.compile(rb"\x1b\[\?([\d;]+)([hl])|\x1b\[(?:>\d+|<)u")
_OFF = {"25": True, "7": True}
"""Private modes as a terminal has them at first, where that is not off: cursor, wrapping."""


class Fault(Exception):
    """Says what was wrong, in a sentence or a page."""


class Outcome(NamedTuple):
    """Tells how a run went; ``fault`` is empty where nothing was wrong."""

    seed: int
    title: str
    deeds: list[Deed]
    fault: str
    seconds: float

    def report(self) -> str:
        """Everything that is needed to see it again."""
        deeds = "\n".join(f"  {deed}" for deed in self.deeds)
        again = f"uv run python -m tests.monkey --runs 1 --seed {self.seed}"
        return f"seed {self.seed}: {self.title}\n{deeds}\n{self.fault}\nagain: {again}"


class Screen(Terminal):
    """A terminal that knows which modes are on, and does not wait for ever for who won't read."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.modes: dict[str, bool] = {}
        self.kitty = 0
        self._cut = b""
        super().__init__(*args, emulate=False, **options)

    def _take(self, data: bytes) -> None:
        super()._take(data)
        data = self._cut + data
        end = 0
        for found in _MODES.finditer(data):
            end = found.end()
            if found[1] is None:
                self.kitty = max(0, self.kitty + (-1 if b"<" in found[0] else 1))
            else:
                for mode in found[1].decode().split(";"):
                    self.modes[mode] = found[2] == b"h"
        self._cut = data[end:][-20:]

    def resize(self, columns: int, rows: int) -> None:
        """Change the size, and tell it as it was asked to."""
        super().resize(columns, rows)
        if self.modes.get("2048"):
            self.type(f"\x1b[48;{rows};{columns};{rows * 20};{columns * 10}t".encode())

    def forget_pending(self) -> None:
        """Drops what was painted up to now: all of it comes again at another size."""
        self._pending.clear()

    def modes_left(self) -> list[str]:
        """Returns what is not as a terminal has it at first."""
        left = [mode for mode, is_on in self.modes.items() if is_on != _OFF.get(mode, False)]
        return [*left, *(["kitty"] if self.kitty else [])]

    def type(self, data: bytes) -> None:
        """Send; Fault when nobody reads it."""
        deadline = time.monotonic() + 4 * _REACTS_WITHIN
        while data and self.process.poll() is None:
            try:
                data = data[os.write(self._master, data[:4096]) :]
            except BlockingIOError:
                self.pump(0.01)
                if time.monotonic() > deadline:
                    raise Fault(f"it does not read its keys any more\n{self.stacks()}") from None

    def wait(self, seconds: float) -> None:
        """Let it work, and read what it writes."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and self.process.poll() is None:
            self.pump(min(left, 0.05))

    def stacks(self) -> str:
        """Returns where it hangs, and ends it, by a signal at which Python tells its stacks."""
        before = self.bytes_written
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGABRT)
        with suppress(AssertionError):
            self.wait_exit(5.0)
        told = self.bytes_written - before
        return self.raw[-told:].decode(errors="replace")[-6000:] if told else "(no stacks)"


def run_once(seed: int, *, broken: bool = True) -> Outcome:
    """Do what this seed says to a tuidbg of its own."""
    random = Random(seed)
    kind, key_map = random.choice(list(KINDS)), random.choice(KEY_MAPS)
    options = random.choice(([], ["--no-stop-on-entry"], ["--console", "internal"], ["--watch"]))
    hands = Hands(random, broken=broken)
    hands.size = size = random.choice(((140, 40), (80, 24), (60, 15), (200, 50)))
    is_early = random.random() < 0.4
    deeds = [hands.deed() for _ in range(random.randint(3, 40))]
    title = f"{kind}, keys {key_map}, {size[0]}x{size[1]}{' early' * is_early} {' '.join(options)}"
    begun = time.monotonic()
    with TemporaryDirectory(prefix="monkey-") as name:
        folder = Path(name)
        program = write_program(kind, folder)
        command = [*TUIDBG, "--keys", key_map, *options, program.name]
        with Screen(
            command, columns=size[0], rows=size[1], cwd=folder, env=_environment(folder)
        ) as screen:
            try:
                _go(screen, deeds, is_early)
                fault = ""
            except Fault as found:
                fault = str(found)
            except AssertionError as found:
                fault = f"{found}\n{screen.stacks()}"
    return Outcome(seed, title, deeds, fault, time.monotonic() - begun)


def _environment(folder: Path) -> dict[str, str | None]:
    """A home of its own, and few commands: a monkey must not attach to others' processes."""
    commands = folder / "bin"
    commands.mkdir()
    for name in ("sh", "sleep", "setsid", "true", "ps"):
        if found := shutil.which(name):
            (commands / name).symlink_to(found)
    return {
        **private_environment(folder),
        "PATH": str(commands),
        "EDITOR": "true",
        "VISUAL": None,
        "TMUX": None,
        "PYTHONFAULTHANDLER": "1",
    }


def _go(screen: Screen, deeds: list[Deed], is_early: bool) -> None:
    _await_start(screen, is_early)
    for deed in deeds:
        if screen.process.poll() is not None:
            break
        if deed.size is not None:
            screen.resize(*deed.size)
        elif deed.pause:
            screen.wait(deed.pause)
        else:
            screen.type(deed.sent)
        screen.pump()
    if screen.process.poll() is None:
        _quit(screen)
    screen.wait_exit(5.0)
    look_over(screen)


def _await_start(screen: Screen, is_early: bool) -> None:
    """Until it has the terminal, or unless the keys shall be early until it has painted."""
    deadline = time.monotonic() + 60
    while screen.process.poll() is None and time.monotonic() < deadline:
        screen.pump(0.01)
        if _ENTER in screen.raw and (is_early or screen.bytes_written > 600):
            return
    if screen.process.poll() is None:
        raise Fault(f"it has not started\n{screen.stacks()}")


def _quit(screen: Screen) -> None:
    """See that it reacts, then quit it as a person would who has had enough."""
    screen.type(b"\x1b[201~")  # whatever was begun
    screen.wait(0.1)
    shown = _resized(screen)
    for _ in range(2):
        crowd = Crowd([os.getpid(), screen.pid, *screen.remains()])
        begun = time.monotonic()
        # Ctrl+Q, and again if there is a question; while the keys are the program's, Ctrl+] first.
        screen.type(b"\x1d\x11\x11" if _KEYS_AWAY in shown else b"\x11\x11")
        while (taken := time.monotonic() - begun) < _REACTS_WITHIN + crowd.seconds():
            screen.pump(0.02)
            if screen.process.poll() is not None:
                if taken > QUIT_SECONDS + crowd.seconds():
                    waited = crowd.seconds()
                    raise Fault(f"quitting took {taken:.2f} s, {waited:.2f} for want of a core")
                return
        # The keys may have been the program's for a moment that was never shown.
        shown = _resized(screen)
    raise Fault(f"{taken:.1f} s and it has not ended\n{shown}\n{screen.stacks()}")


def _resized(screen: Screen) -> str:
    """Returns what it shows once it has another size. Fault when it does not react to that."""
    screen.emulator.feed(b"\x1bc")
    screen.resize(121, 37)
    screen.wait(0.1)
    screen.forget_pending()
    screen.resize(120, 36)
    deadline = time.monotonic() + _REACTS_WITHIN
    crowd = Crowd([screen.pid])
    while screen.process.poll() is None:
        screen.settle(0.3, 2.0)
        screen.show_pending()
        if screen.text.strip():
            break
        if time.monotonic() > deadline + crowd.seconds():
            raise Fault(f"no reaction to another size\n{screen.stacks()}")
    return screen.text


def look_over(screen: Screen) -> None:
    """Checks what a person finds afterwards."""
    status, problems = screen.process.returncode, []
    raw = screen.raw[max(0, screen.raw.rfind(_ENTER)) :]
    last = raw[max(0, raw.find(_LEAVE)) :].decode(errors="replace")  # what is on the shell's screen
    if status == 1 or status < 0:
        problems.append(f"it ended with status {status}")
    if "Traceback" in last or "Error" in last.replace("SyntaxError", ""):
        problems.append("it told of an error")
    if left := screen.modes_left():
        problems.append(f"the terminal's modes {', '.join(left)} are not as before")
    if screen.attributes() != screen.attributes_at_start:
        problems.append("the terminal's settings are not as before")
    deadline = time.monotonic() + ENDS_WITHIN
    crowd = Crowd(list(remains := screen.remains()))
    while remains and time.monotonic() < deadline + crowd.seconds():
        time.sleep(0.05)
        remains = screen.remains()
    if remains and "Left parked" not in last:
        problems.append(f"processes are left: {remains}")
    if problems:
        raise Fault("\n".join([*problems, last[-6000:]]))
