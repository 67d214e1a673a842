"""Starts the process that puts debugpy's server into a program that runs (``enter.py``)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Callable
from pathlib import Path

from tuidbg.adapters.debugpy.launching import find_debugpy
from tuidbg.adapters.errors import AdapterError

_REASON = re.compile(
    r"^.*(?:ptrace: |Could not attach|Operation not permitted|not found|No such file).*$",
    re.MULTILINE | re.IGNORECASE,
)

FAREWELL = 0.5
"""Seconds for the process to end, once it has reported its failure."""

_FAILED = "debugpy could not be put into it"

_SCRIPT = str(Path(__file__).with_name("enter.py"))


async def put_server_in(pid: int, port: int, token: str, on_waiting: Callable[[str], None]) -> None:
    """Put debugpy's server into that process; it connects to ``port`` of 127.0.0.1.

    Runs until it is cancelled; the work in the program is finished even so. ``on_waiting`` is
    called with the reason where it takes long. Raises AdapterError where it can't be done.
    """
    if sys.platform == "linux":
        await _enter(pid, port, token, on_waiting)
    await _enter_by_debugpy(pid, port, token)


async def _enter(pid: int, port: int, token: str, on_waiting: Callable[[str], None]) -> None:
    setup = {
        "pid": pid,
        "debugpy": find_debugpy(),
        "address": ("127.0.0.1", port),
        "token": token,
    }
    process = await _start(sys.executable, _SCRIPT, str(pid))  # the number is for readers of ps
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(setup).encode() + b"\n")
        async for line in process.stdout:
            kind, _, words = line.decode("utf-8", "replace").strip().partition(": ")
            if kind == "failed":
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(FAREWELL):
                        await process.stdout.read()  # asyncio complains of pipes left open
                raise AdapterError(words)
            if kind == "waiting":
                on_waiting(words)
    finally:
        process.stdin.close()
    raise AdapterError(f"{_FAILED}: what should do that has ended")


async def _enter_by_debugpy(pid: int, port: int, token: str) -> None:
    """debugpy's own way, for systems without ``/proc``."""
    words = ["--connect", f"127.0.0.1:{port}", "--adapter-access-token", token, "--pid", str(pid)]
    process = await _start(sys.executable, find_debugpy(), *words, stderr=STDOUT)
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
    if process.returncode == 0:
        await asyncio.Event().wait()  # its server is about to connect
    reason = _REASON.search(output.decode("utf-8", "replace"))
    if reason is not None:
        raise AdapterError(reason[0].strip())
    raise AdapterError(f"{_FAILED} (is tracing processes forbidden here?)")


async def _start(*words: str, stderr: int = DEVNULL) -> Process:
    return await asyncio.create_subprocess_exec(
        *words,
        stdin=PIPE,
        stdout=PIPE,
        stderr=stderr,
        # Nothing that says that it belongs to tuidbg, and is to be ended with it.
        env={name: value for name, value in os.environ.items() if name != "TUIDBG_GUARDED"},
        cwd="/",
        start_new_session=True,
    )
