"""Moving about in the source on the debugger's screen: search, lines, files, changes on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.screens import Debugger, counting, debugger, screen_rows, shown_text
from tuidbg.adapters.probe import ProbeReport
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

TEXT = "alpha\nbeta\nAlpha\ngamma alpha\nomega\n" + "".join(f"x = {n}\n" for n in range(60))


async def search_in(bench: Debugger, tmp_path: Path) -> None:
    """Show the text that is searched."""
    (tmp_path / "text.py").write_text(TEXT, encoding="utf-8")
    await bench.press_and_wait("ctrl+o", *"text.py", "enter")


def prompt(bench: Debugger) -> str:
    """The row of the prompt."""
    return screen_rows(bench.app)[-2].rstrip()


# Searching


@pytest.mark.full
async def test_a_search_follows_the_typing_and_enter_gives_the_keys_back(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await search_in(bench, tmp_path)
        await bench.press("/", *"alp")
        assert bench.screen.source.cursor_line == 1
        assert "line 1 · match 1 of 3" in prompt(bench)
        await bench.press(*"hab")  # goes back to where it was begun
        assert bench.screen.source.cursor_line == 1
        await bench.press(*["backspace"] * 3, "enter")
        assert not isinstance(bench.app.screen, PromptDialog)
        assert "match 1 of 3 · F3 next, Shift+F3 back, Esc clear" in bench.status
        assert bench.screen.source.search.marked is not None
        await bench.press("f3")
        assert bench.screen.source.cursor_line == 3


@pytest.mark.full
async def test_escape_leaves_all_as_it_was(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await search_in(bench, tmp_path)
        await bench.press("down", "/", *"omega")
        assert bench.screen.source.cursor_line == 5
        await bench.press("escape")
        assert bench.screen.source.cursor_line == 2
        assert bench.screen.source.search.marked is None


@pytest.mark.full
async def test_nothing_typed_means_the_last_search(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await search_in(bench, tmp_path)
        await bench.press("/", *"alpha", "enter", "/")
        assert "'alpha' again" in prompt(bench)
        await bench.press("enter")
        assert bench.screen.source.cursor_line == 3


@pytest.mark.full
async def test_capitals_make_their_case_count(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await search_in(bench, tmp_path)
        await bench.press("/", *"Al")
        assert bench.screen.source.cursor_line == 3


@pytest.mark.full
async def test_what_is_not_there_is_said_and_the_cursor_stays(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await search_in(bench, tmp_path)
        await bench.press("/", *"alphabet")
        assert "'alphabet' was not found" in prompt(bench)
        assert bench.screen.source.cursor_line == 1
        await bench.press("enter")
        assert not isinstance(bench.app.screen, PromptDialog)
        assert "'alphabet' was not found" in bench.status
        assert bench.screen.source.cursor_line == 1


@pytest.mark.full
async def test_no_pattern_and_no_markup(tmp_path: Path) -> None:
    (tmp_path / "text.py").write_text("abc\na.c\n[b]x[/b]\n")
    async with debugger(tmp_path) as bench:
        await bench.press_and_wait("ctrl+o", *"text.py", "enter")
        await bench.press("/", *"a.c")
        assert bench.screen.source.cursor_line == 2
        await bench.press("escape", "/", *"[b]x[/")
        assert bench.screen.source.cursor_line == 3
        assert "[b]x[/" in prompt(bench)


@pytest.mark.full
async def test_the_next_and_the_previous_match_without_the_prompt(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await search_in(bench, tmp_path)
        await bench.press("f3")
        assert "no search yet" in bench.status
        await bench.press("/", *"alpha", "enter")
        for key, line in (("f3", 3), ("f3", 4), ("f3", 1), ("shift+f3", 4), ("shift+f3", 3)):
            await bench.press(key)
            assert bench.screen.source.cursor_line == line, key
        await bench.press("/", *"zeta", "enter", "f3")
        assert "'zeta' was not found" in bench.status


@pytest.mark.full
async def test_escape_takes_the_marks_of_a_search_away(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await search_in(bench, tmp_path)
        await bench.press("/", *"beta", "enter")
        assert bench.screen.source.search.marked is not None
        await bench.press("escape")
        assert bench.screen.source.search.marked is None


# Lines


@pytest.mark.full
async def test_a_line_is_gone_to(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        for typed, line in (("12", 12), (" 7 ", 7), ("", 7), ("0", 1), ("9" * 30, 40)):
            await bench.press("g", *typed, "enter")
            assert not isinstance(bench.app.screen, PromptDialog)
            assert bench.screen.source.cursor_line == line, typed


@pytest.mark.full
async def test_what_is_no_line_is_refused(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        for typed in ("abc", "-3", "1.5", "²", "1 2", "[b]"):
            await bench.press("g", *typed, "enter")
            assert isinstance(bench.app.screen, PromptDialog)
            assert prompt(bench).endswith("a number, please"), typed
            await bench.press("escape")
            assert bench.screen.source.cursor_line == 1


@pytest.mark.full
async def test_what_is_typed_ahead_is_done_in_its_turn(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.press_and_wait("g", *"13", "backspace", "2", "enter", "down", "b")
        assert [b.line for b in bench.session.breakpoints.registry] == [13]
        await bench.press_and_wait("/", *"i = 2", "enter", "escape", "b", "g", *"5", "enter")
        assert [b.line for b in bench.session.breakpoints.registry] == [13, 20]
        assert bench.screen.source.cursor_line == 5


# Files


@pytest.mark.full
async def test_another_file_is_opened_and_has_the_focus(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("first\nsecond\n")
    async with debugger(tmp_path) as bench:
        await bench.press("3", "ctrl+o", *"other.py", "enter")
        assert "other.py" in shown_text(bench.screen.source_title)
        assert bench.screen.focused_pane == "source"
        assert "▶" not in shown_text(bench.screen.source)
        await bench.press_and_wait(".")
        assert "parcels.py" in shown_text(bench.screen.source_title)
        assert "▶" in bench.source_row


async def test_a_file_of_the_program_opened_by_another_spelling_is_the_same(
    tmp_path: Path,
) -> None:
    (tmp_path / "lib").mkdir()
    async with debugger(tmp_path) as bench:
        await bench.press_and_wait("ctrl+o", *"lib/../parcels.py", "enter")
        assert bench.screen.view.document is not None
        assert bench.screen.view.document.key == str(tmp_path / "parcels.py")


async def test_a_link_keeps_the_name_that_the_program_has(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    script = counting(real)
    spelled = str(link / "count.py")
    for each in script.program["moments"]:
        each["frames"][0]["path"] = spelled
    script.program["code_lines"] = {spelled: list(range(1, 41))}
    async with debugger(tmp_path, script) as bench:
        await bench.press_and_wait("ctrl+o", *"link/count.py", "enter")
        assert bench.screen.view.document is not None
        assert bench.screen.view.document.key == spelled
        assert "▶" in bench.source_row


@pytest.mark.full
async def test_what_can_not_be_shown_says_why(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    async with debugger(tmp_path) as bench:
        for typed, why in (
            ("nowhere.py", "There is no file"),
            (".", "is a directory"),
            ("pipe", "is not a regular file"),
            ("~nobody-has-this-name/x.py", "nobody-has-this-name"),
        ):
            await bench.press("ctrl+o", *typed, "enter")
            assert why in bench.status
            assert "parcels.py" in shown_text(bench.screen.source_title)
            assert "▶" in bench.source_row


@pytest.mark.full
async def test_a_binary_file_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(bytes(range(256)) * 20)
    async with debugger(tmp_path) as bench:
        await bench.press_and_wait("ctrl+o", *"data.bin", "enter")
        shown = "\n".join(screen_rows(bench.app))
        assert "data.bin" in shown
        assert all(character.isprintable() or character == "\n" for character in shown)


@pytest.mark.full
async def test_nothing_typed_opens_nothing(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("ctrl+o", "enter")
        await bench.press("ctrl+o", "space", "enter")
        await bench.press("ctrl+o", *"x.py", "escape")
        assert "parcels.py" in shown_text(bench.screen.source_title)
        assert "There is no file" not in bench.status


@pytest.mark.full
async def test_each_file_keeps_its_place(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("x\n" * 100)
    async with debugger(tmp_path, counting(tmp_path, 100)) as bench:
        await bench.press("g", *"70", "enter")
        await bench.press("ctrl+o", *"other.py", "enter")
        await bench.press("g", *"33", "enter")
        await bench.press("ctrl+o", *"count.py", "enter")
        assert bench.screen.source.cursor_line == 70
        await bench.press("ctrl+o", *"other.py", "enter")
        assert bench.screen.source.cursor_line == 33


# Changes on disk


@pytest.mark.full
async def test_a_file_that_changes_is_shown_as_it_runs_until_the_restart(tmp_path: Path) -> None:
    path = tmp_path / "count.py"
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.session.breakpoints.set(str(path), 25, origin="tui")
        await bench.press_and_wait("g", *"30", "enter")
        path.write_text("changed = True\n" * 35)
        await bench.screen.view.check_document()
        await bench.settled()
        assert "i = 30" in shown_text(bench.screen.source)
        assert bench.screen.source.cursor_line == 30
        assert bench.gutter(25) == "●"
        assert "still runs the older code, which is shown (R restarts it)" in bench.status
        assert "has changed on disk" in bench.under_test.output("important")
        await bench.go("n")
        assert "older code" in shown_text(bench.screen.source_title)
        await bench.session.lifecycle.restart()
        await bench.screen.view.check_document()
        await bench.settled()
        assert "changed = True" in shown_text(bench.screen.source)
        assert "older code" not in shown_text(bench.screen.source_title)


async def test_a_file_that_the_program_loads_again_is_shown_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "count.py"
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.session.breakpoints.set(str(path), 25, origin="tui")
        path.write_text("changed = True\n" * 35)
        await bench.screen.view.check_document()
        await bench.settled()
        assert "older code" in shown_text(bench.screen.source_title)
        bench.session.probe.take(ProbeReport(pid=1, reloaded=(str(path),)))
        await bench.until(lambda: not bench.session.running_sources.is_older(str(path)))
        await bench.screen.view.check_document()
        await bench.settled()
        assert "changed = True" in shown_text(bench.screen.source)
        assert "older code" not in shown_text(bench.screen.source_title)


async def test_a_refused_one_is_asked_for_again_when_the_file_changes(tmp_path: Path) -> None:
    path = tmp_path / "count.py"
    async with debugger(tmp_path, counting(tmp_path), start=False) as bench:
        bench.under_test.profile.code_lines[str(path)] = (1, 2, 3)
        await bench.session.breakpoints.set(str(path), 5, origin="tui")
        await bench.under_test.start()
        assert bench.breakpoint_status(5) == "refused"
        path.write_text("changed = True\n" * 40)
        bench.under_test.profile.code_lines[str(path)] = tuple(range(1, 41))
        await bench.session.lifecycle.restart()
        await bench.screen.view.check_document()
        await bench.settled()
        assert bench.breakpoint_status(5) == "set"
        assert bench.gutter(5) == "●"


async def test_a_shorter_file_leaves_the_cursor_on_its_last_line(tmp_path: Path) -> None:
    path = tmp_path / "other.py"
    path.write_text("x = 1\n" * 40)
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.press("ctrl+o", *"other.py", "enter")
        await bench.press("end")
        path.write_text("x = 1\n" * 3)
        await bench.screen.view.check_document()
        assert bench.screen.source.cursor_line == 3
        path.write_text("")
        await bench.screen.view.check_document()
        await bench.settled()
        assert "(empty file)" in shown_text(bench.screen.source)


async def test_a_file_that_is_gone_stays_as_it_was_read(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        (tmp_path / "count.py").unlink()
        await bench.screen.view.check_document()
        assert "i = 5" in shown_text(bench.screen.source)
        await bench.go("n")
        assert "▶" in bench.source_row


async def test_a_file_that_became_a_folder_says_so_once_it_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "count.py"
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        path.unlink()
        path.mkdir()
        await bench.screen.view.check_document()
        assert "is a directory" in bench.status
        assert "i = 5" in shown_text(bench.screen.source)


async def test_libraries_are_passed_over_or_not_by_key(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        sources = bench.session.sources
        for on in (False, True):
            await bench.press("J")
            assert sources.just_my_code is on
        await bench.press("L")
        assert "this is no library" in bench.status
        assert not sources.rules
