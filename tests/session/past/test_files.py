"""A run is written to a file at its end, whatever its end is, and when somebody asks."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.session.past.test_recording_a_run import NEWEST, each_python
from tests.support.command import environment
from tests.support.interpreters import SUPPORTED, Version
from tests.support.recordings import opened
from tests.support.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.real

LOOP = """
import os, signal, sys, time
class Box:
    total = 0
box, password = Box(), "hunter1"
def work(n):
    box.total += n
    return box.total
n = 0
while True:
    n += 1
    work(n)
    if n == 3000:
        open("reached", "w").close()
    if n >= 3000:
        time.sleep(0.01)
    if n == 3500 and "kill" in sys.argv:
        os.kill(os.getpid(), signal.SIGKILL)
    if n == 3000 and "end" in sys.argv:
        break
"""


def begin(folder: Path, *words: str, version: Version = NEWEST) -> subprocess.Popen[str]:
    (folder / "loop.py").write_text(LOOP)
    command = [sys.executable, "-m", "tuidbg", "--plain", "--no-stop-on-entry"]
    command += ["--python", SUPPORTED[version], *words]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def check(path: Path, at_least: int) -> None:
    with opened(path) as file:
        last = file.last()
        values = file.values("<module>", last)
        assert int(values["n"]) >= at_least
        assert values["password"] == "<redacted>"
        changed = file.changed("box.total", "<module>", last)
        assert changed is not None and changed.place is not None
        assert file.stack(changed.place.moment)[0] == "work"
        assert not list(path.parent.glob("*.part"))


@pytest.mark.sampled
@each_python
def test_the_file_is_written_as_the_program_ends(tmp_path: Path, version: Version) -> None:
    process = begin(tmp_path, "--record=a.tuidbg", "loop.py", "end", version=version)
    told, _ = process.communicate(timeout=PATIENCE)
    assert f"The recording is in {tmp_path / 'a.tuidbg'}." in told
    check(tmp_path / "a.tuidbg", 3000)


@pytest.mark.full
def test_what_was_written_before_a_kill_is_kept(tmp_path: Path) -> None:
    process = begin(tmp_path, "--record=a.tuidbg", "loop.py", "kill")
    told, _ = process.communicate(timeout=PATIENCE)
    assert told.count(f"The recording is in {tmp_path / 'a.tuidbg'}.") == 1
    check(tmp_path / "a.tuidbg", 3001)


@pytest.mark.full
def test_who_leaves_a_running_program_has_all_of_it(tmp_path: Path) -> None:
    process = begin(tmp_path, "--record=a.tuidbg", "loop.py")
    wait_until(lambda: (tmp_path / "reached").exists(), what="the program runs")
    process.send_signal(signal.SIGTERM)
    told, _ = process.communicate(timeout=PATIENCE)
    assert f"tuidbg: The recording is in {tmp_path / 'a.tuidbg'}." in told
    check(tmp_path / "a.tuidbg", 3000)


@pytest.mark.full
def test_what_cannot_be_written_is_said_before_and_not_lost_after(tmp_path: Path) -> None:
    told, _ = begin(tmp_path, "--record=no/a.tuidbg", "loop.py", "end").communicate(
        timeout=PATIENCE
    )
    assert told == f"tuidbg: --record: there is no directory {tmp_path / 'no'}\n"
    folder = tmp_path / "gone"
    folder.mkdir()
    process = begin(tmp_path, "--record=gone/a.tuidbg", "loop.py")
    wait_until(lambda: (tmp_path / "reached").exists(), what="the program runs")
    folder.rmdir()
    process.send_signal(signal.SIGTERM)
    told, _ = process.communicate(timeout=PATIENCE)
    assert "can't be written: No such file or directory; the recording is in " in told
    elsewhere = Path(told.rpartition("the recording is in ")[2].strip().rstrip("."))
    check(elsewhere, 3000)
    elsewhere.unlink()


@pytest.mark.full
def test_what_was_recorded_so_far_is_written_on_request(tmp_path: Path) -> None:
    process = begin(tmp_path, "-b", "loop.py:14", "--record", "loop.py", "end")
    words = "rec write no/a.tuidbg\nrec write so-far.tuidbg\nrec write\nq\n"
    told, _ = process.communicate(words, timeout=PATIENCE)
    assert f"*** {tmp_path / 'no/a.tuidbg'} can't be written: No such file or directory" in told
    assert f"The recording so far is in {tmp_path / 'so-far.tuidbg'}." in told
    check(tmp_path / "so-far.tuidbg", 3000)
    assert len(list(tmp_path.glob("loop-*.tuidbg"))) == 1
