"""``tuidbg open``: what can't be opened is one sentence, before anything is painted."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.recording.made import counted
from tests.support.command import TUIDBG, environment
from tuidbg.cli.commands import open as open_command
from tuidbg.cli.usage import UsageError
from tuidbg.process.guardian import Guardian
from tuidbg.recording.file import Program, write_recording


def written(folder: Path) -> Path:
    path = folder / "run.tuidbg"
    write_recording(counted(30).timeline, path, Program())
    return path


def missing(folder: Path) -> Path:
    return folder / "none.tuidbg"


def a_folder(folder: Path) -> Path:
    return folder


def empty(folder: Path) -> Path:
    path = folder / "empty.tuidbg"
    path.touch()
    return path


def a_program(folder: Path) -> Path:
    path = folder / "program.py"
    path.write_text("print('never')\n")
    return path


def cut(folder: Path) -> Path:
    path = written(folder)
    path.write_bytes(path.read_bytes()[:-40])
    return path


def newer(folder: Path) -> Path:
    path = written(folder)
    path.write_bytes(path.read_bytes().replace(b"recording 1", b"recording 9", 1))
    return path


def spoiled_inside(folder: Path) -> Path:
    path = written(folder)
    data = bytearray(path.read_bytes())
    data[200] ^= 255
    path.write_bytes(data)
    return path


def a_pipe(folder: Path) -> Path:
    path = folder / "pipe"
    os.mkfifo(path)
    return path


def spoiled(folder: Path) -> Path:
    path = written(folder)
    data = bytearray(path.read_bytes())
    data[-60:-40] = bytes(20)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (missing, "No such file"),
        (a_folder, "Is a directory"),
        (empty, "no recording of tuidbg"),
        (a_program, "no recording of tuidbg"),
        (cut, "its end is missing"),
        (newer, "written by a newer tuidbg"),
        (spoiled, "can't be"),
        (spoiled_inside, "a part "),
        (a_pipe, "it is no regular file"),
    ],
)
def test_what_is_no_whole_recording(tmp_path: Path, make: Callable[[Path], Path], why: str) -> None:
    path = make(tmp_path)
    with pytest.raises(UsageError) as refused:
        open_command.run_command([str(path)], Guardian.__new__(Guardian))
    sentence = str(refused.value)
    assert sentence.startswith(f"open: {path} can't be opened: ")
    assert why in sentence
    assert "\n" not in sentence


@pytest.mark.real
def test_the_command_says_so(tmp_path: Path) -> None:
    command = [*TUIDBG, "open", str(a_program(tmp_path))]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(tmp_path), check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("tuidbg: open: ")
