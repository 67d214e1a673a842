"""The real class of a value, whatever the value says of itself; no code of the program runs."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

MRO: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
QUALNAME: Callable[[type], str] = type.__dict__["__qualname__"].__get__
MODULE_NAME: Callable[[type], Any] = type.__dict__["__module__"].__get__
DICT: Callable[[type], Mapping[str, Any]] = type.__dict__["__dict__"].__get__
FLAGS: Callable[[type], int] = type.__dict__["__flags__"].__get__
HEAP = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class of a program's
MODULE = type(sys)
DICT_OF_MODULE: Callable[[Any], dict[str, Any]] = vars(MODULE)["__dict__"].__get__
GETSET: Any = type(BaseException.__dict__["args"])


def kind_name(value: Any) -> str:
    """The name of the real class, as a person would write it, whatever ``__class__`` says."""
    return class_name(type(value))


def class_name(kind: type) -> str:
    name = str.__str__(QUALNAME(kind))
    return name.replace("<locals>.", "")


def full_name(kind: type) -> str:
    return module_of(kind) + class_name(kind)


def module_of(kind: Any) -> str:
    """The module of a class with a dot behind it; nothing for a builtin one."""
    try:
        module = MODULE_NAME(kind)
    except AttributeError:
        module = "?"
    module = str(module) if type(module) is str else "?"
    return "" if module == "builtins" else module + "."


def builtin_class(name: str) -> Any:
    """A builtin class of newer Pythons; else None."""
    found: Any = DICT_OF_MODULE(sys.modules["builtins"]).get(name)
    return found if issubclass(type(found), type) and not FLAGS(found) & HEAP else None


def lookup_plain(kind: type, name: str) -> Any:
    """Returns what a class or its bases hold under a name, without running anything, or None."""
    for one in MRO(kind):
        found = DICT(one)
        if name in found:
            return found[name]
    return None


def instance_dict(value: Any, kind: type) -> dict[str, Any]:
    """The attributes of an object, without asking the object."""
    descriptor: Any = lookup_plain(kind, "__dict__")
    if type(descriptor) is not GETSET:
        return {}
    found = descriptor.__get__(value)
    return found if isinstance(found, dict) else {}


def class_of(module: str, name: str) -> Any:
    """A class of a module, where the program has imported that; else None."""
    found = sys.modules.get(module)
    kind = DICT_OF_MODULE(found).get(name) if issubclass(type(found), MODULE) else None
    return kind if issubclass(type(kind), type) else None


def is_a(kind: Any, module: str, name: str) -> bool:
    """Whether a class is that one, or below it."""
    other = class_of(module, name)
    return other is not None and any(one is other for one in MRO(kind))


DICTS = tuple(kind for kind in (dict, builtin_class("frozendict")) if kind is not None)
"""Classes of dicts, none below another."""


def dict_class(kind: Any) -> Any:
    """Which of ``DICTS`` a class is or is below; else None."""
    return next((each for each in DICTS if issubclass(kind, each)), None)
