"""``tuidbg open``: what can't be opened is one sentence, before anything is painted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.recording.made import Made, counted
from tests.support.command import TUIDBG, environment
from tuidbg.cli.arguments import UsageError
from tuidbg.cli.commands import open as open_command
from tuidbg.process.guardian import Guardian
from tuidbg.recording.file import write_recording
from tuidbg.recording.segment import RecordedProgram
from tuidbg.session.features.recording import opening as checking


def written(folder: Path) -> Path:
    path = folder / "run.tuidbg"
    write_recording(counted(30).timeline, path, RecordedProgram())
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


def spoiled_and_large(folder: Path) -> Path:
    path = folder / "lar\udcffge.tuidbg"
    made = counted(30_000, length=1000)
    write_recording(made.timeline, path, RecordedProgram())
    data = bytearray(path.read_bytes())
    assert len(data) > checking.SMALL
    data[len(data) // 2] ^= 255
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


def refusal(path: Path) -> str:
    with pytest.raises(UsageError) as refused:
        open_command.run_command([str(path)], Guardian.__new__(Guardian))
    return str(refused.value)


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
    sentence = refusal(path)
    assert sentence.startswith(f"open: {path} can't be opened: ")
    assert why in sentence
    assert "\n" not in sentence


@pytest.mark.full
@pytest.mark.real
def test_a_large_one_is_read_by_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = spoiled_and_large(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(checking, "check_file", lambda path: pytest.fail("It was read here."))
        sentence = refusal(path)
    assert sentence.startswith(f"open: {path} can't be opened: a part ")
    assert "\n" not in sentence
    for python in ("/bin/false", str(tmp_path / "none")):  # one that can't do it is no verdict
        monkeypatch.setattr(sys, "executable", python)
        assert refusal(path) == sentence
    whole = tmp_path / "whole.tuidbg"
    write_recording(counted(30_000, length=1000).timeline, whole, RecordedProgram())
    monkeypatch.undo()
    monkeypatch.setattr(checking, "check_file", lambda path: pytest.fail("It was read here."))
    checking.Check(whole).finish()


@pytest.mark.full
@pytest.mark.real
def test_the_command_says_so(tmp_path: Path) -> None:
    command = [*TUIDBG, "open", str(a_program(tmp_path))]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment(tmp_path), check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("tuidbg: open: ")


OBEYED = "\x1b]52;c;eA==\a\x9b2J\u202e"
"""What a terminal would obey: the clipboard written, the screen cleared, text turned around."""


@pytest.mark.real
def test_nothing_of_a_strangers_file_is_obeyed_by_the_terminal(tmp_path: Path) -> None:
    """Its command, its names, paths, keys and values; and its own name, where it is refused."""
    program = RecordedProgram(command=[f"run{OBEYED}"], python=OBEYED, at=1.5, ended=OBEYED)
    made = Made()
    main = made.call(f"main{OBEYED}", 10)
    table = made.object("d", f"dict{OBEYED}", [])
    made.change(table, made.key(OBEYED, "k"), OBEYED)
    made.change(main, made.key(f"name{OBEYED}"), [table])
    made.at(main, 11, b=["b", "bytes", OBEYED])
    made.at(main, 12)
    path = tmp_path / f"run{OBEYED}.tuidbg"
    write_recording(made.cut(), path, program)
    typed = "where\nlist\nlocals\np b\nback\nwhere\nq\n"
    for file, text in ((path, typed), (tmp_path / f"none{OBEYED}", "")):
        done = subprocess.run(
            [*TUIDBG, "open", "--plain", str(file)],
            input=text.encode(),
            capture_output=True,
            env=environment(tmp_path),
            cwd=tmp_path,
        )
        told = (done.stdout + done.stderr).decode()
        assert "\\x1b]52;c;eA==\\x07" in told, told
        assert not {"\x1b", "\a", "\x9b", "\u202e"} & set(told), told
