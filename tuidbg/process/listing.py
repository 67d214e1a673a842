"""The running programs of this machine that can be attached to.

Those of Python, and native ones that do not belong to the system.

Read from ``/proc`` if there is one, else from ``ps``. tuidbg's own processes are omitted: this
process, its forks, its ancestors and the programs it has started to debug.
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
    """The activity of a thread: its processor seconds, and whether it is runnable now."""

    seconds: float
    wants_more: bool


def read_thread_times(pid: int) -> dict[int, ThreadTime]:
    """Return all threads of a process by their system ids."""
    times: dict[int, ThreadTime] = {}
    with suppress(OSError):
        ticks = os.sysconf("SC_CLK_TCK")
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):  # it has ended meanwhile
                # The name is in brackets and may contain any characters, brackets and spaces
                # included.
                fields = (task / "stat").read_bytes().rpartition(b")")[2].split()
                seconds = (int(fields[11]) + int(fields[12])) / ticks
                times[int(task.name)] = ThreadTime(seconds, fields[0] == b"R")
    return times


_PROC = Path("/proc")
_PS = ("ps", "-axwwo", "pid=,ppid=,user=,etime=,command=")
_PS_PATIENCE = 5.0
"""Timeout of ``ps`` in seconds."""

_PYTHON = re.compile(r"(?:python|pypy)[\w.+-]*$", re.IGNORECASE)
_LIBRARY = re.compile(rb"/(?:libpython|libpypy)[\w.+-]*\.so")
_OF_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib", "/opt/", "/snap/", "/nix/", "/app/", "/System/")
"""Folders of executables that were not built locally."""

_DEBUGPY = ("/debugpy", "/debugpy/__main__.py", "/debugpy/debugpy_launcher.py")
_PARTS = ("/debugpy/adapter", "/debugpy/launcher")
"""Parts of debuggers beside the program."""

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
    """One running program.

    ``name`` is its display name: the script, ``-m module``, or the executable. ``words`` are its
    command line, ``age`` is in seconds. ``obstacle`` is why it can't be attached to by its process
    id, empty if no obstacle is known.
    """

    pid: int
    user: str
    name: str
    words: tuple[str, ...]
    age: float
    obstacle: str = ""

    @property
    def command(self) -> str:
        """Return the command line as one text."""
        return " ".join(self.words)


class _ProcessRow(msgspec.Struct, frozen=True):
    """A row of the process table."""

    pid: int
    parent: int
    user: str
    words: tuple[str, ...]
    age: float


def list_processes(find_obstacle: Callable[[int], str]) -> list[PythonProcess]:
    """Return the programs of this machine, the youngest first, with their obstacles.

    ``find_obstacle`` is that of ``adapters/table.py``, for example. Takes some milliseconds for
    each hundred processes: for a thread of its own.
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
    """Return the processes that match typed text, the best first: each word must match.

    A word matches a process whose pid begins so, whose user, name or command line contains it, or
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
    """Return the mismatch of a word, 0 is best; None if it does not match."""
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
    """Return the display name of a command line's program."""
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
            index += 1  # the program follows its own options
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
    """Return the name of a local process; empty if it can't be read."""
    try:
        words = (_PROC / str(pid) / "cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
    if words.startswith("ray::"):  # Ray overwrites its command line with its current activity
        return "ray worker"
    return name_of(words.rstrip("\0").split("\0"))


def _base_name(word: str) -> str:
    return word.rstrip("/").rpartition("/")[2] or word


def describe_age(seconds: float) -> str:
    """Return ``12 s``, ``4 min``, ``3 h``, ``2 d``."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(0, seconds):.0f} s"


def _find_own(rows: dict[int, _ProcessRow]) -> set[int]:
    """Return this process, its ancestors, its forks, and the debugged ones."""
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
    """Return whether this tuidbg has started it (``Guardian.begin_launch``)."""
    try:
        environment = b"\0" + (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    _, _, rest = environment.partition(f"\0{MARK}=".encode("ascii"))
    return any(mark.startswith(stamp) for mark in rest.partition(b"\0")[0].split(b","))


def _is_program(row: _ProcessRow) -> bool:
    """True for a Python or user program, by its executable if readable; no debugger's."""
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


# Process table


def _read_proc() -> dict[int, _ProcessRow]:
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
            # The name is in brackets and may contain any characters, brackets and spaces included.
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            owner = folder.stat().st_uid
        except OSError:
            continue  # it has ended meanwhile
        if owner not in names:
            names[owner] = _user_name(owner)
        pid = int(folder.name)
        found[pid] = _ProcessRow(
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


def _read_ps() -> dict[int, _ProcessRow]:
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


def read_ps(said: str) -> dict[int, _ProcessRow]:
    """Parse the rows of ``ps -axwwo pid=,ppid=,user=,etime=,command=``."""
    found = {}
    for line in split_lines(said):
        fields = line.split(None, 4)
        if len(fields) == 5 and fields[0].isdigit() and fields[1].isdigit():
            pid = int(fields[0])
            age = _read_elapsed(fields[3])
            found[pid] = _ProcessRow(pid, int(fields[1]), fields[2], tuple(fields[4].split()), age)
    return found


def _read_elapsed(text: str) -> float:
    """Return the seconds of ``[[DD-]HH:]MM:SS``."""
    days, _, clock = text.rpartition("-")
    seconds = 0
    for part in clock.split(":"):
        seconds = seconds * 60 + (int(part) if part.isdigit() else 0)
    return float(seconds + 86_400 * (int(days) if days.isdigit() else 0))


def find_pids(name: str) -> list[int]:
    """Return the local processes whose executable has that name, in any language.

    tuidbg's own processes, and those already debugged, are omitted.
    """
    rows = _read_proc() if (_PROC / "self" / "stat").exists() else _read_ps()
    hidden = _find_own(rows)
    return sorted(
        row.pid
        for row in rows.values()
        if row.words and row.pid not in hidden and name in (row.words[0], _base_name(row.words[0]))
    )
