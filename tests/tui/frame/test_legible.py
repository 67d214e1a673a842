"""What is on the screen can be read: measured on painted rows, in all themes."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from tests.support.legible import VGA, XTERM, contrast, measured, painted, unreadable
from tests.support.screens import Debugger, debugger
from tuidbg.tui.toolkit.theme.legible import Legible, legible_filter, make_legible
from tuidbg.tui.toolkit.theme.theme import register_themes, theme_names

pytestmark = pytest.mark.once

OWN = theme_names()
ALL = [*OWN, *BUILTIN_THEMES]


async def put_on(bench: Debugger, theme: str) -> None:
    bench.app.theme = theme
    await bench.pilot.pause()


SCENES = {
    "variables": ("2", "down", "right"),
    "cursor": ("down", "down"),
    "callers line": ("3", "down", "enter"),
    "breakpoints": ("b", "down", "b", "4", "space"),
    "searching": ("slash", *"parcel"),
    "console": ("colon", *"1 + 1", "enter"),
    "help": ("question_mark",),
    "breakpoint": ("B",),
    "exceptions": ("x",),
    "find": ("ctrl+f",),
    "key map": ("f7",),
    "trace": ("6",),
    "manual": ("f1",),
    "history": ("H",),
}


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("keys", SCENES.values(), ids=SCENES)
async def test_everything_can_be_read_in_our_themes(tmp_path: Path, keys: tuple[str, ...]) -> None:
    async with debugger(tmp_path, size=(120, 36)) as bench:
        register_themes(bench.app)
        await bench.press_and_wait(*keys)
        for theme in OWN:
            await put_on(bench, theme)
            is_highest = "contrast" in theme and len(bench.app.screen_stack) == 1
            least = 7.0 if is_highest else 4.5  # a dialog darkens what is behind it
            assert not sorted(set(unreadable(bench.app, least)))


@pytest.mark.full
@pytest.mark.real
async def test_an_exception_can_be_read_in_all_themes(tmp_path: Path) -> None:
    """With values behind lines, the stack, the console and the cursor elsewhere."""
    async with debugger(tmp_path, size=(120, 36)) as bench:
        register_themes(bench.app)
        await bench.go("c")
        await bench.press_and_wait("b", "up")
        assert "KeyError: 'coach'" in "\n".join(painted(bench.app))
        for theme in ALL:
            await put_on(bench, theme)
            assert not sorted(set(unreadable(bench.app)))


@pytest.mark.full
@pytest.mark.real
async def test_the_palette_can_be_read_in_our_themes(tmp_path: Path) -> None:
    async with debugger(tmp_path, size=(120, 36)) as bench:
        register_themes(bench.app)
        for theme in OWN:
            await put_on(bench, theme)
            await bench.press_and_wait("ctrl+p")
            await bench.until(lambda: len(bench.app.screen_stack) > 1, "the palette")
            await bench.pilot.pause()
            assert not sorted(set(unreadable(bench.app)))
            await bench.press_and_wait("escape")
            await bench.until(lambda: len(bench.app.screen_stack) == 1, "it is closed")


# The means


def test_a_colour_that_can_be_read_is_left_alone() -> None:
    black, grey = Color(0, 0, 0), Color(160, 160, 160)
    assert make_legible(grey, [black]) is grey
    segments = [Segment("text", Style.parse("#a0a0a0 on #000000"))]
    assert Legible().apply(segments, black)[0] is segments[0]


@pytest.mark.parametrize("color", ["#202020", "#803030", "#000080"])
@pytest.mark.parametrize("ground", ["#000000", "#303030", "#777777", "#e0e0e0", "#ffffff"])
def test_any_other_goes_as_far_as_it_must(color: str, ground: str) -> None:
    before, on = Color.parse(color), Color.parse(ground)
    after = make_legible(before, [on])
    assert contrast(after, on) >= 4.5 or after.rgb in ((0, 0, 0), (255, 255, 255))
    assert contrast(after, on) >= 4.4
    if contrast(before, on) < 4.5:
        assert contrast(after, on) < 6.5 or after.rgb in ((0, 0, 0), (255, 255, 255))


def test_the_high_contrast_theme_asks_for_more() -> None:
    segments = [Segment("text", Style.parse("#808080 on #000000"))]
    style = legible_filter(dark=True, high=True).apply(segments, Color(0, 0, 0))[0].style
    assert style is not None and measured(style, XTERM, dark=True) >= 7


@pytest.mark.parametrize("text", ["───", "▌ ", "  ", "⣿⡇"])
def test_what_is_not_read_stays_faint(text: str) -> None:
    segments = [Segment(text, Style.parse("#303030 on #202020"))]
    assert Legible().apply(segments, Color(0, 0, 0)) == segments


@pytest.mark.parametrize("ground", ["black", "blue", "cyan", "red", "white"])
def test_of_the_terminals_own_colours_those_are_taken_that_differ(ground: str) -> None:
    for number in range(16):
        style = Style.parse(f"color({number}) on {ground}")
        (after,) = Legible().apply([Segment("text", style)], Color(0, 0, 0))
        assert after.style is not None
        for terminal in (XTERM, VGA):
            assert measured(after.style, terminal, dark=True) >= 4.5


def test_what_a_terminal_makes_faint_is_not_dim() -> None:
    (after,) = Legible().apply([Segment("text", Style.parse("dim white on black"))], Color(0, 0, 0))
    assert after.style is not None and not after.style.dim


def test_a_terminals_own_ground_is_taken_for_one_that_suits_the_theme() -> None:
    segments = [Segment("text", Style.parse("yellow on default"))]
    on_dark, on_light = (
        legible_filter(dark=dark, high=False).apply(segments, Color(0, 0, 0))[0].style
        for dark in (True, False)
    )
    assert on_dark is not None and on_dark.color is not None
    assert on_light is not None and on_light.color is not None
    assert on_dark.color.number in (3, 11)
    assert on_light.color.number == 0


def test_text_without_colours_stays_as_it_is() -> None:
    for style in ("bold", "default on default", "none"):
        segments = [Segment("text", Style.parse(style))]
        assert Legible().apply(segments, Color(0, 0, 0)) == segments
