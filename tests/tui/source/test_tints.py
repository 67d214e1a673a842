"""Rows of the source: what lies over that of the program, of the frame, of the cursor."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.color import ColorSystem
from rich.segment import Segment
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from tests.tui.source.test_source_pane import Bench, bench, numbered, row, rows, settled
from tuidbg.tui.panes.source.source_lines import line_looks
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.theme.legible import contrast
from tuidbg.tui.toolkit.theme.theme import find_theme, palette_for, theme_names

WIDE = [
    "x = 1",
    "",
    "\tif x:\t# tabs",
    "漢字 = 'かな'",
    "y = '" + "long " * 60 + "'",
    "漢" * 90,
]
MESSAGE = "ValueError: invalid literal for int() with base 10: 'many'"


def written(*lines: str) -> SourceDocument:
    return SourceDocument.from_text("program.py", "\n".join(lines) + "\n")


def grounds(pane: SourcePane, y: int) -> set[RichColor | None]:
    """The backgrounds of a row, but for those of the gutter's block."""
    segments: list[Segment] = [
        segment for segment in pane.render_line(y) if "▶" not in segment.text
    ]
    return {segment.style.bgcolor if segment.style else None for segment in segments}


def look(app: Bench, name: str) -> RichColor | None:
    return palette_for(app.current_theme).lines[name].bgcolor


@pytest.mark.full
@pytest.mark.parametrize("scrolled", [0, 3, 30])
@pytest.mark.parametrize("line", range(1, len(WIDE) + 1))
async def test_the_stopped_line_is_tinted_from_edge_to_edge(line: int, scrolled: int) -> None:
    async with bench(written(*WIDE), size=(61, 12)) as (app, pane, pilot):
        pane.set_execution(line)
        pane.move_cursor(1)
        pane.scroll_to(x=scrolled, animate=False, force=True)
        await settled(pilot)
        strip = pane.render_line(line - 1)
        assert grounds(pane, line - 1) == {look(app, "current")}
        assert strip.cell_length == cell_len(strip.text) == 61
        assert look(app, "current") not in grounds(pane, 7), "below the text"


async def test_the_cursor_has_a_fainter_tint_and_gives_way() -> None:
    async with bench(numbered(10)) as (app, pane, pilot):
        app.set_focus(None)
        pane.set_execution(3)
        pane.move_cursor(5)
        await settled(pilot)
        assert grounds(pane, 4) == {look(app, "cursor")}
        assert grounds(pane, 2) == {look(app, "current")}
        pane.move_cursor(3)
        assert grounds(pane, 2) == {look(app, "current")}
        pane.set_execution(3, 8)
        assert look(app, "selected") in grounds(pane, 7)
        assert look(app, "cursor") not in grounds(pane, 7)


async def test_a_match_and_a_breakpoint_are_seen_on_a_tinted_row() -> None:
    async with bench(written("alpha = beta", "beta = 2")) as (app, pane, pilot):
        pane.set_execution(1)
        pane.search.find("beta", start=2)
        await settled(pilot)
        marked = [s for s in pane.render_line(0) if s.style is not None and s.style.underline]
        assert [segment.text for segment in marked] == ["beta"]
        assert marked[0].style is not None
        assert marked[0].style.bgcolor != look(app, "current")


THEMES = [
    *(find_theme(name).theme for name in theme_names()),
    *BUILTIN_THEMES.values(),
]


@pytest.mark.parametrize(
    "theme", [one for one in THEMES if not one.ansi], ids=lambda theme: str(theme.name)
)
def test_the_tints_are_seen_in_every_theme_and_the_cursors_least(theme: Theme) -> None:
    """In 256 colours they differ from the ground as well."""
    ground = Color.parse(theme.background or ("#121212" if theme.dark else "#e0e0e0"))
    lines = palette_for(theme).lines
    seen = {}
    for name in ("current", "selected", "cursor"):
        tint = lines[name].bgcolor
        assert tint is not None
        seen[name] = contrast(Color.from_rich_color(tint), ground)
        few = tint.downgrade(ColorSystem.EIGHT_BIT)
        if name != "cursor":
            assert few != ground.rich_color.downgrade(ColorSystem.EIGHT_BIT), name
    assert min(seen["current"], seen["selected"]) > seen["cursor"] > 1.04, seen
    assert seen["current"] > 1.1, seen


@pytest.mark.parametrize("name", ["tuidbg-ansi", "ansi-dark", "ansi-light"])
async def test_with_the_terminals_own_colours_the_rows_differ(name: str) -> None:
    async with bench(numbered(10)) as (app, pane, pilot):
        app.theme = name
        app.set_focus(None)
        pane.set_execution(3)
        pane.move_cursor(5)
        await settled(pilot)
        plain, current = pane.render_line(7), pane.render_line(2)
        ground = next(iter(plain)).style
        assert ground is not None
        assert ground.bgcolor not in grounds(pane, 2)
        assert current.cell_length == 80
        assert all(s.style is not None and s.style.underline for s in pane.render_line(4))


async def test_without_colours_the_stopped_line_is_in_reverse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with bench(numbered(10)) as (app, pane, pilot):
        app.theme = "tuidbg-ansi"
        pane.set_execution(3)
        pane.move_cursor(5)
        await settled(pilot)
        text = [s for s in pane.render_line(2) if "▶" not in s.text]
        assert all(s.style is not None and s.style.reverse for s in text)
        assert not any(s.style is not None and s.style.reverse for s in pane.render_line(6))


async def test_on_sixteen_colours_the_stopped_line_is_white_on_blue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bench(numbered(10)) as (app, pane, _):
        monkeypatch.setattr(app.console, "_color_system", ColorSystem.STANDARD)
        monkeypatch.setattr(type(app), "is_headless", False)
        current = line_looks(pane, palette_for(app.current_theme))["current"]
        assert current.color is not None and current.bgcolor is not None
        colors = (current.color, current.bgcolor)
        assert [c.downgrade(ColorSystem.STANDARD).number for c in colors] == [15, 4]


# What was raised


async def test_an_exception_has_a_row_below_its_line() -> None:
    async with bench(written("x = int('many')", "    y = 2", "z"), size=(90, 20)) as (
        app,
        pane,
        pilot,
    ):
        pane.set_notes(lambda line: "x = 1")
        pane.set_execution(1)
        pane.set_exception(MESSAGE)
        await settled(pilot)
        assert rows(pane)[:3] == [
            "   1 ▶ x = int('many')   x = 1",
            f"       {MESSAGE}",
            "   2       y = 2   x = 1",
        ]
        words = next(s for s in pane.render_line(1) if s.text.startswith("ValueError"))
        wanted = palette_for(app.current_theme).lines["exception"]
        assert words.style is not None and words.style.color == wanted.color
        assert grounds(pane, 0) == grounds(pane, 1) == {look(app, "raised")}
        assert look(app, "raised") not in grounds(pane, 2)
        pane.set_execution(2)
        assert rows(pane)[2] == f"           {MESSAGE}"
        pane.set_exception("")
        assert rows(pane)[:3] == [
            "   1   x = int('many')   x = 1",
            "   2 ▶     y = 2   x = 1",
            "   3   z   x = 1",
        ]


async def test_lines_below_an_exception_are_found_by_cursor_and_mouse() -> None:
    async with bench(numbered(100), size=(60, 12)) as (_, pane, pilot):
        pane.set_execution(5)
        pane.set_exception(MESSAGE)
        await settled(pilot)
        assert "▶" in row(pane, 4) and MESSAGE[:20] in row(pane, 5)
        for y, line in ((4, 5), (5, 5), (6, 6), (7, 7)):
            await pilot.click(pane, offset=(20, y))
            assert pane.cursor_line == line
        assert pane.place_at(20, 5) is None
        await pilot.click(pane, offset=(0, 6))
        await pilot.press("end")
        assert row(pane, 11).split()[:2] == ["100", "line_100"]
        pane.move_cursor(5)
        assert any(MESSAGE[:20] in text for text in rows(pane))


async def test_an_exception_at_the_end_of_the_source_is_in_sight() -> None:
    async with bench(numbered(100), size=(60, 12)) as (_, pane, pilot):
        pane.set_execution(100)
        pane.set_exception(MESSAGE)
        await settled(pilot)
        assert "▶" in row(pane, 10) and MESSAGE[:20] in row(pane, 11)
        pane.set_exception("")
        await settled(pilot)
        assert "▶" in row(pane, 11)


@pytest.mark.parametrize("width", [25, 30, 41, 60, 80])
async def test_an_exception_never_cuts_its_line(width: int) -> None:
    code = "x = '" + "long " * 60 + "'"
    async with bench(written(code), size=(width, 6)) as (_, pane, pilot):
        pane.set_execution(1)
        pane.set_exception(MESSAGE)
        await settled(pilot)
        text = row(pane, 0)
        assert cell_len(text) == width
        assert text == f"   1 ▶ {code[: width - 8]}›"
        words = row(pane, 1).strip()
        assert words == (MESSAGE if len(MESSAGE) <= width - 7 else MESSAGE[: width - 8] + "…")
        await pilot.press("right")
        assert row(pane, 0).startswith(f"   1 ▶ ‹{code[9:12]}") and row(pane, 0).endswith("›")


async def test_an_edge_of_a_wide_character_is_marked() -> None:
    async with bench(written("漢" * 90, "short"), size=(30, 6)) as (_, pane, pilot):
        await settled(pilot)
        assert row(pane, 0) == "   1   " + "漢" * 11 + "›"
        await pilot.press("right")
        assert cell_len(row(pane, 0)) == 30
        assert row(pane, 0)[7] == "‹" and row(pane, 0).endswith("›")
        assert row(pane, 1).strip() == "2"


async def test_where_the_program_is_elsewhere_it_is_below_the_callers_line() -> None:
    async with bench(numbered(5)) as (_, pane, pilot):
        pane.set_execution(None, 4)
        pane.set_exception("Gone: away")
        await settled(pilot)
        assert [y for y, text in enumerate(rows(pane), 1) if "Gone: away" in text] == [5]
        pane.set_execution(2, 4)
        assert [y for y, text in enumerate(rows(pane), 1) if "Gone: away" in text] == [3]
