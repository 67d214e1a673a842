"""Patches of pydevd that correct its errors; applied in each program before it runs on.

- A ``sys.exit(3)`` is no uncaught exception.
- A ``raise ... from None`` has no exception before it.
- A function that raises returns nothing: Python tells its tracers of a return with None then.
- A program that traces itself (``sys.settrace``, doctest, coverage) takes the breakpoints away,
  where Python knows one tracer only (before 3.12). They come back as soon as it ends that.
- gevent is not expected: pydevd would warn again and again, without a remedy. That it does
  not look into subinterpreters it does not say at all.
- What pydevd puts in the place of ``sys.stdout`` for an evaluation is gone after it, and with it a
  program whose ``print`` had begun with that. It is kept.
- Warnings are silenced for an evaluation in the whole program, which may be choosing its own.
- Where a jump leaves variables without a value, CPython makes them None, and warns of that on the
  program's stderr (from 3.12 on); with ``-W error`` it would not jump.
- ``__x`` in an evaluation is not what the class calls so, but where it stands alone.
- In a child process debugpy's own files are the program's: ``breakpoint()`` would stop in them.

Everything looks the debugger up each time: a forked child has another one.
"""

from __future__ import annotations

import ast
import dis
import os
import re
import sys
import threading

import pydevd

from tuidbg.debuggee.patches.debugger import (
    DB,
    FOLDER,
    current_thread,
    is_pydevds,
    pydevd_api,
    pydevd_comm,
    pydevd_constants,
    pydevd_frame_utils,
    pydevd_tracing,
    pydevd_utils,
    report,
    report_data,
    thread,
)
from tuidbg.debuggee.patches.registry import debugger_module, patch, replace
from tuidbg.debuggee.swallowed import SWALLOWED
from tuidbg.debuggee.values.private_names import PRIVATE_NAME, compile_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType, TracebackType
    from typing import Any

native_get: Any
native_chained: Any
native_clsname: Any
native_of_threads: Any
native_stream: Any
native_filter: Any
native_jump: Any
native_compile: Any
# What the functions here stand for.


pydevd_daemon_thread = debugger_module("_pydevd_bundle.pydevd_daemon_thread")
pydevd_io = debugger_module("_pydevd_bundle.pydevd_io")
pydevd_vars = debugger_module("_pydevd_bundle.pydevd_vars")


# The end of a program is no failure


def get_exception_breakpoint(kind: Any, exceptions: dict[str, Any]) -> Any:
    """pydevd's question: does anything stop at this type?"""
    is_raised = exceptions is DB.break_on_caught_exceptions
    if not is_raised and issubclass(kind, SystemExit):
        return None
    return native_get(kind, exceptions)


@patch("tell an exit from an exception")
def patch_exits() -> None:
    global native_get
    native_get = replace(DB, "get_exception_breakpoint", get_exception_breakpoint)


# What came before an exception


def create_chained(
    trace: TracebackType | None, frame: FrameType, kind: Any, error: BaseException, memo: Any
) -> Any:
    """pydevd's question about an exception: the one before it, as Python would print it."""
    if is_suppressed(error):
        return None
    return native_chained(trace, frame, kind, error, memo)


def is_suppressed(error: BaseException) -> Any:
    """An exception's own slots are read, never what its class makes of them."""
    try:
        cause = BaseException.__dict__["__cause__"].__get__(error)
        return cause is None and BaseException.__dict__["__suppress_context__"].__get__(error)
    except TypeError:
        return False


@patch("hide suppressed exceptions")
def patch_chains() -> None:
    global native_chained
    name = "create_frames_list_from_exception_cause"
    native_chained = replace(pydevd_frame_utils, name, create_chained)


# What a function has returned

PASSING = ("RETURN_VALUE", "RETURN_CONST", "RETURN_GENERATOR", "YIELD_VALUE", "YIELD_FROM")

UNRETURNED: dict[Any, Any] = {}
"""By caller and name: what pydevd notes as returned, though it was an exception."""


def get_clsname_for_code(code: CodeType, frame: FrameType) -> Any:
    """pydevd's question about a function whose value it is about to note.

    It is the only place that is reached in its compiled parts as well, and only then.
    """
    name = native_clsname(code, frame)
    try:
        if frame.f_lasti >= 0 and dis.opname[code.co_code[frame.f_lasti]] not in PASSING:
            full = code.co_name if name is None else "%s.%s" % (name, code.co_name)
            UNRETURNED[id(frame.f_back), full] = frame.f_back
    except Exception as swallowed:  # pydevd says what it would have said
        SWALLOWED["pydevd_patches.get_clsname_for_code", type(swallowed)] += 1
    return name


def forget_unreturned() -> None:
    """Before somebody looks."""
    while UNRETURNED:
        (_, name), caller = UNRETURNED.popitem()
        noted = caller.f_locals.get(pydevd_constants.RETURN_VALUES_DICT) if caller else None
        if noted:
            noted.pop(name, None)


@patch("show no return value of a function that raised")
def patch_returns() -> None:
    global native_clsname
    follower = sys.modules.get("_pydevd_bundle.pydevd_frame") or sys.modules.get(
        "_pydevd_bundle.pydevd_cython"
    )
    native_clsname = replace(follower, "get_clsname_for_code", get_clsname_for_code)


# Programs that trace themselves


def set_trace(tracer: Any) -> None:
    """Replacement for ``sys.settrace`` in the program."""
    native = pydevd_tracing.TracingFunctionHolder._original_tracing
    db = pydevd.get_global_debugger()
    if native is None:
        return
    frame = sys._getframe(1).f_back
    if frame is None:  # PyPy itself, at the program's end
        native(tracer)
        return
    name = os.path.splitext(frame.f_code.co_filename.lower())[0]
    if tracer is None and name.endswith("threadpool") and "gevent" in name:
        return
    begins = name.endswith("threading") and is_pydevds(tracer)  # a thread, as pydevd has asked for
    if db is None or db.pydb_disposed or begins:
        native(tracer)
    elif tracer is None or is_pydevds(tracer):
        trace_again(db, frame)
    else:
        native(tracer)
        place = "%s:%s" % (os.path.basename(frame.f_code.co_filename), frame.f_lineno)
        report(
            "The program traces itself from %s on (sys.settrace): until it ends that, breakpoints"
            " and steps do not work in that thread. From Python 3.12 on both go together." % place
        )


def trace_again(db: Any, frame: FrameType) -> None:
    """In this thread, in the functions too that it is in."""
    db.enable_tracing()
    db.set_trace_for_frame_and_parents(thread.get_ident(), frame)


def call_set_trace(tracing_func: Any) -> None:
    """Replacement for a function of ``pydevd_tracing``, whose globals its code gets."""
    globals()["_tuidbg_set_trace"](tracing_func)


def set_trace_of_threads(tracer: Any) -> None:
    """Replacement for ``threading.settrace``; coverage's C tracer uses nothing else."""
    native_of_threads(tracer)
    frame = sys._getframe(1)
    db = pydevd.get_global_debugger()
    if not frame.f_code.co_filename.replace(os.sep, "/").endswith("coverage/collector.py"):
        return
    if tracer is not None:
        report(
            "The program measures its coverage: until it ends that, breakpoints and steps do not"
            " work. Run it without, or by Python 3.12 or newer, where both go together."
        )
    elif db is not None and not db.pydb_disposed:
        trace_again(db, frame)


@patch("stop again once a program no longer traces itself")
def patch_settrace() -> None:
    global native_of_threads
    pydevd_tracing.TracingFunctionHolder._warn = False
    pydevd_tracing._tuidbg_set_trace = set_trace
    # The function itself is in the program's hands already.
    pydevd_tracing._internal_set_trace.__code__ = call_set_trace.__code__

    native_of_threads = replace(threading, "settrace", set_trace_of_threads)


# debugpy's own files, which it tells the first process only


@patch("stop in no file of debugpy's")
def patch_own_files() -> None:
    if getattr(DB.dont_trace_external_files, "start_patterns", None) is None:
        debugpy_path = os.path.dirname(os.path.dirname(FOLDER))
        pydevd_api.PyDevdAPI().set_dont_trace_start_end_patterns(
            DB, (debugpy_path + os.sep,), ("debugpy_launcher.py",)
        )


# Unexpected green threads


def notify_about_gevent_if_needed(stream: Any = None) -> bool:
    """pydevd's question at each message: is it reached by what it has not been prepared for?"""
    modules = sys.modules
    if getattr(modules.get("gevent.monkey"), "saved", None):
        report("The program uses gevent%s" % UNEXPECTED)
    elif getattr(modules.get("eventlet.patcher"), "already_patched", None):
        report("The program uses eventlet%s" % UNEXPECTED)
    if has_subinterpreters():
        report(
            "The program uses subinterpreters: breakpoints, steps and values are those of its main"
            " interpreter; what the others run is not debugged, and not slowed down."
        )
    return False


def has_subinterpreters() -> bool:
    """Whether there is more than one now; each has modules and tracing of its own."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        interpreters = sys.modules.get(name)
        try:
            if interpreters is not None and len(interpreters.list_all()) > 1:
                return True
        except Exception as swallowed:  # another Python's
            SWALLOWED["pydevd_patches.has_subinterpreters", type(swallowed)] += 1
    return False


UNEXPECTED = (
    ", which was not to be seen in its command line and sources when it began: breakpoints, steps"
    " and values may fail. Name it in a comment of its script, and start it again."
)


@patch("report green threads and subinterpreters")
def patch_green_threads() -> None:
    if not pydevd_constants.USE_LIB_COPY:
        for module in (pydevd_utils, pydevd_comm, pydevd_daemon_thread):
            module.notify_about_gevent_if_needed = notify_about_gevent_if_needed


# What is put in the place of the program's own for a moment

LENT: list[Any] = []
MOST_LENT = 40
"""Streams; of a program that has more of them one after the other the oldest are dropped."""


def lend(original: Any, messages: Any, wrap_buffer: bool = False) -> Any:
    """Replacement for ``IORedirector``: for each stream of the program one and the same, and kept.

    ``print`` has no reference of its own to ``sys.stdout`` (CPython before 3.14): if the stream
    goes before its last piece is written, the program dies of SIGSEGV.
    """
    if type(messages) is not pydevd_io.RedirectToPyDBIoMessages or messages._on_write is not None:
        return native_stream(original, messages, wrap_buffer)
    for stream in LENT:
        is_like, tells = stream._redirect_to
        if is_like is original and tells._out_ctx == messages._out_ctx:
            return stream
    stream = native_stream(original, messages, wrap_buffer)
    LENT.append(stream)
    del LENT[:-MOST_LENT]
    return stream


@patch("keep the streams of evaluations")
def patch_streams() -> None:
    global native_stream
    native_stream = replace(pydevd_io, "IORedirector", lend)


def filter_all_warnings() -> Any:
    """Replacement for pydevd's around evaluations; in no frame the program runs on meanwhile."""
    current = current_thread()
    if getattr(current, "is_pydev_daemon_thread", False):
        return pydevd_constants.NULL
    return native_filter()


@patch("leave the program's warnings alone")
def patch_warnings() -> None:
    global native_filter
    native_filter = replace(pydevd_comm, "filter_all_warnings", filter_all_warnings)


def set_next_statement(db: Any, frame: FrameType, *place: Any) -> Any:
    """pydevd's, without CPython's warning; the console names the variables instead."""
    warnings = sys.modules.get("warnings")
    if warnings is None:
        return native_jump(db, frame, *place)
    unbound: list[Any] = []
    if sys.version_info >= (3, 13):  # before, looking would make a dict of them
        unbound = [name for name in frame.f_code.co_varnames if name not in frame.f_locals]
    silent = ("ignore", re.compile("assigning None to "), RuntimeWarning, None, 0)
    filters = warnings.filters
    filters.insert(0, silent)
    try:
        return native_jump(db, frame, *place)
    finally:
        if silent in filters:  # another thread may have emptied them
            filters.remove(silent)
        bound = [name for name in unbound if name in frame.f_locals]
        if bound:
            report_data({"notice": "Variables that had no value are None now: " + ", ".join(bound)})


@patch("jump without a warning")
def patch_jumps() -> None:
    global native_jump
    if sys.version_info >= (3, 12):
        native_jump = replace(type(DB), "set_next_statement", set_next_statement)


# Private names in what is evaluated


def compile_as_eval(expression: str) -> Any:
    """pydevd's ``compile_as_eval`` with private names mangled; only it knows the frame."""
    caller: FrameType | None = sys._getframe(1)
    while caller is not None and PRIVATE_NAME.search(expression):
        if caller.f_code.co_name == "evaluate_expression":
            text = pydevd_vars._expression_to_evaluate(expression)
            if isinstance(text, bytes):
                text = text.decode("utf-8")
            flags = getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0)
            return compile_in(caller.f_locals.get("frame"), text, "<string>", "eval", flags)
        caller = caller.f_back
    return native_compile(expression)


@patch("mangle private names in evaluations")
def patch_private_names() -> None:
    global native_compile
    native_compile = replace(pydevd_vars, "compile_as_eval", compile_as_eval)


# Modules of the program's


def install() -> None:
    """Report the program's modules that the debugger's imports hide."""
    for hidden in getattr(pydevd, "_tuidbg_hidden", ()):
        report(
            "The program has a module %s of its own, and `import %s` gives Python's, which the"
            " debugger needs. Rename the program's." % (hidden, hidden)
        )
