"""The dialog of one breakpoint: what it takes, what it refuses and why, and by which keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from textual.geometry import Region
from textual.widgets import Button, Checkbox, Input, Static

from tests.support.screens import screen_rows, send_keys
from tests.tui.dialog_bench import OPEN, SIZES, Bench, bench, text_of, type_in
from tuidbg.adapters.languages import PYTHON
from tuidbg.session.core.breakpoints.store import BreakpointSettings
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    ExceptionRule,
    OnError,
)
from tuidbg.tui.panes.breakpoints.breakpoint_dialog import (
    BreakpointAnswer,
    BreakpointDialog,
    read_address,
    split_commands,
)
from tuidbg.tui.toolkit.dialogs.form import ChoiceField

FULL: dict[str, Any] = {
    "condition": "x",
    "hit_condition": "%10",
    "ignore_count": 5,
    "log_message": "total is {total}",
    "trace": True,
    "every": 10,
    "at_most": 500,
    "group": "net",
    "trigger": 1,
    "column": 4,
    "commands": ("a", "len(b)"),
    "on_error": OnError.REPORT,
    "temporary": True,
    "enabled": False,
}
"""A breakpoint with everything."""


def new(place: str = "main.py:3", **more: Any) -> BreakpointDialog:
    found = Breakpoint(number=0, path="/src/main.py", line=3)
    return BreakpointDialog(found, place, is_new=True, **more)


def changed(place: str = "main.py:3", **fields: Any) -> BreakpointDialog:
    found = Breakpoint(number=2, path="/src/main.py", line=3, **fields)
    return BreakpointDialog(found, place, others={1: "main.py:9"})


def answer(kind: BreakpointKind = BreakpointKind.LINE, place: str = "", **settings: Any) -> object:
    return BreakpointAnswer(BreakpointSettings(**settings), kind, place)  # type: ignore[typeddict-item]


def setting(name: str, value: object) -> dict[str, Any]:
    return {name: value}


def fill(app: Bench, values: Mapping[str, str]) -> None:
    for name, value in values.items():
        app.screen.query_one(f"#{name}", Input).value = value


def problems(app: Bench) -> list[str]:
    """The sentences below the fields, from top to bottom."""
    found = app.screen.query(".problem").results(Static)
    return [str(each.render()) for each in found if each.display]


# Saving


@pytest.mark.full
async def test_enter_saves_what_was_typed() -> None:
    async with bench(new()) as (app, pilot):
        await type_in(pilot, "i > 3 ")
        await pilot.press("enter")
        assert app.answer == answer(place="main.py:3", condition="i > 3")


@pytest.mark.full
async def test_a_new_one_left_as_it_is_has_no_settings() -> None:
    async with bench(new()) as (app, pilot):
        await pilot.press("enter")
        assert app.answer == answer(place="main.py:3")


@pytest.mark.full
async def test_an_empty_condition_stops_always() -> None:
    async with bench(changed(condition="x", enabled=False)) as (app, pilot):
        await pilot.press("ctrl+u", "enter")
        assert app.answer == answer(condition="")


@pytest.mark.full
async def test_what_is_left_alone_is_not_sent_again() -> None:
    """An ignore count counts from when it was set, and others may have changed the rest."""
    async with bench(changed(**FULL)) as (app, pilot):
        await pilot.press("ctrl+s")
        assert app.answer == answer()
    async with bench(changed(**FULL)) as (app, pilot):
        fill(app, {"ignore_count": "6"})
        await pilot.press("ctrl+s")
        assert app.answer == answer(ignore_count=6)


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        pytest.param("hit_condition", " >= 5 ", ">= 5", id="hit-condition"),
        pytest.param("ignore_count", "7", 7, id="ignore-count"),
        pytest.param("log_message", "{a} {{", "{a} {{", id="log-message"),
        pytest.param("every", "10", 10, id="every"),
        pytest.param("at_most", "100", 100, id="at most"),
        pytest.param("group", "net", "net", id="group"),
        pytest.param("trigger", "4", 4, id="trigger"),
        pytest.param("column", "8", 8, id="column"),
        pytest.param("commands", "a; len(b) ;", ("a", "len(b)"), id="commands"),
    ],
)
async def test_each_line_gives_its_setting(name: str, typed: str, value: object) -> None:
    async with bench(new(others={4: "a.py:1"})) as (app, pilot):
        fill(app, {name: typed})
        await pilot.press("ctrl+s")
        assert app.answer == answer(place="main.py:3", **setting(name, value))


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "before", "after"), [("trace", False, True), ("temporary", False, True)]
)
async def test_each_box_gives_its_setting(name: str, before: bool, after: bool) -> None:
    async with bench(new()) as (app, pilot):
        box = app.screen.query_one(f"#{name}", Checkbox)
        assert box.value is before
        box.focus()
        await pilot.press("space", "enter")
        assert app.answer == answer(place="main.py:3", **setting(name, after))


@pytest.mark.full
async def test_the_box_turns_it_off_and_says_so_without_colour() -> None:
    async with bench(changed(condition="x")) as (app, pilot):
        box = app.screen.query_one("#enabled", Checkbox)
        assert str(box.render()) == "[x]"
        box.focus()
        await pilot.press("space")
        assert str(box.render()) == "[ ]"
        await pilot.press("ctrl+s")
        assert app.answer == answer(enabled=False)


async def test_what_a_failing_condition_does_is_chosen_by_keys_or_mouse() -> None:
    async with bench(new()) as (app, pilot):
        await pilot.press("f2")
        choice = app.screen.query_one("#on_error", ChoiceField)
        choice.focus()
        await pilot.press("right")
        assert str(choice.render()) == "○ stop  ◉ report"
        await pilot.press("left", "left")
        assert choice.value == "report"
        await pilot.click("#on_error", offset=(1, 0))
        assert choice.value == "stop"
        await pilot.click("#on_error", offset=(10, 0))
        await pilot.press("enter")
        assert app.answer == answer(place="main.py:3", on_error=OnError.REPORT)


@pytest.mark.full
async def test_several_pasted_lines_are_several_commands() -> None:
    async with bench(new()) as (app, pilot):
        line = app.screen.query_one("#commands", Input)
        line.focus()
        await pilot.pause()
        from textual.events import Paste

        app.post_message(Paste("total\n  len(rows)\n\n"))
        await pilot.pause()
        assert line.value == "total; len(rows)"
        await pilot.press("enter")
        assert app.answer == answer(place="main.py:3", commands=("total", "len(rows)"))


def test_a_semicolon_in_a_string_divides_nothing() -> None:
    assert split_commands("a; ';'.join(b) ;c", PYTHON) == ("a", "';'.join(b)", "c")
    assert split_commands("a b; c", PYTHON) == ("a b", "c")
    assert split_commands(" ; ", PYTHON) == ()


# What few people need

BEHIND = {
    "ignore_count",
    "trace",
    "every",
    "at_most",
    "group",
    "trigger",
    "column",
    "commands",
    "on_error",
    "temporary",
}


def shown_fields(app: Bench) -> set[str]:
    """The fields that one could go to."""
    return {str(widget.id) for widget in app.screen.focus_chain if widget.id is not None}


@pytest.mark.full
async def test_it_opens_with_what_most_people_come_for() -> None:
    async with bench(changed()) as (app, _):
        buttons = {"save", "delete", "cancel"}
        first = {"place", "condition", "hit_condition", "log_message", "enabled", "more"}
        assert shown_fields(app) - buttons == first
        assert "▸ more (F2): trace, group" in "\n".join(screen_rows(app))


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(BEHIND))
async def test_it_opens_whole_where_one_of_the_rest_is_set(name: str) -> None:
    async with bench(changed(**{name: FULL[name]})) as (app, _):
        assert shown_fields(app) >= BEHIND
        assert "▾ more (F2 hides it)" in "\n".join(screen_rows(app))


@pytest.mark.full
@pytest.mark.parametrize("way", ["f2", "enter", "space", "right", "click"])
async def test_a_key_or_a_click_shows_the_rest(way: str) -> None:
    async with bench(new()) as (app, pilot):
        if way == "click":
            await pilot.click("#more")
        else:
            if way != "f2":
                app.screen.query_one("#more").focus()
            await pilot.press(way)
        assert shown_fields(app) >= BEHIND
        assert app.answer is OPEN
        await pilot.press("f2")
        assert not shown_fields(app) & BEHIND


@pytest.mark.full
async def test_what_is_hidden_again_keeps_its_value() -> None:
    async with bench(changed(group="net")) as (app, pilot):
        fill(app, {"commands": "total"})
        app.screen.query_one("#group").focus()
        await pilot.press("f2")
        assert app.focused is app.screen.query_one("#more")
        await pilot.press("ctrl+s")
        assert app.answer == answer(commands=("total",))
    async with bench(changed(group="net", every=3)) as (app, pilot):
        await pilot.press("f2", "ctrl+s")
        assert app.answer == answer()


@pytest.mark.full
async def test_what_is_wrong_in_hidden_fields_is_shown() -> None:
    async with bench(new()) as (app, pilot):
        fill(app, {"every": "x"})
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert app.answer is OPEN
        assert app.focused is app.screen.query_one("#every")
        assert _is_in_sight(app)


# What it hangs on


@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "typed"),
    [
        ("function", "pkg.mod.Class.method"),
        ("address", "0x401000"),
        ("data", "order.total"),
    ],
)
async def test_another_kind_asks_for_another_place(kind: str, typed: str) -> None:
    async with bench(new()) as (app, pilot):
        app.screen.query_one("#kind", ChoiceField).value = kind
        await pilot.pause()
        place = app.screen.query_one("#place", Input)
        assert place.value == ""
        assert text_of(app, "#place-label").lower() in (kind, "expression")
        place.focus()
        await type_in(pilot, typed)
        await pilot.press("enter")
        assert app.answer == answer(BreakpointKind(kind), typed)


@pytest.mark.full
async def test_each_kind_keeps_what_was_typed_for_it() -> None:
    async with bench(new()) as (app, pilot):
        choice, place = (
            app.screen.query_one("#kind", ChoiceField),
            app.screen.query_one("#place", Input),
        )
        choice.value = "function"
        await pilot.pause()
        place.value = "main"
        choice.value = "line"
        await pilot.pause()
        assert place.value == "main.py:3"
        choice.value = "function"
        await pilot.pause()
        assert place.value == "main"


@pytest.mark.full
async def test_one_at_a_function_from_the_beginning() -> None:
    dialog = BreakpointDialog(Breakpoint(number=0, kind=BreakpointKind.FUNCTION), "", is_new=True)
    async with bench(dialog) as (app, pilot):
        assert app.focused is app.screen.query_one("#place")
        await type_in(pilot, "main")
        await pilot.press("enter")
        assert app.answer == answer(BreakpointKind.FUNCTION, "main")


@pytest.mark.full
@pytest.mark.parametrize("typed", ["7", "main.py:7"])
async def test_an_existing_one_moves_within_its_file(typed: str) -> None:
    async with bench(changed()) as (app, pilot):
        fill(app, {"place": typed})
        await pilot.press("enter")
        assert app.answer == answer(place=typed)


@pytest.mark.full
async def test_one_that_is_there_can_go_to_another_function() -> None:
    found = Breakpoint(number=2, kind=BreakpointKind.FUNCTION, function="main")
    async with bench(BreakpointDialog(found, "main")) as (app, pilot):
        fill(app, {"place": "no name"})
        await pilot.press("enter")
        assert app.answer is OPEN
        fill(app, {"place": "Office.open"})
        await pilot.press("enter")
        assert app.answer == answer(BreakpointKind.FUNCTION, "Office.open")


@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "fields", "place"),
    [
        (BreakpointKind.ADDRESS, {"address": 16}, "0x10"),
        (BreakpointKind.DATA, {"data": "x"}, "x"),
        (BreakpointKind.EXCEPTION, {"exception": ExceptionRule("ValueError")}, "ValueError"),
    ],
)
async def test_an_existing_one_of_another_kind_stays_what_it_is(
    kind: BreakpointKind, fields: dict[str, Any], place: str
) -> None:
    dialog = BreakpointDialog(Breakpoint(number=2, kind=kind, **fields), place)
    async with bench(dialog) as (app, pilot):
        assert app.screen.query_one("#place", Input).disabled
        assert not app.screen.query("#kind")
        await type_in(pilot, "x")
        await pilot.press("enter")
        assert app.answer == answer(kind, condition="x")


@pytest.mark.parametrize(
    ("text", "address"), [("0x10", 16), ("16", 16), ("-1", None), ("x", None), ("", None)]
)
def test_addresses(text: str, address: int | None) -> None:
    assert read_address(text) == address


# What is wrong


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "typed", "why"),
    [
        ("condition", "x = 1", "SyntaxError: invalid syntax (column 3)"),
        ("condition", "(", "was never closed"),
        ("condition", "[red]x[/red]", "SyntaxError"),
        pytest.param("condition", "-" * 100_000 + "1", "too complicated", id="deep"),
        ("hit_condition", "often", "such as >5 or %10"),
        ("hit_condition", "%0", "%0 would never stop"),
        ("ignore_count", "a few", "a whole number, please"),
        ("ignore_count", "-1", "it can't be negative"),
        ("log_message", "{total", "is never closed"),
        ("every", "x", "a whole number, please"),
        ("at_most", "-3", "it can't be negative"),
        ("column", "0", "columns count from 1"),
        ("trigger", "9", "there is no breakpoint 9"),
        ("trigger", "0", "there is no breakpoint 0"),
        ("commands", "a; b c", "b c: SyntaxError"),
        ("place", "main.py", "write FILE:LINE"),
        ("place", "main.py:0", "write FILE:LINE"),
    ],
)
async def test_what_is_wrong_stands_below_and_is_not_saved(name: str, typed: str, why: str) -> None:
    async with bench(new(others={4: "a.py:1"})) as (app, pilot):
        fill(app, {name: typed})
        await pilot.pause()
        (problem,) = problems(app)
        assert why in problem
        await pilot.press("ctrl+s")
        assert app.answer is OPEN
        assert app.focused is app.screen.query_one(f"#{name}")
        fill(app, {name: "main.py:3" if name == "place" else ""})
        await pilot.pause()
        assert problems(app) == []
        await pilot.press("ctrl+s")
        assert app.answer == answer(place="main.py:3")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kind", "typed", "why"),
    [
        ("function", "", "this can't be empty"),
        ("function", "a b", "write a name such as"),
        ("address", "here", "write a number such as"),
        ("data", "x +", "SyntaxError"),
    ],
)
async def test_a_place_that_makes_no_sense(kind: str, typed: str, why: str) -> None:
    async with bench(new()) as (app, pilot):
        app.screen.query_one("#kind", ChoiceField).value = kind
        await pilot.pause()
        fill(app, {"place": typed})
        await pilot.press("ctrl+s")
        assert app.answer is OPEN
        assert why in problems(app)[0]


@pytest.mark.full
async def test_another_file_is_another_breakpoint() -> None:
    async with bench(changed()) as (app, pilot):
        fill(app, {"place": "other.py:3"})
        await pilot.press("enter")
        assert problems(app) == ["it stays in its file; set another one for another file"]


@pytest.mark.full
async def test_two_things_wrong_on_a_row_are_both_said() -> None:
    async with bench(new()) as (app, pilot):
        fill(app, {"every": "x", "at_most": "y"})
        await pilot.pause()
        assert problems(app) == ["a whole number, please · a whole number, please"]


# Its head and its help


@pytest.mark.full
async def test_an_existing_one_says_how_it_fares() -> None:
    async with bench(changed(hits=1, misses=2000, errors=2)) as (app, _):
        said = "Hit once · condition false 2,000 times · condition failed 2 times"
        assert text_of(app, "#counts") == said
        assert not app.screen.query("#refused")
    async with bench(changed()) as (app, _):
        assert text_of(app, "#counts") == "Not hit in this run"
    refused: dict[str, Any] = {
        "status": BreakpointStatus.REFUSED,
        "message": "no executable code at line 3",
        "suggested_line": 4,
    }
    async with bench(changed(**refused)) as (app, _):
        said = "✗ no executable code at line 3; the nearest line that can break is 4"
        assert text_of(app, "#refused") == said


@pytest.mark.full
async def test_the_help_is_about_the_field_with_the_focus() -> None:
    async with bench(new(others={4: "a.py:1"})) as (app, pilot):
        assert "Stop only when this is true" in text_of(app, "#help")
        await pilot.press("f2")
        for name in ("kind", *FULL, "place", "more"):
            app.screen.query_one(f"#{name}").focus()
            await pilot.pause()
            assert text_of(app, "#help"), name
        app.screen.query_one("#trigger").focus()
        await pilot.pause()
        assert "(4: a.py:1)" in text_of(app, "#help")
        await pilot.press("4", "tab", "shift+tab")
        assert text_of(app, "#help") == "Asleep until breakpoint 4 (a.py:1) was hit"


# Keys and mouse


@pytest.mark.full
async def test_escape_leaves_everything_as_it_was() -> None:
    async with bench(changed(condition="x")) as (app, pilot):
        await type_in(pilot, " and y")
        await pilot.press("escape")
        assert app.answer is None
        assert len(app.screen_stack) == 1


@pytest.mark.full
@pytest.mark.parametrize(
    ("size", "forth", "back"),
    [(SIZES[0], "tab", ""), (SIZES[1], "down", "up"), (SIZES[2], "tab", "shift+tab")],
)
async def test_tab_and_arrows_reach_every_field_and_each_is_in_sight(
    size: tuple[int, int], forth: str, back: str
) -> None:
    async with bench(changed(**FULL), size) as (app, pilot):
        seen = []
        for _ in range(19):
            assert app.focused is not None and app.focused.id is not None
            seen.append(app.focused.id)
            await pilot.pause()
            assert _is_in_sight(app), app.focused.id
            await pilot.press(forth)
        assert {*FULL, "place", "save", "delete", "cancel"} <= set(seen)
        for name in reversed(seen) if back else ():
            await pilot.press(back)
            assert app.focused is not None and app.focused.id == name
            await pilot.pause()
            assert _is_in_sight(app), name


def _is_in_sight(app: Bench) -> bool:
    assert app.focused is not None
    box = app.screen.query_one("#box").region
    region, fields = app.focused.region, app.screen.query_one("#fields").region
    inside: Region = fields if app.screen.query_one("#fields") in app.focused.ancestors else box
    return bool(region.area) and inside.contains_region(region)


@pytest.mark.full
async def test_keys_in_one_packet_keep_their_order() -> None:
    async with bench(new()) as (app, pilot):
        send_keys(app, *"i > 3", "tab", *">5", "down", "2", "enter")
        await pilot.pause()
        await pilot.pause()
        expected = answer(place="main.py:3", condition="i > 3", hit_condition=">5", log_message="2")
        assert app.answer == expected


@pytest.mark.full
@pytest.mark.parametrize(
    ("button", "expected"),
    [("#save", answer()), ("#delete", BreakpointAnswer(delete=True)), ("#cancel", None)],
)
async def test_the_buttons(button: str, expected: object) -> None:
    async with bench(changed(condition="x")) as (app, pilot):
        await pilot.click(button)
        assert app.answer == expected
    async with bench(changed(condition="x")) as (app, pilot):
        app.screen.query_one(button, Button).focus()
        await pilot.press("enter")
        assert app.answer == expected


@pytest.mark.full
async def test_a_new_one_can_not_be_deleted() -> None:
    async with bench(new()) as (app, _):
        assert not app.screen.query("#delete")


@pytest.mark.full
@pytest.mark.parametrize(
    "place", ["[red]a[/red].py:3", "a[0].py:3", "a\\[b].py:3", "a[/].py:3", "中文.py:3"]
)
async def test_a_file_may_have_any_name(place: str) -> None:
    async with bench(changed(place)) as (app, _):
        assert f"Breakpoint 2 at {place}" in "\n".join(screen_rows(app))


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
async def test_what_matters_is_on_the_screen_at_once(size: tuple[int, int]) -> None:
    async with bench(changed("x" * 200 + ".py:3", condition="y" * 300), size) as (app, _):
        shown = "\n".join(screen_rows(app))
        for words in ("Breakpoint 2", "Condition", "Stop only when", "Save", "Delete", "Cancel"):
            assert words in shown
