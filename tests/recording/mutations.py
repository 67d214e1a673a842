"""Programs that change values in all ways, made by hypothesis out of the statements of others."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from tests.session.breakpoints.equivalence.programs import PRELUDE, Place, Writer
from tests.support.interpreters import Version

STATE = """\
import asyncio, collections, copy, dataclasses, functools, program
class Plain:
    def __init__(self, x):
        self.x = x
        self.items = [x]
    def put(self, x):
        self.items.append(x)
        self.x += 1
        return self
    @property
    def double(self):
        self.items.insert(0, self.x)
        return self.x * 2
    @double.setter
    def double(self, x):
        self.x = x
class Slotted:
    __slots__ = ("a", "b")
    def __init__(self):
        self.a = []
@dataclasses.dataclass
class Data:
    x: int = 0
    items: list = dataclasses.field(default_factory=list)
def counter():
    n = 0
    kept = []
    def up(by=1):
        nonlocal n
        n += by
        kept.append(n)
        return n
    return up
def traced(function):
    @functools.wraps(function)
    def inner(*args):
        calls.append(len(args))
        return function(*args)
    return inner
@traced
def change(target, by):
    target.append(by)
    return target
@functools.lru_cache(None)
def remember(n):
    calls.append(n)
    return n
def set_total(by):
    global total
    total += by
    return total
def walk(items):
    for each in items:
        items[0] = each
        got = yield each
        if got: items.append(got)
def nest(tree, depth):
    if depth:
        tree.append([depth])
        return nest(tree[-1], depth - 1) + 1
    return 0
async def share(target, by):
    for n in range(2):
        target.append(by + n)
        await asyncio.sleep(0)
    return len(target)
async def both(target, by):
    return await asyncio.gather(share(target, by), share(target, -by))
@dataclasses.dataclass(slots=True, order=True)
class Point:
    x: int = 0
    y: list = dataclasses.field(default_factory=list, compare=False)
calls, total, up = [], 0, counter()
items, other = [1, 2, [3]], {"k": 1}
alias, nested = items, {"a": [1], "b": {"c": 2}}
plain, slotted, data, point = Plain(1), Slotted(), Data(1), Point(1)
group = {1, 2}
counted, defaults, ring = collections.Counter(), collections.defaultdict(list), collections.deque()
"""

CHANGES = (
    "items.append(v)",
    "alias.append(v); items[0] = 5",
    "items.insert(0, v)",
    "items.sort(key=str)",
    "items.reverse()",
    "items[1:2] = [v, v]",
    "items += [v]",
    "del items[0]\nitems.append([])",
    "items[-1] = [v]\nitems[-1].append(7)",
    "items.extend(x for x in range(2))",
    "items[0], items[1] = items[1], items[0]",
    "w = items.pop()\nitems.append(w)",
    "items.append(items.pop(0))",
    "items[0] = items[-1] = v",
    "other['k'] += 1",
    "other[v] = items",
    "other.update(a=v)",
    "other['z'] = other.pop('k'); other['k'] = 2",
    "other.setdefault('list', []).append(v)",
    "other = dict(other)",
    "other |= {'q': v}",
    "for key in list(other): other[key] = 0",
    "nested['a'].append(v)",
    "nested['b']['c'] = v",
    "nested['b'] = {**nested['b'], 'd': [v]}",
    "inner = nested['a']\ninner[0] = v",
    "plain.x = v",
    "plain.put(v).put(2)",
    "plain.items[0] = [v]",
    "plain.double = v",
    "v += plain.double % 3",
    "plain.new = items; plain.new.append(1)",
    "setattr(plain, 'y', v)",
    "plain.__dict__['z'] = v",
    "if hasattr(plain, 'y'): del plain.y",
    "slotted.b = v",
    "slotted.a.append(slotted)\nslotted.a.clear()",
    "data.items.append(data.x)",
    "data.x, data.items = data.x + 1, [data.x]",
    "data = dataclasses.replace(data, x=v)",
    "twin = copy.copy(plain)\ntwin.items.append(v)",
    "point.x += v\npoint.y.append(point.x)",
    "point = max(point, Point(v, items))",
    "w = nest(items, 3)",
    "if asyncio._get_running_loop() is None: w = asyncio.run(both(items, v))",
    "exec('v = 5; w = v', {}, other)",
    "del other['k']; other['k'] = v",
    "group.add(v)",
    "group |= {v + 1}",
    "group.discard(1)",
    "counted[v] += 1",
    "defaults[v].append(v)",
    "w = defaults['w']",
    "ring.appendleft(v)",
    "ring.extend([v, v]); ring.rotate(1)",
    "up(2)",
    "v += up() % 2",
    "change(items, v)",
    "change(change(items, v), 2)",
    "v += remember(v % 3) % 2",
    "set_total(v)",
    "program.total = v",
    "program.items.append(3)",
    "exec('items.append(9)')",
    "v += eval('len(items)') % 2",
    "w = [items.append(x) for x in range(2)]",
    "w = {x: y for x, y in zip('ab', items)}",
    "w = sorted(items, key=lambda x: str(x))",
    "w = (lambda: [[x, y] for x in range(2) for y in range(2)])()",
    "for x in walk(items[:]): w = x",
    "g = walk(items)\nnext(g)\ng.send(v)\ng.close()",
    "f = items.append\nf(v)",
    "w = list(map(items.append, [v]))",
    "match nested:\n    case {'a': [p, *q], **r}:\n        q.append(p)",
    "t = (v, [v])\nt[1].append(2)",
    "first, *rest = items",
    "try:\n    [][v]\nexcept IndexError as error:\n    w = error.args",
    "with Manager() as m: items.append(m)",
    "if (w := len(items)) > 4: del items[2:]",
    "global_name = v; del global_name",
    "w = lambda: items.append(v)\nw()",
    "items[:] = [items.copy()] if len(items) > 6 else items",
    "w = plain if v % 2 else slotted\nw.extra = 1 if w is plain else 0",
)


class MutatingWriter(Writer):
    """Writes a program whose statements mostly change something."""

    def _statement(self, place: Place) -> list[str]:
        if self._draw(st.integers(0, 9)) < 6:
            return self._draw(st.sampled_from(CHANGES)).split("\n")
        return super()._statement(place)

    def _thread(self, place: Place) -> list[str]:
        *lines, start, join = super()._thread(place)
        return [*lines, f"{start}; {join}"]  # else it is chance what either of them sees


@st.composite
def mutating_programs(draw: st.DrawFn, version: Version) -> str:
    """The text of a program that this version of Python can compile."""
    writer = MutatingWriter(draw)
    lines: list[str] = []
    for _ in range(draw(st.integers(2, 4))):
        body = writer.block(Place(2, version, function=True))
        local = ["    global data, other, items, point" if draw(st.booleans()) else "    pass"]
        if local == ["    pass"]:
            local = [
                "    items, other, data, point = [n, [n]], {n: 1, 'k': [2]}, Data(n), Point(n)"
            ]
        name = f"part{len(lines)}"
        lines += [f"def {name}(n):", "    v = n", *local, *(f"    {line}" for line in body)]
        lines += ["    return v", "try:", f"    v += {name}(v) or 0", "except Exception as raised:"]
        lines += ["    w = raised", "    del w"]
    lines += writer.block(replace(Place(2, version)))
    return PRELUDE + STATE + "\n".join([*lines, "v += 1"]) + "\n"
