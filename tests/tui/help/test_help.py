"""The help: what it lists and in which order, what typing leaves, how it is left."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input

from tests.support.screens import Debugger, debugger, screen_rows, send_keys, shown_rows
from tests.tui.dialog_bench import SIZES, Bench, bench, text_of, type_in
from tuidbg.session.model.state import Status
from tuidbg.tui.app.help.dialog import TEN_KEYS, HelpDialog, KeysPane
from tuidbg.tui.app.help.page import ManualDialog
from tuidbg.tui.app.help.places import PANE_KEYS
from tuidbg.tui.app.keys.commands import COMMANDS, DEFAULT_MAP
from tuidbg.tui.app.keys.keymaps import KEY_MAPS
from tuidbg.tui.app.palette import CommandsPalette
from tuidbg.tui.features.native.disassembly_pane import CodePane
from tuidbg.tui.features.native.memory import MemoryPane
from tuidbg.tui.panes.breakpoints.breakpoints_pane import BreakpointsPane
from tuidbg.tui.panes.console.console_pane import ConsolePane
from tuidbg.tui.panes.console.console_results import ConsoleResults
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.panes.stack_pane import StackPane
from tuidbg.tui.panes.variables.variables_pane import VariablesPane
from tuidbg.tui.toolkit.keys.key_map import show_key
from tuidbg.tui.toolkit.widgets.marks import GLYPHS
from tuidbg.tui.toolkit.widgets.pane_titles import PANES

README = Path(__file__).resolve().parents[3] / "README.md"


def shown(app: Bench) -> str:
    return "\n".join(screen_rows(app))


def listed(app: Bench | Debugger) -> list[str]:
    """All rows of the help, those out of sight too."""
    screen = app.app.screen if isinstance(app, Debugger) else app.screen
    rows = screen.query_one(KeysPane).rows
    return ["".join(text for text, _ in row.pieces).rstrip() for row in rows]


def headings(bench: Debugger) -> list[str]:
    rows = bench.app.screen.query_one(KeysPane).rows
    return [text.strip() for row in rows for text, style in row.pieces if style == "heading"]


async def filter_by(app: Bench, pilot: Pilot[None], text: str) -> str:
    app.screen.query_one(Input).value = ""
    await type_in(pilot, text)
    await pilot.pause()
    return "\n".join(listed(app))


# What it lists


@pytest.mark.full
async def test_it_lists_every_command_and_every_mark() -> None:
    async with bench(HelpDialog(Status.PAUSED), (100, 40)) as (app, _):
        rows = [row.strip() for row in listed(app)]
        for command in COMMANDS:
            keys = command.shown_keys or "Ctrl+P"
            assert any(row.startswith(keys) and command.title in row for row in rows), command
        text = "\n".join(rows)
        for words in (*GLYPHS.values(), "Enter", "Space", "Ctrl+T", "come or gone"):
            assert words in text


def test_the_ten_keys_are_those_of_the_readme() -> None:
    table = README.read_text(encoding="utf-8").partition("## Ten keys")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.+?`) \| (.+) \|$", table, re.MULTILINE)
    told = [" ".join(re.findall(r"`([^`]+)`", keys)) for keys, _ in rows]
    assert told == [" ".join(map(DEFAULT_MAP.key_of, names)) for names, _ in TEN_KEYS]


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("pane", ["source", "variables", "stack", "breakpoints", "console", "log"])
async def test_the_focused_panes_keys_follow_the_ten(pane: str, tmp_path: Path) -> None:
    async with debugger(tmp_path, size=(80, 24)) as bench:
        bench.screen.focus_pane(pane)
        await bench.press("?")
        assert headings(bench)[:2] == ["The ten keys", f"Here, {PANE_KEYS[pane].place}"]
        assert headings(bench)[2:4] == ["Run", "Stack"]


@pytest.mark.full
@pytest.mark.real
async def test_the_keys_are_those_in_force(tmp_path: Path) -> None:
    async with debugger(tmp_path, size=(80, 24)) as bench:
        bench.app.set_key_map("vim")
        bench.screen.focus_pane("variables")
        await bench.press("?")
        rows = "\n".join(listed(bench))
        assert "Help: vim key map" in "\n".join(screen_rows(bench.app))
        vim = KEY_MAPS["vim"]
        for name in ("step_over", "evaluate", "go_to_line"):
            assert re.search(rf"^ +{re.escape(vim.show_keys(name))}( |$)", rows, re.MULTILINE), name
        assert re.search(rf"^ {vim.key_of('step_over')} .* step over", rows, re.MULTILINE)


@pytest.mark.parametrize(
    ("size", "columns"),
    [((200, 40), 3), ((140, 40), 3), ((120, 40), 2), ((80, 24), 1), ((60, 15), 1)],
)
async def test_there_are_as_many_columns_as_there_is_room_for(
    size: tuple[int, int], columns: int
) -> None:
    async with bench(HelpDialog(Status.PAUSED), size) as (app, _):
        (row,) = [row for row in listed(app) if "The ten keys" in row]
        assert [("Run" in row), ("Stack" in row)] == [columns > 1, columns > 2]
        assert "…" not in "\n".join(listed(app))


def chosen(app: Bench) -> str:
    """The entry under the cursor."""
    rows = app.screen.query_one(KeysPane).rows
    found = [text for row in rows for text, style in row.pieces if style == "cursor"]
    return " ".join(" ".join(found).split())


async def test_the_reason_is_that_of_the_row_under_the_cursor() -> None:
    reasons = {"edit_source": "there is no editor"}
    async with bench(HelpDialog(Status.RUNNING, reasons), (140, 40)) as (app, pilot):
        styles = {
            text.strip(): style
            for row in app.screen.query_one(KeysPane).rows
            for text, style in row.pieces
        }
        assert (styles["n, F10"], styles["p, F6"]) == ("faint", "key")
        assert chosen(app).startswith("b set or delete a breakpoint")
        assert text_of(app, "#why") == ""
        await pilot.press("down", "down")
        assert chosen(app) == "n s o step over, into, out"
        assert text_of(app, "#why") == "Not now: the program is running; p pauses it"
        assert shown(app).count("the program is running") == 1
        await filter_by(app, pilot, "editor")
        assert chosen(app) == "Ctrl+E Open the line in your editor"
        assert text_of(app, "#why") == "Not now: there is no editor"


async def test_the_cursor_goes_through_the_columns() -> None:
    async with bench(HelpDialog(Status.PAUSED), (140, 40)) as (app, pilot):
        await pilot.press("right")
        assert chosen(app).startswith("c, F5 Continue")
        await pilot.press("left", "up")
        assert chosen(app).startswith("b set or delete a breakpoint")
        await pilot.press("end")
        last = chosen(app)
        assert last in " ".join(shown(app).split()) or last.split()[0] in shown(app)
        await pilot.press("down", "right")
        assert chosen(app) == last
        await pilot.press("pageup", "home")
        assert chosen(app).startswith("b set or delete a breakpoint")


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
async def test_it_can_be_read_to_its_end(size: tuple[int, int]) -> None:
    async with bench(HelpDialog(Status.PAUSED), size) as (app, pilot):
        assert "The ten keys" in shown(app)
        await pilot.press("end")
        assert "refused" in "\n".join(shown_rows(app.screen))
        await pilot.press("home", "pagedown", "down", "up", "pageup")
        assert "The ten keys" in shown(app)
        await pilot.press("space")
        assert "The ten keys" not in shown(app)


# What is told of the panes


_OWN_KEYS: dict[str, tuple[type[Widget], ...]] = {
    "source": (SourcePane,),
    "variables": (VariablesPane,),
    "stack": (StackPane,),
    "breakpoints": (BreakpointsPane,),
    "console": (ConsolePane, ConsoleResults),
    "code": (CodePane,),
    "memory": (MemoryPane,),
}
_WORDS = {"left": "←", "right": "→", "escape": "Esc", "pageup": "PgUp", "pagedown": "PgDn"}


def test_every_pane_is_told_of() -> None:
    assert set(PANES) <= PANE_KEYS.keys()


@pytest.mark.parametrize("pane", _OWN_KEYS)
def test_a_panes_own_keys_are_told(pane: str) -> None:
    keys = ", ".join(key for key, _ in PANE_KEYS[pane].keys)
    for widget in _OWN_KEYS[pane]:
        for binding in Binding.make_bindings(widget.BINDINGS):
            key = _WORDS.get(binding.key, show_key(binding.key))
            is_told = key in re.split(r"[, ]+", keys) or ("arrows" in keys and key in "←→")
            assert is_told or binding.key in ("home", "end"), (widget.__name__, binding.key)


def test_what_a_command_does_in_one_pane_is_told_there() -> None:
    for command in COMMANDS:
        for pane in command.in_pane:
            assert any(f"{{{command.name}}}" in keys for keys, _ in PANE_KEYS[pane].keys), (
                f"{command.name} in {pane}"
            )


def test_the_commands_that_are_named_are_there() -> None:
    told = [keys + meaning for pane in PANE_KEYS.values() for keys, meaning in pane.keys]
    named = {name for text in told for name in re.findall(r"\{(\w+)\}", text)}
    assert named <= DEFAULT_MAP.keys.keys()


# Typing


@pytest.mark.full
@pytest.mark.parametrize(
    ("typed", "there", "gone"),
    [
        ("watch", "Watch an expression", "Step over"),
        ("WATCH edit", "Edit the watch at the cursor", "Watch an expression"),
        ("toggle breakp", "Toggle a breakpoint", "Step over"),
        ("f10", "Step over", "Continue"),
        ("alt+r", "Restart when sources change", "Step over"),
        ("looking back", "Exception autopsy", "Step over"),
        ("refused", "refused; the pane says why", "Step over"),
        ("core", "Ctrl+P", "Step over"),
    ],
)
async def test_typing_leaves_what_has_the_words(typed: str, there: str, gone: str) -> None:
    async with bench(HelpDialog(Status.PAUSED)) as (app, pilot):
        text = await filter_by(app, pilot, typed)
        assert there in text and gone not in text


@pytest.mark.sampled
@pytest.mark.parametrize(("key", "title"), [("n", "Step over"), ("N", "Jump to cursor")])
async def test_what_a_key_gives_stands_first(key: str, title: str) -> None:
    async with bench(HelpDialog(Status.PAUSED)) as (app, pilot):
        await filter_by(app, pilot, key)
        assert listed(app)[0].strip() == f"The key {key}"
        assert title in listed(app)[1]


@pytest.mark.full
async def test_backspace_and_escape_give_back_what_was_typed() -> None:
    async with bench(HelpDialog(Status.PAUSED)) as (app, pilot):
        await type_in(pilot, "watchx")
        await pilot.pause()
        assert "Nothing has these words" in shown(app)
        await pilot.press("backspace")
        assert "Watch an expression" in shown(app)
        await pilot.press("escape")
        assert app.screen.query_one(Input).value == ""
        assert "The ten keys" in shown(app)
        await pilot.press("escape")
        assert len(app.screen_stack) == 1


@pytest.mark.full
async def test_tab_looks_for_the_words_in_the_manual() -> None:
    async with bench(HelpDialog(None), (100, 30)) as (app, pilot):
        await type_in(pilot, "goroutines")
        await pilot.press("tab")
        await pilot.pause()
        assert isinstance(app.screen, ManualDialog)
        assert "Goroutines" in shown(app) or "goroutines" in shown(app)
        assert app.screen.query_one(Input).value == "goroutines"


@pytest.mark.full
@pytest.mark.parametrize("key", ["escape", "question_mark", "enter", "backspace"])
async def test_it_closes(key: str) -> None:
    async with bench(HelpDialog(None)) as (app, pilot):
        await pilot.press(key)
        assert len(app.screen_stack) == 1


@pytest.mark.full
@pytest.mark.real
async def test_ctrl_p_goes_on_to_the_commands(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("?", *"core", "ctrl+p")
        await bench.until(lambda: isinstance(bench.app.screen, CommandsPalette))
        assert len(bench.app.screen_stack) == 2


@pytest.mark.full
@pytest.mark.real
async def test_keys_typed_ahead_are_for_the_help(tmp_path: Path) -> None:
    """``n`` and ``q`` are letters there, and do nothing to the program."""
    async with debugger(tmp_path) as bench:
        stop = bench.session.stop_id
        send_keys(bench.app, "question_mark", "n", "q", "escape", "escape")
        await bench.until(lambda: bench.app.screen is bench.screen)
        await bench.settled()
        assert bench.session.stop_id == stop and not bench.app._exit
