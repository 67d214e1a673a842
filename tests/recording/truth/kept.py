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
}
"""By what was missed."""
