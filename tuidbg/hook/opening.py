"""Opens the debugger's screen for the program that this runs in, where a person can see it.

On the program's own terminal where that is free; a program that owns its screen, or has none, gets
a pane of tmux beside it, or else tells how to attach and waits. ``TUIDBG_UI`` (``terminal``,
``tmux``, ``attach``) decides otherwise.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import sys
import termios
import threading
import warnings
from typing import TYPE_CHECKING

from tuidbg.debuggee.eager_imports import EagerImports
from tuidbg.hook.calls import NoDebugger
from tuidbg.hook.line import ScreenLine, screen_command, screen_environment, undebugged

if TYPE_CHECKING:
    from tuidbg.hook.calls import _Debugger

PLACES = ("terminal", "tmux", "attach")

_LOOPBACK = "127.0.0.1"
_PASSED_ON = ("PYTHONPATH", "VIRTUAL_ENV", "HOME", "COLORTERM", "NO_COLOR", "LC_ALL", "LANG")
"""Variables that a pane of tmux gets from us, not from its server; and all that begin with XDG_."""

_IN_PROGRAM = ("hook", "pytest")
"""Tells how the names of tuidbg's modules begin that run in a program."""

_WIDE = 160
"""Columns from which on a pane beside the program is wide enough."""


def open_screen(debugger: _Debugger) -> None:
    """Have debugpy listen, and a screen attached to it. Raises NoDebugger."""
    if debugger.line is not None:
        debugger.line.wait()  # the screen before is about to leave the terminal
    place = choose_place()
    _check_interpreter(place)
    _warn_of_tracer()
    try:
        _open_at(place, debugger)
    except NoDebugger:
        if debugger.is_let_go or not _is_cut_off():
            raise
        _open_at(place, debugger)  # the adapter died of the death of the screen before, just now


def _open_at(place: str, debugger: _Debugger) -> None:
    if place == "terminal":
        debugger.line = _take_terminal(debugger)
    try:
        if not debugger.port or _is_cut_off():
            debugger.port = _listen()
    except Exception as error:
        if debugger.line is not None:
            debugger.line.finish()
        raise NoDebugger(f"debugpy can't listen in this program: {error}") from None
    if debugger.line is not None:
        debugger.line.tell("open", port=debugger.port, pid=os.getpid())
    elif place != "tmux" or not _split_tmux(debugger.port):
        _tell_to_attach(debugger.port)
    _wait_for_client(debugger)


def choose_place() -> str:
    """Returns where the screen opens: one of ``PLACES``. Raises NoDebugger."""
    asked = os.environ.get("TUIDBG_UI", "")
    if asked in PLACES:
        return asked
    if asked:
        raise NoDebugger(f"TUIDBG_UI is {asked!r}; it can be {', '.join(PLACES[:-1])} or attach")
    if _is_terminal_free():
        return "terminal"
    return "tmux" if os.environ.get("TMUX") and shutil.which("tmux") else "attach"


def _is_terminal_free() -> bool:
    """Returns whether stdin and stdout are a terminal of ours that the program has not taken."""
    try:
        if not (os.isatty(0) and os.isatty(1)) or os.tcgetpgrp(0) != os.getpgrp():
            return False
        return bool(termios.tcgetattr(0)[3] & termios.ICANON)
    except (OSError, termios.error):
        return False


def _check_interpreter(place: str) -> None:
    if place != "attach" and (getattr(sys, "frozen", False) or not sys.executable):
        raise NoDebugger(
            "this program has no Python of its own to show the debugger with;"
            " set TUIDBG_UI=attach and attach from another terminal"
        )


def _warn_of_tracer() -> None:
    """Only one can trace a program. What others measure from here on is incomplete."""
    tracer = sys.gettrace()
    if tracer is None or "pydevd" in sys.modules:
        return
    name = getattr(tracer, "__module__", None) or type(tracer).__module__
    print(f"tuidbg: {name} traced this program; from here on tuidbg does", file=sys.stderr)


def _take_terminal(debugger: _Debugger) -> ScreenLine:
    def end() -> None:
        debugger.line = None
        if (api := sys.modules.get("debugpy")) is not None:
            try:
                api.wait_for_client.cancel()
            except RuntimeError:
                pass  # nobody waits

    try:
        tty = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
        line = ScreenLine(tty, debugger.let_go, end)
    except (OSError, termios.error) as error:
        raise NoDebugger(
            f"this program has no terminal to show the debugger on ({error});"
            " set TUIDBG_UI=attach and attach from another one"
        ) from None
    owner = os.getpid()
    atexit.register(lambda: line.finish() if os.getpid() == owner else None)
    return line


def _is_cut_off() -> bool:
    """Returns whether pydevd has lost its adapter, which a screen that died may take with it."""
    pydevd = sys.modules.get("pydevd")
    debugger = pydevd.get_global_debugger() if pydevd is not None else None
    return debugger is None or bool(getattr(debugger, "pydb_disposed", False))


def _forget_debugger() -> None:
    """Have debugpy begin anew where pydevd is cut off, or is that of the process we forked from."""
    if "pydevd" in sys.modules and _is_cut_off():
        sys.modules["_pydevd_bundle.pydevd_constants"].GlobalDebuggerHolder.global_dbg = None
        for thread in threading.enumerate():
            if hasattr(thread, "additional_info"):
                setattr(thread, "additional_info", None)  # noqa: B010
        if (api := sys.modules.get("debugpy.server.api")) is not None:
            api.listen.called = False


def _listen() -> int:
    """Start debugpy's server in this process; its port."""
    _forget_debugger()
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    hook = sys.breakpointhook
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with EagerImports():
            import debugpy
            import debugpy.server.api
            from debugpy.common import log

        if not os.environ.get("DEBUGPY_LOG_DIR"):
            # It would look at all installed packages for a log that it does not keep.
            setattr(log, "describe_environment", lambda header: None)  # noqa: B010
        with undebugged():
            _, port = debugpy.listen((_LOOPBACK, 0))
    sys.breakpointhook = hook  # pydevd's own would not open the screen again
    _keep_out_of_sight()
    return int(port)


def _keep_out_of_sight() -> None:
    """pydevd passes over these modules as it does over debugpy's."""
    debugger = sys.modules["pydevd"].get_global_debugger()
    api = sys.modules["_pydevd_bundle.pydevd_api"].PyDevdAPI()
    before = debugger.dont_trace_external_files
    starts = tuple(getattr(before, "start_patterns", ()))
    ends = tuple(getattr(before, "end_patterns", ()))
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH120
    ours = tuple(f"{package}{os.sep}{name}{os.sep}" for name in _IN_PROGRAM)
    api.set_dont_trace_start_end_patterns(debugger, starts + ours, ends)


def _split_tmux(port: int) -> bool:
    """Show the screen in a pane beside the program; whether tmux has done it."""
    environment = screen_environment()
    passed = [
        f"-e{name}={value}"
        for name, value in environment.items()
        if name in _PASSED_ON or name.startswith("XDG_")
    ]
    pane = os.environ.get("TMUX_PANE", "")
    target = ["-t", pane] if pane else []
    words = [*screen_command(), "--port", str(port), "--pid", str(os.getpid())]
    layout = ["-h"] if _tmux_width(target) >= _WIDE else ["-v", "-l", "75%"]
    split = ["split-window", *layout, *target, "-c", _folder(), *passed, shlex.join(words)]
    return _ask_tmux(split) is not None


def _tmux_width(target: list[str]) -> int:
    told = _ask_tmux(["display-message", "-p", *target, "#{pane_width}"])
    return int(told) if told and told.isdecimal() else 0


def _ask_tmux(words: list[str]) -> str | None:
    """Returns what tmux answers; None where it refuses."""
    try:
        with undebugged():
            ended = subprocess.run(
                ["tmux", *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=10,
            )
    except (OSError, subprocess.SubprocessError):
        return None
    return ended.stdout.strip() if ended.returncode == 0 else None


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        return "/"


def _tell_to_attach(port: int) -> None:
    """On stderr, and on the terminal where stderr is none."""
    text = (
        "tuidbg: the program waits for a debugger; in another terminal:"
        f" tuidbg attach {_LOOPBACK}:{port}\r\n"
    )
    print(text, end="", file=sys.stderr, flush=True)
    if not (sys.stderr is not None and sys.stderr.isatty()):
        try:
            with open("/dev/tty", "w") as terminal:
                terminal.write(text)
        except OSError:
            pass  # whoever reads stderr knows


def _wait_for_client(debugger: _Debugger) -> None:
    """Until the screen is attached, or gone."""
    import debugpy

    line = debugger.line
    debugger.is_let_go = False
    debugpy.wait_for_client()
    if line is None:
        debugger.let_go()  # as soon as whoever has come leaves again
    if line is not None and debugger.line is None and not debugger.is_let_go:
        raise NoDebugger("the debugger's screen could not be opened; the program runs on")
