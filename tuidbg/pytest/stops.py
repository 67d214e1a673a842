"""Stops a run of pytest at failures and at the beginnings of tests; registered where it is wanted.

It keeps to the habits of ``pytest --pdb``: the fixtures of the failed test are still open, capture
is suspended while the program stands, and the run goes on behind the failure.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Generator
from functools import wraps
from types import FrameType
from typing import Any
from unittest import SkipTest

import pytest

from tuidbg.hook import calls as hook
from tuidbg.pytest.capture import Streams
from tuidbg.pytest.frames import find_error, find_first_line, find_frame
from tuidbg.pytest.tracing import stop_at, tell_name, watch_stops

_NO_FAILURES = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception, SkipTest)

NAME = "tuidbg-stops"
"""Under this name what stops the run is registered with pytest."""


def is_tuidbg_here() -> bool:
    """Returns whether tuidbg debugs this run; editors have plug-ins of their own for theirs."""
    pydevd = sys.modules.get("pydevd")
    debugger = pydevd.get_global_debugger() if pydevd is not None else None
    # The mark is what tuidbg puts into each program (the profile's tuning).
    return debugger is not None and "get_internal_queue_and_event" in vars(debugger)


def join_session(config: pytest.Config) -> bool:
    """Stop the session that debugs this run at failures; False where there is none of tuidbg's."""
    if not is_tuidbg_here():
        return False
    config.pluginmanager.register(InSession(config), NAME)
    return True


class InSession:
    """Stops the session that is there at what would be uncaught if pytest did not catch it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._streams = Streams(config)
        self._is_tracing = bool(config.getoption("tuidbg_trace", False))
        self._shown: BaseException | None = None
        config.option.usepdb = True  # unittest's tearDown waits for the debugger then
        if hook.is_debugged():
            self._begin_watching()

    def _begin_watching(self) -> None:
        watch_stops(self._streams.release, self._streams.restore)
        if (told := getattr(self._config, "workerinput", None)) is not None:
            tell_name(told["workerid"])

    # Failures

    @pytest.hookimpl(tryfirst=True)
    def pytest_exception_interact(self, call: pytest.CallInfo[Any]) -> None:
        if call.excinfo is not None and not isinstance(call.excinfo.value, SkipTest):
            self._look_at(find_error(call.excinfo))

    def _look_at(self, error: BaseException) -> None:
        if error is not self._shown and (frame := find_frame(error)) is not None:
            self._shown = error
            self._streams.release()
            try:
                self._stop(error, frame)
            finally:
                self._streams.restore()

    def _stop(self, error: BaseException, frame: FrameType) -> None:
        debugger = sys.modules["pydevd"].get_global_debugger()
        uncaught = debugger.break_on_uncaught_exceptions
        if uncaught and debugger.get_exception_breakpoint(type(error), uncaught):
            hook.stop_at_exception(error, frame)

    # The tests

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        if inspect.iscoroutinefunction(test := getattr(item, "obj", None)):
            setattr(item, "obj", self._watched(item, test))  # noqa: B010
        take_back = self._stop_at_first_line(test)
        try:
            return (yield)
        finally:
            take_back()
            self._streams.forget()

    def _stop_at_first_line(self, test: object) -> Any:
        place = find_first_line(test) if self._is_tracing and test is not None else None
        return stop_at(*place) if place is not None and self._is_ready() else lambda: None

    def _is_ready(self) -> bool:
        return hook.is_debugged()

    def _watched(self, item: pytest.Item, test: Any) -> Any:
        """An async test that is looked at while its event loop still runs."""

        @wraps(test)
        async def watched(*args: Any, **named: Any) -> Any:
            try:
                return await test(*args, **named)
            except Exception as error:
                if not _is_expected(item, error):
                    self._look_at(error)
                raise

        return watched


def _is_expected(item: pytest.Item, error: Exception) -> bool:
    from _pytest.skipping import xfailed_key

    if isinstance(error, _NO_FAILURES):
        return True
    mark = item.stash.get(xfailed_key, None)
    if mark is None or item.config.getoption("runxfail"):
        return False
    raises: Any = mark.raises
    return raises is None or isinstance(error, raises)
