"""A program does the same whether it is recorded or not, and nothing of its recording is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.recording.compared import PARTS, environment, read_spool
from tests.recording.hostile import PROGRAMS
from tests.recording.test_oracle import RECORDED
from tests.support.interpreters import SUPPORTED, Version, name_of
from tuidbg.recording.leaving.namespace import RECORDER, make_namespace
from tuidbg.recording.values import ValuesAt

pytestmark = pytest.mark.real

HOST = Path(__file__).with_name("host.py")


def run(version: Version, program: Path, *, is_recorded: bool) -> tuple[int, str, str]:
    folder = program.parent / "spool"
    command = [SUPPORTED[version], str(HOST), str(program), str(folder)]
    command += [str(program.parent / "failures"), *(map(str, PARTS) if is_recorded else ())]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env=environment()
    )
    return done.returncode, done.stdout, done.stderr


def record(version: Version, text: str, folder: Path) -> Path:
    """The program, run both ways with the same outcome; its folder has the recording."""
    program = folder / "program.py"
    program.write_text(text)
    (folder / "spool").mkdir()
    assert run(version, program, is_recorded=True) == run(version, program, is_recorded=False)
    return program


TURNS = [
    pytest.param(RECORDED[-(number % 2)], name, id=f"{name}-{name_of(RECORDED[-(number % 2)])}")
    for number, name in enumerate(PROGRAMS)
]
"""Each program, on the oldest Python and the newest in turns."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("version", "name"), TURNS)
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
    stack = timeline.stack(last)
    if name == "exit":
        variables = ValuesAt(timeline, timeline.now).variables(stack[-1].owner)
        assert {part.name: part.value for part in variables}["x"] == 1
    if name == "shutdown":
        assert stack[-1].name == "<lambda>"  # the last that the program does at its exit


@pytest.mark.full
def test_what_is_remembered_of_many_large_values_is_bounded(tmp_path: Path) -> None:
    """What was recorded last of all of them would take 150 MB beside the program."""
    program = tmp_path / "program.py"
    program.write_text("""\
import resource
kept = [None] * 15000
def make(n):
    row = [n] * 200
    kept[n] = row
for n in range(15000):
    make(n)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
""")
    (tmp_path / "spool").mkdir()
    alone, recorded = (run(max(SUPPORTED), program, is_recorded=each) for each in (False, True))
    assert int(recorded[1]) - int(alone[1]) < 80 * 1024


@pytest.mark.full
def test_a_program_that_goes_on_and_on_takes_no_more_room_than_it_may(tmp_path: Path) -> None:
    text = """\
kept = {}
for i in range(60000):
    kept[i] = [i, str(i)]
    if len(kept) > 50:
        kept = {}
"""
    program = record(RECORDED[-1], text, tmp_path)
    files = sorted((program.parent / "spool").iterdir())
    assert sum(file.stat().st_size for file in files) <= 2 * 1024 * 1024
    timeline = read_spool(program.parent / "spool")
    assert timeline.dropped
    last = timeline.last(0)
    assert last is not None
    assert last.line in (2, 4)


class HandlerError(TimeoutError):
    """What the handler of a signal raises, at any line of the recorder; an OSError, too."""


def recorder(folder: Path) -> Any:
    """The recorder's namespace, with nothing recorded."""
    space = make_namespace(RECORDER)
    space["Spool"].folder = str(folder)
    return space


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the recorder needs 3.12")
@pytest.mark.parametrize("step", ["make_file", "write_file", "close_file", "rename_file"])
def test_a_segment_is_written_though_a_handler_raises_meanwhile(step: str, tmp_path: Path) -> None:
    space = recorder(tmp_path)
    done, errors = space[step], [HandlerError("once")]

    def interrupted(*args: object) -> object:
        result = done(*args)
        if errors:
            raise errors.pop()
        return result

    space[step] = interrupted
    assert isinstance(space["write_whole"](lambda: b"whole"), HandlerError)
    (written,) = tmp_path.iterdir()
    assert written.read_bytes() == b"whole"
    assert space["Spool"].files == [(str(written), 5)] and not space["Spool"].stopped


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the recorder needs 3.12")
@pytest.mark.parametrize("step", ["ask_file", "remove_file"])
def test_what_a_handler_raises_while_room_is_made_reaches_the_program(
    step: str, tmp_path: Path
) -> None:
    space = recorder(tmp_path)
    space["write_whole"](lambda: b"whole")
    space["Spool"].limit = 0

    def interrupted(*_: object) -> None:
        raise HandlerError

    space[step] = interrupted
    with pytest.raises(HandlerError):
        space["make_room"]()
