"""A tmux of a test's own."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


class TmuxServer:
    """A server with one pane, in which the test is said to run."""

    def __init__(self) -> None:
        self.run = ["tmux", "-L", f"test-{uuid.uuid4().hex[:8]}", "-f", "/dev/null"]

    def ask(self, *args: str) -> str:
        done = subprocess.run([*self.run, *args], capture_output=True, text=True, check=True)
        return done.stdout

    @property
    def panes(self) -> list[str]:
        """The panes, our own first."""
        return self.ask("list-panes", "-a", "-F", "#{pane_id}").split()

    def shown(self, pane: str) -> str:
        """Returns what stands in a pane."""
        return self.ask("capture-pane", "-p", "-t", pane)

    def type_line(self, pane: str, text: str) -> None:
        self.ask("send-keys", "-t", pane, text, "Enter")


@contextmanager
def tmux_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[TmuxServer]:
    """Start one and be in its only pane, as its environment says."""
    server = TmuxServer()
    server.ask("new-session", "-d", "-x", "100", "-y", "40", "sleep 1000")
    told = server.ask("display-message", "-p", "#{socket_path},#{pid},0 #{pane_id}")
    place, pane = told.split()
    monkeypatch.setenv("TMUX", place)
    monkeypatch.setenv("TMUX_PANE", pane)
    try:
        yield server
    finally:
        server.ask("kill-server")
