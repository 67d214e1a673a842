"""Gets debugpy into a program that runs already, without ever harming it.

Run as a script (``starting.py``), as a process of its own that outlives tuidbg: a visit in the
program is always finished. Its stdin brings one line of JSON
(``Entrance``); the end of stdin says that the program has come, or that nobody wants it any more.
It writes lines, ``waiting: WHY`` where it takes long, and ``failed: WHY`` where it can't be done.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[4])

from tuidbg.adapters.debugpy.entering.gdb_visit import GdbVisit
from tuidbg.adapters.debugpy.entering.remote import find_helper, run_remotely
from tuidbg.adapters.debugpy.entering.texts import (
    FAILED,
    WANTED,
    first_text,
    removing_text,
    second_text,
)
from tuidbg.adapters.debugpy.entering.traced_visit import TracedVisit, can_trace
from tuidbg.adapters.debugpy.entering.visit import Injection, InjectionKind, InjectionOutcome
from tuidbg.adapters.program.blocked import READS, BlockedWatch

PAUSE = 0.05
"""Seconds between two looks at what has come of it."""

STANDING = 1.0
"""Seconds for which the main thread must stand still before it is taken to wait for good."""

LONGEST = 10.0
"""Seconds between two visits at most, where one was of no use."""


PATIENCE = 2.0
"""Seconds after which it is told what is waited for."""

HOLDING = "its other threads run code that keeps the interpreter for itself"
LOADING = "debugpy is loaded in it"
STOPPED = "it is stopped (Ctrl+Z, SIGSTOP)"
OUTSIDE = "its main thread runs code that is not Python, or waits where nothing can be run"


class CannotEnter(Exception):
    """The program can't be entered; ``str()`` says why."""


class Entrance:
    """One program that is entered."""

    def __init__(self, setup: dict[str, Any]) -> None:
        """``setup`` names the process, debugpy's folder, and the adapter's address and token."""
        self._pid: int = setup["pid"]
        self._debugpy: str = setup["debugpy"]
        # What the program can read may be its user's; what gdb does is ours alone.
        self._own = Path(tempfile.mkdtemp(prefix="tuidbg-"))
        self._shared = Path(tempfile.mkdtemp(prefix="tuidbg-"))
        shared = str(self._shared)
        self._text = first_text(shared)
        second = second_text(shared, self._debugpy, tuple(setup["address"]), setup["token"])
        (self._shared / WANTED).write_text(second, encoding="utf-8")
        self._gdb = "" if can_trace() else shutil.which("gdb") or ""
        self._can_visit = can_trace() or bool(self._gdb)
        self._standing = BlockedWatch(self._pid)
        self._visit: Injection | None = None
        self._script: Path | None = None  # what the program was told to run
        self._is_queued = self._was_full = False
        self._pause = STANDING
        self._not_before = 0.0
        self._next_look = 0.0
        self._begun = time.monotonic()
        self._told = ""

    def enter(self) -> None:
        """Try until the program has come or nobody wants it any more. Raises CannotEnter."""
        self._share()
        self._begin()
        while not _is_called_off():
            if (self._shared / FAILED).exists():
                raise CannotEnter((self._shared / FAILED).read_text("utf-8", "replace"))
            if not _lives(self._pid):
                raise CannotEnter("the process has ended")
            self._go_on()
            self._tell()

    def close(self) -> None:
        """Nobody wants it any more: what is in the program finds nothing, and ends quietly."""
        if self._script is not None and (self._shared / WANTED).exists():
            # The program would tell on its stderr that it can't open what it was told to run.
            (self._shared / WANTED).unlink()
            self._script.write_text(removing_text(self._script), encoding="ascii")
        else:
            shutil.rmtree(self._shared, ignore_errors=True)
        if self._visit is not None:
            self._visit.wait()
        shutil.rmtree(self._own, ignore_errors=True)

    def _tell(self) -> None:
        """Say what is waited for, where that takes long."""
        if time.monotonic() - self._begun < PATIENCE:
            return
        if not (self._shared / WANTED).exists():
            why = LOADING
        elif self._visit is not None and self._visit.kind is InjectionKind.RUN:
            why = HOLDING
        else:
            why = STOPPED if _state(self._pid) == b"T" else OUTSIDE
        if why != self._told:
            self._told = why
            print(f"waiting: {why}", flush=True)

    def _share(self) -> None:
        """See that the program can read what it shall. Raises CannotEnter."""
        try:
            owner = Path(f"/proc/{self._pid}").stat()
            if os.geteuid() == 0 and owner.st_uid != 0:
                for path in (self._shared / WANTED, self._shared):
                    os.chown(path, owner.st_uid, owner.st_gid)
        except OSError:
            return  # it is gone, which is told soon
        for seen in (str(self._shared), self._debugpy):
            if not _is_seen(self._pid, seen) and _lives(self._pid):
                raise CannotEnter(
                    f"it does not see {seen}, as in a container; start a debug server in there"
                    " (python -m debugpy --listen PORT)"
                )

    def _begin(self) -> None:
        """Have the first text run when the main thread is ready for it. Raises CannotEnter."""
        why = "it needs gdb, which is not installed"
        # A visit gets in where the main thread waits outside of Python as well.
        if not can_trace() and (helper := find_helper(self._pid)):
            script = self._shared / "first.py"
            script.write_text(self._text, encoding="ascii")
            why = run_remotely(helper, self._pid, script)
            if not why:
                self._script = script
                return
        if not self._can_visit:
            raise CannotEnter(why)
        self._visit = self._go(InjectionKind.QUEUE)

    def _go(self, kind: InjectionKind) -> Injection:
        if not self._gdb:
            return TracedVisit(kind, self._pid, self._text, self._standing.place)
        try:
            return GdbVisit(kind, self._gdb, self._pid, self._own, self._text)
        except OSError as error:
            raise CannotEnter(f"can't start gdb: {error.strerror or error}") from error

    def _go_on(self) -> None:
        """Go in (again) where it is time for that. Raises CannotEnter."""
        now = time.monotonic()
        if self._visit is not None:
            if self._visit.is_over:
                self._end_visit(self._visit, now)
        elif (self._shared / WANTED).exists() and self._can_visit and now >= self._next_look:
            self._next_look = now + STANDING / READS
            stands = self._standing.look()
            if now >= self._not_before and not self._is_queued and (stands or self._was_full):
                self._visit = self._go(InjectionKind.QUEUE)
            elif now >= self._not_before and stands:
                self._visit = self._go(InjectionKind.RUN)

    def _end_visit(self, visit: Injection, now: float) -> None:
        """See what has come of it. Raises CannotEnter."""
        self._visit = None
        self._standing.forget()
        outcome, why = visit.outcome()
        if outcome is InjectionOutcome.FAILED:
            raise CannotEnter(why)
        if visit.kind is InjectionKind.QUEUE:
            self._is_queued = outcome is InjectionOutcome.DONE
            self._was_full = outcome is InjectionOutcome.AGAIN
        if visit.kind is InjectionKind.RUN or outcome is InjectionOutcome.AGAIN:
            self._not_before = now + self._pause
            self._pause = min(2 * self._pause, LONGEST)


def _lives(pid: int) -> bool:
    return _state(pid) not in (b"", b"Z", b"X")


def _state(pid: int) -> bytes:
    """Returns what the kernel says of it, by a letter; empty where it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return b""
    # A "zombie" that has threads is a program whose main thread alone has ended.
    return b"S" if fields[0] == b"Z" and int(fields[17]) > 1 else fields[0]


def _is_seen(pid: int, path: str) -> bool:
    """Returns whether the process has the same file under that name."""
    try:
        there, here = Path(f"/proc/{pid}/root{path}").stat(), Path(path).stat()
    except FileNotFoundError:
        return False
    except OSError:
        return True  # nobody can tell
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)


def _is_called_off() -> bool:
    """Returns whether stdin has ended; waits a moment for it."""
    ready, _, _ = select.select([sys.stdin.fileno()], [], [], PAUSE)
    return bool(ready) and not os.read(sys.stdin.fileno(), 4096)


def _read_setup() -> dict[str, Any]:
    """The first line of stdin, no byte more."""
    line = b""
    while not line.endswith(b"\n"):
        data = os.read(sys.stdin.fileno(), 1)
        if not data:
            sys.exit(0)
        line += data
    setup: dict[str, Any] = json.loads(line)
    return setup


def main() -> None:
    """Enter the program that stdin names."""
    if os.fork():
        os._exit(0)  # nobody's child: it is not ended with the one who has started it
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # a visit is finished
    entrance = Entrance(_read_setup())
    try:
        entrance.enter()
    except CannotEnter as error:
        print(f"failed: {error}", flush=True)
    finally:
        entrance.close()


if __name__ == "__main__":
    main()
