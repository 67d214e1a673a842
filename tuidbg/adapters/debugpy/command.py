"""Tells how debugpy's adapter is started; light, since it is the first thing tuidbg does."""

from __future__ import annotations

import sys

from tuidbg.adapters.process import AdapterProcess, Launch

NAME = "debugpy"
COMMAND = (sys.executable, __file__.replace("command.py", "start_adapter.py"))
"""The adapter runs in tuidbg's own interpreter; the program's needs no debugpy."""


def start_adapter(launch: Launch) -> AdapterProcess:
    """Start the adapter's process. Raises AdapterNotStarted."""
    return AdapterProcess.start(COMMAND, name=NAME, environment={}, launch=launch)
