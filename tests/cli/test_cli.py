"""The command line: what belongs to whom, what is refused and how.

A refusal is one line on stderr and status 2: no traceback, nothing on stdout, no flicker of a
screen. The program's interpreter is asked as a process, so those refusals are tested as such.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tuidbg
from tests.support.command import (
    TUIDBG,
    await_nothing_left,
    environment,
    read_by_head,
    run_tuidbg,
)
from tests.support.waiting import PATIENCE
from tuidbg.adapters.traits import SourceProblem
from tuidbg.cli.arguments import UsageError
from tuidbg.cli.command_table import COMMANDS, GROUPS
from tuidbg.cli.commands.reach import attach
from tuidbg.cli.main import read_command_line, read_words, run
from tuidbg.cli.parser import EXAMPLES, SENTENCE, make_parser
from tuidbg.cli.start import describe_problem
from tuidbg.config.launch import DEMO, Console, LaunchPlan, TargetKind
from tuidbg.config.request import WantedBreakpoint
from tuidbg.process.guardian import Guardian

ENTER_SCREEN = b"\x1b[?1049h"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of each test: a script, a package, and what can't be debugged."""
    (tmp_path / "app.py").write_text("print('hello')\n")
    (tmp_path / "demo").write_text("print('not the demo')\n")
    (tmp_path / "-x.py").write_text("print('a dash')\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "__main__.py").write_text("print('hello')\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").symlink_to(sys.executable)
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    return tmp_path


def plan_of(*args: str) -> LaunchPlan:
    plan = read_command_line(list(args)).plan
    assert isinstance(plan, LaunchPlan)
    return plan


# What belongs to whom


@pytest.mark.parametrize(
    ("args", "kind", "target", "rest"),
    [
        (["app.py"], "script", "app.py", ()),
        (["./app.py"], "script", "app.py", ()),
        (
            ["app.py", "-m", "x", "--help", "-b", "1"],
            "script",
            "app.py",
            ("-m", "x", "--help", "-b", "1"),
        ),
        (["app.py", "--", "a b", ""], "script", "app.py", ("--", "a b", "")),
        (["app.py", "demo"], "script", "app.py", ("demo",)),
        (["--no-stop-on-entry", "app.py", "--version"], "script", "app.py", ("--version",)),
        (["-b", "1", "--env", "A=1", "app.py", "--env", "B"], "script", "app.py", ("--env", "B")),
        (["--break=1", "-b1", "app.py", "-b1"], "script", "app.py", ("-b1",)),
        (["--", "app.py", "-q"], "script", "app.py", ("-q",)),
        (["--", "-x.py", "-q"], "script", "-x.py", ("-q",)),
        (["./-x.py"], "script", "-x.py", ()),
        (["runs", "-v"], "script", "runs", ("-v",)),
        (["runs/", "-v"], "script", "runs", ("-v",)),
        (["./demo", "x"], "script", "demo", ("x",)),
        (["-m", "json.tool", "--help"], "module", "json.tool", ("--help",)),
        (["-mjson.tool", "-m", "x"], "module", "json.tool", ("-m", "x")),
        (["--all-code", "-m", "demo", "--", "-c"], "module", "demo", ("--", "-c")),
        (["-m", "demo", "demo"], "module", "demo", ("demo",)),
    ],
)
def test_what_is_debugged(
    args: list[str], kind: str, target: str, rest: tuple[str, ...], folder: Path
) -> None:
    asked = read_command_line(args)
    assert asked.plan is not None
    assert asked.plan.kind == kind
    assert asked.plan.target == (str(folder / target) if kind == "script" else target)
    assert asked.plan.args == rest
    assert asked.plan.cwd == str(folder)
    assert not asked.is_demo


@pytest.mark.parametrize(
    ("args", "rest"),
    [(["demo"], ()), (["--all-code", "demo", "-q"], ("-q",)), (["--", "demo"], ())],
)
def test_demo_wins_over_a_file_of_that_name(args: list[str], rest: tuple[str, ...]) -> None:
    asked = read_command_line(args)
    assert asked.is_demo
    assert asked.plan is not None
    assert (asked.plan.kind, asked.plan.target) == (TargetKind.SCRIPT, str(DEMO))
    assert asked.plan.args == rest


def test_nothing_named_is_the_start_screen() -> None:
    asked = read_command_line(["--theme", "light", "--dap-log", "x"])
    assert asked.plan is None
    assert (asked.theme, asked.dap_log) == ("light", "x")


def test_defaults_and_options(folder: Path) -> None:
    plan = plan_of("app.py")
    assert plan.stop_on_entry and plan.just_my_code and not plan.env
    assert (plan.console, plan.python) == (Console.TERMINAL, sys.executable)
    plan = plan_of(
        *("--no-stop-on-entry", "--all-code", "--console", "internal", "--cwd", "runs"),
        *("--env", "A=1", "--env", "B=x=y", "--env", "C=", "app.py"),
    )
    assert not plan.stop_on_entry and not plan.just_my_code
    assert plan.console is Console.INTERNAL
    assert plan.cwd == str(folder / "runs")
    assert plan.target == str(folder / "app.py")
    assert plan.env == {"A": "1", "B": "x=y", "C": ""}


def test_home_is_known_where_no_shell_has_put_it_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(folder / "runs"))
    assert plan_of("--cwd=~", "~/__main__.py").cwd == str(folder / "runs")
    assert plan_of("~").first_source == str(folder / "runs" / "__main__.py")


# Interpreters


@pytest.mark.parametrize("asked", ["venv", "venv/", "./venv/bin/python", "{folder}/venv"])
def test_interpreter_of_a_virtual_environment_is_not_resolved(asked: str, folder: Path) -> None:
    python = plan_of("--python", asked.format(folder=folder), "app.py").python
    assert python == str(folder / "venv" / "bin" / "python")


def test_interpreter_is_found_by_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "venv" / "bin" / "python9.9").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", "venv/bin")
    python = str(folder / "venv" / "bin" / "python9.9")
    assert plan_of("--python", "python9.9", "app.py").python == python


def test_active_virtual_environment_runs_the_program(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(folder / "venv"))
    assert plan_of("app.py").python == str(folder / "venv" / "bin" / "python")
    assert plan_of("--python", sys.executable, "app.py").python == sys.executable
    monkeypatch.setenv("VIRTUAL_ENV", str(folder / "was deleted"))
    assert plan_of("app.py").python == sys.executable


# Breakpoints


@pytest.mark.parametrize(
    ("text", "file", "line", "condition"),
    [
        ("1", "app.py", 1, ""),
        (" 12 ", "app.py", 12, ""),
        ("99999", "app.py", 99999, ""),
        ("1 if x > 2", "app.py", 1, "x > 2"),
        ("1   if   x", "app.py", 1, "x"),
        ("1 if d == {'a if b': 1}", "app.py", 1, "d == {'a if b': 1}"),
        ("1 if x if y else z", "app.py", 1, "x if y else z"),
        ("1 if s == ':2'", "app.py", 1, "s == ':2'"),
        ("app.py:3", "app.py", 3, ""),
        ("runs/__main__.py:3 if x", "runs/__main__.py", 3, "x"),
        ("./runs/../app.py:3", "app.py", 3, ""),
        ("{folder}/app.py:3", "app.py", 3, ""),
        ("a:1.py:7", "a:1.py", 7, ""),
    ],
)
def test_breakpoints(text: str, file: str, line: int, condition: str, folder: Path) -> None:
    (folder / "a:1.py").write_text("")
    asked = read_command_line(["-b", text.replace("{folder}", str(folder)), "-b", "2", "app.py"])
    assert asked.breakpoints == (
        WantedBreakpoint(str(folder / file), line, condition),
        WantedBreakpoint(str(folder / "app.py"), 2, ""),
    )


def test_breakpoint_without_a_file_is_in_what_runs_first(folder: Path) -> None:
    [wanted] = read_command_line(["-b", "2", "runs"]).breakpoints
    assert wanted.path == str(folder / "runs" / "__main__.py")
    [wanted] = read_command_line(["-b", "30", "demo"]).breakpoints
    assert wanted.path == str(DEMO)


# Refusals

LONG = "a" * 300

REFUSALS = {
    "no such file": (["nosuch.py"], "there is no file nosuch.py"),
    "no file at all": ([""], "there is no file ''"),
    "a dash alone": (["-"], "there is no file -"),
    "nobody's home": (["~nobody-here/app.py"], "there is no file ~nobody-here/app.py"),
    "a file taken for a folder": (["app.py/x.py"], "there is no file app.py/x.py"),
    "name too long": ([LONG], f"File name too long: {{folder}}/{LONG}"),
    "a terminal's language in the name": (["\x1b[31m\n.py"], r"there is no file \x1b[31m\n.py"),
    "a name that is no text": (["\udcff.py"], r"there is no file \udcff.py"),
    "a folder that can't be run": (["empty"], "empty is a directory without a __main__.py"),
    "a pipe": (["pipe"], "pipe is no ordinary file"),
    "no such option": (["--nonsense", "app.py"], "unrecognized arguments: --nonsense"),
    "no abbreviations": (["--all", "app.py"], "unrecognized arguments: --all"),
    "-m without a module": (["-m"], "argument -m: expected one argument"),
    "-b without a place": (["-b"], "argument -b/--break: expected one argument"),
    "a flag with a value": (["--all-code=1", "app.py"], "argument --all-code: ignored explicit"),
    "no such console": (["--console", "x", "app.py"], "argument --console: invalid choice: 'x'"),
    "no such folder": (["--cwd", "x", "app.py"], "--cwd: x is no directory"),
    "a file for a folder": (["--cwd", "app.py", "app.py"], "--cwd: app.py is no directory"),
    "no variable": (["--env", "A", "app.py"], "--env: 'A' is not of the form NAME=VALUE"),
    "no name": (["--env", "=1", "app.py"], "--env: '=1' is not of the form NAME=VALUE"),
    "no interpreter": (["--python", "x/y", "app.py"], "--python: there is no interpreter x/y"),
    "no name for it": (["--python", "", "app.py"], "--python: there is no interpreter ''"),
    "no program": (["--python", "app.py", "app.py"], "--python: app.py can't be run"),
    "no environment": (["--python", "empty", "app.py"], "--python: empty holds no bin/python"),
    "break nowhere": (["-b", "", "app.py"], "--break: '' is not of the form [FILE:]LINE[ if EXPR]"),
    "no line": (["-b", "app.py", "app.py"], "--break: 'app.py' is not of the form"),
    "line 0": (["-b", "0", "app.py"], "--break: '0' is not of the form"),
    "a line below": (["-b=-1", "app.py"], "--break: '-1' is not of the form"),
    "a line beyond": (["-b", "1" * 5000, "app.py"], "--break: '1111"),
    "no condition": (["-b", "1 if ", "app.py"], "--break: '1 if ' is not of the form"),
    "words after it": (["-b", "1 when x", "app.py"], "--break: '1 when x' is not of the form"),
    "bad condition": (
        ["-b", "1 if x =", "app.py"],
        "--break: the condition of '1 if x =': SyntaxError: invalid",
    ),
    "two lines": (
        ["-b", "1 if x\ny", "app.py"],
        r"--break: the condition of '1 if x\ny': SyntaxError: invalid",
    ),
    "break in no file": (["-b", "x.py:1", "app.py"], "--break: there is no file x.py"),
    "break in a folder": (["-b", "empty:1", "app.py"], "--break: there is no file empty"),
    "a module's file": (["-b", "1", "-m", "x"], "--break: name the file of line 1 for a module"),
    "nothing to break in": (["-b", "1"], "name a SCRIPT or a -m MODULE to debug"),
    "nothing to run": (["--python", "venv"], "name a SCRIPT or a -m MODULE to debug"),
}


@pytest.mark.parametrize(("args", "sentence"), REFUSALS.values(), ids=REFUSALS)
def test_refusal(
    args: list[str], sentence: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = sentence.replace("{folder}", str(folder))
    assert run(args, Guardian(0, -1)) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"tuidbg: {sentence}")
    assert told.err.endswith("\n") and told.err[:-1].isprintable()
    with pytest.raises(ValueError, match=r"\S"):  # which the start screen shows
        read_words(args)


def test_unreadable_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *args: object) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UsageError, match=r"can't read .*/app\.py: Permission denied"):
        read_command_line(["app.py"])


def test_folder_that_may_not_be_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    stat = Path.stat

    def refuse(path: Path, *, follow_symlinks: bool = True) -> object:
        if path.parent.name == "x":  # pytest asks for others, and root may enter every folder
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(UsageError, match=r"Permission denied: .*/x/app\.py"):
        read_command_line(["x/app.py"])


def test_current_folder_is_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "short").mkdir()
    monkeypatch.chdir(folder / "short")
    (folder / "short").rmdir()
    with pytest.raises(UsageError, match="the current directory is gone"):
        read_command_line([str(folder / "app.py")])


@pytest.mark.parametrize("option", ["--help", "--version", "-h"])
def test_what_the_command_line_answers_itself(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        read_command_line([option])
    assert ended.value.code == 0
    told = capsys.readouterr()
    assert told.err == ""
    if option == "--version":
        assert told.out == f"tuidbg {tuidbg.__version__}\n"
    else:
        assert "tuidbg [OPTIONS] -m MODULE [ARGS...]" in told.out
    with pytest.raises(ValueError, match="command line"):
        read_words([option])


@pytest.mark.parametrize("columns", [60, 100])
def test_help_has_examples_and_each_command_once(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    help_text = make_parser().format_help()
    assert max(map(len, help_text.splitlines())) <= max(columns, 81)
    assert help_text.startswith(f"{SENTENCE}\n\n")
    sections = dict(re.findall(r"^(\w.+):\n((?:  .+\n)+)", help_text, re.MULTILINE))
    assert sections["Examples"].count("  tuidbg") == len(EXAMPLES) == 5
    rows = [re.findall(r"^  (\w+)", sections[group], re.MULTILINE) for group in GROUPS]
    assert len(GROUPS) == 3 and all(rows)
    shown = [name for group in rows for name in group]
    assert sorted(shown) == sorted(["demo", *(n for n in COMMANDS if n != "--hooked-program")])


def test_help_shows_each_option() -> None:
    parser = make_parser()
    options = [name for action in parser._actions for name in action.option_strings]
    assert [name for name in options if f" {name}" not in parser.format_help()] == []
    assert "default, pdb, vscode or vim" in " ".join(parser.format_help().split())


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_help_can_be_typed(example: str) -> None:
    for name in ("script.py", "app.py"):
        Path(name).touch()
    words = shlex.split(example)[1:]
    if words[:1] == ["attach"]:
        assert attach.make_parser().parse_args(words[1:]).pid == 4711
    else:
        read_command_line(words)


def test_each_command_has_its_parser() -> None:
    for name, command in COMMANDS.items():
        if command.group:
            parser = importlib.import_module(command.module).make_parser()
            assert parser.prog == f"tuidbg {name}"


# What the program's interpreter says


def test_caret_stands_under_what_was_meant() -> None:
    def describe(text: str, column: int) -> list[str]:
        return describe_problem(SourceProblem("no", "a.py", 3, column, text)).split("\n")

    assert describe("    x = = 1\n", 9) == ["tuidbg: a.py:3: no", "    x = = 1", "        ^"]
    assert describe("x\t= 1", 3)[1:] == ["    x = 1", "      ^"]
    assert describe("名 = = 1", 5)[1:] == ["    名 = = 1", "    \u3000   ^"]
    assert describe("\x1b[31mx", 6)[1] == "     [31mx"
    assert describe("   x", 0)[1:] == ["    x", "    ^"]
    assert describe("", 0) == ["tuidbg: a.py:3: no"]
    assert describe_problem(SourceProblem("no\x1b[1m")) == "tuidbg: no [1m"


def write_interpreter(path: Path, answer: str) -> Path:
    """A program that says ``answer``, whatever it is asked."""
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\n")
    path.chmod(0o755)
    return path


def old_interpreters() -> list[str]:
    """Old interpreters of this machine that work."""
    names = ("python2", "python2.7", "python3.6", "python3.7")
    found = [path for name in names if (path := shutil.which(name))]
    return [path for path in found if subprocess.run([path, "-c", ""], check=False).returncode == 0]


def refuse_on_terminal(folder: Path, *args: str) -> list[str]:
    """Run the command on a terminal, stderr apart; what stderr got, after all has been checked."""
    errors = folder / "stderr"
    redirected = ("sh", "-c", f'exec "$@" 2>{errors}', "sh", *TUIDBG)
    with run_tuidbg(folder, *args, command=redirected) as terminal:
        assert terminal.wait_exit() == 2
        assert terminal.raw == b""
        assert terminal.attributes() == terminal.attributes_at_start
        await_nothing_left(terminal)
    return errors.read_text().splitlines()


@pytest.mark.full
@pytest.mark.real
def test_syntax_error_on_a_terminal(folder: Path) -> None:
    (folder / "bad.py").write_text("x = 1\nif x:\n    print(x +)\n")
    first, *rest = refuse_on_terminal(folder, "bad.py")
    assert first == f"tuidbg: {folder}/bad.py:3: SyntaxError: invalid syntax"
    assert rest == ["    print(x +)", "             ^"]


@pytest.mark.full
@pytest.mark.real
def test_syntax_error_of_a_module(folder: Path) -> None:
    (folder / "runs" / "__main__.py").write_text("\tx = (\n")
    first, *rest = refuse_on_terminal(folder, "-m", "runs")
    assert first.startswith(f"tuidbg: {folder}/runs/__main__.py:1: IndentationError: ")
    assert rest[0] == "    x = ("
    assert rest[1].strip() == "^"


@pytest.mark.full
@pytest.mark.real
def test_syntax_errors_share_the_terminal_without_a_flicker(folder: Path) -> None:
    (folder / "bad.py").write_text("def f(:\n")
    with run_tuidbg(folder, "bad.py") as terminal:
        assert terminal.wait_exit() == 2
        assert ENTER_SCREEN not in terminal.raw and b"\x1b" not in terminal.raw
        assert "invalid syntax" in terminal.line(0)


@pytest.mark.full
@pytest.mark.real
def test_interpreter_decides_what_is_syntax(folder: Path) -> None:
    """The word of a newer Python on the source counts, not what tuidbg's own would say."""
    error = {"message": "SyntaxError: too new", "line": 1, "column": 1, "text": "print('hello')"}
    answer = {"version": [3, 99, 0], "path": "app.py", "lines": [], "error": error}
    write_interpreter(folder / "newer", json.dumps(answer))
    first, *rest = refuse_on_terminal(folder, "--python", "./newer", "app.py")
    assert first == "tuidbg: app.py:1: SyntaxError: too new"
    assert rest == ["    print('hello')", "    ^"]


@pytest.mark.full
@pytest.mark.real
def test_old_interpreter_is_refused(folder: Path) -> None:
    answer = json.dumps({"version": [3, 7, 16], "path": "app.py"})
    write_interpreter(folder / "older", answer)
    for python in ("./older", *old_interpreters()):
        [line] = refuse_on_terminal(folder, "--python", python, "app.py")
        assert re.match(r"tuidbg: /\S+ is Python \d\.\d+\.\d+; debugpy needs Python 3\.8", line)


@pytest.mark.full
@pytest.mark.real
def test_other_programs_are_refused_as_interpreters(folder: Path) -> None:
    write_interpreter(folder / "other", "hello")
    (folder / "text").write_text("no program")
    (folder / "text").chmod(0o755)
    [line] = refuse_on_terminal(folder, "--python", "./other", "app.py")
    assert line.startswith(f"tuidbg: {folder}/other is no Python interpreter")
    [line] = refuse_on_terminal(folder, "--python", "./text", "app.py")
    assert line.startswith(f"tuidbg: can't run the interpreter {folder}/text: ")


@pytest.mark.full
@pytest.mark.real
def test_theme_and_log_that_are_not_there(folder: Path) -> None:
    [line] = refuse_on_terminal(folder, "--theme", "zork", "app.py")
    assert line.startswith("tuidbg: --theme: ") and "'zork'" in line and "light" in line
    [line] = refuse_on_terminal(folder, "--dap-log", "no/where", "app.py")
    assert line == "tuidbg: --dap-log: No such file or directory: no/where"


# Without a terminal


def run_plain(folder: Path, *args: str, **streams: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TUIDBG, *args],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.full
@pytest.mark.real
def test_script_needs_a_terminal(folder: Path) -> None:
    for args in (["app.py"], ["-m", "json.tool"], []):
        ended = run_plain(folder, *args)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.count("\n") == 1
        assert "needs a terminal" in ended.stderr and "tuidbg demo" in ended.stderr


def test_closed_streams_are_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert run(["app.py"], Guardian(0, -1)) == 2
    assert "needs a terminal" in capsys.readouterr().err


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yields what the demo prints where there is no terminal."""
    folder = tmp_path_factory.mktemp("demo")
    log = folder / "log"
    ended = run_plain(folder, "--dap-log", str(log), "demo")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "configurationDone" in log.read_text()
    yield ended.stdout


@pytest.mark.full
@pytest.mark.real
def test_demo_is_played_as_text(played: str) -> None:
    assert "\x1b" not in played
    _, *stops = played.split("=== Stopped: ")
    reasons = [stop.splitlines()[0] for stop in stops]
    assert reasons == [
        *("entry", "step", "breakpoint 1", "step", "step", "breakpoint 1"),
        "exception OutOfBread: Hana was promised 1 rye too many",
    ]
    for stop in stops:
        assert re.search(r"^\w+\.py:\d+ in \S+\n", stop, re.MULTILINE)
        assert re.search(r"^ {2}-> +\d+ .*\S", stop, re.MULTILINE)
        assert re.search(r"^Stack:\n {2}0 \S+ {2}\w+\.py:\d+\n", stop, re.MULTILINE)
        assert "\nLocals:\n" in stop
    assert "\n  left = -1\n" in stops[-1]
    assert "\n  3 <module>  main.py:" in stops[-1]
    assert played.endswith("\nThe program has ended with exit code 1.\n")


@pytest.mark.full
@pytest.mark.real
def test_demo_takes_breakpoints(folder: Path) -> None:
    ended = run_plain(folder, "--no-stop-on-entry", "-b", "44 if number == 4", "demo")
    assert ended.returncode == 0
    assert "=== Stopped: entry" not in ended.stdout
    assert ended.stdout.count("=== Stopped: breakpoint 2") == 1


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize(
    "words", ["serve --openapi", "adapters", "breakpoints list", "--help", "serve --help"]
)
def test_what_is_printed_may_be_read_in_part(words: str, folder: Path) -> None:
    """Whoever reads is gone before the first byte."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run(
            [*TUIDBG, *words.split()],
            env=environment(folder),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.full
@pytest.mark.real
def test_demo_may_be_read_in_part(folder: Path) -> None:
    stop = ["=== Stopped: entry", "main.py:1 in <module>"]
    assert read_by_head(folder, "demo", 3)[1:] == stop
    reader = subprocess.Popen(
        [*TUIDBG, "demo"],
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert reader.stdout is not None and reader.stderr is not None
    with reader:
        reader.stdout.read(1)
        reader.stdout.close()
        assert reader.stderr.read() == b""
    assert reader.returncode == 0


@pytest.mark.full
@pytest.mark.real
def test_demo_without_an_interpreter_for_it(folder: Path) -> None:
    write_interpreter(folder / "other", "hello")
    ended = run_plain(folder, "--python", "./other", "demo")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    assert "is no Python interpreter" in ended.stderr


@pytest.mark.full
@pytest.mark.real
def test_lines_of_a_refusal_go_to_stderr_alone(folder: Path) -> None:
    """As a process too, from the console script's function on."""
    ended = run_plain(folder, "nosuch.py")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "tuidbg: there is no file nosuch.py\n"
