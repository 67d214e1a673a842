"""Lines that the program does not come to any more: held against what Python really runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.support.marked import MarkedProgram
from tests.support.sessions import debugpy_session
from tuidbg.config.launch import TargetKind
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.sources.unreachable_lines import is_passed
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Status

STATEMENTS = dict(
    re.findall(
        r"^## (.*)\n((?:(?!## ).*\n)+)",
        """\
## one after the other
a = 1
b = 2
c = a; d = b

del a
## for
for n in range(2):
    a = n
    if n:
        b = n
else:
    c = 1
d = 2
## for on a line
for n in range(2): a = n
b = 1
## while
n = 2
while n:
    n -= 1
    continue
m = 1
## loops in each other
for n in 'ab':
    for m in 'cd':
        a = n
    b = m
c = 1
## if
a = 0
if a == 1:
    b = 1
elif a == 0:
    b = 2
    c = 3
else:
    b = 4
d = 5
## with
import contextlib
with contextlib.nullcontext() as a:
    b = 1
    c = 2
d = 3
## with two
import io
with (
    io.StringIO() as a,
    io.StringIO() as b,
):
    c = 1
d = 2
## try
try:
    a = 1
    a / 0
except ZeroDivisionError as e:
    b = 2
    c = 3
finally:
    d = 4
f = 5
## try and nothing
try:
    a = 1
except OSError:
    b = 1
else:
    c = 1
finally:
    d = 1
## function
def f(x):
    y = x
    return y

f(1)
a = f(2)
b = 3
## function on a line
def f(x): return x
f(1)
f(2)
## decorated
def d(f):
    return f

@d
@d
def f():
    return 1

f()
a = 1
## class
def d(c):
    return c

@d
class A:
    x = 1
    y = 2
    def m(self):
        return 1
    z = m(0)

A().m()
## plain class
class A:
    x = 1
    class B:
        y = 1
    z = 2
a = A()
## call over lines
def f(*x):
    return x

a = f(
    1,
    f(2),
)
b = 1
## condition over lines
a = 1
if (
    a
    and a == 1
):
    b = 1
c = 2
## comprehension
a = [
    n
    for n in 'abc'
    if n
]
b = {n for n in a}
c = 1
## lambda
f = lambda n: n
a = sorted([3, 1, 2], key=lambda n: -n)
f(1)
b = 1
## generator
def g():
    yield 1
    yield 2

for n in g():
    a = n
b = list(g())
## match
a = 2
match a:
    case 1:
        b = 1
    case 2 if a:
        b = 2
        c = 3
    case _:
        b = 3
d = 4
## main
import sys
def main():
    a = 1
    return a
if True:
    main()
    b = 1
    c = 2
""",
        re.MULTILINE,
    )
)
"""A script of each kind of statement, by its name."""


def events_of(text: str) -> list[tuple[int, list[int]]]:
    """Each line that Python runs, with those of all frames of the source, innermost first."""
    events = []

    def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != "script":
            return None
        if event == "line":
            lines, each = [], frame
            while each is not None and each.f_code.co_filename == "script":
                lines.append(each.f_lineno)
                each = each.f_back  # type: ignore[assignment]
            events.append((frame.f_lineno, lines))
        return trace

    code = compile(text, "script", "exec")
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        exec(code, {"__name__": "script"})
    finally:
        sys.settrace(before)
    return events


@pytest.mark.parametrize("name", STATEMENTS, ids=lambda name: name.replace(" ", "-"))
def test_no_line_is_refused_that_python_runs_afterwards(name: str) -> None:
    text = STATEMENTS[name]
    events = events_of(text)
    assert len(events) > 3
    for index, (_, at) in enumerate(events):
        for line, _ in events[index + 1 :]:
            assert not is_passed(text, line, at), f"line {line}, from {at}"


@pytest.mark.parametrize(
    ("name", "at", "passed"),
    [
        ("one after the other", 3, {1, 2, 3}),
        ("for", 4, set()),
        ("for", 7, {1, 2, 3, 4, 5, 6, 7}),
        ("while", 3, {1}),
        ("if", 5, {1, 2, 3, 4, 5}),
        ("with", 4, {1}),
        ("try", 5, {1, 2, 3, 5}),
        ("function", 5, {1, 4, 5}),
        ("class", 6, {1, 3, 6}),
        ("call over lines", 5, {1, 3}),
        ("match", 6, {1, 2, 3, 4, 5, 6}),
        ("main", 7, {1, 2, 5, 6, 7}),
    ],
)
def test_what_is_passed_is_known(name: str, at: int, passed: set[int]) -> None:
    text = STATEMENTS[name]
    lines = range(1, len(text.splitlines()) + 1)
    assert {line for line in lines if is_passed(text, line, [at])} == passed


def test_what_is_no_python_is_left_alone() -> None:
    assert not is_passed("int main() {\n", 1, [1])


PROGRAM = """\
    import sys
    def cost(size):
        return size * 2  #: function
    total = 0  #: begin
    for size in range(3):
        total += cost(size)  #: loop
    print(total)  #: end
    """


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("kind", [TargetKind.SCRIPT, TargetKind.MODULE])
async def test_the_program_does_not_run_off(kind: TargetKind, tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path, PROGRAM)
    target = program.path if kind is TargetKind.SCRIPT else "program"
    async with debugpy_session(tmp_path, target, kind=kind) as test:
        await test.start()
        session = test.session
        await session.execution.run_to(program.path, program["loop"], origin="tui")
        await test.settled(1)
        with pytest.raises(DebuggerError) as refused:
            await session.execution.run_to(program.path, program["begin"], origin="tui")
        assert str(refused.value) == (
            f"can't run to line {program['begin']}: the program does not come there any more: "
            "no function has it, and no loop that runs"
        )
        assert session.status is Status.PAUSED
        await session.execution.run_to(program.path, program["loop"], origin="tui")
        await test.settled(2)
        assert test.line == program["loop"]
        await session.execution.run_to(program.path, program["function"], origin="tui")
        await test.settled(3)
        assert test.line == program["function"]
        await session.execution.run_to(program.path, program["end"], origin="tui")
        await test.settled(4)
        with pytest.raises(DebuggerError, match="does not come there any more"):
            await session.execution.run_to(program.path, program["end"], origin="tui")
        await test.go(Resume.CONTINUE)
        assert test.ended
