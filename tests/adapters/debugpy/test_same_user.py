"""Whose the other end of a connection is: asked of the kernel, or read in its table."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.adapters.debugpy.test_strangers import NOBODY, linux, root
from tuidbg.adapters.debugpy import same_user
from tuidbg.adapters.debugpy.same_user import is_trusted

pytestmark = [pytest.mark.real, linux]

HOSTS = ["127.0.0.1", "::1"]

CALLING = """\
import os, socket, sys
os.setuid(int(sys.argv[3]))  # nothing can be imported after that
line = socket.socket()
line.connect((sys.argv[1], int(sys.argv[2])))
line.recv(1)
"""


@contextmanager
def connected(host: str) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Who has called, and the line to them."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with (
        socket.create_server((host, 0), family=family) as server,
        socket.create_connection((host, server.getsockname()[1])) as caller,
        server.accept()[0] as line,
    ):
        yield caller, line


def no_kernel(*asked: object) -> None:
    raise OSError("it does not tell")


@pytest.mark.parametrize("host", HOSTS)
def test_the_kernel_tells_what_its_table_does(host: str) -> None:
    with connected(host) as (caller, line):
        here, there = line.getsockname(), line.getpeername()
        told = same_user._ask_kernel(line.family, here, there)
        assert told == (os.getuid(), os.fstat(caller.fileno()).st_ino)
        table = same_user._read_table(line.family)
        assert same_user._find_in(table, line.family, here, there) == told
        inode = same_user.find_inode(line)
        assert same_user.holds(os.getpid(), inode)
        assert not same_user.holds(os.getppid(), inode)
        assert not same_user.holds(os.getpid(), 1)


@pytest.mark.parametrize("asks", [True, False], ids=["asked", "read"])
@pytest.mark.parametrize("host", HOSTS)
def test_our_own_is_ours_until_it_hangs_up(
    host: str, asks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not asks:
        monkeypatch.setattr(same_user, "_ask_kernel", no_kernel)
    with connected(host) as (caller, line):
        assert is_trusted(line)
        caller.close()
        assert not is_trusted(line)


@pytest.mark.sampled
@root
@pytest.mark.parametrize("asks", [True, False], ids=["asked", "read"])
def test_another_users_is_not(asks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not asks:
        monkeypatch.setattr(same_user, "_ask_kernel", no_kernel)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        port = str(server.getsockname()[1])
        words = [sys.executable, "-c", CALLING, "127.0.0.1", port, str(NOBODY)]
        with subprocess.Popen(words) as program:
            line, _ = server.accept()
            with line:
                assert not is_trusted(line)
            assert program.wait() == 0


def test_a_pair_of_our_own_has_nobody_else() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert is_trusted(ours)
