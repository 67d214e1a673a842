"""Every kind of statement, on one line and on several, with and without decorators and comments."""
from __future__ import annotations

import functools
import contextlib
from os import (
    path,
    sep,
)

total: int = 0
pair: tuple[
    int,
    int,
]
pair = (
    1,
    2,
)
first, *rest = 1, 2, 3
first = second = total
total += 1; total += 2


def plain(a, b=(
    1
)):
    """A docstring."""
    global total
    total += a
    return a


def nothing(): pass


def one_line(a): return a


@functools.lru_cache(
    maxsize=None,
)
@functools.wraps(plain)
def decorated(
    a,
    *,
    b=plain(1),
):
    # a comment

    return (
        a
        + b
    )


class Empty: ...


@functools.total_ordering
class Box(
    Empty,
    metaclass=type,
):
    """A docstring."""

    size: int = 1
    other = [
        n
        for n in range(2)
        if n
    ]

    def __init__(self, value=2):
        self.value = value

    @property
    def double(self):
        return self.value * 2

    @staticmethod
    def make():
        return Box(
            3,
        )

    def __eq__(self, other): return self.value == other.value

    def __lt__(self, other):
        return (self.value
                < other.value)


box = Box.make()
box.double
box == Box(); box <= Box()
decorated(1); decorated(1); decorated(2)
nothing(); one_line(1)

if total > 100:
    pass
elif (total
      > 50):
    pass
elif plain(1):
    total += 1
else:
    pass

if total: total += 1
else: total -= 1

for n in range(2):
    if n:
        continue
    total += n
else:
    total += 1

for n in (
    1,
    2,
):
    if n == 2: break
    total += n
else:
    pass

while total < 0: pass
while True:
    total += 1
    if total > 3:
        break

for n in range(2): total += n

try:
    total += 1
except ValueError: pass
else:
    total += 1
finally:
    total += 1

try:
    raise KeyError(
        1,
    )
except (
    ValueError,
    KeyError,
) as error:
    total += 1
finally:
    total += 1

try:
    try:
        {}[1]
    finally:
        total += 1
except KeyError:
    total += 1

try:
    raise ExceptionGroup("group", [KeyError(1), ValueError(2)])
except* KeyError:
    total += 1
except* ValueError as group:
    total += 1

with contextlib.suppress(ValueError): total += 1
with (
    contextlib.suppress(ValueError),
    contextlib.nullcontext(
        1,
    ) as entered,
):
    total += entered
    raise ValueError
with contextlib.suppress(KeyError), \
        contextlib.nullcontext():
    total += 1

match [total, 1]:
    case [0, _]:
        pass
    case [n, 1] if plain(n):
        total += 1
    case _:
        pass

match box:
    case Box(
        value=1,
    ):
        pass
    case Box(value=v):
        total += v


def generator():
    found = yield 1
    yield (
        2
    )
    yield from (
        3,
        4,
    )
    try:
        yield 5
    finally:
        plain(1)
    return 6


for n in generator():
    total += n
waiting = generator()
next(waiting)
waiting.send(1)
waiting.close()
late = generator()
[next(late) for _ in range(5)]
try:
    late.throw(KeyError)
except KeyError: pass


async def asynchronous():
    async with contextlib.AsyncExitStack() as stack:
        await inner()
    async for n in ticks():
        plain(n)
    found = [n async for n in ticks()]
    return (
        await inner()
    )


async def inner():
    return 1


async def ticks():
    yield 1
    yield 2


try:
    asynchronous().send(None)
except StopIteration as ended:
    total += ended.value

shortest = lambda a: a
longer = lambda a: (
    a
    + 1
)
total += shortest(1) + longer(
    2,
)
total += sum(n for n in range(3))
total += len([
    (a, b)
    for a in range(2)
    for b in range(2)
    if a
])
mapping = {a: a for a in range(2)}
letters = {
    letter
    for letter in "ab"
}
text = f"{total} {plain(1) if False else 1}" if False else (
    f"{total}"
    f"{plain(1)}"
)
total = (total
         if total > 0
         else plain(1))
if (n := plain(2)) and (
    n > 1
    or plain(3)
):
    total += 1
assert total > 0, (
    "a message"
)
del first, \
    second
sorted(
    [3, 1],
    key=lambda a: (
        -a
    ),
)


def nested(depth):
    kept = 0

    def step():
        nonlocal kept
        kept += 1
        if depth:
            nested(depth - 1)

    step()
    return kept


nested(2)


def leaves():
    for n in range(3):
        try:
            if n == 1:
                continue
            if n == 2:
                return n
        finally:
            plain(n)


leaves()


def recursion(n): return n and recursion(n - 1)


recursion(3)
exec("total += 1")
"The end."
...
