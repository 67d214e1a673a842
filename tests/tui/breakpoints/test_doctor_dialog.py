"""The doctor's dialog: what it says, and which mend it gives."""

from __future__ import annotations

import pytest

from tests.support.screens import screen_rows
from tests.tui.dialog_bench import OPEN, SIZES, bench
from tuidbg.session.features.doctor.rules import Diagnosis, Mend
from tuidbg.tui.features.breakpoints.doctor_dialog import DoctorDialog

MENDS = (Mend("Delete the condition", "a", {}), Mend("Step into libraries", "b", {}))
SENTENCES = ("Its condition [b]x[/b] was false 42 times.", "It was never true.")


def dialog(*mends: Mend) -> DoctorDialog:
    return DoctorDialog("3 a[0].py:7", Diagnosis("its condition is never true", SENTENCES, mends))


@pytest.mark.sampled
@pytest.mark.parametrize("size", SIZES)
async def test_it_says_what_is_wrong_and_what_can_be_done(size: tuple[int, int]) -> None:
    async with bench(dialog(*MENDS), size) as (app, _):
        shown = "\n".join(screen_rows(app))
        assert "3 a[0].py:7: its condition is never true" in shown
        for words in (*SENTENCES, *(mend.title for mend in MENDS), "Enter apply"):
            assert words in shown


@pytest.mark.full
async def test_enter_takes_the_first_and_the_arrows_another() -> None:
    async with bench(dialog(*MENDS)) as (app, pilot):
        await pilot.press("enter")
        assert app.answer == MENDS[0]
    async with bench(dialog(*MENDS)) as (app, pilot):
        await pilot.press("down", "enter")
        assert app.answer == MENDS[1]
    async with bench(dialog(*MENDS)) as (app, pilot):
        await pilot.click("#mends", offset=(4, 1))
        assert app.answer == MENDS[1]


@pytest.mark.full
@pytest.mark.parametrize("key", ["escape", "q", "y"])
async def test_it_can_be_left(key: str) -> None:
    async with bench(dialog(*MENDS)) as (app, pilot):
        assert app.answer is OPEN
        await pilot.press(key)
        assert app.answer is None


@pytest.mark.full
async def test_where_nothing_can_be_done_enter_closes_it() -> None:
    async with bench(dialog()) as (app, pilot):
        assert "Esc close" in "\n".join(screen_rows(app))
        await pilot.press("enter")
        assert app.answer is None
        assert len(app.screen_stack) == 1


@pytest.mark.full
async def test_a_long_answer_is_scrolled() -> None:
    long = Diagnosis("long", tuple(f"Sentence {n}." for n in range(40)), ())
    async with bench(DoctorDialog("1 a.py:1", long), (60, 15)) as (app, pilot):
        assert "Sentence 39." not in "\n".join(screen_rows(app))
        await pilot.press("end")
        await pilot.pause()
        assert "Sentence 39." in "\n".join(screen_rows(app))
