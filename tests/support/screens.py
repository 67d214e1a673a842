"""What stands on the screen of an app under test; the whole debugger on the fake adapter."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.app import App
from textual.geometry import Region
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot
from textual.widget import Widget

from tests.support.fakes import Control, Script
from tests.support.recording import PROGRAMS, count_up, record
from tests.support.sessions import FakeSession, fake_session, until
from tuidbg.session.session import Session
from tuidbg.session.state import Status
from tuidbg.tui.app import TuidbgApp
from tuidbg.tui.highlight import is_loaded
from tuidbg.tui.screen import DebugScreen

SIZES = {"wide": (140, 40), "80x24": (80, 24), "60x15": (60, 15)}
"""The sizes of the issue."""


def screen_rows(app: App[Any]) -> list[str]:
    """The rows of the whole screen as a person sees them, scrollbars and dialogs included."""
    strips = app.screen._compositor.render_strips()
    return [strip.text for strip in strips]


def shown_rows(widget: Widget) -> list[str]:
    """The rows of the screen that are a widget's, without the spaces at their ends."""
    region = widget.region
    strips = widget.screen._compositor.render_strips()[region.y : region.bottom]
    return [strip.crop(region.x, region.right).text.rstrip() for strip in strips]


def shown_text(widget: Widget) -> str:
    """The same as one text."""
    return "\n".join(shown_rows(widget))


@contextmanager
def repaints(widget: Widget, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Region]]:
    """The regions that the widget asks to be painted; a repaint of all is a region of all."""
    regions: list[Region] = []
    refresh = widget.refresh

    def watched(*asked: Region, **options: Any) -> Widget:
        if options.get("repaint", True):
            regions.extend(asked or [widget.size.region])
        return refresh(*asked, **options)

    with monkeypatch.context() as patch:
        patch.setattr(widget, "refresh", watched)
        yield regions


def painted_cells(regions: list[Region]) -> int:
    """How many cells these regions have."""
    return sum(region.area for region in regions)


def make_key(name: str) -> events.Key:
    """A key by its name in Textual, or by its character."""
    if len(name) == 1 and not name.isalnum():
        name = _character_to_key(name)
    original = REPLACED_KEYS.get(name, name)
    character: str | None
    try:
        character = unicodedata.lookup(_get_unicode_name_from_key(original))
    except KeyError:
        character = name if len(name) == 1 else None
    return events.Key(name, character)


def send_keys(app: App[Any], *names: str) -> None:
    """Keys as a terminal sends them in one packet: none waits for what another does."""
    for name in names:
        app.post_message(make_key(name))


class Debugger:
    """The app on a session with the fake adapter, and what tests do with it all the time."""

    def __init__(self, app: TuidbgApp, pilot: Pilot[int], under_test: FakeSession) -> None:
        self.app = app
        self.pilot = pilot
        self.under_test = under_test

    @property
    def session(self) -> Session:
        return self.under_test.session

    @property
    def fake(self) -> Control:
        return self.under_test.fake

    @property
    def screen(self) -> DebugScreen:
        """The debugger's screen, also while a dialog is over it."""
        return next(s for s in self.app.screen_stack if isinstance(s, DebugScreen))

    @property
    def status(self) -> str:
        """What the status line says."""
        return self.screen.status.text

    async def until(self, condition: Any, what: str = "") -> None:
        """Wait for a condition; tells what stands on the screen if it does not come."""
        try:
            await until(condition, what)
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *screen_rows(self.app)])) from None

    async def press(self, *names: str) -> None:
        """Keys in one packet, and what they do on the screen; the adapter is not waited for."""
        send_keys(self.app, *names)
        await self.pilot.pause()

    async def settled(self) -> None:
        """Wait until the screen shows where the session stands, and is coloured."""
        await self.until(lambda: self._is_settled, "the screen caught up")
        await self.pilot.pause()

    @property
    def _is_settled(self) -> bool:
        screen, session = self.screen, self.session
        if session.status in (Status.LAUNCHING, Status.RUNNING) or self.under_test.has_work:
            return False
        if any(w.is_running and w.group not in ("events", "default") for w in self.app.workers):
            return False
        if session.status is Status.PAUSED and not self._shows_stop():
            return False
        document = screen.source.document
        return document is None or (
            is_loaded() and screen.source._visits.highlighter(document).complete
        )

    def _shows_stop(self) -> bool:
        view = self.screen.view
        if view.frame is None:
            return False
        return self.screen.variables._stops.get(view._call_of(view.frame)) == self.session.stop_id

    async def go(self, key: str) -> None:
        """A key that lets the program run, until the screen shows where it stops."""
        before = self.session.stop_id
        await self.press(key)
        await self.until(
            lambda: self.under_test.ended or self.session.stop_id > before, f"a stop after {key}"
        )
        await self.settled()

    async def show_pane(self, name: str) -> None:
        """Put the focus on a pane."""
        self.screen.focus_pane(name)
        await self.pilot.pause()


@asynccontextmanager
async def debugger(
    folder: Path,
    script: Script | None = None,
    *,
    size: tuple[int, int] = (140, 40),
    target: str | None = None,
    start: bool = True,
) -> AsyncIterator[Debugger]:
    """The app on the fake adapter, stopped on entry unless ``start`` says otherwise."""
    if script is None:
        script = parcels(folder)
    async with fake_session(folder, script, target=target) as under_test:
        app = TuidbgApp(
            open_session=lambda words, cwd: under_test.session,
            session=under_test.session,
            cwd=str(folder),
        )
        async with app.run_test(size=size) as pilot:
            bench = Debugger(app, pilot, under_test)
            await pilot.pause()
            if start:
                await under_test.start()
                await bench.settled()
            yield bench


def parcels(folder: Path) -> Script:
    """The post office as a real file of ``folder``."""
    source = folder / "parcels.py"
    source.write_bytes((PROGRAMS / "parcels.py").read_bytes())
    return Script(record(source))


def counting(folder: Path, lines: int = 40, **more: Any) -> Script:
    """A real file of ``folder`` whose lines are run through once."""
    source = folder / "count.py"
    source.write_text("".join(f"i = {n}\n" for n in range(1, lines + 1)), encoding="utf-8")
    return Script(count_up(str(source), lines, **more))
