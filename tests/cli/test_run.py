"""The command ``tuidbg run``, as it is started: what it refuses, what it asks, what it runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.command import TUIDBG, await_nothing_left, environment, run_tuidbg
from tests.support.terminal import Terminal
from tests.support.waiting import PATIENCE

pytestmark = [pytest.mark.real, pytest.mark.full]

PROGRAM = """\
import os
import sys

greeting = os.environ.get("GREETING")
print("said:", greeting, sys.argv[1:], os.getcwd())
"""

LAUNCH = """\
// What the shop offers.
{
    "version": "0.2.0",
    "configurations": [
        {"name": "App", "type": "debugpy", "request": "launch", "args": ["one",],
         "program": "${workspaceFolder}/app.py", "env": {"GREETING": "hello"}, "stopOnEntry": true},
        {"name": "Asking", "type": "debugpy", "request": "launch", "program": "${file}",
         "args": ["${input:size}", "${input:word}"], "stopOnEntry": true, "preLaunchTask": "build"},
        {"name": "Gone", "type": "debugpy", "request": "launch", "program": "gone.py"},
        {"name": "Native", "type": "java", "request": "launch", "program": "a.out"}
    ],
    "compounds": [{"name": "Both", "configurations": ["App", "App"]}],
    "inputs": [
        {"id": "size", "type": "pickString", "description": "Which size?", "options": ["s", "l"]},
        {"id": "word", "type": "promptString", "description": "Which word?", "default": "x"}
    ]
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".vscode" / "launch.json").write_text(LAUNCH)
    (tmp_path / "app.py").write_text(PROGRAM)
    return tmp_path


def run_piped(
    folder: Path, *args: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TUIDBG, "run", *args],
        cwd=folder,
        env=environment(folder) | {"XDG_DATA_HOME": str(folder / "home" / "data")} | (env or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def run(folder: Path, *args: str, **env: str | None) -> Terminal:
    own = {"XDG_DATA_HOME": str(folder / "home" / "data"), **env}
    return run_tuidbg(folder, "run", *args, env=own)


def see(terminal: Terminal, text: str) -> None:
    """Wait until it is on the screen."""
    terminal.wait_for(text, PATIENCE)


def quit_by(terminal: Terminal, *keys: str) -> None:
    terminal.key(*keys)
    assert terminal.wait_exit(PATIENCE) == 0
    await_nothing_left(terminal)


# Refused in one sentence


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([], "run: name a configuration; choosing one needs a terminal"),
        (["zzz"], "run: there is no configuration 'zzz'; there are 'App', 'Asking'"),
        (["Apo"], "run: there is no configuration 'Apo'; did you mean 'App'?"),
        (["App"], "run: not agreed to yet: {folder}/.vscode/launch.json as it is; run it in a"),
        (["App", "--trust"], "the debugger needs a terminal on stdin and stdout"),
        (["Asking", "--trust"], "run: Asking asks for Value for ${file}"),
        (["Gone", "--trust"], "launch.json:9: there is no file {folder}/gone.py"),
        (["Native", "--trust"], 'launch.json:10: "java" is for Java, which'),
        (["App", "nowhere.py"], "run: there is no file nowhere.py"),
        (["--file", "nowhere.json"], "--file: there is no file nowhere.json"),
        (["App", "--cwd", "nowhere"], "--cwd: nowhere is no directory"),
        (["App", "--python", "nowhere"], "--python: there is no interpreter nowhere"),
        (["App", "-b", "nowhere.py:1", "--trust"], "--break: there is no file nowhere.py"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(folder: Path, args: list[str], told: str) -> None:
    done = run_piped(folder, *args)
    assert done.returncode == 2 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("tuidbg: ") and told.replace("{folder}", str(folder)) in line


def test_a_folder_without_a_launch_json(folder: Path) -> None:
    (folder / ".vscode" / "launch.json").unlink()
    done = run_piped(folder, "App")
    assert done.returncode == 2 and "there is no .vscode/launch.json here" in done.stderr


def test_a_file_that_makes_no_sense_is_told_with_its_line(folder: Path) -> None:
    (folder / ".vscode" / "launch.json").write_text('{\n"configurations": [,]\n}')
    done = run_piped(folder, "App")
    assert done.stderr == (f'tuidbg: {folder}/.vscode/launch.json:2: unexpected "," in column 20\n')


def test_the_list_is_for_scripts(folder: Path) -> None:
    done = run_piped(folder, "--list")
    assert done.returncode == 0
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[0] == ["App", "debugpy launch", "app.py one"]
    assert rows[3][0] == "Native" and rows[3][2].startswith("can't be run: ")


# On a terminal


def test_the_person_agrees_once(folder: Path) -> None:
    with run(folder, "app", "--", "two") as terminal:
        see(terminal, "Agree and run it")
        said = " ".join(terminal.text.replace("│", " ").split())
        for words in ("has changed. It decides", " one two ", "GREETING"):
            assert words in said
        assert "hello" not in terminal.text  # the values are nobody's business
        terminal.key("a")
        see(terminal, "paused")
        terminal.key("c")
        see(terminal, "said: hello ['one', 'two']")
        quit_by(terminal, "ctrl+q")
    with run(folder, "app") as terminal:
        see(terminal, "paused")
        assert "Agree" not in terminal.text
        quit_by(terminal, "ctrl+q")


def test_nothing_runs_without_an_agreement(folder: Path) -> None:
    (folder / "app.py").write_text(f"open({str(folder / 'it ran')!r}, 'w')")
    with run(folder, "App") as terminal:
        see(terminal, "Agree and run it")
        terminal.key("enter")  # the cursor stands on the other answer
        see(terminal, "What do you want to debug?")
        quit_by(terminal, "ctrl+q")
    assert not (folder / "it ran").exists()


def test_a_configuration_is_chosen_and_asks(folder: Path) -> None:
    with run(folder) as terminal:
        see(terminal, "Enter run")
        terminal.send("ask\r")
        see(terminal, "the task 'build'")
        terminal.key("a")
        see(terminal, "Enter accept")
        terminal.send("nowhere.py\r")
        see(terminal, "there is no file nowhere.py")
        terminal.key(*["backspace"] * len("nowhere.py"))
        terminal.send("app.py\r")
        see(terminal, "Which size?")
        terminal.key("down", "enter")
        see(terminal, "Which word?")
        terminal.send("tall\r")
        see(terminal, "paused")
        terminal.key("c")
        see(terminal, "['l', 'tall']")
        quit_by(terminal, "ctrl+q")


def test_the_command_line_goes_before_the_file(folder: Path) -> None:
    (folder / "below").mkdir()
    args = ["App", "--trust", "--env", "GREETING=hi", "--cwd", "below", "--no-stop-on-entry"]
    with run(folder, *args, "-b", "app.py:5") as terminal:
        see(terminal, "paused  app.py:5")
        terminal.key("c")
        see(terminal, "said: hi ['one']")
        see(terminal, "/below")
        quit_by(terminal, "ctrl+q")


def test_a_home_that_can_not_be_written_to_is_told_and_it_works_on(folder: Path) -> None:
    (folder / "a file").touch()
    nowhere = str(folder / "a file" / "home")
    env = dict.fromkeys(("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), nowhere)
    with run(folder, "App", **env) as terminal:
        see(terminal, "Agree and run it")
        terminal.key("a")
        see(terminal, "your agreement can't be kept: Not a directory")
        see(terminal, "paused")
        quit_by(terminal, "ctrl+q")
        assert "Traceback" not in terminal.text


def test_a_full_disk_is_told_and_it_works_on(folder: Path) -> None:
    """The limit makes every write to a file fail, as a full disk does; terminals are none."""
    (folder / "full").write_text('#!/bin/sh\nulimit -f 0\nexec "$@"\n')
    command: list[str | Path] = ["sh", folder / "full", *TUIDBG]
    with run_tuidbg(folder, "run", "App", command=command) as terminal:
        see(terminal, "Agree and run it")
        terminal.key("a")
        see(terminal, "your agreement can't be kept: File too large; tuidbg will ask again.")
        see(terminal, "paused")
        terminal.key("c")
        see(terminal, "said: hello ['one']")
        quit_by(terminal, "ctrl+q")
        assert "Traceback" not in terminal.text


def test_without_a_home_it_works(folder: Path) -> None:
    """The case without a folder in the passwd file is in ``tests/config/test_trust.py``."""
    with run(folder, "App", "--trust", HOME=None) as terminal:
        see(terminal, "paused")
        quit_by(terminal, "ctrl+q")
        assert "Traceback" not in terminal.text
