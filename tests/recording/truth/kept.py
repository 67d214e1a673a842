"""Small programs of which something was recorded wrongly once; each runs behind the prelude."""

from __future__ import annotations

KEPT = {
    "items behind what a call returns": """\
def f():
    for up(1)[0] in [(1, [1]), 2]: pass
    up(3)
try:
    for up(1)[0] in [(1, [1]), 2]: pass
    f()
except Exception as error: pass
v = up(4)
""",
    "a comprehension changes what a call returns": """\
def part0(v):
    w = {x: up(1).append(x) for x in range(2)}
    up(1).append((v, [1]))
w = part0(0)
""",
    "slots at one address": """\
def part0(v):
    for i in range(3):
        row = [i]
        row.append(Slotted(v))
w = part0(7)
""",
    "default dicts before calls": """\
def part0(v):
    w = same(F['f']).append(1)
    same(F[v])
    w = F['f'] and same(F['g'])
part0(1)
same(F['zz'])
""",
    "an address of what functions shared": """\
def part0(v):
    global up
    up = closure([[v]])
    for i in range(3):
        row = [i]
        row = None
w = part0(N)
""",
    "attributes of classes": """\
def part1(v, l):
    pass
w = part1(-1, Plain.get(1))
def part2(v, l):
    pass
w = part2(N, Plain.get(1))
""",
    "a chain of slots": """\
def part1():
    chain = None
    for i in range(4): chain = Slotted([i], chain)
    pass
part1()
""",
    "the dict of an object": """\
def part0(v, d, o):
    D['k'] = [v]
    d |= {1.0: [v]}
    return v
part0(3, vars(O), O)
""",
    "many ways": """\
gen = walk(L)
next(gen)
def use(gen, l):
    l.append(9)
    w = next(gen)
    l[0] = 7
    return w
use(gen, L)
import queue
q = queue.Queue()
q.put([1])
w = q.get()
w.append(2)
q.put(w)
w = None
w = q.get()
w.append(3)
import json, copy
w = copy.deepcopy(D)
w['k'].append(1)
w = copy.copy(w)
w['k'].append(2)
w = sorted([[3], [1]])
w[0].append(5)
w = dict(zip("ab", ([1], [2])))
w['a'].append(3)
w = None
cb = functools.partial(L.append, 5)
cb()
w = list(map(lambda x: L.append(x), [1, 2]))
w = operator.attrgetter('items')(O)
w.append(3)
O.items += [4]
O.x += 1
D['k'] += [5]
D['k'][0] += 1
(a, b), c = [L, M], D
a.append(1)
w = [x.append(1) for x in (L, M)]
with open("/dev/null","w") as f: w = f.write(str(L.append(2)))
for i, w in enumerate(L): L[i] = i
for k, w in D.items(): D[k] = w
w = {k: L.append(k) for k in D}
try: L.foo
except AttributeError: L.append(1)
L.append(1) if L else None
w = L and L.append(2)
def dflt(x, acc=[]):
    acc.append(x)
    return acc
dflt(1)
w = dflt(2)
w.append(3)
dflt(4)
class Acc:
    total = []
    def add(self, x):
        self.total.append(x)
        Acc.total.append(x)
        return self.total
acc = Acc()
acc.add(1)
w = acc.add(2)
w = acc.total
acc.add(3)
type(acc).total.append(5)
v = 1
v = 2
""",
    "assignments to what goes": """\
def part(l, o):
    l[:], l = [1], [[2]]
    o.x, o = 1, O
    return l
part(L, P)
""",
    "what tasks share": """\
def part(v, l):
    w = asyncio.run(both(Plain.shared, [v]))
part(1, S.a)
asyncio.run(both(L, [2]))
""",
    "what many have held": """\
l, o = L, O
def part(v, l):
    vars(P).update(y=l)
    try:
        bucket('k').append(L)
        [][1]
    except IndexError as e:
        e.more = Pair(v, l)
        kept = e
    functools.partial(O.items.insert, 0)(array.array('i', [1]))
part(1, L)
def part2(v, l):
    list(map(L.append, [O, Plain(v)]))
part2(3, I.add(1))
""",
    "an OrderedDict has an order of its own": """\
R[True] = None
R[(1, 2)] = 3
R[Pair(1, 2)] = 4
R.move_to_end('a')
R.move_to_end(True, last=False)
""",
    "an equal tuple in the place of another": """\
def part(v):
    O.x = (v, 1)
part(3)
def part2(v, l):
    same(O).x = (v, 1)
part2(3, F['f'])
""",
    "items of bytes, arrays and memoryviews": """\
def part(b, a, m):
    b[3:4] = b"xyz"
    b[-1] += 1
    b *= 2
    a.append(7)
    a[0] = -a[0]
    a[:1] = array.array("q", range(20))
    m[0] = 1
    V[1] = 2
    m[2:4] = b"ab"
    struct.pack_into("H", V, 0, 258)
    list(map(m.__setitem__, (4, 5), (6, 7)))
    w = m[3:]
    w[0] = 9
    x = m.cast("H")
    x[2] = 515
    f = b.extend
    f(b"q")
    return fill(same(b), 5)
part(B, A, W)
part(Y.put(3), A, memoryview(V))
d = array.array("d", [0.0, 1.5])
d[0] = -0.0
d[1] = float("nan")
d.append(2.5)
with memoryview(B) as m: m[0] = 7
z = bytearray(300)
z[250] = 1
z[7] = 1
z = None
t = Text("abc")
t.more = [1]
t = Number(8)
""",
    "what was changed before a thread began": """\
def part(v, l):
    up(1).append(Pair(v, l))
part(True, M)
thread(up, 1.0)
""",
    "what a thread changes while a call waits": """\
def part(l):
    thread(Plain.get(1).append, True)
    pass
part(Plain.shared)
""",
    "a memoryview that goes as it is changed": """\
def part():
    w = memoryview(V).cast('H')
    w = fill(W, 3)
part()
""",
    "the dict of an object in place": """\
def part(d, o):
    d |= {1.0: 2}
    o.x = 3
    d["x"] = 4
    vars(o).update(y=5)
    del o.y
    return d
part(vars(P), P)
part(O.__dict__, O)
""",
    "a list of an object whose dict is passed on twice": """\
def part(d, o):
    pass
O.put(1)
O.items.pop()
part(O.__dict__, O)
part(O.__dict__, P)
""",
    "a large number that is one more": """\
N = 10 ** 400
N += 1
""",
}
"""By what was missed."""
