"""Tests what is there again: after a restart, after a change of the source, in the next run."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.support.command import await_nothing_left, run_tuidbg
from tests.support.terminal import Terminal

pytestmark = [pytest.mark.real, pytest.mark.full]

WORK = """\
import other

def work(number):
    data = {"first": [1, 2, 3], "second": {"number": number}}
    total = other.add(number)
    return total, data

print("the work is", *work(4))
"""
WORKING = 6
"""The line of ``work`` where all of its variables are known."""

OTHER = "".join(f"y{number} = {number}\n" for number in range(80)) + (
    "def add(number):\n    return number + y1\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    (folder / "work.py").write_text(WORK, encoding="utf-8")
    (folder / "other.py").write_text(OTHER, encoding="utf-8")
    return folder


def layout_files(folder: Path) -> list[Path]:
    """Returns what was kept of screens."""
    return list((folder / "home" / "state").glob("**/layouts/*.json"))


def divider(terminal: Terminal) -> int:
    """The column where the panes of the side begin."""
    return terminal.find("2 Variables")[0]


def test_a_restart_keeps_everything(project: Path) -> None:
    """Breakpoints, watches, what is open, sizes, the pane with the keys, the console."""
    with run_tuidbg(project, "--no-stop-on-entry", "-b", str(WORKING), "work.py") as terminal:
        terminal.wait_for(f"work.py:{WORKING} work  breakpoint 1")
        terminal.key("w")
        terminal.send("number * 10\r")
        terminal.wait_for("number * 10 = 40")
        terminal.key("2")
        row = terminal.find("▸ data")[1]
        terminal.click(terminal.find("▸ data")[0], row)
        terminal.wait_for("▸ 'second': dict[1]")
        place = divider(terminal)
        terminal.key("2", ">", ">")
        terminal.wait_for(lambda text: divider(terminal) == place - 8)
        terminal.key(":")
        terminal.send("40 + 2000\r")
        terminal.wait_for("2040")
        terminal.key("1")
        terminal.wait_for("▌1 work.py")
        terminal.key("2", "R", "R")
        terminal.wait_for(" starting ")
        terminal.wait_for(f"work.py:{WORKING} work  breakpoint 1")
        terminal.wait_for("▸ 'second': dict[1]")
        terminal.wait_for("number * 10 = 40")
        assert "2040" in terminal.text
        assert divider(terminal) == place - 8
        assert "▌2 Variables" in terminal.text
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0


def test_the_next_run_looks_as_this_one_was_left(project: Path) -> None:
    """Sizes, what is open, and where one was in the files, for this project only."""
    options = ("--no-stop-on-entry", "-b", str(WORKING), "work.py")
    with run_tuidbg(project, *options) as terminal:
        terminal.wait_for(f"work.py:{WORKING} work  breakpoint 1")
        terminal.wait_for("▸ data")
        terminal.key("2", "down", "right")
        terminal.wait_for("▸ 'second': dict[1]")
        place = divider(terminal)
        terminal.key(">", ">", ">")
        terminal.wait_for(lambda text: divider(terminal) == place - 12)
        terminal.key("ctrl+o")
        terminal.send("other.py\r")
        terminal.wait_for("1 other.py")
        terminal.key("g")
        terminal.send("70\r")
        terminal.wait_for("70   y69 = 69")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
        await_nothing_left(terminal)
    assert len(layout_files(project)) == 1
    with run_tuidbg(project, *options) as terminal:
        terminal.wait_for(f"work.py:{WORKING} work  breakpoint 1")
        terminal.wait_for("▸ 'second': dict[1]")
        assert divider(terminal) == place - 12
        terminal.key("1", "backspace")
        terminal.wait_for("70   y69 = 69")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0


def test_the_file_left_is_shown_until_the_program_stops(project: Path) -> None:
    wait = "import time\nwhile True:\n    time.sleep(0.01)\n"
    (project / "wait.py").write_text(wait, encoding="utf-8")
    with run_tuidbg(project, "wait.py") as terminal:
        terminal.wait_for("wait.py:1 <module>  entry")
        terminal.key("ctrl+o")
        terminal.send("other.py\r")
        terminal.wait_for("y3 = 3")
        terminal.key("z")  # the source has the whole screen, also the next time
        terminal.wait_for(lambda text: "2 Variables" not in text)
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
    with run_tuidbg(project, "--no-stop-on-entry", "wait.py") as terminal:
        terminal.wait_for("y3 = 3")
        terminal.wait_for("running  wait.py")
        assert "2 Variables" not in terminal.text
        terminal.key("p")
        terminal.wait_for("time.sleep(0.01)")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0


def test_a_damaged_layout_is_told_and_forgotten(project: Path) -> None:
    with run_tuidbg(project, "work.py") as terminal:
        terminal.wait_for("work.py:1 <module>  entry")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
    (file,) = layout_files(project)
    file.write_text('{"sizes": 7')
    with run_tuidbg(project, "work.py") as terminal:
        terminal.wait_for("the layout of this project is damaged")
        terminal.wait_for("work.py:1 <module>")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
    assert "sizes" in json.loads(file.read_text())


def test_without_a_place_to_keep_it(project: Path) -> None:
    """Nothing is said and nothing is wrong: remembering is a comfort."""
    env = {"XDG_STATE_HOME": "/dev/null/state"}
    with run_tuidbg(project, "work.py", env=env) as terminal:
        terminal.wait_for("work.py:1 <module>  entry")
        assert "layout" not in terminal.text
        terminal.key(">", "ctrl+q")
        assert terminal.wait_exit(3) == 0
        assert "Traceback" not in terminal.text


def test_watch_restarts_at_a_change(project: Path) -> None:
    with run_tuidbg(project, "--watch", "-b", str(WORKING), "work.py") as terminal:
        terminal.wait_for("work.py:1 <module>  entry")
        terminal.wait_for("⟳")
        terminal.key("c")
        terminal.wait_for("total = 5")
        (project / "other.py").write_text(OTHER.replace("+ y1", "+ y50"), encoding="utf-8")
        terminal.wait_for("other.py changed: restarted; it stood at work.py:6")
        terminal.wait_for("work.py:1 <module>")
        terminal.key("c")
        terminal.wait_for("total = 54")
        (project / "other.py").write_text("def add(:\n", encoding="utf-8")
        terminal.wait_for("other.py has changed and does not compile")
        terminal.wait_for("total = 54")
        terminal.key("alt+r")
        terminal.wait_for("the program is left as it is")
        assert "⟳" not in terminal.text
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
        await_nothing_left(terminal)


def test_a_command_of_the_environment(project: Path) -> None:
    """``tuidbg -- flask ...`` is run by the environment's Python, with the person's own files."""
    (project / "shop.py").write_text(
        "from flask import Flask\napp = Flask(__name__)\n"
        "@app.cli.command()\ndef hello():\n    print('said', 'hello')\n",
        encoding="utf-8",
    )
    env = {"VIRTUAL_ENV": sys.prefix}
    command = ("--no-stop-on-entry", "-b", "shop.py:5", "--", "flask", "--app", "shop", "hello")
    with run_tuidbg(project, *command, env=env) as terminal:
        terminal.wait_for("shop.py:5 hello  breakpoint 1", timeout=20)
        terminal.key("c")
        terminal.wait_for("said hello")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0


def test_another_interpreter_is_named_with_its_reason(project: Path) -> None:
    bin_folder = project / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    (project / ".venv" / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).parent}\n")
    (bin_folder / "python").symlink_to(os.path.realpath(sys.executable))
    with run_tuidbg(project, "work.py") as terminal:
        terminal.wait_for("work.py:1 <module>  entry")
        terminal.wait_for("(the project's environment)")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0


def test_an_environment_whose_python_is_gone(project: Path) -> None:
    """One sentence before anything runs, and not another interpreter."""
    (project / ".venv" / "bin").mkdir(parents=True)
    (project / ".venv" / "pyvenv.cfg").write_text("home = /nowhere\n")
    (project / ".venv" / "bin" / "python").symlink_to("/nowhere/python3")
    with run_tuidbg(project, "work.py") as terminal:
        assert terminal.wait_exit(10) == 2
        assert "can't run the interpreter" in terminal.text


@pytest.mark.parametrize("size", [(140, 40), (60, 15)])
def test_watches_of_another_program_of_the_project_are_not_shown(
    project: Path, size: tuple[int, int]
) -> None:
    (project / "tool.py").write_text("order = 3\norder = 4\n", encoding="utf-8")
    options = ("--no-stop-on-entry", "-b", str(WORKING), "work.py")
    with run_tuidbg(project, *options) as terminal:
        terminal.wait_for(f"work.py:{WORKING} work  breakpoint 1")
        terminal.key("2", "w")
        terminal.send("total * 1000\r")
        terminal.wait_for("total * 1000 = 5000")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
    (file,) = project.parent.glob("**/*.watches.json")
    kept = json.loads(file.read_bytes())
    kept["watches"].append({"expression": "data['first']"})  # of before, when all had them all
    file.write_text(json.dumps(kept), encoding="utf-8")
    columns, rows = size
    with run_tuidbg(project, "tool.py", columns=columns, rows=rows) as terminal:
        terminal.wait_for("tool.py:1")
        terminal.key("n", "2")
        terminal.wait_for("order = 3")
        terminal.wait_for("data['first'] = not in this frame")
        assert "total" not in terminal.text and "Error" not in terminal.text
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
    with run_tuidbg(project, *options) as terminal:
        terminal.wait_for("total * 1000 = 5000")
        terminal.wait_for("data['first']: list[3]")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0


FULL_LINES = """\
import shutil
columns = shutil.get_terminal_size().columns
print(f"b{columns}".ljust(columns - 1, "=") + "e")
print("B" + "-" * (columns - 1) + "E")
"""


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
def test_a_line_as_wide_as_the_programs_terminal_takes_one_row(
    project: Path, size: tuple[int, int]
) -> None:
    (project / "full.py").write_text(FULL_LINES)
    columns, rows = size
    with run_tuidbg(project, "full.py", columns=columns, rows=rows) as terminal:
        terminal.wait_for(" paused ")
        terminal.settle(0.3)  # the panes have their places, and the program's terminal its width
        terminal.key("c", "5")
        longer = r"(B-+)[^-\n]*\n  E"  # one more than there is room for
        terminal.wait_for(lambda text: re.search(longer, text) is not None)
        line, other = re.search(r"b(\d+)=+e", terminal.text), re.search(longer, terminal.text)
        assert line is not None and other is not None, terminal.text
        assert len(line[0]) == len(other[1]) == int(line[1])
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
