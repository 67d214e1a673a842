"""Reads the screen of an app under test; the whole debugger on the fake adapter."""

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
from tuidbg.session.core.session import Session
from tuidbg.session.model.state import Status
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.toolkit.text.highlight import is_loaded

SIZES = {"wide": (140, 40), "80x24": (80, 24), "60x15": (60, 15)}
"""The sizes of terminals that people have."""


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
    """Returns how many cells these regions have."""
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
        """Returns what the status line says."""
        return self.screen.status.text

    async def until(self, condition: Any, what: str = "") -> None:
        """Wait for a condition, and for the screen to show what it led to.

        Tells what stands on the screen if it does not come.
        """
        try:
            await until(condition, what)
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *screen_rows(self.app)])) from None
        await self.pilot.pause()

    async def press(self, *names: str) -> None:
        """Keys in one packet, and what they do on the screen; the adapter is not waited for."""
        send_keys(self.app, *names)
        await self.pilot.pause()

    async def press_and_wait(self, *names: str) -> None:
        """Keys in one packet, until the screen has caught up with all that they led to."""
        await self.press(*names)
        await self.settled()

    async def type_text(self, text: str) -> None:
        """A text, character by character, into whatever has the focus."""
        await self.press(*text)

    async def click(
        self, widget: Widget, column: int, row: int, *, button: int = 1, times: int = 1
    ) -> None:
        """A click at a cell of a widget, as the terminal tells it."""
        x, y = widget.region.x + column, widget.region.y + row
        for _ in range(times):
            self._send_mouse(events.MouseDown, x, y, button)
            self._send_mouse(events.MouseUp, x, y, button)
        await self.pilot.pause()

    async def drag(self, start: tuple[int, int], *ends: tuple[int, int]) -> None:
        """Press at a cell of the screen, drag through others, let go at the last."""
        self._send_mouse(events.MouseDown, *start)
        for x, y in ends:
            await self.pilot.pause()
            self._send_mouse(events.MouseMove, x, y)
        self._send_mouse(events.MouseUp, *ends[-1])
        await self.pilot.pause()

    def _send_mouse(self, kind: type[events.MouseEvent], x: int, y: int, button: int = 1) -> None:
        event = kind(
            widget=None,
            x=x,
            y=y,
            delta_x=0,
            delta_y=0,
            button=button,
            shift=False,
            meta=False,
            ctrl=False,
            screen_x=x,
            screen_y=y,
        )
        event.set_sender(self.app)
        self.app.post_message(event)

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
        if screen.console._pacing.is_due:
            return False
        document = screen.source.document
        return document is None or (
            is_loaded() and screen.source._visits.highlighter(document).complete
        )

    def _shows_stop(self) -> bool:
        view = self.screen.view
        if view.frame is None:
            return False
        return (
            self.screen.variables.changes.stop_of(view.focus.call_of(view.frame))
            == self.session.stop_id
        )

    async def go(self, key: str) -> None:
        """A key that lets the program run, until the screen shows where it stops."""
        before = self.session.stop_id
        await self.press(key)
        await self.until(
            lambda: self.under_test.ended or self.session.stop_id > before, f"a stop after {key}"
        )
        await self.settled()

    @property
    def source_row(self) -> str:
        """The row of the source pane with the cursor."""
        source = self.screen.source
        return shown_rows(source)[source.cursor_line - 1 - source.scroll_offset.y]

    def breakpoint_status(self, line: int) -> str:
        """Returns what became of the breakpoint that was asked for at a line."""
        return str(self.under_test.breakpoint(line).status)

    def gutter(self, line: int) -> str:
        """The breakpoint's mark at a line of the source that is in sight; else a space."""
        source = self.screen.source
        return (shown_rows(source)[line - 1 - source.scroll_offset.y] or " ")[0]


@asynccontextmanager
async def debugger(
    folder: Path,
    script: Script | None = None,
    *,
    size: tuple[int, int] = (140, 40),
    target: str | None = None,
    stop_on_entry: bool = True,
    start: bool = True,
    process: bool = False,
    **shared: Any,
) -> AsyncIterator[Debugger]:
    """The app on the fake adapter, stopped on entry unless told otherwise.

    ``process``: the adapter is a process. ``shared`` are the app's hub and switch of the server.

    As with the real one, the interpreter tells which lines have code.
    """
    script = script or parcels(folder)
    async with fake_session(
        folder, script, target=target, stop_on_entry=stop_on_entry, process=process
    ) as under_test:
        lines: dict[str, list[int]] = script.program["code_lines"]
        under_test.profile.code_lines = {path: tuple(found) for path, found in lines.items()}
        app = TuidbgApp(
            open_session=lambda words, cwd: under_test.session,
            session=under_test.session,
            cwd=str(folder),
            **shared,
        )
        async with app.run_test(size=size) as pilot:
            bench = Debugger(app, pilot, under_test)
            await pilot.pause()
            if start and stop_on_entry:
                await under_test.start()
                await bench.settled()
            elif start:
                await under_test.session.lifecycle.start()
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
