"""Pictures of the app, made in one way: on the fake adapter, at the sizes that people have.

For looks only: what the debugger does is asserted elsewhere. A picture is looked at before it is
accepted (``uv run pytest --snapshot-update``).
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.support.fakes import FakeProfile, Script, fake_plan
from tests.support.legible import painted, unreadable
from tests.support.recording import PROGRAMS, record
from tests.support.sessions import until
from tuidbg.adapters.process import LocalGuard
from tuidbg.session.core.session import Session
from tuidbg.session.model.state import Status
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.toolkit.text.highlight import is_loaded
from tuidbg.tui.toolkit.theme.theme import register_themes, theme_names

Size = tuple[int, int]
Scene = Callable[["Stage"], Awaitable[None]]
"""Brings a stage on which the program has started to what shall be on the picture."""

SIZES: list[Size] = [(140, 40), (80, 24), (60, 15)]
NAMES = [f"{columns}x{rows}" for columns, rows in SIZES]


class Stage:
    """The app on a session with the fake adapter, brought to the moment of its picture."""

    pilot: Pilot[int]

    def __init__(self, folder: Path, script: Script | None = None, **plan: bool) -> None:
        self.source = folder / "parcels.py"
        self.source.write_bytes((PROGRAMS / "parcels.py").read_bytes())
        script = script or Script(record(self.source))
        wanted = fake_plan(str(self.source), str(folder), **plan)
        self.session = Session(wanted, FakeProfile(script), LocalGuard())
        self.app = TuidbgApp(open_session=lambda words, cwd: self.session, session=self.session)

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
        await until(lambda: self._is_settled, "the screen caught up")
        self.screen.console._log.update_lines()  # its repaints are merged: the next may wait
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
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def go(self, key: str) -> None:
        """A key that lets the program run, up to its next stop or its end."""
        before = self.session.stop_id
        await self.pilot.press(key)
        await until(lambda: self.session.stop_id > before, "the next stop")
        await self.settle()

    async def go_to_exception(self) -> None:
        """Let the program run to the exception that nothing catches."""
        await self.go("c")
        await until(lambda: self.session.stop is not None and bool(self.session.stop.exception))
        await self.settle()

    async def until_dialog(self) -> None:
        """Wait until a dialog stands over the screen."""
        await until(lambda: len(self.app.screen_stack) > 1, "the dialog")
        await self.pilot.pause()


class Pictures:
    """Makes stages and compares what they show with the pictures that were accepted."""

    def __init__(self, folder: Path, name: str, is_as_accepted: Callable[..., bool]) -> None:
        self._folder = folder
        self._number = zlib.crc32(name.encode())
        self._is_as_accepted = is_as_accepted
        self._stages: list[Stage] = []

    def make_stage(self, script: Script | None = None, **plan: bool) -> Stage:
        """A stage that nobody has looked at yet; its adapter is ended after the test."""
        self._stages.append(Stage(self._folder, script, **plan))
        return self._stages[-1]

    def compare(
        self,
        app: App[Any],
        size: Size,
        act: Callable[[Pilot[Any]], Awaitable[None]],
        *,
        has_own_colors: bool = False,
    ) -> None:
        """Compare what the app shows after ``act``; a test has one picture.

        In another of our themes, by rotation, tuidbg shows the same text, and all of it can be
        read; unless a program's own colours are on the picture.
        """

        async def act_in_two_themes(pilot: Pilot[Any]) -> None:
            await act(pilot)
            await pilot.pause()
            if isinstance(app, TuidbgApp):
                await _look_in_another_theme(pilot, self._number, is_read=not has_own_colors)

        as_accepted = self._is_as_accepted(app, terminal_size=size, run_before=act_in_two_themes)
        assert as_accepted, "it looks different"

    def compare_scene(self, scene: Scene, size: Size, stage: Stage | None = None) -> None:
        """Compare a scene, on that stage or a new one."""
        stage = stage or self.make_stage()

        async def act(pilot: Pilot[int]) -> None:
            await stage.start(pilot)
            await scene(stage)

        self.compare(stage.app, size, act)

    def end_adapters(self) -> None:
        for stage in self._stages:
            if (launch := stage.session.processes.launch) is not None:
                launch.end_processes(launch.watched)


async def _look_in_another_theme(pilot: Pilot[Any], number: int, *, is_read: bool) -> None:
    app = pilot.app
    register_themes(app)
    before, text = app.theme, painted(app)
    for theme in (before, theme_names()[number % len(theme_names())]):
        app.theme = theme
        await pilot.pause()
        assert painted(app) == text, f"{theme} shows another text"
        # How faint a terminal makes what is dim is an estimate.
        found = sorted(set(unreadable(app, least=4.45))) if is_read else []
        assert not found, "\n".join(found)
    app.theme = before
    await pilot.pause()


@pytest.fixture
def pictures(
    snap_compare: Callable[..., bool],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Iterator[Pictures]:
    """Pictures in which nothing shows of this machine, its person and the time."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    made = Pictures(tmp_path, request.node.name, snap_compare)
    with monkeypatch.context() as zone:
        zone.setenv("TZ", "UTC")
        time.tzset()
        yield made
    time.tzset()
    made.end_adapters()


async def stop_in_loop(stage: Stage) -> None:
    """At a breakpoint in a loop, with nested values, a step after another stop."""
    breakpoints = stage.session.breakpoints
    await breakpoints.set(str(stage.source), 22, origin="tui")
    await breakpoints.set(str(stage.source), 30, condition="parcel.weight > 1", origin="tui")
    await stage.go("c")
    await stage.go("n")
    await stage.press("2", "down", "enter", "1")
