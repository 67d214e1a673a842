"""Copying to the user's clipboard, through the terminal or through tmux.

A terminal accepts the text by the control sequence OSC 52, also over SSH, but silently drops a text
that is too long; so a limit is enforced and reported. tmux has a command of its own that accepts
more and passes the text on to the terminal.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

OSC52_LIMIT = 74_994
"""Bytes: 100,000 as base64, the least that common terminals take."""

TMUX_LIMIT = 10_000_000
"""Bytes given to tmux."""

TMUX_PATIENCE = 2.0
"""Seconds."""


class TooLong(Exception):
    """The text is too long for the clipboard; ``str()`` is a sentence for the user."""


@runtime_checkable
class _OnTerminal(Protocol):
    is_joined: bool


def environment_of(app: object) -> Mapping[str, str]:
    """Return the environment of the user's terminal, which may not be this process's."""
    return {} if isinstance(app, _OnTerminal) and app.is_joined else os.environ


async def copy_text(
    text: str, by_terminal: Callable[[str], None], environment: Mapping[str, str] = os.environ
) -> str:
    """Copy ``text``; return the destination (``tmux``, or empty: terminal). Raises TooLong.

    ``by_terminal`` writes the control sequence.
    """
    data = text.encode("utf-8", "backslashreplace")
    if environment.get("TMUX") and len(data) <= TMUX_LIMIT and await _load_tmux_buffer(data):
        return "tmux"
    if len(data) > OSC52_LIMIT:
        raise TooLong(
            f"{len(data):,} bytes are too many for the clipboard, which takes {OSC52_LIMIT:,}"
        )
    by_terminal(data.decode("utf-8"))
    return ""


async def _load_tmux_buffer(data: bytes) -> bool:
    """Return whether tmux accepted the data; an older one has no ``-w``."""
    tmux = shutil.which("tmux")
    if tmux is None:
        return False
    try:
        process = await asyncio.create_subprocess_exec(
            tmux,
            *("load-buffer", "-w", "-"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return False
    try:
        async with asyncio.timeout(TMUX_PATIENCE):
            await process.communicate(data)
    except (TimeoutError, OSError):
        if process.returncode is None:
            process.kill()
        return False
    return process.returncode == 0
