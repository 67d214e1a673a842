"""Go programs under Delve for tests: sources that it builds, and binaries built once a run."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.native import PROGRAMS
from tests.support.sessions import SessionUnderTest
from tuidbg.adapters.table import find_profile
from tuidbg.config.launch import AttachPlan, LaunchPlan, TargetKind

GO = PROGRAMS / "go"
"""A module each: ``tour`` (steps, packages, tests), ``crowd`` (goroutines, values), ``crash``."""

TOUR = GO / "tour" / "main.go"
CROWD = GO / "crowd" / "main.go"
CRASH = GO / "crash" / "main.go"

OPTIMISED_LESS = "-gcflags=all=-N -l"


def line_of(path: Path, text: str) -> int:
    """The first line of a source that holds a text."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@functools.cache
def built(module: str, *flags: str) -> Path:
    """The binary of a module, by default built for the debugger; workers share it."""
    words = ["go", "build", *(flags or (OPTIMISED_LESS,))]
    sources = sorted((GO / module).rglob("*.go"))
    names = " ".join([*words, str(GO)]).encode()  # a binary names its sources
    state = b"".join(path.read_bytes() for path in sources) + names
    key = hashlib.sha256(state).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"tuidbg-native-{os.getuid()}" / key
    binary = folder / module
    if not binary.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{module}.{os.getpid()}"
        subprocess.run([*words, "-o", str(part), "."], cwd=GO / module, check=True)
        part.rename(binary)
    return binary


@asynccontextmanager
async def go_session(
    folder: Path, target: Path, *args: str, **changes: Any
) -> AsyncIterator[SessionUnderTest]:
    """A session on the real Delve; not started yet. ``changes`` are fields of the plan."""
    fields: dict[str, Any] = {
        "kind": TargetKind.SCRIPT,
        "target": str(target),
        "args": args,
        "cwd": str(folder),
        "python": sys.executable,
        "adapter": "dlv",
        **changes,
    }
    async with _closed_at_last(
        SessionUnderTest(LaunchPlan(**fields), find_profile("dlv"), folder)
    ) as under_test:
        yield under_test


@asynccontextmanager
async def go_attached(folder: Path, **fields: Any) -> AsyncIterator[SessionUnderTest]:
    """A session that attaches to a Go program; not started yet."""
    plan = AttachPlan(cwd=str(folder), python=sys.executable, adapter="dlv", **fields)
    async with _closed_at_last(SessionUnderTest(plan, find_profile("dlv"), folder)) as under_test:
        yield under_test


@asynccontextmanager
async def _closed_at_last(under_test: SessionUnderTest) -> AsyncIterator[SessionUnderTest]:
    try:
        yield under_test
        await under_test.close()
    finally:
        if under_test.closed_in is None:
            await under_test.session.close()
