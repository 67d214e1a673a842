"""Does one kind of work that a debugger slows down, and says how long it took.

``full_speed.py KIND COUNT [FOLDER]``; with a folder the modules in it are imported or called. Where
a stop comes before the work or behind it, the work alone is timed.
"""

import importlib
import sys
import time
import types


def loop(count: int) -> int:
    total = 0
    for i in range(count):
        total += i
    ended.append(time.perf_counter())
    return total  # BEHIND


def passes(count: int) -> int:
    total = 0
    for i in range(count):
        total += i  # BREAK
    return total


def called(number: int) -> int:
    return number + 1


def lines(count: int) -> int:
    begun.append(time.perf_counter())
    total = 0
    for _ in range(count):
        total = called(total)
    ended.append(time.perf_counter())
    return total


def raises(count: int) -> int:
    caught = 0
    for _ in range(count):
        try:
            raise KeyError
        except KeyError:
            caught += 1
    return caught


def modules() -> list[types.ModuleType]:
    return [importlib.import_module(f"module_{number}") for number in range(number_of_modules)]


def imports(count: int) -> int:
    return len(modules())


def calls(count: int) -> int:
    found = modules() if count else []
    begun.append(time.perf_counter())
    return sum(found[i % len(found)].work(1) for i in range(count))


kind, count = sys.argv[1], int(sys.argv[2])
number_of_modules = 0
if len(sys.argv) > 3:
    sys.path.insert(0, sys.argv[3])
    number_of_modules = int(sys.argv[4])
work = globals()[kind]
begun, ended = [time.perf_counter()], [0.0]
work(count)  # CALL
took = (ended[-1] or time.perf_counter()) - begun[-1]
print(f"TOOK {took * 1000:.3f}", flush=True)
