"""When the next picture may go: the newest, as soon as the line has given on the last ones."""

from __future__ import annotations

import pytest

from tuidbg.tui.toolkit.drivers.renderer import display as pacing
from tuidbg.tui.toolkit.drivers.renderer.display import ASK, FramePacing


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(pacing, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_terminal_that_answers_has_two_small_pictures_on_their_way(clock: Clock) -> None:
    asking = FramePacing(can_ask=True)
    assert asking.sent(600) == ASK
    asking.answered()
    assert asking.sent(600) == ASK and asking.delay == 0
    assert asking.sent(600) == ASK and asking.delay > 0
    asking.answered()
    assert asking.delay == 0


def test_behind_a_large_picture_nothing_goes_before_it_is_shown(clock: Clock) -> None:
    asking = FramePacing(can_ask=True)
    asking.sent(600)
    asking.answered()
    assert asking.sent(2_000) == ASK and asking.delay > 0
    asking.answered()
    assert asking.delay == 0


def test_little_pictures_are_not_asked_after_each(clock: Clock) -> None:
    asking = FramePacing(can_ask=True)
    assert [asking.sent(100) for _ in range(6)].count(ASK) == 1


def test_an_answer_that_never_comes_is_not_waited_for_for_ever(clock: Clock) -> None:
    asking = FramePacing(can_ask=True)
    asking.sent(600)
    asking.answered()
    asking.sent(600)
    asking.sent(600)
    clock.now += asking.delay + 0.001
    assert asking.delay == 0


def test_a_silent_terminal_is_asked_once(clock: Clock) -> None:
    silent = FramePacing(can_ask=True)
    assert [silent.sent(1000) for _ in range(5)] == [ASK, "", "", "", ""]
    assert silent.delay == 0


def test_a_silent_line_is_as_slow_as_it_was_when_it_was_full(clock: Clock) -> None:
    silent = FramePacing(can_ask=False)
    silent.sent(18_000)
    silent.wrote(0.5)  # full
    clock.now += 1
    silent.sent(2400)
    silent.wrote(1.0)  # full again: 2,400 a second
    assert silent.delay == pytest.approx(7.5)
    clock.now += 7.5
    assert silent.delay == 0
    silent.sent(1200)
    assert silent.delay == pytest.approx(0.5)


def test_a_line_that_has_room_is_never_waited_for(clock: Clock) -> None:
    quick = FramePacing(can_ask=False)
    for _ in range(100):
        quick.sent(5000)
        quick.wrote(0.0)
        assert quick.delay == 0


def test_nobody_is_asked_whose_answer_a_program_would_get(clock: Clock) -> None:
    assert FramePacing(can_ask=False).sent(10_000) == ""


def test_an_answer_is_awaited_on_leaving_but_not_for_long_from_a_silent_one(clock: Clock) -> None:
    asking = FramePacing(can_ask=True)
    assert not asking.is_awaited
    asking.sent(600)
    assert asking.is_awaited
    clock.now += 2
    assert not asking.is_awaited
