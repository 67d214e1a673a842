"""The debugger's screen through the life of a program: states, keys, death, restart, quit."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.support.fake_program import Json
from tests.support.fakes import Script, rule
from tests.support.recording import busy, moment, program
from tests.support.screens import Debugger, counting, debugger, screen_rows, send_keys, shown_text
from tuidbg.session.core import execution
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import Status
from tuidbg.tui.app.help.dialog import HelpDialog
from tuidbg.tui.app.help.page import PageDialog
from tuidbg.tui.app.keys.commands import COMMANDS, DEFAULT_MAP
from tuidbg.tui.app.palette import CommandsPalette
from tuidbg.tui.panes.console.console_pane import ConsoleInput
from tuidbg.tui.panes.view import status

RUNNING_COMMANDS = {*Resume, "pause", "evaluate"}
"""Requests that act on the program."""


def staying_busy(folder: Path, *, waiting: bool = False) -> Script:
    """A program that runs on from its first line until it is woken."""
    script = counting(folder)
    path = script.program["moments"][0]["frames"][0]["path"]
    script.program["moments"].insert(1, busy(path, 1, waiting=waiting))
    return script


async def let_run(bench: Debugger) -> None:
    await bench.press("c")
    await bench.until(lambda: " running " in bench.status, "the screen says that it runs")


def acted(bench: Debugger) -> list[str]:
    """Returns what the adapter was asked to do with the program."""
    return [r.command for r in bench.fake.requests if r.command in RUNNING_COMMANDS]


# The states


async def test_the_states_are_named(tmp_path: Path) -> None:
    script = staying_busy(tmp_path)
    script.rules.append(rule("launch", "hold"))
    async with debugger(tmp_path, script, start=False) as bench:
        assert " created  count.py" in bench.status
        bench.session.spawn(bench.session.lifecycle.start())
        await bench.until(lambda: bench.status.startswith(" starting  count.py"))
        assert "program is starting" in shown_text(bench.screen.stack)
        await bench.fake.until_request("launch")
        await bench.press("c")
        assert "Continue: the program is starting" in bench.status
        await bench.fake.release("launch")
        await bench.settled()
        assert "count.py:1 main  entry  MainThread" in bench.status, "no word of the start"
        await bench.press("p")
        assert "Pause: the program is paused already" in bench.status
        await let_run(bench)
        await bench.press("n")
        assert "while the program runs" in bench.status
        assert "program is running" in shown_text(bench.screen.variables)
        assert "▶" not in shown_text(bench.screen.source)
        await bench.fake.end_program(3)
        await bench.until(lambda: "exit code 3  R restarts it" in bench.status)
        assert bench.status.startswith(" terminated ")
        assert "program has ended" in shown_text(bench.screen.stack)


async def test_a_program_that_fails_names_the_key_of_what_it_wrote(tmp_path: Path) -> None:
    async with debugger(tmp_path, staying_busy(tmp_path), size=(60, 15)) as bench:
        await let_run(bench)
        await bench.fake.end_program(3)
        await bench.until(lambda: "exit code 3  R restarts it  5 shows the output" in bench.status)
        await bench.press("5")
        await bench.until(lambda: "5 shows the output" not in bench.status, "it is seen now")


async def test_a_step_that_does_not_come_back_is_told(tmp_path: Path) -> None:
    async with debugger(tmp_path, staying_busy(tmp_path)) as bench:
        await bench.press("n")
        await bench.until(lambda: "running  count.py  the step over goes on" in bench.status)
        await bench.fake.end_program(0)
        await bench.until(lambda: "exit code 0" in bench.status)
        assert "goes on" not in bench.status


async def test_an_exception_is_told_with_its_type_and_message(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.go("c")
        await bench.until(lambda: "KeyError: 'coach'" in bench.status)
        assert "parcels.py:29 send" in bench.status
        assert bench.source_row.startswith("  29 ▶")


async def test_the_end_by_a_signal_is_told_by_its_name(tmp_path: Path) -> None:
    async with debugger(tmp_path, staying_busy(tmp_path)) as bench:
        await let_run(bench)
        await bench.fake.end_program(137)
        await bench.until(lambda: "killed (SIGKILL)" in bench.status)


async def test_a_pause_stops_it(tmp_path: Path) -> None:
    async with debugger(tmp_path, staying_busy(tmp_path)) as bench:
        await let_run(bench)
        await bench.press("p")
        await bench.until(lambda: "pause" in bench.status and "paused" in bench.status)
        await bench.settled()


async def test_a_pause_that_has_to_wait_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status, "PAUSE_PATIENCE", 0.01)
    async with debugger(tmp_path, staying_busy(tmp_path, waiting=True)) as bench:
        await let_run(bench)
        await bench.press("p")
        await bench.until(lambda: "it waits until Python code runs" in bench.status)
        await bench.fake.wake()
        await bench.until(lambda: bench.status.startswith(" paused  count.py:1"))
        assert "it waits" not in bench.status


@pytest.mark.full
async def test_run_to_the_cursor_stops_there_and_leaves_nothing_behind(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.press("g", *"20", "enter")
        await bench.go("t")
        assert "count.py:20 main  reached the cursor" in bench.status
        assert list(bench.session.breakpoints.registry) == []
        await bench.until(
            lambda: bench.fake.arguments_of("setBreakpoints")[-1]["breakpoints"] == []
        )


async def test_run_to_a_line_that_can_not_stop_says_so(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("g", *"24", "enter", "t")
        await bench.settled()
        assert "can't run to line 24: no executable code at line 24" in bench.status
        assert acted(bench) == []


# Keys in each state


async def check_keys(bench: Debugger) -> None:
    """Every command that makes no sense now says why, and the adapter hears nothing of it."""
    before = acted(bench)
    for command in COMMANDS:
        why = DEFAULT_MAP.why_not(command, bench.session.status)
        typed_ahead = command.name in ("resume", "step_over", "step_into", "step_out")
        if why and command.keys and not typed_ahead:  # without keys: in the palette only
            await bench.press(command.keys[0])
            assert f"{command.title}: {why}" in bench.status
    assert acted(bench) == before


async def test_keys_that_make_no_sense_while_it_stands(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await check_keys(bench)
        assert bench.session.status is Status.PAUSED


@pytest.mark.full
async def test_keys_that_make_no_sense_while_it_runs(tmp_path: Path) -> None:
    async with debugger(tmp_path, staying_busy(tmp_path)) as bench:
        await let_run(bench)
        await check_keys(bench)


async def test_steps_while_it_runs_say_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "TYPE_AHEAD", 0.0)
    async with debugger(tmp_path, staying_busy(tmp_path)) as bench:
        await let_run(bench)
        for key in "cnso":
            bench.screen.status.clear_hint()
            await bench.press(key)
            await bench.until(lambda: "while the program runs" in bench.status)
        assert acted(bench) == ["continue"]


@pytest.mark.full
async def test_keys_that_make_no_sense_after_the_end(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path, 2)) as bench:
        await bench.go("c")
        before = acted(bench)
        for command in COMMANDS:
            why = DEFAULT_MAP.why_not(command, Status.TERMINATED)
            if why and command.keys:  # the others are in the palette only
                await bench.press(command.keys[0])
                assert f"{command.title}: {why}" in bench.status
        assert acted(bench) == before


async def test_the_bar_names_only_what_makes_sense(tmp_path: Path) -> None:
    def named(bench: Debugger) -> set[str]:
        return {each.word for each in bench.screen.keys.named}

    async with debugger(tmp_path, staying_busy(tmp_path)) as bench:
        assert {"continue", "over", "into", "out", "break", "evaluate"} <= named(bench)
        assert not {"pause", "send input", "autopsy"} & named(bench)
        await let_run(bench)
        assert {"pause", "send input", "break", "restart"} <= named(bench)
        assert not {"continue", "over", "into", "out", "to cursor", "evaluate"} & named(bench)
        await bench.fake.end_program(0)
        await bench.until(lambda: "exit code 0" in bench.status)
        assert named(bench) >= {"restart", "history", "break"}
        assert not {"continue", "pause", "evaluate"} & named(bench)


async def test_a_click_on_the_bar_gives_the_command(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        bar = bench.screen.keys
        await bench.click(bar, shown_text(bar).index("over"), 0)
        await bench.until(lambda: bench.session.stop_id == 2)
        await bench.settled()


async def test_a_hint_goes_with_the_next_key(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.press("p")
        assert "paused already" in bench.status
        await bench.press("escape")
        assert "paused already" not in bench.status


@pytest.mark.full
async def test_a_key_held_down_ends_where_it_should(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "TYPE_AHEAD", 60.0)
    async with debugger(tmp_path, counting(tmp_path, 100)) as bench:
        await bench.press(*["n"] * 60)
        await bench.until(lambda: bench.session.stop_id == 61)
        await bench.settled()
        assert "count.py:61 main" in bench.status
        assert bench.source_row.split()[:5] == ["61", "▶", "i", "=", "61"]
        assert "*i = 61" in shown_text(bench.screen.variables)
        assert acted(bench) == ["next"] * 60


async def test_a_key_held_down_over_a_breakpoint_stops_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "TYPE_AHEAD", 60.0)
    async with debugger(tmp_path, counting(tmp_path, 100)) as bench:
        await bench.session.breakpoints.set(str(tmp_path / "count.py"), 10, origin="tui")
        await bench.press(*["n"] * 40)
        await bench.until(lambda: "breakpoint 1" in bench.status)
        await bench.settled()
        assert "count.py:10 main" in bench.status


async def test_ctrl_c_pauses_and_never_quits(tmp_path: Path) -> None:
    async with debugger(tmp_path, staying_busy(tmp_path)) as bench:
        await bench.press("ctrl+c")
        assert "q quits tuidbg" in bench.status
        await let_run(bench)
        await bench.press("ctrl+c")
        await bench.until(lambda: bench.session.status is Status.PAUSED)
        await bench.settled()


# Death and restart


@pytest.mark.real
@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"signal": 9}, "SIGKILL"),
        ({"code": 3, "stderr": "Traceback: [red]boom[/red]\n"}, "boom"),
    ],
)
async def test_an_adapter_that_dies_is_told_and_restarted(
    how: Json, words: str, tmp_path: Path
) -> None:
    async with debugger(tmp_path, counting(tmp_path), process=True) as bench:
        await bench.session.breakpoints.set(
            str(tmp_path / "count.py"), 7, condition="i > 3", origin="tui"
        )
        await bench.fake.die(**how)
        await bench.until(lambda: bench.status.startswith(" failed "))
        await bench.settled()
        assert words in bench.session.failure
        assert "connection to the program was lost" in shown_text(bench.screen.stack)
        assert words in shown_text(bench.screen.console)
        await bench.press("n")
        assert "the connection to the program was lost; R restarts it" in bench.status
        await bench.press("b")
        assert bench.gutter(7) == "◇"
        await bench.press("R")
        await bench.until(lambda: bench.status.startswith(" paused "))
        await bench.settled()
        assert bench.gutter(7) == "◆"
        assert "R restarts" not in bench.status


async def test_an_adapter_that_says_rubbish_is_told_too(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.fake.send_raw(b"[bold]HTTP/1.1 200 OK\r\n\r\n")
        await bench.until(lambda: bench.status.startswith(" failed "))
        await bench.settled()
        await bench.press("R")
        await bench.until(lambda: bench.status.startswith(" paused "))
        await bench.settled()


async def test_a_start_that_fails_says_why_and_can_be_tried_again(tmp_path: Path) -> None:
    script = counting(tmp_path)
    script.rules.append(rule("launch", "fail", message="no such interpreter [red]x[/red]"))
    async with debugger(tmp_path, script, start=False) as bench:
        await bench.under_test.fails_to_start()
        await bench.until(lambda: "no such interpreter [red]x[/red]" in bench.status)
        assert bench.status.startswith(" failed ")
        script.rules.clear()
        await bench.press("R")
        await bench.until(lambda: bench.status.startswith(" paused "))
        await bench.settled()


@pytest.mark.full
async def test_a_restart_begins_anew(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        for _ in range(3):
            await bench.go("n")
        await bench.press("R")
        assert "R again: restarts the program" in bench.status
        await bench.press("R")
        await bench.until(lambda: "count.py:1 main  entry" in bench.status)
        await bench.settled()
        assert bench.fake.runs == 2
        assert "*" not in shown_text(bench.screen.variables)


async def test_restarts_in_a_row_end_in_one_run(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.press(*["R"] * 6)
        await bench.until(lambda: bench.status.startswith(" paused "))
        await bench.settled()
        assert bench.session.status is Status.PAUSED


# Quitting


async def paused(bench: Debugger) -> None:
    pass


async def ended(bench: Debugger) -> None:
    await bench.fake.end_program(0)
    await bench.until(lambda: bench.under_test.ended)


async def failed(bench: Debugger) -> None:
    await bench.fake.die(code=1)
    await bench.until(lambda: bench.under_test.ended)


async def stepping(bench: Debugger) -> None:
    await bench.fake.add_rule("next", "drop")
    await bench.press("n")


async def evaluating(bench: Debugger) -> None:
    await bench.fake.add_rule("evaluate", "drop")
    await bench.press(":", *"x", "enter", "escape")
    await bench.fake.until_request("evaluate")


async def fetching(bench: Debugger) -> None:
    await bench.fake.add_rule("variables", "drop")
    await bench.press("n")


async def restarting(bench: Debugger) -> None:
    bench.under_test.script.rules.append(rule("initialize", "drop"))
    await bench.press("R", "R")


async def hanging(bench: Debugger) -> None:
    await bench.fake.add_rule("threads", "hang")
    await bench.fake.add_rule("stackTrace", "hang")
    await bench.press("n")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "state",
    [paused, let_run, ended, failed, stepping, evaluating, fetching, restarting, hanging],
    ids=lambda state: state.__name__,
)
async def test_quit_works_in_every_state(
    state: Callable[[Debugger], object], tmp_path: Path
) -> None:
    """That it takes under a second and leaves nothing is asserted for every session at its end."""
    async with debugger(tmp_path, staying_busy(tmp_path)) as bench:
        await state(bench)  # type: ignore[misc]
        await bench.press("q", "q")  # once where there is nothing to lose
        assert bench.app.return_code == 0
        assert not bench.app.is_running or bench.app._exit


@pytest.mark.full
async def test_quit_before_the_start(tmp_path: Path) -> None:
    async with debugger(tmp_path, start=False) as bench:
        await bench.press("ctrl+q")
        assert bench.app._exit


@pytest.mark.full
async def test_ctrl_q_quits_from_a_text_field_and_a_dialog(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press(":", "q", "ctrl+q")
        assert bench.app._exit
    async with debugger(tmp_path) as bench:
        await bench.press("B", "q")
        assert not bench.app._exit
        await bench.press("ctrl+q")
        assert bench.app._exit


# Help, palette, themes


@pytest.mark.full
async def test_the_help_knows_the_state(tmp_path: Path) -> None:
    async with debugger(tmp_path, staying_busy(tmp_path)) as bench:
        await let_run(bench)
        await bench.press("question_mark")
        assert isinstance(bench.app.screen, HelpDialog)
        await bench.press("down", "down")
        assert "the program is running; p pauses it" in "\n".join(screen_rows(bench.app))
        await bench.press("escape")
        assert bench.app.screen_stack[-1] is bench.screen


async def test_the_palette_gives_any_command(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.press("ctrl+p")
        await bench.until(lambda: len(bench.app.screen.query(Input)) == 1)
        await bench.until(lambda: "Step over" in "\n".join(screen_rows(bench.app)))
        assert any(re.search(r" Pause .* p, F6 ", row) for row in screen_rows(bench.app))
        send_keys(bench.app, *"step over")
        await bench.until(lambda: "Step into" not in "\n".join(screen_rows(bench.app)))
        await bench.press("enter")
        await bench.press("enter")
        await bench.until(lambda: bench.session.stop_id == 2)
        await bench.settled()


@pytest.mark.full
async def test_there_is_one_palette_whatever_lies_above_it(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        send_keys(bench.app, "ctrl+p", "f1")
        await bench.until(lambda: isinstance(bench.app.screen, PageDialog), "the manual")
        await bench.press("ctrl+p")
        await bench.until(lambda: isinstance(bench.app.screen, CommandsPalette), "the palette")
        assert len(bench.app.screen_stack) == 2
        send_keys(bench.app, "escape", "ctrl+p", "escape", "ctrl+p")
        await bench.settled()
        await bench.until(lambda: isinstance(bench.app.screen, CommandsPalette), "the last one")
        assert len(bench.app.screen_stack) == 2


@pytest.mark.sampled
@pytest.mark.parametrize(
    "keys",
    [
        ("question_mark", "escape"),
        ("question_mark", "q", "escape", "escape"),
        ("colon", "x", "escape"),
        ("slash", *"count", "escape"),
        ("ctrl+p", "s", "escape"),
        ("g", *"12", "escape"),
        ("f1", "down", "escape"),
    ],
    ids=lambda keys: keys[0],
)
async def test_keys_behind_the_one_that_closes_something_are_not_lost_with_it(
    keys: tuple[str, ...], tmp_path: Path
) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        *opening, closing = keys
        await bench.press(*opening)
        await bench.settled()
        send_keys(bench.app, closing, "n")
        await bench.until(lambda: bench.session.stop_id == 2, "a step")
        send_keys(bench.app, *keys, "n")
        await bench.until(lambda: bench.session.stop_id == 3, "another, in one packet")
        await bench.settled()
        assert bench.app.screen is bench.screen


async def test_the_themes_go_round_and_are_remembered(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        assert bench.app.theme == "tuidbg-dark"
        await bench.press("f8")
        assert bench.app.theme == "tuidbg-light"
        assert bench.app.remembered.theme == "tuidbg-light"
        await bench.press("f8")
        assert bench.app.theme == "tuidbg-ansi"
        await bench.press("f8", "f8", "f8")
        assert bench.app.theme == "tuidbg-dark"


@pytest.mark.full
async def test_keys_type_in_a_text_field(tmp_path: Path) -> None:
    keys = "cnsoptRbBug.12345z><+-:eiq?"
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.press("colon", *keys)
        assert bench.screen.query_one(ConsoleInput).value == keys
        assert acted(bench) == []


# What else is told


async def test_a_child_process_is_told_and_runs_undebugged(tmp_path: Path) -> None:
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        await bench.fake.send_request("startDebugging", {"request": "attach", "configuration": {}})
        assert (await bench.fake.until_response())["success"] is False
        await bench.until(lambda: "runs without the debugger" in bench.status)
        assert "runs without the debugger" in bench.under_test.output("important")


async def test_a_program_with_no_file_here_still_stops(tmp_path: Path) -> None:
    missing = str(tmp_path / "gone.py")
    script = Script(program([moment(missing, 3, x=1)]))
    async with debugger(tmp_path, script) as bench:
        assert "There is no file" in bench.status
        assert "gone.py:3" in shown_text(bench.screen.stack)
        assert "x = 1" in shown_text(bench.screen.variables)
        assert "No source" in shown_text(bench.screen.source)


@pytest.mark.full
async def test_files_are_not_looked_at_below_a_dialog(tmp_path: Path) -> None:
    """Each message to a screen with a dialog on it has all of both painted anew."""
    async with debugger(tmp_path) as bench:
        await bench.press("question_mark")
        bench.screen._check_disk()
        assert "disk" not in {worker.group for worker in bench.app.workers}
        await bench.press("escape")
        bench.screen._check_disk()
        assert "disk" in {worker.group for worker in bench.app.workers}
