"""Attaching by process id never harms: eight kinds of programs, on four Pythons; and what can go
wrong with it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.attachable import attached_session, can_enter
from tests.support.enterable import RUNNING, WAITING, Enterable, enterable
from tests.support.interpreters import SUPPORTED, name_of
from tuidbg.session.state import Status, StopReason

pytestmark = pytest.mark.skipif(not can_enter(), reason="processes can't be traced here")

VERSIONS = {
    v: python for v, python in SUPPORTED.items() if v in ((3, 9), (3, 11), (3, 12), (3, 13))
}
WAIT = 120.0
"""Seconds; patience, on a machine that has all else to do as well."""


def visitors() -> set[int]:
    """Those who go into programs, of this checkout."""
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if folder.name.isdigit() and b"/entering/enter.py" in words:
            found.add(int(folder.name))
    return found


async def is_debugged(program: Enterable, folder: Path, kind: str) -> None:
    """Attach, look, and leave; twice for one that runs."""
    for turn in range(2 if kind == "sleep" else 1):
        own = folder / f"session {kind} {turn}"
        own.mkdir()
        async with attached_session(own, pid=program.process.pid, wait=WAIT) as under_test:
            session = under_test.session
            await session.lifecycle.start()
            assert session.status is Status.RUNNING
            await under_test.until(lambda: session.pid == program.process.pid)
            await under_test.until(lambda: any(t.name == "MainThread" for t in session.threads))
            if kind in RUNNING:
                await session.breakpoints.set(program.path, program.tick)
                await under_test.settled(0)
                assert under_test.line == program.tick
                assert under_test.reason is StopReason.BREAKPOINT


@pytest.mark.parametrize("kinds", [RUNNING, WAITING], ids=["running", "waiting"])
@pytest.mark.parametrize("version", VERSIONS, ids=name_of)
async def test_programs_of_all_kinds_are_entered_and_unharmed(
    version: tuple[int, int], kinds: dict[str, str], tmp_path: Path
) -> None:
    async def is_unharmed(kind: str) -> None:
        async with enterable(tmp_path / kind, VERSIONS[version], kinds[kind]) as program:
            await is_debugged(program, tmp_path, kind)
            if kind in RUNNING:
                await program.goes_on()
            await program.ends_well()

    await asyncio.gather(*map(is_unharmed, kinds))
