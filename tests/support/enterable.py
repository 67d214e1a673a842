"""Programs of nine kinds that run already, to be entered by their process ids, and left unharmed.

Those that run count into a file; each ends with a status of its own as soon as it is asked to.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.sessions import until

STATUS = 7
"""With what each of them ends."""

_BEGIN = """\
import os, sys, time
def is_over():
    return os.path.exists(sys.argv[1] + "/over")
count = 0
def tick():
    global count
    count += 1  #: tick
    if count % 20 == 0:
        with open(sys.argv[1] + "/count.new", "w") as file:
            file.write(str(count))
        os.replace(sys.argv[1] + "/count.new", sys.argv[1] + "/count")
"""

_THREADS = """\
import os, threading
try:
    import numpy
    data = numpy.random.rand(200, 200)
    def work():
        while True:
            data @ data
except ImportError:
    import zlib
    data = os.urandom(1 << 18)
    def work():
        while True:
            zlib.compress(data, 6)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
while not is_over():
    time.sleep(0.005)
    tick()
"""

RUNNING = {
    "native threads": _THREADS,
    "busy loop": "n = 0\nwhile not (n % 4096 == 0 and is_over()):\n    n += 1\n    tick()\n",
    "sleep": "while not is_over():\n    time.sleep(0.005)\n    tick()\n",
    "asyncio": """\
import asyncio
async def main():
    while not is_over():
        await asyncio.sleep(0.005)
        tick()
asyncio.run(main())
""",
    "signals": """\
import signal, socket
alarms = 0
def on_alarm(*_):
    global alarms
    alarms += 1
signal.signal(signal.SIGALRM, on_alarm)
ours, theirs = socket.socketpair()
ours.setblocking(False)
theirs.setblocking(False)
signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while not is_over():
    try:
        ours.recv(4096)
    except BlockingIOError:
        pass
    tick()
before, begun = alarms, time.monotonic()
while alarms == before and time.monotonic() < begun + 10:
    time.sleep(0.01)
signal.setitimer(signal.ITIMER_REAL, 0)
assert alarms > before, "alarms come no more"
assert not signal.pthread_sigmask(signal.SIG_BLOCK, []), "a signal stays blocked"
""",
    "malloc": """\
while not is_over():
    heap = [bytearray(i * 13) for i in range(600)]
    names = {str(i): [i] for i in range(600)}
    tick()
""",
}
"""They run Python code again and again."""

WAITING = {
    "input": "input()\n",
    "child": """\
import subprocess
subprocess.run(["sh", "-c", "while [ ! -e \\"$0/over\\" ]; do sleep 0.05; done", sys.argv[1]])
""",
    "lock": """\
import threading
lock = threading.Lock()
lock.acquire()
def release():
    while not is_over():
        time.sleep(0.02)
    lock.release()
threading.Thread(target=release, daemon=True).start()
lock.acquire()
""",
}
"""Their main threads stand outside of Python until the end."""

_END = f"sys.exit({STATUS})\n"

HOLDING = """\
import ctypes, threading
libc = ctypes.PyDLL(None)
def work():
    time.sleep(0.2)
    while not is_over():
        libc.usleep(3_000_000)
threading.Thread(target=work, daemon=True).start()
input()
"""
"""Waits for input while another thread keeps the interpreter for itself, three seconds each time:
whoever comes in finds it taken, and others see it wait."""


class Enterable:
    """One of them, running."""

    def __init__(self, process: subprocess.Popen[bytes], path: Path, folder: Path) -> None:
        self.process = process
        self.path = str(path)
        self._folder = folder
        text = path.read_text(encoding="utf-8")
        self.tick = 1 + text[: text.index("#: tick")].count("\n")
        """The line at which those that run come by."""

    @property
    def count(self) -> int:
        try:
            return int((self._folder / "count").read_text())
        except FileNotFoundError:
            return 0

    async def goes_on(self) -> None:
        """Wait until it has counted on."""
        before = self.count
        await until(lambda: self.count > before, "the program runs on")

    async def ends_well(self) -> None:
        """Have it end; it must do so as if nobody had ever been in it."""
        (self._folder / "over").touch()
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        await until(lambda: self.process.poll() is not None, "the program ends")
        assert self.process.returncode == STATUS
        assert (self._folder / "stderr").read_text(encoding="utf-8") == ""


def _start(command: list[str], error: Path) -> subprocess.Popen[bytes]:
    with error.open("wb") as stderr:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env={name: text for name, text in os.environ.items() if name != "PYTHONWARNINGS"},
            start_new_session=True,
        )


@asynccontextmanager
async def enterable(folder: Path, python: str, source: str) -> AsyncIterator[Enterable]:
    """The program, run by that interpreter in a new folder; it has come to what it is about."""
    folder.mkdir()
    path = folder / "program.py"
    path.write_text(f"{_BEGIN}tick()\ncount = 19\ntick()\n{source}{_END}", encoding="utf-8")
    process = _start([python, str(path), str(folder)], folder / "stderr")
    program = Enterable(process, path, folder)
    try:
        await until(lambda: program.count, "the program has begun")
        yield program
    finally:
        with contextlib.suppress(ProcessLookupError):  # it has ended, as it should
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdin is not None
        process.stdin.close()


def visitors_of(pid: int) -> list[str]:
    """Those who go into that program, or are about to."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        is_visitor = any(word.endswith(b"/entering/enter.py") for word in words)
        if is_visitor and str(pid).encode() in words:
            found.append(folder.name)
    return found
