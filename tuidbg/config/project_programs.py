"""Programs and tests of a folder, found without running or importing any of it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tuidbg.config.files import read_file

MOST_PROGRAMS = 5
_MOST_ENTRIES = 2_000
_MOST_READ = 40
_LARGEST = 1024 * 1024
"""Maximum bytes of a file that is read."""

_IS_PROGRAM = re.compile(rb"\A#!.*python|^if\s+__name__\s*==\s*['\"]__main__['\"]", re.MULTILINE)
_NOT_PROGRAMS = re.compile(r"test_.*|.*_test\.py|conftest\.py|setup\.py|noxfile\.py")


def find_programs(folder: Path) -> tuple[tuple[str, ...], ...]:
    """Find programs as command words, last changed first. Blocks for some milliseconds.

    The home folder and the root contain no project, and are not searched.
    """
    if folder.parent == folder or folder == Path(os.path.expanduser("~")):  # noqa: PTH111
        return ()
    found: list[tuple[float, tuple[str, ...]]] = []
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(_MOST_ENTRIES), entries, strict=False):
                try:
                    if (words := _words_of(entry)) is not None:
                        found.append((entry.stat().st_mtime, words))
                except OSError:
                    continue
    except OSError:
        return ()
    newest = [words for _, words in sorted(found, reverse=True)][:_MOST_READ]
    programs = (words for words in newest if words[0] == "-m" or _is_program(folder / words[0]))
    return tuple(words for words, _ in zip(programs, range(MOST_PROGRAMS), strict=False))


def _words_of(entry: os.DirEntry[str]) -> tuple[str, ...] | None:
    name = entry.name
    if entry.is_dir(follow_symlinks=False):
        is_package = name.isidentifier() and Path(entry.path, "__main__.py").is_file()
        return ("-m", name) if is_package else None
    is_script = name.endswith(".py") and not name.startswith(("-", ".")) and entry.is_file()
    return (name,) if is_script and not _NOT_PROGRAMS.fullmatch(name) else None


def _is_program(path: Path) -> bool:
    try:
        return _IS_PROGRAM.search(read_file(path, limit=_LARGEST)) is not None
    except OSError:
        return False


MOST_FILES = 6
"""Maximum number of listed files."""
MOST_ENTRIES = 5_000
"""Maximum number of folder entries read."""
_DEEPEST = 6
_MOST_READ_OF_TESTS = 30

_FAILED = Path(".pytest_cache", "v", "cache", "lastfailed")
_NOT_OURS = frozenset({"node_modules", "site-packages", "build", "dist", "venv", "__pycache__"})


class ProjectTests(NamedTuple):
    """The tests below a folder, with relative paths.

    ``files`` are the last changed ones, newest first, of ``all_files``; ``failed`` counts the
    failures of pytest's last run here.
    """

    files: tuple[str, ...]
    all_files: int
    failed: int


def find_tests(folder: Path) -> ProjectTests | None:
    """Find the tests below a folder; None without any. Blocks for some milliseconds.

    The home folder and the root are no projects, and are not searched.
    """
    if folder.parent == folder or folder == _home():
        return None
    found = sorted(_test_files(folder), reverse=True)
    files: list[str] = []
    for _, path in found[:_MOST_READ_OF_TESTS]:
        if len(files) < MOST_FILES and _has_tests(path):
            files.append(os.path.relpath(path, folder))
    if not files:
        return None
    return ProjectTests(tuple(files), len(found), _count_failed(folder))


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:
        return None


def _test_files(folder: Path) -> Iterator[tuple[float, str]]:
    """Yield modification times and paths of files that pytest would collect by name."""
    looked_at = 0
    folders = [(str(folder), 0)]
    for where, depth in folders:  # grows while it is read: nearest folders first
        try:
            with os.scandir(where) as entries:
                listed = list(entries)
        except OSError:
            continue
        if depth and any(entry.name == "pyvenv.cfg" for entry in listed):
            continue
        for entry in listed:
            looked_at += 1
            if looked_at > MOST_ENTRIES:
                return
            try:
                if _is_test_name(entry.name):
                    told = entry.stat()
                    if stat.S_ISREG(told.st_mode):
                        yield told.st_mtime, entry.path
                elif depth < _DEEPEST and _is_own_folder(entry):
                    folders.append((entry.path, depth + 1))
            except OSError:
                continue


def _is_test_name(name: str) -> bool:
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    is_ours = not entry.name.startswith(".") and entry.name not in _NOT_OURS
    return is_ours and entry.is_dir(follow_symlinks=False)


def _has_tests(path: str) -> bool:
    try:
        return b"def test" in read_file(path, limit=_LARGEST)
    except OSError:
        return False


def _count_failed(folder: Path) -> int:
    """Count the failures that pytest recorded, in files that still exist."""
    import msgspec

    try:
        noted = msgspec.json.decode(read_file(folder / _FAILED), type=dict[str, bool])
    except (OSError, msgspec.MsgspecError):
        return 0
    return sum((folder / test.partition("::")[0]).is_file() for test in noted)
