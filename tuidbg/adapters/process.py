"""Starts adapter processes, before asyncio and Textual are even imported.

Starting the adapter first and importing the user interface meanwhile is most of tuidbg's start-up
time, so this module is light and synchronous.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Protocol

from tuidbg.adapters.errors import AdapterNotStarted


class Guard(Protocol):
    """Whoever ends the processes if tuidbg dies (the guardian)."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables that mark what belongs to this tuidbg."""

    def watch(self, pid: int) -> None:
        """From now on ``pid`` must not outlive tuidbg."""

    def forget(self, pid: int) -> None:
        """``pid`` has ended by itself."""

    def end_watched(self) -> set[int]:
        """End what is watched and all that belongs to it; returns what is left. Blocks."""

    def begin_launch(self) -> None:
        """What is started from now on belongs to another launch."""


class LocalGuard:
    """Ends processes when it is told to, but does not outlive tuidbg: for tests and short runs."""

    environment: Mapping[str, str] = {}

    def __init__(self) -> None:
        self._watched: list[int] = []

    def watch(self, pid: int) -> None:
        self._watched.append(pid)

    def forget(self, pid: int) -> None:
        if pid in self._watched:
            self._watched.remove(pid)

    def end_watched(self) -> set[int]:
        from tuidbg.processes import end_tree

        return end_tree(*self._watched)

    def begin_launch(self) -> None:
        self._watched.clear()


class AdapterProcess:
    """A running adapter that speaks DAP on its stdin and stdout."""

    def __init__(self, popen: subprocess.Popen[bytes], name: str) -> None:
        self.popen = popen
        self.name = name

    @classmethod
    def start(
        cls, command: Sequence[str], *, name: str, environment: Mapping[str, str], guard: Guard
    ) -> AdapterProcess:
        """Start it in a session of its own, so that no key of the terminal reaches it.

        Raises AdapterNotStarted.
        """
        try:
            popen = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **environment, **guard.environment},
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise AdapterNotStarted(f"can't start {name}: {error.strerror or error}") from error
        guard.watch(popen.pid)
        return cls(popen, name)

    @property
    def pid(self) -> int:
        return self.popen.pid

    def end(self) -> None:
        """See that it is gone: a moment to go by itself, then it is killed. Blocks."""
        try:
            self.popen.wait(0.3)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()

    def describe_end(self) -> str:
        """How it ended, in words; waits a moment for the kernel to tell."""
        try:
            code = self.popen.wait(0.2)
        except subprocess.TimeoutExpired:
            return f"{self.name} closed its stream"
        if code < 0:
            import signal

            return f"{self.name} was ended by {signal.Signals(-code).name}"
        return f"{self.name} ended unexpectedly (exit code {code})"
