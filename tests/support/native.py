"""Native programs for tests, compiled once a run, and what says that an adapter is missing."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.table import find_profile

PROGRAMS = Path(__file__).parents[1] / "programs"
"""The sources of native programs, by their names."""


def _is_missing(adapter: str) -> bool:
    try:
        find_profile(adapter).command()
    except AdapterNotStarted:
        return True
    return False


needs_lldb = pytest.mark.skipif(_is_missing("lldb-dap"), reason="lldb-dap is not installed")
needs_cc = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler is installed")
needs_delve = pytest.mark.skipif(
    _is_missing("dlv") or shutil.which("go") is None, reason="Delve or Go is not installed"
)


@functools.cache
def compiled(name: str, *options: str) -> Path:
    """The binary of ``tests/programs/NAME`` (C, C++), built with debug information.

    Several test workers share it: it is built beside and moved into its place.
    """
    source = PROGRAMS / name
    compiler = "g++" if source.suffix == ".cpp" else "gcc"
    words = [compiler, "-g", "-O0", "-pthread", *options]
    key = hashlib.sha256(source.read_bytes() + " ".join(words).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"tuidbg-native-{os.getuid()}" / key
    binary = folder / source.stem
    if not binary.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{source.stem}.{os.getpid()}"
        subprocess.run([*words, "-o", str(part), str(source)], check=True)
        part.rename(binary)
    return binary
