"""Programs that show what a recording has to tell, each of another kind of change."""

PROGRAMS = {
    "basic": """\
class Account:
    def __init__(self, name):
        self.name = name
        self.items = []
        self.total = 0
    def add(self, amount):
        self.items.append(amount)
        self.total += amount
        return self.total
def work(n):
    acc = Account("a")
    alias = acc
    best = {}
    for i in range(n):
        x = i * 2
        if x % 3 == 0:
            best[x % 7] = x
        y = acc.add(x)
        if len(acc.items) > 5:
            acc.items.clear()
            del best[0]
    alias.name = "b"
    del alias
    return acc, best
r = work(20)
s = r[0].total
r[0].items.extend([1, [2, 3]])
r[0].items[-1][0] = 1000 + s
r[0].items[-1][0] += 1; r[0].items[-1][0] += 1
""",
    "closures": """\
def counter():
    n = 0
    def up(by):
        nonlocal n
        n += by
        return n
    def get():
        return n
    up(1)
    up(5)
    x = get()
    return up
u = counter()
u(1)
u(2)
total = 0
def add_global(k):
    global total
    total += k
    return total
add_global(4)
add_global(5)
d = dict(a=1)
def mutate(target, *more, **kw):
    target["z"] = list(more)
    target.update(kw)
mutate(d, 1, 2, three=3)
e = [d, d]
mutate(e[0], 9)
q = sorted(e, key=lambda v: len(v))
w = [k for k in d]
z = {k: v for k, v in d.items()}
""",
    "generators": """\
def gen(n):
    acc = []
    for i in range(n):
        acc.append(i)
        got = yield acc
        if got:
            acc.append(got)
def use():
    g = gen(3)
    a = next(g)
    b = g.send("x")
    for c in g:
        last = c
    return a
use()
import asyncio
async def child(name, out):
    out.append(name)
    await asyncio.sleep(0)
    out.append(name + "2")
    return len(out)
async def parent():
    out = []
    t = [asyncio.create_task(child(n, out)) for n in "ab"]
    r = await asyncio.gather(*t)
    return r, out
x = asyncio.run(parent())
""",
    "exceptions": """\
class Boom(Exception):
    def __init__(self, code):
        super().__init__("boom", code)
        self.code = code
def f(n):
    if n == 0:
        raise Boom(3)
    try:
        f(n - 1)
    finally:
        m = n
def g():
    try:
        f(2)
    except Boom as error:
        c = error.code
    else:
        c = 0
    with open("/dev/null") as h:
        k = h.read()
    try:
        [][1]
    except IndexError:
        pass
    match {"a": [1, 2]}:
        case {"a": [p, *q]}:
            z = p
    return c
g()
import dataclasses, collections, enum
@dataclasses.dataclass
class P:
    x: int
    y: list = dataclasses.field(default_factory=list)
class S:
    __slots__ = ("a", "b")
    def __init__(self):
        self.a = 1
class Color(enum.Enum):
    RED = 1
N = collections.namedtuple("N", "u v")
p = P(1)
p.y.append(5)
p.x = 7
s = S()
s.b = p
s.a = [1]
del s.b
n = N(1, [2])
n.v.append(3)
col = Color.RED
dd = collections.defaultdict(list)
dd["k"].append(1)
dd["k"].append(2)
dq = collections.deque([1, 2], 3)
dq.append(4)
dq.rotate(1)
o = collections.OrderedDict(a=1)
o["b"] = 2
o.move_to_end("a")
ct = collections.Counter("abca")
ct["a"] += 1
st = {1, 2}
st.add(3)
st |= {9}
big = list(range(50))
big.insert(0, -1)
big.sort(reverse=True)
del big[5:10]
big[0:2] = [7, 7, 7]
""",
    "threads": """\
import threading
lock = threading.Lock()
shared = []
def worker(n):
    for i in range(5):
        mine = [n, i]
        with lock:
            size = i
    return mine
ts = [threading.Thread(target=worker, args=(n,), name="w%d" % n) for n in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
""",
    "handed over": """\
import threading
v = 0
def fill():
    for n in range(40):
        v = n
def run(target):
    t = threading.Thread(target=target, name="other"); t.start(); t.join()
def part(n):
    if n % 2: run(fill)
    v = n
    run(fill)
    v = n + 1
    return v
for k in range(6):
    v = k
    v = part(k + 1)
    run(fill)
""",
    "set by another": """\
import threading
total = 0
def add(by):
    global total
    total += by
for k in range(3):
    t = threading.Thread(target=add, args=(k + 1,), name="adder")
    t.start(); t.join()
    seen = total
""",
    "told twice": """\
v = 1
exec("v = 7")
v = 8
w = v
v = 2
def part(n):
    z = n
    if (y := z) and y > 1: z = 2
    del y
    return z
z = part(1)
y = 11
y = 12
""",
    "shared": """\
import functools, heapq, bisect, operator, random
class Node:
    __slots__ = ("value", "next")
    def __init__(self, value, next=None):
        self.value = value
        self.next = next
def reverse(node):
    before = None
    while node:
        node.next, before, node = before, node, node.next
    return before
head = Node(1, Node(2, Node(3)))
head = reverse(head)
def outer():
    n = 0
    seen = []
    def inner(k):
        nonlocal n
        n += k
        seen.append(n)
        if k:
            inner(k - 1)
        return n
    m = inner(3)
    k = [inner(0) for _ in range(2)]
    return m
outer()
heap = []
for k in (5, 1, 4):
    heapq.heappush(heap, k)
heapq.heappop(heap)
bisect.insort(heap, 2)
operator.setitem(heap, 0, 9)
f = heap.append
f(7)
list(map(heap.append, [1, 2]))
p = functools.partial(heap.insert, 0)
p(8)
setattr(head, "value", 5)
@functools.lru_cache(None)
def cached(n):
    heap.append(n)
    return n
cached(3)
cached(3)
grid = [[0] * 3 for _ in range(2)]
grid[1][2] = 5
i = 1
grid[i][i - 1] = 7
grid[-1][0] += 1
graph = {"a": []}
graph["a"].append("b")
key = "a"
graph[key].append("c")
graph.setdefault("z", []).append(4)
x = graph.pop("a")
graph["a"] = x
del graph["z"]
first, *rest = heap
first = rest = None
(lambda items: items.append(3))(heap)
""",
    "classes": """\
class Base:
    count = 0
    def __init__(self):
        self.items = []
        type(self).count += 1
    def __getattr__(self, name):
        self.items.append(name)
        return len(self.items)
    def __len__(self):
        return len(self.items)
class Below(Base):
    def __init__(self):
        super().__init__()
        self._size = 0
    @property
    def size(self):
        return self._size
    @size.setter
    def size(self, value):
        self.items.append(value)
        self._size = value
    def __iadd__(self, other):
        self.items.extend(other)
        return self
    def __setitem__(self, key, value):
        self.items.append((key, value))
    def __call__(self):
        self.items.clear()
        return self
b = Below()
b.size = 4
b.missing
b += [1, 2]
b[3] = 4
b()
b.items = b.items + [1]
b.__dict__["direct"] = 5
vars(b)["more"] = 6
class Items(list):
    def add(self, x):
        super().append(x)
        self.last = x
        return self
it = Items()
it.add(1).add(2)
it.append(3)
it[0] = 9
class Table(dict):
    def __missing__(self, key):
        self[key] = []
        return self[key]
t = Table()
t["a"].append(1)
y = t["b"]
class Meta(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.extra = args
        return made
class Made(metaclass=Meta):
    def __init__(self, x):
        self.x = x
m = Made([1])
m.extra[0].append(2)
class Inside:
    a = 1
    b = [a]
    b.append(2)
    for c in range(2):
        b.append(c)
    d: int = 5
class Named:
    it.last = 4
    found = {
        last: [x for x in range(last)]
        for last in range(2)
    }
""",
    "texts": """\
n = 1
exec("n = 5")
exec("n += 1\\nm = n\\n")
def f():
    x = [1]
    exec("x.append(2)")
    y = eval("len(x)")
    return x
z = f()
space = {}; exec("def g(q):\\n    q.append(1)\\n    return q", space); g = space["g"]; del space
w = g([0])
w = g(w)
""",
}
