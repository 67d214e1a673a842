"""The programs that run on this machine, for a person who looks for the one to attach to: those of
Python, and native ones that do not belong to the system.

Read from ``/proc`` where there is one, else from ``ps``. What tuidbg itself consists of is left
out: this process, its forks, those that it descends from and what it has started to debug.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from tuidbg.lines import split_lines
from tuidbg.process.tree import MARK


class ThreadTime(NamedTuple):
    """What a thread has done so far: the seconds that it has used a processor, or wants to now."""

    seconds: float
    wants_more: bool


def read_thread_times(pid: int) -> dict[int, ThreadTime]:
    """All threads of a process by the system's numbers of them."""
    times: dict[int, ThreadTime] = {}
    with suppress(OSError):
        ticks = os.sysconf("SC_CLK_TCK")
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):  # it has ended meanwhile
                # The name stands in brackets and may hold anything, brackets and spaces included.
                fields = (task / "stat").read_bytes().rpartition(b")")[2].split()
                seconds = (int(fields[11]) + int(fields[12])) / ticks
                times[int(task.name)] = ThreadTime(seconds, fields[0] == b"R")
    return times


_PROC = Path("/proc")
_PS = ("ps", "-axwwo", "pid=,ppid=,user=,etime=,command=")
_PS_PATIENCE = 5.0
"""Seconds that ``ps`` gets."""

_PYTHON = re.compile(r"(?:python|pypy)[\w.+-]*$", re.IGNORECASE)
_LIBRARY = re.compile(rb"/(?:libpython|libpypy)[\w.+-]*\.so")
_OF_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib", "/opt/", "/snap/", "/nix/", "/app/", "/System/")
"""Tells where executables lie that nobody here has built."""

_DEBUGPY = ("/debugpy", "/debugpy/__main__.py", "/debugpy/debugpy_launcher.py")
_PARTS = ("/debugpy/adapter", "/debugpy/launcher")
"""Names what debuggers consist of beside the program."""

_WITH_VALUE = (
    "-W",
    "-X",
    "--check-hash-based-pycs",
    # debugpy's
    "--adapter-access-token",
    "--connect",
    "--listen",
    "--log-to",
    "--parent-session-pid",
)


class PythonProcess(msgspec.Struct, frozen=True):
    """One program that runs.

    ``name`` is what a person calls it: the script, ``-m module``, or the executable. ``words`` are
    its command line, ``age`` is in seconds. ``obstacle`` is why it can't be attached to by its
    process id, empty where nothing is known to be in the way.
    """

    pid: int
    user: str
    name: str
    words: tuple[str, ...]
    age: float
    obstacle: str = ""

    @property
    def command(self) -> str:
        """The command line as one text."""
        return " ".join(self.words)


class _Row(msgspec.Struct, frozen=True):
    """A row of the process table."""

    pid: int
    parent: int
    user: str
    words: tuple[str, ...]
    age: float


def list_processes(find_obstacle: Callable[[int], str]) -> list[PythonProcess]:
    """The programs of this machine, the youngest first; what is in the way is asked of each.

    ``find_obstacle`` is that of ``adapters/table.py``, say. Takes some milliseconds for each
    hundred processes: for a thread of its own.
    """
    rows = _read_proc() if (_PROC / "self" / "stat").exists() else _read_ps()
    hidden = _find_own(rows)
    found = [
        PythonProcess(
            row.pid,
            row.user,
            name_of(row.words),
            row.words,
            row.age,
            find_obstacle(row.pid),
        )
        for row in rows.values()
        if row.pid not in hidden and _is_program(row)
    ]
    return sorted(found, key=lambda process: (bool(process.obstacle), process.age, process.pid))


def match_processes(processes: Iterable[PythonProcess], wanted: str) -> list[PythonProcess]:
    """Those that fit what was typed, the best first: each word must be there, by its letters.

    A word fits a process whose pid begins so, whose user, name or command line contains it, or
    whose name has its letters in that order, which counts for less.
    """
    words = wanted.lower().split()
    ranked = []
    for index, process in enumerate(processes):
        scores = [_score(word, process) for word in words]
        if all(score is not None for score in scores):
            ranked.append((sum(score or 0 for score in scores), index, process))
    return [process for _, _, process in sorted(ranked, key=lambda entry: entry[:2])]


def _score(word: str, process: PythonProcess) -> int | None:
    """Returns how badly it fits, 0 is best; None where it does not."""
    if str(process.pid).startswith(word):
        return 0
    for penalty, text in ((0, process.name), (1, process.user), (2, process.command)):
        if word in text.lower():
            return penalty
    return 10 if _has_letters(word, process.name.lower()) else None


def _has_letters(word: str, text: str) -> bool:
    letters = iter(text)
    return all(letter in letters for letter in word)


def name_of(words: Sequence[str]) -> str:
    """Returns what a person calls the program of a command line."""
    if not words:
        return ""
    program = _base_name(words[0])
    if not _PYTHON.match(program):
        return program
    index = 1
    while index < len(words):
        word = words[index]
        if not word.startswith("-") or word == "-":
            if not word.endswith(_DEBUGPY):
                return _base_name(word)
            index += 1  # what it runs comes behind its own options
        elif word.startswith("-m"):
            module = word[2:] or (words[index + 1] if index + 1 < len(words) else "")
            if module != "debugpy":
                return f"-m {module}" if module else program
            index += 1 if word[2:] else 2
        elif word.startswith("-c"):
            return f"{program} -c"
        else:
            index += 2 if _takes_value(word) else 1
    return program


def _takes_value(option: str) -> bool:
    return option in _WITH_VALUE or option.startswith("--configure-")


def read_name(pid: int) -> str:
    """The same of a process of this machine; empty where that can't be read."""
    try:
        words = (_PROC / str(pid) / "cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
    if words.startswith("ray::"):  # Ray writes what it does just now over its command line
        return "ray worker"
    return name_of(words.rstrip("\0").split("\0"))


def _base_name(word: str) -> str:
    return word.rstrip("/").rpartition("/")[2] or word


def describe_age(seconds: float) -> str:
    """``12 s``, ``4 min``, ``3 h``, ``2 d``."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(0, seconds):.0f} s"


def _find_own(rows: dict[int, _Row]) -> set[int]:
    """This process, its ancestors, its forks, and what it debugs."""
    own = os.getpid()
    hidden = {own}
    above = rows[own].parent if own in rows else os.getppid()
    while above in rows and above not in hidden:
        hidden.add(above)
        above = rows[above].parent
    words = rows[own].words if own in rows else ()
    stamp = f"{own}-".encode("ascii")
    for row in rows.values():
        if row.parent == own and row.words == words:
            hidden.add(row.pid)  # the guardian
        elif row.pid not in hidden and _is_marked(row.pid, stamp):
            hidden.add(row.pid)
    return hidden


def _is_marked(pid: int, stamp: bytes) -> bool:
    """Returns whether this tuidbg has started it (``Guardian.begin_launch``)."""
    try:
        environment = b"\0" + (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    _, _, rest = environment.partition(f"\0{MARK}=".encode("ascii"))
    return any(mark.startswith(stamp) for mark in rest.partition(b"\0")[0].split(b","))


def _is_program(row: _Row) -> bool:
    """Tells whether it is a Python program or one of a person's own, by the executable where that
    may be read; no debugger's.
    """
    if any(word.endswith(_PARTS) for word in row.words):
        return False
    if row.words and _base_name(row.words[0]).startswith(("lldb-", "dlv")):
        return False
    folder = _PROC / str(row.pid)
    try:
        executable = str((folder / "exe").readlink()).removesuffix(" (deleted)")
        if _PYTHON.match(_base_name(executable)) or not executable.startswith(_OF_SYSTEM):
            return True
        return _LIBRARY.search((folder / "maps").read_bytes()) is not None
    except OSError:
        return bool(row.words) and _PYTHON.match(_base_name(row.words[0])) is not None


# The process table


def _read_proc() -> dict[int, _Row]:
    uptime = float((_PROC / "uptime").read_text(encoding="ascii").split()[0])
    ticks = os.sysconf("SC_CLK_TCK")
    names: dict[int, str] = {}
    found = {}
    for folder in _PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes()
            if not words:
                continue  # a thread of the kernel, or a zombie
            # The name stands in brackets and may hold anything, brackets and spaces included.
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            owner = folder.stat().st_uid
        except OSError:
            continue  # it has ended meanwhile
        if owner not in names:
            names[owner] = _user_name(owner)
        pid = int(folder.name)
        found[pid] = _Row(
            pid,
            int(fields[1]),
            names[owner],
            tuple(words.decode("utf-8", "replace").rstrip("\0").split("\0")),
            max(0.0, uptime - int(fields[19]) / ticks),
        )
    return found


def _user_name(number: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _read_ps() -> dict[int, _Row]:
    try:
        said = subprocess.run(
            _PS,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PS_PATIENCE,
            check=False,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    return read_ps(said.decode("utf-8", "replace"))


def read_ps(said: str) -> dict[int, _Row]:
    """The rows of ``ps -axwwo pid=,ppid=,user=,etime=,command=``."""
    found = {}
    for line in split_lines(said):
        fields = line.split(None, 4)
        if len(fields) == 5 and fields[0].isdigit() and fields[1].isdigit():
            pid = int(fields[0])
            age = _read_elapsed(fields[3])
            found[pid] = _Row(pid, int(fields[1]), fields[2], tuple(fields[4].split()), age)
    return found


def _read_elapsed(text: str) -> float:
    """The seconds of ``[[DD-]HH:]MM:SS``."""
    days, _, clock = text.rpartition("-")
    seconds = 0
    for part in clock.split(":"):
        seconds = seconds * 60 + (int(part) if part.isdigit() else 0)
    return float(seconds + 86_400 * (int(days) if days.isdigit() else 0))


def find_pids(name: str) -> list[int]:
    """The processes of this machine whose executable is called that, of whatever language.

    What tuidbg itself consists of, and what it debugs already, is left out.
    """
    rows = _read_proc() if (_PROC / "self" / "stat").exists() else _read_ps()
    hidden = _find_own(rows)
    return sorted(
        row.pid
        for row in rows.values()
        if row.words and row.pid not in hidden and name in (row.words[0], _base_name(row.words[0]))
    )
