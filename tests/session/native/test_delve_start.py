"""Go from the start to the end: what is built and where, input and output, and how it ends."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.support.go import CRASH, GO, TOUR, built, go_session, line_of
from tests.support.native import needs_delve
from tests.support.sessions import SessionUnderTest
from tuidbg.adapters.delve import profile as delve
from tuidbg.config.launch import Console
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import LaunchFailed
from tuidbg.session.model.events import WaitingChanged
from tuidbg.session.model.state import BreakpointStatus, Status, StopReason

pytestmark = [pytest.mark.real, needs_delve]


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("__debug_bin*")]


@pytest.mark.full
async def test_a_package_from_elsewhere(tmp_path: Path) -> None:
    """It is built in its module, runs in the person's folder, and leaves no binary anywhere."""
    env = {"TOUR": "from here"}
    async with go_session(tmp_path, TOUR.parent, "env", env=env) as under_test:
        await under_test.start()
        assert (under_test.reason, under_test.line) == (
            StopReason.ENTRY,
            line_of(TOUR, "func main()"),
        )
        (launch,) = under_test.sent("launch")
        output = Path(str(launch["output"]))
        assert output.is_file()
        assert not output.is_relative_to(GO)
        await under_test.to_end()
        assert f"from here {tmp_path}" in under_test.output("terminal")
        assert not output.exists()
        words = [e.text for e in under_test.events(WaitingChanged)]
        assert words == ["building tour", ""]
    assert left_in(GO) == left_in(tmp_path) == []


@pytest.mark.full
async def test_two_at_once(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    async with (
        go_session(tmp_path, TOUR) as one,
        go_session(tmp_path / "other", TOUR) as other,
    ):
        await asyncio.gather(one.start(), other.start())
        assert one.sent("launch")[0]["output"] != other.sent("launch")[0]["output"]
        await asyncio.gather(one.to_end(), other.to_end())
        assert one.session.exit == other.session.exit


async def test_the_first_test_that_runs(tmp_path: Path) -> None:
    tests = TOUR.parent / "counting"
    options = {"mode": "test"}
    words = ["-test.run=Nothing"]
    async with go_session(tmp_path, tests, *words, options=options, cwd=str(tests)) as under_test:
        await under_test.start()
        assert under_test.reason is StopReason.ENTRY
        assert under_test.session.frames[0].name == "counting.TestNothing"
        await under_test.until(lambda: under_test.session.threads)
        names = [thread.name for thread in under_test.session.threads]
        assert "counting.TestNothing" in [name.partition("] ")[2] for name in names]
        await under_test.to_end()
        assert under_test.session.exit is not None
        assert under_test.session.exit.code == 1
        assert "Count(0) = 0" in under_test.output("terminal")
    assert left_in(GO) == []


@pytest.mark.full
async def test_a_binary(tmp_path: Path) -> None:
    async with go_session(tmp_path, built("tour"), "fail") as under_test:
        await under_test.start()
        assert under_test.session.frames[0].name == "main.main"
        assert not under_test.events(WaitingChanged)
        await under_test.to_end()
        assert under_test.session.exit is not None
        assert under_test.session.exit.code == 3


async def test_a_binary_without_debug_information(tmp_path: Path) -> None:
    async with go_session(tmp_path, built("tour", "-ldflags=-s -w")) as under_test:
        failure = await under_test.fails_to_start()
        assert "no debug information; build it without -ldflags='-s -w'" in failure


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module of one's own that can be edited: its program."""
    shutil.copytree(GO / "broken", tmp_path / "broken")
    return tmp_path / "broken" / "main.go"


@pytest.mark.full
async def test_what_does_not_compile(module: Path, tmp_path: Path) -> None:
    """The compiler's words are in the console, the place is known, and mended it starts."""
    async with go_session(tmp_path, module) as under_test:
        failure = await under_test.fails_to_start()
        assert failure == (
            "can't start main.go: main.go:6: count declared but not used (and 2 more)"
        )
        assert "./main.go:7:14: undefined: cuont" in under_test.console
        assert "-gcflags" not in under_test.console
        session = under_test.session
        assert session.status is Status.FAILED
        problem = session.source_problem
        assert problem is not None
        assert (problem.path, problem.line, problem.column) == (str(module), 6, 2)
        text = module.read_text().replace("cuont", "count").replace("return 1", "return")
        module.write_text(text)
        await session.lifecycle.restart()
        await under_test.settled()
        assert under_test.reason is StopReason.ENTRY
        assert session.source_problem is None


@pytest.mark.full
async def test_a_restart_builds_what_was_edited(module: Path, tmp_path: Path) -> None:
    """Breakpoints go with their lines."""
    fine = module.read_text().replace("cuont", "count").replace("\treturn 1\n", "")
    module.write_text(fine)
    async with go_session(tmp_path, module, stop_on_entry=False) as under_test:
        session = under_test.session
        found = await session.breakpoints.set(str(module), line_of(module, "Println"), origin="tui")
        assert session.breakpoints.anchors.fields(found) is not None
        await under_test.start()
        assert under_test.line == 7
        module.write_text(fine.replace("count := 3", "// more\n\n\tcount := 4"))
        before = session.stop_id
        await session.lifecycle.restart()
        await under_test.settled(before)
        assert under_test.line == 9
        assert (await under_test.locals())["count"].value == "4"


@pytest.mark.full
async def test_a_program_that_reads(tmp_path: Path) -> None:
    async with go_session(tmp_path, TOUR, "ask", "fail", stop_on_entry=False) as under_test:
        await under_test.session.lifecycle.start()
        await under_test.until(lambda: "counted 3" in under_test.console)
        under_test.session.terminal_io.send_input("some words\n")
        await under_test.until(lambda: under_test.ended)
        assert 'read "some words\\n" <nil>' in under_test.console
        assert under_test.session.exit is not None
        assert under_test.session.exit.code == 3


@pytest.mark.full
async def test_the_end_of_input(tmp_path: Path) -> None:
    async with go_session(tmp_path, TOUR, "ask", stop_on_entry=False) as under_test:
        await under_test.session.lifecycle.start()
        await under_test.until(lambda: "counted 3" in under_test.console)
        under_test.session.terminal_io.send_end_of_input()
        await under_test.until(lambda: under_test.ended)
        assert 'read "" EOF' in under_test.console


@pytest.mark.full
async def test_an_interrupt(tmp_path: Path) -> None:
    async with go_session(tmp_path, CRASH, "interrupt", stop_on_entry=False) as under_test:
        await under_test.session.lifecycle.start()
        await under_test.until(lambda: "waiting" in under_test.console)
        under_test.session.terminal_io.send_interrupt()
        await under_test.until(lambda: under_test.ended)
        assert "told interrupt" in under_test.console


@pytest.mark.full
@pytest.mark.parametrize("console", [Console.TERMINAL, Console.INTERNAL])
async def test_all_that_it_writes(console: Console, tmp_path: Path) -> None:
    """In order and complete, and nothing of Delve's own."""
    plan = {"stop_on_entry": False, "console": console}
    async with go_session(tmp_path, CRASH, "flood", **plan) as under_test:
        under_test.session.output.max_lines = 30_000
        await under_test.start()
        category = "terminal" if console is Console.TERMINAL else "stdout"
        lines = under_test.output(category).split("\n")
        assert lines == [f"line {i}" for i in range(20_000)]
        assert under_test.output("console") == "The program has ended with exit code 0."


@pytest.mark.full
async def test_a_signal(tmp_path: Path) -> None:
    async with go_session(tmp_path, CRASH, "kill", stop_on_entry=False) as under_test:
        await under_test.start()
        assert under_test.session.exit is not None
        assert under_test.session.exit.signal == "SIGKILL"


async def _building(under_test: SessionUnderTest) -> None:
    await under_test.until(lambda: under_test.session.waiting)


async def _running(under_test: SessionUnderTest) -> None:
    await under_test.until(lambda: under_test.session.status is Status.RUNNING)


async def _paused(under_test: SessionUnderTest) -> None:
    await under_test.until(lambda: under_test.session.status is Status.RUNNING)
    await under_test.session.execution.pause(origin="tui")
    await under_test.settled()


@pytest.mark.full
@pytest.mark.parametrize("when", [_building, _running, _paused])
async def test_quitting(when: object, tmp_path: Path) -> None:
    """In under a second, and no process is left; ``close`` looks at both."""
    assert callable(when)
    async with go_session(tmp_path, CRASH, "loop", stop_on_entry=False) as under_test:
        start = asyncio.create_task(under_test.session.lifecycle.start())
        await when(under_test)
        await under_test.close()
        try:
            await start
        except LaunchFailed:
            pass  # it was cancelled
    assert left_in(GO) == []


@pytest.mark.full
async def test_a_restart(tmp_path: Path) -> None:
    async with go_session(tmp_path, TOUR) as under_test:
        found = await under_test.session.breakpoints.set(
            str(TOUR), line_of(TOUR, "sum := a + b"), origin="tui"
        )
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        assert under_test.hits == (found.number,)
        before = under_test.session.stop_id
        await under_test.session.lifecycle.restart()
        await under_test.settled(before)
        assert under_test.reason is StopReason.ENTRY
        assert under_test.breakpoint(found.line).status is BreakpointStatus.SET
        await under_test.go(Resume.CONTINUE)
        assert under_test.hits == (found.number,)


async def test_delve_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with go_session(tmp_path, TOUR) as under_test:
        monkeypatch.setattr(delve, "_go_folders", lambda: "")
        monkeypatch.setenv("PATH", str(tmp_path))
        failure = await under_test.fails_to_start()
        assert "dlv is not installed" in failure
        assert "go install github.com/go-delve/delve/cmd/dlv@latest" in failure


async def test_go_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dlv").symlink_to(shutil.which("dlv") or "")
    (tmp_path / "setsid").symlink_to(shutil.which("setsid") or "")
    async with go_session(tmp_path, TOUR) as under_test:
        monkeypatch.setattr(delve, "_go_folders", lambda: "")
        monkeypatch.setenv("PATH", str(tmp_path))
        failure = await under_test.fails_to_start()
        assert "go is not installed, which builds the program" in failure
