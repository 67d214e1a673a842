"""A whole recording as one file: looked at anywhere, without the program, and nothing is executed.

It begins with ``MAGIC`` and the segments, compressed as they were; behind them an index tells what
has to be known of each (``chunks.Chunk``), the tables that all share, the sources and what the
program was. The last bytes say how large that is. What does not fit is refused in words.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import msgspec

from tuidbg.recording.base import BaseRecord
from tuidbg.recording.chunks import Chunk, Loader, inflate
from tuidbg.recording.hiding import Hider
from tuidbg.recording.ranges import Range, ranges_of
from tuidbg.recording.segment import (
    CodeRecord,
    DamagedRecording,
    KeyRecord,
    ObjectRecord,
    is_token,
    read_segment,
)
from tuidbg.recording.timeline import Timeline

MAGIC = b"tuidbg recording 1\n"
_ENDING = b"tuidbg end\n"
_SIZE = 8
_TAIL = 2 * _SIZE + len(_ENDING)
LARGEST_SEGMENT = 128 * 1024 * 1024
LARGEST_INDEX = 128 * 1024 * 1024
LARGEST_SOURCE = 1024 * 1024


class Program(msgspec.Struct, frozen=True):
    """What was recorded: ``at`` in seconds since 1970; ``ended`` says why there is no more."""

    command: list[str] = []
    python: str = ""
    at: float = 0.0
    ended: str = ""


class _Index(msgspec.Struct):
    program: Program
    now: int
    dropped: int
    threads: dict[int, str]
    codes: list[CodeRecord]
    keys: list[KeyRecord]
    spaces: list[ObjectRecord]
    sources: dict[str, str]
    chunks: list[Chunk]
    base: BaseRecord


class RecordingFile(msgspec.Struct):
    """A file that was opened; its segments are read when they are looked at."""

    timeline: Timeline
    program: Program
    sources: dict[str, str]
    _file: BinaryIO

    def close(self) -> None:
        """What has not been read can't be any more."""
        self._file.close()


def write_recording(
    timeline: Timeline,
    path: Path,
    program: Program,
    is_secret: Callable[[str], bool] | None = None,
    sources: dict[str, str] | None = None,
) -> None:
    """Write what is known; what has a secret's name is not told. Raises OSError.

    A file of that name is replaced at the end, so that none is ever half written. ``sources`` are
    the texts of files that can't be read here.
    """
    part = path.with_name(path.name + ".part")
    hider = Hider(timeline, is_secret) if is_secret is not None else None
    try:
        with part.open("wb") as file:
            file.write(MAGIC)
            chunks = []
            for chunk in list(timeline.chunks.all):
                data, raw, ranges = _data(timeline, chunk, hider)
                if raw > LARGEST_SEGMENT:
                    continue
                told = msgspec.structs.replace(
                    chunk,
                    offset=file.tell(),
                    packed=b"",
                    packed_size=len(data),
                    raw=raw,
                    ranges=ranges,
                )
                chunks.append(told)
                file.write(data)
            lost = timeline.dropped + len(timeline.chunks.all) - len(chunks)
            _write_index(file, timeline, program, chunks, lost, hider, sources or {})
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _data(
    timeline: Timeline, chunk: Chunk, hider: Hider | None
) -> tuple[bytes, int, dict[int, Range]]:
    if hider is None:
        return timeline.chunks.packed(chunk), chunk.raw, chunk.ranges
    data = hider.hidden(timeline.chunks.unpack(chunk).segment)
    return zlib.compress(data, 1), len(data), ranges_of(read_segment(data, is_checked=True))


def _write_index(
    file: BinaryIO,
    timeline: Timeline,
    program: Program,
    chunks: list[Chunk],
    lost: int,
    hider: Hider | None,
    sources: dict[str, str],
) -> None:
    index = _Index(
        program=program,
        now=timeline.now,
        dropped=lost,
        threads=timeline.threads,
        codes=list(timeline.codes.values()),
        keys=list(timeline.keys.values()),
        spaces=list(timeline.spaces.values()),
        sources={**_sources(timeline), **sources},
        chunks=chunks,
        base=timeline.base.record(hider.value if hider is not None else None),
    )
    data = msgspec.msgpack.encode(index)
    packed = zlib.compress(data)
    file.write(packed)
    file.write(len(packed).to_bytes(_SIZE, "little"))
    file.write(len(data).to_bytes(_SIZE, "little"))
    file.write(_ENDING)


def _sources(timeline: Timeline) -> dict[str, str]:
    """The files that the functions are of, where they are files still."""
    found = {}
    for path in {code.path for code in timeline.codes.values()}:
        try:
            if Path(path).stat().st_size <= LARGEST_SOURCE:
                found[path] = Path(path).read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError):
            continue
    return found


def open_recording(path: Path) -> RecordingFile:
    """Open a file. Raises DamagedRecording, and OSError where it can't be read."""
    file = path.open("rb")
    try:
        index = _read_index(file)
        timeline = Timeline(load=_loader(file))
        timeline.threads = index.threads
        timeline.codes = {each.number: each for each in index.codes}
        timeline.take_keys(index.keys)
        timeline.spaces = {each.number: each for each in index.spaces}
        timeline.now, timeline.dropped = index.now, index.dropped
        timeline.base.take(index.base)
        for chunk in index.chunks:
            timeline.chunks.take(chunk)
    except BaseException:
        file.close()
        raise
    return RecordingFile(timeline, index.program, index.sources, file)


def _read_index(file: BinaryIO) -> _Index:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    begin = file.read(len(MAGIC))
    if begin != MAGIC:
        if begin[:-2] == MAGIC[:-2]:
            raise DamagedRecording("The file was written by a newer tuidbg.")
        raise DamagedRecording("The file is no recording of tuidbg.")
    file.seek(max(len(MAGIC), size - _TAIL))
    tail = file.read()
    if len(tail) != _TAIL or tail[2 * _SIZE :] != _ENDING:
        raise DamagedRecording("The recording is not whole: its end is missing.")
    packed_size = int.from_bytes(tail[:_SIZE], "little")
    raw = int.from_bytes(tail[_SIZE : 2 * _SIZE], "little")
    start = size - _TAIL - packed_size
    if start < len(MAGIC) or raw > LARGEST_INDEX:
        raise DamagedRecording("The recording's index is not as large as it is said to be.")
    file.seek(start)
    data = inflate(file.read(packed_size), raw)
    try:
        index = msgspec.msgpack.decode(data, type=_Index)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise DamagedRecording(f"The recording's index can't be read: {error}") from None
    _check(index, start)
    return index


def _check(index: _Index, end: int) -> None:
    for chunk in index.chunks:
        numbers = (chunk.offset - len(MAGIC), chunk.packed_size, chunk.size, chunk.raw, chunk.first)
        if min(numbers) < 0 or chunk.offset + chunk.packed_size > end or chunk.packed:
            raise DamagedRecording("A part of the recording is said to be where it can't be.")
        if chunk.raw > LARGEST_SEGMENT or chunk.last < chunk.first or chunk.last > index.now:
            raise DamagedRecording("A part of the recording is said to be what it can't be.")
    if not all(is_token(each.value) for each in index.base.changes):
        raise DamagedRecording("A value of the recording is none of the kinds that there are.")
    if not all(is_token(each.key) for each in index.keys):
        raise DamagedRecording("A key of the recording is none of the kinds that there are.")


def _loader(file: BinaryIO) -> Loader:
    def load(chunk: Chunk) -> bytes:
        file.seek(chunk.offset)
        data = file.read(chunk.packed_size)
        if len(data) != chunk.packed_size:
            raise DamagedRecording("The recording is not whole any more.")
        return data

    return load
