"""The dialog of exceptions: its switches, its list, and a new rule."""

from __future__ import annotations

from typing import Any

import pytest
from textual.color import Color
from textual.widgets import Button, Input, Static

from tests.support.screens import screen_rows, shown_rows
from tests.tui.dialog_bench import OPEN, SIZES, Bench, bench, text_of, type_in
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus, ExceptionRule
from tuidbg.tui.features.breakpoints.exceptions_dialog import (
    ExceptionsAnswer,
    ExceptionsDialog,
    RulesPane,
    SeenPane,
    TypeSuggester,
)
from tuidbg.tui.toolkit.dialogs.form import Tick

TIMEOUT = ExceptionRule(
    "app.Timeout", raised=False, subtypes=False, ignored=("KeyError",), modules=("app.net", "lib")
)


def rule(number: int, what: ExceptionRule, **more: Any) -> Breakpoint:
    fields: dict[str, Any] = {"status": BreakpointStatus.SET, **more}
    return Breakpoint(number=number, kind=BreakpointKind.EXCEPTION, exception=what, **fields)


RULES = [
    rule(2, ExceptionRule("ValueError"), hits=4),
    rule(5, TIMEOUT, enabled=False),
]


def dialog(*rules: Breakpoint, seen: tuple[str, ...] = ()) -> ExceptionsDialog:
    return ExceptionsDialog({"uncaught"}, rules, seen)


async def test_it_opens_at_what_the_person_was_told_of_with_one_mark() -> None:
    told = ExceptionsDialog({"uncaught"}, RULES, ("KeyError",), focus="any-user_uncaught")
    async with bench(told) as (app, pilot):
        assert app.focused is tick(app, "any-user_uncaught")
        assert "leaves your code" in text_of(app, "#help")
        save = app.screen.query_one("#save", Button)
        cursor = Color.parse(app.theme_variables["block-cursor-background"])
        assert save.styles.background != cursor
        await pilot.press("space")
        save.focus()
        await pilot.pause()
        assert save.styles.background == cursor
        await pilot.press("enter")
        filters = frozenset({"uncaught", "user_uncaught"})
        assert app.answer == ExceptionsAnswer(filters=filters)


def tick(app: Bench, name: str) -> Tick:
    return app.screen.query_one(f"#{name}", Tick)


def problems(app: Bench) -> list[str]:
    found = app.screen.query(".problem").results(Static)
    return [str(each.render()) for each in found if each.display]


@pytest.mark.full
async def test_a_type_and_enter_are_enough() -> None:
    async with bench(dialog()) as (app, pilot):
        await type_in(pilot, "ValueError")
        await pilot.press("enter")
        assert app.answer == ExceptionsAnswer(rule=ExceptionRule("ValueError"))


@pytest.mark.full
async def test_left_as_it_is_it_changes_nothing() -> None:
    async with bench(dialog(*RULES)) as (app, pilot):
        await pilot.press("enter")
        assert app.answer == ExceptionsAnswer()


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "filters"),
    [
        ("raised", {"uncaught", "raised"}),
        ("uncaught", set()),
        ("user_uncaught", {"uncaught", "user_uncaught"}),
    ],
)
async def test_the_switches_are_for_any_exception(name: str, filters: set[str]) -> None:
    async with bench(dialog()) as (app, pilot):
        assert [tick(app, f"any-{n}").value for n in ("raised", "uncaught", "user_uncaught")] == [
            False,
            True,
            False,
        ]
        tick(app, f"any-{name}").focus()
        await pilot.pause()
        assert "Space tick" in screen_rows(app)[-1]
        await pilot.press("space", "enter")
        assert app.answer == ExceptionsAnswer(filters=frozenset(filters))


@pytest.mark.full
async def test_all_that_a_rule_can_say() -> None:
    async with bench(dialog()) as (app, pilot):
        await type_in(pilot, "app.Timeout")
        tick(app, "raised").value = False
        tick(app, "subtypes").value = False
        app.screen.query_one("#ignored", Input).value = "KeyError, "
        app.screen.query_one("#modules", Input).value = "app.net ,lib"
        await pilot.press("ctrl+s")
        assert app.answer == ExceptionsAnswer(rule=TIMEOUT)


async def test_any_type_in_a_module_is_a_rule_too() -> None:
    async with bench(dialog()) as (app, pilot):
        app.screen.query_one("#modules", Input).value = "app"
        await pilot.press("enter")
        assert app.answer == ExceptionsAnswer(rule=ExceptionRule(modules=("app",)))


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "typed", "why"),
    [
        ("type", "two words", "write a type such as ValueError"),
        ("type", "unhandled", "it means the moment uncaught"),
        ("ignored", "KeyError, 3x", "3x is no name"),
        ("modules", "a b", "a b is no name"),
    ],
)
async def test_what_is_no_name_is_refused(name: str, typed: str, why: str) -> None:
    async with bench(dialog()) as (app, pilot):
        await type_in(pilot, "ValueError")
        app.screen.query_one(f"#{name}", Input).value = typed
        await pilot.press("ctrl+s")
        assert app.answer is OPEN
        assert why in problems(app)[0]


@pytest.mark.full
async def test_one_that_would_never_stop_is_refused() -> None:
    async with bench(dialog()) as (app, pilot):
        await type_in(pilot, "ValueError")
        tick(app, "raised").value = tick(app, "uncaught").value = False
        await pilot.press("ctrl+s")
        assert (app.answer, problems(app)) == (OPEN, ["choose when it stops"])


# The lists


@pytest.mark.full
async def test_the_list_says_what_each_does() -> None:
    async with bench(dialog(*RULES), (140, 40)) as (app, _):
        rows = shown_rows(app.screen.query_one(RulesPane))
        assert rows[0] == "● 2 ValueError  ×4  raised, uncaught"
        assert rows[1].startswith("◌ 5 app.Timeout  off  uncaught · exactly this type")
    async with bench(dialog(), (140, 40)) as (app, _):
        assert shown_rows(app.screen.query_one(RulesPane)) == [" none yet"]
        assert shown_rows(app.screen.query_one(SeenPane))[0].startswith(" none yet")


@pytest.mark.full
async def test_space_switches_and_d_deletes_and_both_come_back() -> None:
    async with bench(dialog(*RULES)) as (app, pilot):
        pane = app.screen.query_one(RulesPane)
        pane.focus()
        await pilot.press("space", "down", "d")
        rows = shown_rows(pane)
        assert "ValueError  off" in rows[0] and "app.Timeout  deleted" in rows[1]
        await pilot.press("ctrl+s")
        assert app.answer == ExceptionsAnswer(enabled={2: False}, removed=(5,))
    async with bench(dialog(*RULES)) as (app, pilot):
        app.screen.query_one(RulesPane).focus()
        await pilot.press("space", "space", "d", "d", "ctrl+s")
        assert app.answer == ExceptionsAnswer()


@pytest.mark.full
async def test_enter_in_the_list_changes_that_rule() -> None:
    async with bench(dialog(*RULES)) as (app, pilot):
        app.screen.query_one(RulesPane).focus()
        await pilot.press("down", "enter")
        assert text_of(app, "#which") == "Exception breakpoint 5"
        assert app.focused is app.screen.query_one("#type")
        assert app.screen.query_one("#ignored", Input).value == "KeyError"
        tick(app, "raised").value = True
        await pilot.press("enter")
        assert isinstance(app.answer, ExceptionsAnswer)
        assert (app.answer.number, app.answer.rule) == (
            5,
            ExceptionRule(
                "app.Timeout", subtypes=False, ignored=("KeyError",), modules=("app.net", "lib")
            ),
        )
    async with bench(dialog(*RULES)) as (app, pilot):
        app.screen.query_one(RulesPane).focus()
        await pilot.press("enter", "enter")
        assert app.answer == ExceptionsAnswer()


@pytest.mark.full
async def test_enter_on_a_type_of_this_run_takes_it() -> None:
    async with bench(dialog(seen=("KeyError", "app.Timeout"))) as (app, pilot):
        pane = app.screen.query_one(SeenPane)
        assert shown_rows(pane) == ["app.Timeout", "KeyError"]
        pane.focus()
        await pilot.press("enter")
        assert app.screen.query_one("#type", Input).value == "app.Timeout"
        await pilot.press("enter")
        assert app.answer == ExceptionsAnswer(rule=ExceptionRule("app.Timeout"))


@pytest.mark.full
async def test_a_click_into_the_list_loads_nothing_by_accident() -> None:
    async with bench(dialog(*RULES)) as (app, pilot):
        await pilot.click("#rules", offset=(5, 1))
        assert app.screen.query_one("#type", Input).value == ""
        assert app.focused is app.screen.query_one(RulesPane)


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("", None),
        ("valueE", "ValueError"),
        ("app.", "app.errors.Timeout"),
        ("V", "Very.Own"),
        ("nope", None),
    ],
)
async def test_types_are_suggested(typed: str, suggested: str | None) -> None:
    suggester = TypeSuggester(["Very.Own", "app.errors.Timeout"])
    assert await suggester.get_suggestion(typed) == suggested


@pytest.mark.full
async def test_the_suggestion_is_taken_by_the_right_arrow() -> None:
    async with bench(dialog()) as (app, pilot):
        await type_in(pilot, "ZeroD")
        await pilot.press("right", "enter")
        assert app.answer == ExceptionsAnswer(rule=ExceptionRule("ZeroDivisionError"))


@pytest.mark.full
async def test_escape_changes_nothing() -> None:
    async with bench(dialog(*RULES)) as (app, pilot):
        app.screen.query_one(RulesPane).focus()
        await pilot.press("d", "escape")
        assert app.answer is None


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
async def test_every_field_explains_itself_and_can_be_reached(size: tuple[int, int]) -> None:
    async with bench(dialog(*RULES, seen=("KeyError",)), size) as (app, pilot):
        for word in ("Exceptions", "Stop at any exception", "Type", "Save"):
            assert word in "\n".join(screen_rows(app))
        seen = set()
        for _ in range(20):
            assert app.focused is not None and app.focused.id is not None
            seen.add(app.focused.id)
            if app.focused.id not in ("save", "cancel"):
                assert text_of(app, "#help"), app.focused.id
            await pilot.press("tab")
        assert {"any-raised", "type", "raised", "ignored", "rules", "seen", "cancel"} <= seen
