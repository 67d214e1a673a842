"""The dialogs: what they take, what they refuse and why, and that no key is lost on the way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Button, Checkbox, Input, Static

from tests.support.screens import screen_rows, send_keys, shown_rows
from tuidbg.session.state import Status
from tuidbg.tui.bindings import COMMANDS
from tuidbg.tui.dialogs.breakpoint import BreakpointAnswer, BreakpointDialog
from tuidbg.tui.dialogs.help import HelpDialog
from tuidbg.tui.dialogs.prompt import PromptDialog
from tuidbg.tui.panes.source import GLYPHS
from tuidbg.tui.paths import PathSuggester

SIZES = [(140, 40), (80, 24), (60, 15)]
OPEN = object()


class Bench(App[None]):
    """Something below, a dialog above it, and what the dialog gave."""

    def __init__(self) -> None:
        super().__init__()
        self.animation_level = "none"
        self.answer: object = OPEN

    def compose(self) -> ComposeResult:
        yield Static("below")

    def ask(self, dialog: ModalScreen[Any]) -> None:
        self.answer = OPEN

        def take(answer: object) -> None:
            self.answer = answer

        self.push_screen(dialog, take)


@asynccontextmanager
async def bench(
    dialog: ModalScreen[Any] | None = None, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Bench, Pilot[None]]]:
    app = Bench()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        if dialog is not None:
            app.ask(dialog)
            await pilot.pause()
        yield app, pilot


def text_of(app: App[Any], selector: str) -> str:
    return str(app.screen.query_one(selector, Static).render())


async def type_in(pilot: Pilot[None], text: str) -> None:
    send_keys(pilot.app, *text)
    await pilot.pause()


# The breakpoint's dialog


async def test_enter_saves_what_was_typed() -> None:
    async with bench(BreakpointDialog("main.py:3", is_new=True)) as (app, pilot):
        await type_in(pilot, "i > 3 ")
        await pilot.press("enter")
        assert app.answer == BreakpointAnswer("i > 3", enabled=True)


async def test_an_empty_condition_stops_always() -> None:
    async with bench(BreakpointDialog("main.py:3", condition="x", enabled=False)) as (app, pilot):
        await pilot.press("ctrl+u", "enter")
        assert app.answer == BreakpointAnswer("", enabled=False)


async def test_what_does_not_compile_is_refused_with_pythons_words() -> None:
    async with bench(BreakpointDialog("main.py:3")) as (app, pilot):
        await type_in(pilot, "i >")
        assert "SyntaxError: invalid syntax" in text_of(app, "#error")
        await pilot.press("enter")
        await pilot.press("ctrl+s")
        assert app.answer is OPEN
        assert isinstance(app.focused, Input)
        await type_in(pilot, " 3")
        assert text_of(app, "#error") == ""
        await pilot.press("enter")
        assert app.answer == BreakpointAnswer("i > 3")


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("x = 1", "SyntaxError: invalid syntax (column 3)"),
        ("while", "SyntaxError"),
        ("(", "was never closed"),
        ("'", "unterminated string literal"),
        ("[red]x[/red]", "SyntaxError"),
        ("-" * 5000 + "1", "too complicated"),
    ],
)
async def test_the_reasons_are_pythons(condition: str, why: str) -> None:
    async with bench(BreakpointDialog("main.py:3")) as (app, pilot):
        app.screen.query_one("#condition", Input).value = condition
        await pilot.press("enter")
        assert why in text_of(app, "#error")
        assert app.answer is OPEN


async def test_a_refused_condition_brings_the_cursor_back_to_it() -> None:
    async with bench(BreakpointDialog("main.py:3", condition="i >")) as (app, pilot):
        assert "SyntaxError" in text_of(app, "#error")
        await pilot.click("#save")
        assert app.answer is OPEN
        assert app.focused is app.screen.query_one("#condition")


async def test_escape_leaves_everything_as_it_was() -> None:
    async with bench(BreakpointDialog("main.py:3", condition="x")) as (app, pilot):
        await type_in(pilot, " and y")
        await pilot.press("escape")
        assert app.answer is None
        assert len(app.screen_stack) == 1


async def test_the_box_turns_it_off() -> None:
    async with bench(BreakpointDialog("main.py:3", condition="x")) as (app, pilot):
        await pilot.press("tab", "space")
        assert isinstance(app.focused, Checkbox)
        await pilot.press("ctrl+s")
        assert app.answer == BreakpointAnswer("x", enabled=False)


@pytest.mark.parametrize(
    ("button", "answer"),
    [
        ("#save", BreakpointAnswer("x")),
        ("#delete", BreakpointAnswer(delete=True)),
        ("#cancel", None),
    ],
)
async def test_the_buttons(button: str, answer: BreakpointAnswer | None) -> None:
    async with bench(BreakpointDialog("main.py:3", condition="x")) as (app, pilot):
        await pilot.click(button)
        assert app.answer == answer
    async with bench(BreakpointDialog("main.py:3", condition="x")) as (app, pilot):
        app.screen.query_one(button, Button).focus()
        await pilot.press("enter")
        assert app.answer == answer


async def test_a_new_one_can_not_be_deleted() -> None:
    async with bench(BreakpointDialog("main.py:3", is_new=True)) as (app, _):
        assert not app.screen.query("#delete")


@pytest.mark.parametrize(
    "place", ["[red]a[/red].py:3", "a[0].py:3", "a\\[b].py:3", "a[/].py:3", "中文.py:3"]
)
async def test_a_file_may_have_any_name(place: str) -> None:
    async with bench(BreakpointDialog(place)) as (app, _):
        assert f"Breakpoint at {place}" in "\n".join(screen_rows(app))


@pytest.mark.parametrize("size", SIZES)
async def test_all_of_it_is_on_the_screen(size: tuple[int, int]) -> None:
    dialog = BreakpointDialog("x" * 200 + ".py:3", condition="y" * 300)
    async with bench(dialog, size) as (app, _):
        shown = "\n".join(screen_rows(app))
        for words in ("Breakpoint at", "Stop only when", "Enabled", "Save", "Delete", "Cancel"):
            assert words in shown


# The prompt


async def test_enter_gives_the_line_and_escape_none() -> None:
    async with bench(PromptDialog("Line")) as (app, pilot):
        await type_in(pilot, "12")
        await pilot.press("enter")
        assert app.answer == "12"
        app.ask(PromptDialog("Line", value="7"))
        await pilot.pause()
        await pilot.press("escape")
        assert app.answer is None


async def test_what_stands_there_is_replaced_by_typing() -> None:
    async with bench(PromptDialog("Line", value="7")) as (app, pilot):
        await type_in(pilot, "12")
        await pilot.press("enter")
        assert app.answer == "12"


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (["1", "2", "enter"], "12"),
        (["a", "space", "slash", "enter"], "a /"),
        (["1", "3", "backspace", "2", "enter"], "12"),
        (["1", "escape"], None),
        (["1", "2", "enter", "3", "enter"], "12"),
        (["enter"], ""),
    ],
)
async def test_keys_typed_before_it_is_there_are_not_lost(
    keys: list[str], answer: str | None
) -> None:
    async with bench() as (app, pilot):
        app.ask(PromptDialog("Line"))
        send_keys(app, *keys)
        await pilot.pause()
        await pilot.pause()
        assert app.answer == answer


async def test_a_hint_follows_the_typing() -> None:
    said: list[str] = []

    def check(text: str) -> str:
        said.append(text)
        return f"[b]{text}[/b]" if text else ""

    async with bench(PromptDialog("/", hint="first", on_change=check)) as (app, pilot):
        assert text_of(app, "#hint") == "first"
        await pilot.press("a", "b")
        assert text_of(app, "#hint") == "[b]ab[/b]"
        await pilot.press("backspace", "backspace")
        assert text_of(app, "#hint") == ""
        assert said == ["a", "ab", "a", ""]


async def test_it_stays_as_long_as_there_is_something_to_say() -> None:
    say: Callable[[str], str] = lambda text: "" if text == "12" else "a number, please"  # noqa: E731
    async with bench(PromptDialog("Line", on_submit=say)) as (app, pilot):
        await type_in(pilot, "x")
        await pilot.press("enter")
        assert app.answer is OPEN
        assert text_of(app, "#hint") == "a number, please"
        await pilot.press("backspace", "1", "2", "enter")
        assert app.answer == "12"


@pytest.mark.parametrize("size", SIZES)
async def test_the_prompt_is_the_last_row_and_leaves_the_rest_in_sight(
    size: tuple[int, int],
) -> None:
    async with bench(PromptDialog("[b]/[/b]", hint="Enter: next · Esc: leave"), size) as (app, _):
        rows = screen_rows(app)
        assert rows[0].startswith("below")
        assert rows[-1].startswith(" [b]/[/b] ")
        assert rows[-1].rstrip().endswith("Esc: leave")


async def test_a_long_hint_leaves_room_to_type() -> None:
    async with bench(PromptDialog("Open", hint="h" * 300), (60, 15)) as (app, _):
        assert app.screen.query_one(Input).size.width >= 10


# Paths


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("zebra.py", "zoo", ".hidden.py", "__pycache__"):
        (tmp_path / name).mkdir() if "." not in name else (tmp_path / name).touch()
    (tmp_path / "zoo" / "lion.py").touch()
    (tmp_path / "note.txt").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("", "zebra.py"),
        ("z", "zebra.py"),
        ("zo", "zoo/"),
        ("zoo/", "zoo/lion.py"),
        ("zoo/x", None),
        ("n", "note.txt"),
        (".h", ".hidden.py"),
        ("nowhere/", None),
        ("~nobody-has-this-name/", None),
        ("a\0b/", None),
    ],
)
async def test_paths_are_suggested(folder: Path, typed: str, suggested: str | None) -> None:
    assert await PathSuggester(str(folder)).get_suggestion(typed) == suggested


async def test_the_suggestion_is_taken_by_the_right_arrow(folder: Path) -> None:
    async with bench(PromptDialog("Open", suggester=PathSuggester(str(folder)))) as (app, pilot):
        await type_in(pilot, "ze")
        await pilot.press("right", "enter")
        assert app.answer == "zebra.py"


# The help


async def test_the_help_lists_every_command_and_every_mark() -> None:
    async with bench(HelpDialog(Status.PAUSED), (100, 120)) as (app, _):
        rows = [row.strip().strip("│").strip() for row in screen_rows(app)]
        shown = "\n".join(rows)
        for command in COMMANDS:
            assert any(
                row.startswith(command.shown_keys) and command.title in row for row in rows
            ), command
        for glyph in GLYPHS.values():
            assert glyph in shown
        for words in ("Enter", "Space", "Ctrl+T", "mouse", "changed since"):
            assert words in shown


async def test_the_help_says_why_something_makes_no_sense() -> None:
    async with bench(HelpDialog(Status.RUNNING), (100, 120)) as (app, _):
        shown = "\n".join(screen_rows(app))
        assert "Step over  (the program is running; p pauses it)" in shown
        assert "Pause  (" not in shown


@pytest.mark.parametrize("key", ["escape", "q", "question_mark", "f1", "enter"])
async def test_the_help_closes(key: str) -> None:
    async with bench(HelpDialog(None)) as (app, pilot):
        await pilot.press(key)
        assert len(app.screen_stack) == 1


@pytest.mark.parametrize("size", SIZES)
async def test_the_help_can_be_read_to_its_end(size: tuple[int, int]) -> None:
    async with bench(HelpDialog(Status.PAUSED), size) as (app, pilot):
        assert "Help" in screen_rows(app)[0]
        await pilot.press("end")
        assert "refused" in "\n".join(shown_rows(app.screen))
