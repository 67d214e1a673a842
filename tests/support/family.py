"""Processes for tests of their ending: families that ignore signals and lose their parents."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.waiting import wait_until

# A line of descent: each member starts the next, says who it is, and waits.
# deaf: ignores SIGHUP and SIGTERM. session: in one of its own. leaves: ends when its child is
# there. headless: only its main thread ends.
_MEMBER = """
import json, os, signal, subprocess, sys, threading, time
source, folder, (name, *traits), *heirs = json.loads(sys.argv[1])
if "deaf" in traits:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "session" in traits:
    os.setsid()
if heirs:
    order = json.dumps([source, folder, *heirs])
    child = subprocess.Popen([sys.executable, "-c", source, order])
    while not os.path.exists(f"{folder}/{heirs[0][0]}"):
        time.sleep(0.01)
    if "leaves" in heirs[0]:
        child.wait()
with open(f"{folder}/.{name}", "w") as file:
    file.write(str(os.getpid()))
os.rename(f"{folder}/.{name}", f"{folder}/{name}")
if "leaves" in traits:
    sys.exit()
if "headless" in traits:
    import ctypes
    threading.Thread(target=time.sleep, args=(60,)).start()
    ctypes.CDLL(None).pthread_exit(None)
time.sleep(60)
"""


def order_family(folder: Path, *members: str) -> list[str]:
    """The command that starts a family: ``"adapter deaf"``, ``"program session"``, and so on."""
    order = json.dumps([_MEMBER, str(folder), *(member.split() for member in members)])
    return [sys.executable, "-c", _MEMBER, order]


def await_member(folder: Path, name: str) -> int:
    """The pid of a member of a family, once it and its descendants are there."""
    path = folder / name
    wait_until(path.exists, what=f"{name} started")
    return int(path.read_text())


def end_family(folder: Path) -> None:
    """End all members that still live, for tests that tidy up."""
    for file in folder.glob("[!.]*"):
        end_process(int(file.read_text()))


def is_running(pid: int) -> bool:
    """Returns whether a thread of ``pid`` runs or waits: a zombie does not count."""
    if not Path("/proc/self/task").exists():
        listed = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        return listed.stdout.strip()[:1] not in ("", "Z")
    for stat in Path(f"/proc/{pid}/task").glob("*/stat"):
        try:
            state = stat.read_text().rpartition(")")[2].split()[0]
        except OSError:  # ended meanwhile
            continue
        if state not in "ZX":
            return True
    return False


@contextmanager
def bystander(environment: Mapping[str, str] | None = None) -> Iterator[int]:
    """A process in a session of its own that belongs to nobody; ended at the end."""
    process = subprocess.Popen(
        ["sleep", "60"], start_new_session=True, env={**os.environ, **(environment or {})}
    )
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def end_process(pid: int) -> None:
    """SIGKILL, for tests that tidy up."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
