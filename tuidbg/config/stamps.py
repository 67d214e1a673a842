"""Tells one state of a file from another without reading it."""

from __future__ import annotations

from pathlib import Path


def file_stamp(path: str) -> tuple[int, int] | None:
    """Its time and size; None where there is no such file."""
    try:
        stat = Path(path).stat()
    except (OSError, ValueError):
        return None
    return stat.st_mtime_ns, stat.st_size
