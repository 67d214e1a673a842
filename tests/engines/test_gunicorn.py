"""Workers of gunicorn's; one of them serves a request that does not end."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.engines.launched import launching, needs
from tests.support.attachable import free_port
from tuidbg.session.features.job.job import JobResults, describe_standing

pytestmark = [pytest.mark.real, needs("gunicorn"), pytest.mark.full]

WORKERS = 4

WEB = """\
import threading
def find(name):
    threading.Event().wait()
def app(environ, start):
    find(environ["PATH_INFO"])
    start("200 OK", [("Content-Type", "text/plain")])
    return []
"""


def stand(*wanted: tuple[str, int]) -> Callable[[JobResults], bool]:
    """Tells whether so many stand there, and no others anywhere else."""
    return lambda job: (
        [(describe_standing(fold.common), len(fold.members)) for fold in job.folds()] == [*wanted]
    )


async def test_the_worker_that_serves_for_ever_is_the_odd_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "web.py").write_text(WEB, encoding="utf-8")
    place = free_port()
    async with launching(tmp_path, monkeypatch) as launched:
        launched.start(
            *(sys.executable, "-m", "debugpy", "--connect", str(launched.port)),
            *("--wait-for-client", "-m", "gunicorn", "-w", str(WORKERS), "--timeout", "0"),
            *("-b", f"127.0.0.1:{place}", "web:app"),
        )
        outside = ("outside your code", WORKERS + 1)
        await launched.until_job(stand(outside), "all workers wait")
        with closing(socket.create_connection(("127.0.0.1", place))) as line:
            line.sendall(b"GET /shelf HTTP/1.1\r\nHost: here\r\n\r\n")
            job = await launched.until_job(
                stand(("find at web.py:3", 1), ("outside your code", WORKERS)), "one serves"
            )
            odd = job.folds()[0]
            assert odd.is_odd
            (server,) = odd.members
            assert server.label == f"gunicorn {server.pid}"
