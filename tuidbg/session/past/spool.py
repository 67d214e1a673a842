"""The folder in which a program leaves what it records, and the reading of it.

Each file is a segment, whole as soon as it has its name; who has read it deletes it.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from tuidbg.recording.chunks import Chunk, chunk_of
from tuidbg.recording.segment import DamagedRecording, Segment, read_segment
from tuidbg.recording.timeline import Timeline

READ_EVERY = 0.3
"""Seconds between two looks while the program runs."""

AT_ONCE = 16
"""Segments that are read at once, beside the loop; between them it gets its turn."""


class Spool:
    """Reads segments into a timeline."""

    def __init__(
        self, timeline: Timeline, report: Callable[[str], None] = lambda problem: None
    ) -> None:
        """``report`` is called when a segment is damaged."""
        self.folder = Path(tempfile.mkdtemp(prefix="tuidbg-recording-"))
        self._timeline = timeline
        self._reading = asyncio.Lock()
        self._is_closed = False
        self._report = report
        self.problem = ""

    async def read(self) -> None:
        """Take in all that is there; nothing any more once it is closed.

        Who is called off while it waits loses nothing: what was read of the folder is gone there.
        """
        await asyncio.shield(self._read())

    async def _read(self) -> None:
        async with self._reading:
            while not self._is_closed:
                try:
                    found = await asyncio.to_thread(self._read_some)
                except FileNotFoundError:
                    if self._is_closed:  # meanwhile, after somebody else had read all
                        return
                    raise
                for segment, chunk in found:
                    self._timeline.add(segment, chunk)
                    await asyncio.sleep(0)
                if self.problem:
                    problem, self.problem = self.problem, ""
                    self._report(problem)
                if len(found) < AT_ONCE:
                    return

    def _read_some(self) -> list[tuple[Segment, Chunk]]:
        found = []
        names = (path for path in self.folder.iterdir() if not path.suffix)
        for path in sorted(names)[:AT_ONCE]:
            try:
                data = path.read_bytes()
                path.unlink()
            except FileNotFoundError:
                if not self.folder.exists():
                    raise
                continue  # the program needed the room: it counts what is lost
            try:
                segment = read_segment(data)
                found.append((segment, chunk_of(segment, data)))
            except DamagedRecording as error:
                self.problem = str(error)
        return found

    async def follow(self) -> None:
        """Read for as long as nobody ends it."""
        while True:
            await asyncio.sleep(READ_EVERY)
            await self.read()

    def close(self) -> None:
        """Nothing comes any more."""
        self._is_closed = True
        shutil.rmtree(self.folder, ignore_errors=True)
