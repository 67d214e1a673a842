"""Finding a text in the files of a project: which files belong to it, which lines match.

Where git is there, it says which files belong (what ``.gitignore`` leaves out does not); elsewhere
the folders are walked, without those that tools make. Blocking: for a thread of its own, which
looks at ``is_cancelled`` again and again.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tuidbg.config.files import read_file
from tuidbg.lines import split_lines
from tuidbg.session.state import Value

MAX_MATCHES = 1_000
MAX_FILE_SIZE = 4_000_000
"""Bytes of a file that is looked at; larger ones are data."""

MAX_FILES = 200_000
LINE_LIMIT = 300
"""Characters that are kept of a line."""

TELL_AFTER = 0.05
"""Seconds between two reports of what was found."""

_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages", "venv"})
_ENVIRONMENT = "pyvenv.cfg"
_BINARY_PROBE = 4_096

Cancelled = Callable[[], bool]


class Match(Value, frozen=True):
    """A line in which the text is. ``start`` and ``end`` are where, as indices into ``text``.

    ``text`` is the line without its indentation, cut.
    """

    path: str
    line: int
    text: str
    start: int
    end: int


class Summary(Value, frozen=True):
    """The outcome of a search. ``cut``: there is more than is told."""

    files: int = 0
    matches: int = 0
    cut: bool = False
    cancelled: bool = False


def search_files(
    folder: Path,
    pattern: re.Pattern[str],
    tell: Callable[[list[Match]], None],
    is_cancelled: Cancelled,
    *,
    limit: int = MAX_MATCHES,
) -> Summary:
    """Tell the lines of the project's files that match, a few at a time, in the files' order."""
    found: list[Match] = []
    count = files = 0
    told = time.monotonic()
    for path in project_files(folder, is_cancelled):
        if is_cancelled():
            break
        files += 1
        if files > MAX_FILES:
            break
        for match in _search(path, pattern):
            found.append(match)
            count += 1
            if count >= limit:
                break
        if found and (count >= limit or time.monotonic() - told > TELL_AFTER):
            tell(found)
            found, told = [], time.monotonic()
        if count >= limit:
            break
    if found and not is_cancelled():
        tell(found)
    cut = count >= limit or files > MAX_FILES
    return Summary(files=files, matches=count, cut=cut, cancelled=is_cancelled())


def _search(path: Path, pattern: re.Pattern[str]) -> Iterator[Match]:
    text = read_text(path)
    if text is None or pattern.search(text) is None:  # the whole first: most files have none
        return
    for number, line in enumerate(split_lines(text), 1):
        hit = pattern.search(line)
        if hit is not None:
            yield _match(path, number, line, hit.start(), hit.end())


def _match(path: Path, number: int, line: str, start: int, end: int) -> Match:
    """The line cut so that the match is in what is kept."""
    indent = len(line) - len(line.lstrip())
    begin = min(indent, start)
    if end - begin > LINE_LIMIT:
        begin = max(0, start - 20)
    text = line[begin : begin + LINE_LIMIT]
    return Match(str(path), number, text, start - begin, min(end - begin, len(text)))


def read_text(path: Path) -> str | None:
    """A file's text; None where it is no text, too large, or can't be read."""
    try:
        data = read_file(path, limit=MAX_FILE_SIZE)
    except OSError:
        return None
    if b"\0" in data[:_BINARY_PROBE]:
        return None
    return data.decode("utf-8", "replace")


def project_files(folder: Path, is_cancelled: Cancelled = lambda: False) -> Iterator[Path]:
    """The project's files, in the order of their names."""
    listed = _listed_by_git(folder, is_cancelled)
    if listed:
        for name in sorted(listed):
            yield folder / name
    elif not is_cancelled():  # no git, or a folder that is ignored as a whole
        yield from _walked(folder)


def _listed_by_git(folder: Path, is_cancelled: Cancelled) -> list[str] | None:
    """The files that git knows of, and what is new and not ignored; None where git does not say."""
    command = ["git", "-C", str(folder), "ls-files", "-z", "--cached", "--others"]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        git = subprocess.Popen(
            [*command, "--exclude-standard", "--deduplicate"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
    except OSError:
        return None
    assert git.stdout is not None
    pieces: list[bytes] = []
    with git:
        while piece := git.stdout.read1(1 << 16):  # type: ignore[attr-defined]
            pieces.append(piece)
            if is_cancelled():
                git.kill()
                return []
    if git.returncode:
        return None
    return [os.fsdecode(name) for name in b"".join(pieces).split(b"\0") if name]


def _walked(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        here = Path(where)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _SKIPPED
            and not (here / name / _ENVIRONMENT).exists()
        )
        for name in sorted(names):
            yield here / name
