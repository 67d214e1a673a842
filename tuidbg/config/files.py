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
"""Maximum bytes of a settings or state file."""

LARGEST_SOURCE = 64 * 1024 * 1024
"""Maximum bytes of a source."""

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}

_WAY = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def read_file(path: str | Path, *, limit: int = LARGEST) -> bytes:
    """Read the whole content, of at most ``limit`` bytes.

    Raises OSError, also for a larger file and for anything but a regular file; its ``strerror`` is
    a clause with the reason.
    """
    # Opening a device may have effects, so check first; then check again, as the file may be
    # replaced.
    _check(os.stat(path), path, limit)  # noqa: PTH116 (`path` may be a text)
    with os.fdopen(os.open(path, _WAY), "rb") as file:
        _check(os.fstat(file.fileno()), path, limit)
        data = file.read(limit + 1)
    if len(data) > limit:  # it is growing, or its file system reports no size
        raise _too_large(len(data), path, limit)
    return data


def read_text(
    path: str | Path,
    encoding: str = "utf-8",
    errors: str = "strict",
    *,
    limit: int = LARGEST_SOURCE,
) -> str:
    r"""Read the whole content as text, with ``\n`` line ends. Raises OSError, UnicodeError."""
    data = io.BytesIO(read_file(path, limit=limit))
    return io.TextIOWrapper(data, encoding, errors).read()


def read_source(path: str) -> str | None:
    """Decode a source as Python does, with invalid bytes replaced; None if unreadable."""
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
    """Read the first bytes of a file of any size; empty if unreadable."""
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
    """A missing home folder; ``str()`` is a sentence."""

    def __init__(self) -> None:
        super().__init__("there is no home folder; set HOME")


def user_folder(kind: Literal["state", "data", "cache", "config"]) -> Path:
    """Return the folder of a kind; it may not exist yet. Raises NoHome.

    Without a home its path would be relative to the current folder.
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
    """Return modification time and size; None without such a file."""
    try:
        stat = Path(path).stat()
    except (OSError, ValueError):
        return None
    return stat.st_mtime_ns, stat.st_size
