"""A session that listens, and the processes that a real launcher has connect to it."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from tests.support.attachable import attached_session, free_port
from tests.support.sessions import SessionUnderTest
from tuidbg.session.core.process_tree.family import ProcessInfo
from tuidbg.session.features.job.job import (
    JobResults,
    describe_members,
    describe_standing,
    look_at_job,
)

PATIENCE = 150.0
"""Seconds that an engine gets to start its processes, and they to get as far as they shall."""

BETWEEN = 0.2
"""Seconds between two looks at the job: each look asks all its processes."""


def needs(*modules: str, program: str = "") -> pytest.MarkDecorator:
    """Skip where an engine is not installed; nothing of it is imported to find out."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if program and shutil.which(program) is None:
        missing.append(program)
    reason = f"not installed: {', '.join(missing)} (tests/engines/requirements.txt)"
    return pytest.mark.skipif(bool(missing), reason=reason)


def beside(program: str) -> str:
    """A program of this environment's, such as ``celery``."""
    return str(Path(sys.executable).parent / program)


class Launched:
    """What has come to the session that listens."""

    def __init__(self, under_test: SessionUnderTest, folder: Path, port: int) -> None:
        self.under_test = under_test
        self.session = under_test.session
        self.folder, self.port = folder, port
        self._started: list[tuple[subprocess.Popen[bytes], Path]] = []

    @property
    def relatives(self) -> list[ProcessInfo]:
        """Those that have come, in the order of their arrival."""
        family = self.session.family
        return [] if family is None else [r for r in family if r is not family.root]

    def start(self, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        """A launcher, in a process group of its own; what it writes is shown where a test fails."""
        told = self.folder / f"told-{len(self._started)}"
        known = {**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1", **environment}
        known.pop("PYTEST_XDIST_WORKER", None)
        with told.open("wb") as file:
            process = subprocess.Popen(
                words, cwd=self.folder, env=known, stdin=subprocess.DEVNULL, stdout=file,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        self._started.append((process, told))
        return process

    def end(self) -> None:
        """End all that was started, with its children; torchrun's ranks are in no group of its."""
        for pid in [r.session.pid for r in self.relatives if not r.is_over]:
            if pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        for process, _ in reversed(self._started):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    async def until_job(self, is_it: Callable[[JobResults], object], what: str) -> JobResults:
        """What the job tells, as soon as that is so."""
        job = JobResults()
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    job = await look_at_job(self.session)
                    if is_it(job):
                        return job
                    await asyncio.sleep(BETWEEN)
        except TimeoutError:
            raise AssertionError(f"not so: {what}\n{self._describe(job)}") from None

    async def until_told(self, *rows: tuple[str, str]) -> JobResults:
        """The same, once its upper half says who stands where; the fewest first."""
        return await self.until_job(lambda job: told(job) == [*rows], f"{rows}")

    def _describe(self, job: JobResults) -> str:
        rows = [f"{m.label} [{m.identity.group}] {m.status} {m.place}" for m in job.members]
        for process, path in self._started:
            rows += ["", f"{process.args!r}", path.read_text(encoding="utf-8", errors="replace")]
        return "\n".join([*rows, self.under_test.describe()])


def told(job: JobResults) -> list[tuple[str, str]]:
    """The upper half of the view: who stands where, the fewest first."""
    return [
        (describe_members(fold.members), describe_standing(fold.common))
        for fold in job.folds(by_line=False)
    ]


@asynccontextmanager
async def launching(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Launched]:
    """A session that listens; nothing is started yet."""
    monkeypatch.setattr("tests.support.sessions.CLOSE_LIMIT", 8.0)  # of so many sessions
    port = free_port()
    async with attached_session(folder, port=port, listen=True) as under_test:
        await under_test.session.lifecycle.start()
        launched = Launched(under_test, folder, port)
        try:
            yield launched
        finally:
            launched.end()
