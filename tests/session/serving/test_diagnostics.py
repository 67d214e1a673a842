"""The lines of the log: what they say, for each reader on its own, however slow it is."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.sessions import KeepingGuard, within
from tests.support.waiting import PATIENCE
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.config.launch import Plan
from tuidbg.session.core.session import Session
from tuidbg.session.hub.diagnostics import AHEAD, DiagnosticLine, Diagnostics
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession, SessionConfig
from tuidbg.session.model.events import StatusChanged
from tuidbg.session.model.state import Status


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    """Without a session."""

    def make(plan: Plan) -> Session:
        return Session(plan, DebugpyProfile(), KeepingGuard())

    hub = Hub(make)
    yield hub
    await hub.close()


def add(hub: Hub, folder: Path) -> HubSession:
    """A session that runs nothing."""
    return hub.create(
        SessionConfig(project_root=str(folder), python_path=sys.executable), origin="rest"
    )


async def take(lines: AsyncIterator[DiagnosticLine], text: str) -> list[DiagnosticLine]:
    """The lines up to the first one with that text."""
    taken: list[DiagnosticLine] = []
    async with asyncio.timeout(PATIENCE):
        async for line in lines:
            taken.append(line)
            if text in line.text:
                return taken
    raise AssertionError(f"no line with {text!r} in {taken}")


async def test_a_new_reader_gets_the_past_in_its_order_and_then_what_comes(
    hub: Hub, tmp_path: Path
) -> None:
    diagnostics = Diagnostics(hub)
    member = add(hub, tmp_path)
    member.session.notify("first", "warning")
    with hub.activity.note("stacktrace", actor="agent", origin="bridge") as call:
        call.succeed("ok")
    member.session.notify("second", "error")
    lines = diagnostics.follow()
    texts = [line.text for line in await take(lines, "second")]
    assert texts[:3] == [
        f"session {member.id} is there",
        f"session {member.id} is the current one",
        "first",
    ]
    assert texts[3] == "agent calls stacktrace" and texts[4].startswith("stacktrace done: ok (")
    later = add(hub, tmp_path)  # one that is new since
    later.session.notify("third")
    line = (await take(lines, "third"))[-1]
    assert (line.component, line.level) == (later.id, "INFO")
    await lines.aclose()


async def test_a_session_that_is_gone_is_followed_no_more(hub: Hub, tmp_path: Path) -> None:
    lines = Diagnostics(hub).follow()
    gone, stays = add(hub, tmp_path), add(hub, tmp_path)
    await take(lines, f"session {stays.id} is the current one")
    await hub.delete(gone.id, origin="rest")
    await take(lines, f"session {gone.id} is gone")
    gone.session.notify("ghost")
    stays.session.notify("alive")
    assert all("ghost" not in line.text for line in await take(lines, "alive"))
    await lines.aclose()


async def test_a_slow_reader_loses_lines_and_is_told_while_others_get_all(
    hub: Hub, tmp_path: Path
) -> None:
    diagnostics, member = Diagnostics(hub), add(hub, tmp_path)
    slow, quick = diagnostics.follow(), diagnostics.follow()
    for lines in (slow, quick):
        await take(lines, "is the current one")
    taking = asyncio.create_task(take(quick, "number 1999"))
    for number in range(2_000):
        member.session.notify(f"number {number}")
        if number % 100 == 0:
            await asyncio.sleep(0)  # as between two messages of an adapter
    assert len(await taking) == 2_000
    told = await take(slow, "number 1999")
    assert told[0].level == "WARN" and "lines were dropped" in told[0].text
    assert len(told) == AHEAD + 1
    for lines in (slow, quick):
        await lines.aclose()


async def test_readers_end_when_it_is_closed(hub: Hub, tmp_path: Path) -> None:
    diagnostics = Diagnostics(hub)
    add(hub, tmp_path)

    async def read_all() -> None:
        async for _ in diagnostics.follow():
            pass

    readers = [asyncio.create_task(read_all()) for _ in range(3)]
    await asyncio.sleep(0)
    diagnostics.close()
    await within(5, asyncio.gather(*readers))
    await within(5, read_all())  # who comes later ends at once


async def test_a_reader_that_has_gone_leaves_nothing_behind(hub: Hub, tmp_path: Path) -> None:
    diagnostics = Diagnostics(hub)
    add(hub, tmp_path)
    before = len(asyncio.all_tasks())
    lines = diagnostics.follow()
    await take(lines, "is the current one")
    await lines.aclose()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == before


def test_a_line_is_one_line_whatever_it_tells() -> None:
    line = DiagnosticLine(time=1.5, level="INFO", component="hub", text="one\ntwo\r\nthree")
    assert str(line) == "[1970-01-01T00:00:01.500Z] [INFO] [hub] one | two | three"


async def test_a_failed_session_is_an_error(hub: Hub, tmp_path: Path) -> None:
    member, lines = add(hub, tmp_path), Diagnostics(hub).follow()
    member.session.publish(StatusChanged(status=Status.FAILED, reason="debugpy was ended"))
    line = (await take(lines, "status failed"))[-1]
    assert (line.level, line.text) == ("ERROR", "status failed: debugpy was ended")
    await lines.aclose()
