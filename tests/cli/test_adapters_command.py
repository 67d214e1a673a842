"""``tuidbg adapters``, and the options that choose an adapter."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.command import TUIDBG, environment
from tests.support.lua_adapter import install_lua_dap, lua_script
from tests.support.waiting import PATIENCE
from tuidbg.adapters.discovery.packages import Packages, install_command, not_installed
from tuidbg.cli.arguments import UsageError
from tuidbg.cli.commands.reach import attach as attach_command
from tuidbg.cli.launcher import what_to_remember
from tuidbg.cli.main import read_command_line
from tuidbg.config.launch import AttachPlan, LaunchPlan
from tuidbg.config.stores.remembered import RecentProgram

LUA = """
[adapters.lua]
command = ["lua-dap"]
patterns = ["*.lua"]
language = "Lua"
version = ["lua-dap", "-v"]

[adapters.gone]
command = ["no-such-dap"]
install = "luarocks install no-such-dap"

[adapters.wrong]
command = "x"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    config = tmp_path / "home" / "config" / "tuidbg"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(LUA)
    bin_folder = install_lua_dap(tmp_path, lua_script(tmp_path))
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def adapters(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TUIDBG, "adapters", *options],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(folder),
        timeout=PATIENCE,
        check=True,
    )


@pytest.mark.full
@pytest.mark.real
def test_the_list_says_where_each_is_or_what_brings_it(folder: Path) -> None:
    done = adapters(folder)
    rows = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert list(rows)[:2] == ["NAME", "debugpy"]
    assert "Python" in rows["debugpy"] and "*.py" in rows["debugpy"]
    assert rows["lua"].split() == ["lua", "*", "1.2.3", "Lua", "*.lua", f"{folder}/bin/lua-dap"]
    assert rows["gone"].endswith("missing: luarocks install no-such-dap")
    assert "[adapters.wrong] command must be a list of words" in done.stderr


@pytest.mark.full
@pytest.mark.real
def test_the_list_for_programs(folder: Path) -> None:
    told = {each["name"]: each for each in json.loads(adapters(folder, "--json").stdout)}
    assert told["debugpy"]["version"].startswith("1.") and not told["debugpy"]["own"]
    assert told["lua"] == {
        "name": "lua",
        "language": "Lua",
        "files": ["*.lua"],
        "where": f"{folder}/bin/lua-dap",
        "version": "1.2.3",
        "problem": "",
        "gaps": "",
        "install": "",
        "own": True,
    }
    assert told["gone"]["where"] == "" and told["gone"]["install"].startswith("luarocks")
    assert {"lldb-dap", "dlv", "js-debug"} <= told.keys()


@pytest.mark.sampled
@pytest.mark.real
@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("apt", "apt install lldb-22"),
        ("dnf", "dnf install lldb"),
        ("pacman", "pacman -S lldb"),
        ("brew", "brew install llvm"),
        ("", "see https://llvm.org"),
    ],
)
def test_what_to_type_is_that_of_this_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manager: str, command: str
) -> None:
    listing = "#!/bin/sh\necho lldb-9\necho lldb-22\necho lldb-19\necho lldb-common\n"
    scripts = {manager: "#!/bin/sh\n", "apt-cache": listing} if manager else {"other": ""}
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/nowhere" if manager != "apt" else f"{tmp_path}:/bin")
    packages = Packages(
        apt="lldb-*", since=18, dnf="lldb", pacman="lldb", brew="llvm", otherwise=command
    )
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert install_command(packages) == command
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    sudo = "sudo " if manager in ("apt", "dnf", "pacman") else ""
    assert install_command(packages) == f"{sudo}{command}"
    brings = f"`{sudo}{command}` brings it" if manager else command
    assert not_installed("lldb-dap", packages) == f"lldb-dap is not installed; {brings}"


def plan_of(*words: str) -> LaunchPlan:
    plan = read_command_line(list(words)).plan
    assert isinstance(plan, LaunchPlan)
    return plan


@pytest.mark.usefixtures("folder")
def test_the_person_says_by_which_adapter() -> None:
    assert plan_of("count.lua").adapter == "lua"
    assert plan_of("--adapter", "debugpy", "count.lua").adapter == "debugpy"
    Path("x.py").touch()
    plan = plan_of("--adapter=lua", "--adapter-option", "a.b=[1]", "x.py", "--adapter", "y")
    assert (plan.adapter, plan.args) == ("lua", ("--adapter", "y"))
    assert plan.options == {"a": {"b": [1]}}
    plan = plan_of("--adapter-option", "showReturnValue=false", "--adapter-option", "t=x y", "x.py")
    assert plan.options == {"showReturnValue": False, "t": "x y"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--adapter", "nope", "count.lua"], "--adapter: there is no adapter nope; tuidbg knows"),
        (["--adapter", "wrong", "count.lua"], "[adapters.wrong] command must be a list of words"),
        (["--adapter", "gone", "count.lua"], "no no-such-dap; luarocks install no-such-dap"),
        (["--adapter", "lua", "-m", "x"], "--adapter: only debugpy debugs that, for it is Python"),
        (["--adapter", "lua", "demo"], "--adapter: only debugpy debugs that"),
        (["--adapter", "lua", "nothing.lua"], "there is no file nothing.lua"),
        (["--adapter", "lua"], "name a SCRIPT or a -m MODULE to debug"),
        (["--adapter-option", "x", "count.lua"], "'x' is not of the form KEY=VALUE"),
        (["--adapter-option", "a..b=1", "count.lua"], "'a..b=1' is not of the form KEY=VALUE"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_makes_no_sense_is_one_sentence(words: list[str], why: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_command_line(words)
    assert why in str(raised.value) and "\n" not in str(raised.value)


def attach_plan(*words: str) -> AttachPlan:
    request = attach_command.read_options(attach_command.make_parser().parse_args(list(words)))
    assert request is not None and isinstance(request.plan, AttachPlan)
    return request.plan


@pytest.mark.real
def test_attaching_by_an_adapter(folder: Path) -> None:
    """At a port, to a process, and where an adapter always is."""
    plan = attach_plan("--adapter", "lua", "--adapter-option", "deep=true", "h:77")
    assert (plan.adapter, plan.host, plan.port) == ("lua", "h", 77)
    assert plan.options == {"deep": True}
    with subprocess.Popen(["/bin/sleep", "60"]) as sleeper:
        try:
            assert attach_plan("--pid", str(sleeper.pid)).adapter == "lldb-dap"
            assert attach_plan("--pid", str(sleeper.pid), "--adapter", "lua").adapter == "lua"
        finally:
            sleeper.kill()
    config = folder / "home" / "config" / "tuidbg" / "config.toml"
    config.write_text('[adapters.lua]\nconnect = "lua.example:4711"\n')
    plan = attach_plan("--adapter", "lua")
    assert (plan.adapter, plan.host, plan.port) == ("lua", "lua.example", 4711)


def test_recent_programs_keep_what_would_not_be_found_again(folder: Path) -> None:
    plan = plan_of("--adapter", "debugpy", "--adapter-option", 'x={"a": 1}', "count.lua", "y z")
    adapter, options = what_to_remember(plan)
    recent = RecentProgram("script", plan.target, plan.args, plan.cwd, adapter, options)
    again = plan_of(*recent.words)
    assert (again.adapter, again.options, again.args) == ("debugpy", {"x": {"a": 1}}, ("y z",))
    assert what_to_remember(plan_of("count.lua")) == ("", ())
    assert what_to_remember(plan_of("--adapter", "debugpy", "count.lua")) == ("debugpy", ())
    Path("x.py").touch()
    assert what_to_remember(plan_of("x.py")) == ("", ())
