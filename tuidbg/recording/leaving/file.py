"""The file that a program leaves by itself: what it was, and the segments as it has written them.

Behind ``MAGIC`` stands one block after another, each with its packed size and its own before it;
the first tells the program and its sources (JSON), each of the others is a segment.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from tuidbg.recording.leaving.hiding import HIDDEN, Secrets
from tuidbg.recording.leaving.secret_names import secrecy, without_secrets

MAGIC = b"tuidbg segments 1\n"
_ENDING = b"tuidbg end\n"
_SIZE = 8
_PARTS = 6
LARGEST_SOURCE = 1024 * 1024

Read = Callable[[], Iterable[bytes]]
"""Gives the segments, one after the other, as often as it is called."""


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """A file that has its name only once all of it is written; for its owner alone.

    Raises OSError.
    """
    part = Path(f"{path}.{os.getpid()}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with open(handle, "wb") as file:
            os.fchmod(handle, 0o600)  # one may have been left there by another
            yield file
        part.replace(path)
    except BaseException:
        part.unlink()
        raise


def leave(
    path: str,
    segments: Read,
    program: dict[str, Any],
    sources: dict[str, str],
    is_secret: Callable[[str], int] = secrecy,
    dropped: int = 0,
) -> None:
    """Write a file, without what has a secret's name. Raises OSError.

    ``program`` has the fields of ``recording.file.Program``.
    """
    secrets = _secrets(segments, is_secret)
    command = list(without_secrets(program.get("command", ())))
    head = {"program": {**program, "command": command}, "sources": sources, "dropped": dropped}
    with whole_file(path) as file:
        file.write(MAGIC)
        _write_block(file, json.dumps(head).encode("ascii"))
        for data in segments():
            _write_block(file, _hidden(data, secrets) if secrets.may_hide else data)
        file.write(_ENDING)


def _write_block(file: BinaryIO, data: bytes) -> None:
    packed = zlib.compress(data, 1)
    file.write(len(packed).to_bytes(_SIZE, "little"))
    file.write(len(data).to_bytes(_SIZE, "little"))
    file.write(packed)


def is_whole(file: BinaryIO) -> bool:
    """Whether a file has its end; then it stands behind ``MAGIC``."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - len(_ENDING)))
    has_end = file.read() == _ENDING and size >= len(MAGIC) + len(_ENDING)
    file.seek(len(MAGIC))
    return has_end


def read_blocks(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """The packed blocks, and how large each is said to be; the last may be cut."""
    while True:
        sizes = file.read(2 * _SIZE)
        if sizes == _ENDING:
            return
        size = int.from_bytes(sizes[:_SIZE], "little")
        left = os.fstat(file.fileno()).st_size - file.tell()
        yield file.read(min(size, left)), int.from_bytes(sizes[_SIZE:], "little")
        if len(sizes) < 2 * _SIZE:
            return


# Secrets


def _secrets(segments: Read, is_secret: Callable[[str], int]) -> Secrets:
    secrets = Secrets(is_secret)
    for data in segments():
        head = json.loads(_parts(data)[0])
        secrets.learn(head["keys"], ((code[0], code[2]) for code in head["codes"]))
        secrets.learn_objects(
            (each[0], each[2], each[3] if len(each) > 3 else None) for each in head["objects"]
        )
    if not secrets.may_hide:
        return secrets
    for data in segments():
        head, owners, keys = _columns(data)
        secrets.read_calls((frame[0], frame[1]) for frame in head["frames"])
        secrets.read(owners, keys, head["values"])
    secrets.close()
    if secrets.owners:
        for data in segments():
            _, owners, keys = _columns(data)
            secrets.see(owners, keys)
    return secrets


def _hidden(data: bytes, secrets: Secrets) -> bytes:
    """A segment without what is secret."""
    parts = _parts(data)
    head, owners, keys = _columns(data)
    told, head["values"] = secrets.hidden(owners, keys, head["values"])
    head["keys"] = [[n, letter, secrets.key_token(n, key)] for n, letter, key in head["keys"]]
    if secrets.owners:
        head["keys"].append([secrets.hidden_key, "k", HIDDEN])
    column = array("Q", told)
    if sys.byteorder != "little":
        column.byteswap()
    body = [json.dumps(head).encode("ascii"), *parts[1:-1], column.tobytes()]
    return b"".join([*(len(each).to_bytes(_SIZE, "little") for each in body), *body])


def _columns(data: bytes) -> tuple[dict[str, Any], Sequence[int], Sequence[int]]:
    """What a segment tells before its columns, and those of the owners and the keys."""
    parts = _parts(data)
    return json.loads(parts[0]), _column(parts[-2]), _column(parts[-1])


def _parts(data: bytes) -> list[bytes]:
    sizes = [int.from_bytes(data[i * _SIZE : (i + 1) * _SIZE], "little") for i in range(_PARTS)]
    start, parts = _PARTS * _SIZE, []
    for size in sizes:
        parts.append(data[start : start + size])
        start += size
    return parts


def _column(data: bytes) -> Sequence[int]:
    found = array("Q")
    found.frombytes(data)
    if sys.byteorder != "little":
        found.byteswap()
    return found


# Sources


def read_sources(paths: Iterable[str], cached: dict[str, Any]) -> dict[str, str]:
    """The texts of files; ``cached`` is that of ``linecache``, for what is none."""
    found = {}
    for path in paths:
        try:
            if Path(path).stat().st_size <= LARGEST_SOURCE:
                found[path] = Path(path).read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError):
            kept = cached.get(path)
            if type(kept) is tuple and len(kept) == 4 and type(kept[2]) is list:
                text = "".join(each for each in kept[2] if type(each) is str)
                if len(text) <= LARGEST_SOURCE:
                    found[path] = text
    return found


def paths_of(segments: Read) -> set[str]:
    """The files of the functions that stand in segments."""
    return {code[1] for data in segments() for code in json.loads(_parts(data)[0])["codes"]}
