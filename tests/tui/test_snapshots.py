"""Pictures of every pane and dialog, on the fake adapter, at the sizes that people have.

For looks only: what the debugger does is asserted elsewhere. A picture is looked at before it is
accepted (``uv run pytest --snapshot-update``).
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.support.fakes import FakeProfile, Script, fake_plan
from tests.support.recording import PROGRAMS, busy, moment, program, record
from tests.support.sessions import until
from tuidbg.adapters.process import LocalGuard
from tuidbg.config.settings import RecentProgram, Remembered
from tuidbg.session.session import Session
from tuidbg.session.state import Status
from tuidbg.tui.app import TuidbgApp
from tuidbg.tui.highlight import is_loaded
from tuidbg.tui.screen import DebugScreen

SIZES = [(140, 40), (80, 24), (60, 15)]
NAMES = [f"{columns}x{rows}" for columns, rows in SIZES]
Scene = Callable[["Stage"], Awaitable[None]]


class Stage:
    """The app on a session with the fake adapter, brought to the moment of its picture."""

    def __init__(self, folder: Path, script: Script | None = None, **plan: bool) -> None:
        self.source = folder / "parcels.py"
        self.source.write_bytes((PROGRAMS / "parcels.py").read_bytes())
        script = script or Script(record(self.source))
        wanted = fake_plan(str(self.source), str(folder), **plan)
        self.session = Session(wanted, FakeProfile(script), LocalGuard())
        self.app = TuidbgApp(open_session=lambda words, cwd: self.session, session=self.session)
        self.pilot: Pilot[int] | None = None

    @property
    def screen(self) -> DebugScreen:
        return next(s for s in self.app.screen_stack if isinstance(s, DebugScreen))

    async def start(self, pilot: Pilot[int]) -> None:
        """Start the program, up to its entry."""
        self.pilot = pilot
        await pilot.pause()
        await self.session.lifecycle.start()
        await self.settle()

    async def settle(self) -> None:
        """Wait until the screen shows where the session stands."""
        assert self.pilot is not None
        await until(lambda: self._is_settled, "the screen caught up")
        await self.pilot.pause()

    @property
    def _is_settled(self) -> bool:
        screen, session = self.screen, self.session
        document = screen.source.document
        groups = {w.group for w in self.app.workers if w.is_running} - {"events", "default"}
        if groups or not is_loaded():
            return False
        if document is None or not screen.source._visits.highlighter(document).complete:
            return False
        if session.status is Status.PAUSED:
            frame = screen.view.frame
            return frame is not None and bool(screen.variables.rows)
        return True

    async def press(self, *keys: str) -> None:
        """Press keys, and let the screen catch up."""
        assert self.pilot is not None
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def go(self, key: str) -> None:
        """A key that lets the program run, up to its next stop or its end."""
        before = self.session.stop_id
        assert self.pilot is not None
        await self.pilot.press(key)
        await until(lambda: self.session.stop_id > before, "the next stop")
        await self.settle()


@pytest.fixture
def stages(tmp_path: Path) -> Iterator[Callable[..., Stage]]:
    """Makes stages, and ends their adapters when the picture is taken."""
    made: list[Stage] = []

    def make(script: Script | None = None, **plan: bool) -> Stage:
        made.append(Stage(tmp_path, script, **plan))
        return made[-1]

    yield make
    for stage in made:
        launch = stage.session.launch
        if launch is not None:
            launch.end_processes(launch.watched)


# What is on the pictures


async def stopped(stage: Stage) -> None:
    """At a breakpoint in a loop, with nested values, a step after another stop."""
    breakpoints = stage.session.breakpoints
    await breakpoints.set(str(stage.source), 22)
    await breakpoints.set(str(stage.source), 30, condition="parcel.weight > 1")
    await stage.go("c")
    await stage.go("n")
    await stage.press("2", "down", "enter", "1")


async def marks(stage: Stage) -> None:
    """Every mark in the gutter and in the list."""
    breakpoints, path = stage.session.breakpoints, str(stage.source)
    await breakpoints.set(path, 22)
    await breakpoints.set(path, 23, condition="value == 5")
    await breakpoints.set(path, 24, enabled=False)
    await breakpoints.set(path, 25)
    await stage.go("c")
    await stage.press("3", "down", "enter", "1", "g", "2", "5", "enter")


async def exception(stage: Stage) -> None:
    """At an uncaught exception."""
    await stage.go("c")
    await until(lambda: stage.session.stop is not None and bool(stage.session.stop.exception))
    await stage.settle()


async def terminated(stage: Stage) -> None:
    """After the end of the program."""
    await exception(stage)
    await stage.go("c")
    await until(lambda: stage.session.status is Status.TERMINATED, "the end")
    await stage.settle()


async def failed(stage: Stage) -> None:
    """After the death of the adapter."""
    await stage.session.breakpoints.set(str(stage.source), 22)
    client = stage.session.client
    assert client is not None and client.process is not None
    client.process.popen.kill()
    await until(lambda: stage.session.status is Status.FAILED, "the failure")
    await stage.settle()


async def console(stage: Stage) -> None:
    """Every kind of line in the console."""
    output = stage.session.output
    output.add("stdout", "plain output of the program")
    output.add("stdout", "\x1b[32mgreen\x1b[0m and \x1b[1;35mbold magenta\x1b[0m [b]no markup[/b]")
    output.add("stderr", "a line on stderr")
    output.add("console", "a note of the debugger's")
    output.add("important", "something to act on")
    output.add("input", "parcels[0].weight * 2")
    output.add("result", "2")
    output.add("input", "parcels[")
    output.add("error", "SyntaxError: '[' was never closed")
    stage.screen.console.output_changed()
    await stage.press("5", "z")


def tab(key: str) -> Scene:
    """The stopped program with another pane in the shared place."""

    async def scene(stage: Stage) -> None:
        await stopped(stage)
        await stage.press(key)

    return scene


async def edit_breakpoint(stage: Stage) -> None:
    """The dialog of a breakpoint, its condition wrong."""
    await stopped(stage)
    await stage.press("B", *"total >>")


async def help_screen(stage: Stage) -> None:
    """The help."""
    await stage.press("question_mark")


async def search(stage: Stage) -> None:
    """The search, with matches."""
    await stage.press("slash", *"parcel")


async def palette(stage: Stage) -> None:
    """The command palette, searching."""
    assert stage.pilot is not None
    await stage.pilot.press("ctrl+p", *"break")
    found = stage.app.screen.query_one(OptionList)
    await until(lambda: found.option_count == 4, "the commands with that word")
    await stage.pilot.pause()


EVERYWHERE: dict[str, Scene] = {
    "stopped": stopped,
    "exception": exception,
    "console": console,
    "edit_breakpoint": edit_breakpoint,
    "help": help_screen,
    "search": search,
}
NARROW: dict[str, Scene] = {
    "stack": tab("3"),
    "breakpoints": tab("4"),
    "console_tab": tab("5"),
}
ONCE: dict[str, Scene] = {
    "marks": marks,
    "terminated": terminated,
    "failed": failed,
    "palette": palette,
}
CASES = (
    [(name, size) for name in EVERYWHERE for size in SIZES]
    + [(name, size) for name in NARROW for size in SIZES[1:]]
    + [(name, SIZES[0]) for name in ONCE]
)
SCENES = {**EVERYWHERE, **NARROW, **ONCE}


@pytest.fixture(autouse=True)
def same_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No choice of this machine's or its person's shows in a picture."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.mark.parametrize(("name", "size"), CASES, ids=[f"{name}-{w}x{h}" for name, (w, h) in CASES])
def test_picture(
    name: str,
    size: tuple[int, int],
    stages: Callable[..., Stage],
    snap_compare: Callable[..., bool],
) -> None:
    stage = stages()

    async def act(pilot: Pilot[int]) -> None:
        await stage.start(pilot)
        await SCENES[name](stage)

    assert snap_compare(stage.app, terminal_size=size, run_before=act)


def test_light(stages: Callable[..., Stage], snap_compare: Callable[..., bool]) -> None:
    stage = stages()
    stage.app.theme = "tuidbg-light"

    async def act(pilot: Pilot[int]) -> None:
        await stage.start(pilot)
        await marks(stage)

    assert snap_compare(stage.app, terminal_size=SIZES[0], run_before=act)


def test_no_color(
    stages: Callable[..., Stage],
    snap_compare: Callable[..., bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stage = stages()

    async def act(pilot: Pilot[int]) -> None:
        await stage.start(pilot)
        await marks(stage)

    assert snap_compare(stage.app, terminal_size=SIZES[0], run_before=act)


def test_running(
    stages: Callable[..., Stage], snap_compare: Callable[..., bool], tmp_path: Path
) -> None:
    path = str(tmp_path / "parcels.py")
    stage = stages(Script(program([moment(path, 1), busy(path, 22)])), stop_on_entry=False)

    async def act(pilot: Pilot[int]) -> None:
        stage.pilot = pilot
        await pilot.pause()
        await stage.session.lifecycle.start()
        await until(lambda: stage.session.status is Status.RUNNING)
        await until(lambda: "running" in stage.screen.status.text)
        await stage.settle()

    assert snap_compare(stage.app, terminal_size=SIZES[1], run_before=act)


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("known", [False, True], ids=["new", "recent"])
def test_start_screen(
    known: bool, size: tuple[int, int], snap_compare: Callable[..., bool]
) -> None:
    recent = (
        RecentProgram("script", "/work/post/parcels.py", ("--all", "two words"), "/work/post"),
        RecentProgram("module", "pytest", ("-x",), "/work/post"),
    )

    def refuse(words: list[str], cwd: str) -> Session:
        raise ValueError(f"there is no file {words[0]}")

    app = TuidbgApp(
        open_session=refuse, remembered=Remembered(recent=recent if known else ()), cwd=os.sep
    )

    async def act(pilot: Pilot[int]) -> None:
        await pilot.pause()
        if known:
            await pilot.press(*"nope.py", "enter")

    assert snap_compare(app, terminal_size=size, run_before=act)
