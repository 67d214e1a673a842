"""JavaScript by js-debug, whose program is a conversation of its own: a made-up one, and the real.

The real one runs where it is installed; nobody packs it for Debian.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.js_debug import TARGET, install_js_debug
from tests.support.sessions import SessionUnderTest
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.javascript.profile import JavaScriptProfile, first_statement
from tuidbg.cli.main import read_command_line
from tuidbg.config.launch import Console, LaunchPlan
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import BreakpointStatus, Status, StopReason

APP = """\
// adds up
'use strict';
function add(a, b) {
  const sum = a + b;
  return sum;
}
let total = 0;
for (let i = 0; i < 3; i++) {
  total = add(total, i);
  console.log('total', total);
}
"""
FIRST = 7
"""The first statement that is no declaration."""


@asynccontextmanager
async def debugging(folder: Path, *options: str) -> AsyncIterator[SessionUnderTest]:
    plan = read_command_line([*options, str(folder / "app.js")]).plan
    assert isinstance(plan, LaunchPlan) and plan.adapter == "js-debug"
    under_test = SessionUnderTest(plan, JavaScriptProfile(), folder)
    try:
        yield under_test
    finally:
        await under_test.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "app.js").write_text(APP)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


@pytest.fixture
def made_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    bin_folder = install_js_debug(folder, folder / "app.js", len(APP.splitlines()))
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    return folder


@pytest.mark.real
async def test_the_program_of_the_second_conversation_is_the_session(made_up: Path) -> None:
    """It stops on entry, at a breakpoint and at its end, and begins again; there is no family."""
    async with debugging(made_up, "--console", "internal") as t:
        await t.session.breakpoints.set(str(made_up / "app.js"), 9, origin="tui")
        await t.start()
        for _ in range(2):
            assert (t.reason, t.line) == (StopReason.ENTRY, FIRST), t.describe()
            await t.go(Resume.CONTINUE)
            assert (t.reason, t.line) == (StopReason.BREAKPOINT, 9), t.describe()
            await t.go(Resume.CONTINUE)
            assert t.session.status is Status.TERMINATED, t.describe()
            if len(t.sent("launch")) == 2:
                before = t.session.stop_id
                await t.session.lifecycle.restart()
                await t.settled(before)
        assert t.session.family is None
        launched = t.sent("launch")
    assert [each["type"] for each in launched] == ["pwa-node"] * 4
    assert [each.get("__pendingTargetId") for each in launched] == [None, TARGET] * 2
    assert launched[0]["program"] == str(made_up / "app.js")


def _is_there() -> bool:
    try:
        JavaScriptProfile().start.locate()
    except AdapterNotStarted:
        return False
    return True


@pytest.mark.skipif(not _is_there(), reason="js-debug is not installed")
async def test_the_real_one(folder: Path) -> None:
    async with debugging(folder) as t:
        await t.session.breakpoints.set(str(folder / "app.js"), 4, condition="a > 0", origin="tui")
        await t.start()
        assert t.line == FIRST, t.describe()
        await t.go(Resume.CONTINUE)
        assert (t.reason, t.line) == (StopReason.BREAKPOINT, 4), t.describe()
        assert t.breakpoint(4).status is BreakpointStatus.SET
        assert (await t.locals())["a"].value == "1"
        await t.go(Resume.STEP_OVER)
        assert t.line == 5
        await t.go(Resume.STEP_OUT)
        await t.to_end()
        assert "Waiting for the debugger to disconnect" in t.output("terminal")
        assert t.session.status is Status.TERMINATED


def test_where_it_stops_on_entry() -> None:
    assert first_statement(APP) == FIRST
    assert first_statement("#!/usr/bin/env node\n/* a\n b */ import x from 'y'\n\nx()\n") == 5
    assert first_statement("export default class A {\n  b = 1\n}\nconst s = '{'; // {\nrun()") == 4
    assert first_statement("import {\n  a,\n} from './a.js';\na();\n") == 4
    assert first_statement("function f() {}\n") is None
    assert first_statement("") is None


def test_what_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = tmp_path / "bin" / "js-debug"
    adapter.parent.mkdir()
    adapter.write_text("#!/bin/sh\n")
    adapter.chmod(0o755)
    monkeypatch.setenv("PATH", f"{adapter.parent}:{os.environ['PATH']}")
    (tmp_path / "app.js").write_text(APP)
    plan = read_command_line(["--all-code", "--env", "A=1", str(tmp_path / "app.js"), "x y"]).plan
    assert isinstance(plan, LaunchPlan) and plan.console is Console.TERMINAL
    profile = JavaScriptProfile()
    arguments = profile.launch.arguments(plan, None)  # type: ignore[arg-type]
    assert arguments["console"] == "integratedTerminal"
    assert (arguments["args"], arguments["env"]) == (["x y"], {"A": "1"})
    assert arguments["skipFiles"] == ["<node_internals>/**"] and not arguments["stopOnEntry"]
    assert profile.launch.entry_line(plan, None) == FIRST  # type: ignore[arg-type]
