"""Native programs for tests, compiled once a run, and what says that an adapter is missing."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.sessions import SessionUnderTest
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.table import find_profile
from tuidbg.config.launch import LaunchPlan, TargetKind

PROGRAMS = Path(__file__).parents[1] / "programs"
"""The sources of native programs, by their names."""


def _is_missing(adapter: str) -> bool:
    try:
        find_profile(adapter).start.command()
    except AdapterNotStarted:
        return True
    return False


@functools.cache
def is_older_lldb() -> bool:
    """Returns whether lldb-dap is one before 20, with gaps that ``tuidbg adapters`` names."""
    profile = find_profile("lldb-dap")
    return not _is_missing("lldb-dap") and bool(profile.start.gaps(profile.start.read_version()))


needs_lldb = pytest.mark.native("lldb-dap is not installed" if _is_missing("lldb-dap") else "")
needs_cc = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler is installed")
needs_delve = pytest.mark.native(
    "Delve or Go is not installed" if _is_missing("dlv") or shutil.which("go") is None else ""
)


@functools.cache
def compiled(name: str, *options: str) -> Path:
    """The binary of ``tests/programs/NAME`` (C, C++), built with debug information.

    Several test workers share it: it is built beside and moved into its place.
    """
    source = PROGRAMS / name
    compiler = "g++" if source.suffix == ".cpp" else "gcc"
    words = [compiler, "-g", "-O0", "-pthread", *options]
    state = source.read_bytes() + " ".join([*words, str(source)]).encode()  # it names its sources
    key = hashlib.sha256(state).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"tuidbg-native-{os.getuid()}" / key
    binary = folder / source.stem
    if not binary.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{source.stem}.{os.getpid()}"
        subprocess.run([*words, "-o", str(part), str(source)], check=True)
        part.rename(binary)
    return binary


def line_of(program: str, text: str) -> int:
    """The first line of ``tests/programs/PROGRAM`` with that text in it, from 1."""
    lines = (PROGRAMS / program).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@asynccontextmanager
async def lldb_session(
    folder: Path, program: str | Path, *args: str, **changes: Any
) -> AsyncIterator[SessionUnderTest]:
    """A session on the real lldb-dap; not started yet. ``changes`` are fields of the plan.

    ``program`` is a source of ``tests/programs``, or the path of a binary.
    """
    binary = compiled(program) if isinstance(program, str) else program
    fields: dict[str, Any] = {
        "kind": TargetKind.SCRIPT,
        "target": str(binary),
        "args": args,
        "cwd": str(folder),
        "python": "",
        "adapter": "lldb-dap",
        **changes,
    }
    under_test = SessionUnderTest(LaunchPlan(**fields), find_profile("lldb-dap"), folder)
    try:
        yield under_test
        await under_test.close()
    finally:
        if under_test.closed_in is None:
            await under_test.session.close()
