"""Frames that pydevd omits: reported, and restored where it should not omit them.

- Frames that are left out of a stack are counted, and included where all are requested (DAP's
  ``includeAll``).
- Code that the person's own code has made (``exec``, ``compile``) is theirs. Without it, one is
  shown bytecode: so it is said where there is no source.
- Calls that pytest has written into an assert are none to be stepped into.
- A source in a zip is in the zip, also where that was named by a path that begins nowhere.
"""

from __future__ import annotations

import linecache
import re
import sys
from os.path import dirname, exists, isfile, join

import pydevd

from tuidbg.debuggee.patches.debugger import (
    DB,
    pydevd_api,
    pydevd_comm,
    pydevd_file_utils,
    pydevd_frame_utils,
    pydevd_json_commands,
)
from tuidbg.debuggee.patches.registry import find_module, patch, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any

native_stack: Any
native_frames: Any
native_scope: Any
native_kind: Any
native_source: Any
native_answer: Any
native_relative: Any
native_exists: Any
native_calls: Any
# What the functions here stand for.


# Stacks


class Looked(object):
    """pydevd's debugger, as it is asked which frames of a stack it passes over."""

    def __init__(self, db: Any, shows_all: bool) -> None:
        self.db, self.shows_all = db, shows_all
        self.seen: list[tuple[int, bool, bool]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)

    def apply_files_filter(self, frame: FrameType, *rest: Any) -> Any:
        is_hidden = bool(self.db.apply_files_filter(frame, *rest))
        if is_hidden and self.is_ruled_out(frame):
            return True
        self.seen.append((id(frame), type(frame) is OF_EARLIER, is_hidden))
        return is_hidden and not self.shows_all

    def is_ruled_out(self, frame: FrameType) -> Any:
        """Whether a rule of the person's own names it, with which they want nothing to do."""
        path = pydevd_file_utils.absolute_path(frame.f_code.co_filename)
        return self.db._exclude_filters_enabled and self.db._exclude_by_filter(frame, path)

    def notes(self) -> Any:
        """The notes on the frames of a stack, by their ids.

        True for an omitted frame, where all are included. Else three numbers: of the frames omitted
        above it, of those below the last one of its part of the stack, and of earlier exceptions
        that have no frame in the list.
        """
        if self.shows_all:
            return {name(number): True for number, _, is_hidden in self.seen if is_hidden}
        notes: dict[Any, Any] = {}
        last: tuple[int, bool | None] | None = None
        part: bool | None = False
        count = 0
        for number, is_earlier, is_hidden in [*self.seen, (0, None, True)]:
            if is_earlier is not part:
                if count and last:
                    where = 1 if last[1] is part else 2
                    notes.setdefault(name(last[0]), [0, 0, 0])[where] += count
                count, part = 0, is_earlier
            if is_hidden:
                count += 1
                continue
            if count:
                notes[name(number)] = [count, 0, 0]
            last, count = (number, is_earlier), 0
        return notes


def name(number: int) -> Any:
    return find_module(SCHEMA).BaseSchema._translate_id_to_dap(number)


SCHEMA = "_pydevd_bundle._debug_adapter.pydevd_base_schema"
OF_EARLIER = getattr(pydevd_frame_utils, "_DummyFrameWrapper", None)


def make_stack(
    self: Any,
    db: Any,
    seq: int,
    thread_id: str,
    topmost: Any,
    fmt: Any = None,
    *rest: Any,
    **named: Any,
) -> Any:
    """Replacement for ``make_get_thread_stack_message``; frames note the omitted ones near them."""
    looked = Looked(db, type(fmt) is dict and bool(fmt.get("includeAll")))
    command = native_stack(self, looked, seq, thread_id, topmost, fmt, *rest, **named)
    notes = looked.notes()
    message = getattr(command, "as_dict", None)
    if not notes or not message:
        return command
    for told in message["body"]["stackFrames"]:
        if told["id"] in notes:
            told["passedOver"] = notes[told["id"]]
    return find_module(NET_COMMAND).NetCommand(command.id, command.seq, message, is_json=True)


NET_COMMAND = "_pydevd_bundle.pydevd_net_command"


@patch("count the frames that are left out")
def patch_stacks() -> None:
    global native_stack
    native_stack = replace(type(DB.cmd_factory), "make_get_thread_stack_message", make_stack)


def make_frames(
    trace: TracebackType | None,
    frame: FrameType,
    kind: Any,
    error: BaseException,
    exception_type: Any = None,
) -> Any:
    """Replacement for ``create_frames_list_from_traceback``, which forgets what is above ``frame``.

    The exception has left those already, but they tell where it came from.
    """
    found = native_frames(trace, frame, kind, error, exception_type)
    if frame is None or trace is None:
        return found
    whole = native_frames(trace, None, kind, error, exception_type)
    for left, each in enumerate(whole):
        if each is frame and left:
            whole.current_frame, whole.tuidbg_left = found.current_frame, left
            return whole
    return found


@patch("show where an exception came from")
def patch_frames() -> None:
    global native_frames
    name = "create_frames_list_from_traceback"
    native_frames = replace(pydevd_frame_utils, name, make_frames)


# Code that the person's own code has made

MADE: dict[Any, Any] = {}
"""Whether code without a file is the person's own, as far as anybody has asked."""

MAKES = re.compile(r"(?<![\w.])(?:exec|eval|compile|FunctionType)\s*\(")
MAKERS: dict[Any, Any] = {}
"""Whether sources make code, by their paths."""

OF_OTHERS = ("<frozen ", "<tuidbg ", "<attrs generated ", "<decorator-gen-")


def in_project_scope(frame: FrameType, path: str | None = None) -> Any:
    """Replacement for pydevd's question whether a frame is the person's own."""
    return is_made(frame) or native_scope(frame, path)


def get_file_type(frame: FrameType, *rest: Any) -> Any:
    """Replacement for pydevd's question whether a frame is its own, or none that it stops in."""
    kind = native_kind(frame, *rest)
    if kind == pydevd.LIB_FILE and is_made(frame):
        code = frame.f_code  # of which all is asked again, without the frame, by this name
        DB.get_cache_file_type()[(code.co_firstlineno, code.co_filename, code)] = kind = None
    return kind


def is_made(frame: FrameType) -> Any:
    """Whether the frame runs code that the person's own code has made."""
    code = frame.f_code
    if code.co_filename[:1] != "<":
        return False
    found = MADE.get(code)
    if found is None:
        found = MADE[code] = is_own(frame)
    return found


def is_own(frame: FrameType) -> Any:
    """Whether own code that makes code has called it; methods of classes are no one's.

    Nothing tells who has made it. A dataclass or a named tuple makes such code, too, in any
    program; so only that counts which is called by a source that has ``exec`` or its like.
    """
    code, module = frame.f_code, str(frame.f_globals.get("__name__"))
    name = code.co_name
    if code.co_filename.startswith(OF_OTHERS) or module.startswith("namedtuple_"):
        return False
    if name.startswith("__") and name.endswith("__"):
        return False
    caller = frame.f_back
    while caller is not None and caller.f_code.co_filename[:1] == "<":
        caller = caller.f_back
    if caller is None or native_kind(caller) is not None or not native_scope(caller):
        return False
    path = caller.f_code.co_filename
    if path not in MAKERS:
        lines = linecache.getlines(path, caller.f_globals)
        MAKERS[path] = any(MAKES.search(line) for line in lines)
    return MAKERS[path]


@patch("stop in code that own code has made")
def patch_made_code() -> None:
    global native_scope, native_kind
    native_scope = replace(DB, "in_project_scope", in_project_scope)
    native_kind = replace(DB, "get_file_type", get_file_type)


# Sources that are no files


class Bytecode(str):
    """Holds what is shown of code without a source."""


def get_source(self: Any, db: Any, frame_id: Any) -> Any:
    """Replacement for ``get_decompiled_source_from_frame_id``, which asks no loader (of a zip)."""
    frame = db.suspended_frames_manager.get_variable(int(frame_id)).value
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    return "".join(lines) or Bytecode(native_source(self, db, frame_id))


def answer_source(self: Any, db: Any, request: Any) -> Any:
    """Replacement for ``on_source_request``; says what is none by its MIME type."""
    command = native_answer(self, db, request)
    message = command.as_dict
    if type(message["body"].get("content")) is not Bytecode:
        return command
    message["body"]["mimeType"] = "text/x-python-bytecode"
    return find_module(NET_COMMAND).NetCommand(command.id, command.seq, message, is_json=True)


def find_relative(path: str, func: Any, *rest: Any) -> Any:
    """Replacement for ``_get_relative_filename_abs_path``, which finds nothing in a zip."""
    for folder in ["", *sys.path]:
        found = func(join(folder, path))
        if is_in_file(found):
            return found
    return native_relative(path, func, *rest)


def is_there(path: str) -> Any:
    """Replacement for ``exists``, which knows zips by two of their names only."""
    return native_exists(path) or is_in_file(path)


def is_in_file(path: str) -> bool:
    """Whether that goes on where the path of a file ends, as it does in a zip."""
    while path != dirname(path) and not exists(path):
        path = dirname(path)
        if isfile(path):
            return True
    return False


@patch("show sources that are no files")
def patch_sources() -> None:
    global native_source
    name = "get_decompiled_source_from_frame_id"
    native_source = replace(pydevd_api.PyDevdAPI, name, get_source)


@patch("tell bytecode from sources")
def patch_bytecode() -> None:
    global native_answer
    processor = pydevd_json_commands.PyDevJsonCommandProcessor
    native_answer = replace(processor, "on_source_request", answer_source)


@patch("find relative sources in zips")
def patch_relative() -> None:
    global native_relative
    name = "_get_relative_filename_abs_path"
    native_relative = replace(pydevd_file_utils, name, find_relative)


@patch("find sources in zips")
def patch_zips() -> None:
    global native_exists
    native_exists = replace(pydevd_file_utils, "exists", is_there)


# Calls that can be stepped into


def find_calls(frame: FrameType, *rest: Any, **named: Any) -> Any:
    """Replacement for ``calculate_smart_step_into_variants``, without pytest's calls."""
    found = native_calls(frame, *rest, **named)
    is_list = sys._getframe(1).f_code.co_name == "internal_get_step_in_targets_json"
    if is_list and "@pytest_ar" in frame.f_globals:
        return [variant for variant in found if not is_of_pytest(variant.name)]
    return found


def is_of_pytest(name: str) -> bool:
    """Whether the call is one of those with which pytest explains an assert.

    From Python 3.11 on they have the source of the whole statement for a name, else their own.
    """
    return name.startswith(("assert ", "assert(", "@py")) or name in REWRITING


REWRITING = (
    "_call_assertion_pass",
    "_call_reprcompare",
    "_check_if_assertion_pass_impl",
    "_format_assertmsg",
    "_format_boolop",
    "_format_explanation",
    "_saferepr",
    "_should_repr_global_name",
    "AssertionError",
    "locals",
)

if sys.implementation.name != "pypy":  # there a step into a call can't be chosen

    @patch("step into none of pytest's calls")
    def patch_calls() -> None:
        global native_calls
        name = "calculate_smart_step_into_variants"
        native_calls = replace(pydevd_comm.pydevd_bytecode_utils, name, find_calls)
