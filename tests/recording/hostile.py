"""Programs that notice when somebody asks their objects, keeps them, or comes in between."""

PROGRAMS = {
    "lies": """\
class Loud(type):
    def __eq__(cls, other): print("class eq"); return False
    def __hash__(cls): print("class hash"); return 1
    def __instancecheck__(cls, one): print("class instancecheck"); return True
    def __getattribute__(cls, name): print("class get", name); return super().__getattribute__(name)
class Shouter(metaclass=Loud):
    def __init__(self): object.__setattr__(self, "kept", [1])
    def __getattribute__(self, name): print("get", name); return object.__getattribute__(self, name)
    def __setattr__(self, name, value): print("set", name); object.__setattr__(self, name, value)
    def __eq__(self, other): print("eq"); raise ValueError
    def __hash__(self): print("hash"); return 7
    def __repr__(self): print("repr"); raise ValueError
    def __len__(self): print("len"); raise ValueError
    def __iter__(self): print("iter"); raise ValueError
    def __bool__(self): print("bool"); raise ValueError
    @property
    def __class__(self): print("class"); return int
    @property
    def lazy(self): print("lazy"); return 1
s = Shouter()
t = [s, (s, 1), {"a": s}]
t.append(s)
s.other = t
d = {s: 1}
d["x"] = s
class Hidden:
    __slots__ = ("__dict__", "a")
    @property
    def b(self): print("b"); return 1
h = Hidden()
h.a = s
h.c = 5
class NoDict:
    @property
    def __dict__(self): print("dict"); raise ValueError
n = NoDict()
n.x = [1]
n.x.append(2)
class Items(list):
    def __len__(self): print("len"); return 1
    def __iter__(self): print("iter"); return super().__iter__()
    def __getitem__(self, i): print("item"); return 5
    def __eq__(self, other): print("eq"); return True
i = Items([1, 2])
i.append(3)
class Table(dict):
    def items(self): print("items"); return ()
    def keys(self): print("keys"); return ()
    def values(self): print("values"); return ()
    def get(self, *a): print("get"); return 1
    def __getitem__(self, i): print("item"); return 5
    def __contains__(self, i): print("in"); return True
k = Table(a=1)
k["b"] = 2
n2 = type("Odd", (), {})()
n2.__dict__ = k
n2.z = 1
class Text(str):
    def __eq__(self, other): print("str eq"); return str.__eq__(self, other)
    def __hash__(self): print("str hash"); return str.__hash__(self)
x = Text("abc")
e = {x: x}
e[x] = 2
class Number(int):
    def __lt__(self, other): print("lt"); return True
    def __neg__(self): print("neg"); return 1
y = Number(5)
z = [y]
z[0] = Number(6)
class Descriptor:
    def __get__(self, one, kind): print("descriptor get"); return 1
    def __set__(self, one, value): print("descriptor set")
class Described:
    d = Descriptor()
q = Described()
q.d = 4
q.e = 5
class Changing: pass
c = Changing()
c.__class__ = Described
c.f = 1
class Prepared(dict):
    def get(self, *a): print("prepared get"); return dict.get(self, *a)
    def __iter__(self): print("prepared iter"); return dict.__iter__(self)
    def items(self): print("prepared items"); return dict.items(self)
    def __getitem__(self, name): print("prepared", name); return dict.__getitem__(self, name)
class Preparing(type):
    @classmethod
    def __prepare__(cls, *a): return Prepared()
class FromPrepared(metaclass=Preparing):
    a = [1]
    a.append(2)
    b = a
import types
m = types.ModuleType("m")
m.x = [s]
m.x.append(1)
""",
    "finalizers": """\
import gc, weakref
class Told:
    def __init__(self, name): self.name = name
    def __del__(self): print("del", self.name)
def f():
    a = Told("a"); del a; print("after a")
    b = Told("b")
    b = None
    print("after b")
    c = Told("c")
    w = weakref.ref(c, lambda r: print("gone"))
    print(w() is c)
    del c
    print(w())
    d = [Told("d")]
    d.append(Told("e"))
    d.pop(0); print("after pop")
    d.clear()
    print("after clear")
    g = {"x": Told("x")}
    g["x"] = 1; print("after x")
    h = Told("h")
    h.inner = Told("inner")
    h.inner = None; print("after inner")
    return Told("returned")
f()
print("after f")
r = f().name
print(r)
def g():
    try:
        raise ValueError(Told("raised"))
    except ValueError as error:
        kept = weakref.ref(error.args[0])
    print("kept", kept())
g()
def gen():
    t = Told("generator")
    try:
        yield 1
        yield 2
    finally:
        print("closed")
def use():
    for one in gen():
        break
    print("after break")
    it = gen()
    next(it)
    it = None
    print("after it")
use()
def cycle():
    a = Told("cycle")
    a.me = a
cycle()
print("collect", gc.collect() > 0)
class Made: pass
made = weakref.ref(type("Temporary", (), {}))
gc.collect()
print(made())
def local():
    class Inner:
        def __init__(self): self.x = []
    one = Inner()
    one.x.append(1)
    return weakref.ref(Inner)
inner = local()
gc.collect()
print(inner())
s = set(map(str, range(3)))
o = weakref.WeakValueDictionary()
v = Told("weak value")
o["k"] = v
v = 0; print(len(o))
at_end = Told("at the end")
""",
    "locals": """\
def f():
    a = 1
    names = locals()
    b = 2
    c = [3]
    print(sorted(names), len(locals()))
    exec("d = 5")
    e = 6
    print(eval("a + e"), sorted(vars()))
    return names
print(sorted(f()))
def g():
    exec("x = 1")
    y = [2]
    y.append(3)
    try:
        print(eval("x"))
    except NameError:
        print("no x")
g()
""",
    "large": """\
import sys, array, struct
many = list(range(10**6))
many.append(5)
many[5] = 6
table = dict.fromkeys(range(10**5))
table[7] = 1
huge = 10 ** 50000
big = [huge, -huge]
big[0] += 1
text = "x" * 10**7
text += "y"
raw = bytes(10**6)
odd = "\\ud800 \\x00 \\n \\U0001f600"
f = [float("nan"), float("inf"), 1e308, -0.0]
c = 1j
a = array.array("d", range(1000))
a[5] = 2.0
v = memoryview(raw)
r = range(10**30)
r2 = [range(10**400)]
deep = []
for _ in range(2000):
    deep = [deep]
deep.append(1)
loop = []
loop.append(loop)
loop.append({"me": loop})
print(len(many), many[5], len(text), big[0] == huge + 1)
while deep and isinstance(deep[0], list):
    deep = deep[0]
try:
    import numpy
except ImportError:
    print("no numpy")
else:
    n = numpy.arange(10**6)
    n[5] = 1
    n += 2
    print(n.sum())
""",
    "recursion": """\
import sys
print(sys.getrecursionlimit())
def f(n):
    m = [n]
    return f(n + 1)
for _ in range(3):
    try:
        f(0)
    except RecursionError as error:
        print(type(error), error.__traceback__ is not None)
def depth(n):
    return n if n == 0 else depth(n - 1)
print(depth(900))
def catching(n):
    try:
        return catching(n + 1)
    except RecursionError:
        return "caught"
print(catching(0))
after = 1
after += 1
print(after)
""",
    "signals": """\
import signal, threading, _thread
count = 0
def loop():
    global count
    items = []
    while True:
        items.append(1)
        count += 1
        if len(items) > 100:
            items.clear()
class TooLate(Exception):
    pass
for kind in (KeyboardInterrupt, TooLate, TimeoutError, ValueError) * 3:
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    def stop(number, frame):
        raise kind
    signal.signal(signal.SIGALRM, stop)
    try:
        loop()
    except kind:
        print("interrupted", count > 0)
seen = []
signal.signal(signal.SIGALRM, lambda *a: seen.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
n = 0
while len(seen) < 20:
    n += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print("done")
""",
    "exit": "import sys\nx = 1\nsys.exit(3)\n",
    "error": "def f(x):\n    y = x\n    raise ValueError(y)\nf(1)\n",
    "hard exit": "import os\nx = 1\nprint('out', flush=True)\nos._exit(4)\n",
    "fork": """\
import os, sys
x = [1]
child = os.fork()
if not child:
    x.append(2)
    for i in range(100):
        x.append(i)
    print("child", len(x), flush=True)
    sys.exit(5)
_, status = os.waitpid(child, 0)
x.append(3)
print("parent", os.waitstatus_to_exitcode(status), x)
""",
    "threads": """\
import threading, queue
jobs, done = queue.Queue(), []
def work():
    while True:
        job = jobs.get()
        if job is None:
            return
        done.append(job * 2)
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for i in range(200): jobs.put(i)
for t in threads: jobs.put(None)
for t in threads: t.join()
print(sum(done), len(done))
for i in range(50):
    t = threading.Thread(target=lambda: done.append(i))
    t.start()
    t.join()
print(len(done))
def forever():
    while True:
        x = 1
threading.Thread(target=forever, daemon=True).start()
print("end")
""",
    "tracers": """\
import sys
seen = []
M = sys.monitoring
M.use_tool_id(2, "mine")
M.register_callback(2, M.events.LINE, lambda code, line: seen.append((code.co_name, line)))
def f(n):
    x = n
    x += 1
    return x
M.set_local_events(2, f.__code__, M.events.LINE)
f(1)
f(2)
M.set_local_events(2, f.__code__, 0)
M.free_tool_id(2)
print(seen)
lines = []
def trace(frame, event, argument):
    if frame.f_code is f.__code__:
        lines.append((event, frame.f_lineno, argument, dict(frame.f_locals)))
        return trace
sys.settrace(trace)
f(3)
sys.settrace(None)
print(lines)
calls = []
sys.setprofile(lambda frame, event, argument: calls.append((event, frame.f_code.co_name)))
f(4)
sys.setprofile(None)
print(calls)
import sys as system
print(system._getframe().f_lineno)
""",
    "errors": """\
import asyncio, gc
def f():
    raise MemoryError
try:
    f()
except MemoryError as error:
    print(repr(error), error.__context__)
try:
    x = bytearray(10**15)
except (MemoryError, OverflowError) as error:
    print(type(error))
def g():
    try:
        yield 1
    except GeneratorExit:
        print("exit")
        raise
it = g()
next(it)
it.close()
it = g()
next(it)
del it
async def agen():
    try:
        yield 1
        yield 2
    finally:
        print("async closed")
async def main():
    async for one in agen():
        break
    gc.collect()
    await asyncio.sleep(0)
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(10)
    except TimeoutError:
        print("timeout")
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asyncio.sleep(0, i)) for i in range(3)]
    return [task.result() for task in tasks]
print(asyncio.run(main()))
try:
    raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
except* ValueError as group:
    print(group.exceptions)
except* KeyError:
    print("key")
try:
    try:
        1 / 0
    finally:
        y = [][0]
except IndexError as error:
    print(repr(error.__context__))
    import traceback
    print(traceback.format_exc())
""",
    "shutdown": """\
import atexit
class Told:
    def __del__(self): print("del")
atexit.register(lambda: print("atexit"))
kept = Told()
def f():
    x = 1
    print("f")
atexit.register(f)
for i in range(100):
    last = i
""",
}
