"""The start of adapter processes, before asyncio and Textual are even imported.

Starting the adapter first and importing the user interface meanwhile is most of tuidbg's start-up
time, so this module is light and synchronous.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from tuidbg.adapters.errors import AdapterNotStarted

if TYPE_CHECKING:
    import socket


class LaunchGuard(Protocol):
    """The processes of one launch and their mark (``process/guardian.py``)."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the variables that mark the processes of this launch."""

    @property
    def watched(self) -> Sequence[int]:
        """Return the processes that must not outlive tuidbg."""

    def watch(self, pid: int) -> None:
        """Ensure that ``pid`` does not outlive tuidbg."""

    def forget(self, pid: int) -> None:
        """Stop watching ``pid``: it has ended by itself."""

    def find_marked(self) -> Mapping[int, Sequence[str]]:
        """Return its living processes with their command lines; none without /proc. Blocks."""

    def release_marked(self) -> None:
        """Release its processes after the program's own end: background processes live on."""

    def end_processes(self, pids: Iterable[int]) -> None:
        """Kill these and all their descendants. Blocks."""


class Guard(Protocol):
    """The guardian, which ends the processes if tuidbg dies."""

    def begin_launch(self) -> LaunchGuard:
        """Start a new launch, to which processes started from now on belong."""


class LocalGuard:
    """A guard inside tuidbg, which ends processes on request only: for tests and short runs."""

    def begin_launch(self) -> LaunchGuard:
        from tuidbg.process.guardian import LaunchMark as GuardedLaunch

        return GuardedLaunch(f"local-{os.getpid()}-{time.monotonic_ns():x}", lambda line: None)


def _no_input(server: socket.socket | None, address: tuple[str, int] | None) -> int:
    """Return an adapter's stdin without a terminal: with TCP, its program reads an end of file."""
    return subprocess.PIPE if server is None and address is None else subprocess.DEVNULL


class AdapterProcess:
    """A running adapter that uses DAP on its stdin and stdout, or by TCP.

    With TCP it connects to ``server``, or listens at ``address``.
    """

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        name: str,
        launch: LaunchGuard,
        server: socket.socket | None = None,
        address: tuple[str, int] | None = None,
    ) -> None:
        self.popen = popen
        self.name = name
        self.launch = launch
        self.server = server
        self.address = address

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        *,
        name: str,
        environment: Mapping[str, str],
        launch: LaunchGuard,
        server: socket.socket | None = None,
        address: tuple[str, int] | None = None,
        terminal: int | None = None,
        ignores_pipe: bool = False,
    ) -> AdapterProcess:
        """Start it in a session of its own, so that no key of the terminal reaches it.

        ``server`` is where it connects, ``address`` where it listens; ``terminal`` is its
        program's, which it passes on. With ``ignores_pipe`` it does not die of SIGPIPE. Raises
        AdapterNotStarted.
        """
        own_session = True
        if terminal is not None:
            from tuidbg.adapters.program.started import claiming_command

            command, own_session = claiming_command(command, environment)
        try:
            popen = subprocess.Popen(
                list(command),
                stdin=_no_input(server, address) if terminal is None else terminal,
                stdout=subprocess.PIPE if terminal is None else terminal,
                stderr=subprocess.PIPE if terminal is None else terminal,
                env={**os.environ, **environment, **launch.environment},
                start_new_session=own_session,
                restore_signals=not ignores_pipe,  # Python itself ignores it
                bufsize=0,
            )
        except OSError as error:
            raise AdapterNotStarted(f"can't start {name}: {error.strerror or error}") from error
        launch.watch(popen.pid)
        return cls(popen, name, launch, server, address)

    @property
    def pid(self) -> int:
        return self.popen.pid

    def end(self) -> None:
        """Let it exit within a moment, else kill it. Blocks."""
        try:
            self.popen.wait(0.3)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()

    def read_last_errors(self) -> bytes:
        """Return its unread stderr output; never waits."""
        try:
            if self.popen.stderr is None:
                return b""
            os.set_blocking(self.popen.stderr.fileno(), False)
            return os.read(self.popen.stderr.fileno(), 65536)
        except (OSError, ValueError):  # nothing there, or closed
            return b""

    def describe_end(self) -> str:
        """Return how it ended, in words; waits a moment for the kernel's report."""
        try:
            code = self.popen.wait(0.2)
        except subprocess.TimeoutExpired:
            return f"{self.name} closed its stream"
        if code < 0:
            import signal

            return f"{self.name} was killed ({signal.Signals(-code).name})"
        if code == 0:
            return f"{self.name} ended with exit code 0"
        return f"{self.name} ended unexpectedly (exit code {code})"
