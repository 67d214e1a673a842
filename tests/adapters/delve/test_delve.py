"""Tests what Delve says in words, and texts it cuts: read without it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tuidbg.adapters.delve import packages, wording
from tuidbg.adapters.delve.profile import DelveProfile
from tuidbg.adapters.traits import Said, SourceFacts
from tuidbg.config.launch import AttachPlan, LaunchPlan, TargetKind

SAID = {
    "Process 672 has exited with status 3\n": Said(exit_code=3),
    "Process 672 has exited with status -9\n": Said(exit_code=-9),
    "Type 'dlv help' for list of commands.\n": Said(),
    "Detaching\n": Said(),
    "Detaching without terminating target process\n": Said(),
    "Detaching and terminating target process\n": Said(has_ended=True),
    "Too many goroutines, only loaded 1024\n": Said(),
    "something else\n": Said("something else\n"),
}


@pytest.mark.parametrize("text", SAID)
def test_the_debuggers_console(text: str) -> None:
    assert wording.read_output(text) == SAID[text]


def test_a_build_that_failed(tmp_path: Path) -> None:
    profile = DelveProfile()
    said = profile.ending.read_output(
        "stderr",
        "Build Error: go build -o /tmp/x -gcflags all=-N -l .\n# example.com/x\n"
        "./a.go:6:2: count declared but not used\nb/c.go:7: undefined: y (exit status 2)\n",
    )
    assert said.text.startswith("# example.com/x\n./a.go:6:2: count")
    assert said.text.endswith("undefined: y\n")
    problem = profile.launch.explain_failure(
        "Failed to launch: Build error: Check the debug console"
    )
    assert problem.message == "a.go:6: count declared but not used (and 1 more)"
    assert (problem.line, problem.column) == (6, 2)


def test_a_build_without_a_place(tmp_path: Path) -> None:
    told = wording.read_build(
        "Build Error: go build .\ngo: go.mod file not found in current directory (exit status 1)\n"
    )
    assert told is not None
    problem = wording.find_build_problem(told, tmp_path)
    assert problem.message == "go: go.mod file not found in current directory"
    assert problem.path == ""


THREADS = {
    "* [Go 1] main.main (Thread 4711)": "[Go 1] main.main",
    "[Go 18] example.com/tour/counting.(*T).count": "[Go 18] counting.(*T).count",
    "Current": None,
    "Dummy": None,
}


@pytest.mark.parametrize("name", THREADS)
def test_the_names_of_goroutines(name: str) -> None:
    assert DelveProfile().stops.thread_name(name) == THREADS[name]


FRAMES = {
    "main.main": "main.main",
    "example.com/tour/counting.TestCount": "counting.TestCount",
    "main.Map[go.shape.int_0,example.com/x.T]": "main.Map[go.shape.int_0,example.com/x.T]",
    "example.com/a.(*b).c.func1": "a.(*b).c.func1",
}


@pytest.mark.parametrize("name", FRAMES)
def test_the_names_of_functions(name: str) -> None:
    assert DelveProfile().stops.frame_name(name) == FRAMES[name]


NAMES = {
    "main.add()": "main.add",
    "(*box).grow": "(*box).grow",
    "example.com/tour/counting.add": "example.com/tour/counting.add",
    "(*box": "",
    "a b": "",
    "": "",
}


@pytest.mark.parametrize("text", NAMES)
def test_the_functions_that_people_name(text: str) -> None:
    assert DelveProfile().breakpoints.function_name(text) == NAMES[text]


async def test_a_string_in_parts() -> None:
    """Cut anywhere, in the middle of a character, too."""
    whole = 'a "quoted"\n tab\t' + "äöü€" * 30

    async def evaluate(expression: str) -> str:
        data = whole.encode()
        if expression == "len(s)":
            return str(len(data))
        start, end = map(int, expression.removeprefix("s[").removesuffix("]").split(":"))
        return shown(data[start:end])

    def shown(data: bytes) -> str:
        part, more = data[:50], len(data) - 50
        text = part.decode("utf-8", "backslashreplace").replace('"', '\\"')
        text = text.replace("\n", "\\n").replace("\t", "\\t")
        return f'"{text}' + (f'...+{more} more"' if more > 0 else '"')

    first = shown(whole.encode())
    assert wording.is_string(first)
    assert await wording.read_string(evaluate, "s", first, 1_000) == (whole, len(whole))
    text, total = await wording.read_string(evaluate, "s", first, 60)
    assert whole.startswith(text.rstrip("\ufffd"))
    assert total == len(whole.encode())


def test_what_a_killed_process_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one removes it; what a living one has stays."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(packages, "_made", 0)
    base = tmp_path / f"tuidbg-go-{os.getuid()}"
    dead, living = base / "4194305", base / str(os.getppid())
    for folder in (dead, living):
        folder.mkdir(parents=True)
    base.chmod(0o700)
    made = packages.make_output("tour")
    assert not dead.exists()
    assert living.exists()
    assert made.parent.parent == base / str(os.getpid())
    assert packages.make_output("tour") != made


def test_functions_of_a_module(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module x\n")
    (tmp_path / "a.go").write_text("package main\n\nfunc add(a int) {\n}\nfunc added() {\n}\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "b.go").write_text(
        "package b\n\nfunc (t *T) add() {\n}\nfunc (T) add[K any]() {\n}\n"
    )
    assert packages.find_functions(tmp_path / "b", "add") == ["main.add", "b.(*T).add", "b.T.add"]


def test_arguments_to_attach() -> None:
    profile = DelveProfile()
    by_pid = AttachPlan(pid=4, cwd="/", python="", adapter="dlv")
    assert profile.attach.arguments(by_pid)["mode"] == "local"
    assert profile.attach.lets_go(by_pid)
    remote = AttachPlan(port=4, cwd="/", python="", adapter="dlv")
    assert profile.attach.arguments(remote)["mode"] == "remote"
    assert not profile.attach.lets_go(remote)


def test_options_go_before_what_is_found(tmp_path: Path) -> None:
    """As a launch.json has them."""
    options = {"mode": "exec", "buildFlags": "-tags=x", "program": "ignored", "showRegisters": True}
    plan = LaunchPlan(
        kind=TargetKind.SCRIPT,
        target=str(tmp_path / "program"),
        cwd=str(tmp_path),
        python="",
        unset=("A",),
        adapter="dlv",
        options=options,
    )
    arguments = DelveProfile().launch.arguments(plan, SourceFacts())
    assert arguments["mode"] == "exec"
    assert arguments["program"] == plan.target
    assert (arguments["buildFlags"], arguments["showRegisters"]) == ("-tags=x", True)
    assert arguments["env"] == {"A": None}
