"""Calls that are under way, and which code is recorded."""

from __future__ import annotations

import os
import sys
from types import CodeType

from tuidbg.debuggee.recording.frame_variables import namespace_of
from tuidbg.debuggee.recording.recorder_state import ModuleType, Standing, abspath
from tuidbg.debuggee.recording.value_kinds import MODULE_DICT, module_of, next_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_own_class(kind: Any) -> bool:
    """Whether it is of a module whose code is recorded."""
    module = sys.modules.get(module_of(kind))
    if type(module) is not ModuleType:
        return module_of(kind) not in ("builtins", "")
    file = MODULE_DICT(module).get("__file__")
    if type(file) is str:
        return is_own_file(file)
    return bool(module_of(kind) == "__main__")


class Record(object):
    """A call that is under way.

    ``last`` are its variables as they were recorded last, and ``look`` looks at what the line
    changes at which it stands. ``holds`` once a variable holds what a copy would keep alive.
    It ``waits`` behind a ``yield``: its end is not seen if it comes now.
    """

    __slots__ = (
        *("code", "holds", "info", "is_module", "is_over", "last", "line", "look", "looks"),
        *("number", "owner", "thread", "waits", "where"),
    )

    def __init__(self, frame: Any, info: Any, thread: Any) -> None:
        self.thread = thread
        self.info, self.code, self.looks = info, info.code, info.looks
        self.number = number = next_number()
        self.where = number << 24
        if info.is_module and frame.f_globals is frame.f_locals:
            self.is_module = True
            space = namespace_of(frame.f_globals)
            self.owner, self.last = space.owner, space.last
        else:
            self.is_module = False
            self.owner, self.last = number, {}
        self.holds = self.is_over = self.waits = False
        self.line: int | None = None
        self.look: Any = None


FRAMES: dict[Any, Any] = {}
"""By the ``id`` of frames that are under way."""

INFOS: dict[Any, Any] = {}
"""By the ``id`` of code objects, which they keep."""

FOREIGN: dict[Any, Any] = {}
"""By the names of files: whether they are not recorded."""

PLANNED: dict[Any, Any] = {}
"""The same of files, also of recordings before this one."""

OWN_TEXTS: dict[Any, Any] = {}
"""By ``id``: code that the person's own code has made of texts, which it keeps."""


def is_own_file(name: Any) -> bool:
    is_foreign = FOREIGN.get(name)
    if is_foreign is None:
        is_foreign = FOREIGN[name] = not is_recorded(name)
    return not is_foreign


def is_own_code(code: CodeType) -> bool:
    return id(code) in INFOS or is_own_file(code.co_filename) or id(code) in OWN_TEXTS


def is_recorded(name: Any) -> bool:
    if name.startswith("<"):
        return False
    path = abspath(name)
    for prefix in Standing.settings.get("include", ()):
        if path.startswith(prefix):
            return True
    if any(path.startswith(prefix) for prefix in Standing.settings.get("exclude", ())):
        return False
    if any(part in path for part in ("/site-packages/", "/dist-packages/")):
        return False
    return not path.startswith(LIBRARY)


LIBRARY = os.path.dirname(abspath(os.__file__)) + "/"


def is_own_text(code: CodeType, frame: Any) -> bool:
    """Whether code without a file was made by the person's own: executed from there."""
    if id(code) in OWN_TEXTS:
        return True
    if code.co_name != "<module>" or not code.co_filename.startswith("<"):
        return False
    above = frame.f_back
    if above is None or not is_own_code(above.f_code):
        return False
    add_own_text(code)
    return True


def add_own_text(code: CodeType) -> None:
    OWN_TEXTS[id(code)] = code
    for constant in code.co_consts:
        if type(constant) is CodeType:
            add_own_text(constant)


TAKES_DICTS = {"vars", "__dict__"}
"""A function that uses one of these may have the dict of the attributes of an object."""


def parent_of(frame: Any, thread: Any, when: int) -> tuple[Any, Any]:
    """The number and the line of the recorded call around a call; (0, 0) where there is none.

    What its line has changed so far is recorded: it is seen while what it calls runs.
    """
    above = frame.f_back
    while above is not None:
        code = above.f_code
        record = FRAMES.get(id(above))
        if record is not None and record.code is code:
            line = record.line
            early = record.info.early.get(line)
            if early is not None:
                early(record, above, when, thread.columns)
            return record.number, above.f_lineno if line is None else line
        above = above.f_back
    return 0, 0
