"""A recording that can't go on says why at once, wherever somebody asks for it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.session.past.test_recording_a_run import NEWEST, RECORDED, line_of, present
from tests.support.interpreters import SUPPORTED
from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.recording.file import open_recording
from tuidbg.recording.timeline import Timeline
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.recording.recorded_run import (
    RecordedRun,
    SegmentReader,
    cannot_write,
    save,
)
from tuidbg.session.model.events import NoticeGiven

FULL = """
import resource, sys
def work(n):
    return n + 1
total = 0
for n in range(5):
    total += work(n)
here = 1  #: before
resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))
for n in range(5):
    total += work(n)
there = 1  #: after
print(total)
"""

ANOTHER_USER = """
import os
def work(n):
    return n + 1
total = work(0)
here = 1  #: before
os.setuid(65534)
for n in range(5):
    total += work(n)
there = 1  #: after
"""


async def record_to_its_first_mark(under_test: SessionUnderTest, marked: MarkedProgram) -> None:
    """The next stop is at the second one."""
    for mark in ("before", "after"):
        await under_test.session.breakpoints.set(marked.path, marked[mark], origin="tui")
    await under_test.start()
    await RecordedRun.of(under_test.session).begin("tui")
    await under_test.go(Resume.CONTINUE)


@pytest.mark.real
@pytest.mark.skipif(not RECORDED, reason="there is no Python 3.12 or newer")
async def test_a_lost_disk_is_told_with_its_reason_and_a_restart_records_again(
    tmp_path: Path,
) -> None:
    marked = MarkedProgram(tmp_path, FULL)
    async with debugpy_session(tmp_path, marked.path, python=SUPPORTED[NEWEST]) as under_test:
        session, past = under_test.session, RecordedRun.of(under_test.session)
        await record_to_its_first_mark(under_test, marked)
        now = await present(under_test)
        assert past.how_long_ago(now) == "the last step"
        await under_test.go(Resume.CONTINUE)
        await under_test.until(lambda: not past.is_on, "the end of the recording")
        problem = cannot_write(Path(tempfile.gettempdir()), "File too large")
        assert under_test.events(NoticeGiven)[-1].text == f"The {problem}"
        last = await present(under_test)
        assert line_of(under_test, last)[1] == marked["before"]
        assert past.how_long_ago(last) == f"the last recorded step; {problem}"
        assert past.timeline.left_out == f"R{problem[1:]}."
        path = tmp_path / "a.tuidbg"
        told = await save(past.timeline, path, session)
        assert told == f"The recording is in {path}; it is incomplete: {problem}."
        file = open_recording(path)
        assert file.program.ended == problem
        file.close()
        stop = session.stop_id
        await session.lifecycle.restart()
        await under_test.settled(stop)
        assert past.is_on and not past.timeline.problem
        await under_test.go(Resume.CONTINUE)
        moment = await present(under_test)
        assert line_of(under_test, moment)[1] == marked["before"]
        first = past.timeline.first(moment.thread)
        assert first is not None and line_of(under_test, first)[1] == 1, "its first line"
        await past.end("tui")
        stop = session.stop_id
        await session.lifecycle.restart()
        await under_test.settled(stop)
        assert not past.is_on, "the person has ended it"


@pytest.mark.full
@pytest.mark.real
@pytest.mark.skipif(not RECORDED, reason="there is no Python 3.12 or newer")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
async def test_a_program_that_becomes_another_user(tmp_path: Path) -> None:
    marked = MarkedProgram(tmp_path, ANOTHER_USER)
    async with debugpy_session(tmp_path, marked.path, python=SUPPORTED[NEWEST]) as under_test:
        past = RecordedRun.of(under_test.session)
        await record_to_its_first_mark(under_test, marked)
        await present(under_test)
        await under_test.go(Resume.CONTINUE)
        await under_test.until(lambda: not past.is_on, "the end of the recording")
        problem = cannot_write(Path(tempfile.gettempdir()), "Permission denied")
        assert under_test.events(NoticeGiven)[-1].text == f"The {problem}"
        last = await present(under_test)
        assert past.how_long_ago(last) == f"the last recorded step; {problem}"


async def test_a_damaged_segment_is_reported_once() -> None:
    reports: list[str] = []
    spool = SegmentReader(Timeline(), reports.append)
    (spool.folder / "0").write_bytes(b"\xff" * 64)
    await spool.read()
    await spool.read()
    assert len(reports) == 1
    spool.close()


async def test_a_full_disk_names_the_remedy_and_an_empty_recording_its_reason(
    tmp_path: Path,
) -> None:
    timeline = Timeline()
    timeline.problem = cannot_write(Path("/tmp"), "No space left on device")
    told = await save(timeline, tmp_path / "a", None)  # type: ignore[arg-type]  # nothing is asked
    assert told.endswith(
        "can't write to /tmp: No space left on device;"
        " free some space or set TMPDIR to another disk."
    )
    assert told.startswith("Nothing was recorded, so ")
