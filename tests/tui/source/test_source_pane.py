"""The source pane: what it paints, how little it repaints, and what it tells the app."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.style import Style
from textual.app import App, ComposeResult
from textual.events import MouseScrollDown
from textual.geometry import Region
from textual.pilot import Pilot

from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.toolkit.text import highlight
from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.theme.theme import palette_for, register_themes, resolve_theme
from tuidbg.tui.toolkit.widgets.marks import GLYPHS, GutterMark, Position


class Bench(App[None]):
    """A source pane alone on the screen, and all that it says."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[str, str, int]] = []

    def compose(self) -> ComposeResult:
        yield SourcePane()

    def on_mount(self) -> None:
        register_themes(self)
        self.theme = resolve_theme("dark")

    @property
    def pane(self) -> SourcePane:
        return self.query_one(SourcePane)

    def on_source_pane_breakpoint_toggled(self, message: SourcePane.BreakpointToggled) -> None:
        self.said.append(("toggled", message.path, message.line))

    def on_source_pane_breakpoint_edited(self, message: SourcePane.BreakpointEdited) -> None:
        self.said.append(("edited", message.path, message.line))

    def on_source_pane_cursor_moved(self, message: SourcePane.CursorMoved) -> None:
        self.said.append(("moved", message.path, message.line))


def numbered(count: int, name: str = "program.py") -> SourceDocument:
    return SourceDocument.from_text(name, "".join(f"line_{n} = {n}\n" for n in range(1, count + 1)))


@asynccontextmanager
async def bench(
    document: SourceDocument | None = None, size: tuple[int, int] = (80, 20)
) -> AsyncIterator[tuple[Bench, SourcePane, Pilot[None]]]:
    app = Bench()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        pane = app.pane
        pane.focus()
        if document is not None:
            pane.show(document)
        await settled(pilot)
        yield app, pane, pilot


async def settled(pilot: Pilot[None]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def row(pane: SourcePane, y: int) -> str:
    return pane.render_line(y).text


def rows(pane: SourcePane) -> list[str]:
    return [row(pane, y).rstrip() for y in range(pane.size.height)]


def styles_of(pane: SourcePane, y: int, text: str) -> Style:
    for segment in pane.render_line(y):
        if text in segment.text and segment.style is not None:
            return segment.style
    raise AssertionError(f"{text!r} is not one run of row {y}")


@contextmanager
def repaints(pane: SourcePane, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Region]]:
    """The regions that the pane asks to be painted; a repaint of all is a region of all."""
    regions: list[Region] = []
    refresh = pane.refresh

    def watched(*asked: Region, **options: Any) -> SourcePane:
        if options.get("repaint", True):
            regions.extend(asked or [pane.size.region])
        return refresh(*asked, **options)

    with monkeypatch.context() as patch:
        patch.setattr(pane, "refresh", watched)
        yield regions


# What is shown


async def test_without_a_document_it_says_so() -> None:
    async with bench() as (_, pane, pilot):
        assert [text.strip() for text in rows(pane) if text] == ["No source yet"]
        await pilot.press("down", "pageup", "end", "home", "left", "right")
        await pilot.click(SourcePane, offset=(2, 2))
        assert pane.search.find("x") is None


async def test_an_empty_document_says_so() -> None:
    async with bench(SourceDocument.from_text("empty.py", "")) as (_, pane, pilot):
        assert [text.strip() for text in rows(pane) if text] == ["(empty file)"]
        await pilot.press("down", "pagedown", "end")
        assert pane.cursor_line == 1


async def test_lines_have_numbers_and_text() -> None:
    async with bench(numbered(3)) as (_, pane, _pilot):
        assert rows(pane)[:4] == ["   1   line_1 = 1", "   2   line_2 = 2", "   3   line_3 = 3", ""]


async def test_the_gutter_grows_with_the_number_of_lines() -> None:
    async with bench(numbered(100_000)) as (_, pane, pilot):
        assert row(pane, 0).startswith("       1   line_1 = 1")
        await pilot.press("end")
        assert rows(pane)[-1] == "  100000   line_100000 = 100000"


async def test_program_text_is_no_markup_and_no_escape_sequence() -> None:
    text = "[bold red]x[/] = '[@click=app.quit]y[/]'\n\x1b[2Jz\x07\n"
    async with bench(SourceDocument.from_text("evil.py", text)) as (_, pane, _pilot):
        assert "[bold red]x[/] = '[@click=app.quit]y[/]'" in row(pane, 0)
        assert "␛[2Jz␇" in row(pane, 1)


async def test_every_row_is_exactly_as_wide_as_the_pane() -> None:
    lines = [
        "漢字 = 'かな'" * 10,
        "x" * 200,
        "\tx\ty",
        "'👩‍💻' '❤️' '👍🏽' '🇩🇪'",
        "e\u0301\u0301 = 'שלום' + 'نص'",
        "bad = '\ud800\udfff'",
        "",
    ]
    document = SourceDocument.from_text("wide.py", "\n".join(lines) + "\n")
    async with bench(document, size=(41, 9)) as (_, pane, pilot):
        for presses in range(8):
            for y in range(9):
                strip = pane.render_line(y)
                assert strip.cell_length == 41
                assert cell_len(strip.text) == 41, (presses, y)
                strip.text.encode()
            await pilot.press("right")


@pytest.mark.full
async def test_a_megabyte_in_one_line_can_be_looked_at() -> None:
    document = SourceDocument.from_text("data.py", "data = '" + "x" * 1_000_000 + "'\ny = 1\n")
    async with bench(document) as (_, pane, pilot):
        await pilot.press(*["right"] * 10)
        assert row(pane, 0).startswith("   1   ‹xx")
        assert row(pane, 1).rstrip() == "   2"


@pytest.mark.parametrize("size", [(60, 10), (9, 3), (5, 1)])
async def test_small_panes_do_not_break(size: tuple[int, int]) -> None:
    async with bench(numbered(50), size=size) as (_, pane, pilot):
        pane.set_execution(30, 20)
        await pilot.pause()
        top = pane.scroll_offset.y
        assert top < 20 <= top + size[1]
        assert all(pane.render_line(y).cell_length <= size[0] for y in range(size[1]))


# Marks


def test_glyphs_are_distinct_and_one_cell_wide() -> None:
    assert set(GLYPHS) == {*GutterMark, *Position}
    assert len({glyph for name, glyph in GLYPHS.items() if "muted" not in name}) == len(GLYPHS) - 4
    assert all(cell_len(glyph) == 1 for glyph in GLYPHS.values())


async def test_marks_stand_in_the_gutter() -> None:
    async with bench(numbered(20), size=(80, 20)) as (_, pane, _pilot):
        pane.set_marks(dict(enumerate(GutterMark, start=2)))
        for line, mark in enumerate(GutterMark, start=2):
            assert row(pane, line - 1).startswith(f"{GLYPHS[mark]} {line:>2}   line_{line}")
        assert row(pane, 19).startswith("  20 ")


async def test_a_line_can_have_a_breakpoint_and_be_current() -> None:
    async with bench(numbered(10)) as (_, pane, _pilot):
        pane.set_marks({4: GutterMark.CONDITIONAL})
        pane.set_execution(4, 7)
        assert row(pane, 3).startswith("◆  4 ▶ line_4")
        assert row(pane, 6).startswith("   7 ▷ line_7")


async def test_only_lines_whose_mark_changed_are_repainted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench(numbered(100)) as (_, pane, _pilot):
        pane.set_marks({3: GutterMark.PENDING, 5: GutterMark.SET, 90: GutterMark.SET})
        with repaints(pane, monkeypatch) as regions:
            pane.set_marks({3: GutterMark.SET, 5: GutterMark.SET, 91: GutterMark.SET})
        assert regions == [Region(0, 2, 8, 1)]
        with repaints(pane, monkeypatch) as regions:
            pane.set_marks({3: GutterMark.SET, 5: GutterMark.SET, 91: GutterMark.SET})
        assert regions == []


async def test_a_step_repaints_two_rows_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bench(numbered(100)) as (_, pane, _pilot):
        pane.set_execution(6)
        with repaints(pane, monkeypatch) as regions:
            pane.set_execution(7)
        assert set(regions) == {Region(0, 5, 80, 1), Region(0, 6, 80, 1)}
        assert pane.cursor_line == 7
        with repaints(pane, monkeypatch) as regions:
            pane.set_execution(7)
        assert regions == []


async def test_selecting_another_frame_moves_the_hollow_arrow() -> None:
    async with bench(numbered(10)) as (_, pane, _pilot):
        pane.set_execution(3)
        assert "▶" in row(pane, 2)
        pane.set_execution(3, 8)
        assert ("▶" in row(pane, 2), "▷" in row(pane, 7)) == (True, True)
        assert pane.cursor_line == 8
        pane.set_execution(8, 3, follow=False)
        assert ("▷" in row(pane, 2), "▶" in row(pane, 7)) == (True, True)
        assert pane.cursor_line == 8
        pane.set_execution(None)
        assert not any("▶" in text or "▷" in text for text in rows(pane))


@pytest.mark.full
async def test_the_current_line_is_a_block_of_another_background() -> None:
    async with bench(numbered(10)) as (app, pane, _pilot):
        pane.set_execution(3)
        expected = palette_for(app.current_theme).marks["current"]
        assert styles_of(pane, 2, " 3 ▶ ").bgcolor == expected.bgcolor
        assert styles_of(pane, 2, "line_3").bgcolor != expected.bgcolor


# Scrolling and the cursor


async def test_a_line_in_sight_is_not_scrolled_to() -> None:
    async with bench(numbered(200)) as (_, pane, _pilot):
        for line in (1, 10, 17):
            pane.reveal(line)
            assert pane.scroll_offset.y == 0
        pane.reveal(18)  # less than three lines below it
        assert pane.scroll_offset.y == 11  # a third of 20 rows above it
        pane.reveal(15)
        assert pane.scroll_offset.y == 11
        pane.reveal(14)
        assert pane.scroll_offset.y == 7
        pane.reveal(200)
        assert pane.scroll_offset.y == 180


@pytest.mark.full
async def test_stepping_scrolls_seldom() -> None:
    async with bench(numbered(1000)) as (_, pane, pilot):
        tops = set()
        for line in range(1, 101):
            pane.set_execution(line)
            await pilot.pause()
            tops.add(pane.scroll_offset.y)
        assert len(tops) <= 10


@pytest.mark.full
async def test_keys_move_the_cursor_and_tell_the_app() -> None:
    async with bench(numbered(100)) as (app, pane, pilot):
        app.said.clear()
        await pilot.press("down", "down", "up", "up", "up")
        assert app.said == [("moved", "program.py", line) for line in (2, 3, 2, 1)]
        await pilot.press("pagedown")
        assert (pane.cursor_line, pane.scroll_offset.y) == (20, 19 - 3)
        await pilot.press("pageup")
        assert (pane.cursor_line, pane.scroll_offset.y) == (1, 0)
        await pilot.press("end")
        assert (pane.cursor_line, pane.scroll_offset.y) == (100, 80)
        await pilot.press("home")
        assert (pane.cursor_line, pane.scroll_offset.y) == (1, 0)


@pytest.mark.full
async def test_the_cursor_key_scrolls_by_one_line_near_the_edge() -> None:
    async with bench(numbered(100)) as (_, pane, pilot):
        await pilot.press(*["down"] * 16)
        assert (pane.cursor_line, pane.scroll_offset.y) == (17, 0)
        await pilot.press("down")
        assert (pane.cursor_line, pane.scroll_offset.y) == (18, 1)


async def test_letters_are_left_to_the_app() -> None:
    async with bench(numbered(100)) as (_, pane, pilot):
        keys = set(pane._bindings.key_to_bindings)
        assert not keys & {"j", "k", "n", "N", "b", "enter", "slash", "space"}
        await pilot.press("j", "k", "n", "N")
        assert pane.cursor_line == 1


async def test_left_and_right_scroll_the_text_but_not_the_gutter() -> None:
    document = SourceDocument.from_text("wide.py", "x = '" + "abcdefghij" * 30 + "'\n")
    async with bench(document) as (_, pane, pilot):
        await pilot.press("right")
        assert row(pane, 0).startswith("   1   ‹efghij")
        await pilot.press("left", "left")
        assert row(pane, 0).startswith("   1   x = 'abc")


async def test_the_wheel_scrolls_and_leaves_the_cursor() -> None:
    async with bench(numbered(100)) as (_, pane, pilot):
        await pilot._post_mouse_events([MouseScrollDown], SourcePane, (20, 5), button=0)
        await pilot.pause()
        assert pane.scroll_offset.y > 0
        assert pane.cursor_line == 1


async def test_the_cursor_is_seen_with_and_without_the_focus() -> None:
    async with bench(numbered(10)) as (app, pane, pilot):
        await pilot.press("down")
        focused, other = styles_of(pane, 1, " 2 "), styles_of(pane, 4, " 5 ")
        assert focused.bgcolor != other.bgcolor
        app.set_focus(None)
        await pilot.pause()
        blurred = styles_of(pane, 1, " 2 ")
        tint = palette_for(app.current_theme).lines["cursor"].bgcolor
        assert blurred.bold and blurred.bgcolor == tint != focused.bgcolor


async def test_a_pane_that_shrinks_keeps_the_cursor_in_sight() -> None:
    async with bench(numbered(100), size=(80, 40)) as (_, pane, pilot):
        pane.move_cursor(35)
        await pilot.resize_terminal(80, 12)
        await pilot.pause()
        assert pane.scroll_offset.y < 35 <= pane.scroll_offset.y + 12


async def test_what_is_shown_while_hidden_is_in_sight_later() -> None:
    async with bench() as (_, pane, pilot):
        pane.display = False
        await pilot.pause()
        pane.show(numbered(500), line=250)
        pane.set_execution(250)
        await settled(pilot)
        pane.display = True
        await settled(pilot)
        assert "250 ▶" in "\n".join(rows(pane))


async def test_a_document_shown_before_the_first_layout_is_in_sight() -> None:
    class Early(Bench):
        def on_mount(self) -> None:
            super().on_mount()
            self.pane.show(numbered(500), line=250)
            self.pane.set_execution(250)

    app = Early()
    async with app.run_test(size=(80, 20)) as pilot:
        await settled(pilot)
        assert "250 ▶" in "\n".join(rows(app.pane))
        assert app.pane.scroll_offset.y == 249 - 20 // 3


# Documents


async def test_each_document_comes_back_as_it_was_left() -> None:
    first, second = numbered(500, "first.py"), numbered(300, "second.py")
    async with bench(first) as (app, pane, pilot):
        pane.move_cursor(200)
        await pilot.press("up", "up")
        place = (pane.cursor_line, pane.scroll_offset.y)
        pane.set_marks({198: GutterMark.SET})
        pane.set_execution(198)
        app.said.clear()
        pane.show(second)
        await settled(pilot)
        assert (pane.cursor_line, pane.scroll_offset.y) == (1, 0)
        assert ("moved", "second.py", 1) in app.said
        assert not any("●" in text or "▶" in text for text in rows(pane))
        pane.show(first)
        await settled(pilot)
        assert (pane.cursor_line, pane.scroll_offset.y) == place
        pane.show(numbered(400, "second.py"), line=33)
        assert pane.cursor_line == 33


async def test_showing_the_same_document_again_repaints_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = numbered(50)
    async with bench(document) as (_, pane, _pilot):
        with repaints(pane, monkeypatch) as regions:
            pane.show(document)
            pane.show(document, line=1)
        assert regions == []


async def test_a_reloaded_document_keeps_cursor_and_scroll(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("".join(f"old_{n} = 1\n" for n in range(200)))
    document = SourceDocument.load(path)
    async with bench(document) as (_, pane, pilot):
        pane.move_cursor(100)
        top = pane.scroll_offset.y
        path.write_text("".join(f"'new_{n}'\n" for n in range(150)))
        document.reload()
        pane.refresh_document()
        await settled(pilot)
        assert (pane.cursor_line, pane.scroll_offset.y) == (100, top)
        assert "'new_99'" in row(pane, 99 - top)
        string = palette_for(pane.app.current_theme).syntax["string"]
        assert styles_of(pane, 99 - top, "'new_99'").color == string.color

        path.write_text("short = 1\n")
        document.reload()
        pane.refresh_document()
        await settled(pilot)
        assert pane.cursor_line == 1
        assert rows(pane)[0] == "   1   short = 1"


async def test_wrong_guesses_are_repainted_from_the_background(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(highlight, "_FIRST_LOOK", 0)
    inside = "def looks_like_code(): pass\n" * 2000
    text = "y = ''\n" * 1000 + f'"""Begins.\n{inside}"""\n' + "y = ''\n" * 5000
    async with bench(size=(80, 20)) as (app, pane, pilot):
        pane.show(SourceDocument.from_text("program.py", text), line=2000)
        syntax = palette_for(app.current_theme).syntax
        assert styles_of(pane, 0, "def ").color == syntax["keyword"].color
        with repaints(pane, monkeypatch) as regions:
            await settled(pilot)
        assert styles_of(pane, 0, "def looks_like_code").color == syntax["docstring"].color
        assert Region(0, 0, pane.size.width, 1) in regions


async def test_the_theme_can_be_changed_while_it_runs() -> None:
    document = SourceDocument.from_text("program.py", "import os  # why\nx = 1\n")
    async with bench(document) as (app, pane, pilot):
        pane.move_cursor(2)
        for name in ("light", "nord", "textual-light", "ansi-dark", "dark"):
            app.theme = resolve_theme(name)
            await settled(pilot)
            syntax = palette_for(app.current_theme).syntax
            style = styles_of(pane, 0, "import")
            assert style.color == syntax["keyword"].color
            assert style.bgcolor == pane.rich_style.bgcolor


# Mouse


async def test_clicks_in_the_gutter_are_told_and_decide_nothing() -> None:
    async with bench(numbered(100)) as (app, pane, pilot):
        pane.scroll_to(y=10, animate=False)
        pane.set_execution(14, follow=False)
        await pilot.pause()
        app.said.clear()
        await pilot.click(SourcePane, offset=(0, 4))
        await pilot.click(SourcePane, offset=(6, 3))
        await pilot.click(SourcePane, offset=(3, 2), button=3)
        await pilot.click(SourcePane, offset=(3, 2), button=2)
        assert app.said == [
            ("toggled", "program.py", 15),
            ("toggled", "program.py", 14),
            ("edited", "program.py", 13),
        ]
        assert pane.cursor_line == 1
        assert not any("●" in text for text in rows(pane))


async def test_a_click_on_the_text_sets_the_cursor() -> None:
    async with bench(numbered(10)) as (app, pane, pilot):
        app.said.clear()
        await pilot.click(SourcePane, offset=(30, 4))
        assert pane.cursor_line == 5
        await pilot.click(SourcePane, offset=(30, 15))
        await pilot.click(SourcePane, offset=(30, 6), button=3)
        await pilot.click(SourcePane, offset=(1, 15))
        assert app.said == [("moved", "program.py", 5)]


# Searching

TEXT = "alpha\nBeta = [x]\nalphaBeta\n\nbeta.beta\nend\n"


async def test_search_goes_on_from_the_cursor_and_round() -> None:
    async with bench(SourceDocument.from_text("a.py", TEXT)) as (_, pane, _pilot):
        assert [pane.search.find("beta") for _ in range(4)] == [2, 3, 5, 2]
        assert pane.search.find("beta", backwards=True) == 5
        assert pane.search.find("beta", from_cursor=False) == 2
        assert pane.search.find("beta", from_cursor=False, backwards=True) == 5
        assert pane.search.find("beta", start=3) == 3
        assert pane.cursor_line == 3
        assert pane.search.find("nowhere") is None
        assert pane.cursor_line == 3


async def test_a_capital_letter_makes_case_count() -> None:
    async with bench(SourceDocument.from_text("a.py", TEXT)) as (_, pane, _pilot):
        assert [pane.search.find("Beta") for _ in range(3)] == [2, 3, 2]
        assert pane.search.find("ALPHA") is None


async def test_what_is_searched_for_is_no_pattern() -> None:
    async with bench(SourceDocument.from_text("a.py", TEXT)) as (_, pane, _pilot):
        assert pane.search.find("[x]") == 2
        assert pane.search.find("b.t") is None


async def test_matches_are_marked_until_the_search_is_cleared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bench(SourceDocument.from_text("a.py", TEXT)) as (_, pane, _pilot):
        plain = styles_of(pane, 4, "beta.beta").bgcolor
        with repaints(pane, monkeypatch) as regions:
            pane.search.find("beta", start=1)
        assert {region.y for region in regions} == {0, 1, 2, 4}  # the cursor was on the first
        marked = [
            segment.text
            for segment in pane.render_line(4)
            if segment.style is not None and segment.style.underline
        ]
        assert marked == ["beta", "beta"]
        assert row(pane, 4).rstrip() == "   5   beta.beta"
        assert styles_of(pane, 4, "beta").bgcolor != plain
        pane.search.clear()
        assert styles_of(pane, 4, "beta.beta").bgcolor == plain


async def test_a_match_far_right_is_scrolled_into_sight() -> None:
    document = SourceDocument.from_text("wide.py", "x\n\ty = '" + "a" * 300 + " needle'\nneedle\n")
    async with bench(document) as (_, pane, _pilot):
        assert pane.search.find("needle") == 2
        assert "needle" in row(pane, 1)
        assert pane.search.find("needle") == 3
        assert "needle" in row(pane, 2)
        assert pane.scroll_offset.x == 0
