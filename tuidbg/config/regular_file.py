"""The one place through which files of the person are read: regular ones, of a sensible size.

A FIFO waits for a writer that never comes, a device never ends, and a gigabyte is no setting: any
of these by the name of a file that tuidbg reads by itself would hang it or eat the memory.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import tokenize
from pathlib import Path

LARGEST = 16 * 1024 * 1024
"""Bytes of a file of settings, or of what is kept between runs."""

LARGEST_SOURCE = 64 * 1024 * 1024
"""Bytes of a source."""

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}

_WAY = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def read_file(path: str | Path, *, limit: int = LARGEST) -> bytes:
    """The whole content, of ``limit`` bytes at most.

    Raises OSError, also for a larger file and for what is no regular file; its ``strerror`` is a
    clause that says why.
    """
    # A device may do something when it is opened, so look first; another may take its place.
    _check(os.stat(path), path, limit)  # noqa: PTH116 (`path` may be a text)
    with os.fdopen(os.open(path, _WAY), "rb") as file:
        _check(os.fstat(file.fileno()), path, limit)
        data = file.read(limit + 1)
    if len(data) > limit:  # it grows, or its file system does not tell
        raise _too_large(len(data), path, limit)
    return data


def read_text(
    path: str | Path,
    encoding: str = "utf-8",
    errors: str = "strict",
    *,
    limit: int = LARGEST_SOURCE,
) -> str:
    """The whole content as text, with ``\\n`` for any line's end. Raises OSError, UnicodeError."""
    data = io.BytesIO(read_file(path, limit=limit))
    return io.TextIOWrapper(data, encoding, errors).read()


def read_source(path: str) -> str | None:
    """The text of a source as Python decodes it, damaged bytes replaced; None if unreadable."""
    try:
        data = read_file(path, limit=LARGEST_SOURCE)
    except (OSError, ValueError):
        return None
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except (SyntaxError, UnicodeDecodeError):
        encoding = "utf-8-sig"
    return data.decode(encoding, errors="replace")


def read_head(path: str | Path, size: int) -> bytes:
    """The first bytes of a file of any size; none where they can't be read."""
    try:
        _check(os.stat(path), path, None)  # noqa: PTH116
        with os.fdopen(os.open(path, _WAY), "rb") as file:
            return file.read(size)
    except OSError:
        return b""


def _check(found: os.stat_result, path: str | Path, limit: int | None) -> None:
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        what = _KINDS.get(kind, "something else")
        code = errno.EISDIR if kind == stat.S_IFDIR else errno.EINVAL
        raise OSError(code, f"it is {what}, not a regular file", str(path))
    if limit is not None and found.st_size > limit:
        raise _too_large(found.st_size, path, limit)


def _too_large(size: int, path: str | Path, limit: int) -> OSError:
    why = f"it is too large ({size:,} bytes; {limit:,} are the most)"
    return OSError(errno.EFBIG, why, str(path))
