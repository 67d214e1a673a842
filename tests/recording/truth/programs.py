"""Small programs that end, made by hypothesis: changes of values through every door of Python."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.recording.truth.comparison import Tally, check

BATCH = 100
"""Programs of one process."""

PRELUDE = """\
import array, asyncio, bisect, collections, functools, heapq, operator, struct, sys, threading
class Plain:
    shared = []
    def __init__(self, x):
        self.x = x
        self.items = [x]
    def put(self, x):
        self.items.append(x)
        return self
    def __iadd__(self, other):
        self.items.extend(other)
        return self
    def __setitem__(self, key, value):
        self.items.insert(0, value)
        self.__dict__[str(key)] = value
    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        self.__dict__["asked"] = name
        return 1
    def __call__(self, value):
        self.items.append(value); return self
    def __enter__(self):
        self.items.append("in")
        return self.items
    def __exit__(self, *what):
        self.items.append("out"); return True
    def __len__(self):
        return len(self.items)
    def __eq__(self, other):
        self.x = 5
        return self is other
    __hash__ = object.__hash__
    @property
    def all(self):
        return self.items
    @all.setter
    def all(self, value):
        self.items = [value]
    @functools.cached_property
    def total(self):
        return len(self.items)
    @classmethod
    def get(cls, value):
        cls.shared.append(value)
        return cls.shared
class Slotted:
    __slots__ = ("a", "next")
    def __init__(self, a, next=None):
        self.a = a
        self.next = next
class Described:
    def __get__(self, one, kind):
        return one.__dict__.setdefault("described", [])
    def __set__(self, one, value):
        one.__dict__["described"] = [value]
class Holder:
    d = Described()
    def __init__(self):
        self.tree = {"a": [1], "b": {"c": []}}
class Table(dict):
    def __missing__(self, key):
        self[key] = []
        return self[key]
class Items(list):
    def add(self, x):
        self.append(x)
        self.last = x
        return self
class Text(str):
    pass
class Number(int):
    pass
class Bytes(bytearray):
    def put(self, x):
        self.append(x % 256)
        self.last = x
        return self
class Boom(Exception):
    def __init__(self, load):
        super().__init__(load)
        self.load = load
Pair = collections.namedtuple("Pair", "left right")
L, M, D = [1, 2, 3], [[0]], {"k": [1], "n": 2}
O, P, S, H = Plain(1), Plain([2]), Slotted([1]), Holder()
G, A, B, Q = {1, 2}, array.array("q", [1, 2]), bytearray(b"ab"), collections.deque([1, 2])
C, F, R = collections.Counter("ab"), collections.defaultdict(list), collections.OrderedDict(a=1)
T, I, X, N = Table(), Items([1]), Pair(1, [2]), 0
V, Y = bytearray(b"viewed"), Bytes(b"own")
W = memoryview(V)
def same(x):
    return x
def the_list():
    return L
def the_bytes():
    return B
def fill(numbers, x):
    numbers[0] = x % 100
    return numbers
def the_holder():
    return H
def bucket(k):
    return D.setdefault(k, [])
def closure(start):
    kept = [start]
    n = 0
    def up(by):
        nonlocal n
        n += 1
        kept.append(by)
        return kept
    return up
up = closure(0)
def set_global(v):
    global N
    N = v
    return N
def walk(items):
    for each in items[:3]:
        got = yield each
        if got: items.append(got)
async def share(items, v):
    items.append(v)
    await asyncio.sleep(0)
    items.append(v)
    return items
async def both(items, v):
    return await asyncio.gather(share(items, v), share(items, 7))
def deeper(items, depth):
    if depth:
        items.append([depth])
        return deeper(items[-1], depth - 1)
    return items
def thread(f, *args):
    t = threading.Thread(target=f, args=args, name="other"); t.start(); t.join()
begun = True
"""

LISTS = (
    *("L", "l", "M", "O.items", "P.all", "same(L)", "the_list()", "bucket('k')", "bucket('q')"),
    *("up(1)", "H.d", "the_holder().d", "H.tree['a']", "the_holder().tree['b']['c']", "T['z']"),
    *("F['f']", "X.right", "Plain.get(1)", "Plain.shared", "I", "M[0]", "[L, M][0]", "(L or M)"),
    *("S.a", "next(walk([L]))", "(lambda: L)()", "functools.partial(same, L)()", "I.add(1)"),
    *("(l if l else L)", "max([L, l], key=len)", "getattr(O, 'items')", "vars(O)['items']"),
    *("operator.itemgetter('k')({'k': L})", "[*map(same, [l])][0]", "{'a': l}['a']", "o.items"),
)
DICTS = (
    *("D", "d", "H.tree", "the_holder().tree['b']", "O.__dict__", "vars(P)", "same(D)", "T", "F"),
    *("R", "globals()['D']", "(D or d)", "C", "vars(o)"),
)
OBJECTS = ("O", "P", "o", "same(O)", "O.put(1)", "(O if N else P)", "[O, P][-1]", "O(2)")
INTS = ("v", "1", "7", "len(L)", "N", "v % 3", "-1", "True", "set_global(v)", "len(l)")
VALUES = (
    *(
        "v",
        "[v]",
        "{'a': v}",
        "(v, 1)",
        "(v, [1])",
        "'text'",
        "1.0",
        "-0.0",
        "0.0",
        "True",
        "1",
        "0",
    ),
    *("None", "L", "l", "O", "(1, 2)", "(1.0, 2.0)", "float('nan')", "'x' * 300", "10 ** 400"),
    *("{1, v}", "frozenset({v})", "Plain(v)", "b'y'", "b'z' * 250", "Pair(v, l)", "range(v % 3)"),
    *("Text('t')", "Number(v)", "bytearray(b'c')", "memoryview(b'd')", "bytearray(300)"),
    *("Slotted(v)", "same", "len", "Boom", "2 ** 70", "array.array('i', [1])", "[[v]]", "False"),
)
BYTES = ("B", "B", "Y", "the_bytes()", "same(B)", "Y.put(1)", "[B, Y][0]", "(Y or B)")
KEYS = (
    "'k'",
    "'q'",
    "v",
    "1",
    "True",
    "1.0",
    "(1, v)",
    "None",
    "'a' * 300 + str(v)",
    "10 ** 400 + v",
)

STATEMENTS = (
    *("{L}.append({V})",) * 3,
    *("{D}[{K}] = {V}",) * 3,
    *("{O}.x = {V}",) * 2,
    "{L}.extend([{V}, {V}])",
    "{L}.insert(0, {V})",
    "{L}[:1] = [{V}, {V}]",
    "{L}[0:0] = [{V}]",
    "{L}[-1] = {V}",
    "{L}[0], {L}[-1] = {V}, {V}",
    "{L}.reverse()",
    "{L}.sort(key=str)",
    "{L}.pop()",
    "{L}.pop(0)",
    "{L}.remove(1)",
    "{L}.clear()",
    "del {L}[0]",
    "del {L}[1:]",
    "l = {L}",
    "l += [{V}]",
    "l *= 2\ndel l[6:]",
    "l = l + [{V}]",
    "w = {V}",
    "w = w2 = {V}",
    "w = {L}.copy()",
    "{L}[0] = {L}[-1] = {V}",
    "{L}[0].append({V})",
    "d = {D}",
    "{D}.update(a={V})",
    "{D}.setdefault('s', []).append({V})",
    "{D}.pop({K}, None)",
    "{D}[{K}] = {D}.pop({K}, 1)",
    "{D}.popitem()",
    "d = dict(d)",
    "d |= {{{K}: {V}}}",
    "del {D}['k']; {D}['k'] = [{V}]",
    "D.clear()",
    "for k in list(D): D[k] = [{V}]",
    "o = {O}",
    "o = Plain({V})",
    "{O}.new = {V}",
    "{O}.all = {V}",
    "{O}[{I}] = {V}",
    "o += [{V}]",
    "w = {O}.missing",
    "w = {O}.total",
    "w = O == P",
    "w = P in [O]",
    "del {O}.x",
    "setattr({O}, 'x', {V})",
    "delattr({O}, 'x')",
    "{O}.__dict__['x'] = {V}",
    "vars({O}).update(y={V})",
    "{O}.__dict__ = {{'items': l, 'x': {V}}}",
    "object.__setattr__({O}, 'x', {V})",
    "S.a = {V}\nS.a = [1]",
    "S.next = Slotted({V}, S.next)",
    "S.a, S.next = [1], None",
    "s = S\ns.next = s",
    "H.d = {V}",
    "H.tree['b']['c'] = [{V}]",
    "H.tree = {{**H.tree, 'z': {V}}}",
    "the_holder().last = {V}",
    "N = {I}",
    "N += 1",
    "globals()['N'] = {V}",
    "setattr(sys.modules[__name__], 'N', {V})",
    "g = globals()\ng['N'] = {V}",
    "set_global({V})",
    "Plain.shared = [{V}]",
    "Plain.shared = Plain.shared + [1]",
    "f = {L}.append\nf({V})",
    "list(map({L}.append, [{V}, {V}]))",
    "any(map({L}.append, [{V}, {V}]))",
    "w = sorted([{I}], key={L}.append)",
    "w = max(map({L}.extend, ([1], [2])), key=str)",
    "for w in iter({L}.pop, 2): pass",
    "f = o.put\nw = [*map(f, [1, {V}])] and None",
    "functools.partial({L}.insert, 0)({V})",
    "functools.reduce(lambda a, x: (a.append(x), a)[1], [1, {V}], {L})",
    "operator.setitem({L}, 0, {V})",
    "operator.iadd({L}, [{V}])",
    "operator.methodcaller('append', {V})({L})",
    "heap = [3, 1, 2]\nheapq.heapify(heap)\nheapq.heappush(heap, {I})\nw = heapq.heappop(heap)",
    "heapq.heappush(L, 1)",
    "bisect.insort({L}, 2)",
    "w = [{L}.append(x) for x in range(2)]",
    "w = {{x: {L}.append(x) for x in range(2)}}",
    "w = sum(len({L}.append(x) or 'a') for x in range(2))",
    "w = all({L}.append(x) is None for x in (1, {V}))",
    "w = [x for x in {L}[:3]]",
    "for x in {L}[:2]: w = x",
    "for {L}[0] in [{V}, 2]: pass",
    "for o.x in range(2): pass",
    "for i in range(2): {L}.append(i)",
    "for i in range(3):\n    {L}.append([i])\n    w = i",
    "while len(l) > 2: l.pop()",
    "if (w := len({L})) > 1: {L}.pop()",
    "first, *rest = [*{L}, 1]",
    "{O}.x, {D}['k'] = {V}, [{V}]",
    "[w, {O}.x] = 1, {V}",
    "d['s'], d = {V}, {{'k': []}}",
    "l[:], l = [{V}], [{V}]",
    "o.x, o = {V}, O",
    "t = {V}; t = {V}",
    "t = (1, 2); t = (1.0, 2.0); t = (True, 2)",
    "t = (1, 0)\nt = (1.0, False)",
    "M[0] = (1, 2)\nM[0] = (1.0, 2.0)\nM[0] = [0]",
    "t = ({V}, l)\nt[1].append({V})",
    "del w",
    "x = [{V}]; x.append(1); del x",
    "for i in range(2): e = M[0]; e.append(i); del e",
    "stack = [l]\nwhile stack: stack.pop().append({V})",
    "try:\n    raise Boom(l)\nexcept Boom as error:\n    error.load.append({V})",
    "try:\n    {L}.append({V})\n    [][1]\nexcept IndexError as e:\n    e.more = {V}\n    kept = e",
    "try:\n    {D}['nowhere']\nfinally:\n    {L}.append({V})",
    "with O as w: w.append({V})",
    "with P: raise ValueError({V})",
    "G.add({I})",
    "G.discard({I})",
    "G |= {{{I}}}",
    "G.update(map(same, [1, 2]))",
    "G ^= {{1}}",
    "A.append({I})",
    "A[0] = {I}",
    "A.extend([1, 2])",
    "B.append(7)",
    "B[0:1] = b'xyz'",
    "B += b'q'",
    "memoryview(B)[0:1] = b'm'",
    "{B}[0] = {I} % 256",
    "{B}[-1] = 7",
    "{B}[:1] = b'zz'",
    "{B}.append({I} % 256)",
    "{B}.extend(b'uv')",
    "{B}.insert(0, {I} % 256)",
    "{B}.pop()",
    "{B}.reverse()",
    "del {B}[0]",
    "b = {B}\nb += b'w'",
    "b = {B}\nb *= 2\ndel b[6:]",
    "b = fill({B}, {I})",
    "A.frombytes(bytes(8))",
    "A.byteswap()",
    "A.fromlist([{I}, {I}])",
    "del A[1:]",
    "a = array.array('d', [0.0])\na[0] = -0.0\na.append(float('nan'))\na[0] = {I}",
    "W[0] = {I} % 256",
    "W[1:3] = b'xy'",
    "V[2] = {I} % 256",
    "V.reverse()",
    "V[:2] = b'ab'",
    "fill(V, {I})",
    "w = fill(W, {I})",
    "w = W[2:]\nw[0] = {I} % 256",
    "w = same(W)\nw[3] = {I} % 256",
    "w = memoryview(V).cast('H')\nw[0] = 258",
    "struct.pack_into('BB', V, 1, 7, {I} % 256)",
    "struct.pack_into('H', B, 0, 9)",
    "list(map(V.__setitem__, range(2), (1, {I} % 256)))",
    "with memoryview(B) as w: w[0] = {I} % 256",
    "with memoryview(A) as w: w[0] = {I}",
    "Y.put({I}).put(1)",
    "Y.last = {V}",
    "t = Text('k')\nt.more = {V}\nt.more = {V}",
    "t = Number({I})\nt.more = [{V}]\nt.more.append(1)",
    "Q.append({V})",
    "Q.appendleft({V})",
    "Q.rotate(1)",
    "Q.popleft()",
    "Q[0] = {V}",
    "Q.extend({L}[:2])",
    "C[{K}] += 1",
    "C.update('abc')",
    "C.subtract('a')",
    "F[{K}].append({V})",
    "w = F[{K}]",
    "R.move_to_end('a')",
    "R[{K}] = {V}",
    "R['a'] = R.pop('a')",
    "T[{K}].append({V})",
    "I.add({V}).add(1)",
    "I.last = {V}",
    "I[0] = {V}",
    "X = X._replace(left={V})",
    "X.right.append({V})",
    "up({V})",
    "up = closure({V})",
    "f = same\nf(L).append({V})",
    "g = walk({L})\nnext(g, 0)\nw = next(g, 0)",
    "g = walk(l)\nfor x in g: g.send(None) if x == 9 else None",
    "for x in walk({L}): w = x",
    "w = list(zip(walk(l), walk(L)))",
    "w = deeper({L}, 2)",
    "w = deeper(l, 3)",
    "if asyncio._get_running_loop() is None: w = asyncio.run(both({L}, {V}))",
    "thread({L}.append, {V})",
    "thread(deeper, {L}, 1)",
    "thread(set_global, {I})",
    "thread(up, {V})",
    "chain = None\nfor i in range(5): chain = (i, chain)",
    "chain = None\nfor i in range(4): chain = Slotted([i], chain)\nchain.next.next.a.append({V})",
    "row = [{V}]\nrow = [{V}]\nrow.append(1)\nrow = [[row]]",
    "for i in range(3):\n    row = [i]\n    row.append({V})\n    row = None",
    "match {V}:\n    case (a, *b): w = a\n    case {{'a': c}}: w = c\n    case _: {L}.append(1)",
    "w = (lambda y, z=l: z.append(y))({V})",
    "class Inside:\n    a = [{V}]\n    a.append(1)\n    for b in range(2): a.append(b)",
    "exec('L.append(4)')",
    "w = eval('L.append(5)')",
    "print(O, end=str({L}.append(1)))",
    "w = '%s' % {L}.append(2)",
    "w = f'{{L.append(3)}}'",
    "assert {L}.append({V}) is None",
    "w = [] or {L}.append({V}) or {V}",
    "w = {L}.append({V}) if v else {L}.clear()",
    "{L}.append({L})",
    "big = list(range(250))\nbig[249] = {V}\nbig[3] = {V}\nbig = None",
)


@dataclass
class Writer:
    """Draws the text of a program. ``only`` are the statements that may be drawn."""

    draw: st.DrawFn
    only: Sequence[str] = STATEMENTS
    lines: list[str] = field(default_factory=list)

    def pick(self, options: Sequence[str]) -> str:
        return options[self.draw(st.integers(0, len(options) - 1))]

    def statement(self) -> list[str]:
        text = self.pick(self.only)
        words = {"L": LISTS, "D": DICTS, "O": OBJECTS, "I": INTS, "V": VALUES, "K": KEYS}
        words["B"] = BYTES
        for letter, options in words.items():
            while "{" + letter + "}" in text:
                text = text.replace("{" + letter + "}", self.pick(options), 1)
        return text.replace("{{", "{").replace("}}", "}").split("\n")

    def block(self, count: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement()]

    def program(self) -> str:
        self.lines += ["v, l, d, o, w = 3, L, D, O, None"]
        for number in range(self.draw(st.integers(1, 3))):
            names = (*"LMDONGSQABCFRTIXVWY",)
            head = [f"global {', '.join(names)}, up, H, P"]
            body = self.block(self.draw(st.integers(2, 6)))
            arguments = ", ".join(self.pick(each) for each in (INTS, LISTS, DICTS, OBJECTS))
            self.lines += [f"def part{number}(v, l, d, o, w=None):"]
            self.lines += [f"    {line}" for line in (*head, *body, "return v")]
            self.lines += ["try:", f"    w = part{number}({arguments})"]
            self.lines += ["except Exception as error:", "    w = error", "    w = None"]
        for _ in range(self.draw(st.integers(0, 3))):
            self.lines += ["try:", *(f"    {line}" for line in self.statement())]
            self.lines += ["except Exception as error: pass"]
        return PRELUDE + "\n".join([*self.lines, "v = 1", "v = 2"]) + "\n"


@st.composite
def programs(draw: st.DrawFn, only: Sequence[str] = STATEMENTS) -> str:
    """The text of a program."""
    return Writer(draw, only).program()


def made(count: int, start: int, only: Sequence[str] = STATEMENTS) -> list[str]:
    """About so many different programs, the same for the same ``start``."""
    texts: dict[str, None] = {}

    @seed(start)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs(only))
    def draw(text: str) -> None:
        texts[text] = None

    draw()
    return list(texts)


def run(python: str, texts: Sequence[str], tally: Tally) -> dict[str, str]:
    """Check programs; gives those with failures, by the names by which the tally has them."""
    failing: dict[str, str] = {}
    for start in range(0, len(texts), BATCH):
        batch = {f"p{start + i:06}": text for i, text in enumerate(texts[start : start + BATCH])}
        with tempfile.TemporaryDirectory() as folder:
            check(python, batch, Path(folder), tally)
        failing |= {name: batch[name] for name in batch if name in tally.failures}
    return failing
