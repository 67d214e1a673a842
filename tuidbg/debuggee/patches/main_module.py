"""Gives the program's main module the namespace and the lifetime that Python gives it.

pydevd leaves a script without its loader and with an empty ``__package__``, and puts its own module
back as ``__main__`` once the script's last line has run: what threads and functions of atexit
pickle from then on was not found there.
"""

from __future__ import annotations

import sys

from tuidbg.debuggee.loader import rename
from tuidbg.debuggee.patches.registry import debugger_module, patch, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

native_code: Any
native_leave: Any
# What the functions here stand for.


pydevd_runpy = debugger_module("_pydevd_bundle.pydevd_runpy")

MAIN = "__main__"


def _run_code(
    code: CodeType,
    run_globals: dict[str, Any],
    init_globals: Any = None,
    mod_name: str | None = None,
    mod_spec: Any = None,
    pkg_name: str | None = None,
    script_name: str | None = None,
) -> Any:
    """Replacement for pydevd's, which knows the program's first frame by this name and file."""
    if mod_name != MAIN or mod_spec is not None or script_name is None:
        return native_code(
            code, run_globals, init_globals, mod_name, mod_spec, pkg_name, script_name
        )
    run_globals.update(init_globals or {})
    run_globals.update(__name__=MAIN, __doc__=None, __package__=None)
    run_globals.update(__loader__=find_loader(script_name), __spec__=None)
    if sys.version_info < (3, 14):
        run_globals["__annotations__"] = {}
    run_globals["__builtins__"] = sys.modules["builtins"]  # exec would put those of this module
    run_globals["__file__"] = script_name
    if sys.version_info < (3, 15):
        run_globals["__cached__"] = None
    exec(code, run_globals)
    return run_globals


def find_loader(path: str) -> Any:
    """The loader that Python names in a script's namespace."""
    files = sys.modules["_frozen_importlib_external"]
    is_compiled = path.endswith(".pyc")
    return (files.SourcelessFileLoader if is_compiled else files.SourceFileLoader)(MAIN, path)


@patch("run a script in the namespace that Python makes")
def patch_namespace() -> None:
    global native_code
    ours: Any = _run_code
    code = rename(ours.__code__, pydevd_runpy.__file__)
    renamed = type(ours)(code, globals(), ours.__name__, ours.__defaults__)
    native_code = replace(pydevd_runpy, "_run_code", renamed)


def leave_main(temporary: Any, *told: Any) -> None:
    """Replacement for pydevd's; Python takes only the file's name out of the ended script."""
    if temporary.mod_name != MAIN:
        native_leave(temporary, *told)
        return
    for name in ("__file__", "__cached__"):
        vars(temporary.module).pop(name, None)


@patch("keep the main module until the end")
def patch_lifetime() -> None:
    global native_leave
    native_leave = replace(pydevd_runpy._TempModule, "__exit__", leave_main)
