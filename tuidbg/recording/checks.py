"""Checks of what a recording's file says, before anything is made of it: it may be a stranger's.

Numbers must be such as tuidbg writes, and what is said of a part must be true. Raises
DamagedRecording, in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from tuidbg.recording.base import BaseRecord
from tuidbg.recording.chunks import Chunk
from tuidbg.recording.leaving.file import LARGEST_SOURCE
from tuidbg.recording.segment import (
    CodeRecord,
    DamagedRecording,
    FrameRecord,
    KeyRecord,
    Program,
    is_number,
    is_token,
)

LAST_YEAR = 4_000_000_000.0
"""Seconds since 1970: a recording is not of a later time than 2096."""


def check_program(program: Program, sources: Mapping[str, str]) -> None:
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
