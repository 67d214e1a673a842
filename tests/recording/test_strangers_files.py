"""Recordings are data of strangers: whatever a file says, it is refused in words or is shown."""

from __future__ import annotations

import copy
import json
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from tests.recording.test_file import LEFT, WHOLE
from tuidbg.recording.file import MAGIC
from tuidbg.recording.leaving.file import LARGEST_SOURCE
from tuidbg.recording.leaving.file import MAGIC as LEFT_MAGIC
from tuidbg.recording.timeline import Timeline
from tuidbg.recording.values import ValuesAt, Whole
from tuidbg.session.features.recording.opening import NotOpened, describe, open_checked

ENDING = b"tuidbg end\n"
MOST = 300
"""Moments that are looked at."""

ODD = (1e300, -1e300, float("inf"), float("nan"), -1, 0, 1, 2**31, 2**62, 2**63, 2**64 - 1)
OTHERS: tuple[Any, ...] = (None, True, "", "\ud800", "\x1b]52;c;eA==\a", [], {}, [[]], ["t", [[3]]])
VALUES = st.one_of(
    st.sampled_from([*ODD, *OTHERS]),
    st.integers(0, 60),
    st.sampled_from([["s", "x", 2**70], ["t", []], [7], [2**40], ["-"], ["b", "x", "y"]]),
)


# Files and their parts


def index_of(data: bytes) -> tuple[bytes, Any]:
    """What stands before the index, and the index."""
    size = int.from_bytes(data[-27:-19], "little")
    start = len(data) - 27 - size
    return data[:start], msgspec.msgpack.decode(zlib.decompress(data[start:-27]), strict=False)


def with_index(before: bytes, index: Any) -> bytes:
    data = msgspec.msgpack.encode(index)
    packed = zlib.compress(data)
    sizes = len(packed).to_bytes(8, "little") + len(data).to_bytes(8, "little")
    return before + packed + sizes + ENDING


def blocks_of(data: bytes) -> list[bytes]:
    """The unpacked blocks of a file that a program has left by itself."""
    found, at = [], len(LEFT_MAGIC)
    while data[at:] != ENDING:
        size = int.from_bytes(data[at : at + 8], "little")
        found.append(zlib.decompress(data[at + 16 : at + 16 + size]))
        at += 16 + size
    return found


def with_blocks(blocks: list[bytes]) -> bytes:
    packed = [(zlib.compress(each), len(each)) for each in blocks]
    sizes = [len(each).to_bytes(8, "little") + raw.to_bytes(8, "little") for each, raw in packed]
    body = b"".join(size + each for size, (each, _) in zip(sizes, packed, strict=True))
    return LEFT_MAGIC + body + ENDING


def parts_of(segment: bytes) -> list[bytes]:
    sizes = [int.from_bytes(segment[at : at + 8], "little") for at in range(0, 48, 8)]
    found, at = [], 48
    for size in sizes:
        found.append(segment[at : at + size])
        at += size
    return found


def with_parts(parts: list[bytes]) -> bytes:
    return b"".join([*(len(each).to_bytes(8, "little") for each in parts), *parts])


# What is done with a file


def look(timeline: Timeline) -> None:
    """As the front ends do, at all moments: stacks, variables, values, the ways from there."""
    for count, moment in enumerate(timeline.moments()):
        if count == MOST:
            break
        values = ValuesAt(timeline, moment.when)
        timeline.before(moment), timeline.after(moment), timeline.moments_after(moment)
        for frame in timeline.stack(moment, 20):
            for part in values.variables(frame.owner)[:50]:
                values.text(part.value)
                whole = Whole(values, 2000)
                whole.text(part.value)
                json.dumps(Whole(values, 2000).json(part.value))
                list(timeline.changes(part.owner, part.key))


def is_refused(data: bytes) -> str:
    """Why it is refused; empty where all of it can be looked at."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.recording"
        path.write_bytes(data)
        try:
            opened = open_checked(path)
        except NotOpened as error:
            return str(error)
        try:
            assert describe(opened)
            look(opened.timeline)
        finally:
            opened.close()
    return ""


# Mutants


@st.composite
def places(draw: st.DrawFn, tree: Any) -> tuple[Any, ...]:
    """The way to something in it, chosen at each level: what is small is met as often."""
    path: list[Any] = []
    while isinstance(tree, dict | list) and tree and (not path or draw(st.integers(0, 5))):
        steps = list(tree) if isinstance(tree, dict) else range(len(tree))
        path.append(draw(st.sampled_from(steps)))
        tree = tree[path[-1]]
    return tuple(path)


def changed(tree: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    """A copy in which one place is another."""
    top = [copy.deepcopy(tree)]
    found: Any = top
    for step in (0, *path)[:-1]:
        found = found[step]
    change(found, (0, *path)[-1])
    return top[0]


def _delete(found: Any, key: Any) -> None:
    del found[key]


def _put(value: Any, found: Any, key: Any) -> None:
    found[key] = value


@st.composite
def mutants(draw: st.DrawFn, tree: Any) -> Any:
    for _ in range(draw(st.integers(1, 3))):
        where = draw(places(tree))
        if not where:
            return draw(VALUES)
        if draw(st.integers(0, 4)):
            value = draw(VALUES)
            tree = changed(tree, where, partial(_put, value))
        else:
            tree = changed(tree, where, _delete)
    return tree


BEFORE, INDEX = index_of(WHOLE)
BLOCKS = blocks_of(LEFT)


def test_the_files_are_taken_to_pieces_rightly() -> None:
    assert is_refused(with_index(BEFORE, INDEX)) == ""
    assert is_refused(with_blocks(BLOCKS)) == ""
    assert [with_parts(parts_of(each)) for each in BLOCKS[1:]] == BLOCKS[1:]
    assert WHOLE.startswith(MAGIC)


BIG = {"/made/program.py": "x;" * LARGEST_SOURCE}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"program": {"at": 1e300}}, "a time that can't be"),
        ({"program": {"at": float("inf")}}, "a time that can't be"),
        ({"program": {"at": float("nan")}}, "a time that can't be"),
        ({"program": {"shown": -5}}, "a number of the recording is none"),
        ({"sources": BIG}, "a source of the recording is larger"),
        ({"dropped": -1}, "a number of the recording is none"),
        ({"keys": []}, ""),
        ({"codes": [], "spaces": []}, ""),
    ],
)
@pytest.mark.parametrize("is_left", [False, True], ids=["written", "left"])
def test_what_can_not_be_is_refused_in_words(
    change: dict[str, Any], told: str, is_left: bool
) -> None:
    if is_left and not {"keys", "codes"} & change.keys():
        head = {**json.loads(BLOCKS[0]), **change}
        data = with_blocks([json.dumps(head).encode(), *BLOCKS[1:]])
    elif is_left:
        parts = parts_of(BLOCKS[1])
        named = {"keys": [], "codes": [], "objects": []} if "codes" in change else change
        head = {**json.loads(parts[0]), **named}
        segment = with_parts([json.dumps(head).encode(), *parts[1:]])
        data = with_blocks([BLOCKS[0], segment, *BLOCKS[2:]])
    else:
        data = with_index(BEFORE, {**INDEX, **change})
    assert told in is_refused(data) if told else is_refused(data) == ""


@pytest.mark.parametrize(("place", "value"), [(1, 0), (2, 999), (5, 3), (3, 1), (4, 9)])
def test_a_part_is_what_the_index_says(place: int, value: int) -> None:
    index = copy.deepcopy(INDEX)
    index["chunks"][1][place] = value
    index["now"] = max(index["now"], value)
    assert "part of the recording is not what it is said to be" in is_refused(
        with_index(BEFORE, index)
    )


@given(mutants(INDEX))
def test_an_index_of_anything(index: Any) -> None:
    try:
        data = with_index(BEFORE, index)
    except (OverflowError, UnicodeEncodeError):
        reject()  # no file can say that
    is_refused(data)


@given(mutants(json.loads(BLOCKS[0])))
def test_a_beginning_of_anything(head: Any) -> None:
    is_refused(with_blocks([json.dumps(head).encode(), *BLOCKS[1:]]))


@given(mutants(json.loads(parts_of(BLOCKS[1])[0])), st.integers(0, 4), st.binary(max_size=16))
def test_a_segment_of_anything(head: Any, column: int, other: bytes) -> None:
    parts = [json.dumps(head).encode(), *parts_of(BLOCKS[1])[1:]]
    if len(other) % 8 == 0:
        parts[1 + column] = other + parts[1 + column][len(other) :]
    segment = with_parts(parts)
    is_refused(with_blocks([BLOCKS[0], segment, *BLOCKS[2:]]))
