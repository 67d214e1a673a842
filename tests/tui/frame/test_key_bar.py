"""The bar at the bottom: what it has room for, how little it paints, clicks, its colours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.color import Color
from textual.pilot import Pilot
from textual.screen import Screen

from tests.support.screens import painted_cells, repaints, shown_rows
from tuidbg.session.model.state import Status
from tuidbg.tui.app.keys.commands import COMMANDS, DEFAULT_MAP
from tuidbg.tui.panes.bar_commands import _ALWAYS, _USEFUL
from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode, Role, given
from tuidbg.tui.toolkit.theme.theme import register_themes, theme_names
from tuidbg.tui.toolkit.theme.theme_css import add_styles
from tuidbg.tui.toolkit.widgets.key_bar import ROLES, KeyBar


class Offered:
    """All the commands that the bar has a word for, as far as the status has nothing against it."""

    def makes_sense(self, command: str, status: Status | None) -> bool:
        if command == "show_autopsy":
            return False  # nothing was raised
        return not DEFAULT_MAP.why_not(DEFAULT_MAP.find(command), status)

    def useful(self, status: Status | None) -> Sequence[Hint]:
        names = _USEFUL[status or Status.CREATED]
        return [given(name, DEFAULT_MAP.find(name).bar) for name in names]

    @property
    def always(self) -> Sequence[Hint]:
        return [given(name, DEFAULT_MAP.find(name).bar) for name in _ALWAYS]


class BarScreen(Screen[None]):
    key_map = DEFAULT_MAP
    key_mode = Mode()

    def __init__(self) -> None:
        super().__init__()
        self.bar = KeyBar(Offered())

    def compose(self) -> ComposeResult:
        yield self.bar


class Bench(App[None]):
    def __init__(self) -> None:
        super().__init__()
        register_themes(self)
        self.pressed: list[str] = []

    def get_default_screen(self) -> BarScreen:
        return BarScreen()

    def on_key(self, event: events.Key) -> None:
        self.pressed.append(event.key)


@asynccontextmanager
async def bench(width: int = 100) -> AsyncIterator[tuple[BarScreen, Pilot[None]]]:
    app = Bench()
    async with app.run_test(size=(width, 4)) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, BarScreen)
        yield app.screen, pilot


def test_all_that_is_offered_has_a_word() -> None:
    offered = {name for names in _USEFUL.values() for name in names} | set(_ALWAYS)
    assert offered <= {command.name for command in COMMANDS if command.bar}


async def test_what_makes_no_sense_gives_its_room_to_what_does() -> None:
    async with bench(80) as (screen, pilot):
        screen.bar.show_status(Status.PAUSED)
        await pilot.pause()
        (row,) = shown_rows(screen.bar)
        assert "b break" in row and ": evaluate" in row and "pause" not in row
        screen.bar.show_status(Status.RUNNING)
        await pilot.pause()
        (row,) = shown_rows(screen.bar)
        assert row.startswith(" p pause") and "over" not in row


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 140, 400])
async def test_help_and_quit_are_there_at_every_width(width: int) -> None:
    async with bench(width) as (screen, pilot):
        screen.bar.show_status(Status.PAUSED)
        await pilot.pause()
        (row,) = shown_rows(screen.bar)
        assert "? help" in row and row.endswith("q quit") and "…" not in row


async def test_the_bar_is_filled_anew_at_another_width() -> None:
    async with bench(160) as (screen, pilot):
        screen.bar.show_status(Status.PAUSED)
        await pilot.resize_terminal(60, 4)
        await pilot.pause()
        (row,) = shown_rows(screen.bar)
        assert "continue" in row and "evaluate" not in row and row.endswith("q quit")


async def test_a_mode_has_its_own_line() -> None:
    async with bench() as (screen, pilot):
        screen.bar.show_status(Status.PAUSED)
        leaves = Hint("escape", "close")
        screen.key_mode = Mode(
            "line", "text", (Hint("up down", "choose"), leaves, given("quit", "q"))
        )
        screen.refresh_bindings()
        await pilot.pause()
        assert shown_rows(screen.bar) == [" text  ↑ ↓ choose  Esc close"]


@pytest.mark.full
async def test_a_click_presses_the_key() -> None:
    async with bench() as (screen, pilot):
        screen.bar.show_status(Status.RUNNING)
        await pilot.pause()
        (row,) = shown_rows(screen.bar)
        for word in ("pause", "help", "quit"):
            await pilot.click("#keys", offset=(row.index(word) + 1, 0))
        await pilot.click("#keys", offset=(99, 0))
        await pilot.pause()
        assert screen.app.pressed == ["p", "question_mark", "q"]  # type: ignore[attr-defined]


async def test_it_paints_only_when_it_shows_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as (screen, _):
        screen.bar.show_status(Status.PAUSED)
        with repaints(screen.bar, monkeypatch) as regions:
            screen.bar.show_status(Status.PAUSED)
            screen.refresh_bindings()
        assert regions == []
        with repaints(screen.bar, monkeypatch) as regions:
            screen.bar.show_status(Status.RUNNING)
        assert 0 < painted_cells(regions) <= 100


# Colours


def luminance(color: Color) -> float:
    parts = [part / 255 for part in color.rgb]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: Color, second: Color) -> float:
    """As WCAG 2.1 measures it: 1 to 21."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", theme_names())
async def test_the_modes_have_one_colour_and_can_be_read(theme: str) -> None:
    async with bench() as (screen, pilot):
        screen.app.theme = theme
        add_styles(screen.app)
        await pilot.pause()
        bar, names, measured = screen.bar, set[str](), {}
        for role in ROLES:
            for part in ("", "-name"):
                style = bar.get_component_rich_style(f"keys--{role}{part}")
                assert style.color is not None and style.bgcolor is not None
                if part and role != "keys":
                    names.add(str(style.bgcolor))
                if not screen.app.current_theme.ansi:  # the terminal's own colours, else
                    pair = [Color.from_rich_color(each) for each in (style.color, style.bgcolor)]
                    measured[role + part] = contrast(*pair)
        assert len(names) == 1, "a colour means one thing: the word says which mode it is"
        base = bar.rich_style
        if not screen.app.current_theme.ansi:
            assert base.color is not None and base.bgcolor is not None
            words = [Color.from_rich_color(each) for each in (base.color, base.bgcolor)]
            measured["words"] = contrast(*words)
        assert all(value >= 4.5 for value in measured.values()), measured


def test_each_mode_is_known() -> None:
    assert set(ROLES) == set(Role.__args__)  # type: ignore[attr-defined]
