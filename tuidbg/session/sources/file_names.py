"""Tells which file a caller means who writes ``app.py``: the program's own, by name or by path.

An absolute path is taken as it is, a relative one begins at the program's
working directory. What is not there is looked for by its last parts among the files that the
program is known to run, then among those of its project, then among the libraries it has loaded.
A name that fits several of them is refused: no breakpoint is set in a file that was only guessed.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from tuidbg.adapters.errors import AdapterError
from tuidbg.config.project import project_of
from tuidbg.session.breakpoints.breakpoints import Breakpoints
from tuidbg.session.core import HasAdapter, Program
from tuidbg.session.errors import DebuggerError
from tuidbg.session.history.timeline import History
from tuidbg.session.sources.file_search import MAX_FILES, project_files
from tuidbg.session.sources.modules import Modules
from tuidbg.session.sources.program_facts import ProgramFacts
from tuidbg.session.sources.rules import Sources


class FindsFiles(HasAdapter, Program, Protocol):
    """A session that knows the files of its program."""

    @property
    def history(self) -> History:
        """Returns where it has stood."""

    @property
    def sources(self) -> Sources:
        """The rules by which sources are hidden."""

    @property
    def breakpoints(self) -> Breakpoints:
        """Returns where there are breakpoints."""

    @property
    def modules(self) -> Modules:
        """The modules that it has loaded."""

    @property
    def facts(self) -> ProgramFacts:
        """Knows the file of the program itself."""


SEARCH_LIMIT = 2.0
"""Seconds for going through the project's files."""

_NAMED = 5
"""Candidates that are named to a person."""


class FileNotKnown(DebuggerError):
    """No file of the program is called that, or several are; ``candidates`` are those."""

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


async def find_file(session: FindsFiles, name: str) -> str:
    """The path of the file that is meant, as the session knows it. Raises FileNotKnown."""
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
        if path in known:  # the program has it, if only elsewhere or no more
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


async def _program_sources(session: FindsFiles, name: str) -> Sequence[str]:
    """The sources of that name that a native program was built from, as its debugger has them."""
    native = session.profile.native
    if native is None or not session.adapter.is_configurable:
        return await asyncio.to_thread(session.profile.sources.find, session.plan, name)
    try:
        return await native.find_source(session.adapter.request, name)
    except AdapterError:
        return ()


def _only(name: str, found: list[str], preferred: str) -> str:
    """The one that is meant. Raises FileNotKnown where it may be any of several."""
    if preferred in found:
        return preferred
    if len(found) > 1:
        raise FileNotKnown(name, tuple(found))
    return found[0]


def _known_files(session: FindsFiles) -> set[str]:
    """The program itself, where it stands or has stood, and where there are breakpoints."""
    places = [frame.place for frame in session.frames]
    places += [frame.place for past in session.history for frame in past.frames]
    files = {place.path for place in places if place is not None and not place.reference}
    files |= {session.facts.target_path, session.plan.first_source}
    own = {path for path in files if not session.sources.is_hidden(path)}
    return {path for path in own | set(session.breakpoints.registry.files()) if path}


async def _loaded_files(session: FindsFiles) -> tuple[set[str], set[str]]:
    """The sources of the modules that the program has loaded: its own, and the others."""
    try:
        modules = await session.modules.list()
    except DebuggerError:  # it runs, or the adapter can't tell
        return set(), set()
    paths = {module.path for module in modules if module.path}
    own = {path for path in paths if not session.sources.is_hidden(path)}
    return own, paths - own


def _project_files(session: FindsFiles, name: str) -> set[str]:
    """The files of its project that are called that. Blocks."""
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
    """The files whose last parts are those of the name; one file under two paths counts once."""
    wanted = Path(os.path.normpath(name)).parts
    fitting = sorted(path for path in files if Path(path).parts[-len(wanted) :] == wanted)
    return list({os.path.realpath(path): path for path in reversed(fitting)}.values())[::-1]


def _as_known(path: str, known: set[str]) -> str:
    """The same file as the session calls it, where it was reached by a link."""
    if path in known:
        return path
    real = os.path.realpath(path)
    last = Path(real).name
    same = (k for k in known if Path(k).name in (last, Path(path).name))
    return next((k for k in same if os.path.realpath(k) == real), path)
