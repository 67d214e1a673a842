"""The real class of a value, whatever the value says of itself; no code of the program runs."""

import sys

MRO = type.__dict__["__mro__"].__get__


QUALNAME = type.__dict__["__qualname__"].__get__


MODULE_NAME = type.__dict__["__module__"].__get__


DICT = type.__dict__["__dict__"].__get__


FLAGS = type.__dict__["__flags__"].__get__


HEAP = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class of a program's


MODULE = type(sys)


DICT_OF_MODULE = MODULE.__dict__["__dict__"].__get__


GETSET = type(BaseException.__dict__["args"])


def kind_name(value):
    """The name of the real class, as a person would write it, whatever ``__class__`` says."""
    return class_name(type(value))


def class_name(kind):
    name = str.__str__(QUALNAME(kind))
    return name.replace("<locals>.", "")


def full_name(kind):
    return module_of(kind) + class_name(kind)


def module_of(kind):
    """The module of a class with a dot behind it; nothing for a builtin one."""
    try:
        module = MODULE_NAME(kind)
    except AttributeError:
        module = "?"
    module = module if type(module) is str else "?"
    return "" if module == "builtins" else module + "."


def builtin_class(name):
    """A builtin class of newer Pythons; else None."""
    found = DICT_OF_MODULE(sys.modules["builtins"]).get(name)
    return found if issubclass(type(found), type) and not FLAGS(found) & HEAP else None


def lookup_plain(kind, name):
    """Returns what a class or its bases hold under a name, without running anything, or None."""
    for one in MRO(kind):
        found = DICT(one)
        if name in found:
            return found[name]
    return None


def instance_dict(value, kind):
    """The attributes of an object, without asking the object."""
    descriptor = lookup_plain(kind, "__dict__")
    if type(descriptor) is not GETSET:
        return {}
    found = descriptor.__get__(value)
    return found if isinstance(found, dict) else {}


def class_of(module, name):
    """A class of a module, where the program has imported that; else None."""
    found = sys.modules.get(module)
    kind = DICT_OF_MODULE(found).get(name) if issubclass(type(found), MODULE) else None
    return kind if issubclass(type(kind), type) else None


def is_a(kind, module, name):
    """Returns whether a class is that one, or below it."""
    other = class_of(module, name)
    return other is not None and any(one is other for one in MRO(kind))


DICTS = tuple(kind for kind in (dict, builtin_class("frozendict")) if kind is not None)
"""Classes of dicts, none below another."""


def dict_class(kind):
    """Which of ``DICTS`` a class is or is below; else None."""
    return next((each for each in DICTS if issubclass(kind, each)), None)
