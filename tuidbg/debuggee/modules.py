"""The modules that the program has imported, and where a name of its own is defined.

All is read from ``sys.modules``, namespaces and code objects as they stand. No attribute is asked
for in a way that could run code (a module may import on ``__getattr__``, a property compute).
"""

from __future__ import annotations

import sys
from _thread import get_ident

from tuidbg.debuggee import base
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import Any


LIMIT = 20000
OWN = ("_tuidbg", "debugpy", "pydevd", "_pydev", "pydev_")
"""Begins the names of what the debugger itself has brought along."""

DEPTH = 20
MISSING = object()


def list_modules(frame: FrameType) -> dict[str, Any]:
    """Name, source file, kind and version of each."""
    found = []
    for name, module in sorted(
        ((str(name), module) for name, module in list(sys.modules.items())),
        key=lambda pair: pair[0],
    ):
        if module is None or name.startswith(OWN):
            continue
        names = namespace(module)
        found.append(
            {
                "name": name,
                "path": source_of(names),
                "kind": kind_of(names),
                "version": text_of(names, "__version__")[:40],
            }
        )
    return {"modules": found[:LIMIT], "total": len(found)}


def namespace(value: Any) -> Any:
    """The instance dictionary as it stands; empty where there is none."""
    try:
        names = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    except Exception as swallowed:  # of a class of the program's
        SWALLOWED["modules.namespace", type(swallowed)] += 1
        return {}
    return names if isinstance(names, dict) or type(names).__name__ == "mappingproxy" else {}


def text_of(names: Any, name: str) -> Any:
    value = names.get(name)
    return value if type(value) is str else ""


def source_of(names: Any) -> Any:
    """The ``.py`` file of a module; empty where there is none."""
    path = text_of(names, "__file__")
    if path.endswith((".pyc", ".pyo")):
        path = path[:-1]
    return path if path.endswith((".py", ".pyw")) else ""


def kind_of(names: Any) -> str:
    """``source``, ``extension``, ``namespace`` (a package without a file) or ``builtin``."""
    path = text_of(names, "__file__")
    if source_of(names):
        return "source"
    if path:
        return "extension"
    return "namespace" if "__path__" in names else "builtin"


# Definitions


def find_definition(frame: FrameType, names: Sequence[str], path: str, is_here: bool) -> Any:
    """Returns where the object is defined that a dotted name stands for, in a file of the program.

    ``names`` are the parts. The frame answers where it ``is_here``, else the file's module.
    Gives path, line (0: unknown) and qualified name of a function, class or module; None else.
    """
    value = look_up(frame, names, path, is_here)
    if value is MISSING:
        return None
    return place_of(value)


def look_up(frame: FrameType, names: Sequence[str], path: str, is_here: bool) -> Any:
    spaces = [frame.f_locals, frame.f_globals] if is_here else [module_names(path)]
    spaces.append(namespace(sys.modules["builtins"]))
    value = MISSING
    for space in spaces:
        try:
            if names[0] in space:
                value = space[names[0]]
                break
        except Exception as swallowed:
            SWALLOWED["modules.look_up", type(swallowed)] += 1
            continue
    for name in names[1:]:
        if value is MISSING:
            return MISSING
        value = attribute(value, name)
    return value


def module_names(path: str) -> Any:
    for module in list(sys.modules.values()):
        names = namespace(module) if module is not None else {}
        if source_of(names) == path:
            return names
    return {}


def attribute(value: Any, name: str) -> Any:
    """An attribute without running anything: of the object, its class, or the classes above."""
    if name in namespace(value):
        return namespace(value)[name]
    kinds = [type(value)]
    if isinstance_of_type(value):
        kinds = [value, type(value)]
    for kind in kinds:
        for each in type.__getattribute__(kind, "__mro__"):
            names = type.__getattribute__(each, "__dict__")
            if name in names:
                return names[name]
    return MISSING


def isinstance_of_type(value: Any) -> bool:
    """Whether it is a class, whatever ``__class__`` says."""
    return type in type.__getattribute__(type(value), "__mro__")


WRAPPED = ("__wrapped__", "__func__", "func", "fget")


def place_of(value: Any) -> Any:
    """The place of a function (what a decorator wrapped, what a method or partial calls), a class
    or a module."""
    for _ in range(DEPTH):
        code = raw(value, "__code__")
        if code is not MISSING and namespace(value).get("__wrapped__") is None:
            name = raw(value, "__qualname__")
            return place(code.co_filename, code.co_firstlineno, name)
        inner = MISSING
        if namespace(value).get("__wrapped__") is not None:
            inner = namespace(value)["__wrapped__"]
        elif not isinstance_of_type(value):
            for name in WRAPPED[1:]:
                inner = raw(value, name)
                if inner is not MISSING and inner is not None:
                    break
        if inner is MISSING or inner is None:
            break
        value = inner
    if isinstance_of_type(value):
        module = sys.modules.get(str(type.__getattribute__(value, "__module__")))
        path = source_of(namespace(module)) if module is not None else ""
        return place(path, 0, type.__getattribute__(value, "__qualname__")) if path else None
    if "__spec__" in namespace(value) and "__name__" in namespace(value):
        path = source_of(namespace(value))
        return place(path, 1, text_of(namespace(value), "__name__")) if path else None
    return None


SLOTS = (
    type(lambda: None),
    type(get_ident),
    staticmethod,
    classmethod,
    property,
    type(base.show.__get__(base)),
)
"""Types of the language itself, whose members can be read safely."""


def raw(value: Any, name: str) -> Any:
    """A member of one of the language's own types (``functools.partial`` among them)."""
    kind = type(value)
    partial = getattr(sys.modules.get("functools"), "partial", None)
    if kind not in SLOTS and kind is not partial:
        return MISSING
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return MISSING


def place(path: str, line: int, name: str) -> dict[str, Any]:
    return {"path": path, "line": line, "name": name if type(name) is str else ""}
