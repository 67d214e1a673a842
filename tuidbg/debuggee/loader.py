"""Imports tuidbg's own modules in the program, from the files or texts that tuidbg has sent.

The text of this module is executed first. Its modules are in no table that the program sees, and
are imported with a copy of the builtins whose ``import`` protects them from the program: a module
of Python's library is the one that the debugger has loaded, and never searched for on the
program's path, where a ``json.py`` may be the program's own.
"""

from __future__ import annotations

import builtins
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType, ModuleType
    from typing import Any

    File = tuple[str, int, int, str]
    """Path, size and time of the last change where tuidbg runs, and the text."""

PACKAGE = "tuidbg.debuggee"
PREFIX = PACKAGE + "."

DEBUGGERS = ("_pydev", "debugpy", "pydev")
"""Begins the names of the debugger's modules, which may be imported at any time."""

ATTRIBUTE = "_tuidbg"
"""The attribute of pydevd with the loader of the present debugger."""


class Loader(object):
    """The modules of one debugger; a forked process has another one, and modules of its own."""

    def __init__(self, db: object = None) -> None:
        self.db = db
        self.files: dict[str, File] = {}
        self.loaded: dict[str, ModuleType] = {}
        """By the name below ``tuidbg.debuggee``; complete ones only, as the program may fork."""
        self._loading: dict[str, ModuleType] = {}
        self._import = builtins.__import__
        # A copy: the program may replace its own.
        self.builtins: dict[str, Any] = dict(vars(builtins), __import__=self.import_module)
        if "__lazy_import__" in self.builtins:  # Python 3.15, where the mode may be lazy
            self.builtins["__lazy_import__"] = self.import_module
        self.loaded["loader"] = self.as_module()

    def as_module(self) -> ModuleType:
        """This module, as the modules of this loader import it."""
        module: Any = type(sys)(PREFIX + "loader")
        module.__dict__.update(globals(), __name__=PREFIX + "loader")
        module.find_loaded, module.load_module = self.loaded.get, self.load
        module.loaded_modules = lambda: list(self.loaded.values())
        return module  # type: ignore[no-any-return]

    def __getitem__(self, stem: str) -> ModuleType:
        """A loaded module by the last part of its name."""
        for name, module in self.loaded.items():
            if name.rpartition(".")[2] == stem:
                return module
        raise LookupError("tuidbg has not loaded %s" % stem)

    def import_module(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        """Replacement for ``__import__`` in tuidbg's modules."""
        names, local_names, wanted = globals, locals, fromlist
        if names is not None and str(names.get("__name__")).startswith(PREFIX):
            if name.startswith(PREFIX) or name == PACKAGE:
                return self._import_own(name[len(PREFIX) :], wanted or ())
            if not self.is_trusted(name):
                raise ImportError("%s is not loaded, and could be the program's" % name)
        return self._import(name, names, local_names, wanted or (), level)

    def is_trusted(self, name: str) -> bool:
        """Whether an import of that name can't run a module of the program's.

        Nothing is protected before there is a debugger, whose own imports are as those.
        """
        if self.db is None:
            return True
        return name in sys.modules or name in BUILTIN or name.startswith(DEBUGGERS)

    def _import_own(self, name: str, wanted: Sequence[str]) -> Any:
        if name in self.loaded or self.find(name) is not None:
            return self.load(name)
        package = type(sys)(PREFIX + name)
        for each in wanted:
            setattr(package, each, self.load(name + "." + each if name else each))
        return package

    def load(self, name: str) -> Any:
        """The module of that name below ``tuidbg.debuggee``. Raises ImportError."""
        module = self.loaded.get(name)
        if module is not None:
            return module
        file = self.find(name)
        if file is None:
            raise ImportError("tuidbg has sent no module %s" % name)
        if name in self._loading:
            raise ImportError("the modules of tuidbg import each other: %s" % name)
        module = self._loading[name] = type(sys)(PREFIX + name)
        module.__dict__["__builtins__"] = self.builtins
        # PyPy ignores a module's own __builtins__.
        is_pypy = sys.implementation.name == "pypy"
        before = builtins.__import__
        try:
            if is_pypy:
                builtins.__import__ = self.import_module
            exec(self.code_of(name, file), module.__dict__)
            if "install" in module.__dict__:
                module.__dict__["install"]()
        finally:
            if is_pypy:
                builtins.__import__ = before
            del self._loading[name]
        self.loaded[name] = module
        return module

    def find(self, name: str) -> File | None:
        """The file of a module; None where there is none of that name."""
        return self.files.get(name)

    def code_of(self, name: str, file: File) -> CodeType:
        """The code: from Python's cache of bytecode where it is this file, else from the text.

        To compile all of them was a tenth of a program's start.
        """
        shown = "<tuidbg %s>" % name
        hidden = vars(sys.modules.get("_pydevd_bundle.pydevd_dont_trace_files", os))
        if "DONT_TRACE" in hidden:  # pydevd stops in none of it, and shows no frame of it
            hidden["DONT_TRACE"][shown] = hidden.get("PYDEV_FILE")
        path, size, changed, text = file
        try:
            found = os.stat(path)
            if (found.st_size, found.st_mtime_ns) == (size, changed):
                return read_code(name, path, shown)
        except (OSError, ImportError, SyntaxError, ValueError, KeyError):
            pass  # another machine has no such file: the text counts
        return compile(text, shown, "exec", 0, True)


class LocalLoader(Loader):
    """Loads the files of a folder, before the debugger is there, and the program as well.

    Their code has one ``shown`` name, if there is one, which debugpy hides.
    """

    def __init__(self, folder: str, shown: str = "") -> None:
        self.folder, self.shown = folder, shown
        Loader.__init__(self)

    def find(self, name: str) -> File | None:
        path = os.path.join(self.folder, *name.split(".")) + ".py"
        return (path, 0, 0, "") if name and os.path.isfile(path) else None

    def code_of(self, name: str, file: File) -> CodeType:
        return read_code(name, file[0], self.shown or "<tuidbg %s>" % name)


def read_code(name: str, path: str, shown: str) -> CodeType:
    """The code of a file, as an import would get it, under another file name."""
    loader = sys.modules["_frozen_importlib_external"].SourceFileLoader(name, path)
    code: CodeType = loader.get_code(name)
    fix = getattr(sys.modules.get("_imp"), "_fix_co_filename", None)
    if fix is None:
        return rename(code, shown)
    fix(code, shown)  # what an import does where the files have been moved
    return code


def rename(code: CodeType, shown: str) -> CodeType:
    """Give code another file name, by which pydevd and tracebacks know it for tuidbg's."""
    constants = [rename(c, shown) if isinstance(c, type(code)) else c for c in code.co_consts]
    return code.replace(co_filename=shown, co_consts=tuple(constants))


BUILTIN = frozenset(sys.builtin_module_names)


def find_loaded(name: str) -> Any:
    """Another module of tuidbg's, if it has been loaded here; else None."""
    return sys.modules.get(PREFIX + name)


def load_module(name: str) -> Any:
    """Another module of tuidbg's, loaded now if it is not yet. Raises what goes wrong in it."""
    return builtins.__import__(PREFIX + name, None, None, [""])


def loaded_modules() -> list[ModuleType]:
    """All modules of tuidbg's that have been loaded here."""
    return [module for name, module in list(sys.modules.items()) if name.startswith(PREFIX)]


def run_alone(files: Mapping[str, File], name: str, function: str, *arguments: object) -> Any:
    """Call a function of a module among these files, where there is no debugger yet."""
    loader = Loader()
    loader.files.update(files)
    return getattr(loader.load(name), function)(*arguments)


def run(files: Mapping[str, File], name: str = "", function: str = "", *arguments: object) -> Any:
    """Call a function of a module among these files, in the loader of the present debugger.

    Without a name all of the modules are loaded.
    """
    pydevd: Any = sys.modules["pydevd"]
    db = pydevd.get_global_debugger()
    loader = getattr(pydevd, ATTRIBUTE, None)
    if loader is None or loader.db is not db:
        loader = Loader(db)
        setattr(pydevd, ATTRIBUTE, loader)
    for each, file in files.items():
        loader.files.setdefault(each, file)
    if name:
        return getattr(loader.load(name), function)(*arguments)
    for each in files:
        loader.load(each)
    return None
