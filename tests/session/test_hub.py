"""The sessions of a process: how many, which is current, until when, and what is left of them."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from tests.support.relay import make_hub
from tests.support.sessions import until, within
from tuidbg.api.feed.events import EventType
from tuidbg.api.feed.feed import feed_of
from tuidbg.config.launch import Console, LaunchPlan, TargetKind
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession, SessionChosen, SessionConfig, SessionRemoved
from tuidbg.session.model.errors import (
    InvalidSessionState,
    LaunchFailed,
    ScriptDoesNotCompile,
    ScriptNotFound,
    SessionExpired,
    SessionLimitReached,
    SessionNotFound,
)
from tuidbg.session.model.events import ProgramStarted
from tuidbg.session.model.state import Status

pytestmark = pytest.mark.real

CONFIG = SessionConfig(project_root="/", python_path="python3")


def plan_of(script: Path, **more: object) -> LaunchPlan:
    import sys

    fields: dict[str, object] = {
        "kind": TargetKind.SCRIPT,
        "target": str(script),
        "cwd": str(script.parent),
        "python": sys.executable,
        "console": Console.INTERNAL,
        "stop_on_entry": False,
        **more,
    }
    return LaunchPlan(**fields)  # type: ignore[arg-type]


@pytest.fixture
async def hub():  # type: ignore[no-untyped-def]
    made, guard = make_hub()
    yield made
    await made.close()
    await guard.until_nothing_left()


async def test_ids_names_and_expiry_of_a_new_session(hub: Hub) -> None:
    member = hub.create(CONFIG, timeout_minutes=5, origin="rest")
    assert member.id.removeprefix("sess_") and len(member.id) == 13
    int(member.id.removeprefix("sess_"), 16)
    assert member.name == f"session-{member.id.removeprefix('sess_')}"
    assert member.expires_at == member.created_at + 300
    assert member.session.status is Status.CREATED
    assert list(hub) == [member] and hub.current is member
    assert hub.create(CONFIG, name="mine", origin="rest").name == "mine"


async def test_parallel_creates_never_pass_the_limit(hub: Hub) -> None:
    async def create() -> bool:
        await asyncio.sleep(0)
        try:
            hub.create(CONFIG, origin="rest")
        except SessionLimitReached:
            return False
        return True

    for _ in range(4):
        hub.create(CONFIG, origin="rest")
    made = await asyncio.gather(*(create() for _ in range(10)))
    assert sum(made) == 6 and len(hub) == 10
    await hub.delete(next(iter(hub)).id, origin="rest")
    hub.create(CONFIG, origin="rest")
    with pytest.raises(SessionLimitReached):
        hub.create(CONFIG, origin="rest")


async def test_idle_sessions_expire_and_are_remembered(hub: Hub) -> None:
    member = hub.create(CONFIG, origin="rest")
    other = hub.create(CONFIG, origin="rest")
    member.last_used -= 3600
    with pytest.raises(SessionExpired):  # also before anybody has swept
        hub.use(member.id)
    hub._is_changed.set()
    await until(lambda: len(hub) == 1, "the idle one has ended")
    with pytest.raises(SessionExpired):
        hub.get(member.id)
    with pytest.raises(SessionNotFound):
        hub.get("sess_00000000")
    assert hub.current is other
    removed = [e.event for e in hub.events.since(0) if isinstance(e.event, SessionRemoved)]
    assert removed == [SessionRemoved(id=member.id, expired=True)]


async def test_a_new_session_wakes_the_sweeper(hub: Hub) -> None:
    hub.create(CONFIG, origin="rest")
    await asyncio.sleep(0)  # the sweeper sleeps until the first would expire
    soon = hub.create(CONFIG, origin="rest")
    soon.timeout = 0.1
    soon.last_used = time.time()
    hub._is_changed.set()
    await until(lambda: len(hub) == 1, "the short one has ended", timeout=3.0)


async def test_use_moves_the_expiry(hub: Hub) -> None:
    member = hub.create(CONFIG, origin="rest")
    member.last_used -= 100
    before = member.expires_at
    assert before is not None
    assert (hub.use(member.id).expires_at or 0) > before + 99


async def test_parked_and_watched_sessions_never_expire(hub: Hub) -> None:
    parked, watched = hub.create(CONFIG, origin="rest"), hub.create(CONFIG, origin="rest")
    parked.is_parked, watched.watchers = True, 1
    for member in (parked, watched):
        member.last_used -= 10**6
        assert member.expires_at is None and hub.use(member.id) is member


async def test_the_current_session_follows_choices_and_ends(hub: Hub) -> None:
    first, second = hub.create(CONFIG, origin="rest"), hub.create(CONFIG, origin="rest")
    assert hub.current is second
    hub.choose(first.id, origin="tui")
    assert hub.current is first
    await hub.delete(first.id, origin="rest")
    assert hub.current is second
    await hub.delete(second.id, origin="rest")
    assert hub.current is None
    chosen = [e.event.id for e in hub.events.since(0) if isinstance(e.event, SessionChosen)]
    assert chosen == [first.id, second.id, first.id, second.id, ""]
    with pytest.raises(SessionNotFound):
        await hub.delete(second.id, origin="rest")


async def test_two_deletes_at_once_end_it_once(hub: Hub) -> None:
    member = hub.create(CONFIG, origin="rest")
    results = await asyncio.gather(
        hub.delete(member.id, origin="rest"),
        hub.delete(member.id, origin="rest"),
        return_exceptions=True,
    )
    assert sorted(type(r).__name__ for r in results) == ["Deleted", "SessionNotFound"]


def script(tmp_path: Path, text: str = "import time\ntime.sleep(60)\n") -> Path:
    path = tmp_path / "main.py"
    path.write_text(text)
    return path


@pytest.mark.full
async def test_a_start_that_can_be_mended_leaves_it_created(hub: Hub, tmp_path: Path) -> None:
    member = hub.create(CONFIG, origin="rest")
    with pytest.raises(ScriptNotFound):
        await hub.launch(member, plan_of(tmp_path / "nowhere.py"), origin="rest")
    path = script(tmp_path, "if x == 1\n")
    with pytest.raises(ScriptDoesNotCompile) as error:
        await hub.launch(member, plan_of(path), origin="rest")
    assert (error.value.line, error.value.text) == (1, "if x == 1\n")
    assert member.session.status is Status.CREATED and member.program is None
    script(tmp_path, "print('well')\n")
    await hub.launch(member, plan_of(path), origin="rest")
    await until(lambda: member.session.status is Status.TERMINATED)
    types = [e.type for e in feed_of(member).events_after(0, 100).entries]
    assert types.count(EventType.TERMINATED) == 1
    assert member.runtime_seconds > 0 and member.pid is not None


async def test_a_missing_folder_or_interpreter_fails_for_good(hub: Hub, tmp_path: Path) -> None:
    path = script(tmp_path)
    for wrong in ({"cwd": str(tmp_path / "no")}, {"python": str(tmp_path / "python")}):
        member = hub.create(CONFIG, origin="rest")
        with pytest.raises(LaunchFailed):
            await hub.launch(member, plan_of(path, **wrong), origin="rest")
        assert member.session.status is Status.FAILED and member.session.failure
        with pytest.raises(InvalidSessionState):
            await hub.launch(member, plan_of(path), origin="rest")


@pytest.mark.full
async def test_two_launches_at_once_start_one_program(hub: Hub, tmp_path: Path) -> None:
    member = hub.create(CONFIG, origin="rest")
    plan = plan_of(script(tmp_path))
    results = await asyncio.gather(
        hub.launch(member, plan, origin="rest"),
        hub.launch(member, plan, origin="rest"),
        return_exceptions=True,
    )
    assert sorted(type(r).__name__ for r in results) == ["InvalidSessionState", "NoneType"]
    started = [e for e in member.session.events.since(0) if isinstance(e.event, ProgramStarted)]
    assert len(started) == 1


@pytest.mark.full
async def test_a_launch_that_stops_on_entry_stands_there(hub: Hub, tmp_path: Path) -> None:
    member = hub.create(CONFIG, origin="rest")
    await hub.launch(member, plan_of(script(tmp_path), stop_on_entry=True), origin="rest")
    assert member.session.status is Status.PAUSED


@pytest.mark.full
async def test_delete_tells_what_was_and_leaves_nothing(tmp_path: Path) -> None:
    hub, guard = make_hub()
    member = hub.create(CONFIG, origin="rest")
    await hub.launch(member, plan_of(script(tmp_path)), origin="rest")
    assert guard.remains()
    deleted = await hub.delete(member.id, origin="rest")
    assert deleted.final_status is Status.TERMINATED and deleted.runtime_seconds > 0
    await guard.until_nothing_left()
    await hub.close()


async def test_delete_ends_whoever_waits_for_events(hub: Hub) -> None:
    member: HubSession = hub.create(CONFIG, origin="rest")
    waiting = asyncio.create_task(feed_of(member).wait_for_events(feed_of(member).last_seq, 30))
    await asyncio.sleep(0)
    await hub.delete(member.id, origin="rest")
    await within(2, waiting)


async def test_holding_is_told_once(hub: Hub) -> None:
    hub.hold("I look at it myself")
    assert hub.held == "I look at it myself"
    hub.hand_back()
    hub.hand_back()
    assert hub.held is None
    kinds = [type(e.event).__name__ for e in hub.events.since(0)]
    assert kinds == ["AgentsHeld", "AgentsHeld"]


@pytest.mark.full
async def test_a_program_that_ran_before_it_was_served_has_run_since_its_start(
    hub: Hub, tmp_path: Path
) -> None:
    first = hub.create(CONFIG, origin="rest")
    await hub.launch(
        first, plan_of(script(tmp_path, "import time\ntime.sleep(60)\n")), origin="rest"
    )
    later = hub.adopt(first.session, origin="tui")
    assert later.started_at is not None and first.started_at is not None
    assert first.started_at <= later.started_at <= time.time()
    assert later.runtime_seconds > 0
