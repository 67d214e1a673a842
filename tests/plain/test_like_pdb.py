"""The commands of pdb, given to pdb and to the line mode: the same stops, the same values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plain.piped import by_lines, by_pdb, stop_in

pytestmark = [pytest.mark.real, pytest.mark.full]

PROGRAM = """\
def area(width, height=2):
    size = width * height
    return size


class Box:
    def __init__(self, side):
        self.side = side

    def grow(self, by):
        self.side += by
        total = area(self.side)
        return total


box = Box(3)
sizes = []
for number in range(3):
    sizes.append(box.grow(number))
print("sizes", sizes)
data = {"a": 1, "b": [1, 2, 3]}
print("done")
"""

# What is compared of an answer: the stop it names ("stop"), its text ("text"), or nothing;
# a "line" belongs to the command before it.
SCRIPTS: dict[str, list[tuple[str, str]]] = {
    "values, frames and source": [
        ("b 12", ""),
        ("c", "stop"),
        ("p by", "text"),
        ("p self.side + 1", "text"),
        ("by", "text"),
        ("!by * 2", "text"),
        ("p nothing", "text"),
        ("p None", "text"),
        ("whatis by", "text"),
        ("whatis self.side", "text"),
        ("pp {'b': [1, 2]}", "text"),
        ("l", "text"),
        ("l", "text"),
        ("l 1, 3", "text"),
        ("l 6, 2", "text"),
        ("ll", "text"),
        ("source area", "text"),
        ("u", "stop"),
        ("p number", "text"),
        ("d", "stop"),
        ("d", "text"),
        ("by = 40 ;; p by", "text"),
        ("p by", "text"),
        ("n", "stop"),
        ("p total", "text"),
        ("", "text"),
    ],
    "where a function begins, once": [
        ("tbreak area", ""),
        ("c", "stop"),
        ("a", "text"),
        ("p width", "text"),
        ("b 20", ""),
        ("continue", "stop"),
        ("p sizes", "text"),
        ("next", "stop"),
    ],
    "conditions, counts and switches": [
        ("b 11, by == 1", ""),
        ("c", "stop"),
        ("p by", "text"),
        ("condition 1", "text"),
        ("b 2", ""),
        ("disable 1", ""),
        ("ignore 2 1", ""),
        ("c", "stop"),
        ("p width", "text"),
        ("cl 2", ""),
        ("enable 1", ""),
        ("tbreak 22", ""),
        ("c", "stop"),
        ("p sizes", "text"),
    ],
    "until, jump and commands": [
        ("b 19", ""),
        ("c", "stop"),
        ("cl 1", ""),
        ("unt", "stop"),
        ("p sizes", "text"),
        ("j 17", "stop"),
        ("b 13", ""),
        ("commands 2", ""),
        ("p total", "line"),
        ("end", "line"),
        ("display number", "text"),
        ("c", "stop"),
        ("unt 21", ""),
    ],
}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return file


@pytest.mark.parametrize("name", SCRIPTS, ids=lambda name: name.replace(" ", "-"))
def test_both_stop_at_the_same_lines_and_say_the_same(
    tmp_path: Path, program: Path, name: str
) -> None:
    script = SCRIPTS[name]
    commands = [command for command, _ in script] + ["q"]
    pdbs = by_pdb(tmp_path, program, commands)
    if "in do_break" in pdbs.error:
        pytest.skip("this Python's pdb dies of a breakpoint at a function (3.13.0)")
    ours = by_lines(tmp_path, program, commands)
    place = 0
    answered = [(command, compared) for command, compared in script if compared != "line"]
    for index, (command, compared) in enumerate(answered):
        mine, theirs = ours.answer(index), pdbs.answer(index)
        what = f"{command!r}: {mine!r} / {theirs!r}\n{ours.text}"
        if compared == "stop":
            assert stop_in(mine) == stop_in(theirs), what
            place += 1
        elif compared == "text":
            assert mine == theirs, what
    assert place > 1
    assert ours.status == 0
