"""Core files of native programs, on the real lldb-dap."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.native import compiled, is_older_lldb, lldb_session, needs_cc, needs_lldb
from tests.support.sessions import SessionUnderTest
from tuidbg.adapters.table import find_profile
from tuidbg.config.launch import AttachPlan
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.native.cores import save_core
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.model.errors import AttachFailed, DebuggerError, PostMortem
from tuidbg.session.model.state import Status, StopReason

pytestmark = [pytest.mark.real, needs_lldb, needs_cc]


@pytest.fixture
async def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The core file of a program that has used memory it does not have; made once."""
    path = tmp_path_factory.getbasetemp() / "a core"
    if path.exists():
        return path
    folder = tmp_path_factory.mktemp("core")
    async with lldb_session(folder, "signals.c", "segv", stop_on_entry=False) as test:
        await test.start()
        await save_core(test.session, path)
    return path


@asynccontextmanager
async def opened(folder: Path, core: Path, program: str = "") -> AsyncIterator[SessionUnderTest]:
    plan = AttachPlan(
        core=str(core), program=program, cwd=str(folder), python="", adapter="lldb-dap"
    )
    test = SessionUnderTest(plan, find_profile("lldb-dap"), folder)
    try:
        yield test
        await test.close()
    finally:
        if test.closed_in is None:
            await test.session.close()


class TestLooking:
    async def test_stack_locals_and_memory_are_there(self, tmp_path: Path, core: Path) -> None:
        async with opened(tmp_path, core, str(compiled("signals.c"))) as test:
            await test.start()
            assert (test.session.status, test.reason) == (Status.PAUSED, StopReason.EXCEPTION)
            assert test.session.stop is not None
            assert test.session.stop.signal == "SIGSEGV"
            if is_older_lldb():
                assert test.session.stop.description == "memory was used that is not the program's"
            else:
                assert test.session.stop.description == "there is no memory at 0x10"
            assert [frame.name for frame in test.session.frames[:2]] == ["deep", "main"]
            found = await test.locals()
            assert int(found["where"].value, 16) == 16
            place = await NativeViews.of(test.session).memory.find(
                "&where", test.session.frames[0].id
            )
            block = await NativeViews.of(test.session).memory.read(place, 8)
            assert block.data == (16).to_bytes(8, "little")
            assert len(await test.session.inspection.threads()) == 1

    @pytest.mark.full
    async def test_the_program_need_not_be_named(self, tmp_path: Path, core: Path) -> None:
        async with opened(tmp_path, core) as test:
            await test.start()
            assert test.session.frames[0].name == "deep"

    async def test_what_needs_a_living_program_says_so(self, tmp_path: Path, core: Path) -> None:
        async with opened(tmp_path, core) as test:
            await test.start()
            with pytest.raises(PostMortem, match="can't step over: this is a core file"):
                await test.session.execution.resume(Resume.STEP_OVER, origin="tui")
            assert test.session.status is Status.PAUSED
            assert test.session.pid is None  # that number may be anybody's by now
            found = await test.session.breakpoints.set_function("main", origin="tui")
            assert "core file" in found.message

    @pytest.mark.full
    async def test_it_is_opened_again_by_a_restart(self, tmp_path: Path, core: Path) -> None:
        async with opened(tmp_path, core) as test:
            await test.start()
            await test.session.lifecycle.restart()
            await test.settled(test.session.stop_id - 1)
            assert test.session.frames[0].name == "deep"


class TestRefusals:
    async def test_a_file_that_is_none(self, tmp_path: Path) -> None:
        text = tmp_path / "text"
        text.write_text("no core")
        async with opened(tmp_path, text) as test:
            with pytest.raises(AttachFailed, match="text is no core file"):
                await test.session.lifecycle.start()

    async def test_a_running_program_has_none(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, "signals.c", "spin", stop_on_entry=False) as test:
            await test.session.lifecycle.start()
            with pytest.raises(DebuggerError, match="pause it first"):
                await save_core(test.session, tmp_path / "none")

    async def test_one_that_can_not_be_written(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, "signals.c") as test:
            await test.start()
            with pytest.raises(DebuggerError, match="there is no folder"):
                await save_core(test.session, tmp_path / "nowhere" / "core")
