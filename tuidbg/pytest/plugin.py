"""``pytest --tuidbg``: the debugger opens where a test fails; ``--tuidbg-trace``: where it begins.

Every run of pytest loads this file, so it imports nothing but pytest until it is asked for. In a
run that tuidbg debugs already (``tuidbg -m pytest``) failures stop that session, without options.
"""

from __future__ import annotations

import sys

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tuidbg", "debugging with tuidbg")
    group.addoption(
        "--tuidbg",
        action="store_true",
        help="open the debugger where a test fails, and at breakpoint()",
    )
    group.addoption(
        "--tuidbg-trace",
        action="store_true",
        help="open the debugger at the first line of each test, and as --tuidbg does",
    )


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if "pydevd" in sys.modules:
        from tuidbg.pytest.stops import join_session

        if join_session(config):
            return
    if config.getoption("tuidbg") or config.getoption("tuidbg_trace"):
        from tuidbg.pytest.opening import register

        register(config)
