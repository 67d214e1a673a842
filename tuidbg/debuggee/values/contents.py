"""The entries of a value, by position and by the page.

Nothing here runs code of the program, but through ``showing``.
"""

from __future__ import annotations

import sys
from itertools import islice

from tuidbg.debuggee.swallowed import SWALLOWED
from tuidbg.debuggee.values import classes, showing, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class_of, is_a, lookup_plain = classes.class_of, classes.is_a, classes.lookup_plain
DICT, FLAGS, HEAP, MODULE, MRO = (
    classes.DICT,
    classes.FLAGS,
    classes.HEAP,
    classes.MODULE,
    classes.MRO,
)

MEMBER = type(slice.start)


CALLABLE: tuple[type, ...] = (*writing._FUNCTIONS, type([].append), type(writing.Writer().text))


LITERALS = (int, float, str, bytes, bool, type(None))


SCALARS = frozenset(LITERALS)


NUMBERS = SCALARS - {str, bytes}


class Entry(object):
    """One thing in another. ``step`` leads to it; ``template`` makes its expression."""

    def __init__(
        self,
        name: str | None,
        value: Any,
        step: list[Any],
        template: str = "",
        kind: str = "",
        key: Any = None,
    ) -> None:
        self.name = name
        self.value = value
        self.step = step
        self.template = template
        self.kind = kind
        self.key = key  # of a dict, where the name has to be worked out


class Section(object):
    """Entries by position: ``page`` gives those from a position to another.

    ``keys`` gives an iterator of a dict's keys; ``is_indexed`` says that the names are positions,
    ``is_named`` that these are attributes, of which a page has all.
    """

    def __init__(
        self,
        total: int,
        page: Any,
        keys: Any = None,
        is_indexed: bool = False,
        is_named: bool = False,
    ) -> None:
        self.total = total
        self.page = page
        self.keys = keys
        self.is_indexed = is_indexed
        self.is_named = is_named


LAZY = object()
"""The value of an entry that is only worked out on demand."""


def kind_of(name: str, value: Any) -> str:
    if name[:2] == "__" and name[-2:] == "__" and len(name) > 4:
        return "special"
    if name[:4] == "@py_":  # pytest's, where it has rewritten an assert
        return "special"
    kind = type(value)
    if issubclass(kind, type):
        return "class"
    if issubclass(kind, CALLABLE):
        return "callable"
    return "module" if issubclass(kind, MODULE) else ""


def named(pairs: Any, code: str = "a", kind: Any = None) -> Section:
    """Attributes: (name, value) pairs."""

    def page(start: int, stop: Any) -> Iterator[Any]:
        for name, value in pairs[start:stop]:
            name = str.__str__(name) if issubclass(type(name), str) else "?"
            template = "{}." + name if str.isidentifier(name) else ""
            yield Entry(name, value, [code, name], template, kind or kind_of(name, value))

    return Section(len(pairs), page, is_named=True)


def items(total: int, get: Any, code: str = "i") -> Section:
    """Returns the contents of what has an index."""

    def page(start: int, stop: Any) -> Iterator[Any]:
        for index in range(start, min(stop, total)):
            yield Entry(str(index), get(index), [code, index], "{}[%d]" % index)

    return Section(total, page, is_indexed=True)


def pairs(value: Any) -> Section:
    """A dict's. The name of an entry is the ``repr`` of its key."""

    def page(start: int, stop: Any) -> Iterator[Any]:
        found = islice(writing.pairs_of(value), start, stop)
        for index, (key, item) in enumerate(found, start):
            try:
                name = showing.show_plain(key, 120).text
            except Exception as error:
                if not isinstance(error, writing.NeedsProgramCode):
                    SWALLOWED["contents.pairs", type(error)] += 1
                name = None
            literal = type(key) in LITERALS and name == repr(key)
            template = "{}[%s]" % name if literal else "list({}.values())[%d]" % index
            yield Entry(name, item, ["k", index], template, "", key)

    return Section(
        classes.dict_class(type(value)).__len__(value),
        page,
        lambda: (key for key, _ in writing.pairs_of(value)),
    )


def elements(value: Any, kind: Any) -> Section:
    """A set's, in its own order."""

    def page(start: int, stop: Any) -> Iterator[Any]:
        found = islice(kind.__iter__(value), start, stop)
        for index, item in enumerate(found, start):
            yield Entry(str(index), item, ["e", index], "list({})[%d]" % index)

    return Section(kind.__len__(value), page)


def fields_of(kind: Any) -> Any:
    fields = lookup_plain(kind, "_fields")
    if type(fields) is tuple and all(type(name) is str for name in fields):
        return fields
    return ()


def sections(value: Any) -> Any:
    """All that is in a value."""
    kind = type(value)
    if issubclass(kind, MODULE):
        return [named(list(classes.DICT_OF_MODULE(value).items()), "m")]
    if issubclass(kind, type):
        return [named(list(DICT(value).items()), "t")]
    if issubclass(kind, (*CALLABLE, int, float, complex)) and not FLAGS(kind) & HEAP:
        return []
    table = table_section(value, kind)
    if table is not None:
        return [table]
    found = []
    attributes = classes.instance_dict(value, kind)
    if attributes:
        found.append(named(list(dict.items(attributes))))
    found += [section for section in own_sections(value, kind) if section.total]
    found += class_sections(kind, attributes)
    return found


def own_sections(value: Any, kind: Any) -> Iterator[Any]:
    slots = slots_of(value, kind)
    if slots:
        yield named(slots, "s")
    if issubclass(kind, BaseException):
        names = ("args", "__cause__", "__context__")
        known = [(n, BaseException.__dict__[n].__get__(value)) for n in names]
        yield named([pair for pair in known if pair[1] is not None], "x", "")
    elif issubclass(kind, list):
        yield items(list.__len__(value), lambda index: list.__getitem__(value, index))
    elif issubclass(kind, tuple):
        yield tuple_section(value, kind)
    elif classes.dict_class(kind) is not None:
        yield pairs(value)
    elif issubclass(kind, (set, frozenset)):
        yield elements(value, set if issubclass(kind, set) else frozenset)
    else:
        for base_kind in sequences():
            if issubclass(kind, base_kind):
                get = base_kind.__getitem__
                total = base_kind.__len__(value)
                yield items(total, lambda index, get=get: get(value, index))


def tuple_section(value: Any, kind: Any) -> Any:
    fields = fields_of(kind)
    if len(fields) != tuple.__len__(value):
        return items(tuple.__len__(value), lambda index: tuple.__getitem__(value, index))

    def page(start: int, stop: Any) -> Iterator[Any]:
        for index in range(start, min(stop, len(fields))):
            item = tuple.__getitem__(value, index)
            yield Entry(fields[index], item, ["i", index], "{}." + fields[index])

    return Section(len(fields), page)


def sequences() -> list[Any]:
    """Builtin kinds with an index and a length, of what the program has imported."""
    more = (class_of("collections", "deque"), class_of("array", "array"))
    return [range, bytearray, *(kind for kind in more if kind is not None)]


def records() -> list[Any]:
    """Builtin kinds that hold other values as their members."""
    more = (
        classes.builtin_class("sentinel"),
        class_of("string.templatelib", "Template"),
        class_of("string.templatelib", "Interpolation"),
    )
    return [slice, *(kind for kind in more if kind is not None)]


def slots_of(value: Any, kind: Any) -> Any:
    found, plain = [], records()
    for one in MRO(kind):
        if FLAGS(one) & HEAP or one in plain:
            for name, member in list(DICT(one).items()):
                if type(member) is MEMBER:
                    try:
                        found.append((name, member.__get__(value)))
                    except AttributeError:
                        continue
    return found


def class_sections(kind: Any, attributes: Any) -> Any:
    """Properties, which run code, and what the class has for all of its objects."""
    properties, shared, seen = [], [], set(attributes)
    cached = class_of("functools", "cached_property")
    for one in MRO(kind):
        if not FLAGS(one) & HEAP:
            continue
        for name, found in list(DICT(one).items()):
            if name in seen or name[:2] == "__":
                continue
            seen.add(name)
            if issubclass(type(found), property if cached is None else (property, cached)):
                properties.append((name, LAZY))
            elif lookup_plain(type(found), "__get__") is None and not kind_of("", found):
                shared.append((name, found))
    result = [named(shared, "c", "shared")] if shared else []
    return [*result, named(properties, "p", "property")] if properties else result


def table_section(value: Any, kind: Any) -> Any:
    """The rows of an array, the columns of a frame; tables are a view of their own."""
    if is_a(kind, "numpy", "ndarray"):
        array = sys.modules["numpy"].ndarray
        shape = array.shape.__get__(value)
        return items(shape[0] if shape else 0, lambda index: array.__getitem__(value, index), "d")
    for module, get in (("pandas", pandas_column), ("polars", polars_column)):
        if is_a(kind, module, "DataFrame"):
            names = [str(name) for name in value.columns]

            def page(start: int, stop: Any, get: Any = get, names: Any = names) -> Iterator[Any]:
                for index, name in list(enumerate(names))[start:stop]:
                    how = "{}.iloc[:, %d]" if get is pandas_column else "{}.to_series(%d)"
                    yield Entry(name, get(value, index), ["f", index], how % index)

            return Section(len(names), page)
        if is_a(kind, module, "Series"):
            return items(len(value), lambda index, get=get: get(value, index, True), "f")
    return None


def pandas_column(value: Any, index: int, of_series: bool = False) -> Any:
    return value.iloc[index] if of_series else value.iloc[:, index]


def polars_column(value: Any, index: int, of_series: bool = False) -> Any:
    return value[index] if of_series else value.to_series(index)


def total_of(value: Any) -> Any:
    """Returns how many entries: -1 where there may be some; 0 where there are none."""
    kind = type(value)
    if kind in SCALARS:
        return 0
    for base_kind in (list, *classes.DICTS, tuple, set, frozenset):
        if kind is base_kind:
            return base_kind.__len__(value)
    if issubclass(kind, (MODULE, type)):
        return -1
    if is_a(kind, "numpy", "ndarray"):
        shape = sys.modules["numpy"].ndarray.shape.__get__(value)
        return shape[0] if shape else 0
    if issubclass(kind, LITERALS + CALLABLE) and not FLAGS(kind) & HEAP:
        return 0
    if issubclass(kind, (list, tuple, *classes.DICTS, set, frozenset, BaseException, *records())):
        return -1
    for base_kind in sequences():
        if issubclass(kind, base_kind):
            return base_kind.__len__(value) or 0
    return -1 if FLAGS(kind) & HEAP or classes.instance_dict(value, kind) else 0


def size_of(value: Any) -> str:
    """Length, or shape and type of the elements, where that is cheap; else nothing."""
    kind = type(value)
    if kind in NUMBERS:
        return ""
    for base_kind in (str, bytes, list, *classes.DICTS, tuple, set, frozenset, *sequences()):
        if issubclass(kind, base_kind):
            return format(base_kind.__len__(value), ",")
    if kind is memoryview:
        try:
            return "%s %s" % (value.shape, value.format)
        except ValueError:
            return "released"
    if is_a(kind, "numpy", "ndarray"):
        array = sys.modules["numpy"].ndarray
        return "%s %s" % (array.shape.__get__(value), array.dtype.__get__(value))
    try:
        for module, name in (("pandas", "DataFrame"), ("polars", "DataFrame")):
            if is_a(kind, module, name):
                return " × ".join(format(int(n), ",") for n in value.shape)
        for module in ("pandas", "polars"):
            if is_a(kind, module, "Series"):
                return "%s %s" % (format(len(value), ","), value.dtype)
        if is_a(kind, "torch", "Tensor"):
            return "%s %s" % (tuple(value.shape), value.dtype)
    except Exception as swallowed:
        SWALLOWED["contents.size_of", type(swallowed)] += 1
    return ""
