"""The line mode on C: pdb's commands, and what is Python's alone says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plain.piped import by_lines, stop_in
from tests.support.native import PROGRAMS, compiled, needs_cc, needs_lldb

pytestmark = [pytest.mark.real, pytest.mark.full]


@needs_lldb
@needs_cc
def test_a_c_program_by_lines(tmp_path: Path) -> None:
    source = PROGRAMS / "totals.c"
    commands = [
        f"b {source}:6 if sum > 2 && b > 1",
        "c",
        "p sum + 1",
        "pp b",
        "whatis sum",
        "a",
        "locals",
        "w",
        "p nothing_of_that_name",
        "source add",
        "n",
        "tbreak add",
        "c",
        "q",
    ]
    told = by_lines(tmp_path, compiled("totals.c"), commands)
    assert stop_in(told.before) == (9, "main")
    assert told.answer(0) == f"Breakpoint 1 at {source}:6"
    assert stop_in(told.answer(1)) == (6, "add")
    assert [told.answer(index) for index in (2, 3, 4)] == ["4", "2", "int"]
    assert told.answer(5) == "*** here `locals` shows the arguments, among the others"
    assert told.answer(6).splitlines() == ["a = 1", "b = 2", "sum = 3"]
    assert "main" in told.answer(7)
    assert "nothing_of_that_name" in told.answer(8)
    assert told.answer(9) == "*** this debug adapter has no help on objects"
    assert stop_in(told.answer(12)) == (5, "add")
    assert told.status == 0
