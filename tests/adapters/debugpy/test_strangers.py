"""Other users of the machine have no way into what is debugged: on the real debugpy."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.sessions import debugpy_session

pytestmark = pytest.mark.real

WAITING = """\
import time
now = time.time()
while time.time() < now + 60:
    time.sleep(0.01)
"""

KNOCKING = """\
import socket, sys
hello = b'{"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "x"}}'
try:
    line = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
    line.sendall(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(hello), hello))
    print("heard" if line.recv(1) else "nothing")
except (ConnectionError, TimeoutError):
    print("nothing")
"""

NOBODY = 65534

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose a line is")
root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be somebody else"
)


def _knock(port: int, user: int | None) -> str:
    python = "/usr/bin/python3"  # one that everybody may run
    if not Path(python).exists():
        pytest.skip("there is no Python here that another user may run")
    return subprocess.run(
        [python, "-c", KNOCKING, str(port)], user=user, capture_output=True, text=True, check=True
    ).stdout.strip()


@linux
@root
async def test_the_port_of_a_run_is_for_its_user(tmp_path: Path) -> None:
    path = tmp_path / "waiting.py"
    path.write_text(WAITING, encoding="utf-8")
    async with debugpy_session(tmp_path, path) as t:
        await t.start()
        assert t.session.processes.incoming is not None
        port = t.session.processes.incoming.number
        assert await asyncio.to_thread(_knock, port, None) == "heard"
        assert await asyncio.to_thread(_knock, port, NOBODY) == "nothing"


@linux
@pytest.mark.parametrize("logs", [False, True], ids=["", "with debugpy's log"])
async def test_no_token_in_a_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logs: bool
) -> None:
    if logs:
        monkeypatch.setenv("DEBUGPY_LOG_DIR", str(tmp_path))
    path = tmp_path / "waiting.py"
    path.write_text(WAITING, encoding="utf-8")
    async with debugpy_session(tmp_path, path) as t:
        await t.start()
        words = Path(f"/proc/{t.session.pid}/cmdline").read_bytes()
        assert b"--connect" in words
        assert b"access-token" not in words, words
