"""Patch of debugpy's adapter: a launch fails once its launcher has ended without a call.

Imported by ``start_adapter.py``, which is a script, by its plain name. debugpy waits a minute for
that call.
"""

import importlib
import signal
import subprocess
import threading
from collections.abc import Callable
from typing import Any


class _LauncherEnded(Exception):
    """The process that starts the program has ended before it has connected."""


class _Spawning:
    """Replacement for ``subprocess`` in debugpy's launchers: keeps the process that it starts."""

    def __init__(self, on_end: Callable[[], None]) -> None:
        self.started: subprocess.Popen[bytes] | None = None
        self._on_end = on_end

    def Popen(self, *words: Any, **how: Any) -> "subprocess.Popen[bytes]":  # noqa: N802
        process = self.started = subprocess.Popen(*words, **how)
        threading.Thread(target=self._wait, args=(process,), daemon=True).start()
        return process

    def _wait(self, process: "subprocess.Popen[bytes]") -> None:
        process.wait()
        self._on_end()


def watch_launchers() -> None:
    """Fail a launch as soon as its launcher has ended without a call, and say how it did."""
    launchers: Any = importlib.import_module("debugpy.adapter.launchers")
    spawn = launchers.spawn_debuggee

    def spawn_debuggee(session: Any, request: Any, *more: Any) -> None:
        spawning, wait = _Spawning(session.notify_changed), session.wait_for

        def wait_for(predicate: Any, timeout: float | None = None) -> Any:
            def is_so() -> Any:
                process = spawning.started
                if not session.launcher and process is not None and process.poll() is not None:
                    raise _LauncherEnded(_describe(process.returncode))
                return predicate()

            return wait(is_so, timeout)

        launchers.subprocess, session.wait_for = spawning, wait_for
        try:
            spawn(session, request, *more)
        except _LauncherEnded as error:
            raise request.cant_handle(str(error)) from None
        finally:
            launchers.subprocess = subprocess
            del session.wait_for

    launchers.spawn_debuggee = spawn_debuggee


def _describe(code: int) -> str:
    names = {-each: each.name for each in signal.Signals}
    how = f"was ended by {names[code]}" if code in names else f"ended with exit code {code}"
    return f"debugpy's launcher {how} before it could start the program"
