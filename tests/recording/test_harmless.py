"""A program does the same whether it is recorded or not, and nothing of its recording is lost."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.recording.compared import PARTS, read_spool
from tests.recording.hostile import PROGRAMS
from tests.recording.test_oracle import every_python
from tests.support.interpreters import SUPPORTED, Version
from tuidbg.recording.values import ValuesAt

pytestmark = pytest.mark.real

HOST = Path(__file__).with_name("host.py")


def run(version: Version, program: Path, *, is_recorded: bool) -> tuple[int, str, str]:
    folder = program.parent / "spool"
    command = [SUPPORTED[version], str(HOST), str(program), str(folder)]
    command += [str(program.parent / "failures"), *(map(str, PARTS) if is_recorded else ())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def record(version: Version, text: str, folder: Path) -> Path:
    """The program, run both ways with the same outcome; its folder has the recording."""
    program = folder / "program.py"
    program.write_text(text)
    (folder / "spool").mkdir()
    assert run(version, program, is_recorded=True) == run(version, program, is_recorded=False)
    return program


@every_python
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_the_same_while_it_is_recorded(
    version: Version, name: str, tmp_path: Path
) -> None:
    program = record(version, PROGRAMS[name], tmp_path)
    if name == "hard exit":
        return
    assert json.loads((program.parent / "failures").read_text()) == []
    timeline = read_spool(program.parent / "spool")
    last = timeline.last(0)
    assert last is not None
    if name in ("exit", "shutdown"):
        variables = {
            part.name: part.value
            for part in ValuesAt(timeline, timeline.now).variables(timeline.stack(last)[-1].owner)
        }
        assert variables["x" if name == "exit" else "last"] == (1 if name == "exit" else 99)
