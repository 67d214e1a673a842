"""What the queries of tuidbg share: calls from tuidbg, time limits, and showing values safely.

A value of the program may lie about its class, take forever to show itself, raise, print, or be
huge. Whatever it does, ``show`` gives a short text in a short time.
"""

from __future__ import annotations

import json
import sys

import pydevd
from _pydev_bundle._pydev_saved_modules import thread, threading
from _pydevd_bundle import pydevd_utils
from _pydevd_bundle.pydevd_constants import get_current_thread_id

from tuidbg.debuggee.loader import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


DB = pydevd.get_global_debugger()
get_ident = thread.get_ident
LOCK = threading.RLock()

SHOW_LIMIT = 0.3
"""Seconds that showing one value may take."""

TEXT_LIMIT = 300
"""Characters of a value, where no other number is given."""


class OutOfTime(BaseException):
    """Raised in the thread that takes too long."""


class TimeLimit(object):
    """Raises OutOfTime inside if that takes longer than so many seconds.

    A call into C that blocks is not interrupted; the exception comes when it returns.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> Any:
        self.inside, self.ident = True, get_ident()
        self.handle = DB.timeout_tracker.call_on_timeout(self.seconds, self.expire)
        self.handle.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        with LOCK:
            self.inside = False
            raise_in(self.ident, None)  # it must not arrive later, in the program's own code
        self.handle.__exit__(*error)

    def expire(self) -> None:
        with LOCK:
            if self.inside:
                raise_in(self.ident, OutOfTime)


class TakenBack(BaseException):
    """Arrives in the place of an exception that was taken back."""


def raise_in(ident: int, error: type[BaseException] | None) -> None:
    """Raise an exception in a thread; None takes back, in one's own, what has not arrived yet.

    To take one back, another is sent in its place and caught at once: Python 3.11 goes round in a
    circle for ever in a traced thread that was told of an exception which then never comes.
    """
    ctypes: Any = sys.modules.get("ctypes")
    if not hasattr(ctypes, "pythonapi"):  # as on PyPy: what takes long there takes long
        return
    set_error = ctypes.pythonapi.PyThreadState_SetAsyncExc
    try:
        kind = TakenBack if error is None else error
        set_error(ctypes.c_ulong(ident), ctypes.py_object(kind))
        if error is None:
            for _ in range(100000):
                pass
    except TakenBack:
        pass


PLAIN = (bool, int, float, complex, type(None))
TEXTS = (str, bytes)
SEQUENCES: dict[type, str] = {list: "[]", tuple: "()", set: "{}", frozenset: "{}"}


def show(value: Any, limit: int = TEXT_LIMIT, seconds: float = SHOW_LIMIT) -> Any:
    """``repr`` in at most so many characters and seconds; what goes wrong stands in its place."""
    try:
        return cut(plain(value, limit, 3), limit)
    except NotPlain:
        pass
    try:
        with TimeLimit(seconds):
            text = repr(value)
        return cut(text if isinstance(text, str) else "<repr gave no text>", limit)
    except OutOfTime:
        return "<repr takes more than %g s>" % seconds
    except Exception as error:
        return "<repr raised %s>" % type(error).__name__


class NotPlain(Exception):
    """Only the value itself knows how it looks."""


def plain(value: Any, limit: int, depth: int) -> Any:
    """The ``repr`` of builtin values, without going through all of a large one."""
    kind = type(value)
    if kind in PLAIN:
        return repr(value)
    if kind in TEXTS:
        return repr(value if len(value) <= limit else value[:limit])
    if kind in SEQUENCES and depth:
        return group(
            SEQUENCES[kind], value, lambda item: plain(item, limit, depth - 1), kind, limit
        )
    if kind is dict and depth:
        return group(
            "{}",
            value.items(),
            lambda pair: ": ".join(plain(p, limit, depth - 1) for p in pair),
            kind,
            limit,
        )
    raise NotPlain


def group(brackets: str, items: Iterable[Any], one: Any, kind: Any, limit: int) -> Any:
    pieces, length = [], 0
    for item in items:
        if length > limit:
            pieces.append("...")
            break
        pieces.append(one(item))
        length += len(pieces[-1]) + 2
    inner = ", ".join(pieces) + ("," if kind is tuple and len(pieces) == 1 else "")
    text = brackets[0] + inner + brackets[1]
    if kind is frozenset:
        return "frozenset(%s)" % (text if pieces else "")
    return "set()" if kind is set and not pieces else text


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: max(0, limit - 3)] + "..."


def type_name(value: Any) -> Any:
    """The name of the real class, whatever ``__class__`` says."""
    kind = type(value)
    return (
        kind.__name__
        if kind.__module__ == "builtins"
        else kind.__module__ + "." + kind.__qualname__
    )


def wake_for_next() -> None:
    """Have the stopped thread take the next request at once.

    pydevd forgets that there is one where two arrive close together, and sleeps 200 ms before it
    looks again: it clears the event after waiting for it, which may have been set twice by then.
    """
    ident = get_current_thread_id(threading.current_thread())
    queue, event = DB.get_internal_queue_and_event(ident)
    if not queue.empty():
        event.set()


def call(module: str, function: str, arguments: dict[str, Any]) -> Any:
    """Call a function of an inside module with keywords; its answer as JSON text.

    The function gets ``frame``, whose ``f_globals`` and ``f_locals`` are those of the frame that
    the evaluation was asked for.
    """
    asked = getattr(load_module(module), function)
    answer = asked(frame=sys._getframe(1), **arguments)
    wake_for_next()
    return json.dumps(answer, default=lambda value: show(value))


def install() -> None:
    """Silence a warning: that a value was slow. It would print the whole of our call."""
    pydevd_utils.Timer.__init__.__defaults__ = (1e6,)
