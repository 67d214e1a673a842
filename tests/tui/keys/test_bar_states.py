"""The bar tells the truth in each state of the program, at each pane, and in each dialog."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
from textual.widgets import Static

from tests.support.autopsies import MadeAutopsy
from tests.support.fakes import Script, rule
from tests.support.pictures import Stage
from tests.support.recording import busy, moment, program
from tests.support.screens import Debugger, debugger
from tests.support.sessions import until
from tests.tui.breakpoints import test_doctor_dialog
from tests.tui.keys.commands_given import ENDS_THE_TEST
from tests.tui.keys.dialog_keys import check_keys
from tests.tui.keys.test_bar_truth import bar, severity, two_frames
from tests.tui.launching import test_launching_snapshots
from tests.tui.past import test_moments_snapshots
from tests.tui.recording import test_lifetime_snapshots
from tests.tui.stack import test_stack_snapshots
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.recording.calls.recorder import CallRecordings
from tuidbg.session.model.state import Status
from tuidbg.tui.features.find.dialog import FindDialog
from tuidbg.tui.features.recorded_run.dialog import MomentsDialog
from tuidbg.tui.toolkit.widgets.key_bar import KeyBar

pytestmark = pytest.mark.full


async def leave_dialogs(bench: Debugger) -> None:
    bench.app.put_on_top(bench.screen)
    await bench.pilot.pause()
    bench.screen.action_leave()
    bench.screen.status.show_hint("")
    await bench.pilot.pause()


async def check_commands(bench: Debugger, given: list[str], place: str) -> set[str]:
    """Give each command that the bar names there by its keys; tells which those were."""
    named = [each for each in bar(bench).named if each.command]
    for each in named:
        await leave_dialogs(bench)
        bench.screen.focus_pane(place)
        if (document := bench.screen.source.document) is not None:
            lines = bench.under_test.profile.code_lines[str(document.key)]
            bench.screen.source.move_cursor(lines[-1])  # one that the program breaks at
        await bench.pilot.pause()
        if each not in bar(bench).named:
            continue  # another key has changed what makes sense
        given.clear()
        await bench.press(*each.ways[0])
        if not given and "again: " in bench.status:  # it asks, where nobody can take it back
            await bench.press(*each.ways[0])
        assert given[:1] == [each.command], (place, each, given)
        refused = severity(bench) in ("warning", "error")
        assert each.command in ENDS_THE_TEST or not refused, (place, each, bench.status)
    await leave_dialogs(bench)
    return {each.command for each in named}


async def check_panes(bench: Debugger, given: list[str]) -> set[str]:
    seen: set[str] = set()
    for name, pane in list(bench.screen.body.panes.items()):
        if pane.can_focus:
            bench.screen.focus_pane(name)
            await bench.pilot.pause()
            seen |= await check_commands(bench, given, name)
    return seen


async def test_while_the_program_runs(tmp_path: Path, given: list[str]) -> None:
    path = tmp_path / "busy.py"
    path.write_text("x = 1\n" * 30)
    script = Script(program([moment(str(path), 1), busy(str(path), 5)]))
    async with debugger(tmp_path, script) as bench:
        await bench.session.execution.resume(Resume.CONTINUE, origin="tui")
        await bench.until(lambda: bar(bench)._status is Status.RUNNING)
        seen = await check_panes(bench, given)
        assert {"pause", "stop", "help", "quit"} <= seen
        assert not {"step_over", "resume"} & seen


async def test_when_the_program_has_ended(tmp_path: Path, given: list[str]) -> None:
    async with debugger(tmp_path) as bench:
        await bench.session.lifecycle.stop()
        await bench.until(lambda: bar(bench)._status is Status.TERMINATED)
        seen = await check_panes(bench, given)
        assert {"restart", "help", "quit"} <= seen
        assert not {"step_over", "resume", "pause", "stop"} & seen


async def test_when_the_program_could_not_be_started(tmp_path: Path, given: list[str]) -> None:
    script = two_frames(tmp_path)
    script.rules.append(rule("launch", "fail"))
    async with debugger(tmp_path, script, start=False) as bench:
        await bench.under_test.fails_to_start()
        await bench.until(lambda: bar(bench)._status is Status.FAILED)
        seen = await check_panes(bench, given)
        assert {"restart", "help", "quit"} <= seen
        assert not {"step_over", "resume", "pause", "stop"} & seen


# Dialogs

DIALOGS = {
    "help": "",
    "command_palette": "",
    "show_manual": "",
    "about": "",
    "show_adapters": "",
    "show_history": "",
    "edit_breakpoint": "",
    "break_on_function": "main",
    "edit_exceptions": "",
    "search": "x",
    "find_in_files": "x",
    "go_to_line": "7",
    "open_file": "",
    "add_watch": "x",
    "choose_key_map": "",
    "choose_theme": "",
    "show_settings": "",
    "export_report": "",
    "type_command": "",
    "attach": "",
    "launch": "",
}
"""The commands that open one, whatever the program is, and what is typed there."""


async def open_by(bench: Debugger, command: str) -> None:
    """Give a command that opens a dialog with a bar of its own."""
    await leave_dialogs(bench)
    bench.screen.focus_pane("source")
    bench.screen.action_command(command)
    await bench.pilot.pause()
    await bench.settled()
    await bench.press(*DIALOGS[command])
    await bench.settled()
    top = bench.app.screen
    if isinstance(top, FindDialog):
        about = top.query_one("#about", Static)
        await bench.until(lambda: " in " in str(about.render()), "the search is over")
    assert top is not bench.screen and top.query(KeyBar), (command, bench.status)


@pytest.mark.real
async def test_each_key_that_the_bar_of_a_dialog_names_does_something(
    tmp_path: Path, given: list[str]
) -> None:
    async with debugger(tmp_path, two_frames(tmp_path), size=(160, 30)) as bench:
        bench.screen.action_command("step_over")
        await bench.settled()
        for command in DIALOGS:
            words = await check_keys(bench.app, bench.pilot, partial(open_by, bench, command))
            assert words, command


# Dialogs that show what a picture shows


async def changes(stage: Stage) -> None:
    stage.app.push_screen(MomentsDialog(test_moments_snapshots.changes()))


async def calls(stage: Stage) -> None:
    stage.app.push_screen(MomentsDialog(test_moments_snapshots.calls()))


async def doctor(stage: Stage) -> None:
    stage.app.push_screen(test_doctor_dialog.dialog(*test_doctor_dialog.MENDS))


async def autopsy(stage: Stage) -> None:
    stage.screen.action_command("show_autopsy")


SCENES: dict[str, tuple[Callable[[Stage], Awaitable[None]], set[str]]] = {
    "changes": (changes, {"go to the line"}),
    "calls": (calls, {"open call", "go to return"}),
    "recorded": (test_lifetime_snapshots.raised, {"show the line", "changes only", "other call"}),
    "autopsy": (autopsy, {"close"}),
    "calls of a line": (test_stack_snapshots.targets, {"step into", "close"}),
    "doctor": (doctor, {"apply", "close"}),
}
"""What opens them, and words that the bar has there."""


@pytest.mark.parametrize("scene", SCENES)
async def test_each_key_of_a_dialog_that_shows_the_past_does_something(
    scene: str, tmp_path: Path
) -> None:
    stage = Stage(tmp_path)
    show, words = SCENES[scene]
    async with stage.app.run_test(size=(140, 40)) as pilot:
        await stage.start(pilot)
        MadeAutopsy.put_into(stage.session, str(stage.source))
        await stage.go_to_exception()

        async def open_it() -> None:
            stage.app.put_on_top(stage.screen)
            CallRecordings.of(stage.session)._kept.clear()
            await pilot.pause()
            await show(stage)
            await stage.until_dialog()
            await until(lambda: stage.app.screen.focused is not None)
            await pilot.pause()

        found = await check_keys(stage.app, pilot, open_it)
        assert words <= set(found), found
    await stage.session.close()


@pytest.mark.parametrize("scene", ["configurations", "agreement", "options", "launch", "attach"])
async def test_each_key_of_a_dialog_that_starts_something_does_something(
    scene: str, tmp_path: Path
) -> None:
    app = test_launching_snapshots.Bench(tmp_path)
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.pause()
        below = app.screen

        async def open_it() -> None:
            while app.screen is not below:
                await app.pop_screen()
            await pilot.pause()
            await test_launching_snapshots.SCENES[scene](app, pilot)
            await pilot.pause()

        assert await check_keys(app, pilot, open_it)
