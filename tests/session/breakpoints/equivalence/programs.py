"""Small programs of all kinds of statements, made by hypothesis; each of them ends soon.

The variable of all of them is ``v``; in functions there is ``n`` as well, the argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from tests.support.interpreters import Version

PRELUDE = """\
import asyncio, threading
def add(a, b):
    return a + b
def plain(function): return function
def counted(by):
    def decorate(function):
        def inner(n):
            found = function(n)
            return found + by
        return inner
    return decorate
class Manager:
    def __init__(self, hides=False):
        self.hides = hides
    def __enter__(self):
        return 1
    def __exit__(self, *raised):
        return self.hides
    async def __aenter__(self):
        return 1
    async def __aexit__(self, *raised):
        return self.hides
class Pause:
    def __await__(self):
        yield
        return 1
async def ticks(count):
    for i in range(count):
        await Pause()
        yield i
def drive(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration as ended:
        return ended.value
def kept():
    while True:
        yield 1
        yield 2
v = 0
try:
    held
except NameError:
    held = kept()
v += next(held)
"""

CONDITIONS = ("", "", "", "v % 2 == 0", "v > 2", "n > 0", "sum(i for i in range(v)) > 1")
"""Nothing means none; ``n`` is no name at the top of a program."""

SIMPLE = (
    "v += 1",
    "pass",
    "v = (\n    v\n    + 1\n)",
    "v = add(\n    v,\n    add(\n        1,\n        2,\n    ),\n)",
    "v += 1; w = v; del w",
    "if v % 2: v += 3",
    "for _ in range(2): v += 1",
    "for _ in range(3): pass",
    "while v % 3: v += 1",
    "v += sum(x for x in range(2))",
    "v += len([x for x in range(3) if x])",
    "v += sum(\n    x\n    + 1\n    for x in range(3)\n    if x\n)",
    "v += len({\n    a: [b for b in range(a)]\n    for a in range(3)\n})",
    "v += (lambda a: a + 1)(v)",
    "f = lambda a: (\n    a\n    + 1\n)\nv += f(1)",
    "assert v >= 0, (\n    v\n)",
    "v = v if v % 2 else (\n    v + 1\n)",
    "v += len(\n    f'{v}'\n    f'{add(v, 1)}'\n)",
    "if (w := v) and (\n    w > 1\n    or v < 0\n):\n    v += 1",
    "v, w = (\n    v + 1,\n    add(v, 2),\n)",
    "v += [\n    1,\n    2,\n][\n    v % 2\n]",
    "v += (\n    add(1, 2)\n    if v\n    else add(3, 4)\n)",
    "try: v += 1\nfinally: v += 1",
    "with Manager() as m: v += m",
    "x: int = v",
    "'a string'",
    "import os.path",
)
"""Statements that may stand anywhere."""


@dataclass(frozen=True)
class Place:
    """Where a statement is to stand."""

    depth: int
    version: Version
    loop: bool = False
    function: bool = False
    generator: bool = False
    coroutine: bool = False


Draw = Callable[[st.SearchStrategy[str]], str]


class Writer:
    """Writes one program; each name in it is new."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._names = 0

    def block(self, place: Place) -> list[str]:
        """One to three statements."""
        count = self._draw(st.integers(1, 3 if place.depth else 2))
        return [line for _ in range(count) for line in self._statement(place)]

    def _statement(self, place: Place) -> list[str]:
        kinds = ["simple", "simple", *self._leaving(place)]
        if place.depth:
            kinds += [
                *("choice", "loop", "counting", "attempt", "context", "function", "decorated"),
                *("recursion", "klass", "thread", "coroutine", "generator", "closure"),
            ]
            if place.version >= (3, 10):
                kinds.append("match")
            if place.version >= (3, 11):
                kinds.append("group")
        kind = self._draw(st.sampled_from(kinds))
        if kind == "simple":
            return self._draw(st.sampled_from(SIMPLE)).split("\n")
        written: Callable[[Place], list[str]] | None = getattr(self, f"_{kind}", None)
        if written is not None:
            return written(replace(place, depth=place.depth - 1))
        # Mostly on a condition, since what stands behind it should run as well.
        test = self._draw(st.sampled_from(("if v % 3 == 0:", "if v % 5 == 4:", "if v > 20:", "")))
        return [test, f"    {kind}"] if test else [kind]

    def _leaving(self, place: Place) -> list[str]:
        """What leaves or suspends, as it stands there."""
        found = ["raise ValueError(v)"]
        if place.loop:
            found += ["break", "continue"]
        if place.generator:
            found += ["yield v", "yield from (1, 2)"]
        if place.coroutine:
            found += ["await Pause()", "v += await Pause()"]
        elif place.function:
            found += ["return" if place.generator else "return v"]
        return found

    def _new(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def _body(self, place: Place) -> list[str]:
        return _indented(self.block(place))

    def _choice(self, place: Place) -> list[str]:
        lines = ["if v % 2:", *self._body(place)]
        if self._draw(st.booleans()):
            lines += ["elif add(", "    v,", "    1,", ") % 3:", *self._body(place)]
        return [*lines, "else:", *self._body(place)]

    def _loop(self, place: Place) -> list[str]:
        lines = ["for i in range(3):", *self._body(replace(place, loop=True))]
        if place.coroutine and self._draw(st.booleans()):
            lines[0] = "async for i in ticks(2):"
        return lines if self._draw(st.booleans()) else [*lines, "else:", *self._body(place)]

    def _counting(self, place: Place) -> list[str]:
        name = self._new("c")
        body = self._body(replace(place, loop=True))
        return [f"{name} = 0", f"while {name} < 3:", f"    {name} += 1", *body]

    def _attempt(self, place: Place) -> list[str]:
        lines = ["try:", *self._body(place)]
        if self._draw(st.booleans()):
            lines += ["    raise KeyError", "except (", "    KeyError,", ") as error:"]
            lines += [*self._body(place)]
            if self._draw(st.booleans()):
                lines += ["except ValueError:", *self._body(place)]
            if self._draw(st.booleans()):
                lines += ["else:", *self._body(place)]
        else:
            lines += ["finally:", *self._body(replace(place, loop=False, function=False))]
            return lines
        return lines if self._draw(st.booleans()) else [*lines, "finally:", "    v += 1"]

    def _group(self, place: Place) -> list[str]:
        inner = replace(place, loop=False, function=False)
        return [
            *("try:", "    raise ExceptionGroup('g', [KeyError(1), ValueError(2)])"),
            *("except* KeyError:", *self._body(inner), "except* ValueError:", *self._body(inner)),
        ]

    def _context(self, place: Place) -> list[str]:
        keyword = "async with" if place.coroutine and self._draw(st.booleans()) else "with"
        heads = ("{} Manager(True) as m:", "{} Manager() as m, \\\n        Manager(True):")
        head = self._draw(st.sampled_from(heads)).format(keyword)
        return [*head.split("\n"), *self._body(place)]

    def _match(self, place: Place) -> list[str]:
        return [
            *("match v % 3, [v]:", "    case 0, _:", *_indented(self._body(place))),
            *("    case 1, [w] if add(w, 1):", *_indented(self._body(place))),
            *("    case _:", *_indented(self._body(place))),
        ]

    def _function(self, place: Place, *decorators: str) -> list[str]:
        name = self._new("f")
        body = self._body(Place(place.depth, place.version, function=True))
        head = [*decorators, f"def {name}(n):", "    v = n", *body, "    return v"]
        return [*head, f"v += {name}(v) or 0"]

    def _decorated(self, place: Place) -> list[str]:
        decorators = self._draw(st.sampled_from(("@plain", "@counted(1)", "@counted(\n    1,\n)")))
        return self._function(place, *decorators.split("\n"), "@plain")

    def _recursion(self, place: Place) -> list[str]:
        name = self._new("r")
        body = self._body(Place(place.depth, place.version, function=True))
        head = [f"def {name}(n):", "    v = n", "    if n:", f"        v += {name}(n - 1) or 0"]
        return [*head, *body, f"v += {name}(2) or 0"]

    def _closure(self, place: Place) -> list[str]:
        name = self._new("f")
        inner = self._body(Place(place.depth, place.version, function=True))
        head = [f"def {name}(n):", "    v = n", "    def inside():", "        nonlocal v"]
        tail = ["        return v", "    return [", "        inside() or 0,", "        v,", "    ]"]
        return [*head, *_indented(inner), *tail, f"v += {name}(1)[0]"]

    def _klass(self, place: Place) -> list[str]:
        name = self._new("K")
        body = self._body(replace(Place(place.depth, place.version)))
        method = self._body(Place(place.depth, place.version, function=True))
        lines = [f"class {name}(", "    object,", "):", "    v = 1", *body]
        lines += ["    @property", "    def value(self, n=1):", "        v = 2", *_indented(method)]
        return [*lines, f"v += {name}().value or 0"]

    def _thread(self, place: Place) -> list[str]:
        name = self._new("t")
        body = self._body(Place(place.depth, place.version, function=True))
        start = [f"{name} = threading.Thread(target=work_{name}, name='{name}', args=(1,))"]
        head = [f"def work_{name}(n):", "    v = n", "    try:", *_indented(body)]
        head += ["    except Exception:", "        pass"]
        return [*head, *start, f"{name}.start()", f"{name}.join()"]

    def _coroutine(self, place: Place) -> list[str]:
        name = self._new("a")
        body = self._body(Place(place.depth, place.version, coroutine=True))
        head = [f"async def {name}(n):", "    v = n", *body, "    await asyncio.sleep(0)"]
        if place.coroutine:
            return [*head, "    return v", f"v += await {name}(v) or 0"]
        return [*head[:-1], "    return v", f"v += drive({name}(v)) or 0"]

    def _generator(self, place: Place) -> list[str]:
        name = self._new("g")
        body = self._body(Place(place.depth, place.version, function=True, generator=True))
        head = [f"def {name}(n):", "    v = n", "    yield v", *body]
        use = self._draw(
            st.sampled_from(
                (
                    "for i in {}(1):\n    v += 1",
                    "v += len(\n    [*{}(1)]\n)",
                    "it = {}(1)\nnext(it)\ntry: it.throw(KeyError)\nexcept KeyError:\n    v += 1",
                    "it = {}(1)\nnext(it)\nit.close()",
                )
            )
        )
        return [*head, *use.format(name).split("\n")]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@st.composite
def programs(draw: st.DrawFn, version: Version) -> str:
    """The text of a program that this version of Python can compile."""
    body = Writer(draw).block(Place(3, version))
    return PRELUDE + "\n".join([*body, "v += 1"]) + "\n"
