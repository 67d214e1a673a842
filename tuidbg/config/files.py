"""The user's files for tuidbg: their folders, and reading that refuses pipes and devices."""

from __future__ import annotations

import errno
import io
import os
import stat
import tokenize
from pathlib import Path
from typing import Literal

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


class NoHome(OSError):
    """There is no folder of the user's; ``str()`` is a sentence."""

    def __init__(self) -> None:
        super().__init__("there is no home folder; set HOME")


def user_folder(kind: Literal["state", "data", "cache", "config"]) -> Path:
    """The folder of that kind, which may not be there yet. Raises NoHome.

    Without a home the parts of its path would be made in the current folder.
    """
    import platformdirs

    find = {
        "state": platformdirs.user_state_dir,
        "data": platformdirs.user_data_dir,
        "cache": platformdirs.user_cache_dir,
        "config": platformdirs.user_config_dir,
    }[kind]
    try:
        folder = Path(find("tuidbg"))
    except (OSError, RuntimeError):
        raise NoHome from None
    if not folder.is_absolute():
        raise NoHome
    return folder


def file_stamp(path: str) -> tuple[int, int] | None:
    """Its time and size; None where there is no such file."""
    try:
        stat = Path(path).stat()
    except (OSError, ValueError):
        return None
    return stat.st_mtime_ns, stat.st_size
