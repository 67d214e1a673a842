"""The folder in which a program leaves what it records."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from tests.recording.made import counted
from tests.support.sessions import until
from tuidbg.recording.chunks import inflate
from tuidbg.recording.timeline import Timeline
from tuidbg.session.features.recording.recorded_run import SegmentReader


async def test_who_is_called_off_while_it_reads_loses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = counted(100)
    timeline = Timeline()
    spool = SegmentReader(timeline)
    for number, chunk in enumerate(made.timeline.chunks.all):
        (spool.folder / f"{number:08}").write_bytes(
            inflate(made.timeline.chunks.packed(chunk), chunk.raw)
        )
    unlink, is_held, may_go = Path.unlink, threading.Event(), threading.Event()

    def slowly(path: Path, missing_ok: bool = False) -> None:
        unlink(path, missing_ok)
        is_held.set()
        may_go.wait(10)

    monkeypatch.setattr(Path, "unlink", slowly)
    first = asyncio.create_task(spool.read())
    await until(is_held.is_set, "a file that is taken")
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    may_go.set()
    await spool.read()
    assert (spool.problem, timeline.now) == ("", made.timeline.now)
    assert len(timeline.chunks.all) == len(made.timeline.chunks.all)
    spool.close()
    assert not spool.folder.exists()


async def test_who_reads_while_it_is_closed_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    spool = SegmentReader(Timeline())
    look, is_held, may_go = Path.iterdir, threading.Event(), threading.Event()

    def slowly(path: Path) -> object:
        is_held.set()
        may_go.wait(10)
        return look(path)

    monkeypatch.setattr(Path, "iterdir", slowly)
    reading = asyncio.create_task(spool.read())
    await until(is_held.is_set, "a look that has begun")
    spool.close()
    may_go.set()
    await reading


async def test_a_file_that_the_program_took_away_for_room_ends_nothing() -> None:
    """It was there a moment ago: what comes behind it is read."""
    made = counted(100)
    timeline = Timeline()
    spool = SegmentReader(timeline)
    (spool.folder / "00000000").symlink_to(spool.folder / "gone")
    for number, chunk in enumerate(made.timeline.chunks.all, 1):
        (spool.folder / f"{number:08}").write_bytes(
            inflate(made.timeline.chunks.packed(chunk), chunk.raw)
        )
    await spool.read()
    assert (spool.problem, timeline.now) == ("", made.timeline.now)
    spool.close()
