"""Keys that come before a screen is made, and what was put off until after it is closed."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual import events
from textual.app import ComposeResult
from textual.css.query import NoMatches
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

import tuidbg.tui
from tests.support.screens import Debugger, debugger, parcels, send_keys
from tests.support.sessions import fake_session
from tuidbg.cli.launcher import Layouts
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.app.palette import CommandsPalette
from tuidbg.tui.features.history.commands import show_history
from tuidbg.tui.features.history.dialog import HistoryDialog
from tuidbg.tui.features.native.machine_code import MachineCode
from tuidbg.tui.features.native.memory import ProgramMemory
from tuidbg.tui.features.table.dialog import TableActions
from tuidbg.tui.features.terminal.program_terminal import ProgramTerminal
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
from tuidbg.tui.toolkit.widgets.safe_screens import Lasting

# Too early


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("keys", "focused"),
    [("5", "console"), ("0", "terminal"), ("6", "trace"), ("65", "console")],
)
async def test_keys_typed_before_there_is_a_screen_wait_for_it(
    tmp_path: Path, keys: str, focused: str
) -> None:
    async with fake_session(tmp_path, parcels(tmp_path)) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(tmp_path))
        send_keys(app, *keys)
        async with app.run_test() as pilot:
            screen = app.screen
            assert isinstance(screen, DebugScreen)
            await pilot.pause()
            assert screen.focused_pane == focused


@pytest.mark.real
async def test_so_do_a_click_and_a_paste(tmp_path: Path) -> None:
    async with fake_session(tmp_path, parcels(tmp_path)) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(tmp_path))
        for kind in (events.MouseDown, events.MouseUp):
            app.post_message(_at(kind, 3, 3))
        send_keys(app, "ctrl+f")
        app.post_message(events.Paste("1 + 2"))
        async with app.run_test() as pilot:
            await pilot.pause()
            assert app.screen.query_one(Input).value == "1 + 2"


@pytest.mark.full
@pytest.mark.real
async def test_keys_typed_ahead_wait_for_a_dialog(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        before = bench.screen.source.cursor_line
        await bench.press("g", "1", "2", "backspace", "1", "enter", "down")
        await bench.until(lambda: bench.app.screen is bench.screen, "the dialog closed")
        assert before != 12
        await bench.until(lambda: bench.screen.source.cursor_line == 12, "its line, and one more")


async def test_a_pane_that_is_wanted_too_early_is_made_with_the_others(tmp_path: Path) -> None:
    async with fake_session(tmp_path, parcels(tmp_path)) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(tmp_path))
        screen = DebugScreen(session)
        panes: list[Widget] = [screen.ready_trace(), ProgramTerminal.of(screen).ready()]
        panes += [ProgramMemory.of(screen).ready(), MachineCode.of(screen).ready().pane]
        panes += [screen.ready_late("log")]
        async with app.run_test() as pilot:
            await app.push_screen(screen)
            await pilot.pause()
            assert all(pane.is_mounted and pane in screen.body.children for pane in panes)
            assert screen.ready_trace() is panes[0]


# Too late


def _all_screens() -> Iterator[type[Screen[object]]]:
    for module in pkgutil.walk_packages(tuidbg.tui.__path__, "tuidbg.tui."):
        importlib.import_module(module.name)
    classes: list[type] = [Screen]
    while classes:
        classes += (found := classes.pop()).__subclasses__()
        if found.__module__.startswith("tuidbg."):
            yield found


def test_every_screen_bears_being_closed() -> None:
    names = {cls.__name__ for cls in _all_screens()}
    assert {"DebugScreen", "StartScreen", "HistoryDialog", "CommandsPalette"} <= names
    # A part of the table's dialog is no screen by itself.
    parts = {TableActions.__name__}
    assert not [c for c in _all_screens() if not issubclass(c, Lasting) and c.__name__ not in parts]


class _Hasty(Dialog[None]):
    """Puts off what can only be done while it is there."""

    def __init__(self, put_off: Callable[[_Hasty], object]) -> None:
        super().__init__()
        self._put_off = put_off
        self.tried = 0

    def compose(self) -> ComposeResult:
        yield Static("here", id="here")

    def on_mount(self) -> None:
        self._put_off(self)

    def look(self) -> None:
        self.tried += 1
        self.query_one("#gone-or-never-there")

    async def work(self) -> None:
        self.look()


WAYS: dict[str, Callable[[_Hasty], object]] = {
    "at once": lambda dialog: dialog.look(),
    "after a refresh": lambda dialog: dialog.call_after_refresh(dialog.look),
    "a child's, after a refresh": lambda dialog: dialog.query_one("#here").call_after_refresh(
        dialog.look
    ),
    "later": lambda dialog: dialog.call_later(dialog.look),
    "next": lambda dialog: dialog.call_next(dialog.look),
    "a timer": lambda dialog: dialog.set_timer(0.001, dialog.look),
    "an interval": lambda dialog: dialog.set_interval(0.001, dialog.look),
    "a worker": lambda dialog: dialog.run_worker(dialog.work()),
}


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("way", WAYS)
async def test_what_was_put_off_is_let_go_when_its_dialog_is_closed(
    tmp_path: Path, way: str
) -> None:
    async with debugger(tmp_path) as bench:
        for _ in range(5):
            bench.app.push_screen(dialog := _Hasty(WAYS[way]))
            dialog.dismiss()
            await bench.until(lambda: not dialog.is_running, "the dialog is gone")
        await _still_lives(bench)


@pytest.mark.sampled
@pytest.mark.real
@pytest.mark.parametrize("way", WAYS)
async def test_what_fails_while_its_dialog_is_there_ends_the_app(tmp_path: Path, way: str) -> None:
    with pytest.raises(Exception) as raised:
        async with debugger(tmp_path) as bench:
            bench.app.push_screen(_Hasty(WAYS[way]))
            await bench.until(lambda: bench.app._exception is not None)
    assert isinstance(raised.value, NoMatches) or "NoMatches" in str(raised.value)


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("opens", ["ctrl+p", "h", "S", "question_mark", "ctrl+f", "W"])
async def test_a_dialog_may_be_closed_in_the_packet_that_opens_it(
    tmp_path: Path, opens: str
) -> None:
    async with debugger(tmp_path) as bench:
        for _ in range(4):
            await bench.press(opens, "escape")
        await _still_lives(bench)


@pytest.mark.full
@pytest.mark.real
async def test_a_page_above_the_palette_leads_to_no_second_one(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("ctrl+p")
        await bench.until(lambda: isinstance(bench.app.screen, CommandsPalette))
        await bench.press("f1")
        await bench.until(lambda: not isinstance(bench.app.screen, CommandsPalette))
        await bench.press("ctrl+p", "ctrl+p")
        palettes = [s for s in bench.app.screen_stack if isinstance(s, CommandsPalette)]
        assert len(palettes) == 1
        await bench.press("escape", "escape")
        await bench.until(lambda: bench.app.screen is bench.screen)
        await _still_lives(bench)


@pytest.mark.full
@pytest.mark.real
async def test_the_timeline_closed_before_it_was_painted(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.go("n")
        for _ in range(5):
            show_history(bench.screen)
            dialog = bench.app.screen
            assert isinstance(dialog, HistoryDialog)
            dialog.dismiss(None)
            await bench.until(lambda: not dialog.is_running)  # noqa: B023
        await _still_lives(bench)


@pytest.mark.full
@pytest.mark.real
async def test_a_click_where_the_terminal_ended_closes_the_palette(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("ctrl+p")
        await bench.until(lambda: isinstance(bench.app.screen, CommandsPalette))
        small = Size(50, 12)
        bench.app.post_message(events.Resize(small, small))
        await bench.pilot.pause()
        palette = bench.app.screen
        palette.post_message(_at(events.Click, 120, 35))
        await bench.until(lambda: bench.app.screen is bench.screen, "the palette closed")
        await _still_lives(bench)


@pytest.mark.full
@pytest.mark.real
async def test_a_dialog_closes_only_itself(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        bench.app.push_screen(first := PromptDialog("first"))
        bench.app.push_screen(second := PromptDialog("second"))
        await bench.pilot.pause()
        second.dismiss(None)
        second.dismiss(None)
        await bench.pilot.pause()
        assert bench.app.screen is first


async def test_the_app_can_be_ended_while_it_has_no_screen(tmp_path: Path) -> None:
    """SIGTERM may come before the first screen and after the last."""
    async with fake_session(tmp_path, parcels(tmp_path)) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        app._layouts = Layouts()
        app._screens = [DebugScreen(session)]
        app.exit(3)
        assert app.return_value == 3


def _at(kind: type[events.MouseEvent], x: int, y: int) -> events.MouseEvent:
    return kind(None, x, y, 0, 0, 1, False, False, False, screen_x=x, screen_y=y)


async def _still_lives(bench: Debugger) -> None:
    """The app takes keys and obeys them."""
    assert bench.app._exception is None
    await bench.press("5")
    assert bench.screen.focused_pane == "console"
    await bench.press("1")
    assert bench.screen.focused_pane == "source"
