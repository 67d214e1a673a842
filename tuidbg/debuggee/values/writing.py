"""Texts of values, written without running code of the program where that can be helped.

The other ``repr`` are only called for a job (``showing.py``), which may end them; how long they
take is remembered by their types.
"""

from __future__ import annotations

import sys
from itertools import islice
from time import perf_counter as clock

from tuidbg.debuggee.swallowed import SWALLOWED
from tuidbg.debuggee.values import arrays, classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Any


TEXT_LIMIT = 300
"""Characters of a value in a list of variables."""

HUGE = 1000000
"""Characters; what is longer is not asked for again unasked."""

SLOW = 0.05
"""Seconds; what takes that long twice is not called unasked any more."""

DEPTH = 4
"""Containers within containers that are written out."""

LONG_INT = 14000
"""Bits; a longer number is written as hexadecimal, which takes no time, and Python allows it."""

slow_types: dict[Any, Any] = {}
"""Names of types whose ``repr`` is slow -> how often it was."""

huge_types: set[Any] = set()
"""The names of those whose ``repr`` is longer than HUGE."""

REMARK_SLOW = "its repr takes more than %g s" % SLOW
REMARK_HUGE = "its repr has more than %s characters" % format(HUGE, ",")

_FUNCTIONS = (
    type(classes.MRO),
    type(len),
    type(object.__init__),
    type(lambda: None),
    type(str.join),
    type(dict.__dict__["fromkeys"]),
)


def ready(frame: FrameType) -> bool:
    """Called first: puts this module in place."""
    return True


def clean(text: str) -> Any:
    """The same without what can't be sent: lone surrogates are written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class QueryNotRun(BaseException):
    """Raised in place of a query of a database; no handler of a ``repr`` shall catch it."""


DUCKDB_QUERY = ("duckdb", "DuckDBPyRelation")
"""Its ``repr`` runs the query, and is no Python code that could be kept from it."""


class NeedsProgramCode(Exception):
    """Only code of the program knows how the value looks."""


class Writer(object):
    """Writes one value; ``job`` is the thread that may run code of the program, if this is it."""

    def __init__(self, limit: int = TEXT_LIMIT, job: Any = None, asked: bool = False) -> None:
        self.limit = limit
        self.job = job
        self.asked = asked  # a person has asked for this value: slow types too
        self.skipped = ""
        self.remark = ""
        self.is_cut = False
        self.above: list[Any] = []

    def text(self, value: Any, depth: int = DEPTH) -> Any:
        """Raises NotPlain, and whatever ``repr`` does where there is a job."""
        kind = type(value)
        how = id(classes.lookup_plain(kind, "__repr__"))
        write = WRITERS.get(how) or outsiders().get(how)
        if write is not None:
            return write(self, value, kind, depth)
        return self.foreign(value, kind)

    def foreign(self, value: Any, kind: Any, asked: Any = None) -> Any:
        """By its own ``repr``; ``asked`` is the class whose code that is, if it is another."""
        if self.job is None:
            raise NeedsProgramCode
        if not self.asked and classes.is_a(kind, *DUCKDB_QUERY):
            return self.query(kind)
        name = classes.full_name(asked or kind)
        if slow_types.get(name, 0) >= 2 and not self.asked:
            self.skipped = "slow"
            is_huge = name in huge_types
            self.remark = REMARK_HUGE if is_huge else REMARK_SLOW
            return "<%s: %s to show>" % (
                classes.class_name(kind),
                "too long" if is_huge else "slow",
            )
        self.job.enter(name)
        begun = clock()
        try:
            text = repr(value)
        except QueryNotRun:
            return self.query(kind)
        except Exception as error:
            if not self.above:
                raise
            text = "<raised %s>" % describe_error(error)  # the others in there can be shown
        taken = clock() - begun
        self.job.leave()
        if type(text) is str and len(text) > HUGE:
            slow_types[name] = 2
            huge_types.add(name)
        elif taken > SLOW:
            slow_types[name] = slow_types.get(name, 0) + 1
        elif name in slow_types and self.asked:
            del slow_types[name]
        return text if type(text) is str else str.__str__(text)

    def query(self, kind: Any) -> str:
        self.skipped = "lazy"
        return "<%s: query not run>" % classes.class_name(kind)

    def items(self, value: Any, items: Iterator[Any], brackets: str, depth: int, one: Any) -> str:
        if depth <= 0 or any(value is other for other in self.above):
            self.is_cut = self.is_cut or depth <= 0
            return brackets[0] + "..." + brackets[1]
        self.above.append(value)
        pieces, length = [], 0
        try:
            for item in steady(items):
                if length > self.limit:
                    self.is_cut = True
                    pieces.append("...")
                    break
                pieces.append(one(item))
                length += len(pieces[-1]) + 2
        finally:
            self.above.pop()
        return brackets[0] + ", ".join(pieces) + brackets[1]


def steady(items: Iterator[Any]) -> Iterator[Any]:
    """The items until another thread changes what they are in."""
    while True:
        try:
            item = next(items)
        except (StopIteration, RuntimeError):
            return
        yield item


def number(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    if kind is not bool and int.bit_length(value) > LONG_INT:
        bits = int.bit_length(value)
        sign = "-" if int.__lt__(value, 0) else ""
        writer.is_cut = True
        top = int.__rshift__(int.__abs__(value), bits - 4 * min(writer.limit, bits // 4))
        return "%s0x%x... (%s bits)" % (sign, top, format(bits, ","))
    return int.__repr__(value)


def boolean(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    return bool.__repr__(value)


def cut_text(writer: Writer, value: Any, kind: Any, depth: int) -> str:
    base_kind: Any = str if issubclass(kind, str) else bytes
    whole = base_kind.__len__(value) <= writer.limit
    writer.is_cut = writer.is_cut or not whole
    part = base_kind.__getitem__(value, slice(0, writer.limit))
    return str(base_kind.__repr__(part)) + ("" if whole else "...")


def byte_array(writer: Writer, value: Any, kind: Any, depth: int) -> str:
    part = bytes(bytearray.__getitem__(value, slice(0, writer.limit)))
    whole = bytearray.__len__(value) <= writer.limit
    writer.is_cut = writer.is_cut or not whole
    dots = "" if whole else "..."
    return "%s(%r%s)" % (classes.class_name(kind), part, dots)


def listed(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    return writer.items(value, list.__iter__(value), "[]", depth, below(writer, depth))


def tupled(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    text = writer.items(value, tuple.__iter__(value), "()", depth, below(writer, depth))
    return text[:-1] + ",)" if tuple.__len__(value) == 1 and depth > 0 else text


def grouped(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    base_kind = set if issubclass(kind, set) else frozenset
    text = writer.items(value, base_kind.__iter__(value), "{}", depth, below(writer, depth))
    if kind is set:
        return text if base_kind.__len__(value) else "set()"
    return "%s(%s)" % (classes.class_name(kind), text if base_kind.__len__(value) else "")


def mapped(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    one = below(writer, depth)
    pairs = pairs_of(value)
    return writer.items(value, pairs, "{}", depth, lambda pair: one(pair[0]) + ": " + one(pair[1]))


def pairs_of(value: Any) -> Any:
    """The pairs of any dict or frozendict, in its order."""
    if classes.is_a(type(value), "collections", "OrderedDict"):
        return iter(sys.modules["collections"].OrderedDict.items(value))
    return iter(classes.dict_class(type(value)).items(value))


def named_map(writer: Writer, value: Any, kind: Any, depth: int) -> str:
    """Counter, OrderedDict, defaultdict: their dict, with their name."""
    return "%s(%s)" % (classes.class_name(kind), mapped(writer, value, kind, depth))


def queued(writer: Writer, value: Any, kind: Any, depth: int) -> str:
    deque = sys.modules["collections"].deque
    text = writer.items(value, deque.__iter__(value), "[]", depth, below(writer, depth))
    return "%s(%s)" % (classes.class_name(kind), text)


def raised(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    arguments = BaseException.__dict__["args"].__get__(value)
    if type(arguments) is not tuple:
        raise NeedsProgramCode
    text = writer.items(value, iter(arguments), "()", depth, below(writer, depth))
    return classes.class_name(kind) + text


def simple(writer: Writer, value: Any, kind: Any, depth: int) -> str:
    """``object.__repr__``: it says where the object is."""
    return "<%s object at 0x%x>" % (classes.full_name(kind), id(value))


def a_class(writer: Writer, value: Any, kind: Any, depth: int) -> str:
    return "<class '%s'>" % classes.full_name(value)


def a_module(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    """As importlib writes it from an ordinary ``ModuleSpec`` with an origin."""
    spec = classes.DICT_OF_MODULE(value).get("__spec__")
    if type(spec) is classes.class_of("_frozen_importlib", "ModuleSpec"):
        found = classes.instance_dict(spec, type(spec))
        name, origin = found.get("name"), found.get("origin")
        if type(name) is str and type(origin) is str:
            text = "<module %r from %r>" if found.get("_set_fileattr") else "<module %r (%s)>"
            return text % (name, origin)
    return writer.foreign(value, kind)


def own_way(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    """Builtin things whose ``repr`` runs no code of anybody's and is short."""
    return classes.lookup_plain(kind, "__repr__")(value)


def moment(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    """A time of day with a zone of the program's own asks that for its ``repr``."""
    base_kind = classes.class_of("datetime", "datetime")
    zone = base_kind and classes.DICT(base_kind)["tzinfo"].__get__(value)
    if zone is not None and classes.FLAGS(type(zone)) & classes.HEAP:
        return writer.foreign(value, kind, type(zone))
    return own_way(writer, value, kind, depth)


def method(writer: Writer, value: Any, kind: Any, depth: int) -> str:
    function = value.__func__
    if not issubclass(type(function), _FUNCTIONS):  # any object that can be called
        return "<bound method of a %s>" % classes.class_name(type(function))
    name = getattr(function, "__qualname__", "?")
    return "<bound method %s>" % (name if type(name) is str else "?")


def member(writer: Writer, value: Any, kind: Any, depth: int) -> str:
    """Of an enum: as it stands in a program."""
    name = classes.instance_dict(value, kind).get("_name_")
    return (
        classes.class_name(kind) + "." + name
        if type(name) is str
        else simple(writer, value, kind, 0)
    )


def below(writer: Writer, depth: int) -> Any:
    return lambda item: writer.text(item, depth - 1)


def pandas_frame(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    if writer.job is None:
        raise NeedsProgramCode
    return columns_of(value.dtypes.items())


def polars_frame(writer: Writer, value: Any, kind: Any, depth: int) -> Any:
    if writer.job is None:
        raise NeedsProgramCode
    return columns_of(zip(value.columns, value.dtypes))


def columns_of(pairs: Any) -> str:
    """The columns of a table with their types; its rows are a matter of another view."""
    shown = ["%s: %s" % (name, dtype) for name, dtype in islice(pairs, 30)]
    return "<%s>" % ", ".join(shown)


WRITERS = {
    id(int.__repr__): number,
    id(bool.__repr__): boolean,
    id(str.__repr__): cut_text,
    id(bytes.__repr__): cut_text,
    id(bytearray.__repr__): byte_array,
    id(memoryview.__repr__): arrays.memory,
    id(list.__repr__): listed,
    id(tuple.__repr__): tupled,
    id(set.__repr__): grouped,
    id(frozenset.__repr__): grouped,
    id(dict.__repr__): mapped,
    id(BaseException.__repr__): raised,
    id(object.__repr__): simple,
    id(type.__repr__): a_class,
    id(type(sys).__repr__): a_module,
}
_kind: Any
for _kind in (float, complex, type(None), type(...), type(NotImplemented), range, *_FUNCTIONS):
    WRITERS[id(classes.lookup_plain(_kind, "__repr__"))] = own_way
for _kind in ((lambda: (yield))(), sys._getframe(), ready.__code__):
    WRITERS[id(classes.lookup_plain(type(_kind), "__repr__"))] = own_way

OUTSIDERS = [
    ("collections", "deque", queued),
    ("collections", "OrderedDict", named_map),
    ("collections", "defaultdict", named_map),
    ("collections", "Counter", named_map),
    ("datetime", "datetime", moment),
    ("datetime", "date", own_way),
    ("datetime", "timedelta", own_way),
    ("decimal", "Decimal", own_way),
    ("types", "CoroutineType", own_way),
    ("types", "AsyncGeneratorType", own_way),
    ("types", "MethodType", method),
    ("enum", "Enum", member),
    ("enum", "Flag", member),
    ("numpy", "ndarray", arrays.array),
    ("pandas", "DataFrame", pandas_frame),
    ("polars", "DataFrame", polars_frame),
]
"""Classes of modules that the program may have imported: their own way may take long."""

_known = [0, {}]


def outsiders() -> Any:
    """The writers of those that are there, by the ids of their ``__repr__``."""
    if _known[0] != len(sys.modules):
        kinds = [(classes.class_of(module, name), write) for module, name, write in OUTSIDERS]
        found = {
            id(classes.lookup_plain(kind, "__repr__")): w for kind, w in kinds if kind is not None
        }
        _known[:] = [len(sys.modules), found]
    return _known[1]


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: max(0, limit - 3)] + "..."


def describe_error(error: BaseException) -> str:
    """Its class and, where that takes no code of the program, what it says."""
    arguments = BaseException.__dict__["args"].__get__(error)
    why = arguments[0] if type(arguments) is tuple and arguments else ""
    if type(why) is not str:
        try:
            why = Writer(80).text(why)
        except Exception as swallowed:
            SWALLOWED["writing.describe_error", type(swallowed)] += 1
            why = ""
    return classes.class_name(type(error)) + (": " + cut(clean(why[:80]), 80) if why else "")
