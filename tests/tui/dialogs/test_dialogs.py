"""The dialogs: what they take, what they refuse and why, and that no key is lost on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.support.screens import screen_rows, send_keys
from tests.support.sessions import until
from tests.tui.dialog_bench import OPEN, SIZES, bench, text_of, type_in
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
from tuidbg.tui.toolkit.widgets.input import PathSuggester

# The prompt


@pytest.mark.full
async def test_enter_gives_the_line_and_escape_none() -> None:
    async with bench(PromptDialog("Line")) as (app, pilot):
        await type_in(pilot, "12")
        await pilot.press("enter")
        assert app.answer == "12"
        app.ask(PromptDialog("Line", value="7"))
        await pilot.pause()
        await pilot.press("escape")
        assert app.answer is None


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
async def test_the_hint_leaves_room_for_what_is_typed(size: tuple[int, int]) -> None:
    refuse = "there is no such line".format
    prompt = PromptDialog("(Pdb)", hint="explains " * 30, on_submit=refuse)
    async with bench(prompt, size) as (app, pilot):
        assert "explains explains" in screen_rows(app)[-2]
        typed = "b 1234, name == 'rye' and amount > 7 or n"
        await type_in(pilot, typed)
        await until(lambda: f"(Pdb) {typed} " in screen_rows(app)[-2], "it is shown")
        assert "…" in screen_rows(app)[-2], "what is cut says so"
        await pilot.press("enter")
        await pilot.pause()
        assert "there is no such line" in screen_rows(app)[-2]


@pytest.mark.full
async def test_what_stands_there_is_replaced_by_typing() -> None:
    async with bench(PromptDialog("Line", value="7")) as (app, pilot):
        await type_in(pilot, "12")
        await pilot.press("enter")
        assert app.answer == "12"


@pytest.mark.full
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


@pytest.mark.full
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


@pytest.mark.full
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
async def test_the_prompt_is_above_the_bar_and_leaves_the_rest_in_sight(
    size: tuple[int, int],
) -> None:
    async with bench(PromptDialog("[b]/[/b]", hint="Enter: next · Esc: leave"), size) as (app, _):
        rows = screen_rows(app)
        assert rows[0].startswith("below")
        assert rows[-2].startswith(" [b]/[/b] ")
        assert rows[-2].rstrip().endswith("Esc: leave")


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


@pytest.mark.full
async def test_the_suggestion_is_taken_by_the_right_arrow(folder: Path) -> None:
    async with bench(PromptDialog("Open", suggester=PathSuggester(str(folder)))) as (app, pilot):
        await type_in(pilot, "ze")
        await pilot.press("right", "enter")
        assert app.answer == "zebra.py"
