"""Finds the programs of a folder, without running anything of it.

Scripts that say they are programs, and packages that ``python -m`` runs; of the folder alone.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from tuidbg.config.regular_file import read_file

MOST_PROGRAMS = 5
_MOST_ENTRIES = 2_000
_MOST_READ = 40
_LARGEST = 1024 * 1024
"""Bytes of a file that is read."""

_IS_PROGRAM = re.compile(rb"\A#!.*python|^if\s+__name__\s*==\s*['\"]__main__['\"]", re.MULTILINE)
_NOT_OURS = re.compile(r"test_.*|.*_test\.py|conftest\.py|setup\.py|noxfile\.py")


def find_programs(folder: Path) -> tuple[tuple[str, ...], ...]:
    """The words that start each, those changed last first. Blocks for some milliseconds.

    A person's home and the root hold no project, and are not looked through.
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
    return (name,) if is_script and not _NOT_OURS.fullmatch(name) else None


def _is_program(path: Path) -> bool:
    try:
        return _IS_PROGRAM.search(read_file(path, limit=_LARGEST)) is not None
    except OSError:
        return False
