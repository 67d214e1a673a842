"""Sessions of a compound, on the real debugger: what is asked for in one holds in all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.sessions import SessionUnderTest, debugpy_session, until
from tuidbg.session.core.process_tree.compound import CompoundSession
from tuidbg.session.core.session import Session
from tuidbg.session.model.state import Status

pytestmark = pytest.mark.real

SERVER = """\
import time
import shared
while True:
    shared.step()
    time.sleep(0.01)
"""
CLIENT = """\
import shared
shared.step()
shared.step()
"""
SHARED = """\
def step():
    return 1
"""


@asynccontextmanager
async def compound(
    folder: Path, *, stop_all: bool
) -> AsyncIterator[tuple[SessionUnderTest, SessionUnderTest]]:
    for name, text in (("server.py", SERVER), ("client.py", CLIENT), ("shared.py", SHARED)):
        (folder / name).write_text(text)
    for name in ("a", "b"):
        (folder / name).mkdir()
    async with (
        debugpy_session(folder / "a", folder / "server.py", stop_on_entry=False) as first,
        debugpy_session(folder / "b", folder / "client.py") as second,
    ):
        compound = CompoundSession(first.session, stop_all=stop_all)
        await first.session.breakpoints.set(str(folder / "shared.py"), 2, origin="tui")
        following = asyncio.create_task(compound.follow())
        starting = asyncio.create_task(compound.start(second.session))
        await first.session.lifecycle.start()
        await starting
        try:
            yield first, second
        finally:
            following.cancel()


def numbers(session: Session) -> list[int]:
    return sorted(breakpoint.number for breakpoint in session.breakpoints.registry)


@pytest.mark.full
async def test_breakpoints_are_shared(tmp_path: Path) -> None:
    async with compound(tmp_path, stop_all=False) as (first, second):
        one, other = first.session, second.session
        await until(lambda: one.status is Status.PAUSED, "the server stands at the breakpoint")
        await until(lambda: other.status is Status.PAUSED, "the client's entry")
        assert numbers(other) == numbers(one) == [1]
        await other.breakpoints.set(str(tmp_path / "client.py"), 3, origin="tui")
        await until(lambda: numbers(one) == [1, 2], "the new one is told")
        await one.breakpoints.remove(1, origin="tui")
        await until(lambda: numbers(other) == [2], "its end is told")
        assert other.sources.target.endswith("client.py")
        assert one.sources.target.endswith("server.py")


@pytest.mark.sampled
@pytest.mark.parametrize("stop_all", [True, False])
async def test_the_end_of_one(tmp_path: Path, stop_all: bool) -> None:
    async with compound(tmp_path, stop_all=stop_all) as (first, second):
        await until(lambda: second.session.status is Status.PAUSED, "the client's entry")
        await first.session.breakpoints.remove(1, origin="tui")
        await until(lambda: not numbers(second.session), "it is told")
        await second.session.lifecycle.stop()
        assert second.session.status is Status.TERMINATED
        if stop_all:
            await until(lambda: first.session.status is Status.TERMINATED, "the server ends, too")
        else:
            assert first.session.status in (Status.RUNNING, Status.PAUSED)
