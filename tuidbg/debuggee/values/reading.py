"""Reads variables, attributes and items as they stand; no code of the program runs.

So it can be done at any line, in whatever thread: a property that takes a lock would stand for
ever where the program has just taken that.
"""

from __future__ import annotations

from tuidbg.debuggee.values import classes, contents, private_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any


MRO, DICT = classes.MRO, classes.DICT

ONLY_AST = 0x400
"""Has ``compile`` give the parsed expression; it needs no import."""

MISSING = object()

OF_OBJECT = object.__getattribute__
OF_TYPE = type.__getattribute__
PLAIN = (OF_OBJECT, classes.MODULE.__getattribute__, BaseException.__getattribute__)
COLLECTIONS = (dict, list, tuple)


class CodeWouldRun(Exception):
    """It can't be read without running code of the program."""


class MissingValue(Exception):
    """There is no such variable, attribute or item."""


def compile_reader(frame: FrameType, expression: str) -> Any:
    """A function of the local and the global names that gives the value.

    It raises CodeWouldRun or Missing.
    """
    tree = compile(expression, "<watch>", "eval", ONLY_AST, True)
    return reader_of(private_names.mangle(tree, frame).body)


def is_readable(node: Any) -> bool:
    """Whether an expression consists of names, attributes, items and constants alone."""
    kind = type(node).__name__
    if kind == "Attribute":
        return is_readable(node.value)
    if kind == "Subscript":
        index = node.slice
        index = index.value if type(index).__name__ == "Index" else index  # Python 3.8
        return is_readable(node.value) and is_readable(index)
    if kind == "UnaryOp":
        return type(node.op).__name__ == "USub" and is_readable(node.operand)
    return kind in ("Name", "Constant")


def reader_of(node: Any) -> Any:
    kind = type(node).__name__
    if kind == "Name":
        return name_reader(node.id)
    if kind == "Attribute":
        return attribute_reader(reader_of(node.value), node.attr)
    if kind == "Subscript":
        index = node.slice
        index = index.value if type(index).__name__ == "Index" else index  # Python 3.8
        return item_reader(reader_of(node.value), reader_of(index))
    if kind == "UnaryOp":
        return negative_reader(reader_of(node.operand))
    constant = node.value
    return lambda names, others: constant


def name_reader(name: str) -> Any:
    def read(names: Any, others: Any) -> Any:
        try:
            return names[name]
        except KeyError:
            pass
        try:
            return others[name]
        except KeyError:
            raise MissingValue(name) from None

    return read


def negative_reader(read_number: Callable[[Any, Any], Any]) -> Any:
    def read(names: Any, others: Any) -> Any:
        number = read_number(names, others)
        if type(number) not in (int, float, bool):
            raise CodeWouldRun
        return -number

    return read


def attribute_reader(read_owner: Callable[[Any, Any], Any], name: str) -> Any:
    plain: list[Any] = [
        None
    ]  # the last class at which only the object's own attributes were to be asked

    def read(names: Any, others: Any) -> Any:
        owner = read_owner(names, others)
        kind = type(owner)
        if plain[0] is not kind:
            if issubclass(kind, type):
                return class_attribute(owner, kind, name)
            if not is_plain(kind, name):
                raise CodeWouldRun
            plain[0] = kind
        try:
            return OF_OBJECT(owner, name)
        except AttributeError:
            if held(kind, "__getattr__") is not MISSING:
                raise CodeWouldRun from None
            raise MissingValue(name) from None

    return read


def is_plain(kind: Any, name: str) -> bool:
    """Whether objects of a class have an attribute without being asked for it."""
    asking = held(kind, "__getattribute__")
    if not any(asking is each for each in PLAIN):
        return False
    found = held(kind, name)
    return type(found) is contents.MEMBER or held(type(found), "__get__") is MISSING


def class_attribute(owner: Any, kind: Any, name: str) -> Any:
    if held(kind, "__getattribute__") is not OF_TYPE or held(kind, name) is not MISSING:
        raise CodeWouldRun
    found = held(owner, name)
    if held(type(found), "__get__") is not MISSING:
        raise CodeWouldRun
    if found is MISSING:
        raise MissingValue(name)
    return found


def held(kind: Any, name: str) -> Any:
    """The attribute of a class or its bases; MISSING if there is none."""
    for one in MRO(kind):
        found = DICT(one).get(name, MISSING)
        if found is not MISSING:
            return found
    return MISSING


def item_reader(read_owner: Callable[[Any, Any], Any], read_key: Callable[[Any, Any], Any]) -> Any:
    last: list[Any] = [
        None,
        None,
    ]  # the last class of a collection, and the builtin one whose items it has

    def read(names: Any, others: Any) -> Any:
        owner, key = read_owner(names, others), read_key(names, others)
        if type(key) not in contents.SCALARS:
            raise CodeWouldRun
        kind = type(owner)
        if last[0] is not kind:
            getter = held(kind, "__getitem__")
            last[1] = next((each for each in COLLECTIONS if each.__getitem__ is getter), None)
            last[0] = kind
        base = last[1]
        if base is dict:
            found = dict.get(owner, key, MISSING)  # a defaultdict would make one
            if found is MISSING:
                raise MissingValue(key)
            return found
        if base is None and kind not in (str, bytes, *contents.sequences()):
            raise CodeWouldRun
        try:
            return (base or kind).__getitem__(owner, key)
        except (IndexError, TypeError):
            raise MissingValue(key) from None

    return read
