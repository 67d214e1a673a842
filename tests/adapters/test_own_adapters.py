"""Adapters of a person's own: what the manual tells them to write, written and debugged with."""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.plain.piped import by_lines, stop_in
from tests.support.adapter_profiles import example, write_config
from tests.support.lua_adapter import install_lua_dap, lua_script, running_lua_dap
from tests.support.sessions import SessionUnderTest
from tuidbg.adapters import table
from tuidbg.adapters.table import KnownAdapter, choose_adapter, find_profile
from tuidbg.cli.main import read_command_line
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import BreakpointStatus, Status, StopReason


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a program in Lua, and lua-dap on the PATH."""
    bin_folder = install_lua_dap(tmp_path, lua_script(tmp_path))
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMAND = 'command = ["lua-dap", "--port", "{port}"]'
WAYS = {
    "listens": COMMAND,
    "stdio": 'command = ["lua-dap"]',
    "calls back": 'command = ["lua-dap", "--call", "{address}"]\ntransport = "calls back"',
    "connect": 'connect = "127.0.0.1:PORT"',
}


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("way", WAYS)
def test_a_profile_of_the_config_file_debugs_by_the_command_line(folder: Path, way: str) -> None:
    profile = example("a profile of one's own")
    assert COMMAND in profile
    program = folder / "count.lua"
    with running_lua_dap(folder / "bin") if way == "connect" else nullcontext(0) as port:
        write_config(folder, profile.replace(COMMAND, WAYS[way].replace("PORT", str(port))))
        commands = ["b 3", "c", "p i", "n", "c"]
        told = by_lines(folder, program, commands)
    assert told.error == "", told.text
    assert stop_in(told.before)[0] == 1
    assert stop_in(told.answer(1))[0] == 3
    assert told.answer(2) == "3"
    assert stop_in(told.answer(3))[0] == 4
    assert "exit code 0" in told.text


@pytest.fixture
def lua_profile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The manual's adapter, as if its file and its line were there."""
    file = folder / "lua.py"
    file.write_text(example("an adapter of tuidbg's own"), encoding="utf-8")
    name = "tuidbg.adapters.lua"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    line = ast.parse(f"{{{example('its line')}}}", mode="eval")
    ((key, known),) = eval(
        compile(line, "adapters.md", "eval"), {"KnownAdapter": KnownAdapter}
    ).items()
    monkeypatch.setitem(table.ADAPTERS, key, known)
    yield
    module.__dict__.clear()


@pytest.mark.full
@pytest.mark.real
@pytest.mark.usefixtures("lua_profile")
async def test_the_adapter_that_the_readme_writes_debugs(folder: Path) -> None:
    plan = read_command_line([str(folder / "count.lua"), "--fast"]).plan
    assert plan is not None and plan.adapter == "lua-dap"
    under_test = SessionUnderTest(plan, find_profile(plan.adapter), folder)
    session = under_test.session
    try:
        await session.breakpoints.set(str(folder / "count.lua"), 3, origin="tui")
        await under_test.start()
        assert (under_test.reason, under_test.line) == (StopReason.ENTRY, 1)
        assert under_test.breakpoint(3).status is BreakpointStatus.SET
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == 3 and (await under_test.locals())["i"].value == "3"
        await under_test.go(Resume.CONTINUE)
        assert session.status is Status.TERMINATED
    finally:
        await under_test.close()
    (launched,) = under_test.sent("launch")
    assert launched["script"] == str(folder / "count.lua") and launched["arg"] == ["--fast"]
    assert under_test.sent("setExceptionBreakpoints") == [{"filters": ["error"]}]


@pytest.mark.usefixtures("folder")
def test_a_script_is_found_by_its_first_line(tmp_path: Path) -> None:
    write_config(tmp_path, example("a profile of one's own"))
    script = tmp_path / "tool"
    script.write_text("#!/usr/bin/env lua\nprint(1)\n")
    assert choose_adapter(script) == ("lua", {})
    plan = read_command_line([str(script)]).plan
    assert plan is not None and plan.adapter == "lua"


def test_ones_own_adapter_goes_before_a_built_in_one(folder: Path) -> None:
    write_config(folder, '[adapters.mine]\nconnect = "4711"\npatterns = ["*.go", "Makefile"]')
    (folder / "Makefile").touch()
    (folder / "main.go").touch()
    assert choose_adapter(folder / "main.go")[0] == "mine"
    assert choose_adapter(folder / "Makefile")[0] == "mine"
    for name in ("main.go", "Makefile"):
        plan = read_command_line([name]).plan
        assert plan is not None and plan.adapter == "mine"
    assert choose_adapter(folder / "other.py")[0] == "debugpy"
