"""Opens the debugger at exceptions that nobody catches (``tuidbg.install()``)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import TracebackType

from tuidbg.hook.calls import is_debugged, stop_at_exception

Hook = Callable[[type[BaseException], BaseException, TracebackType | None], object]
ThreadHook = Callable[[threading.ExceptHookArgs], object]

_LEFT_ALONE = (KeyboardInterrupt, SystemExit, GeneratorExit)


def install_hooks() -> None:
    """Wrap the hooks of this process; a second time it does nothing."""
    if isinstance(sys.excepthook, _OpeningExcepthook):
        return
    sys.excepthook = _OpeningExcepthook(sys.excepthook)
    threading.excepthook = _OpeningThreadExcepthook(threading.excepthook)


def _is_wanted(error: BaseException | None) -> bool:
    """Not where nobody sits at the program, nor where a debugger has stopped at it already."""
    if error is None or isinstance(error, _LEFT_ALONE) or error.__traceback__ is None:
        return False
    stdin = sys.__stdin__
    try:
        return stdin is not None and stdin.isatty() and not is_debugged()
    except ValueError:  # closed
        return False


class _OpeningExcepthook:
    """``sys.excepthook``: prints as ever, then opens the debugger."""

    def __init__(self, before: Hook) -> None:
        self._before = before

    def __call__(
        self,
        kind: type[BaseException],
        error: BaseException,
        traceback: TracebackType | None,
    ) -> None:
        self._before(kind, error, traceback)
        if _is_wanted(error):
            stop_at_exception(error)


class _OpeningThreadExcepthook:
    """``threading.excepthook``, likewise."""

    def __init__(self, before: ThreadHook) -> None:
        self._before = before

    def __call__(self, args: threading.ExceptHookArgs, /) -> None:
        self._before(args)
        if _is_wanted(args.exc_value):
            assert args.exc_value is not None
            stop_at_exception(args.exc_value)
