"""``tuidbg breakpoints``, and what a person finds again who starts tuidbg a second time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.command import TUIDBG, environment, run_tuidbg
from tests.support.waiting import PATIENCE, wait_until
from tuidbg.cli.arguments import UsageError
from tuidbg.cli.commands.breakpoints import run_command
from tuidbg.cli.main import read_command_line, run
from tuidbg.config.stores.breakpoint_store import ProjectStore, SavedBreakpoint
from tuidbg.process.guardian import Guardian
from tuidbg.session.features.anchors.matching import make_anchor

SOURCE = "a = 1\nb = 2\nprint(a + b)\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is the current folder, and a state folder of its own."""
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "src").mkdir()
    (project / "src" / "app.py").write_text(SOURCE)
    (project / "breakpoints").write_text(SOURCE)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(project / "src")
    return project


def save(folder: Path, *breakpoints: SavedBreakpoint) -> None:
    store = ProjectStore(folder)
    store.load()
    store.save(breakpoints)


def app(folder: Path, uuid: str, line: int, **fields: Any) -> SavedBreakpoint:
    anchor = msgspec.json.decode(msgspec.json.encode(make_anchor(SOURCE, line)))
    path = str(folder / "src" / "app.py")
    return SavedBreakpoint(uuid=uuid, path=path, line=line, anchor=anchor, **fields)


def printed(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert run_command(list(args)) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


# Listing


def test_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "list") == ""
    save(
        folder,
        app(folder, "b", 3, enabled=False, log_message="{a}\x1b[31m\n"),
        app(folder, "a", 1, condition="a > 1", hit_condition="%3", group="mine", commands=("a",)),
        SavedBreakpoint(uuid="c", kind="function", function="pkg.f", trigger="a"),
        SavedBreakpoint(uuid="d", kind="exception", exception={"type": "KeyError"}),
    )
    assert printed(capsys, "list").splitlines() == [
        "pkg.f()  after src/app.py:1",
        "exception KeyError",
        "src/app.py:1  if a > 1  hits %3  print a  group mine",
        r"src/app.py:3  disabled  log {a}\x1b[31m\n",
    ]
    assert printed(capsys, "list", "--group", "mine").count("\n") == 1


def test_list_json_is_the_file_form(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(folder, app(folder, "a", 1, condition="a"))
    found = json.loads(printed(capsys, "list", "--json"))
    assert found["version"] == 1 and found["project"] == str(folder)
    [entry] = found["breakpoints"]
    assert (entry["uuid"], entry["path"], entry["line"]) == ("a", "src/app.py", 1)
    assert entry["condition"] == "a" and "enabled" not in entry


def test_the_lines_are_those_of_the_file_as_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(folder, app(folder, "a", 2), app(folder, "b", 3))
    (folder / "src" / "app.py").write_text("import os\n" + SOURCE)
    assert printed(capsys, "list").split() == ["src/app.py:3", "src/app.py:4"]
    [first, _] = json.loads(printed(capsys, "export"))["breakpoints"]
    assert (first["line"], first["anchor"]["line"]) == (3, 3)
    (folder / "src" / "app.py").unlink()
    assert printed(capsys, "list").split() == ["src/app.py:2", "src/app.py:3"]


def test_another_project(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    save(folder, app(folder, "a", 2))
    monkeypatch.chdir("/")
    assert printed(capsys, "list", "--project", str(folder)) == "src/app.py:2\n"


# Export and import


def test_export_and_import_in_another_checkout(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(folder, app(folder, "a", 2, group="g"), app(folder, "b", 3))
    assert printed(capsys, "export", "../.tuidbg.json") == ""
    text = (folder / ".tuidbg.json").read_text()
    assert str(tmp_path) not in text
    other = tmp_path / "other"
    (other / "src").mkdir(parents=True)
    (other / "src" / "app.py").write_text("\n" + SOURCE)
    args = ("import", str(folder / ".tuidbg.json"), "--project", str(other))
    assert printed(capsys, *args) == f"2 breakpoints imported to {other}\n"
    printed(capsys, *args)
    shown = printed(capsys, "list", "--project", str(other))
    assert shown == "src/app.py:3  group g\nsrc/app.py:4\n"


def test_a_group_alone(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(folder, app(folder, "a", 2, group="g"), app(folder, "b", 3))
    document = json.loads(printed(capsys, "export", "--group", "g"))
    assert [each["uuid"] for each in document["breakpoints"]] == ["a"]
    printed(capsys, "export", str(tmp_path / "all"))
    args = ("--project", str(tmp_path), "--group", "g")
    assert printed(capsys, "import", str(tmp_path / "all"), *args).startswith("1 breakpoint ")


def test_what_is_at_the_same_place_is_one(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(folder, app(folder, "own", 2), app(folder, "other", 3))
    entries = [
        {"uuid": "theirs", "path": "src/app.py", "line": 2, "condition": "a"},
        {"uuid": "second", "path": "src/app.py", "line": 1, "trigger": "theirs"},
        {"path": "src/app.py", "line": 3, "group": "by hand"},
    ]
    file = tmp_path / "x.json"
    file.write_text(json.dumps({"version": 1, "breakpoints": entries}))
    printed(capsys, "import", str(file))
    assert printed(capsys, "list").splitlines() == [
        "src/app.py:1  after src/app.py:2",
        "src/app.py:2  if a",
        "src/app.py:3  group by hand",
    ]


def test_places_outside_are_told_of(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(folder, SavedBreakpoint(uuid="a", path="/usr/lib/x.py", line=2))
    assert run_command(["export"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["breakpoints"][0]["path"] == "/usr/lib/x.py"
    assert "1 of them" in captured.err and "outside of the project" in captured.err


@pytest.mark.full
@pytest.mark.real
def test_from_stdin(folder: Path) -> None:
    text = '{"version": 1, "breakpoints": [{"path": "src/app.py", "line": 2}]}'
    for args, given, expected in (
        (["import", "-"], text, f"1 breakpoint imported to {folder}\n"),
        (["list"], "", "src/app.py:2\n"),
    ):
        ended = subprocess.run(
            [sys.executable, "-m", "tuidbg", "breakpoints", *args],
            cwd=folder,
            env=environment(folder),
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert (ended.returncode, ended.stderr, ended.stdout) == (0, "", expected)


# Refusals


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ([], "COMMAND"),
        (["show"], "invalid choice: 'show'"),
        (["list", "x"], "unrecognized arguments: x"),
        (["list", "--js"], "unrecognized arguments: --js"),
        (["import"], "FILE"),
        (["import", "nosuch.json"], "No such file or directory: nosuch.json"),
        (["import", "app.py"], "app.py holds no breakpoints: it is no JSON"),
        (["export", "no/where.json"], "No such file or directory: no/where.json"),
        (["list", "--project", "app.py"], "--project: app.py is no directory"),
    ],
)
def test_refusals(args: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["breakpoints", *args], Guardian(0, -1)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("tuidbg: ") and captured.err.count("\n") == 1
    assert sentence in captured.err


def test_a_damaged_store_is_told_of(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(folder, app(folder, "a", 2))
    ProjectStore(folder).file.write_text("{")
    assert run_command(["list"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "" and ".damaged" in captured.err


def test_the_command_wins_over_a_file_of_that_name(folder: Path) -> None:
    with pytest.raises(UsageError, match="no program"):
        read_command_line(["--all-code", "breakpoints"])
    plan = read_command_line([str(folder / "breakpoints")]).plan
    assert plan is not None and plan.target == str(folder / "breakpoints")
    plan = read_command_line(["-m", "breakpoints", "breakpoints"]).plan
    assert plan is not None and plan.target == "breakpoints"


@pytest.mark.full
@pytest.mark.real
def test_nothing_of_the_screen_is_imported() -> None:
    code = (
        "import sys; from tuidbg.cli.commands.breakpoints import run_command;"
        "run_command(['list']);"
        "print([m for m in ('textual', 'rich', 'pygments', 'asyncio') if m in sys.modules])"
    )
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert asked.stdout == "[]\n"


# The real thing


@pytest.mark.full
@pytest.mark.real
def test_set_in_one_run_it_is_there_in_the_next(folder: Path) -> None:
    source = folder / "src" / "app.py"
    command = [*TUIDBG, "breakpoints", "list"]

    def listed() -> str:
        return subprocess.run(
            command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=True
        ).stdout

    with run_tuidbg(folder, "src/app.py") as terminal:
        terminal.wait_for("paused")
        terminal.key("down")
        terminal.key("down")
        terminal.send("b")
        wait_until(lambda: listed() == "src/app.py:3\n", what="saved while it runs")
        terminal.key("ctrl+q")
        assert terminal.wait_exit() == 0
    source.write_text("import sys\n" + SOURCE)
    with run_tuidbg(folder, "--no-stop-on-entry", "-b", "2", "src/app.py") as terminal:
        terminal.wait_for("app.py:2")
        terminal.send("c")
        terminal.wait_for("app.py:4")
        terminal.key("ctrl+q")
        assert terminal.wait_exit() == 0
    assert listed() == "src/app.py:4\n"
    assert not (folder / ".tuidbg.json").exists()


@pytest.mark.full
@pytest.mark.real
def test_the_demo_remembers_nothing(folder: Path) -> None:
    with run_tuidbg(folder, "demo") as terminal:
        terminal.wait_for("paused")
        terminal.send("b")
        terminal.wait_for("●")
        terminal.key("ctrl+q")
        assert terminal.wait_exit() == 0
    state = folder / "home" / "state" / "tuidbg"
    assert not (state / "breakpoints").exists()


@pytest.mark.full
@pytest.mark.real
def test_started_from_the_start_screen(folder: Path) -> None:
    with run_tuidbg(folder) as terminal:
        terminal.wait_for("What do you want to debug?")
        terminal.send("src/app.py\r")
        terminal.wait_for("paused")
        terminal.send("b")
        terminal.wait_for("●")
        terminal.key("ctrl+q")
        assert terminal.wait_exit() == 0
    [file] = (folder / "home" / "state" / "tuidbg" / "breakpoints").glob("*.json")
    assert [entry["line"] for entry in json.loads(file.read_bytes())["breakpoints"]] == [1]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"line": -4}, "there is no line -4"),
        ({"hit_condition": "%%"}, "hit_condition: write a number"),
        ({"condition": "i =="}, "condition: SyntaxError"),
        ({"log_message": "{x"}, "log_message: the { at column 1 is never closed"),
    ],
    ids=["line", "hit condition", "condition", "log message"],
)
def test_what_could_never_stop_is_not_imported(
    fields: dict[str, object], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bad file in a repository must not reach the debugger of everybody there."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    entry = {"path": "app.py", "line": 3, **fields}
    file = tmp_path / "shared.json"
    file.write_text(json.dumps({"version": 1, "breakpoints": [entry]}))
    with pytest.raises(UsageError, match=re.escape(words)):
        run_command(["import", str(file), "--project", str(tmp_path)])
    assert not (tmp_path / "state").exists()
