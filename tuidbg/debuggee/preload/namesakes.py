"""Lets a program import its own module where the debugger has imported Python's of that name.

For ``debugpy_launcher.py``. The folder of a script comes before Python's
library, so ``queue.py`` in it is the program's ``queue``; the debugger has imported Python's.
"""

from __future__ import annotations

import importlib.machinery
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


NAMES = """
bisect bz2 calendar code codeop copy csv glob gzip html ipaddress lzma mimetypes numbers pickle
platform queue quopri random signal socketserver string stringprep token uu
"""
RELEASED = frozenset(NAMES.split())
"""Modules that pydevd and tuidbg use by references of their own alone once they are imported."""


class Namesakes(object):
    """The modules that both the debugger and the program's folder have."""

    def __init__(self, started: Iterable[str]) -> None:
        """``started``: the names of the modules that Python itself had imported at its start."""
        self.started = frozenset(started)
        self.names: list[str] = []

    def find(self, folder: str) -> None:
        """Look for them before the program runs, and note the hidden ones for tuidbg."""
        suffixes = importlib.machinery.all_suffixes()
        try:
            entries = os.listdir(folder or os.curdir)
        except OSError:
            return
        for entry in entries:
            name, dot, rest = entry.partition(".")
            package = os.path.join(folder, entry, "__init__.py")
            is_module = dot + rest in suffixes or (not dot and os.path.isfile(package))
            if is_module and name not in self.started and is_pythons(name):
                self.names.append(name)
        hidden = sorted(name for name in self.names if name not in RELEASED)
        sys.modules["pydevd"].__dict__["_tuidbg_hidden"] = hidden

    def release(self) -> None:
        """Forget the modules of Python's that the program has itself."""
        released = RELEASED.intersection(self.names)
        for name in list(sys.modules):
            if name.partition(".")[0] in released:
                del sys.modules[name]


def is_pythons(name: str) -> bool:
    """Whether the module of that name that is imported now is a file of Python's library."""
    path = getattr(sys.modules.get(name), "__file__", None)
    return path is not None and path.startswith(os.path.dirname(os.__file__) + os.sep)


def lead_programs(started: Iterable[str]) -> None:
    """Make debugpy release them right before it runs a file, a module or code."""
    from debugpy.server import cli

    namesakes = Namesakes(started)
    server: Any = cli  # without types
    native = server.start_debugging

    def start_debugging(argv_0: str) -> None:
        options = server.options
        if not server._skip_sys_path_prepend():
            is_file = options.target_kind == "file"
            namesakes.find(os.path.dirname(options.target) if is_file else "")
        native(argv_0)
        namesakes.release()

    server.start_debugging = start_debugging
