"""Values behind the lines: those of this call, of what was fetched anyway, and few bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.recording import PROGRAMS
from tests.support.screens import Debugger, counting, debugger, repaints, shown_rows
from tests.tui.real_bench import real_debugger
from tuidbg.session.model.state import ValueProblem, Variable, VariableKind
from tuidbg.tui.panes.source.inline_values import LatestValues, lines_of_call, note_of, values_of
from tuidbg.tui.panes.source.names import Name, find_names
from tuidbg.tui.toolkit.text.highlight import preload

NESTED = """\
import os
TOTAL = 1
def outer(a):
    b = a
    def inner(c):
        d = c
        return d
    class Local:
        e = 1

    if b:
        f = inner(b)
    return f
for g in range(3):
    outer(g)
"""


@pytest.mark.parametrize(
    ("function", "current", "lines"),
    [
        ("outer", 4, [3, 4]),
        ("outer", 12, [3, 4, 11, 12]),
        ("Thing.outer", 13, [3, 4, 11, 12, 13]),
        ("inner", 7, [5, 6, 7]),
        ("Local", 9, [8, 9]),
        ("outer", 3, [3]),
        ("<module>", 15, [1, 2, 14, 15]),
        ("<module>", 3, [1, 2, 3]),
        ("<lambda>", 12, [12]),
        ("elsewhere", 12, [12]),
        ("outer", 99, []),
    ],
)
def test_the_lines_of_a_call(function: str, current: int, lines: list[int]) -> None:
    assert lines_of_call(NESTED.splitlines(), function, current) == lines


def test_which_values_are_worth_showing() -> None:
    long = "x" * 100
    found = values_of(
        [
            Variable(name="a", value="1", type="int"),
            Variable(name="long", value=long),
            Variable(name="lines", value="1\n\x1b[31m[b]2"),
            Variable(name="slow", value="<slow>", problem=ValueProblem.SLOW),
            Variable(name="f", value="<function f at 0x7f12>", kind=VariableKind.CALLABLE),
            Variable(name="m", value="<module 'os'>"),
            Variable(name="o", value="<__main__.Thing object at 0x7f12ab>"),
            Variable(name="__name__", value="'x'", kind=VariableKind.SPECIAL),
        ]
    )
    assert found == {"a": "1", "long": "x" * 39 + "…", "lines": "1␊␛[31m[b]2"}
    names = [Name(0, 1, "a"), Name(2, 3, "a"), Name(4, 5, "other"), Name(6, 7, "lines")]
    assert note_of(names, found) == "a = 1  lines = 1␊␛[31m[b]2"


LOOP = """\
def add(prices, rate):
    total = 0
    for price in prices:
        tax = price * rate
        total += price + tax
    return total
"""


@pytest.mark.parametrize(
    ("current", "notes"),
    [
        (3, {1: "rate", 2: "total", 3: "price prices"}),
        (4, {2: "total", 3: "prices", 4: "tax price rate"}),
        (5, {3: "prices", 4: "rate", 5: "total price tax"}),
    ],
)
def test_each_name_is_shown_once_where_it_stands_for_the_last_time(
    current: int, notes: dict[int, str]
) -> None:
    preload()
    lines = LOOP.splitlines()
    values = dict.fromkeys(("prices", "rate", "total", "price", "tax"), "1")
    latest = LatestValues(
        lines_of_call(lines, "add", current), lambda line: find_names(lines[line - 1], ()), values
    )
    found = {line: latest.note(line) for line in (2, 6, 3, 1, 5, 4, 2)}
    assert {line: note.replace(" = 1", "").replace("  ", " ") for line, note in found.items()} == {
        line: notes.get(line, "") for line in found
    }


def row(bench: Debugger, line: int) -> str:
    source = bench.screen.source
    return shown_rows(source)[line - 1 - source.scroll_offset.y]


def line_of(text: str) -> int:
    lines = (PROGRAMS / "parcels.py").read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


async def in_stamp(bench: Debugger) -> None:
    """To the middle of the loop in ``stamp``."""
    line = line_of("parcel.stamps.append")
    await bench.session.breakpoints.set(bench.session.plan.target, line, origin="tui")
    await bench.go("c")


@pytest.mark.full
@pytest.mark.real
async def test_they_stand_behind_the_lines_of_the_call(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await in_stamp(bench)
        assert row(bench, line_of("value = min")).endswith("   price = 1  paid = 0")
        current = row(bench, line_of("parcel.stamps.append"))
        assert "append(value)   parcel = Parcel('postcard', 'letter', 1)  " in current
        assert row(bench, line_of("paid += value")).endswith("paid += value"), "not run yet"
        assert "total = 0" in row(bench, line_of("total = 0"))
        assert row(bench, line_of("total = 0")).endswith("total = 0"), "of another function"
        await bench.press_and_wait("3", "down", "enter")
        assert row(bench, line_of("while paid <")).endswith("price:")
        assert row(bench, line_of("total = 0")).endswith("   total = 0")
        await bench.press_and_wait("1", "V")
        assert row(bench, line_of("total = 0")).endswith("    total = 0")
        assert "not shown" in bench.status
        await bench.press_and_wait("V")
        assert "   total = 0" in row(bench, line_of("total = 0"))


@pytest.mark.real
async def test_nothing_more_is_asked_for_them(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await in_stamp(bench)
        requests = [m for m in bench.under_test.messages() if m.sent]
        names = {m.message.get("command") for m in requests}
        assert "evaluate" not in names


@pytest.mark.real
async def test_a_step_repaints_only_what_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.go("n")
        await bench.go("n")
        with repaints(bench.screen.source, monkeypatch) as regions:
            await bench.go("n")
        assert {region.y for region in regions} == {2, 3}
        assert all(region.height == 1 for region in regions)


LEDGER = """\
def settle(entries, limit):
    count = 0
    total = 0
    low = None
    high = None
    first = entries[0]
    last = entries[-1]
    names = []
    for entry in entries:
        count += 1
        amount = entry * 2
        if amount > limit:
            amount = limit
        total += amount
        low = min(low or amount, amount)
        high = max(high or amount, amount)
        names.append(str(entry))
    mean = total / count
    spread = high - low
    joined = ", ".join(names)
    shares = [entry / total for entry in entries]
    most = max(shares)
    report = f"{joined}: {mean}"
    ends = first, last
    return report, spread, most, ends

settle([3, 5], 8)  #: here
"""


@pytest.mark.full
@pytest.mark.real
async def test_a_step_through_a_function_changes_few_rows(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, LEDGER, size=(140, 60)) as bench:
        await bench.go("s")
        changed: list[int] = []
        before = shown_rows(bench.screen.source)
        for _ in range(40):
            await bench.go("n")
            frames = bench.session.frames
            if not frames or frames[0].name != "settle":
                break
            place, after = frames[0].place, shown_rows(bench.screen.source)
            assert place is not None
            changed.append(sum(old != new for old, new in zip(before, after, strict=True)))
            before = after
        assert len(changed) >= 30
        assert max(changed) <= 5, changed
        assert sum(changed) <= 3.5 * len(changed), changed


@pytest.mark.real
@pytest.mark.parametrize("size", [(60, 15), (80, 24), (140, 40)])
async def test_they_are_cut_to_the_width(size: tuple[int, int], tmp_path: Path) -> None:
    async with debugger(tmp_path, size=size) as bench:
        await in_stamp(bench)
        shown = row(bench, line_of("value = min"))
        assert len(shown) <= bench.screen.source.size.width
        await bench.press_and_wait("right")
        assert bench.screen.source.size.width >= len(row(bench, line_of("value = min")))


@pytest.mark.real
async def test_they_go_when_the_program_ends(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await in_stamp(bench)
        await bench.press("b")
        await bench.go("c")
        await bench.settled()
        assert row(bench, line_of("while paid <")).endswith("price:")
