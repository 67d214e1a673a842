"""Passes a line 100,000 times, raises 20,000 exceptions, and says how long each took."""

import time


def passes(count: int) -> int:
    total = 0
    for i in range(count):
        total += i  # BREAK
    return total


def raises(count: int) -> int:
    caught = 0
    for _ in range(count):
        try:
            raise KeyError
        except KeyError:
            caught += 1
    return caught


def timed(name: str, work: object, count: int) -> None:
    begun = time.perf_counter()
    work(count)  # type: ignore[operator]
    print(f"TOOK {name} {(time.perf_counter() - begun) * 1000:.1f}", flush=True)


timed("passes", passes, 100_000)
timed("raises", raises, 20_000)
