"""Frames that the debugger leaves out of the stack: the line mode says so, and shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plain.piped import Transcript, by_lines

pytestmark = [pytest.mark.real, pytest.mark.full]

LIBRARY = """\
def call(function):
    return inner(function)
def inner(function):
    return function()
def fail():
    raise ValueError("by the library")
def call_once(function):
    return function()
"""

PROGRAM = """\
import lib
def mine():
    x = 1
    return lib.fail()
def other():
    return lib.call_once(mine)
lib.call(other)
"""


@pytest.fixture(autouse=True)
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library in a folder called ``site-packages``."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "lib.py").write_text(LIBRARY, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))


def run(folder: Path, *commands: str) -> Transcript:
    program = folder / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    return by_lines(folder, program, [*commands, "q"])


def told(answer: str) -> list[str]:
    """The lines of a stack, the folder cut off, without those of the source."""
    lines = [line for line in answer.splitlines() if not line.startswith("->")]
    return [line.split("/")[-1] if "/" in line else line for line in lines]


def test_where_says_what_is_left_out_in_its_place(tmp_path: Path) -> None:
    answers = run(tmp_path, "b 3", "c", "w")
    assert told(answers.answer(2)) == [
        "program.py(7)<module>()",
        "  2 frames of libraries; `w all` shows them",
        "program.py(6)other()",
        "  1 frame of a library; `w all` shows it",
        "program.py(3)mine()",
    ]


def test_what_is_above_the_newest_frame_comes_last(tmp_path: Path) -> None:
    """A library has raised an exception: the program stands in the frame that has called it."""
    answers = run(tmp_path, "c", "w")
    stack = told(answers.answer(1))
    assert stack[-2:] == ["program.py(4)mine()", "  1 frame of a library; `w all` shows it"]


def test_where_all_shows_them(tmp_path: Path) -> None:
    answers = run(tmp_path, "b 3", "c", "u", "w all", "w none")
    assert told(answers.answer(3)) == [
        "program.py(7)<module>()",
        "lib.py(2)call()",
        "lib.py(4)inner()",
        "program.py(6)other()",
        "lib.py(8)call_once()",
        "program.py(3)mine()",
    ]
    marked = [line for line in answers.answer(3).splitlines() if line.startswith("> ")]
    assert len(marked) == 1 and marked[0].endswith("program.py(6)other()")
    assert answers.answer(4) == "*** 'none' is no part of the stack; write `w` or `w all`"
