"""Finds the tests of a folder for pytest, without importing anything of it.

Names of files, a look into the newest ones, and what pytest itself has kept of its last run: enough
for a list to choose from, and done in milliseconds also in a large tree, of which only so much is
looked at.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tuidbg.config.regular_file import read_file

MOST_FILES = 6
"""Files that are told of."""
MOST_ENTRIES = 5_000
"""Entries of folders that are looked at."""
_DEEPEST = 6
_MOST_READ = 30
_LARGEST = 1024 * 1024
"""Bytes of a file that is read."""

_FAILED = Path(".pytest_cache", "v", "cache", "lastfailed")
_NOT_OURS = frozenset({"node_modules", "site-packages", "build", "dist", "venv", "__pycache__"})


class ProjectTests(NamedTuple):
    """The tests below a folder, from which paths are told.

    ``files`` are the ones changed last, the newest first, of ``all_files``; ``failed`` is how many
    tests failed when pytest last ran here.
    """

    files: tuple[str, ...]
    all_files: int
    failed: int


def find_tests(folder: Path) -> ProjectTests | None:
    """The tests below a folder; None where there are none. Blocks for some milliseconds.

    A person's home and the root are no projects, and not looked through.
    """
    if folder.parent == folder or folder == _home():
        return None
    found = sorted(_test_files(folder), reverse=True)
    files: list[str] = []
    for _, path in found[:_MOST_READ]:
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
    """Files that pytest would take by their names, each with the time of its last change."""
    looked_at = 0
    folders = [(str(folder), 0)]
    for where, depth in folders:  # grows: the nearest come first
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
    """Returns how many tests pytest notes as failed, of files that are still there."""
    import msgspec

    try:
        noted = msgspec.json.decode(read_file(folder / _FAILED), type=dict[str, bool])
    except (OSError, msgspec.MsgspecError):
        return 0
    return sum((folder / test.partition("::")[0]).is_file() for test in noted)
