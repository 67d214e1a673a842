"""Starts debugpy in the program, without a look at all installed packages.

Run as a script by the program's own interpreter, however old that is, with the folder of what is to
run and its arguments; in what the program starts, with the path of pydevd and pydevd's
(``children.py``). debugpy describes its surroundings for its log at each start of a program
that is launched, also where it keeps no log: with a hundred packages installed that was two thirds
of the time until the first line. debugpy shows no frames of a file of this name.

What must be known before debugpy takes Python's threads and locks for itself is found out here as
well (``green_threads.py``), its compiled parts are looked for (``speedups.py``), and what no DAP
session uses is left out (``unused_modules.py``). Modules of the program's that are named like
Python's own are not hidden by the debugger's imports (``namesakes.py``), which are done at once
(``eager_imports.py``).

A program may start a Python that debugpy does not know: the syntax is that of 2.7.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any  # noqa: F401 (in comments)
del TYPE_CHECKING  # a module that is run finds itself in these names


def _leave_out_ours(here, below):
    # type: (str, str) -> None
    """From now on a traceback of an uncaught exception begins where the program's own does.

    The program's own ``sys.excepthook`` is called with it as well. Nothing of this is there before
    the program is over.
    """
    import runpy
    import sys

    hook = sys.excepthook
    ours = (here, "<frozen runpy>", runpy.__file__)

    def is_ours(trace):
        # type: (Any) -> bool
        path = trace.tb_frame.f_code.co_filename
        return bool(path.startswith((below, "<tuidbg ", "_pydevd_", "<stringsource>")))

    def cut(error, trace):
        # type: (BaseException, Any) -> None
        """End it at the program's last call: pydevd's, which came before the next, had no room."""
        own = []
        while trace is not None and not is_ours(trace):
            own.append(trace)
            trace = trace.tb_next
        for _ in range(2):  # calls in which nothing had run
            if len(own) > 1 and own[-1].tb_lineno == own[-1].tb_frame.f_code.co_firstlineno:
                own.pop()
        if own:
            own[-1].tb_next = None
        while error.__context__ is not None and is_ours(error.__context__.__traceback__):
            error.__context__ = error.__context__.__context__

    def tell(kind, error, trace):
        # type: (type[BaseException], BaseException, Any) -> None
        found = trace
        while found is not None:
            name = found.tb_frame.f_code.co_filename
            if name not in ours and not name.startswith((below, "<tuidbg ")):
                break
            found = found.tb_next
        if found is None and not isinstance(error, SyntaxError):
            found = trace  # it is our own fault, or a file is not there
        if isinstance(error, RecursionError):
            cut(error, found)
        hook(kind, error.with_traceback(found), found)

    sys.excepthook = tell


def _start():
    # type: () -> None
    import sys

    started = set(sys.modules)
    import os

    # A module that is run finds itself in these names.
    leave_out_ours = globals().pop("_leave_out_ours")
    del globals()["_start"]
    here, folder = os.path.abspath(__file__), os.path.abspath(sys.argv.pop(1))

    if sys.version_info < (3, 8):  # what the program starts, as debugpy does not know: alone
        from subprocess import _args_from_interpreter_flags as flags

        at = sys.argv.index("--file")
        words = ["-m"] * ("--module" in sys.argv[:at]) + sys.argv[at + 1 :]
        os.execv(sys.executable, [sys.executable] + flags() + words)  # noqa: RUF005 (for 2.7)
    package = os.path.dirname(os.path.dirname(here))
    names = {}  # type: dict[str, Any]
    path = os.path.join(package, "loader.py")
    files = sys.modules["_frozen_importlib_external"]
    exec(files.SourceFileLoader("loader", path).get_code("loader"), names)
    load = names["LocalLoader"](package, here).load
    is_first = bool(sys.path) and os.path.abspath(sys.path[0]) == os.path.dirname(here)
    if is_first:
        del sys.path[0]  # isolated, Python has not put it there
    if os.path.basename(folder) == "pydevd.py":
        try:
            load("preload.children").start_child(here, folder, is_first, started)
        except BaseException:
            leave_out_ours(here, os.path.join(os.path.dirname(folder), ""))
            raise
        return
    sys.path.insert(0, os.path.dirname(folder))
    token = os.environ.pop("TUIDBG_ADAPTER_TOKEN", None)
    if token is not None:
        sys.argv[1:1] = ["--adapter-access-token", token]
    eager = load("eager_imports").EagerImports()
    with eager:
        import debugpy  # noqa: F401 (it is found as long as its folder is there)

        del sys.path[0]
        load("preload.green_threads").leave_green_threads()
    with eager, load("preload.unused_modules").StandIns():
        load("preload.speedups").import_with_speedups()
    load("preload.children").prepare_first(here)
    load("preload.namesakes").lead_programs(started)
    from debugpy.common import log
    from debugpy.server import cli

    if not os.environ.get("DEBUGPY_LOG_DIR"):
        log.describe_environment = lambda header: None
    try:
        cli.main()  # type: ignore[no-untyped-call]
    except BaseException:
        leave_out_ours(here, os.path.join(os.path.dirname(folder), "debugpy", ""))
        raise


if __name__ == "__main__":
    _start()
