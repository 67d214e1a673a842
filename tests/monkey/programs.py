"""The kinds of programs that the monkey has debugged."""

from __future__ import annotations

from pathlib import Path

PLAIN = """\
total = 0
for number in range(200):
    total += number
    name = f"number {number}"
    if number % 50 == 0:
        print(name, total)
"""

ASYNCIO = """\
import asyncio

async def work(number):
    for step in range(20):
        await asyncio.sleep(0.01)
    return number

async def main():
    print(await asyncio.gather(*(work(n) for n in range(5))))

asyncio.run(main())
"""

THREADS = """\
import threading, time

def work(number):
    for step in range(200):
        total = number * step
        time.sleep(0.005)

threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

FORKS = """\
import os, time

for number in range(3):
    pid = os.fork()
    if pid == 0:
        for step in range(20):
            time.sleep(0.01)
        os._exit(number)
    print("child", pid)
    os.waitpid(pid, 0)
"""

READS = """\
import sys

while True:
    try:
        text = input("what? ")
    except EOFError:
        break
    print("got", len(text))
print(len(sys.stdin.read()))
"""

SECRET = """\
import getpass

for attempt in range(5):
    secret = getpass.getpass("secret: ")
    print("it has", len(secret))
"""

FLOOD = """\
import sys

number = 0
while True:
    number += 1
    print("line", number, "x" * (number % 300))
    if number % 7 == 0:
        print("\\x1b[31mred\\x1b[0m \\x1b[2Jclears \\x07", file=sys.stderr)
"""

CURSES = """\
import curses

def main(screen):
    curses.mousemask(curses.ALL_MOUSE_EVENTS)
    screen.timeout(50)
    count = 0
    while count < 10000:
        count += 1
        key = screen.getch()
        height, width = screen.getmaxyx()
        try:
            screen.addstr(count % height, 0, f"{count} {key}"[: width - 1])
        except curses.error:
            pass
        screen.refresh()

curses.wrapper(main)
"""

RAISES = """\
def deep(number):
    here = "x" * number
    if number > 20:
        raise ExceptionGroup("several", [ValueError("one\\ntwo"), KeyError(here)])
    deep(number + 1)

deep(0)
"""

SIGNAL = """\
import os, signal, time

number = 1
time.sleep(0.2)
os.kill(os.getpid(), signal.SIGSEGV)
"""

STUCK = """\
number = 1
print("in C from here on", flush=True)
sum(iter(int, 1))
"""

GENERATORS = """\
def numbers(limit):
    number = 0
    while number < limit:
        number += yield number

def doubled(limit):
    yield from (2 * number for number in map(int, range(limit)))

def nested(depth):
    if depth:
        yield from nested(depth - 1)
    yield depth

for round in range(300):
    walked = numbers(10)
    next(walked)
    total = walked.send(3) + sum(doubled(20)) + len(list(nested(30)))
"""

WIDE = """\
# \t\u4e2d\u6587\u5b57 \U0001f468\u200d\U0001f469\u200d\U0001f467 e\u0301 \u202eabc\u202c \ufeff
class \u00dcber:
\tdef __init__(self):
\t\tself.\u540d\u524d = "\u4e2d" * 50 + "\\t\\n\\x1b[31m\\0" + "\U0001f600" * 20

\u00fcber = \u00dcber()
long = "{long}"
nested = {{"a\\nb": [list(range(50)), {{"\\x1b": "\u200b"}}]}}
for number in range(100):
\tnested[str(number)] = nested["a\\nb"], \u00fcber
"""

BROKEN = """\
def broken(:
    return 1
"""

DEAF = """\
import signal, subprocess, time

for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
subprocess.Popen(["sh", "-c", "trap '' HUP TERM INT; while :; do sleep 1; done"])
while True:
    time.sleep(0.01)
"""

EXITS = """\
import atexit, sys, time

atexit.register(lambda: print("bye"))
print("no newline", end="")
sys.exit("a reason")
"""

KINDS: dict[str, str] = {
    "plain": PLAIN,
    "asyncio": ASYNCIO,
    "threads": THREADS,
    "forks": FORKS,
    "reads": READS,
    "secret": SECRET,
    "flood": FLOOD,
    "curses": CURSES,
    "raises": RAISES,
    "signal": SIGNAL,
    "stuck": STUCK,
    "generators": GENERATORS,
    "wide": WIDE.format(long="long " * 400),
    "broken": BROKEN,
    "empty": "",
    "deaf": DEAF,
    "exits": EXITS,
}
"""The sources by the names of their kinds."""


def write_program(kind: str, folder: Path) -> Path:
    """Write the program of this kind into ``folder``; its path."""
    path = folder / f"the_{kind}.py"  # not `signal.py`, which would hide Python's
    path.write_text(KINDS[kind], encoding="utf-8")
    return path
