"""A person's own debug adapters: what ``config.toml`` may say of them, and what is told."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

import tuidbg
from tests.support.sessions import fake_session
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.generic import GenericProfile
from tuidbg.adapters.table import find_profile
from tuidbg.adapters.traits import Line, SourceFacts, TerminalWay
from tuidbg.config.adapter_settings import AdapterSettings, Transport, read_adapters
from tuidbg.config.launch import AttachPlan, LaunchPlan, TargetKind
from tuidbg.config.user_config import load_user_config

WRONG = {
    "adapters = 3": "[adapters] must be a table.",
    "[adapters]\nlua = 3": "[adapters.lua] must be a table.",
    '[adapters."a b"]\ncommand = ["x"]': "must have a name of letters, digits and hyphens.",
    "[adapters.lua]": "[adapters.lua] needs either command or connect.",
    '[adapters.lua]\ncommand = ["x"]\nconnect = "1"': "needs either command or connect.",
    '[adapters.lua]\ncommand = "x"': 'command must be a list of words, like ["lua-dap", ',
    '[adapters.lua]\ncomand = ["x"]': "has no setting 'comand'; command is one.",
    '[adapters.lua]\nconnect = "h:p"': 'connect must be where it listens, like "127.0.0.1:4711".',
    '[adapters.lua]\nconnect = "99999"': "connect must be where it listens",
    '[adapters.lua]\ncommand = ["x"]\ntransport = "tcp"': 'must be "stdio" or "listens" or "calls',
    '[adapters.lua]\ncommand = ["x"]\ntransport = "listens"': "command must hold {port} or {addr",
    '[adapters.lua]\ncommand = ["x", "{port}"]\ntransport = "stdio"': "has no use for.",
    '[adapters.lua]\ncommand = ["x"]\nterminal = "shared"': 'can\'t be "shared" where stdio is',
    '[adapters.lua]\nconnect = "1"\ntransport = "listens"': "connect says it all.",
    '[adapters.lua]\ncommand = ["x"]\npatterns = "*.lua"': 'must be a list of patterns, like ["*.l',
    '[adapters.lua]\ncommand = ["x"]\nexceptions = ["a"]': "must be a table of the adapter's filt",
    '[adapters.lua]\ncommand = ["x"]\nlaunch = "x"': "launch must be a table of launch arguments",
}


@pytest.mark.parametrize(("text", "why"), WRONG.items(), ids=map(str, range(len(WRONG))))
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "config.toml").write_text(f'theme = "light"\n{text}\n', encoding="utf-8")
    config = load_user_config(tmp_path)
    (problem,) = config.problems
    assert problem.startswith(f"{tmp_path / 'config.toml'}: ") and why in problem
    assert config.adapters == {} and config.defaults.theme == "light"


def test_one_that_is_wrong_says_so_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "tuidbg").mkdir()
    text = '[adapters.lua]\ncommand = "x"\n[adapters.dlv]\ncommand = ["x"]\n'
    (tmp_path / "tuidbg" / "config.toml").write_text(text)
    with pytest.raises(AdapterNotStarted, match=r"\[adapters.lua\] command must be a list"):
        find_profile("lua")
    assert find_profile("dlv").language.name == "Go"  # its name stays tuidbg's own


def settings(**table: object) -> AdapterSettings:
    found, wrong = read_adapters({"lua": table}, "")
    assert wrong == []
    return found["lua"]


def test_how_it_is_spoken_to_is_found() -> None:
    ways = {
        Transport.STDIO: settings(command=["a"]),
        Transport.LISTENS: settings(command=["a", "--at={address}"]),
        Transport.CALLS_BACK: settings(command=["a", "{port}"], transport="calls back"),
        Transport.CONNECT: settings(connect="[::1]:4711"),
    }
    assert [each.transport for each in ways.values()] == list(ways)
    profiles = [GenericProfile(each) for each in ways.values()]
    lines = [
        Line.STREAMS,
        Line.LISTENS,
        Line.CALLS_BACK,
        Line.RUNS_ALREADY,
    ]
    assert [profile.start.line for profile in profiles] == lines
    assert [p.start.address for p in profiles] == [None, None, None, ("::1", 4711)]


def test_its_command() -> None:
    profile = GenericProfile(settings(command=["sh", "-c", "x {port} {address}"]))
    assert profile.start.command("127.0.0.1:77")[1:] == ["-c", "x 77 127.0.0.1:77"]
    words = ["sh", "--at={port}", "--cwd=${cwd}", "${program}", "${args}"]
    profile = GenericProfile(settings(command=words))
    told = profile.start.command_for(PLAN, "127.0.0.1:77")[1:]
    assert told == ["--at=77", "--cwd=/p", "/p/a.lua", "x", "y z"]
    assert profile.start.command_for(AttachPlan(pid=7, cwd="/q", python=""), ":77")[1:] == [
        *("--at=77", "--cwd=/q", ""),
    ]
    missing = GenericProfile(settings(command=["no-such-dap"], install="luarocks install it"))
    with pytest.raises(AdapterNotStarted, match="there is no no-such-dap; luarocks install it"):
        missing.start.command()


PLAN = LaunchPlan(
    kind=TargetKind.SCRIPT,
    target="/p/a.lua",
    args=("x", "y z"),
    cwd="/p",
    env={"A": "1"},
    python="",
    options={"more": 1},
)


def test_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUA_HOME", "/lua")
    launch = {
        "file": "${program}",
        "argv": ["run", "${args}"],
        "line": "${program} ${args}",
        "deep": {"cwd": "${cwd}", "env": "${env}", "stop": "${stopOnEntry}"},
        "home": "${LUA_HOME}/bin",
        "theirs": "${unknown_to_us}",
        "number": 3,
    }
    profile = GenericProfile(settings(command=["sh"], launch=launch, language="Lua"))
    assert profile.launch.arguments(PLAN, SourceFacts()) == {
        "name": "tuidbg",
        "request": "launch",
        "file": "/p/a.lua",
        "argv": ["run", "x", "y z"],
        "line": "/p/a.lua x 'y z'",
        "deep": {"cwd": "/p", "env": {"A": "1"}, "stop": True},
        "home": "/lua/bin",
        "theirs": "${unknown_to_us}",
        "number": 3,
        "more": 1,
    }
    assert profile.language.name == "Lua" and profile.exceptions.moments == ()


def test_no_env_is_sent_where_the_plan_changes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """gdb empties the environment for any ``env``, also for one without entries."""
    monkeypatch.setattr("os.environ", {"HOME": "/h", "OLD": "2"})
    launch = {"env": "${env}", "whole": "${environment}", "text": "env: ${env}"}
    profile = GenericProfile(settings(command=["sh"], launch=launch))
    plain = msgspec.structs.replace(PLAN, env={})
    told = profile.launch.arguments(plain, SourceFacts())
    assert told == {"name": "tuidbg", "request": "launch", "text": "env: ", "more": 1}
    changed = msgspec.structs.replace(PLAN, unset=("OLD",))
    told = profile.launch.arguments(changed, SourceFacts())
    assert (told["env"], told["whole"]) == ({"A": "1"}, {"A": "1", "HOME": "/h"})


def test_the_profiles_of_the_manual_are_read() -> None:
    page = (Path(tuidbg.__file__).parent / "manual" / "adapters.md").read_text(encoding="utf-8")
    tables = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    found, wrong = read_adapters(tomllib.loads("\n".join(tables))["adapters"], "")
    assert wrong == []
    assert found.keys() >= {"lua", "gdb", "bash", "seam"}


def test_the_context_of_its_prompt() -> None:
    assert GenericProfile(settings(command=["sh"])).values.prompt_context == "watch"
    profile = GenericProfile(settings(command=["sh"], prompt="repl"))
    assert profile.values.prompt_context == "repl"


def test_what_else_it_may_say() -> None:
    profile = GenericProfile(
        settings(
            command=["sh", "{port}"],
            terminal="shared",
            entry="main",
            exceptions={"uncaught": "error", "raised": "all"},
            attach={"process": "${pid}"},
        )
    )
    assert (
        profile.launch.terminal is TerminalWay.SHARED
        and profile.launch.entry_function(PLAN) == "main"
    )
    assert profile.launch.arguments(PLAN, SourceFacts())["stopOnEntry"] is False
    assert profile.exceptions.moments == ("uncaught",)
    plan = AttachPlan(pid=7, cwd="/", python="", options={"b": 2})
    assert profile.attach.arguments(plan) == {
        "name": "tuidbg",
        "request": "attach",
        "process": 7,
        "b": 2,
    }


async def test_breakpoints_of_other_languages_are_not_sent(tmp_path: Path) -> None:
    profile = GenericProfile(settings(command=["sh"], sources=["*.sh", "*.bash"]))
    assert profile.sources.takes("/a/count.sh") and not profile.sources.takes("/a/count.py")
    assert GenericProfile(settings(command=["sh"])).sources.takes("/a/count.py")
    async with fake_session(tmp_path) as t:
        t.session.profile.sources = profile.sources
        own = str(tmp_path / "count.sh")
        for path in (str(tmp_path / "count.py"), own):
            await t.session.breakpoints.set(path, 2, origin="tui")
        await t.start()
        asked = t.fake.arguments_of("setBreakpoints")
        assert {arguments["source"]["path"] for arguments in asked} == {own}
