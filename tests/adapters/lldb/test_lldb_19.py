"""lldb-dap 19, of which there is a recording only: Debian has it instead of 22, never beside it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support import replaying
from tests.support.native import compiled, needs_cc
from tests.support.sessions import SessionUnderTest
from tuidbg.adapters.lldb.profile import LldbProfile, LldbStart
from tuidbg.config.launch import Console, LaunchPlan, TargetKind
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.model.state import BreakpointStatus, ExitState, StopReason

RECORDING = Path(replaying.__file__).with_name("lldb_19.json")
SOURCE = "/home/user/demo/basic.c"

pytestmark = [pytest.mark.real, needs_cc]


class RecordedStart(LldbStart):
    """The adapter is the recording."""

    def command(self, address: str = "") -> list[str]:
        return [sys.executable, replaying.__file__, str(RECORDING)]


class RecordedProfile(LldbProfile):
    """The profile of lldb-dap, whose adapter is the recording."""

    start = RecordedStart()


@pytest.fixture
async def recorded(tmp_path: Path) -> AsyncIterator[SessionUnderTest]:
    """A session at the breakpoint of the recording."""
    plan = LaunchPlan(
        kind=TargetKind.SCRIPT,
        target=str(compiled("totals.c")),
        cwd=str(tmp_path),
        python="",
        stop_on_entry=False,
        console=Console.INTERNAL,
        adapter="lldb-dap",
    )
    test = SessionUnderTest(plan, RecordedProfile(), tmp_path)
    await test.session.breakpoints.set(SOURCE, 16, origin="tui")
    await test.start()
    yield test
    await test.close()


async def test_the_launch_is_answered_before_it_is_configured(recorded: SessionUnderTest) -> None:
    assert (recorded.reason, recorded.line) == (StopReason.BREAKPOINT, 16)
    assert recorded.hits == (1,)
    assert recorded.breakpoint(16).status is BreakpointStatus.SET
    await recorded.until(lambda: [t.name for t in recorded.session.threads] == ["basic"])


async def test_steps_locals_and_values(recorded: SessionUnderTest) -> None:
    found = await recorded.locals()
    assert (found["n"].value, found["total"].value) == ("10", "0")
    await recorded.go(Resume.STEP_IN)
    assert (recorded.session.frames[0].name, recorded.line) == ("add", 8)
    await recorded.go(Resume.STEP_OVER)
    assert recorded.line == 10
    await recorded.go(Resume.STEP_OUT)
    assert (recorded.reason, recorded.line) == (StopReason.STEP, 16)


async def test_what_it_can_not_do_is_never_asked_for(recorded: SessionUnderTest) -> None:
    """LLDB is asked by commands, which the recording knows nothing of; the real one dies of it."""
    session = recorded.session
    block = await NativeViews.of(session).memory.read(0x555555555163, 16)
    assert (block.data, block.unreadable) == (b"", 16)
    refused = await session.breakpoints.set_address(0x555555555163, origin="tui")
    assert refused.status is BreakpointStatus.REFUSED
    assert not recorded.sent("readMemory") and not recorded.sent("setInstructionBreakpoints")
    missing = await session.breakpoints.set(SOURCE, 9999, origin="tui")
    assert missing.status is not BreakpointStatus.SET
    assert not session.adapter.client or not session.adapter.client.gone


async def test_its_crash_at_the_end_is_no_failure(recorded: SessionUnderTest) -> None:
    await recorded.go(Resume.CONTINUE)
    assert recorded.session.exit == ExitState(code=0)
    assert "result 45 hello" in recorded.console
    assert "PLEASE submit" not in recorded.console
