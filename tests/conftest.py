"""Does what every process of the test run does once, and what holds for all tests.

A test that starts processes is marked ``real``; the others run without any, and fail when they
start one. What no version of Python changes is marked ``once``. No test leaves a trace in the work
tree.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# On a busy machine an example may take long, which says nothing about the code.
settings.register_profile("tuidbg", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tuidbg")

STARTS = frozenset(
    {
        "subprocess.Popen",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "os.system",
    }
)
"""Names what Python tells an audit hook when a process is started."""

LEFT_BEHIND = 6
"""The status of a run that has changed the work tree; pytest's own end at 5."""

LONGEST = 300
"""Seconds that no test takes, however busy the machine is: one that does hangs."""

_PYTHON_OF_ITS_OWN = re.compile(
    r"\[(?:.*-)?python(?!{}\.{}[\]-])\d\.\d+[\]-]".format(*sys.version_info[:2])
)
"""Finds, in a test's name, another Python than this one, named by ``interpreters.name_of``."""

_started: list[str] = []
"""Holds what was started first since the running test began, as its author will know it again."""

_before = pytest.StashKey[frozenset[str] | None]()
_left_behind = pytest.StashKey[list[str]]()
_errors = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    """Let Ctrl+C and SIGHUP reach the programs under test; hear of each process that is started.

    What a script starts in the background ignores interrupts, what runs under ``nohup`` the loss of
    its terminal, and so would all that starts here.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    sys.addaudithook(_hear)
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        config.stash[_errors] = os.dup(2)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark as ``once`` what shows the same on each version of Python that tuidbg runs on.

    Those are adapters that are no Python (``native``, which skips where there is none), programs
    run by another Python than tuidbg's, as the test's id says, and pictures: they are for looks,
    what the debugger does is asserted elsewhere.
    """
    for mark in item.iter_markers("native"):
        if mark.args[0]:
            item.add_marker(pytest.mark.skip(reason=mark.args[0]))
    is_native = item.get_closest_marker("native") is not None
    if is_native or _PYTHON_OF_ITS_OWN.search(item.name) or "pictures" in _fixtures(item):
        item.add_marker(pytest.mark.once)


def _fixtures(item: pytest.Item) -> list[str]:
    return item.fixturenames if isinstance(item, pytest.Function) else []


def pytest_collection_finish() -> None:
    """Keep modules and thousands of collected tests out of each collection of garbage.

    They live as long as the process; looking through them, and looking as often as is right for a
    small program, took a fifth of the time of a test of the screen.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event in STARTS and not _started:  # the first one is told; thousands may follow
        # Of subprocess.Popen the words of the command, of os.posix_spawn and os.exec likewise.
        _started.append(f"{event} {arguments[1]}" if len(arguments) > 1 else event)


def _judge(item: pytest.Item) -> None:
    if _started and item.get_closest_marker("real") is None:
        told = _started[0]
        _started.clear()
        pytest.fail(
            f"{item.name} starts a process, but is not marked as a test that does ({told}). Mark"
            " it, or with pytestmark its file, with pytest.mark.real, or let it start none.",
            pytrace=False,
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Say where a test hangs. One of several workers ends by it, so that the others' tests count.

    The run would hang with the test, and what it waits for would never be known.
    """
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    faulthandler.dump_traceback_later(LONGEST, exit=is_worker, file=item.config.stash[_errors])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None]:
    """Forget what others have started."""
    _started.clear()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Fail a test that starts processes without saying so, unless it fails anyway."""
    result = yield
    _judge(item)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """The same for what its fixtures start at the end."""
    result = yield
    _judge(item)
    return result


def _work_tree(root: Path) -> frozenset[str] | None:
    """Returns what git tells of changed and new files; None where it can't, without a checkout."""
    command = ["git", "--no-optional-locks", "status", "--porcelain", "--untracked-files=all"]
    try:
        told = subprocess.run(command, cwd=root, capture_output=True, text=True)
    except OSError:
        return None
    return frozenset(told.stdout.splitlines()) if told.returncode == 0 else None


def pytest_sessionstart(session: pytest.Session) -> None:
    """Look at the work tree before the first test, once for all workers.

    Who accepts new pictures (``--snapshot-update``) wants it changed.
    """
    accepts = session.config.getoption("update_snapshots", default=False)
    if not accepts and "PYTEST_XDIST_WORKER" not in os.environ:
        session.config.stash[_before] = _work_tree(session.config.rootpath)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run when the work tree is not as it was."""
    before = session.config.stash.get(_before, None)
    if before is None:
        return
    left_behind = sorted((_work_tree(session.config.rootpath) or before) - before)
    session.config.stash[_left_behind] = left_behind
    if left_behind:
        session.exitstatus = LEFT_BEHIND


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say which files the tests have left behind."""
    if left_behind := config.stash.get(_left_behind, []):
        terminalreporter.section("work tree")
        terminalreporter.line("The work tree has changed while the tests ran. Tests write into")
        terminalreporter.line("temporary folders only; if it wasn't you, find the test that wrote:")
        for line in left_behind:
            terminalreporter.line(f"  {line}")
