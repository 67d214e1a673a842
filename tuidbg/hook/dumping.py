"""Leaves a file with the stack and the values of one moment (``tuidbg.dump()``).

``tuidbg open FILE`` shows it anywhere, as if the program stood there. No code of the program runs
for it, and nothing is raised into it: what can't be done is one sentence on stderr.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from time import localtime, strftime, time
from types import FrameType, TracebackType
from typing import Any

from tuidbg.hook.calls import complain
from tuidbg.recording.leaving.file import leave, paths_of, read_sources
from tuidbg.recording.leaving.namespace import ONE_MOMENT, make_namespace

FOLDER = "TUIDBG_DUMP"
"""The variable that names the folder of dumps."""

_DEEPER = 5000
"""Calls that reading deeply nested values may take, besides those that the program may make."""

_LEFT_ALONE = (KeyboardInterrupt, SystemExit, GeneratorExit)

_lock = threading.RLock()

Path = str | os.PathLike[str]


def dump(path: Path | None = None, exception: BaseException | None = None) -> str | None:
    """Write the stack and the values of this moment to a file; its path, None where it can't be.

    Of ``exception``, or the one that is being handled, the stack is that of its traceback. Without
    a ``path`` the file is named by the program and the time, in the folder of ``TUIDBG_DUMP`` or
    the current one.
    """
    error = sys.exception() if exception is None else exception
    return _dump(path, error, sys._getframe(1))


def dump_uncaught(folder: Path | None = None) -> None:
    """Dump each exception from here on that ends the program or one of its threads.

    Into ``folder``, or that of ``TUIDBG_DUMP``, or the current one. The traceback is printed as
    ever before that, and the path of the file behind it.
    """
    if isinstance(sys.excepthook, _DumpingExcepthook):
        sys.excepthook.folder = _absolute(folder)
        return
    sys.excepthook = hook = _DumpingExcepthook(sys.excepthook, _absolute(folder))
    threading.excepthook = _DumpingThreadExcepthook(threading.excepthook, hook)


def _absolute(folder: Path | None) -> str:
    return os.path.abspath(folder or os.environ.get(FOLDER) or ".")


class _DumpingExcepthook:
    """``sys.excepthook``: prints as ever, then dumps."""

    def __init__(self, before: Callable[..., object], folder: str) -> None:
        self._before = before
        self.folder = folder

    def __call__(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self._before(kind, error, trace)
        self.take(error)

    def take(self, error: BaseException | None) -> None:
        """Dump an exception, where it is none that a person asked for."""
        kinds = () if error is None else type.__dict__["__mro__"].__get__(type(error))
        if not kinds or any(kind is one for kind in kinds for one in _LEFT_ALONE):
            return
        path = _dump(_name_in(self.folder), error, None)
        if path is not None:
            complain(f"the program's values at its end: tuidbg open {path}")


class _DumpingThreadExcepthook:
    """``threading.excepthook``, likewise."""

    def __init__(self, before: Callable[..., object], hook: _DumpingExcepthook) -> None:
        self._before = before
        self._hook = hook

    def __call__(self, args: threading.ExceptHookArgs, /) -> None:
        self._before(args)
        self._hook.take(args.exc_value)


def _dump(path: Path | None, error: BaseException | None, frame: FrameType | None) -> str | None:
    with _lock:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + _DEEPER)
        try:
            return _write(path, error, frame)
        # Whatever it is: a program that is about to tell of its own fault must not get another.
        except Exception as problem:
            complain(f"nothing could be dumped: {problem or type(problem).__name__}")
            return None
        finally:
            sys.setrecursionlimit(limit)


def _write(path: Path | None, error: BaseException | None, frame: FrameType | None) -> str:
    at = os.path.abspath(path if path is not None else _name_in(_absolute(None)))
    if os.path.isdir(at):  # noqa: PTH112
        at = _name_in(at)
    os.makedirs(os.path.dirname(at), exist_ok=True)  # noqa: PTH103, PTH120
    space = make_namespace(ONE_MOMENT)
    try:
        space["Standing"].settings = {"exclude": [_own_folder()]}
        found, left_out = space["stack_of"](frame, error)
        data = space["record_stack"](found, error, threading.current_thread().name)
        words = [_describe(space, error)] if error is not None else []
        if left_out:
            words.append(f"{left_out:,} calls of the middle of the stack were left out")
        words += [f"something was left out ({each})" for each in space["PROBLEMS"]]
    finally:
        found = None
        space.clear()
    program = {
        "command": sys.orig_argv,
        "python": sys.version.split()[0],
        "at": time(),
        "ended": "; ".join(words) or "dumped",
    }
    lines = getattr(sys.modules.get("linecache"), "cache", {})
    sources = read_sources(paths_of(lambda: [data]), lines)
    leave(at, lambda: [data], program, sources)
    return at


def _describe(space: Any, error: BaseException) -> str:
    """An exception in words, without asking it for them."""
    name: str = space["name_of"](type(error))
    args = BaseException.__dict__["args"].__get__(error)
    return f"{name}: {args[0]}" if args and type(args[0]) is str else name


def _own_folder() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # noqa: PTH120


def _name_in(folder: str) -> str:
    """A name that no file there has."""
    words = [each for each in sys.argv[:1] if each not in ("", "-", "-c", "-m")]
    program = os.path.splitext(os.path.basename(words[0]))[0] if words else ""  # noqa: PTH119, PTH122
    name = f"{program or 'python'}-{strftime('%Y%m%d-%H%M%S', localtime())}-{os.getpid()}"
    path, number = os.path.join(folder, f"{name}.tuidbg"), 1  # noqa: PTH118
    while os.path.exists(path):  # noqa: PTH110
        number += 1
        path = os.path.join(folder, f"{name}-{number}.tuidbg")  # noqa: PTH118
    return path
