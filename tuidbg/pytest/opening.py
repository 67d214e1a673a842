"""``pytest --tuidbg``: opens the debugger at the first stop of a run, and ends the run with it."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from types import FrameType
from typing import Any

import pytest

from tuidbg.hook import calls as hook
from tuidbg.hook.line import PRINTED_THROUGH
from tuidbg.pytest.stops import NAME, InSession
from tuidbg.pytest.workers import INPUT, WorkerServer, join

QUIT = "Quitting debugger"
"""The words of pytest's own debugger."""


def register(config: pytest.Config) -> None:
    """Take part in a run that was started with ``--tuidbg``. Raises UsageError."""
    if config.getoption("usepdb") or config.getoption("trace"):
        raise pytest.UsageError("--tuidbg and --pdb (or --trace) are two debuggers: give one")
    told = getattr(config, "workerinput", None)
    stops = DebuggerOpening(config) if told is None else Worker(config, told.get(INPUT, ""))
    if stops.begin():
        config.pluginmanager.register(stops, NAME)


class DebuggerOpening(InSession):
    """Opens the debugger at the first stop, and ends the run when the debugger is quit."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self._stands = self._is_ended = self._is_over = False
        self._worker_server: WorkerServer | None = None

    def begin(self) -> bool:
        """Get ready; False where nobody sits at the run."""
        self._streams.release()  # or stdin would be that of capture
        self._streams.forget()
        if not (os.isatty(0) and os.isatty(1)):
            self._tell("stdin or stdout is no terminal, so the run goes on without stops")
            return False
        self._take_over()
        # By this signal the debugger ends a program that is not its own; a run ends in good order.
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._on_end)
            self._config.add_cleanup(_die_of_sigterm)
        return True

    def _take_over(self) -> None:
        """See to what Python leaves to a debugger."""
        if os.environ.get("PYTHONBREAKPOINT") != "0":
            before = sys.breakpointhook
            self._config.add_cleanup(partial(setattr, sys, "breakpointhook", before))
            sys.breakpointhook = self._breakpoint

    @property
    def _reporter(self) -> Any:
        return self._config.pluginmanager.getplugin("terminalreporter")

    def _tell(self, sentence: str) -> None:
        if (reporter := self._reporter) is not None:
            reporter.ensure_newline()
            reporter.write_line(f"tuidbg: {sentence}")

    def _on_end(self, *_: object) -> None:
        """At a stop pydevd would swallow the exception; it is raised right behind it then."""
        self._is_ended = self._is_over = True
        if not self._stands:
            pytest.exit(QUIT)

    # The stops

    def _breakpoint(self, *_: object, **__: object) -> None:
        frame = sys._getframe(1)
        if self._is_ready():
            hook.stop_here(frame)

    def _stop(self, error: BaseException, frame: FrameType) -> None:
        if not self._is_ready():
            return
        self._stands = True
        try:
            hook.stop_at_exception(error, frame)
            self._is_over = self._is_over or hook.is_let_go()
        finally:
            self._stands = False
        if self._is_ended:
            pytest.exit(QUIT)

    def _is_ready(self) -> bool:
        if hook.is_debugged():
            return True
        self._streams.release()
        if (reporter := self._reporter) is not None:
            reporter.ensure_newline()
        if not self._open():
            self._streams.restore()
            return False
        self._begin_watching()
        return True

    def _open(self) -> bool:
        """Have the debugger here, unless it can't be or was sent away."""
        self._is_over = self._is_over or hook.is_let_go()
        if not self._is_over:
            PRINTED_THROUGH.update(self._streams.copies)
            try:
                hook.open_debugger()
            except hook.NoDebugger as problem:
                self._tell(str(problem))
                self._is_over = True
        return not self._is_over

    # The workers of pytest-xdist

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        if self._worker_server is None:
            self._worker_server = WorkerServer(self._open_for_worker)
        node.workerinput[INPUT] = self._worker_server.path

    def _open_for_worker(self) -> dict[str, Any]:
        """Tells how a worker joins the debugger; empty where there is none. Called in a thread."""
        return hook.joining_words() if self._open() else {}

    def pytest_unconfigure(self) -> None:
        if self._worker_server is not None:
            self._worker_server.close()


class Worker(DebuggerOpening):
    """A worker of pytest-xdist: it joins the debugger of the process that leads the run."""

    def __init__(self, config: pytest.Config, path: str) -> None:
        super().__init__(config)
        self._path = path

    def begin(self) -> bool:
        """Get ready; False where the leading process stops nowhere."""
        if self._path:
            self._take_over()
        return bool(self._path)

    def _open(self) -> bool:
        self._is_over = self._is_over or not join(self._path)
        return not self._is_over


def _die_of_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
