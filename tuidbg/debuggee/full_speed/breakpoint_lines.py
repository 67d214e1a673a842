"""Which lines of which code objects have breakpoints; pydevd's tables of them."""

from __future__ import annotations

import dis
import os
import sys

import pydevd_file_utils

from tuidbg.debuggee.full_speed.monitoring import (
    CODES,
    DB,
    LOCK,
    TABLES,
    Engine,
    demand_in,
)
from tuidbg.debuggee.full_speed.stops import hits_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any


class Hidden(dict):  # type: ignore[type-arg]
    """pydevd's table of breakpoints, as its tracing sees it: empty. It is written as ever."""

    def get(self, key: Any, otherwise: Any = None) -> Any:
        return otherwise

    def values(self) -> Any:
        return ()

    def __bool__(self) -> bool:
        return False


NOTHING: dict[Any, Any] = {}

LINES: dict[Any, Any] = {}
"""By the ``id`` of a code object: its breakpoints by line, each with its ``Hits`` in the probe once
it is reached, None where that shows that it stops nowhere, and alone until then: most never are."""

LOOKED_IN: set[Any] = set()
"""The ``id`` of the code objects at whose lines values are looked at; their lines are known."""

TOLD_OF_STARTS: set[Any] = set()
"""The ``id`` of those that go on in their first line: Python 3.13 forgets that line together with
the beginning of the function."""

RESUME = dis.opmap["RESUME"]

PATHS: dict[Any, Any] = {}
"""The files of code objects, as pydevd names them, by the names that the code objects have."""

MOST_PATHS = 20000


def canonical(name: str) -> Any:
    """The file of a code object as pydevd names it."""
    path = PATHS.get(name)
    if path is None:
        if len(PATHS) > MOST_PATHS:  # a program that makes its code as it goes
            PATHS.clear()
            FOLDERS.clear()
        path = PATHS[name] = real_path(name)
    return path


def real_path(name: str) -> Any:
    """As pydevd has it. It looks at each folder of each file: of most files one question tells."""
    folder, slash, base = name.rpartition("/")
    if name[:1] == "/" and base[-3:] == ".py":
        try:
            read_link(name)
        except OSError:  # it is no link, so that it lies where its folder does
            path = FOLDERS.get(folder)
            if path is None:
                path = FOLDERS[folder] = find_real_path(folder or slash).rstrip("/")
            return path + slash + base
    return pydevd_file_utils.get_abs_path_real_path_and_base_from_file(name)[1]


FOLDERS: dict[Any, Any] = {}
"""Where folders lie, by the names that code objects have of them."""

read_link, find_real_path = os.readlink, os.path.realpath


def prepare(code: CodeType, frame: FrameType) -> Any:
    """The breakpoints in a code object, by line; these lines have events from now on."""
    while True:
        known = LINES.get(id(code))
        if known is not None:
            return known
        generation = Engine.generation
        table = TABLES.get(canonical(code.co_filename)) or NOTHING
        is_watched = looks_in(code)
        if not table and not is_watched:
            return NOTHING
        lines = {line: table[line] for _, _, line in code.co_lines() if line in table}
        if not (lines or is_watched):
            return NOTHING
        if (is_watched or is_in_library(code.co_filename)) and is_foreign(code, frame):
            return NOTHING
        with LOCK:
            if generation != Engine.generation:
                continue  # other breakpoints meanwhile
            LINES[id(code)], CODES[id(code)] = lines, code
            if is_watched:
                LOOKED_IN.add(id(code))
            if (is_watched or code.co_firstlineno in lines) and goes_on_in_first_line(code):
                TOLD_OF_STARTS.add(id(code))
            demand_in(code)
        return lines


def place_at(lines: Any, line: int, frame: FrameType) -> Any:
    """The breakpoint at a line and its ``Hits``; None where there is none, or it is foreign."""
    place = lines.get(line)
    if place is not None and type(place) is not tuple:
        place = None if is_foreign(frame.f_code, frame) else (place, hits_of(place))
        lines[line] = place
    return place


def goes_on_in_first_line(code: CodeType) -> Any:
    """Whether the first statement stands where the function begins, as in a lambda."""
    instructions = dis.get_instructions(code)
    for each in instructions:
        if each.opcode == RESUME:
            break
    following = next(instructions, None)
    return following is not None and line_at(code, following.offset) == code.co_firstlineno


def line_at(code: CodeType, offset: int) -> Any:
    for begin, end, line in code.co_lines():
        if begin <= offset < end:
            return line
    return None


def looks_in(code: CodeType) -> Any:
    """Whether values are watched on the lines of a function."""
    return Engine.is_everywhere or (Engine.watch is not None and Engine.watch.looks_in(code))


def is_foreign(code: CodeType, frame: FrameType) -> Any:
    """Whether pydevd would not stop there: in its own files, and in skipped ones."""
    if DB.get_file_type(frame) is not None:
        return True
    path = pydevd_file_utils.get_abs_path_real_path_and_base_from_file(code.co_filename)[0]
    return DB.is_files_filter_enabled and DB.apply_files_filter(frame, path, False)


def is_in_library(name: str) -> Any:
    """Whether pydevd would most likely pass over it, for the folder in which it lies."""
    folder = name.rpartition("/")[0]
    found = LIBRARIES.get(folder)
    if found is None:
        found = LIBRARIES[folder] = not DB._files_filtering.in_project_roots(folder + "/any.py")
    return found


LIBRARIES: dict[Any, Any] = {}
"""By folder: whether pydevd takes it for one of libraries."""


def forget_codes() -> None:
    """Remove the events of code objects whose files have no breakpoints any more."""
    for key, code in list(CODES.items()):
        if canonical(code.co_filename) not in TABLES and not looks_in(code):
            del CODES[key]
            demand_in(code)


def resting_greenlets() -> list[Any]:
    """The frames of greenlets that wait: their going on has no event.

    In a program with a million objects it takes 50 milliseconds to find them.
    """
    kind = getattr(sys.modules.get("greenlet"), "greenlet", None)
    if not isinstance(kind, type):
        return []
    import gc

    found = [each.gr_frame for each in gc.get_objects() if issubclass(type(each), kind)]
    return [frame for frame in found if frame is not None]
