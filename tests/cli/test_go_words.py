"""Go on the command line: files, packages, tests, and what is neither, in a sentence."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support.go import GO
from tests.support.native import needs_delve
from tuidbg.cli.main import read_words
from tuidbg.config.launch import LaunchPlan
from tuidbg.config.request import WantedBreakpoint

pytestmark = needs_delve


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of Go's, and a folder with scripts that have a ``main`` each."""
    folder = tmp_path / "tour"
    shutil.copytree(GO / "tour", folder)
    scripts = tmp_path / "tour" / "scripts"
    scripts.mkdir()
    for name in ("one", "two"):
        (scripts / f"{name}.go").write_text("package main\n\nfunc main() {\n}\n")
    monkeypatch.chdir(folder)
    return folder


def plan_of(line: str) -> LaunchPlan:
    plan = read_words(line.split()).plan
    assert isinstance(plan, LaunchPlan)
    assert plan.adapter == "dlv"
    return plan


PROGRAMS = {
    "main.go a -b": ("main.go", "main.go", ("a", "-b")),
    ".": (".", "main.go", ()),
    "./cmd/greet you": ("cmd/greet", "cmd/greet/main.go", ("you",)),
    "cmd/greet/greet.go": ("cmd/greet/greet.go", "cmd/greet/greet.go", ()),
    "scripts/two.go": ("scripts/two.go", "scripts/two.go", ()),
    "env A=1 ./cmd/greet": ("cmd/greet", "cmd/greet/main.go", ()),
}


@pytest.mark.parametrize("line", PROGRAMS)
def test_a_program(line: str, module: Path) -> None:
    target, source, args = PROGRAMS[line]
    plan = plan_of(line)
    assert plan.target == str((module / target).resolve())
    assert plan.first_source == str(module / source)
    assert plan.args == args
    assert plan.options == {"mode": "debug"}
    assert plan.cwd == str(module)
    assert plan.env == ({"A": "1"} if line.startswith("env") else {})


BOTH = "-test.run=^(TestCount|TestNothing)$"

TESTS: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "--test ./counting": ((), []),
    "--test counting/counting_test.go": ((BOTH,), []),
    "counting/counting_test.go -v": ((BOTH, "-test.v"), []),
    "--test counting/counting_test.go -run One": (("-test.run=One",), []),
    "--test ./counting -run TestCount -count=1 -v": (
        ("-test.run=TestCount", "-test.count=1", "-test.v"),
        [],
    ),
    "--test ./counting -- -test.run=X": (("-test.run=X",), []),
    "--test ./counting -race -tags some -short": (("-test.short",), ["-race", "-tags=some"]),
    "--test ./counting -v -args -v": (("-test.v", "-v"), []),
}


@pytest.mark.parametrize("line", TESTS)
def test_the_tests_of_a_package(line: str, module: Path) -> None:
    plan = plan_of(line)
    args, build = TESTS[line]
    assert plan.args == args
    assert plan.options == {"mode": "test", **({"buildFlags": build} if build else {})}
    assert plan.target == plan.cwd == str(module / "counting")
    assert plan.first_source == str(module / "counting" / "counting_test.go")


def test_a_folder_for_the_tests_and_a_breakpoint(module: Path) -> None:
    request = read_words(["--cwd", "/", "-b", "7", "--test", "counting"])
    assert isinstance(request.plan, LaunchPlan)
    assert request.plan.cwd == "/"
    source = str(module / "counting" / "counting_test.go")
    assert request.breakpoints == (WantedBreakpoint(source, 7),)


REFUSED = {
    "./counting": "`tuidbg --test ./counting` debugs its tests",
    "counting/counting.go": "`tuidbg --test counting` debugs its tests",
    "./cmd": "./cmd is no program of Go's itself; there are ./greet in it",
    "--test ./cmd/greet": "there are no tests in",
    "--test ./...": "tuidbg debugs one package at a time",
    "--test nothing": "there is no package nothing",
    "--test main.go": "name its folder, or its _test.go files",
    "nothing.go": "there is no file nothing.go",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_no_program(line: str) -> None:
    with pytest.raises(ValueError, match=re.escape(REFUSED[line])):
        read_words(line.split())


def test_tests_of_python(module: Path) -> None:
    (module / "test_it.py").write_text("")
    with pytest.raises(ValueError, match=r"tuidbg -m pytest test_it\.py"):
        read_words(["--test", "test_it.py"])
