"""The file that a caller's ``app.py`` refers to: the program's own, by name or by path.

An absolute path is used unchanged, a relative one starts at the program's working directory. A
missing file is searched by its last parts among the files that the program is known to run, then
among those of its project, then among the libraries it has loaded. A name that matches several of
them is refused: no breakpoint is set in a guessed file.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError
from tuidbg.config.files import read_file
from tuidbg.config.project import project_of
from tuidbg.lines import split_lines
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import StateValue

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


MAX_MATCHES = 1_000
MAX_FILE_SIZE = 4_000_000
"""Bytes of the largest file that is searched; larger ones are data."""

MAX_FILES = 200_000
LINE_LIMIT = 300
"""Characters kept of a line."""

TELL_AFTER = 0.05
"""Seconds between two reports of matches."""

_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages", "venv"})
_ENVIRONMENT = "pyvenv.cfg"
_BINARY_PROBE = 4_096

Cancelled = Callable[[], bool]


class LineMatch(StateValue, frozen=True):
    """A line that contains the text, at indices ``start`` to ``end`` of ``text``.

    ``text`` is the line without its indentation, truncated.
    """

    path: str
    line: int
    text: str
    start: int
    end: int


class Summary(StateValue, frozen=True):
    """The outcome of a search. ``cut``: there are more matches than reported."""

    files: int = 0
    matches: int = 0
    cut: bool = False
    cancelled: bool = False


def search_files(
    folder: Path,
    pattern: re.Pattern[str],
    tell: Callable[[list[LineMatch]], None],
    is_cancelled: Cancelled,
    *,
    limit: int = MAX_MATCHES,
) -> Summary:
    """Report the matching lines of the project's files, a few at a time, in the files' order."""
    found: list[LineMatch] = []
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


def _search(path: Path, pattern: re.Pattern[str]) -> Iterator[LineMatch]:
    text = read_text(path)
    if text is None or pattern.search(text) is None:  # the whole first: most files have none
        return
    for number, line in enumerate(split_lines(text), 1):
        hit = pattern.search(line)
        if hit is not None:
            yield _match(path, number, line, hit.start(), hit.end())


def _match(path: Path, number: int, line: str, start: int, end: int) -> LineMatch:
    """Truncate the line so that the match is in the kept part."""
    indent = len(line) - len(line.lstrip())
    begin = min(indent, start)
    if end - begin > LINE_LIMIT:
        begin = max(0, start - 20)
    text = line[begin : begin + LINE_LIMIT]
    return LineMatch(str(path), number, text, start - begin, min(end - begin, len(text)))


def read_text(path: Path) -> str | None:
    """Return a file's text; None if it is no text, too large, or can't be read."""
    try:
        data = read_file(path, limit=MAX_FILE_SIZE)
    except OSError:
        return None
    if b"\0" in data[:_BINARY_PROBE]:
        return None
    return data.decode("utf-8", "replace")


def project_files(folder: Path, is_cancelled: Cancelled = lambda: False) -> Iterator[Path]:
    """Yield the project's files, in the order of their names."""
    listed = _listed_by_git(folder, is_cancelled)
    if listed:
        for name in sorted(listed):
            yield folder / name
    elif not is_cancelled():  # no git, or a folder that is ignored as a whole
        yield from _walked(folder)


def _listed_by_git(folder: Path, is_cancelled: Cancelled) -> list[str] | None:
    """Return the files tracked by git and new unignored ones; None if git can't list them."""
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


SEARCH_LIMIT = 2.0
"""Seconds for searching the project's files."""

_NAMED = 5
"""Candidates named in a message."""


class FileNotKnown(DebuggerError):
    """No or several files of the program match; ``candidates`` are those."""

    def __init__(self, name: str, candidates: tuple[str, ...] = ()) -> None:
        if candidates:
            shown = ", ".join(candidates[:_NAMED])
            more = f" and {len(candidates) - _NAMED} more" if len(candidates) > _NAMED else ""
            sentence = f"{name!r} may be any of {shown}{more}; write the whole path"
        elif not name:
            sentence = "name a file"
        else:
            sentence = f"there is no file {name}; write the whole path"
        super().__init__(sentence)
        self.name, self.candidates = name, candidates


async def find_file(session: Session, name: str) -> str:
    """Return the path of the matching file, as the session knows it. Raises FileNotKnown."""
    if not name.strip() or "\0" in name:
        raise FileNotKnown(name.replace("\0", "").strip())
    known = _known_files(session)
    path = os.path.abspath(os.path.join(session.plan.cwd, name))  # noqa: PTH118
    if not Path(name).is_absolute():
        built_from = _fitting(name, await _program_sources(session, name))
        if built_from:  # a bare name means the program's own first
            return _only(name, built_from, path)
    if Path(path).is_file():
        return _as_known(path, known)
    if Path(name).is_absolute():
        if path in known:  # the program has it, even if only remotely or deleted
            return path
        raise FileNotKnown(name)
    own, libraries = await _loaded_files(session)
    for files in (known | own, await asyncio.to_thread(_project_files, session, name), libraries):
        found = _fitting(name, files)
        if len(found) == 1:
            return _as_known(found[0], known)
        if found:
            raise FileNotKnown(name, tuple(found))
    raise FileNotKnown(name)


async def _program_sources(session: Session, name: str) -> Sequence[str]:
    """Return the sources of that name that a native program was built from, by its debugger."""
    native = session.profile.native
    if native is None or not session.adapter.is_configurable:
        return await asyncio.to_thread(session.profile.sources.find, session.plan, name)
    try:
        return await native.find_source(session.adapter.request, name)
    except AdapterError:
        return ()


def _only(name: str, found: list[str], preferred: str) -> str:
    """Return the only match. Raises FileNotKnown if several are possible."""
    if preferred in found:
        return preferred
    if len(found) > 1:
        raise FileNotKnown(name, tuple(found))
    return found[0]


def _known_files(session: Session) -> set[str]:
    """Return the files of the program itself, of its stops, and of breakpoints."""
    places = [frame.place for frame in session.frames]
    places += [frame.place for past in session.history for frame in past.frames]
    files = {place.path for place in places if place is not None and not place.reference}
    files |= {session.facts.target_path, session.plan.first_source}
    own = {path for path in files if not session.sources.is_hidden(path)}
    return {path for path in own | set(session.breakpoints.registry.files()) if path}


async def _loaded_files(session: Session) -> tuple[set[str], set[str]]:
    """Return the sources of the program's loaded modules: its own, and the others."""
    try:
        modules = await session.modules.list()
    except DebuggerError:  # it runs, or the adapter can't report them
        return set(), set()
    paths = {module.path for module in modules if module.path}
    own = {path for path in paths if not session.sources.is_hidden(path)}
    return own, paths - own


def _project_files(session: Session, name: str) -> set[str]:
    """Return the files of its project with that name. Blocks."""
    folder = project_of(session.plan)
    last, deadline = Path(name).name, time.monotonic() + SEARCH_LIMIT
    found = set()
    for count, path in enumerate(project_files(folder, lambda: time.monotonic() > deadline)):
        if path.name == last and path.is_file():
            found.add(str(path))
        if count >= MAX_FILES or time.monotonic() > deadline:
            break
    return found


def _fitting(name: str, files: Iterable[str]) -> list[str]:
    """Return the files whose last parts are the name's; one file under two paths counts once."""
    wanted = Path(os.path.normpath(name)).parts
    fitting = sorted(path for path in files if Path(path).parts[-len(wanted) :] == wanted)
    return list({os.path.realpath(path): path for path in reversed(fitting)}.values())[::-1]


def _as_known(path: str, known: set[str]) -> str:
    """Return the session's path of the same file, if it was reached by a link."""
    if path in known:
        return path
    real = os.path.realpath(path)
    last = Path(real).name
    same = (k for k in known if Path(k).name in (last, Path(path).name))
    return next((k for k in same if os.path.realpath(k) == real), path)
