"""Machines that are none: processes with a network and a name of their own, on this one (Linux)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache

_IP = shutil.which("ip", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin") or "ip"


def _run(*words: str) -> None:
    subprocess.run([_IP, *words], check=True, capture_output=True)


class OtherHost:
    """One of them: ``address`` is its own, ``here`` name of this machine there."""

    def __init__(self, number: int) -> None:
        self.name = f"node{number}"
        unique = os.getpid() % 50_000
        self._space, self._line = f"td{unique}n{number}", f"td{unique}v{number}"
        self._subnet = f"10.{200 + unique % 50}.{(unique // 50 + number) % 250}"
        self.address, self.here = f"{self._subnet}.2", f"{self._subnet}.1"

    def make(self) -> None:
        """Make it; raises CalledProcessError, OSError where this user may not."""
        inside = f"{self._line}p"
        _run("netns", "add", self._space)
        _run("link", "add", self._line, "type", "veth", "peer", "name", inside)
        _run("link", "set", inside, "netns", self._space)
        _run("addr", "add", f"{self.here}/24", "dev", self._line)
        _run("-n", self._space, "addr", "add", f"{self.address}/24", "dev", inside)
        _run("-n", self._space, "link", "set", "lo", "up")
        _run("-n", self._space, "link", "set", inside, "up")
        self.plug_in()

    def plug_in(self) -> None:
        """Connect its cable."""
        _run("link", "set", self._line, "up")

    def pull_out(self) -> None:
        """Pull its cable: packets get lost, and nobody is told."""
        _run("link", "set", self._line, "down")

    def start(self, words: list[str], **environment: str) -> subprocess.Popen[bytes]:
        """Start a program there; what it writes to stderr can be read."""
        rename = f'hostname {self.name}; exec "$@"'
        whole = [_IP, "netns", "exec", self._space, "unshare", "--uts", "sh", "-c", rename, "sh"]
        known: Mapping[str, str] = {**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        return subprocess.Popen(
            [*whole, *words],
            env={**known, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def end(self) -> None:
        """Take it away, the line with it."""
        subprocess.run([_IP, "link", "del", self._line], check=False, capture_output=True)
        subprocess.run([_IP, "netns", "del", self._space], check=False, capture_output=True)


@contextmanager
def other_host(number: int) -> Iterator[OtherHost]:
    """A machine, from here to the end of the block."""
    host = OtherHost(number)
    try:
        host.make()
        yield host
    finally:
        host.end()


@cache
def has_hosts() -> bool:
    """Returns whether this user may make some here."""
    try:
        with other_host(99) as host, host.start(["true"]) as program:
            return program.wait() == 0
    except (OSError, subprocess.CalledProcessError):
        return False
