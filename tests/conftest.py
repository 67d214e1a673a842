"""What holds for all tests: their tiers, and what none of them may do.

A test that starts processes is marked ``real``; the others run without any, and fail when they
start one. ``full`` keeps a test out of the default tier (``-m "not full"`` in ``pyproject.toml``);
``sampled`` keeps all but some of its parameter sets out of it, as do other Pythons and the sizes of
pictures by themselves. What no version of Python changes is marked ``once``, by the test itself
where this file can't know. No test leaves a trace in the work tree.
"""

from __future__ import annotations

import faulthandler
import gc
import importlib
import os
import re
import signal
import subprocess
import sys
import zlib
from collections.abc import Generator
from pathlib import Path

import pytest
import textual.app
import textual.pilot
from hypothesis import HealthCheck, settings

from tests.support.idle import wait_for_idle

# Thousands of processes start here: without kept bytecode each would compile tuidbg and debugpy.
BYTECODE_WAS_OFF = sys.dont_write_bytecode
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Else the first recording would build the compiled recorder into the user's folder.
os.environ.setdefault("TUIDBG_RECORDER", "python")

for module in (textual.app, textual.pilot):
    vars(module)["wait_for_idle"] = wait_for_idle

# On a busy machine an example may take long, which says nothing about the code.
FULL = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("full", FULL)  # --hypothesis-profile=full
settings.register_profile("quick", FULL, max_examples=20)
settings.load_profile("quick")

DEFAULT_TIER = "not full"
"""The expression of ``-m`` that ``pyproject.toml`` sets."""

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

_PYTHON = re.compile(r"python(\d\.\d+)")
"""The Python that a test's parameters name, as ``interpreters.name_of`` writes it."""

_SIZE = re.compile(r"\b\d+x\d+\b|\bwide\b")
"""The size of a terminal in a test's parameters."""

_OWN_PYTHON = "{}.{}".format(*sys.version_info[:2])

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
    # A test that is named on the command line runs, whatever its tier.
    if config.option.markexpr == DEFAULT_TIER and any("::" in each for each in config.args):
        config.option.markexpr = ""
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        config.stash[_errors] = os.dup(2)


def pytest_report_header() -> list[str]:
    """Say that bytecode is kept although the environment forbids it."""
    if not BYTECODE_WAS_OFF:
        return []
    return ["PYTHONDONTWRITEBYTECODE is ignored: its thousands of processes would all compile"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import the test modules of this worker's share before the others.

    In a fresh checkout each module is rewritten and compiled once, and kept for the other workers,
    instead of by all of them at the same time.
    """
    number, count = (
        os.environ.get("PYTEST_XDIST_WORKER"),
        os.environ.get("PYTEST_XDIST_WORKER_COUNT"),
    )
    if number is None or count is None:
        return
    root = session.config.rootpath
    files = sorted(root.glob("tests/**/test_*.py"))
    first = int(number.removeprefix("gw")) * len(files) // int(count)
    for file in files[first : first + len(files) // int(count)]:
        try:
            importlib.import_module(".".join(file.relative_to(root).with_suffix("").parts))
        except Exception:  # its collection reports that
            continue


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark as ``once`` what shows the same on each version of Python that tuidbg runs on.

    Those are adapters that are no Python (``native``, which skips where there is none), programs
    run by another Python than tuidbg's, as the test's id says, and pictures: they are for looks,
    behaviour is asserted elsewhere.
    """
    for mark in item.iter_markers("native"):
        if mark.args[0]:
            item.add_marker(pytest.mark.skip(reason=mark.args[0]))
    is_native = item.get_closest_marker("native") is not None
    if is_native or _other_python(item) or _is_picture(item):
        item.add_marker(pytest.mark.once)


def _other_python(item: pytest.Item) -> str:
    """The version of the program's Python where it is not tuidbg's own, else empty."""
    found = _PYTHON.search(item.name) if "python" in item.name else None
    return found[1] if found is not None and found[1] != _OWN_PYTHON else ""


def _is_picture(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and "pictures" in item.fixturenames


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as ``full`` all but some of the parameter sets that show the same in several ways.

    Which ones stay is decided by the test's name alone, so that a run can be repeated, and each
    version of Python and each size gets its share.
    """
    groups: dict[tuple[str, int], list[pytest.Item]] = {}
    for item in items:
        name, kept = item.nodeid, 1
        if (mark := item.get_closest_marker("sampled")) is not None:
            name, kept = item.nodeid.partition("[")[0], mark.args[0] if mark.args else 1
        elif _other_python(item):
            name = _PYTHON.sub("", name)
        elif _is_picture(item):
            name = _SIZE.sub("", name)
        else:
            continue
        groups.setdefault((name, kept), []).append(item)
    for (name, kept), group in groups.items():
        first = zlib.crc32(name.encode())
        chosen = {(first + turn * len(group) // kept) % len(group) for turn in range(kept)}
        for number, item in enumerate(group):
            if number not in chosen:
                item.add_marker(pytest.mark.full)


def pytest_collection_finish() -> None:
    """Keep modules and thousands of collected tests out of each collection of garbage.

    They live as long as the process; looking through them, and looking as often as is right for a
    small program, took a fifth of the time of a test of the screen.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


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


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Say, in the last line, how to run the tests that were left out."""
    if config.option.markexpr != DEFAULT_TIER or "PYTEST_XDIST_WORKER" in os.environ:
        return
    if (reporter := config.pluginmanager.getplugin("terminalreporter")) is not None:
        reporter.write_line('Everything: uv run pytest -n 4 -m ""')
