"""A session gets another adapter with its plan; programs that launch get the one that fits."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.agents import agent
from tests.support.native import PROGRAMS, compiled, needs_cc, needs_delve, needs_lldb
from tests.support.relay import Relay, relay
from tests.support.sessions import SessionUnderTest
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.table import adapter_of_process, choose_adapter, find_profile
from tuidbg.config.launch import LaunchPlan, TargetKind
from tuidbg.session.features.autorestart import AutoRestart
from tuidbg.session.model.events import ExceptionFiltersChanged
from tuidbg.session.model.state import Status

pytestmark = pytest.mark.real

TOTALS = PROGRAMS / "totals.c"
SUM = 5
"""The line of ``totals.c`` where it adds up."""


def plan_of(target: str, folder: Path, adapter: str = "debugpy") -> LaunchPlan:
    return LaunchPlan(
        kind=TargetKind.SCRIPT,
        target=target,
        cwd=str(folder),
        python=sys.executable,
        stop_on_entry=False,
        adapter=adapter,
    )


async def test_what_depends_on_the_adapter_changes_with_it(tmp_path: Path) -> None:
    under_test = SessionUnderTest(plan_of("", tmp_path), DebugpyProfile(), tmp_path)
    session = under_test.session
    session.sources.learn_roots(["/usr/lib/python3.11"])
    patience = session.implicit_resume
    session.set_plan(plan_of("/bin/true", tmp_path, "lldb-dap"))
    profile = find_profile("lldb-dap")
    assert session.profile.name == "lldb-dap" and session.plan.target == "/bin/true"
    assert session.exceptions.filters == frozenset(profile.exceptions.moments)
    assert not session.sources.knows_roots and session.implicit_resume is not patience
    assert not session.inside.is_possible
    session.set_plan(plan_of("/tmp/x.py", tmp_path))
    assert session.profile.name == "debugpy"
    assert session.exceptions.filters == frozenset({"uncaught"})
    await under_test.close()


async def test_what_a_person_chose_of_exceptions_stays(tmp_path: Path) -> None:
    under_test = SessionUnderTest(plan_of("", tmp_path), DebugpyProfile(), tmp_path)
    session = under_test.session
    await session.exceptions.stop_at(frozenset({"raised"}), origin="tui")
    before = len(under_test.events(ExceptionFiltersChanged))
    session.set_plan(plan_of("/bin/true", tmp_path, "lldb-dap"))
    assert session.exceptions.filters == frozenset({"raised"})
    assert len(under_test.events(ExceptionFiltersChanged)) == before
    await under_test.close()


async def test_an_unknown_adapter_changes_nothing(tmp_path: Path) -> None:
    under_test = SessionUnderTest(plan_of("", tmp_path), DebugpyProfile(), tmp_path)
    with pytest.raises(AdapterNotStarted, match="there is no adapter nope; tuidbg knows debugpy"):
        under_test.session.set_plan(plan_of("x", tmp_path, "nope"))
    assert under_test.session.plan.adapter == "debugpy"
    await under_test.close()


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Relay]:
    async with relay() as made:
        await made.create(project_root=str(tmp_path))
        yield made


@needs_lldb
@needs_cc
async def test_a_session_of_rest_launches_a_c_program(client: Relay) -> None:
    """Its breakpoint was set before anybody knew what would be launched."""
    await client.break_at(TOTALS, SUM)
    await client.launch(compiled("totals.c"))
    found = await client.until_status("paused", "terminated", "failed")
    assert found["status"] == "paused", found
    frame = (await client.get("stacktrace")).data["frames"][0]
    assert (Path(frame["source"]["path"]).name, frame["line"]) == ("totals.c", SUM)
    assert (await client.locals())["b"]["value"] == "0"


@pytest.mark.full
@needs_delve
async def test_a_session_of_rest_launches_a_go_program(client: Relay) -> None:
    main = PROGRAMS / "go" / "tour" / "main.go"
    line = 1 + main.read_text().splitlines().index("\tsum := a + b")
    await client.break_at(main, line)
    await client.launch(main, cwd=str(main.parent))
    found = await client.until_status("paused", "terminated", "failed")
    assert found["status"] == "paused", found
    frame = (await client.get("stacktrace")).data["frames"][0]
    assert (Path(frame["source"]["path"]), frame["line"]) == (main, line)


async def test_rest_refuses_an_adapter_that_nobody_knows(client: Relay, tmp_path: Path) -> None:
    (tmp_path / "x.lua").touch()
    asked = {"script": str(tmp_path / "x.lua"), "adapter": "nope"}
    answer = await client.ask("POST", f"/sessions/{client.session_id}/launch", json=asked)
    assert answer.status == 500 and "no adapter nope" in str(answer.envelope)
    assert (await client.get()).data["status"] == "created"


@needs_lldb
@needs_cc
async def test_an_agent_launches_a_c_program_after_a_python_one(tmp_path: Path) -> None:
    script = tmp_path / "main.py"
    script.write_text("x = 1\nprint(x)\n")
    async with agent(tmp_path) as made:
        await made.launch(script)
        await made.told("debug_disconnect")
        told = await made.launch(compiled("totals.c"))
        assert told["location"]["file"] == str(TOTALS), told
        await made.told("breakpoint_set", file=str(TOTALS), line=SUM)
        hit = await made.go_on()
        assert hit["location"]["line"] == SUM


@needs_lldb
@needs_cc
async def test_a_binary_that_was_built_again_is_restarted(tmp_path: Path) -> None:
    """``--watch`` on a compiled program."""
    binary = tmp_path / "totals"
    shutil.copy(compiled("totals.c"), binary)
    plan = plan_of(str(binary), tmp_path, "lldb-dap")
    under_test = SessionUnderTest(plan, find_profile("lldb-dap"), tmp_path)
    session = under_test.session
    try:
        await session.breakpoints.set(str(TOTALS), SUM, origin="tui")
        AutoRestart.of(session).switch(True)
        await under_test.start()
        assert session.status is Status.PAUSED, under_test.describe()
        await under_test.until(lambda: str(binary) in AutoRestart.of(session)._known, "it is known")
        new = tmp_path / "new"
        build = ["gcc", "-g", "-O0", "-DNEW=1", "-o", str(new), str(TOTALS)]
        await asyncio.to_thread(subprocess.run, build, check=True)
        new.rename(binary)
        await under_test.until(lambda: "totals changed: restarted" in under_test.console)
        assert len(under_test.sent("launch")) == 2
    finally:
        await under_test.close()


def test_the_adapter_of_a_process() -> None:
    assert adapter_of_process(os.getpid()) == "debugpy"
    with subprocess.Popen(["/bin/sleep", "60"]) as sleeper:
        try:
            assert adapter_of_process(sleeper.pid) == "lldb-dap"
        finally:
            sleeper.kill()
    assert adapter_of_process(2**22 + 1) == "debugpy"  # there is none; why, attaching says


def test_the_adapter_of_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "main.go").touch()
    (tmp_path / "elf").write_bytes(b"\x7fELF" + bytes(100))
    (tmp_path / "go-elf").write_bytes(b"\x7fELF" + bytes(100) + b"\xff Go buildinf:")
    (tmp_path / "tool").write_bytes(b"#!/usr/bin/env -S python3 -u\n")
    found = {path.name: choose_adapter(path) for path in sorted(tmp_path.iterdir())}
    assert found == {
        "elf": ("lldb-dap", {}),
        "go-elf": ("dlv", {"mode": "exec"}),
        "main.go": ("dlv", {}),
        "tool": ("debugpy", {}),
    }
    assert choose_adapter(tmp_path)[0] == "dlv"
    assert choose_adapter(tmp_path / "nothing.py") == ("debugpy", {})
    assert choose_adapter(tmp_path / "tool", "dlv") == ("dlv", {})
