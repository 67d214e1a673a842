"""The console on the debugger's screen: evaluation in the selected frame, the program's stdin."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.support.fakes import CAPABILITIES, Script, rule
from tests.support.recording import busy, frame, program
from tests.support.screens import Debugger, counting, debugger, shown_rows, shown_text
from tuidbg.config.stores.console_history import ConsoleHistory
from tuidbg.session.model.state import Status
from tuidbg.tui.panes.console.console_input import ConsolePopup
from tuidbg.tui.panes.console.console_pane import ConsoleInput


def two_frames(folder: Path) -> Script:
    path = folder / "two.py"
    path.write_text("x = 1\n" * 30)
    frames = [frame("inner", str(path), 5, x=1, things=[1, 2]), frame("outer", str(path), 9, x=2)]
    return Script(program([{"frames": frames}, {"frames": frames}]))


async def evaluate(bench: Debugger, text: str) -> None:
    await bench.press(":", *text, "enter")
    await bench.settled()


ENDED = "· The program has ended with exit code 0."


def console_rows(bench: Debugger) -> list[str]:
    """The lines of the console, without its input line."""
    return [row for row in shown_rows(bench.screen.console)[:-1] if row]


def said(bench: Debugger) -> list[tuple[str, str]]:
    return [(line.category, line.text) for line in bench.session.output]


def mode(bench: Debugger) -> str:
    """Returns what Enter in the input line does."""
    return bench.screen.console.mode


# Evaluating


@pytest.mark.full
async def test_an_expression_is_evaluated_and_the_keys_are_back_where_they_were(
    tmp_path: Path,
) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await evaluate(bench, "x + 1")
        assert said(bench) == [("input", "x + 1"), ("result", "2")]
        assert console_rows(bench) == ["› x + 1", "= 2"]
        line = bench.screen.query_one(ConsoleInput)
        assert (line.value, bench.screen.focused) == ("", bench.screen.source)


@pytest.mark.full
async def test_what_is_typed_behind_an_expression_is_for_where_the_keys_go_back_to(
    tmp_path: Path,
) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.press("4", ":", *"x", "enter", "1", "down", "b")
        await bench.until(lambda: len(said(bench)) == 2)
        assert bench.screen.focused is bench.screen.source
        await bench.until(lambda: bench.gutter(6) != " ")
        assert bench.screen.query_one(ConsoleInput).value == ""


@pytest.mark.full
async def test_several_are_evaluated_in_a_row_from_the_consoles_own_line(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.press("5", "enter", *"x", "enter", *"x+1", "enter")
        await bench.until(lambda: len(said(bench)) == 4)
        assert bench.screen.console.line.has_focus
        await bench.press("escape")
        assert bench.screen.console.results.has_focus


@pytest.mark.full
@pytest.mark.parametrize(("pane", "back"), [("2", "variables"), ("1", "source")])
async def test_escape_leads_back_where_one_was_on_a_small_screen_too(
    tmp_path: Path, pane: str, back: str
) -> None:
    async with debugger(tmp_path, two_frames(tmp_path), size=(80, 24)) as bench:
        await bench.press(pane, ":", "escape")
        assert bench.screen.focused is bench.screen.body.panes[back]
        assert bench.screen.body.panes[back].display


@pytest.mark.full
async def test_an_answer_stays_in_sight_on_a_small_screen(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path), size=(80, 24)) as bench:
        await bench.press("2")
        await evaluate(bench, "x")
        assert bench.screen.console.display
        assert bench.screen.focused is bench.screen.console.results


@pytest.mark.full
async def test_it_is_evaluated_in_the_frame_that_is_looked_at(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.press_and_wait("3", "down", "enter")
        await evaluate(bench, "x")
        assert said(bench)[-1] == ("result", "2")


@pytest.mark.full
async def test_the_answer_is_in_sight_wherever_the_lines_were_scrolled_to(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        bench.session.output.add("terminal", "line\n" * 100)
        bench.screen.console.output_changed()
        await bench.settled()
        bench.screen.console.results.action_scroll_home()
        await bench.until(lambda: not bench.screen.console.results.following, "it stays there")
        await evaluate(bench, "x + 1")
        await bench.until(lambda: console_rows(bench)[-2:] == ["› x + 1", "= 2"], "the answer")


@pytest.mark.full
async def test_a_statement_changes_the_variables(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await evaluate(bench, "y = x + 41")
        assert said(bench) == [("input", "y = x + 41")]
        assert "    y = 42" in shown_rows(bench.screen.variables) or (
            "   *y = 42" in shown_rows(bench.screen.variables)
        )


@pytest.mark.full
async def test_an_error_is_told_as_python_has_it(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await evaluate(bench, "nope")
        assert said(bench)[-1] == ("error", "NameError: name 'nope' is not defined")
        await bench.press("escape")
        await evaluate(bench, "[red])")
        await bench.until(lambda: console_rows(bench)[-1].startswith("✗ SyntaxError"))
        assert "› [red])" in console_rows(bench)


@pytest.mark.full
async def test_nothing_typed_evaluates_nothing(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.press(":", "enter", "space", "enter")
        assert said(bench) == []
        assert bench.fake.count("evaluate") == 0


@pytest.mark.full
async def test_evaluations_are_answered_in_their_order(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.press("5", "enter", *"x", "enter", *"things", "enter", *"x+5", "enter")
        await bench.until(lambda: len(said(bench)) == 6)
        assert [text for kind, text in said(bench)] == ["x", "1", "things", "[1, 2]", "x+5", "6"]


@pytest.mark.full
async def test_a_slow_one_is_shown_and_keeps_no_key_waiting(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.fake.add_rule("evaluate", "hold")
        await bench.press(":", *"x", "enter")
        await bench.fake.until_request("evaluate")
        assert bench.screen.console.is_busy
        await bench.press("down", "b")
        assert bench.screen.source.cursor_line == 6
        await bench.fake.release("evaluate")
        await bench.settled()
        assert said(bench)[-1] == ("result", "1")
        assert not bench.screen.console.is_busy


@pytest.mark.full
async def test_a_slow_one_need_not_be_waited_for(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.fake.add_rule("evaluate", "hold", nth=1)
        await bench.press(":", *"x", "enter")
        await bench.fake.until_request("evaluate")
        await bench.press("ctrl+c")
        await bench.until(lambda: not bench.screen.console.is_busy)
        assert said(bench)[-1] == (
            "error",
            "not waited for any more; this debug adapter can't interrupt it:"
            " it may go on in the program",
        )
        await bench.press(":", *"x + 1", "enter")
        await bench.until(lambda: said(bench)[-1] == ("result", "2"))
        await bench.fake.release("evaluate")
        await bench.settled()
        assert said(bench)[-1] == ("result", "2")


@pytest.mark.full
async def test_an_answer_after_the_program_went_on_is_an_error_line(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.fake.add_rule("evaluate", "hold")
        await bench.press(":", *"x", "enter")
        await bench.fake.until_request("evaluate")
        await bench.press("n")
        await bench.until(lambda: bench.session.stop_id == 2)
        await bench.fake.release("evaluate")
        await bench.settled()
        assert said(bench)[-1] == ("error", "no result: the program went on meanwhile")
        assert not bench.screen.console.is_busy


@pytest.mark.full
async def test_while_the_program_runs_the_key_says_why_not(tmp_path: Path) -> None:
    script = counting(tmp_path)
    path = script.program["moments"][0]["frames"][0]["path"]
    script.program["moments"].insert(1, busy(path, 1))
    async with debugger(tmp_path, script) as bench:
        await bench.press("c")
        await bench.until(lambda: bench.session.status is Status.RUNNING)
        await bench.press(":")
        assert "Evaluate an expression: the program is running" in bench.status
        assert not isinstance(bench.screen.focused, Input)
        # Ctrl+T leads there all the same; the answer says what is wrong.
        await bench.press("5", "i", "ctrl+t", *"x", "enter")
        await bench.until(lambda: said(bench)[-1:] and said(bench)[-1][0] == "error")
        assert "while the program runs; pause it first" in said(bench)[-1][1]
        assert bench.fake.count("evaluate") == 0


@pytest.mark.full
async def test_what_was_evaluated_comes_back_with_up(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await evaluate(bench, "x")
        await evaluate(bench, "things")
        await bench.press(":", "up", "up")
        assert bench.screen.query_one(ConsoleInput).value == "x"


@pytest.mark.full
async def test_keys_type_in_the_line_and_escape_leaves_it(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.press(":", *"nq1?/", "escape")
        assert bench.screen.query_one(ConsoleInput).value == "nq1?/"
        assert bench.screen.focused_pane == "source"
        assert bench.fake.count("next") == 0
        for key, pane in (("tab", "source"), ("shift+tab", "breakpoints")):
            bench.screen.query_one(ConsoleInput).value = ""
            await bench.press(":", key)
            assert bench.screen.focused_pane == pane


@pytest.mark.full
async def test_a_block_is_typed_and_sent(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.press(":", *"if x:", "enter", *"y = 8", "enter", "enter", ":", "y", "enter")
        await bench.settled()
        assert said(bench) == [
            ("input", "if x:"),
            ("input", "    y = 8"),
            ("input", "y"),
            ("result", "8"),
        ]


async def test_what_this_adapter_can_not_tell(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await evaluate(bench, "x?")
        assert said(bench)[-1] == ("error", "this debug adapter has no help on objects")


@pytest.mark.full
async def test_control_c_elsewhere_stops_an_evaluation_too(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.fake.add_rule("evaluate", "hold")
        await bench.press(":", *"x", "enter")
        await bench.fake.until_request("evaluate")
        await bench.press("ctrl+c")
        await bench.until(lambda: not bench.screen.console.is_busy)
        assert bench.session.status is Status.PAUSED


# Results that are opened


async def test_a_result_is_opened_like_a_variable(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await evaluate(bench, "things")
        await bench.press("escape")
        await evaluate(bench, "[things, [3, [4]]]")
        await bench.press("escape")
        await bench.press_and_wait("5", "space")
        assert console_rows(bench)[-3:] == [
            "▾ [[1, 2], [3, [4]]]",
            "  ▸ 0 = [1, 2]",
            "  ▸ 1 = [3, [4]]",
        ]
        await bench.press_and_wait("down", "down", "space")
        assert console_rows(bench)[-1] == "    ▸ 1 = [4]"
        await bench.go("n")
        await bench.press("down", "down")
        await bench.press_and_wait("space")
        assert "the program went on since" in bench.status
        assert console_rows(bench)[-1] == "    ▸ 1 = [4]"


# Names, and what was typed before


def completing(folder: Path, *labels: str) -> Script:
    script = two_frames(folder)
    script.capabilities = {**CAPABILITIES, "supportsCompletionsRequest": True}
    body = {"targets": [{"label": label} for label in labels]}
    script.rules = [rule("completions", "body", body=body)]
    return script


async def test_names_come_from_the_adapter(tmp_path: Path) -> None:
    async with debugger(tmp_path, completing(tmp_path, "alpha", "alpine", "zoo")) as bench:
        await bench.press(":", *"alp")
        await bench.press_and_wait("tab")
        popup = bench.screen.query_one(ConsolePopup)
        assert popup.items == ("alpha", "alpine")
        assert bench.fake.arguments_of("completions") == [
            {"frameId": bench.screen.view.frames[0].id, "text": "alp", "column": 4}
        ]
        await bench.press("tab", "enter")
        assert bench.screen.query_one(ConsoleInput).value == "alpine"
        await bench.press("ctrl+u", *"a.al")
        await bench.press_and_wait("tab")
        await bench.press("escape")
        assert (popup.display, bench.screen.focused_pane) == (False, "console")
        await bench.press("escape")
        assert bench.screen.focused_pane == "source"


@pytest.mark.full
async def test_names_come_from_what_is_known_where_the_adapter_has_none(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.press(":", *"thi")
        await bench.press_and_wait("tab")
        assert bench.screen.query_one(ConsoleInput).value == "things"
        await bench.press("ctrl+u", *"whi")
        await bench.press_and_wait("tab")
        assert bench.screen.query_one(ConsoleInput).value == "while"
        await bench.press("ctrl+u", *"zzz")
        await bench.press_and_wait("tab")
        assert "no name to complete here" in bench.status
        assert bench.fake.count("completions") == 0


async def test_while_an_evaluation_runs_the_adapter_is_not_asked(tmp_path: Path) -> None:
    async with debugger(tmp_path, completing(tmp_path, "things")) as bench:
        await bench.fake.add_rule("evaluate", "hold")
        await bench.press("5", "enter", *"x", "enter", *"thi", "tab")
        await bench.until(lambda: bench.screen.query_one(ConsoleInput).value == "things")
        assert bench.fake.count("completions") == 0
        await bench.fake.release("evaluate")
        await bench.settled()


@pytest.mark.full
async def test_what_was_typed_is_there_in_the_next_run(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        bench.screen.prompting.history = ConsoleHistory(file)
        await evaluate(bench, "x + 1")
        await evaluate(bench, "x?")
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        bench.screen.prompting.history = ConsoleHistory(file)
        await bench.press_and_wait(":")
        await bench.press("up", "up")
        assert bench.screen.query_one(ConsoleInput).value == "x + 1"


# The program's stdin


@pytest.mark.full
async def test_one_key_switches_to_stdin_and_back(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.press("5", "i")
        assert mode(bench) == "stdin"
        assert "stdin> " in shown_text(bench.screen.console)
        await bench.press("ctrl+t")
        assert mode(bench) == "evaluate"
        await bench.press("escape", "5", "i", "escape", "5", "i")
        assert mode(bench) == "stdin"
        await bench.press("escape", ":")
        assert mode(bench) == "evaluate"


@pytest.mark.full
async def test_evaluate_leaves_the_stdin_mode(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await bench.press("5", "i", "escape", ":")
        await bench.until(lambda: mode(bench) == "evaluate", "the line evaluates")


async def test_a_program_without_a_stdin_says_so(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        for keys in (["5", "i", *"text", "enter"], ["ctrl+d"]):
            bench.screen.status.clear_hint()
            await bench.press(*keys)
            assert "the program takes no input now" in bench.status
        await bench.press("ctrl+c")
        assert "c lets it run, then ^C reaches it" in bench.status


@pytest.mark.full
async def test_after_the_end_the_key_says_why_not(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path, 2)) as bench:
        await bench.go("c")
        await bench.press("5", "i")
        assert "the program has ended" in bench.status


# The lines


@pytest.mark.full
async def test_the_programs_output_and_the_debuggers_words(tmp_path: Path) -> None:
    script = counting(tmp_path, 3)
    script.program["moments"][0]["output"] = [
        ["stdout", "\x1b[32mgreen\x1b[0m [b]x[/b]\nhalf"],
        ["stderr", "oh\n"],
    ]
    async with debugger(tmp_path, script) as bench:
        await bench.go("c")
        await bench.until(lambda: console_rows(bench)[-1:] == [ENDED])
        rows = console_rows(bench)
        assert rows[:2] == ["  green [b]x[/b]", "  half"]
        assert "│ oh" in rows


@pytest.mark.full
async def test_the_console_can_be_cleared(tmp_path: Path) -> None:
    async with debugger(tmp_path, two_frames(tmp_path)) as bench:
        await evaluate(bench, "x")
        await bench.press("escape", "ctrl+l")
        assert console_rows(bench) == []
