"""``pytest --tuidbg``: the debugger opens where a test fails; ``--tuidbg-trace``: where it begins;
``--tuidbg-record``: what fails leaves a recording.

Every run of pytest loads this file, so it imports nothing but pytest until it is asked for. In a
run that tuidbg debugs already (``tuidbg -m pytest``) failures stop that session, without options.
"""

from __future__ import annotations

import copy
import sys

import pytest

RECORD = "--tuidbg-record"


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
    group.addoption(
        RECORD,
        nargs="?",
        const="",
        metavar="DIR",
        help="leave a recording of each test that fails in DIR (default: tuidbg-recordings)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> None:
    """A word behind the option is a test to run: its folder is given by ``=`` only."""
    if RECORD in args:
        args[:] = [f"{RECORD}=" if each == RECORD else each for each in args]
        early_config.known_args_namespace = parser.parse_known_args(
            args, namespace=copy.copy(early_config.option)
        )


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("tuidbg_record")
    if folder is not None:
        from tuidbg.pytest.recording import register as record

        record(config, folder)
    if "pydevd" in sys.modules:
        from tuidbg.pytest.stops import join_session

        if join_session(config):
            return
    if config.getoption("tuidbg") or config.getoption("tuidbg_trace"):
        from tuidbg.pytest.opening import register

        register(config)
