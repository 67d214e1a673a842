"""Programs whose changes are easily missed, and those that are easily slow."""

TRAPS = {
    "a list that a call returns": """\
# alias returned by a function, mutated on the same line
TABLE = {'a': [], 'b': []}
def bucket(k):
    return TABLE[k]
def put(k, v):
    bucket(k).append(v)
    return v
put('a', 1)
put('a', 2)
n = len(TABLE['a'])
def show():
    t = TABLE
    return len(t['a'])
m = show()
put('b', 3)
done = 1
""",
    "a property that stores itself": """\
# cached_property
from functools import cached_property
class Cart:
    def __init__(self):
        self.items = [1, 2]
    @cached_property
    def total(self):
        return sum(self.items)
c = Cart()
t = c.total
x = 1
c.owner = 'me'
y = 2
""",
    "equal values of other types": """\
# tuples of equal values of other types
p = (1, 2)
p = (1.0, 2.0)
q = (True, 0)
q = (1, 0)
z = (0.0,)
z = (-0.0,)
a = [(1, 2), (3, 4)]
a[0] = (1.0, 2.0)
d = {'k': (1, 0)}
d['k'] = (True, False)
i = 1
i = 1.0
i = True
done = 1
""",
    "a global set through a dict or a module": """\
# globals() in a function
counter = 0
def bump():
    globals()['counter'] = 5
    return 1
import sys
def bump2():
    setattr(sys.modules[__name__], 'counter', 6)
    return 1
r = bump()
s = bump2()
def bump3():
    globals().update(counter=7)
    return 2
t = bump3()
u = counter
done = 1
""",
    "a value that becomes a class": """\
import sys
X = None
Y = None
Z = 4
U = [1]
class Old:
    pass
class New:
    pass
K = Old
def user():
    a = X
    return a
def indirect():
    globals()["X"] = New
    setattr(sys.modules[__name__], "Y", New)
    return 1
r = indirect()
def more():
    import sys
    sys.modules[__name__].__dict__["Z"] = len
    vars(sys.modules[__name__])["U"] = user
    globals()["K"] = New
    return 2
s = more()
t = user()
done = 1
""",
    "methods of collections passed on": """\
# mutators passed by name to harmless functions
xs = []
f = xs.append
list(map(f, [1, 2, 3]))
a = 1
any(map(f, [4, 5]))
b = 1
class O: pass
o = O()
list(map(setattr, [o, o], 'ab', (1, 2)))
c = 1
st = [1, 2, 3, 4]
g = st.pop
for x in iter(g, 2):
    y = x
d = 1
import heapq
h = [1, 3, 2, 5]
heapq.heapify(h)
out = list(map(heapq.heappop, [h, h]))
e = 1
def inner():
    loc = [3, 1, 2]
    f = loc.append
    s = sorted([4, 5], key=f)
    k = 1
    ext = loc.extend
    z = max(map(ext, ([1], [2])), key=str)
    return loc
r = inner()
done = 1
""",
    "a dict of a class": """\
class Registry:
    table = {}
    count = 0
    @classmethod
    def get(cls, k):
        return cls.table.setdefault(k, [])
    @classmethod
    def bump(cls):
        cls.count += 1
        return cls.count
def put(k, v):
    Registry.get(k).append(v)
    Registry.bump()
    Registry.count += 1
    return v
put('a', 1)
put('a', 2)
n = Registry.count
x = Registry.table['a']
put('a', 3)
y = 1
done = 1
""",
    "what a function or a property gives": """\
# a list reachable only through another function's result; a generator's and closure's own state
def make():
    store = []
    def get():
        return store
    def size():
        return len(store)
    return get, size
get, size = make()
def fill(v):
    get().append(v)
    return v
fill(1)
fill(2)
s = size()
box = [0]
def inc(i):
    box[0] = i
    return box[0]
total = sum(map(inc, range(3)))
class Inv:
    def __init__(self):
        self._d = {'a': []}
    @property
    def d(self):
        return self._d
INV = Inv()
def inv():
    return INV
def add(v):
    inv().d['a'].append(v)
    inv().last = v
    inv().d['b'] = v
    return v
add(5)
k = INV.d
add(6)
done = 1
""",
    "the last name of a changed value goes": """\
# lines that change a value whose name they replace
def total(cart):
    cart['sum'], cart = 10, None
    return 1
c = {'sum': 0}
total(c)
a = 1
def rot(node):
    while node:
        node[0] += 1; node = node[1]
    return 0
lst = [1, [2, [3, None]]]
rot(lst)
b = 1
def visit(q):
    while q:
        n = q.pop(); n['seen'] = True; n = None
    return 0
nodes = [{'id': 1}, {'id': 2}]
queue = list(nodes)
visit(queue)
d = 1
def walk(stack, k):
    for i in range(2): o = stack[i]; o['w'] = k; del o
    return k
walk(nodes, 3)
done = 1
""",
    "an identity used again": """\
class Cart:
    def __init__(self, total):
        self.total = total
def f(i):
    c = Cart(i)
    return c.total
for i in range(3):
    f(i)
cart = Cart(9)
rows = []
for i in range(4):
    row = [i]
    row.append(i * 2)
    rows.append(len(row))
last = row
done = 1
""",
}

SLOW = {
    "keys that are tuples": """\
def run(n):
    grid = {}
    for i in range(n):
        grid[i % 15, i // 15 % 15] = i
    return grid
run(3000)
""",
    "a chain of parents": """\
class N:
    def __init__(self, v, parent):
        self.v = v
        self.parent = parent
def run():
    n = None
    for i in range(240):
        n = N(i, n)
        for k in range(5):
            m = N(k, n)
    return n
run()
""",
    "a counter beside many lists": """\
import itertools
def run(n):
    rows = [[j for j in range(100)] for i in range(100)]
    ids = itertools.count()
    t = 0
    for i in range(n):
        t += next(ids)
        r = rows[i % 100]
        t += r[5]
    return t
run(1000)
""",
    "a linked list": """\
class Node:
    def __init__(self, v, n):
        self.v = v
        self.n = n
def run(n):
    head = None
    for i in range(n):
        head = Node(i, head)
    t = 0
    while head:
        t += head.v
        head = head.n
    return t
run(240)
""",
    "a matrix": """\
import random
def run(n):
    m = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            m[i][j] = random.random()
    return m
run(60)
""",
    "counters and queues": """\
from collections import Counter, defaultdict, deque
def run(n):
    c = Counter()
    dd = defaultdict(list)
    q = deque(maxlen=150)
    for i in range(n):
        c[i % 150] += 1
        dd[i % 150].append(i)
        q.append(i)
    return c
run(2000)
""",
    "a large self": """\
class Ent:
    def __init__(self, i):
        self.x = i
        self.y = i
    def step(self, w):
        self.x += 1
        w.log.append(self.x)
class World:
    def __init__(self, n):
        self.ents = [Ent(i) for i in range(n)]
        self.log = []
    def tick(self):
        for e in self.ents:
            e.step(self)
def run():
    w = World(150)
    for i in range(6):
        w.tick()
run()
""",
    "a list of dicts": """\
import random
def load(count):
    rng = random.Random(7)
    rows = []
    for i in range(count):
        amount = rng.random()
        rows.append({"order": i, "month": 3, "amount": amount, "returned": False})
    return rows
load(2000)
""",
}

CHAIN = """\
class Node:
    def __init__(self, value, rest=None):
        self.value = value
        self.rest = rest

def build(count):
    head = None
    for i in range(count):
        head = Node(i, head)
    return head

head = build(1100)
total = 0
node = head
while node is not None:
    total += node.value
    node = node.rest
print(total)
"""
"""Nested deeper than Python nests calls; each of its 1,100 passes is recorded, and its end."""
