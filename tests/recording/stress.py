"""Programs whose objects end while they are looked at: ``python -m tests.recording.stress``.

Threads that change over at each instruction, finalizers that show or bring back what ends, classes
with slots, generators that are closed by the garbage collector, chains whose end takes the
interpreter's trashcan. A recorder that follows an address of something that is gone crashes here.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.recording.compared import PARTS, environment

HOST = Path(__file__).with_name("host.py")

HEAD = """\
import ast, asyncio, collections, copy, dataclasses, functools, gc, itertools, json, sys, threading
import types, weakref
sys.setswitchinterval(1e-6)
kept = collections.deque(maxlen=30)
refs = []
class Node:
    def __init__(self, n, other=None):
        self.n = n; self.items = [n, other]; self.next = other
    def __del__(self):
        x = self
        y = [self, x.items]
        x.items.append(y)
class Plain:
    def __init__(self, n): self.n = [n]
class Slot:
    __slots__ = ("a", "b")
    def __init__(self, a, b=None): self.a = [a]; self.b = b
    def __del__(self):
        me = self
        me.b = [1]
class Quiet:
    __slots__ = ("a", "b", "__weakref__")
    def __init__(self, a, b=None): self.a = [a]; self.b = b
class Back:
    __slots__ = ("v", "n", "w")
    def __init__(self, v=None): self.v = [1]; self.n = 0; self.w = v
    def __del__(self):
        self.n += 1
        t = (self, [self.v])
        if self.n < 3: kept.append(self)
class Sub(list): __slots__ = ("x", "__dict__")
class Table(dict): pass
class Bag(set):
    def __del__(self):
        z = self
        z.add(1)
class Err(Exception): pass
@dataclasses.dataclass
class D:
    x: list = dataclasses.field(default_factory=list)
    y: object = None
@dataclasses.dataclass(slots=True)
class DS:
    x: list = dataclasses.field(default_factory=list)
    y: object = None
def gen(k, data=None):
    data = [k, data]
    def inner():
        nonlocal data
        data = data + [1]
    try:
        while True:
            inner()
            yield data
    finally:
        z = [data]
        z.append(k)
def closed(k):
    own = [k]
    for i in range(100):
        own.append(Plain(i)); yield own
async def co(i):
    a = [i]
    for j in range(3):
        await asyncio.sleep(0); a.append([j])
    return a
async def agen(i):
    a = [i]
    try:
        while True:
            a.append([i]); yield a
    finally:
        a.append(0)
async def main(n):
    for _ in range(n):
        await asyncio.gather(*(co(i) for i in range(5)))
        async for y in agen(1):
            if len(y) > 3: break
sh, shd, sho = [], {}, Node(0)
"""

STEPS = (
    "n = Node(i, o); n.next = Node(i, n); o = n",
    "s = Slot(i, o); s.b = Slot(s.a); o = s",
    "b = Back(o); b = None",
    "b = Back([o]); o = b; del b",
    "r = weakref.ref(Node(i)); refs.append(r)",
    "d = D([i], o); d.y = D([d]); o = d",
    "d = DS([i], o); o = d; o.y = [o]",
    "g = gen(i, o); next(g); next(g); o = g",
    "g = closed(i); next(g); next(g); g.close()",
    "g = [closed(i) for _ in range(3)]; [next(each) for each in g]; g = None",
    "t = [e for e in ast.walk(ast.parse('a = [1, 2, (3, b)]'))]",
    "gc.collect(0)",
    "gc.collect()",
    "o = None",
    "q = [o, i]; q.append(q)",
    "q = {i: [o], 'k': q}",
    "q = collections.OrderedDict(a=o, b=q); q.move_to_end('a')",
    "q = collections.deque([[o]]); q.append(q); q.popleft()",
    "q = Sub([o]); q.x = [q]; q.y = q",
    "q = Table(a=[o]); q.z = q",
    "q = Bag([i]); q = Bag([(i, Quiet(i))])",
    "q = Quiet(i, o); o = q",
    "u = [t for t in zip([[1], [2], [3]], [[o], [5], [6]])][-1]",
    "q = Err([o], i); q.more = [i]; q.__context__ = Err([q])",
    "q = ValueError([o])",
    "p = Plain(i); old = p.__dict__; p.__dict__ = {'n': [o]}; p.__dict__ = old; p = None",
    "p = Plain(i); old = p.__dict__; del p; old['z'] = [o]",
    "C = type('C', (), {'__slots__': ('a', 'b')}); c = C(); c.a = [o]; c = C = None",
    "f = lambda: o; f(); f = None",
    "q = copy.deepcopy([[i], {'a': [i]}])",
    'q = json.loads(\'{"a": [1, {"b": [2]}]}\')',
    "a, b = [i], [o]; a, b = b, a",
    "x = Plain(i); x.__class__ = Node; x.items = []; x = None",
    "h = functools.reduce(lambda h, j: [h], range(60)); h = None",
    "h = functools.reduce(lambda h, j: Quiet(j, h), range(200)); h = None",
    "l = list(range(5)); l[1:3] = [[o], [q]]; l.clear()",
    "exec('def ff():\\n z = [1]\\n return z\\nff()', {})",
    "q = frozenset([(i, i), Quiet(i)])",
    "weakref.finalize(Plain(i), kept.append, [i])",
    "sh.append([o]); sh[-1].append(i); sh[:-20] = []",
    "shd[i % 7] = [o, shd.get(i % 5)]",
    "sho.next = Node(i); sho.items = [sho.next]",
    "q = sys._getframe(); q = q.f_locals; q = None",
    "q = functools.partial(list, [o]); q = q()",
    "o = types.SimpleNamespace(a=[o])",
    "q = itertools.chain([[1]], [[o]]); u = next(q)",
    "refs[:] = [r for r in refs[-5:] if r() is not None]",
)

LINKS = ("[i, h]", "Quiet(i, h)", "Slot(i, h)", "(h, [i])", "{1: h}", "Err(h)", "D([i], h)")


def made(seed: int, *, is_deep: bool = False) -> str:
    """A program that ends with ``done``; ``is_deep``: with a chain that takes the trashcan."""
    some = random.Random(seed)
    steps = some.choices(STEPS, k=some.randint(4, 18))
    lines = ["def work(t):", "    o = q = None", f"    for i in range({some.choice((8, 16))}):"]
    lines += [f"        {step}" for step in steps]
    lines += ["        if i % 9 == 0: o = q = None", "h = None"]
    lines += [f"for i in range({60000 if is_deep else some.choice((50, 300, 1000))}):"]
    lines += [f"    h = {'Quiet(i, h)' if is_deep else some.choice(LINKS)}", "h = None"]
    lines += [
        f"ts = [threading.Thread(target=work, args=(i,)) for i in range({some.choice((2, 4))})]"
    ]
    lines += [
        "[t.start() for t in ts]",
        "asyncio.run(main(3))",
        "work(1)",
        "[t.join() for t in ts]",
    ]
    return HEAD + "\n".join(lines) + "\nprint('done')\n"


def outcome(python: str, text: str, *, has_debug: bool = False) -> str:
    """What went wrong as it was recorded; an empty text is well."""
    with tempfile.TemporaryDirectory() as folder:
        program, failures = Path(folder, "program.py"), Path(folder, "failures")
        program.write_text(text)
        Path(folder, "spool").mkdir()
        command = [python, "-X", "faulthandler", str(HOST), str(program), f"{folder}/spool"]
        done = subprocess.run(
            [*command, str(failures), *map(str, PARTS)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env=environment() | ({"PYTHONMALLOC": "debug"} if has_debug else {}),
        )
        if done.returncode == 0 and done.stdout == "done\n" and failures.read_text() == "[]":
            return ""
        return f"{done.returncode}: {done.stdout[-200:]}{done.stderr[-2000:]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--python", default=sys.executable)
    asked = parser.parse_args()
    os.environ.setdefault("TUIDBG_RECORDER", "compiled")
    if os.environ["TUIDBG_RECORDER"] == "compiled" and not environment()["COMPILED"]:
        parser.error("the compiled recorder was not built")
    bad = 0
    for seed in range(asked.seed, asked.seed + asked.count):
        if told := outcome(
            asked.python, made(seed, is_deep=seed % 50 == 0), has_debug=seed % 2 == 1
        ):
            bad += 1
            print(f"{seed}: {told}", flush=True)
    print(f"{asked.count} programs, {bad} went wrong")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
