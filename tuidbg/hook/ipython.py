"""``%tuidbg`` in IPython, after ``%load_ext tuidbg``.

``%tuidbg`` looks at the last exception, ``%tuidbg STATEMENT`` debugs a statement and ``%%tuidbg`` a
cell; ``%tuidbg on`` opens the debugger at every exception from then on, ``%tuidbg off`` no more.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType, TracebackType
from typing import Any

from tuidbg.hook import calls as hook

_OLD = "_tuidbg_showtraceback"


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext tuidbg``."""
    shell.register_magic_function(
        lambda line, cell=None: _magic(shell, line, cell), "line_cell", "tuidbg"
    )


def unload_ipython_extension(shell: Any) -> None:
    """Called by ``%unload_ext tuidbg``."""
    _stop_automatic(shell)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("tuidbg", None)


def _magic(shell: Any, line: str, cell: str | None) -> None:
    line = line.strip()
    if cell is not None or line not in ("", "on", "off"):
        _debug(shell, cell if cell is not None else line)
    elif line == "on":
        _start_automatic(shell)
        print("tuidbg opens at every exception; %tuidbg off ends that.")
    elif line == "off":
        _stop_automatic(shell)
    else:
        _look_at_last()


def _look_at_last() -> None:
    error = getattr(sys, "last_value", None)
    if error is None or error.__traceback__ is None:
        print("There is no exception to look at.")
    else:
        hook.stop_at_exception(_without_shell(error))


def _without_shell(error: BaseException) -> BaseException:
    """The traceback without IPython's own frames, as far as there are others."""
    traceback = error.__traceback__
    while traceback is not None and _is_of_shell(traceback):
        traceback = traceback.tb_next
    return error.with_traceback(traceback) if traceback is not None else error


def _is_of_shell(traceback: TracebackType) -> bool:
    return "IPython" in str(traceback.tb_frame.f_globals.get("__name__", ""))


# A statement, or a cell


def _debug(shell: Any, text: str) -> None:
    """Run ``text`` in the person's namespace, stopping at its first line."""
    try:
        tree = shell.compile.ast_parse(shell.transform_cell(text))
        name = shell.compile.cache(text)
        code = compile(tree, name, "exec")
    except SyntaxError:
        shell.showsyntaxerror()
        return
    try:
        hook.open_debugger()
    except hook.NoDebugger as problem:
        print(f"tuidbg: {problem}")
        return
    try:
        _run_stopping(code, shell.user_ns)
    except BaseException:
        shell.showtraceback(running_compiled_code=True)


def _run_stopping(code: CodeType, namespace: dict[str, Any]) -> None:
    """Run code, and stop in its frame as soon as that begins."""

    def begin(frame: FrameType, event: str, _: object) -> None:
        if frame.f_code is code and event == "call":
            sys.setprofile(None)
            hook.stop_here(frame)

    sys.setprofile(begin)
    try:
        exec(code, namespace)
    finally:
        sys.setprofile(None)


# Automatic, as %pdb does it


def _start_automatic(shell: Any) -> None:
    if hasattr(shell, _OLD):
        return
    shown: Callable[..., None] = shell.showtraceback

    def show_and_open(*args: Any, **kwargs: Any) -> None:
        shown(*args, **kwargs)
        if threading.current_thread() is threading.main_thread():
            _look_at_last()

    setattr(shell, _OLD, shown)
    shell.showtraceback = show_and_open


def _stop_automatic(shell: Any) -> None:
    if hasattr(shell, _OLD):
        shell.showtraceback = getattr(shell, _OLD)
        delattr(shell, _OLD)
