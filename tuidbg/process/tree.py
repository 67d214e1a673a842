"""Processes and all that belong to them: found and ended, whatever they ignore.

Used by the guardian after tuidbg's death, and by the app itself for quit and restart. To a process
belong: its descendants, the process groups and sessions led by any of these, and (on Linux) all
processes with the mark of the launch in their environment. The mark finds grandchildren that went
into sessions of their own and lost their parents.

Only light modules are imported here: the guardian is forked before everything else.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from tuidbg.lines import split_lines

MARK = "TUIDBG_GUARDED"
"""The environment variable with the launch, or the launches if tuidbg debugs tuidbg."""

_LINUX = sys.platform.startswith("linux")
_GONE = "gone"  # the start time of a process that had ended before the read: matches none
_PAUSE = 0.01  # seconds between two reads of the process table


class Process:
    """A row of the process table. ``started`` distinguishes it from a later one of the same pid."""

    __slots__ = ("group", "living", "parent", "session", "started")

    def __init__(self, parent: int, group: int, session: int, started: str, living: bool) -> None:
        self.parent = parent
        self.group = group
        self.session = session
        self.started = started
        self.living = living


def end_tree(*pids: int, token: str = "", grace: float = 0.2, limit: float = 0.8) -> set[int]:
    """End processes with all that belongs to them; return those that are left (mostly none).

    SIGTERM and SIGCONT come first, SIGKILL after ``grace`` seconds (at once with 0), and it gives
    up after ``limit`` seconds. ``token`` adds processes with the mark of that launch. A zombie
    counts as ended. Processes that may not be signalled (another user's) are left alone and not
    returned. Never touched: pid 1, this process, its parent, the leaders of its process group and
    session (the shell). Blocks: use a thread.
    """
    return end_started(
        {pid: find_start(pid) for pid in pids if pid > 1},
        {token} if token else set(),
        find_kin(),
        grace=grace,
        limit=limit,
    )


def end_started(
    started: dict[int, str], tokens: set[str], spared: set[int], *, grace: float, limit: float
) -> set[int]:
    """Do as :func:`end_tree`, for earlier known processes (pid: its :func:`find_start` then)."""
    begun = time.monotonic()
    heads = dict(started)
    beyond = set(spared)
    asked: set[int] = set()
    while True:
        table = read_processes()
        victims = _find_victims(table, heads, tokens, beyond)
        elapsed = time.monotonic() - begun
        if not victims or elapsed > limit:
            return victims
        for pid in victims:
            # Stored with its start time: its descendants are found even when it has ended.
            heads[pid] = table[pid].started
            if elapsed >= grace:
                reached = _send(pid, signal.SIGKILL)
            elif pid not in asked:
                asked.add(pid)
                reached = _send(pid, signal.SIGTERM) and _send(pid, signal.SIGCONT)
            else:
                continue
            if not reached:
                beyond.add(pid)
        time.sleep(_PAUSE)


def find_start(pid: int) -> str:
    """Return when ``pid`` started, in ticks; empty (matches any) if that is expensive."""
    if not _LINUX:
        return ""
    row = _read_stat(str(pid))
    return row.started if row else _GONE


def lives(pid: int) -> bool:
    """Return whether there is such a process; a zombie counts as ended if recognisable."""
    if _LINUX and (row := _read_stat(str(pid))) is not None:
        return row.living
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # another user's
    return True


def find_kin() -> set[int]:
    """Return the processes never to be ended: we, our parent, our group's and session's leaders."""
    return {0, 1, os.getpid(), os.getppid(), os.getpgrp(), os.getsid(0)}


def read_processes() -> dict[int, Process]:
    """Return the process table, by pid. A few ms from ``/proc``, a few tens from ``ps``."""
    if not _LINUX:
        return read_processes_by_ps()
    with os.scandir("/proc") as entries:
        names = [entry.name for entry in entries if entry.name.isdigit()]
    return {int(name): row for name in names if (row := _read_stat(name))}


def read_processes_by_ps() -> dict[int, Process]:
    """Return the same without /proc (macOS). ``ps`` lists itself too, which does no harm."""
    import subprocess

    command = ["ps", "-axo", "pid=,ppid=,pgid=,stat=,lstart="]
    try:
        rows = subprocess.check_output(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=1
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    table = {}
    for row in split_lines(rows.decode("utf-8", "replace")):
        pid, parent, group, state, started = row.split(None, 4)
        try:
            session = os.getsid(int(pid))  # ps has only an address for it on macOS
        except OSError:
            session = 0
        living = state[0] not in "ZX"
        table[int(pid)] = Process(int(parent), int(group), session, started.strip(), living)
    return table


def _read_stat(pid: str) -> Process | None:
    """Read one process from ``/proc/PID/stat`` (proc_pid_stat(5)); None if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            # The name is in brackets and may contain any characters, brackets and spaces included.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    parent, group, session = map(int, fields[1:4])
    # A "zombie" that has threads is a program whose main thread alone has ended.
    living = fields[0] not in (b"Z", b"X") or int(fields[17]) > 1
    return Process(parent, group, session, fields[19].decode("ascii"), living)


def _is_marked(pid: int, tokens: set[str]) -> bool:
    """Return whether the initial environment of ``pid`` names one of the launches."""
    try:
        with open(f"/proc/{pid}/environ", "rb", buffering=0) as file:
            _, _, rest = (b"\0" + file.read()).partition(f"\0{MARK}=".encode("ascii"))
    except OSError:  # no /proc, it has gone, or it is not ours to read
        return False
    marks = rest.partition(b"\0")[0].decode("utf-8", "replace").split(",")
    return not tokens.isdisjoint(marks)


def find_marked(tokens: set[str]) -> dict[int, list[str]]:
    """Return the living processes with the mark of a launch, with the words that started them."""
    table = read_processes() if tokens and _LINUX else {}
    return {
        pid: _read_words(pid)
        for pid, row in table.items()
        if row.living and _is_marked(pid, tokens)
    }


def _read_words(pid: int) -> list[str]:
    try:
        with open(f"/proc/{pid}/cmdline", "rb", buffering=0) as file:
            return file.read().decode("utf-8", "replace").split("\0")[:-1]
    except OSError:
        return []


def _find_victims(
    table: dict[int, Process], heads: dict[int, str], tokens: set[str], spared: set[int]
) -> set[int]:
    """Return living processes that belong to ``heads`` (pid: start time) or carry a token.

    A head whose number was reused by another process counts for nothing.
    """
    found = {
        pid
        for pid, started in heads.items()
        if pid not in spared and (pid not in table or started in ("", table[pid].started))
    }
    if tokens:
        found |= {pid for pid in table.keys() - found - spared if _is_marked(pid, tokens)}
    while True:
        more = {
            pid
            for pid, row in table.items()
            if pid not in found
            and pid not in spared
            and (row.parent in found or row.group in found or row.session in found)
        }
        if not more:
            return {pid for pid in found if pid in table and table[pid].living}
        found |= more


def _send(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
    except PermissionError:
        return False
    return True
