"""Stack, threads and variables on the debugger's screen: where the person looks, and what stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_program import Json
from tests.support.fakes import Script, rule
from tests.support.recording import frame, moment, program
from tests.support.screens import Debugger, debugger, shown_rows, shown_text
from tuidbg.session.model.state import Status


def write(folder: Path, name: str = "calls.py", lines: int = 60) -> str:
    path = folder / name
    path.write_text("".join(f"line_{n} = {n}\n" for n in range(1, lines + 1)), encoding="utf-8")
    return str(path)


def script_of(moments: list[Json], **more: Any) -> Script:
    return Script(program(moments, **more))


def deep(path: str, depth: int, line: int) -> Json:
    """A recursion of ``depth`` frames, the top one at ``line``; ``n`` grows towards the top."""
    frames = [
        frame("fall", path, line if n == depth else 10 + n % 40, n=n) for n in range(depth, 0, -1)
    ]
    return {"frames": frames}


async def rows_of(bench: Debugger, pane: str) -> list[str]:
    await bench.settled()
    return [row for row in shown_rows(bench.screen.body.panes[pane]) if row]


# Frames


@pytest.mark.full
async def test_enter_and_click_look_at_a_frame(tmp_path: Path) -> None:
    inner, outer = write(tmp_path, "inner.py"), write(tmp_path, "outer.py")
    moments = [{"frames": [frame("bake", inner, 5, heat=180), frame("main", outer, 30, n=1)]}]
    async with debugger(tmp_path, script_of(moments)) as bench:
        assert await rows_of(bench, "stack") == ["▶ bake  inner.py:5", "  main  outer.py:30"]
        await bench.press_and_wait("3", "down", "enter")
        assert await rows_of(bench, "stack") == ["▶ bake  inner.py:5", "▷ main  outer.py:30"]
        assert "outer.py" in shown_text(bench.screen.source_title)
        assert (bench.screen.source.cursor_line, bench.source_row[:6]) == (30, "  30 ▷")
        assert "outer.py:30 main" in bench.status
        assert "    n = 1" in await rows_of(bench, "variables")
        await bench.click(bench.screen.stack, 4, 0)
        await bench.settled()
        assert (bench.screen.source.cursor_line, bench.source_row[:6]) == (5, "   5 ▶")
        assert "    heat = 180" in await rows_of(bench, "variables")
        assert bench.session.status is Status.PAUSED


async def test_both_lines_are_marked_where_the_frames_share_a_file(tmp_path: Path) -> None:
    path = write(tmp_path)
    moments = [{"frames": [frame("inner", path, 5), frame("outer", path, 8)]}]
    async with debugger(tmp_path, script_of(moments)) as bench:
        await bench.press_and_wait("3", "down", "enter")
        rows = shown_rows(bench.screen.source)
        assert (rows[4][:6], rows[7][:6]) == ("   5 ▶", "   8 ▷")


@pytest.mark.full
async def test_a_step_goes_back_to_the_top_frame(tmp_path: Path) -> None:
    path = write(tmp_path)
    moments = [
        {"frames": [frame("inner", path, line), frame("outer", path, 30)]} for line in (5, 6)
    ]
    async with debugger(tmp_path, script_of(moments)) as bench:
        await bench.press_and_wait("3", "down", "enter")
        await bench.go("n")
        assert bench.source_row[:6] == "   6 ▶"
        assert bench.screen.view.selected == 0
        assert "▷" not in shown_text(bench.screen.source)


async def test_the_current_line_can_be_brought_back(tmp_path: Path) -> None:
    path = write(tmp_path, lines=300)
    async with debugger(tmp_path, script_of([moment(path, 5)])) as bench:
        await bench.press("end")
        assert bench.screen.source.cursor_line == 300
        await bench.press_and_wait(".")
        assert bench.source_row[:7] == "    5 ▶"


async def test_a_frame_without_a_source_says_so(tmp_path: Path) -> None:
    path = write(tmp_path)
    inner = {"frames": [frame("<frozen>", "", 0, x=1), frame("main", path, 3)]}
    async with debugger(tmp_path, script_of([inner]), target=path) as bench:
        assert "No source for <frozen>" in bench.status
        assert await rows_of(bench, "stack") == ["▶ <frozen>  no source", "  main  calls.py:3"]
        assert "    x = 1" in await rows_of(bench, "variables")


@pytest.mark.full
async def test_a_source_that_only_the_adapter_has(tmp_path: Path) -> None:
    path = write(tmp_path)
    generated = {**frame("<lambda>", "<generated>", 2), "reference": 1}
    moments = [{"frames": [generated, frame("main", path, 3)]}]
    script = script_of(moments, sources={"1": "first\nsecond\nthird\n"})
    async with debugger(tmp_path, script, target=path) as bench:
        assert "<generated>" in shown_text(bench.screen.source_title)
        assert bench.source_row == "   2 ▶ second"
        await bench.press_and_wait("3", "down", "enter", "up", "enter")
        assert bench.source_row == "   2 ▶ second"
        assert bench.fake.count("source") == 1


async def test_a_source_that_the_adapter_has_not_either(tmp_path: Path) -> None:
    path = write(tmp_path)
    generated = {**frame("<lambda>", "<generated>", 2), "reference": 9}
    script = script_of([{"frames": [generated, frame("main", path, 3)]}])
    async with debugger(tmp_path, script, target=path) as bench:
        assert "there is no such source" in bench.status


# More frames than are fetched at first


@pytest.mark.full
async def test_the_frames_that_are_missing_come_on_demand(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with debugger(tmp_path, script_of([deep(path, 50, 5)])) as bench:
        rows = bench.screen.stack.rows
        assert len(rows) == 21
        await bench.press("3", "end")
        assert shown_rows(bench.screen.stack)[-1] == "  … 30 more frames (Enter shows them)"
        await bench.press_and_wait("enter")
        assert len(bench.screen.stack.rows) == 50
        assert bench.screen.stack.cursor_key == ("frame", 20)
        await bench.press_and_wait("end", "enter")
        assert "    n = 1" in await rows_of(bench, "variables")
        assert bench.screen.view.selected == 49


@pytest.mark.full
async def test_a_recursion_marks_no_values_of_other_calls(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with debugger(tmp_path, script_of([deep(path, 3, 5), deep(path, 4, 5)])) as bench:
        await bench.go("s")
        assert await rows_of(bench, "variables") == ["▾ Locals", "    n = 4", "  Globals"]
        await bench.press_and_wait("3", "down", "enter")
        assert "    n = 3" in await rows_of(bench, "variables")


# Threads


def threads(path: str, **more: Any) -> Script:
    main = [moment(path, line, i=line) for line in (3, 4, 5)]
    worker = [frame("work", path, 40, job=7), frame("run", path, 50)]
    return script_of(
        main,
        threads=[[1, "MainThread"], [2, "worker"]],
        other_stacks={"2": worker},
        **more,
    )


@pytest.mark.full
async def test_another_thread_can_be_looked_at(tmp_path: Path) -> None:
    async with debugger(tmp_path, threads(write(tmp_path))) as bench:
        assert await rows_of(bench, "stack") == [
            "▾ MainThread  stopped: entry",
            "  ▶ main  calls.py:3",
            "▸ worker  paused",
        ]
        assert bench.status.endswith("MainThread")
        await bench.press_and_wait("3", "end", "enter")
        assert await rows_of(bench, "stack") == [
            "▸ MainThread  stopped: entry",
            "▾ worker  paused",
            "  ▶ work  calls.py:40",
            "    run  calls.py:50",
        ]
        assert bench.status.endswith("worker")
        assert bench.screen.source.cursor_line == 40
        assert "    job = 7" in await rows_of(bench, "variables")
        await bench.click(bench.screen.stack, 3, 0)
        assert (await rows_of(bench, "stack"))[1] == "  ▶ main  calls.py:3"


@pytest.mark.full
async def test_a_step_is_for_the_thread_that_is_looked_at(tmp_path: Path) -> None:
    async with debugger(tmp_path, threads(write(tmp_path))) as bench:
        await bench.go("n")
        assert bench.fake.arguments_of("next")[-1]["threadId"] == 1
        await bench.press_and_wait("3", "end", "enter")
        await bench.go("n")
        assert bench.fake.arguments_of("next")[-1]["threadId"] == 2


async def test_a_thread_that_can_not_be_looked_at_says_why(tmp_path: Path) -> None:
    async with debugger(tmp_path, threads(write(tmp_path))) as bench:
        await bench.fake.add_rule("stackTrace", "fail", nth=1, message="it has just ended")
        await bench.press_and_wait("3", "end", "enter")
        assert "it has just ended" in bench.status
        assert (await rows_of(bench, "stack"))[1] == "  ▶ main  calls.py:3"


# Variables


def with_object(path: str, lines: tuple[int, ...] = (3, 4, 5)) -> Script:
    moments = [moment(path, n, i=n, things=[n, {"deep": [n]}], same="x") for n in lines]
    return script_of(moments, globals={"VERSION": {"value": "'1.0'", "type": "str"}})


@pytest.mark.full
async def test_variables_are_opened_by_enter_arrow_and_click(tmp_path: Path) -> None:
    async with debugger(tmp_path, with_object(write(tmp_path))) as bench:
        await bench.press("2", "down", "down", "enter")
        assert "      0 = 3" in await rows_of(bench, "variables")
        await bench.press("down", "down", "right")
        assert "      ▾ 1 = {'deep': [3]}" in "  " + "\n  ".join(await rows_of(bench, "variables"))
        row = next(
            n for n, text in enumerate(shown_rows(bench.screen.variables)) if "'deep'" in text[:16]
        )
        await bench.click(bench.screen.variables, 10, row)
        assert any(text.strip() == "0 = 3" for text in (await rows_of(bench, "variables"))[row:])


async def test_globals_are_fetched_only_when_they_are_opened(tmp_path: Path) -> None:
    async with debugger(tmp_path, with_object(write(tmp_path))) as bench:
        asked = bench.fake.count("variables")
        assert asked == 1
        await bench.press("2", "end", "enter")
        assert "    VERSION = '1.0'" in await rows_of(bench, "variables")
        assert bench.fake.count("variables") == asked + 1


@pytest.mark.full
async def test_what_is_open_stays_open_and_is_fetched_again_at_each_step(tmp_path: Path) -> None:
    async with debugger(tmp_path, with_object(write(tmp_path))) as bench:
        await bench.press_and_wait("2", "down", "down", "enter")
        await bench.press_and_wait("down", "down", "enter")
        await bench.press_and_wait("down", "enter")
        place = bench.screen.variables.cursor_key
        await bench.go("n")
        assert await rows_of(bench, "variables") == [
            "▾ Locals",
            "   *i = 4",
            "  ▾*things = [4, {'deep': [4]}]",
            "     *0 = 4",
            "    ▾*1 = {'deep': [4]}",
            "      ▾*'deep' = [4]",
            "         *0 = 4",
            "    same = 'x'",
            "▸ Globals",
        ]
        assert bench.screen.variables.cursor_key == place


@pytest.mark.full
async def test_they_stay_over_a_step_that_takes_a_while(tmp_path: Path) -> None:
    async with debugger(tmp_path, with_object(write(tmp_path))) as bench:
        await bench.press_and_wait("2", "down", "down", "enter", "down")
        place = bench.screen.variables.cursor_key
        await bench.fake.add_rule("next", "hold", nth=1)
        await bench.press("n")
        await bench.until(lambda: "program is running" in shown_text(bench.screen.variables))
        await bench.fake.release("next")
        await bench.until(lambda: bench.session.status is Status.PAUSED)
        assert "     *0 = 4" in await rows_of(bench, "variables")
        assert bench.screen.variables.cursor_key == place


@pytest.mark.full
async def test_a_fast_step_shows_nothing_in_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with debugger(tmp_path, with_object(write(tmp_path))) as bench:
        shown: list[str] = []
        monkeypatch.setattr(bench.screen.variables, "show_nothing", shown.append)
        await bench.go("n")
        assert shown == []


async def test_variables_that_can_not_be_had_say_why(tmp_path: Path) -> None:
    path = write(tmp_path)
    script = with_object(path)
    script.rules.append(rule("scopes", "fail", message="the frame [red]is gone[/red]"))
    async with debugger(tmp_path, script, start=False) as bench:
        await bench.under_test.start()
        await bench.until(lambda: "is gone" in shown_text(bench.screen.variables))
        assert "the frame [red]is gone[/red]" in shown_text(bench.screen.variables)


@pytest.mark.full
async def test_children_that_can_not_be_had_say_why(tmp_path: Path) -> None:
    async with debugger(tmp_path, with_object(write(tmp_path))) as bench:
        await bench.fake.add_rule("variables", "fail", nth=1, message="too large")
        await bench.press_and_wait("2", "down", "down", "enter")
        assert "too large" in bench.status


@pytest.mark.full
async def test_an_answer_of_the_last_stop_is_dropped(tmp_path: Path) -> None:
    async with debugger(tmp_path, with_object(write(tmp_path))) as bench:
        await bench.fake.add_rule("scopes", "hold", nth=1)
        await bench.press("n")
        await bench.fake.until_request("scopes", 2)
        before = bench.session.stop_id
        await bench.press("n")
        await bench.until(lambda: bench.session.stop_id > before)
        await bench.fake.release("scopes")
        assert "   *i = 5" in await rows_of(bench, "variables")


async def test_text_of_the_program_is_no_markup_anywhere(tmp_path: Path) -> None:
    folder = tmp_path / "[red]"
    folder.mkdir()
    path = str(folder / "[b]x[b].py")
    Path(path).write_text("x = '[link=a]b[/link]'\n" * 9)
    moments = [{"frames": [frame("[blink]f", path, 3, **{"[i]": "[/i]\x1b[31m"})]}]
    async with debugger(tmp_path, script_of(moments)) as bench:
        assert await rows_of(bench, "stack") == ["▶ [blink]f  [b]x[b].py:3"]
        assert "    [i] = '[/i]\\x1b[31m'" in await rows_of(bench, "variables")
        assert "[b]x[b].py:3 [blink]f" in bench.status
        assert "[red]/[b]x[b].py" in shown_text(bench.screen.source_title)
        assert "x = '[link=a]b[/link]'" in bench.source_row
