"""Values of a program that died, each told in a line, within the time that is left."""

from __future__ import annotations

from tuidbg.debuggee import base
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


NO_TIME = "<not read: no time was left>"


PLAIN = bool, int, float, complex, str, bytes, type(None)


CONTAINERS = list, tuple, dict, set, frozenset


def dict_of(value: Any) -> Any:
    """The real ``__dict__``, whatever the class has put in its place."""
    for kind in type(value).__mro__:
        own = kind.__dict__.get("__dict__")
        if own is not None:
            if type(own).__name__ != "getset_descriptor":
                return {}
            return own.__get__(value) or {}
    return {}


def describe_value(name: str, value: Any, scope: str, watch: Any) -> dict[str, Any]:
    return {
        "name": name,
        "type": type_of(value),
        "value": read(value, watch),
        "scope": scope,
        "children": count_children(value),
    }


def read(value: Any, watch: Any) -> Any:
    left = watch.left
    if left <= 0:
        return NO_TIME
    return clean(base.show(value, seconds=min(base.SHOW_LIMIT, left)))


def type_of(value: Any) -> Any:
    try:
        name = base.type_name(value)
        return clean(name) if isinstance(name, str) else "?"
    except Exception as swallowed:
        SWALLOWED["autopsy_values.type_of", type(swallowed)] += 1
        return "?"


def count_children(value: Any) -> Any:
    """Returns how many a value has inside, without asking it."""
    kind = type(value)
    if kind in PLAIN:
        return 0
    for container in CONTAINERS:
        if issubclass(kind, container):
            return container.__len__(value)
    slots = sum(
        type(member).__name__ == "member_descriptor"
        for each in kind.__mro__
        if each.__module__ != "builtins"
        for member in list(each.__dict__.values())
    )
    return len(dict_of(value)) + slots


def clean(text: str, limit: int = base.TEXT_LIMIT) -> Any:
    """Cut, and fit for JSON: no half characters."""
    return base.cut(str.__str__(text), limit).encode("utf-8", "backslashreplace").decode("utf-8")
