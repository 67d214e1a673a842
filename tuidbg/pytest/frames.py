"""Finds where to show a failed test: the error that a person means, its frame in their own code."""

from __future__ import annotations

import dis
import inspect
import re
import sys
import sysconfig
from types import CodeType, FrameType

import pytest

_TOOLS = re.compile(
    r"(_pytest|anyio|ast|asyncio|concurrent|contextlib|importlib|pluggy|pytest|pytest_asyncio"
    r"|pytest_cov|runpy|tuidbg\.pytest_\w+|unittest|xdist)(\.|$)"
)
"""Modules whose frames run the tests, or fail for them; nobody has their bug there."""


def find_error(excinfo: pytest.ExceptionInfo[BaseException]) -> BaseException:
    """The error behind those in which pytest wraps what it meets.

    An import that fails while tests are collected is the cause of a CollectError, an unexpected
    exception of a doctest stands in its ``exc_info``.
    """
    error = excinfo.value
    doctest = sys.modules.get("doctest")
    if doctest is not None and isinstance(error, doctest.UnexpectedException):
        inner: BaseException = error.exc_info[1]
        return inner
    if isinstance(error, pytest.Collector.CollectError) and error.__cause__ is not None:
        return error.__cause__
    cause = getattr(error, "cause", None)  # of a ConftestImportFailure
    return cause if isinstance(cause, BaseException) else error


def find_frame(error: BaseException) -> FrameType | None:
    """The innermost frame of a person's own code; one of a library's where there is no other.

    Frames of pytest are none to look at, and those that hide themselves (``__tracebackhide__``).
    """
    libraries = sysconfig.get_path("stdlib")
    own = other = None
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if not _is_hidden(frame):
            other = frame
            path = frame.f_code.co_filename
            if "-packages" not in path and not path.startswith(libraries):
                own = frame
        traceback = traceback.tb_next
    return own or other


def _is_hidden(frame: FrameType) -> bool:
    if _TOOLS.match(str(frame.f_globals.get("__name__"))):
        return True
    if frame.f_code.co_filename.startswith("<frozen "):
        return True
    return frame.f_locals.get("__tracebackhide__") is True


def find_first_line(test: object) -> tuple[str, int] | None:
    """File and line of the first statement of a test function, behind all decorators."""
    hypothesis = getattr(test, "hypothesis", None)
    function = inspect.unwrap(getattr(hypothesis, "inner_test", test))  # type: ignore[arg-type]
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return (code.co_filename, _first_line(code)) if isinstance(code, CodeType) else None


def _first_line(code: CodeType) -> int:
    """A docstring is no statement; what stands before RESUME is Python's own preparation."""
    has_begun = False
    for instruction in dis.get_instructions(code):
        line = instruction.positions.lineno if instruction.positions is not None else None
        if has_begun and line is not None:
            return line
        has_begun = has_begun or instruction.opname == "RESUME"
    return code.co_firstlineno
