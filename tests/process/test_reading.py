"""Whether a program reads its terminal: only Linux tells."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.waiting import wait_until
from tuidbg.process.input_state import reads_terminal

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells"),
]

READER = """
import sys, threading
print("begun", flush=True)
{read}
print("read", flush=True)
threading.Event().wait()
"""


@pytest.mark.sampled
@pytest.mark.parametrize(
    "read",
    [
        "sys.stdin.readline()",
        "open('/dev/tty').readline()",
        "import subprocess; subprocess.run([sys.executable, '-c', 'input()'])",
        "import readline; input()",
    ],
    ids=["stdin", "tty", "child", "readline"],
)
def test_a_program_reads_until_it_is_answered(read: str) -> None:
    master, slave = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", READER.format(read=read)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
    )
    try:
        wait_until(lambda: reads_terminal(process.pid, os.ttyname(slave)), what="it reads")
        os.write(master, b"line\n")
        wait_until(lambda: not reads_terminal(process.pid, os.ttyname(slave)), what="it has read")
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


@pytest.mark.full
def test_one_that_is_gone_reads_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert not reads_terminal(process.pid, "/dev/pts/0")
