"""A whole recording as one file: looked at anywhere, without the program, and nothing is executed.

It begins with ``MAGIC`` and the segments, compressed as they were; behind them an index tells what
has to be known of each (``chunks.Chunk``), the tables that all share, the sources and what the
program was. The last bytes say how large that is. What does not fit is refused in words.

A program that leaves a file by itself has no such index (``leaving/file``).
"""

from __future__ import annotations

import json
import math
import os
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

from tuidbg.recording.base import BaseRecord, RecordedChange
from tuidbg.recording.chunks import Chunk, Loader, chunk_of, inflate
from tuidbg.recording.leaving.file import LARGEST_SOURCE, is_whole, read_blocks, whole_file
from tuidbg.recording.leaving.file import MAGIC as LEFT_MAGIC
from tuidbg.recording.leaving.hiding import HIDDEN as HIDDEN
from tuidbg.recording.leaving.hiding import Secrets
from tuidbg.recording.numbers import RETURNED
from tuidbg.recording.segment import (
    RAISE,
    UNWIND,
    CodeRecord,
    DamagedRecording,
    FrameRecord,
    KeyRecord,
    ObjectRecord,
    RecordedProgram,
    Segment,
    is_number,
    is_token,
    read_segment,
    write_segment,
)
from tuidbg.recording.timeline import Moment, Timeline
from tuidbg.recording.values import failure_of

LAST_YEAR = 4_000_000_000.0
"""Seconds since 1970: a recording is not of a later time than 2096."""


def check_program(program: RecordedProgram, sources: Mapping[str, str]) -> None:
    """What is said of the program, and its sources."""
    if not 0.0 <= program.at <= LAST_YEAR:  # not a number either
        raise DamagedRecording("The recording is of a time that can't be.")
    check_numbers((program.shown,))
    if any(len(text) > LARGEST_SOURCE for text in sources.values()):
        raise DamagedRecording("A source of the recording is larger than those that are recorded.")


def check_numbers(numbers: Iterable[int]) -> None:
    """Counts, moments and the numbers of things."""
    if not all(map(is_number, numbers)):
        raise DamagedRecording("A number of the recording is none that there can be.")


def check_codes(codes: Iterable[CodeRecord]) -> None:
    for each in codes:
        check_numbers((each.number, each.line, each.space))


def check_keys(keys: Iterable[KeyRecord]) -> None:
    for each in keys:
        check_numbers((each.number,))
        if not is_token(each.key) or (each.letter == "n" and not isinstance(each.key, str)):
            raise DamagedRecording("A key of the recording is none of the kinds that there are.")


def check_frames(frames: Iterable[FrameRecord]) -> None:
    for each in frames:
        check_numbers((each.number, each.code, each.parent, each.parent_line))
        check_numbers((each.begin, each.owner))


def check_base(base: BaseRecord) -> None:
    """What is left of the parts that are gone."""
    check_numbers((base.until, base.chunks, base.moments, base.cut))
    check_frames(base.frames)
    check_numbers(each.number for each in base.objects)
    for each in base.changes:
        check_numbers((each.when, each.owner, each.key))
        if not is_token(each.value):
            raise DamagedRecording("A value of the recording is none of the kinds that there are.")


def check_chunk(chunk: Chunk) -> None:
    """What is said of a part, as far as that tells by itself."""
    check_numbers((chunk.first, chunk.last, chunk.size, chunk.raw, chunk.packed_size, chunk.offset))
    for each in chunk.ranges.values():
        if math.isnan(each.low) or math.isnan(each.high):
            raise DamagedRecording("A part of the recording is said to be what it can't be.")


def check_is_as_said(chunk: Chunk, found: Chunk) -> None:
    """Compare what is said of a part with what has been found in it."""
    for name in ("thread", "first", "last", "low", "high", "size", "raw"):
        if getattr(chunk, name) != getattr(found, name):
            raise DamagedRecording("A part of the recording is not what it is said to be.")


class Hider:
    """Knows what of a timeline is secret, by a function that tells it of a name."""

    def __init__(self, timeline: Timeline, is_secret: Callable[[str], int]) -> None:
        self._timeline = timeline
        self._secrets = secrets = Secrets(is_secret, self._type_of)
        keys = timeline.keys.values()
        secrets.learn(
            ((each.number, each.letter, each.key) for each in keys),
            ((each.number, each.name) for each in timeline.codes.values()),
        )
        secrets.learn_objects((e.number, e.type, e.fields) for e in timeline.base.objects.values())
        for segment in self._segments(lambda chunk: any(map(is_secret, chunk.fields))):
            objects = segment.news.objects
            secrets.learn_objects((each.number, each.type, each.fields) for each in objects)
        if not secrets.may_hide:
            return
        self._read(self._may_begin)
        if secrets.owners:  # all that is in them is hidden as well
            self._read(lambda chunk: not self._may_begin(chunk))
        secrets.close()
        if secrets.owners:
            for segment in self._segments(lambda _: True):
                secrets.see(segment.owners, segment.keys)
            changes = list(self._base())
            secrets.see([each.owner for each in changes], [each.key for each in changes])

    def _type_of(self, number: int) -> str:
        record = self._timeline.object(number)
        return record.type if record is not None else "object"

    def _may_begin(self, chunk: Chunk) -> bool:
        """Whether the name of a secret stands in a segment."""
        secrets = self._secrets
        if secrets.fields:  # items are not among the keys of a segment
            return True
        is_given = bool(secrets.codes) and (
            RETURNED in chunk.keys or not chunk.codes.isdisjoint(secrets.codes)
        )
        return is_given or not chunk.keys.isdisjoint(secrets.keys)

    def _read(self, is_wanted: Callable[[Chunk], bool]) -> None:
        secrets = self._secrets
        frames = self._timeline.base.frames.values()
        secrets.read_calls((each.number, each.code) for each in frames)
        for segment in self._segments(is_wanted):
            secrets.read_calls((each.number, each.code) for each in segment.news.frames)
            secrets.read(segment.owners, segment.keys, segment.values)
        changes = list(self._base())
        secrets.read(
            [each.owner for each in changes],
            [each.key for each in changes],
            [each.value for each in changes],
        )

    def _segments(self, is_wanted: Callable[[Chunk], bool]) -> Iterator[Segment]:
        chunks = self._timeline.chunks
        for chunk in list(chunks.all):
            if is_wanted(chunk):
                yield chunks.unpack(chunk).segment

    def _base(self) -> Iterator[RecordedChange]:
        for state in self._timeline.base.changes.values():
            yield from state.values()

    def may_touch(self, chunk: Chunk) -> bool:
        """Whether something of a segment may be left out."""
        return bool(self._secrets.owners) or self._may_begin(chunk)

    def change(self, change: RecordedChange) -> RecordedChange:
        """What is told of a change."""
        secrets = self._secrets
        key = secrets.key(change.owner, change.key)
        value = HIDDEN if key == secrets.hidden_key else secrets.value(*_row(change))
        return msgspec.structs.replace(change, key=key, value=value)

    def keys(self) -> list[KeyRecord]:
        """What is told of the names and the keys."""
        told = list(map(self._key, self._timeline.keys.values()))
        if self._secrets.owners:
            told.append(KeyRecord(self._secrets.hidden_key, "k", HIDDEN))
        return told

    def _key(self, record: KeyRecord) -> KeyRecord:
        token = self._secrets.key_token(record.number, record.key)
        return record if token is record.key else KeyRecord(record.number, record.letter, token)

    def hidden(self, segment: Segment) -> Segment:
        """A segment without what is secret."""
        keys, values = self._secrets.hidden(segment.owners, segment.keys, segment.values)
        news = msgspec.structs.replace(segment.news, keys=list(map(self._key, segment.news.keys)))
        column = segment.keys[:0]
        column.extend(keys)
        return msgspec.structs.replace(segment, news=news, keys=column, values=values)


def _row(change: RecordedChange) -> tuple[int, int, object]:
    return change.owner, change.key, change.value


MAGIC = b"tuidbg recording 1\n"
_ENDING = b"tuidbg end\n"
_SIZE = 8
_TAIL = 2 * _SIZE + len(_ENDING)
LARGEST_SEGMENT = 128 * 1024 * 1024
LARGEST_INDEX = 128 * 1024 * 1024


class _Index(msgspec.Struct):
    program: RecordedProgram
    now: int
    dropped: int
    threads: dict[int, str]
    codes: list[CodeRecord]
    keys: list[KeyRecord]
    spaces: list[ObjectRecord]
    sources: dict[str, str]
    chunks: list[Chunk]
    base: BaseRecord
    failed: int = 0


class Left(msgspec.Struct):
    """What stands at the beginning of a file that a program has left by itself."""

    program: RecordedProgram
    sources: dict[str, str] = {}
    dropped: int = 0


class RecordingFile(msgspec.Struct):
    """A file that was opened; its segments are read when they are looked at."""

    timeline: Timeline
    program: RecordedProgram
    sources: dict[str, str]
    _file: BinaryIO

    def place(self) -> Moment | None:
        """The moment to look at first: the end, or where an error began that was not caught."""
        timeline = self.timeline
        when = self.program.shown or timeline.now
        found = [timeline.moment_at(thread, when) for thread in timeline.chunks.of_thread]
        moment = max((each for each in found if each), key=lambda each: each.when, default=None)
        is_error = failure_of(timeline, moment).isidentifier()  # an exit code is none
        if self.program.shown or is_error:
            while moment is not None and moment.kind in (RAISE, UNWIND):
                before = timeline.before(moment)
                if before is None or before.kind not in (RAISE, UNWIND):
                    break
                moment = before
        return moment

    def check(self) -> None:
        """Read every part of it once. Raises DamagedRecording.

        What a program has left by itself has been read whole.
        """
        chunks = self.timeline.chunks
        for chunk in chunks.all if chunks.load is not None else ():
            data = inflate(chunks.packed(chunk), chunk.raw)
            check_is_as_said(chunk, chunk_of(read_segment(data), data, b"-"))
        moment = self.place()
        if moment is not None:
            self.timeline.stack(moment)

    @property
    def version(self) -> tuple[int, ...]:
        """What tells the file from others, and from what it was before it was written again."""
        found = os.fstat(self._file.fileno())
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def close(self) -> None:
        """What has not been read can't be any more."""
        self._file.close()


def write_recording(
    timeline: Timeline,
    path: Path,
    program: RecordedProgram,
    is_secret: Callable[[str], int] | None = None,
    sources: dict[str, str] | None = None,
) -> None:
    """Write what is known; what has a secret's name is not told. Raises OSError.

    Only who has written it may read it. A file of that name is replaced at the end, so that none is
    ever half written. ``sources`` are the texts of files that can't be read here.
    """
    hider = Hider(timeline, is_secret) if is_secret is not None else None
    with whole_file(str(path)) as file:
        file.write(MAGIC)
        chunks = []
        for chunk in list(timeline.chunks.all):
            told, data = _told(timeline, chunk, hider)
            if told.raw > LARGEST_SEGMENT:
                continue
            chunks.append(
                msgspec.structs.replace(told, offset=file.tell(), packed=b"", packed_size=len(data))
            )
            file.write(data)
        lost = timeline.dropped + len(timeline.chunks.all) - len(chunks)
        _write_index(file, timeline, program, chunks, lost, hider, sources or {})


def _told(timeline: Timeline, chunk: Chunk, hider: Hider | None) -> tuple[Chunk, bytes]:
    """What is told of a segment, and its packed bytes."""
    if hider is None or not hider.may_touch(chunk):
        return chunk, timeline.chunks.packed(chunk)
    segment = hider.hidden(timeline.chunks.unpack(chunk).segment)
    told = chunk_of(segment, write_segment(segment))
    return told, told.packed


def _write_index(
    file: BinaryIO,
    timeline: Timeline,
    program: RecordedProgram,
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
        keys=hider.keys() if hider is not None else list(timeline.keys.values()),
        spaces=list(timeline.spaces.values()),
        sources={**_sources(timeline), **_not_too_large(sources)},
        chunks=chunks,
        base=timeline.base.record(hider.change if hider is not None else None),
        failed=timeline.failed,
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


def _not_too_large(sources: dict[str, str]) -> dict[str, str]:
    return {path: text for path, text in sources.items() if len(text) <= LARGEST_SOURCE}


def open_recording(path: Path) -> RecordingFile:
    """Open a file. Raises DamagedRecording, and OSError where it can't be read."""
    file = path.open("rb")
    try:
        if file.read(len(LEFT_MAGIC)) == LEFT_MAGIC:
            return _read_left(file)
        index = _read_index(file)
        timeline = Timeline(load=_loader(file))
        timeline.threads = index.threads
        timeline.codes = {each.number: each for each in index.codes}
        timeline.take_keys(index.keys)
        timeline.spaces = {each.number: each for each in index.spaces}
        timeline.now, timeline.dropped = index.now, index.dropped
        timeline.failed = index.failed
        timeline.base.take(index.base)
        for chunk in index.chunks:
            timeline.chunks.take(chunk)
    except BaseException:
        file.close()
        raise
    return RecordingFile(timeline, index.program, index.sources, file)


def _read_left(file: BinaryIO) -> RecordingFile:
    """One that a program has left by itself: the segments, read as they were written."""
    if not is_whole(file):
        raise DamagedRecording("The recording is not whole: its end is missing.")
    timeline = Timeline()
    left: Left | None = None
    for packed, raw in read_blocks(file):
        if raw > LARGEST_SEGMENT:
            raise DamagedRecording("A part of the recording is said to be what it can't be.")
        data = inflate(packed, raw)
        if left is None:
            left = _read_head(data)
        else:
            segment = read_segment(data)
            timeline.add(segment, chunk_of(segment, data, packed))
    if left is None:
        raise DamagedRecording("The recording is not whole: nothing is in it.")
    check_program(left.program, left.sources)
    check_numbers((left.dropped,))
    timeline.dropped = max(timeline.dropped, left.dropped)
    return RecordingFile(timeline, left.program, left.sources, file)


def _read_head(data: bytes) -> Left:
    try:  # by Python's own: names of files may be no text at all
        return msgspec.convert(json.loads(data), Left)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise DamagedRecording(f"The recording's beginning can't be read: {error}") from None


def _read_index(file: BinaryIO) -> _Index:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    begin = file.read(len(MAGIC))
    if begin != MAGIC:
        if begin[:-2] in (MAGIC[:-2], LEFT_MAGIC[: len(MAGIC) - 2]):
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
        check_chunk(chunk)
    check_program(index.program, index.sources)
    check_numbers((index.now, index.dropped, index.failed, *index.threads))
    check_codes(index.codes)
    check_keys(index.keys)
    check_numbers(each.number for each in index.spaces)
    check_base(index.base)


def _loader(file: BinaryIO) -> Loader:
    turn = threading.Lock()  # a question asks beside the screen

    def load(chunk: Chunk) -> bytes:
        with turn:
            file.seek(chunk.offset)
            data = file.read(chunk.packed_size)
        if len(data) != chunk.packed_size:
            raise DamagedRecording("The recording is not whole any more.")
        return data

    return load
