"""The debugger from inside a program: ``tuidbg.breakpoint()``, ``post_mortem()``, ``install()``.

This is imported by the person's own program, so it costs little until it is used: then debugpy
listens in this process on a port of this machine's own, and the user interface, a process of its
own, attaches to it (``hook_opening`` says where it shows). Under a debugger that is there already
the program just stops.

What a person has let go (``q`` and "let it run on") is left alone: from then on ``breakpoint()`` in
this process returns at once, in a microsecond or two, so one in a hot loop does no harm.
Nothing here raises into the program; what can't be done is one sentence on stderr.
"""

from __future__ import annotations

import os
import sys
import threading
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tuidbg.hook.line import ScreenLine


class NoDebugger(RuntimeError):
    """No debugger can be opened here; ``str()`` is one sentence."""


class _Debugger:
    """Holds what this process has opened: its debug server's port and the line to the screen."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.port = 0
        self.is_let_go = False
        self.line: ScreenLine | None = None
        self.lock = threading.RLock()

    def let_go(self) -> None:
        """The person wants to be asked no more."""
        self.is_let_go = True


_debugger = _Debugger()


def _current() -> _Debugger:
    """This process's own; a forked child has opened nothing yet."""
    global _debugger
    if _debugger.pid != os.getpid():
        _debugger = _Debugger()
    return _debugger


# For people


def breakpoint(*, header: str | None = None) -> None:
    """Stop here, in the caller's frame; also by ``PYTHONBREAKPOINT=tuidbg.breakpoint``.

    ``header`` is printed first, as pdb does it. Does nothing once the person has let the program
    go.
    """
    if _debugger.is_let_go and _debugger.pid == os.getpid() and not is_debugged():
        if sys.gettrace() is not None:
            _stop_tracing()
        return
    if header:
        print(header)
    stop_here(sys._getframe(1))


def post_mortem(error: BaseException | TracebackType | None = None) -> None:
    """Look at an exception where it was raised: that one, or the one that is being handled, or else
    the last that nobody has caught (``sys.last_exc``).

    A traceback will do as well. Works after the program was let go, too: it was asked for.
    """
    found = _find_error(error)
    if found is None:
        complain("there is no exception to look at")
    else:
        stop_at_exception(found)


def install() -> None:
    """Open the debugger whenever an exception ends the program, or one of its threads.

    The traceback is printed as ever before that. KeyboardInterrupt and SystemExit are none of it,
    and where nobody sits at the program (its stdin is no terminal) all is as before.
    """
    from tuidbg.hook.excepthook import install_hooks

    install_hooks()


# For other ways in (the pytest plug-in, IPython)


def is_debugged() -> bool:
    """Returns whether a debugger is attached to this process: tuidbg or another by debugpy."""
    pydevd = sys.modules.get("pydevd")
    return pydevd is not None and bool(pydevd._is_attached())


def is_let_go() -> bool:
    """Returns whether the person has let this process run on without a debugger.

    Right after a stop this waits until the screen that was quit is gone: it knows.
    """
    line = _current().line
    if line is not None and not is_debugged():
        line.wait()
    return _current().is_let_go and not is_debugged()


def open_debugger() -> None:
    """Have a debugger attached to this process; returns when it is ready. Raises NoDebugger.

    Where none is, its screen is opened: on the program's own terminal, or as ``hook_opening`` says.
    stdin, stdout and the terminal must be as the person has them (capture suspended).
    """
    if is_debugged():
        return
    debugger = _current()
    with debugger.lock:
        if not is_debugged():
            from tuidbg.hook.opening import open_screen

            open_screen(debugger)


def joining_words() -> dict[str, Any]:
    """Returns what another process needs to join this one's debugger, as its child (``join``)."""
    setup = sys.modules["pydevd"].SetupHolder.setup
    return {"port": setup["port"], "token": setup.get("access-token"), "pid": os.getpid()}


def stop_here(frame: FrameType | None = None) -> None:
    """Stop at the next line of ``frame`` (the caller's where left out), opening the debugger.

    Says why on stderr where there can be none. Does nothing once the program was let go.
    """
    with _current().lock:  # another thread may open it just now
        if is_let_go():
            return
    frame = frame or sys._getframe(1)
    if _try_to_open():
        from tuidbg.hook.stops import stop_at_frame

        stop_at_frame(frame)


def stop_at_exception(error: BaseException, frame: FrameType | None = None) -> None:
    """Stop at ``error`` as if nobody had caught it, opening the debugger.

    The frames are those of its traceback; ``frame`` is the one to stop in, otherwise the innermost
    of the person's own code. Returns when the person lets the program go on. ``error`` must have
    a traceback. Says why on stderr where there can be no debugger.
    """
    if _try_to_open():
        from tuidbg.hook.stops import stop_at_error

        stop_at_error(error, frame)


def _try_to_open() -> bool:
    try:
        open_debugger()
    except NoDebugger as problem:
        complain(str(problem))
        _current().let_go()  # told once, not at each pass of a loop
        return False
    return is_debugged()


def _stop_tracing() -> None:
    """Nobody looks any more: pydevd's tracing would cost this thread at each call it makes.

    The next stop begins it again.
    """
    debugger = sys.modules["pydevd"].get_global_debugger() if "pydevd" in sys.modules else None
    if debugger is not None:
        debugger.disable_tracing()


def _find_error(given: BaseException | TracebackType | None) -> BaseException | None:
    if isinstance(given, BaseException):
        return given
    handled = sys.exc_info()[1]
    last: Any = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if given is None:
        return handled or last
    for error in (handled, last):
        if error is not None and error.__traceback__ is given:
            return error
    return RuntimeError("a traceback without its exception").with_traceback(given)


def complain(sentence: str) -> None:
    """Say a sentence on stderr, where there is one."""
    try:
        if sys.stderr is not None:
            print(f"tuidbg: {sentence}", file=sys.stderr)
    except (OSError, ValueError):
        pass  # nobody can read it any more
