"""Breakpoints in files that the program knows by other names: links to files and to folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.marked import MarkedProgram
from tests.support.sessions import debugpy_session
from tuidbg.session.core.execution import Resume

pytestmark = [pytest.mark.real, pytest.mark.full]

PART = """
def work(number):
    return number + 1  #: inside
"""

PROGRAM = """
import sys
sys.path[:0] = ["linked", "linked/../real"]
import part, other_name
part.work(1)
other_name.work(2)
sys.path.insert(0, "real")
del sys.modules["part"]
import part
part.work(3)
"""


async def test_the_file_is_the_same_by_each_of_its_names(tmp_path: Path) -> None:
    part = MarkedProgram(tmp_path, PART, "real/part.py")
    (tmp_path / "linked").symlink_to("real")
    (tmp_path / "real" / "other_name.py").symlink_to("part.py")
    program = MarkedProgram(tmp_path, PROGRAM)
    async with debugpy_session(tmp_path, program.file, stop_on_entry=False) as t:
        await t.session.breakpoints.set(part.path, part["inside"], origin="tui")
        await t.start()
        numbers = []
        while not t.ended:
            numbers.append((await t.locals())["number"].value)
            await t.go(Resume.CONTINUE)
        assert numbers == ["1", "2", "3"]
