"""Finding in the project's files: typed, streamed, chosen, cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.support.screens import Debugger, debugger, screen_rows
from tuidbg.session.core.sources.files import LineMatch, Summary
from tuidbg.tui.features.find import dialog as find
from tuidbg.tui.features.find.dialog import FindDialog, FoundPane


def dialog_of(bench: Debugger) -> FindDialog:
    assert isinstance(bench.app.screen, FindDialog)
    return bench.app.screen


def found(bench: Debugger) -> list[str]:
    rows = dialog_of(bench).query_one(FoundPane).rows
    return ["".join(text for text, _ in row.pieces) for row in rows]


def said(bench: Debugger) -> str:
    return str(dialog_of(bench).query_one("#about").render())


async def searched(bench: Debugger) -> None:
    await bench.until(lambda: " in " in said(bench), "the search is over")
    await bench.pilot.pause()


@pytest.mark.real
async def test_typing_finds_and_enter_opens(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\ntwo parcels\n")
    async with debugger(tmp_path) as bench:
        await bench.press("ctrl+f", *"two par")
        await searched(bench)
        assert found(bench) == ["notes.txt:2  two parcels"]
        assert said(bench).startswith("1 line in ")
        await bench.press("enter")
        await bench.until(lambda: "notes.txt" in bench.screen.source_title.label, "it is open")
        assert bench.screen.source.cursor_line == 2
        assert bench.screen.focused is bench.screen.source
        await bench.press("backspace")
        assert "parcels.py" in bench.screen.source_title.label


@pytest.mark.full
@pytest.mark.real
async def test_the_arrow_keys_choose_while_the_line_keeps_the_focus(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("ctrl+f", *"weight")
        await searched(bench)
        lines = [int(row.split(":")[1].split()[0]) for row in found(bench)]
        assert len(lines) == 4
        await bench.press("down", "down", "up", "down", "down")
        assert isinstance(bench.app.focused, Input)
        await bench.press("enter")
        assert bench.screen.source.cursor_line == lines[3]


@pytest.mark.full
@pytest.mark.real
async def test_it_comes_back_with_what_was_searched(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("ctrl+f", *"weight")
        await searched(bench)
        await bench.press("escape")
        assert bench.app.screen is bench.screen
        await bench.press("ctrl+f")
        await searched(bench)
        assert len(found(bench)) == 4
        await bench.press(*"xyzzy")  # over what was selected
        await bench.until(lambda: said(bench).startswith("nothing in"), "nothing is found")
        assert found(bench) == []
        await bench.press("enter")
        assert isinstance(bench.app.screen, FindDialog)


@pytest.mark.full
@pytest.mark.real
async def test_capitals_make_their_case_count_and_text_is_no_pattern(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("Total\ntotal\na.b\nacb\n[bold]x[/bold]\n")
    async with debugger(tmp_path) as bench:
        for text, rows in (
            ("Total", ["other.py:1  Total"]),
            ("a.b", ["other.py:3  a.b"]),
            ("[bold]", ["other.py:5  [bold]x[/bold]"]),
        ):
            await bench.press("ctrl+f", *text)
            await bench.until(lambda: dialog_of(bench)._searched == text, "the search begins")  # noqa: B023
            await searched(bench)
            assert found(bench) == rows
            await bench.press("escape")


@pytest.mark.full
@pytest.mark.real
async def test_typed_ahead_nothing_is_lost(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("ctrl+f", *"class Parcel", "enter")
        await searched(bench)
        await bench.press("enter")
        assert bench.screen.source.cursor_line == 6


@pytest.mark.full
async def test_results_come_in_pieces_and_a_new_text_ends_the_old_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, more = threading.Event(), threading.Event()
    cancelled: list[str] = []

    def slow(
        folder: Path,
        pattern: object,
        tell: Callable[[list[LineMatch]], None],
        is_cancelled: Callable[[], bool],
    ) -> Summary:
        text = str(getattr(pattern, "pattern", ""))
        begun.set()
        tell([LineMatch(str(folder / "a.py"), 1, text, 0, 1)])
        while not (more.wait(0.01) or is_cancelled()):
            pass
        if is_cancelled():
            cancelled.append(text)
        tell([LineMatch(str(folder / "b.py"), 2, text, 0, 1)])
        return Summary(files=2, matches=2, cancelled=is_cancelled())

    monkeypatch.setattr(find, "search_files", slow)
    async with debugger(tmp_path) as bench:
        await bench.press("ctrl+f", *"one")
        await bench.until(lambda: found(bench) == ["a.py:1  one"], "the first of them")
        assert "1 so far" in said(bench)
        begun.clear()
        await bench.press(*"s")
        await bench.until(begun.is_set, "the other search has begun")
        await bench.until(lambda: found(bench) == ["a.py:1  ones"], "the first of the other")
        more.set()
        await searched(bench)
        assert found(bench) == ["a.py:1  ones", "b.py:2  ones"]
        assert cancelled == ["one"]


@pytest.mark.full
async def test_leaving_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def endless(
        folder: Path, pattern: object, tell: object, is_cancelled: Callable[[], bool]
    ) -> Summary:
        while not is_cancelled():
            ended.wait(0.005)
        ended.set()
        return Summary(cancelled=True)

    monkeypatch.setattr(find, "search_files", endless)
    async with debugger(tmp_path) as bench:
        await bench.press("ctrl+f", *"x")
        await bench.until(lambda: "searching" in said(bench), "it searches")
        await bench.press("escape")
        await bench.until(ended.is_set, "the thread has ended")
        await bench.settled()


@pytest.mark.real
async def test_by_a_typed_command(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("semicolon", *"find_in_files weight", "enter")
        await searched(bench)
        assert len(found(bench)) == 4
        assert any("4 lines in" in row for row in screen_rows(bench.app))
