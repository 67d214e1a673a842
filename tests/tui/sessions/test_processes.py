"""Tests what a person sees of a program's processes: on the real debugpy, and as pictures."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage
from tests.support.processes import Processes, place_of, stands
from tests.support.screens import Debugger, screen_rows, shown_text
from tests.support.sessions import debugpy_session, until
from tuidbg.config.launch import AttachPlan, Console
from tuidbg.session.core.process_tree.children import ChildProcesses
from tuidbg.session.core.process_tree.family import ProcessTree
from tuidbg.session.model.events import ProgramExited, ProgramStarted
from tuidbg.session.model.state import ExitState, Frame, Place, Status, Stop, StopReason
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.features.sessions.dialog import SessionsDialog
from tuidbg.tui.toolkit.widgets.key_bar import StatusLine

WORKERS = """\
import os, sys, time
def work(n):
    while n < 3000:
        n += 1
        time.sleep(0.01)
pids = []
for n in range(2):
    if (pid := os.fork()) == 0:
        work(n)
        os._exit(0)
    pids.append(pid)
work(100)
"""
LINE = 4


class ManyProcesses(Debugger):
    """The app on a program with two workers that stand in their loops."""

    processes: Processes

    def rows_of_tree(self) -> list[str]:
        """The rows of the dialog, from the marks on."""
        rows = [row.partition("│ ")[2] for row in screen_rows(self.app)]
        return [row for row in rows if "program.py" in row and "sess_" in row]


@asynccontextmanager
async def workers(folder: Path) -> AsyncIterator[ManyProcesses]:
    path = folder / "program.py"
    path.write_text(WORKERS, encoding="utf-8")
    async with debugpy_session(folder, path, stop_on_entry=False) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(folder))
        async with app.run_test(size=(140, 40)) as pilot:
            bench = ManyProcesses(app, pilot, under_test)  # type: ignore[arg-type]
            bench.processes = Processes(under_test)
            await session.breakpoints.set(str(path), LINE, condition="n < 100", origin="tui")
            await session.lifecycle.start()
            await bench.processes.until(lambda: len(bench.processes.standing) == 2, "both stand")
            yield bench


@pytest.mark.full
@pytest.mark.real
async def test_a_stop_elsewhere_is_told_and_gone_to(tmp_path: Path) -> None:
    async with workers(tmp_path) as bench:
        await bench.until(lambda: "stopped at program.py:4 · Alt+S shows it" in bench.status)
        assert bench.app.session is bench.session, "the person stays where they are"
        bench.screen.status.clear_hint()
        await bench.until(lambda: "3 processes, 2 stopped" in bench.status)
        assert shown_text(bench.screen.keys).startswith(" Alt+S stopped process "), "still told"

        await bench.press("alt+s")
        last = bench.session.family
        assert last is not None
        await bench.until(lambda: bench.app.session is not bench.session)
        shown = bench.app.session
        assert shown is not None and shown.stop is not None
        relative = last.find(shown)
        assert relative is not None and relative.stopped_as == 2
        screen = bench.app.screen
        await bench.until(lambda: "program.py:4 work" in screen.status.text)  # type: ignore[attr-defined]

        before = shown.stop_id
        await bench.press("n")
        await bench.processes.until(lambda: shown.stop_id > before and stands(shown))
        others = [r.session for r in bench.processes.children if r.session is not shown]
        assert [place_of(other) for other in others] == [("program.py", LINE)]

        seen = []
        for _ in range(3):
            await bench.press("alt+p")
            seen.append(bench.app.session)
        assert len({id(session) for session in seen}) == 3 and seen[-1] is shown


@pytest.mark.full
@pytest.mark.real
async def test_the_list_is_a_tree(tmp_path: Path) -> None:
    async with workers(tmp_path) as bench:
        await bench.until(lambda: bench.app.clients is not None)
        await bench.press("8")
        await bench.until(lambda: isinstance(bench.app.screen, SessionsDialog))
        await bench.until(lambda: len(bench.rows_of_tree()) == 3)
        root, first, second = bench.rows_of_tree()
        assert root.startswith("▷ program.py") and "running" in root and "viewing" in root
        for row, child in zip((first, second), bench.processes.children, strict=True):
            assert row.startswith("  └ program.py  ")
            assert "paused" in row and "program.py:4" in row and f"pid {child.session.pid}" in row
        child = bench.processes.children[0]
        await child.session.lifecycle.stop()
        await bench.until(lambda: "terminated" in bench.rows_of_tree()[1])
        assert child in bench.processes.all


@pytest.mark.full
@pytest.mark.real
async def test_stops_are_followed_only_if_that_is_wanted(tmp_path: Path) -> None:
    async with workers(tmp_path) as bench:
        await bench.until(lambda: bench.app.clients is not None)
        await bench.press("alt+o")
        assert bench.app.remembered.follow_stops
        first, second = bench.processes.children
        await bench.processes.go_on(first)
        await bench.until(lambda: bench.app.session is first.session, "it is shown as it stops")
        await bench.processes.go_on(second)
        await bench.processes.until(lambda: second.session.stop_id > 1 and stands(second.session))
        await bench.until(lambda: "stopped at" in bench.app.screen.status.text)  # type: ignore[attr-defined]
        assert bench.app.session is first.session, "the one that is looked at stands itself"


@pytest.mark.real
async def test_alone_the_keys_say_so(tmp_path: Path) -> None:
    path = tmp_path / "alone.py"
    path.write_text("x = 1\ny = 2\n", encoding="utf-8")
    async with debugpy_session(tmp_path, path) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        async with app.run_test(size=(140, 40)) as pilot:
            bench = Debugger(app, pilot, under_test)  # type: ignore[arg-type]
            await under_test.start()
            await bench.press("alt+s")
            assert "no other process is stopped" in bench.status
            await bench.press("alt+p")
            assert "no other process that is debugged" in bench.status


@pytest.mark.real
async def test_a_restart_from_a_childs_screen_shows_the_program(tmp_path: Path) -> None:
    async with workers(tmp_path) as bench:
        await bench.until(lambda: bench.app.clients is not None)
        await bench.press("alt+s")
        await bench.until(lambda: bench.app.session is not bench.session)
        old = {r.session for r in bench.processes.children}
        await bench.press("R", "R")
        await bench.until(lambda: bench.app.session is bench.session, "the program is shown")
        await bench.processes.until(lambda: len(bench.processes.standing) == 2, "both stand again")
        assert old.isdisjoint(r.session for r in bench.processes.children)


RELOADING = """\
import pathlib, subprocess, sys, time
if sys.argv[1:]:
    mark = pathlib.Path("change")
    ready = True
    while not mark.exists():
        time.sleep(0.01)
    mark.unlink()
    sys.exit(3)
while subprocess.call([sys.executable, "program.py", "worker"]) == 3:
    pass
"""


@asynccontextmanager
async def worker(
    folder: Path, program: str, line: int, console: Console = Console.INTERNAL
) -> AsyncIterator[ManyProcesses]:
    """The app on a program whose only other process stands at that line; this one is shown."""
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    run = debugpy_session(folder, path, stop_on_entry=False, console=console)
    async with run as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(folder))
        async with app.run_test(size=(140, 40)) as pilot:
            bench = ManyProcesses(app, pilot, under_test)  # type: ignore[arg-type]
            bench.processes = Processes(under_test)
            await session.breakpoints.set(str(path), line, origin="tui")
            await session.lifecycle.start()
            await bench.processes.stop_of_child(line)
            await bench.until(lambda: "Alt+S" in bench.status)
            await bench.press("alt+s")
            await bench.until(lambda: app.session is bench.processes.children[0].session)
            await bench.until(lambda: f"program.py:{line}" in words_of(bench))
            yield bench


def shown_screen(bench: ManyProcesses) -> DebugScreen:
    """Returns that of the process that is looked at, also below a dialog."""
    return next(s for s in reversed(bench.app.screen_stack) if isinstance(s, DebugScreen))


def words_of(bench: ManyProcesses) -> str:
    """The status line of whichever screen is shown."""
    return shown_screen(bench).status.text


@pytest.mark.real
async def test_a_worker_that_is_loaded_anew_is_followed(tmp_path: Path) -> None:
    async with worker(tmp_path, RELOADING, 4) as bench:
        await bench.press("c", "end")
        (tmp_path / "change").touch()
        await bench.until(lambda: len(bench.processes.children) == 2)
        first, second = bench.processes.children
        await bench.until(lambda: bench.app.session is second.session, "the next one is shown")
        await bench.until(lambda: f"{second.name} has taken the place of" in words_of(bench))
        screen = bench.app.screen
        assert isinstance(screen, DebugScreen)
        await bench.processes.stop_of_child(4)
        await bench.until(lambda: screen.view.frame is not None)
        assert "program has ended" not in "\n".join(screen_rows(bench.app))
        assert first.session.output[-1].text.startswith("This process has ended")


@pytest.mark.real
async def test_a_dialog_stays_where_the_worker_is_replaced(tmp_path: Path) -> None:
    async with worker(tmp_path, RELOADING, 4) as bench:
        await bench.press("c", "?")
        (tmp_path / "change").touch()
        await bench.until(lambda: len(bench.processes.children) == 2)
        first, second = bench.processes.children
        await bench.until(lambda: first.heir is second and first.is_over)
        await bench.until(lambda: f"replaced by {second.name}" in words_of(bench))
        assert bench.app.session is first.session


SAYING = """\
import subprocess, sys
if sys.argv[1:]:
    print("from the worker", flush=True)
    sys.exit()
subprocess.run([sys.executable, "program.py", "worker"]{})
"""


@pytest.mark.full
@pytest.mark.real
async def test_a_worker_without_output_of_its_own_says_where_it_is(tmp_path: Path) -> None:
    async with worker(tmp_path, SAYING.format(""), 4) as bench:
        console = shown_screen(bench).console
        await bench.until(lambda: "8 leads there" in shown_text(console))
        place = "its output is in the console of program.py; 8 leads there"
        assert place in shown_text(console)
        await bench.press("0")
        await bench.until(lambda: f"No terminal here: {place}" in "\n".join(screen_rows(bench.app)))
        await bench.press("8", "up", "enter")
        await bench.until(lambda: bench.app.session is bench.session, "it leads there")
        await bench.until(lambda: "from the worker" in shown_text(bench.screen.console))


@pytest.mark.full
@pytest.mark.real
async def test_a_worker_that_writes_into_a_pipe_is_said_to(tmp_path: Path) -> None:
    async with worker(tmp_path, SAYING.format(", capture_output=True"), 4) as bench:
        console = shown_screen(bench).console
        await bench.until(lambda: "through a pipe" in shown_text(console))
        assert "from the worker" not in bench.under_test.console


ASKING = """\
import subprocess, sys
if sys.argv[1:]:
    print("hello", sys.stdin.readline(), flush=True)
    sys.exit()
subprocess.run([sys.executable, "program.py", "worker"])
"""


@pytest.mark.full
@pytest.mark.real
async def test_a_worker_is_typed_to_on_the_terminal_that_it_shares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker may have ended before a hint can be read."""
    async with worker(tmp_path, ASKING, 3, Console.TERMINAL) as bench:
        await bench.press("c")
        await bench.until(lambda: words_of(bench).startswith(" running"))
        await bench.press("i")
        hints: list[str] = []
        show_hint = StatusLine.show_hint

        def note(line: StatusLine, text: str, *args: str, **settings: str) -> None:
            hints.append(text)
            show_hint(line, text, *args, **settings)

        monkeypatch.setattr(StatusLine, "show_hint", note)
        await bench.type_text("bob")
        await bench.press("enter")
        await bench.until(lambda: "hello bob" in bench.under_test.output("terminal"))
        assert any("it shares with program.py" in hint for hint in hints)


# Pictures


def join(stage: Stage, parent_number: int, name: str, pid: int, status: Status, line: int) -> None:
    """A further process of the stage's program, without one."""
    family = ProcessTree.of(stage.session)
    parent = family.get(parent_number)
    assert parent is not None
    plan = AttachPlan(
        port=5678,
        cwd="/src",
        python="python",
        configuration={"subProcessId": pid},
        name=name,
        is_started_here=True,
    )
    child = ChildProcesses(parent.session)._make(plan)
    family.add(child, parent.session, name)
    child.pid = pid
    child.publish(ProgramStarted(pid=pid))
    if line:
        place = Place(path=str(stage.source), line=line)
        child.frames = (Frame(id=1, index=0, name="pack", place=place),)
        child.stop_id = child.stack_of = 1
        child.note_stopped(Stop(id=1, reason=StopReason.BREAKPOINT, thread_id=1))
    else:
        child.move_to(status)
    if status is Status.TERMINATED:
        child.publish(ProgramExited(exit=ExitState()))


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_picture(
    size: Size,
    pictures: Pictures,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = pictures.make_stage()
    numbers = iter(range(1, 100))
    monkeypatch.setattr(
        "tuidbg.session.hub.members.secrets.token_hex", lambda n: f"{next(numbers):08x}"
    )

    async def act(pilot: Pilot[int]) -> None:
        await stage.start(pilot)
        join(stage, 0, "parcels.py 4711", 4711, Status.RUNNING, 0)
        join(stage, 0, "gunicorn 4712", 4712, Status.PAUSED, 22)
        join(stage, 2, "worker.py 4713", 4713, Status.PAUSED, 30)
        join(stage, 0, "parcels.py 4714", 4714, Status.TERMINATED, 0)
        await until(lambda: stage.app.clients)
        await pilot.press("8")
        await pilot.pause()
        clients = stage.app.clients
        assert clients is not None
        clients._diagnostics.close()
        await pilot.pause()
        await until(lambda: not clients._news, "the lines before were told")
        stage.screen.show_news("log", False)
        await pilot.pause()
        if clients.hub._sweeper is not None:
            clients.hub._sweeper.cancel()

    pictures.compare(stage.app, size, act)
