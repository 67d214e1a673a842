"""Bytecode in a folder of the user's, where Python can't or may not write it beside the sources.

That is so in an installation that root owns, and with ``PYTHONDONTWRITEBYTECODE``, as container
images set it: all of tuidbg and Textual would be compiled at each start. Only tuidbg's own process
reads and writes there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from pathlib import Path

MOST_KEPT = 4
"""Environments whose bytecode is kept: those started last. One takes some 20 MB."""


def use(folder: Path) -> bool:
    """Import with bytecode from ``folder`` from now on; False if others could write there."""
    own = folder / hashlib.sha256(os.fsencode(sys.prefix)).hexdigest()[:16]
    try:
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
        own, folder = own.resolve(), folder.resolve()
        if not all(_is_safe(each) for each in (folder.parent.parent, folder.parent, folder, own)):
            return False
        os.utime(own)
        _remove_oldest(folder)
    except OSError:
        return False

    class Loader(SourceFileLoader):
        """Bytecode beside the source comes first, then that of the folder."""

        def get_data(self, path: str) -> bytes:
            try:
                return super().get_data(path)
            except OSError:
                if not path.endswith(".pyc"):
                    raise
                return super().get_data(f"{own}{path}")

        def set_data(self, path: str, data: bytes, *, _mode: int = 0o666) -> None:  # type: ignore[override]
            super().set_data(f"{own}{path}", data, _mode=_mode & 0o600)

    sys.path_hooks.insert(
        0,
        FileFinder.path_hook(
            (ExtensionFileLoader, EXTENSION_SUFFIXES),
            (Loader, SOURCE_SUFFIXES),
            (SourcelessFileLoader, BYTECODE_SUFFIXES),
        ),
    )
    sys.path_importer_cache.clear()
    sys.dont_write_bytecode = False  # for this process: its children have the variable still
    return True


def _is_safe(folder: Path) -> bool:
    """Return whether nobody else can replace what is in it: bytecode is code."""
    found = folder.lstat()
    is_ours = found.st_uid in (os.geteuid(), 0)
    return stat.S_ISDIR(found.st_mode) and is_ours and not found.st_mode & 0o022


def _remove_oldest(folder: Path) -> None:
    kept = sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True)
    for each in kept[MOST_KEPT:]:
        shutil.rmtree(each, ignore_errors=True)
