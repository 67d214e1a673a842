"""``pytest --tuidbg-record``: each test that fails leaves a recording of its run in a file.

The recorder is on from the first test to the last. What it has of a test is forgotten as the next
begins; of one that has failed it is written before. Reports carry the path of the file, so that the
process that leads a run of several (pytest-xdist) can tell of it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tuidbg.recording.leaving.file import leave, paths_of, read_sources
from tuidbg.recording.leaving.namespace import RECORDER, make_namespace
from tuidbg.recording.texts import compiled_path

NAME = "tuidbg-recording"
FOLDER = "tuidbg-recordings"
"""Where the files are, below the root of the tests, unless a folder is given."""

_LIMIT = 256
"""MB that the recording of one test may take in the temporary folder; the oldest goes first."""

_LONGEST_NAME = 120
_PATH = "tuidbg_recording"
"""The attribute of a report."""


def register(config: pytest.Config, folder: str) -> None:
    """Take part in a run that was started with ``--tuidbg-record``."""
    config.pluginmanager.register(TestRecorder(config, folder), NAME)


class TestRecorder:
    """Records the tests of this process, and tells at the end which files there are."""

    def __init__(self, config: pytest.Config, folder: str) -> None:
        self._config = config
        self._folder = config.invocation_params.dir / folder if folder else config.rootpath / FOLDER
        self._pid = os.getpid()
        self._space: Any = None
        self._spool = ""
        self._failed = ""
        self._failed_at = 0
        self._has_failed = False
        self._problem = ""
        self._files: dict[str, Path] = {}
        if sys.version_info < (3, 12):
            self._problem = "recording needs Python 3.12 or newer; nothing is recorded"

    # One test after another

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        if not self._begin():
            return (yield)
        try:
            return (yield)
        finally:
            if os.getpid() == self._pid:
                self._forget()

    def _begin(self) -> bool:
        """Record from here on; False where that can't be."""
        if self._problem or os.getpid() != self._pid:
            return False
        self._has_failed = False
        if not self._space:
            self._spool = tempfile.mkdtemp(prefix="tuidbg-recording-")
            self._space = make_namespace(RECORDER)
            ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # noqa: PTH120
            settings = {"exclude": [ours], "limit": _limit() // 2, "is_alone": True}
            settings["compiled"] = compiled_path()
            if why := self._space["begin"](self._spool, settings):
                self._problem = f"nothing is recorded: {why}"
                self._end()
                return False
        return True

    def _forget(self) -> None:
        if self._space:
            self._space["begin_anew"]()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if not self._space or os.getpid() != self._pid:
            return report
        path = self._folder / file_name(item.nodeid)
        if report.when == "setup":  # also of a test that is tried once more
            self._has_failed = False
        if report.failed and not self._has_failed:
            self._has_failed, self._failed = True, report.when or ""
            self._failed_at = self._space["moment_now"]()
        if report.when == "teardown":
            if self._has_failed:
                setattr(report, _PATH, str(path))
                self._write(path, item.nodeid)
            elif path.exists():
                path.unlink()  # of a run in which it failed
            self._forget()
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.when == "call":  # also a part of a test, which has no other
            if self._space and not self._has_failed:
                self._failed_at = self._space["moment_now"]()
            self._has_failed, self._failed = True, "call"
        path = getattr(report, _PATH, "")
        if path:
            self._files[report.nodeid] = Path(path)

    def _write(self, path: Path, node: str) -> None:
        try:
            dropped = self._write_segments()
            when = "" if self._failed == "call" else f" in its {self._failed}"
            program = {
                "command": ["pytest", node],
                "python": sys.version.split()[0],
                "at": time.time(),
                "ended": f"the test failed{when}",
                "shown": self._failed_at,
            }
            lines = getattr(sys.modules.get("linecache"), "cache", {})
            self._make_folder()
            sources = read_sources(paths_of(self._segments), lines)
            leave(str(path), self._segments, program, sources, dropped=dropped)
        except OSError as error:
            self._problem = f"a recording can't be written: {error}"
            self._end()

    def _write_segments(self) -> int:
        """Have all be written that is recorded; how many parts had to give way. Raises OSError."""
        self._space["flush"]()
        if why := self._space["Spool"].stopped:
            raise OSError(f"{self._spool}: {why}")
        dropped: int = self._space["Spool"].dropped
        return dropped

    def _segments(self) -> Iterator[bytes]:
        for path in sorted(Path(self._spool).iterdir()):
            if not path.suffix:
                yield path.read_bytes()

    def _make_folder(self) -> None:
        if not self._folder.exists():
            self._folder.mkdir(parents=True)
            (self._folder / ".gitignore").write_text("# Made by pytest --tuidbg-record.\n*\n")

    # The end

    def _end(self) -> None:
        if self._space:
            self._space["end"]()
            told = self._space["Failure"].texts
            if told and not self._problem:
                self._problem = f"something was not recorded: {told[0]}"
            self._space.clear()
            self._space = None
        shutil.rmtree(self._spool, ignore_errors=True)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        if os.getpid() == self._pid:
            self._end()

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        files = {node: path for node, path in self._files.items() if path.exists()}
        if not files and not self._problem:
            return
        terminalreporter.section("recordings of failed tests")
        if self._problem:
            terminalreporter.line(f"tuidbg: {self._problem}")
        for node, path in files.items():
            terminalreporter.line(f"{node}: tuidbg open {shlex.quote(_shortest(path))}")


def _limit() -> int:
    """In bytes; ``TUIDBG_RECORD_MB`` says otherwise."""
    told = os.environ.get("TUIDBG_RECORD_MB", "")
    return (int(told) if told.isdecimal() and int(told) else _LIMIT) * 1024 * 1024


def _shortest(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def file_name(node: str) -> str:
    """The name of a test's file, from its node id; two tests never have the same."""
    words = node.replace("::", "--").replace("/", ".")
    name = re.sub(r"[^\w.-]+", "-", words).strip("-.")[:_LONGEST_NAME]
    if name != words:
        name += "-" + hashlib.sha256(node.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name}.tuidbg"
