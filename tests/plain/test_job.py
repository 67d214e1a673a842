"""The line mode with several programs that connect: what it tells of them, and how they obey."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.plain.piped import TIMEOUT, Transcript, by_lines
from tests.support.attachable import attached_session, free_port
from tests.support.command import TUIDBG, environment
from tests.support.ranks import HAS_LOSS, RANKED
from tests.support.sessions import until
from tuidbg.plain.context import CommandContext
from tuidbg.plain.mode import LineMode

pytestmark = [pytest.mark.real, pytest.mark.full]

RANKS, ODD = 3, 1


@contextmanager
def ranks(folder: Path, port: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that connect."""
    words = [sys.executable, "-m", "debugpy", "--connect", f"127.0.0.1:{port}"]
    words += ["--wait-for-client", "train.py"]
    with ExitStack() as stack:
        found = []
        for rank in range(RANKS):
            env = {**os.environ, "RANK": str(rank), "ODD": str(ODD)}
            process = subprocess.Popen(words, cwd=folder, env=env)
            stack.callback(process.wait)
            stack.callback(process.kill)
            found.append(process)
        yield found


def test_all_ranks_are_told_and_commanded_by_lines(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(RANKED, encoding="utf-8")
    port = free_port()
    commands = (
        *("n", f"job wait {RANKS} paused", "job", "job all evaluate loss"),
        *(
            "job 0,9 continue",
            "job 0 evaluate loss =",
            "job 0,2 until train.py:14",
            "job wait 9 of",
            "q",
        ),
    )
    listening = subprocess.Popen(
        [*TUIDBG, "listen", "--plain", "-b", f"train.py:{HAS_LOSS}", str(port)],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    with listening:
        assert listening.stdout is not None and listening.stdin is not None
        first = listening.stdout.readline()
        assert first.startswith(b"Programs connect by python -m debugpy --connect ")
        listening.stdin.write(b"job\n")
        before = [first, *(listening.stdout.readline() for _ in range(3))]
        with ranks(tmp_path, port) as processes:
            out, _ = listening.communicate("\n".join(commands).encode(), timeout=TIMEOUT)
            assert [each.poll() for each in processes] == [None] * RANKS, "they run on"
    done = subprocess.CompletedProcess[str](
        (), listening.returncode, b"".join([*before, out]).decode(), ""
    )
    told = Transcript(done, "(tuidbg) ", echoed=True)
    assert told.status == 0
    assert told.answer(0) == "*** no process has connected yet; `job wait 4` waits for four"
    assert told.answer(1) == "*** there are several programs; `job RANKS COMMAND` commands them"
    listed = [line for line in told.answer(3).splitlines() if "has connected" not in line]
    assert listed[:2] == [
        "3 processes, 3 paused",
        f"3, ranks 0-2: train at train.py:{HAS_LOSS} (breakpoint 1), called by <module>",
    ]
    for rank, line in enumerate(listed[2:]):
        assert line.startswith(f"rank {rank}: paused, train at train.py:{HAS_LOSS} (")
    assert told.answer(4).splitlines() == [
        "loss: 2 values",
        "rank 1: 71.5, which differs",
        "ranks 0, 2: 0.5",
    ]
    assert told.answer(5).startswith("*** there is no rank 9 among them; there are all, ranks 0-2")
    assert told.answer(6).startswith("*** SyntaxError: invalid syntax")
    assert told.answer(7) == "2 are at train.py:14"
    assert told.answer(8) == ("*** '9 of' is no number of processes; write `job wait 4 [paused]`")
    assert told.answer(9).endswith("3 programs run on without the debugger.")


def test_a_program_alone_is_a_job_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # else the process is called by it
    path = tmp_path / "alone.py"
    path.write_text("x = 1\ny = 2\n", encoding="utf-8")
    told = by_lines(tmp_path, path, ["job", "job wait 2", "job all until alone.py:2", "p x", "q"])
    first, second, third = told.answer(0).splitlines()
    assert (first, second) == ("1 process, 1 paused", "1, alone.py: <module> at alone.py:1 (entry)")
    assert third.startswith("alone.py: paused, <module> at alone.py:1 (entry), pid ")
    assert told.answer(1) == "*** this program has no other processes to wait for"
    assert told.answer(2) == "one is at alone.py:2"
    assert told.answer(3).splitlines()[-1] == "1"


class Sayings:
    """What was said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


async def test_what_is_waited_for_can_be_called_off(tmp_path: Path) -> None:
    """Ctrl+C leads back to the prompt; at the prompt's own it leaves."""
    async with attached_session(tmp_path, port=free_port(), listen=True) as under_test:
        await under_test.session.lifecycle.start()
        said = Sayings()
        context = CommandContext(under_test.session, said)
        mode = LineMode(context)
        waiting = asyncio.create_task(mode.execute("job wait 4"))
        await until(lambda: context.is_waiting)
        mode.interrupt()
        assert await waiting, "there is more to come"
        assert said.lines == ["*** cancelled"]
        assert not context.leaving.is_set()
        mode.interrupt()
        assert context.leaving.is_set()
