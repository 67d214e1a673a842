"""Starts child processes as Python would: the same arguments, path, streams and exit code.

For the program, and for each Python that it starts (``debugpy_launcher.py``). pydevd
leaves its folder in the ``sys.path`` of children, puts its own code and the adapter's token before
the code of ``python -c``, where a traceback shows both, exits with 0 where a module is missing, and
writes its log to the program's stderr. POSIX only: a command line of Windows is one string.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.machinery import BuiltinImporter, SourceFileLoader

from tuidbg.debuggee.eager_imports import EagerImports
from tuidbg.debuggee.patches import connecting, registry
from tuidbg.debuggee.preload.child_commands import CODE, FILE, MODULE, lead_children
from tuidbg.debuggee.preload.connection import OwnConnection
from tuidbg.debuggee.preload.namesakes import Namesakes
from tuidbg.debuggee.preload.unused_modules import StandIns
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def keep_streams() -> None:
    """Send the log of pydevd and debugpy to the requested file, or nowhere."""
    import pydevd_tracing
    from _pydev_bundle import pydev_log

    log = pydev_log._LoggingGlobals
    if not pydev_log.DebugInfoHolder.PYDEVD_DEBUG_FILE:
        log._debug_stream, log._debug_stream_initialized = pydev_log.NULL, True
    pydevd_tracing.TracingFunctionHolder._warn = False
    common = sys.modules.get("debugpy.common.log")
    if common is not None:
        common.stderr.levels = set()


def restore_words(here: str) -> None:
    """Restore the program's own command line, by which servers start themselves again."""
    from debugpy.server import cli

    words: list[str] = getattr(sys, "orig_argv", [])  # from Python 3.10 on
    found = [at for at, word in enumerate(words) if os.path.abspath(word) == here]
    if not found:
        return
    flags, rest = words[: found[0]], words[found[0] + 2 :]  # between them the file and the folder
    values = {name for name, value, _ in cli.switches if name.startswith("--") and value}
    while rest and rest[0].startswith("--"):
        takes_value = rest[0] in values or rest[0].startswith("--configure-")
        rest = rest[2 if takes_value else 1 :]
    sys.orig_argv = flags + rest


def prepare_first(here: str) -> None:
    """Prepare pydevd in the program itself, whose children are to be led."""
    keep_streams()
    restore_words(here)
    lead_children(here)
    patch_beforehand()


def patch_beforehand() -> None:
    """Apply the patch that comes before the debugger; pydevd is there already."""
    assert connecting
    registry.apply_pending()


class Child(object):
    """A child process: its command line is in ``sys.argv``."""

    def __init__(self, here: str, pydevd_file: str, is_first: bool, started: Iterable[str]) -> None:
        """``is_first``: Python adds a first folder to ``sys.path``, as it is not isolated."""
        self.here, self.pydevd_file = here, pydevd_file
        self.namesakes = Namesakes(started)
        at = sys.argv.index(FILE)
        self.words = sys.argv[at + 1 :]
        self.is_code = self.words[0] == CODE
        self.is_module = MODULE in sys.argv[:at]
        self.path, self.is_first = sys.path[:], is_first
        if is_first:
            self.path.insert(0, self.first_folder())
        self.is_file = not (self.is_code or self.is_module or is_container(self.words[0]))
        if self.is_code:
            del sys.argv[at + 2]  # the code: pydevd finds the word before it
        elif self.is_file and sys.version_info >= (3, 9):
            sys.argv[at + 1] = os.path.abspath(self.words[0])  # ``__file__``, as Python makes it

    def first_folder(self) -> Any:
        if self.is_code:
            return ""
        if self.is_module:
            return os.getcwd()
        target = os.path.realpath(self.words[0])
        return target if is_container(target) else os.path.dirname(target)

    def is_there(self) -> Any:
        """Whether Python would find it; parent packages are imported for that, as by Python."""
        if self.is_code:
            return True
        if not self.is_module:
            return os.path.exists(self.words[0])
        before, sys.path[:] = sys.path[:], self.path
        try:
            spec = importlib.util.find_spec(self.words[0])
            if spec is not None and spec.submodule_search_locations is not None:
                spec = importlib.util.find_spec(self.words[0] + ".__main__")
            return spec is not None
        except Exception as swallowed:
            SWALLOWED["children.is_there", type(swallowed)] += 1
            return False
        finally:
            sys.path[:] = before

    def run_without(self) -> None:
        """Replace this process by a plain Python, which reports the error itself."""
        words = getattr(sys, "orig_argv", None)
        if words is not None:
            flags = words[1 : words.index(self.here)]
        else:
            flags = importlib.import_module("subprocess")._args_from_interpreter_flags()
        target = ["-m"] if self.is_module else []
        os.execv(sys.executable, [sys.executable, *flags, *target, *self.words])

    def run(self) -> None:
        """Run it by pydevd, whose namespace is ``__main__`` until the program gets its own."""
        if not self.is_there():
            self.run_without()
        if hasattr(sys, "orig_argv"):
            target = ["-m"] if self.is_module else []
            sys.orig_argv = sys.orig_argv[: sys.orig_argv.index(self.here)] + target + self.words
        main = sys.modules["__main__"]
        names = vars(main)
        names.clear()
        names.update(
            __name__="pydevd", __file__=self.pydevd_file, __builtins__=sys.modules["builtins"]
        )
        loader = SourceFileLoader("__main__", self.pydevd_file)
        names.update(__loader__=loader, __spec__=None, __package__=None, __doc__=None)
        sys.modules["pydevd"] = main
        sys.path.insert(0, os.path.dirname(self.pydevd_file))
        code: Any = SourceFileLoader("pydevd", self.pydevd_file).get_code("pydevd")
        with EagerImports(), StandIns():
            keep_streams()
            exec(code, names)
        del sys.path[0]
        lead_children(self.here)
        patch_beforehand()
        if self.is_first:
            self.namesakes.find(self.path[0])
        self.put_right(names["PyDB"])
        names["main"]()

    def put_right(self, debugger: Any) -> None:
        """Restore path, arguments and ``python -c`` code right before the program runs."""
        from _pydevd_bundle import pydevd_runpy

        prepare = debugger.prepare_to_run

        def prepare_to_run(db: Any) -> None:
            prepare(db)
            self.namesakes.release()
            if db._client_socket is not None:
                db._client_socket = OwnConnection(db._client_socket)
            sys.path[:] = self.path
            if self.is_file:
                sys.argv[0] = self.words[0]

        def keep_argv(modified: Any) -> None:
            modified._saved_value = sys.argv[0]

        debugger.prepare_to_run = prepare_to_run
        if self.is_file:
            pydevd_runpy._ModifiedArgv0.__enter__ = keep_argv
        if self.is_code:
            pydevd_runpy.run_path = self.run_code

    def run_code(self, path: str, names: dict[str, Any], *more: Any) -> dict[str, Any]:
        """Replacement for ``run_path``: runs the code in a namespace like that of ``-c``."""
        for name in ("__file__", "__cached__"):
            names.pop(name, None)
        names.update(__name__="__main__", __loader__=BuiltinImporter, __spec__=None)
        names["__package__"] = names["__doc__"] = None
        if sys.version_info < (3, 14):
            names["__annotations__"] = {}
        text = self.words[1]
        code = compile(text, "<string>", "exec", 0, True)
        linecache = sys.modules.get("linecache")
        register = getattr(linecache, "_register_code", None)
        if register is not None:  # Python shows these lines in tracebacks
            register(code if sys.version_info >= (3, 14) else "<string>", text, "<string>")
        exec(code, names)
        return names


def is_container(target: str) -> bool:
    """Whether it is a folder or an archive with a ``__main__`` in it."""
    if os.path.isdir(target):
        return True
    try:
        with open(target, "rb") as file:
            head = file.read(2)
    except OSError:
        return False
    return head == b"PK"


def start_child(here: str, pydevd_file: str, is_first: bool, started: Iterable[str]) -> None:
    """``started``: the names of the modules that Python itself had imported at its start."""
    Child(here, pydevd_file, is_first, started).run()
