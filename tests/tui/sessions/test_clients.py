"""Tests what a person sees of those who share the sessions: calls, sessions, log, server."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import sys
import time
from pathlib import Path

import pytest

from tests.support.screens import debugger, screen_rows, shown_rows, shown_text
from tests.support.sessions import KeepingGuard, until
from tests.support.shared import FakeServing, shared
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.build import ProjectBuild
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.app.start.screen import StartScreen
from tuidbg.tui.features.sessions.about import AboutDialog
from tuidbg.tui.features.sessions.dialog import SessionsDialog, SessionsPane
from tuidbg.tui.toolkit.dialogs.box import ChoiceDialog
from tuidbg.tui.toolkit.dialogs.pager import PagerDialog

BAR = "▁▂▃▄▅▆▇█ "
"""Holds what the scrollbar is made of."""

WIDE, NARROW, SMALL = (140, 40), (80, 24), (60, 15)


def whole(bench: object) -> str:
    return "\n".join(screen_rows(bench.app))  # type: ignore[attr-defined]


# Alone


async def test_alone_there_is_nothing_of_it_and_the_keys_say_why(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        assert "Activity" not in shown_text(bench.screen.body.shared_title)
        for key in ("8", "a", "k", "j"):
            await bench.press(key)
            assert "serves no programs" in bench.status
        await bench.press("f2")
        await bench.until(lambda: "can't serve programs" in bench.status)
        await bench.press("f4")
        assert "--build-cmd" in bench.status
        await bench.press("7")
        assert "F2, or tuidbg --serve" in shown_text(bench.screen.body.panes["activity"])


@pytest.mark.full
@pytest.mark.real
def test_alone_nothing_of_it_is_imported(tmp_path: Path) -> None:
    import subprocess

    code = (
        "import sys, tuidbg.tui.app.app; print([m for m in sys.modules if m in ("
        "'tuidbg.tui.features.sessions.clients', 'tuidbg.tui.panes.activity',"
        "'tuidbg.tui.features.sessions.dialog', 'tuidbg.tui.toolkit.widgets.following', "
        "'tuidbg.tui.features.sessions.about',"
        "'tuidbg.session.hub.hub', 'tuidbg.session.core.control', 'tuidbg.session.hub.diagnostics',"
        "'tuidbg.session.hub.api_call_log', 'tuidbg.cli.serving', 'tuidbg.api')])"
    )
    for name in re.findall("'(tuidbg[a-z.]+)'", code):
        assert importlib.util.find_spec(name), name  # it is still called so
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Calls


@pytest.mark.full
@pytest.mark.parametrize("size", [WIDE, NARROW, SMALL])
async def test_each_call_is_a_row(size: tuple[int, int], tmp_path: Path) -> None:
    async with shared(tmp_path, size=size) as both:
        bench = both.bench
        await bench.press("7")
        both.call("step_over", "paused at parcels.py:12", arguments='{"thread_id": 1}')
        both.call("evaluate", "there is no name 'x'", failed=True)
        pane = bench.screen.body.panes["activity"]
        await bench.until(lambda: "evaluate" in shown_text(pane))
        first, second = shown_rows(pane)[:2]
        assert "agent" in first and "step_over" in first and "paused at" in first
        assert first.endswith(" ms")
        assert "✗ there is" in second
        if size == WIDE:
            assert '{"thread_id": 1}' in first
        with both.hub.activity.note("pause", actor="anonymous", origin="bridge"):
            await bench.until(lambda: "running…" in shown_rows(pane)[2])
            assert "bridge" in shown_rows(pane)[2]
        await bench.until(lambda: "running…" not in shown_rows(pane)[2])


async def test_a_call_is_shown_whole(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        bench = both.bench
        both.call("evaluate", "y" * 300 + " the end", arguments="x" * 100)
        await bench.press("7")
        pane = bench.screen.body.panes["activity"]
        await bench.until(lambda: "evaluate" in shown_text(pane))
        assert shown_text(bench.screen.keys).startswith(" Enter show the call ")
        await bench.press("enter")
        await bench.until(lambda: isinstance(bench.app.screen, PagerDialog))
        await bench.until(lambda: "the end" in whole(bench))
        assert "agent-7 (by rest)" in whole(bench)
        await bench.press("escape")
        await bench.click(pane, 20, 0)
        await bench.until(lambda: isinstance(bench.app.screen, PagerDialog))


@pytest.mark.full
async def test_the_newest_is_followed_unless_one_looks_back(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        bench = both.bench
        await bench.press("7")
        pane = bench.screen.body.panes["activity"]
        for number in range(50):
            both.call(f"call_{number}")
        await bench.until(lambda: "call_49 " in shown_text(pane))
        await bench.press(*["up"] * 20)
        row = shown_rows(pane)[0]
        for number in range(50, 2_100):  # more than are kept: the oldest go
            both.call(f"call_{number}")
        await bench.until(lambda: pane.rows[-1].key == 2_100)  # type: ignore[attr-defined]
        assert len(pane.rows) == 2_000  # type: ignore[attr-defined]
        assert row.split()[2] not in shown_text(pane)  # gone, and what follows is shown
        await bench.press("end")
        both.call("call_last")
        await bench.until(lambda: "call_last" in shown_text(pane))


async def test_looking_back_nothing_moves(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        bench = both.bench
        await bench.press("7")
        pane = bench.screen.body.panes["activity"]
        for number in range(1_990):
            both.call(f"call_{number}")
        await bench.until(lambda: "call_1989" in shown_text(pane))
        await bench.press("up", "up", "up")
        before = [row.rstrip(BAR) for row in shown_rows(pane)]
        for number in range(30):
            both.call(f"later_{number}")
        await bench.until(lambda: pane.rows[-1].key == 2_020)  # type: ignore[attr-defined]
        await bench.pilot.pause()
        assert [row.rstrip(BAR) for row in shown_rows(pane)] == before


@pytest.mark.full
async def test_news_are_marked_at_the_names(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        bench = both.bench
        title = bench.screen.body.shared_title
        await bench.until(lambda: "7 Activity " in shown_text(title))
        both.call("status")
        await bench.until(lambda: "7 Activity•" in shown_text(title))
        await bench.until(lambda: "9 Log•" in shown_text(title))
        await bench.press("7")
        assert "7 Activity " in shown_text(title)
        await bench.pilot.resize_terminal(*SMALL)
        await bench.pilot.pause()
        tabs = shown_text(bench.screen.body.tabs)
        assert "7 Act" in tabs and "9 Log" in tabs
        assert len(tabs) <= 60


async def test_a_flood_of_calls_is_painted_ten_times_a_second(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        bench = both.bench
        await bench.press("7")
        clients = bench.app.clients
        assert clients is not None
        filled = 0
        fill = clients.fill

        def count(screen: DebugScreen) -> None:
            nonlocal filled
            filled += 1
            fill(screen)

        clients.fill = count  # type: ignore[method-assign,assignment]
        begun = time.monotonic()
        for number in range(200):
            both.call(f"call_{number}")
            await asyncio.sleep(0)
        pane = bench.screen.body.panes["activity"]
        await bench.until(lambda: "call_199" in shown_text(pane))
        assert filled <= 3 + (time.monotonic() - begun) / 0.1


# The log


async def test_the_log_tells_of_sessions_calls_and_refusals(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        bench = both.bench
        await bench.press("9")
        pane = bench.screen.body.panes["log"]
        both.call("evaluate", "its token has no right to evaluate", failed=True)
        both.hub.hold("lunch")
        await bench.until(lambda: "paused the agents: lunch" in shown_text(pane))
        assert "its token has no right" in shown_text(pane)
        bench.session.notify("something to know", "warning")
        await bench.until(lambda: "something to know" in shown_text(pane))
        assert shown_text(bench.screen.keys).startswith(" Enter show the line ")
        await bench.press("enter")
        await bench.until(lambda: isinstance(bench.app.screen, PagerDialog))
        await bench.until(lambda: "[WARN]" in whole(bench))


# What programs do to the program


async def test_breakpoints_of_programs_stand_in_the_gutter_at_once(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        bench = both.bench
        path = bench.session.plan.first_source
        await bench.session.breakpoints.set(path, 20, origin="rest")
        await bench.until(lambda: bench.gutter(20) == "●")
        number = bench.under_test.breakpoint(20).number
        await bench.session.breakpoints.remove(number, origin="bridge")
        await bench.until(lambda: bench.gutter(20) == " ")


@pytest.mark.full
@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_step_of_a_program_is_told_by_its_origin(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async with shared(tmp_path, size=size) as both:
        bench = both.bench
        await both.member.control.step(Resume.STEP_OVER, origin="rest")
        await bench.until(lambda: "rest: step over" in shown_text(bench.screen.status))
        await bench.settled()
        await bench.go("n")
        assert "rest" not in bench.status


# The server


async def test_the_server_is_switched_on_and_off(tmp_path: Path) -> None:
    serving = FakeServing()
    async with shared(tmp_path, serving=serving, late=True) as both:
        bench = both.bench
        assert bench.app.clients is None
        await bench.press("f2")
        await bench.until(lambda: "http://127.0.0.1:5679" in bench.status)
        assert "server.json" in bench.status
        assert both.member.session is bench.session
        await bench.press("7")
        pane = bench.screen.body.panes["activity"]
        await bench.until(lambda: "reach this session at http" in shown_text(pane))
        await bench.press("escape")
        both.call("status")
        await bench.until(lambda: "⇄ 1 " in bench.status)
        await bench.press("f2")
        await bench.until(lambda: "no program can reach" in bench.status)
        await bench.press("escape")
        assert "⇄" not in bench.status
        serving.problem = "port 5679 is taken"
        await bench.press("f2")
        await bench.until(lambda: "port 5679 is taken" in bench.status)


async def test_the_agents_are_held_and_let_go(tmp_path: Path) -> None:
    serving = FakeServing()
    async with shared(tmp_path, serving=serving) as both:
        bench = both.bench
        for key in "ak":
            await bench.press(key)
            assert "no program can reach this session; F2 lets programs in" in bench.status
        assert both.hub.held is None
        await serving.start()
        await bench.press("a")
        assert "a hands them back" in bench.status
        assert both.hub.held == ""
        await bench.press("escape")
        assert "agents paused" in bench.status
        await bench.press("a", "escape")
        assert both.hub.held is None
        await bench.until(lambda: "agents paused" not in bench.status)
        await bench.press("k")
        assert both.hub.held == "a person has taken over"


@pytest.mark.real
async def test_the_build_runs_into_the_console(tmp_path: Path) -> None:
    command = f"{sys.executable} -c \"print('compiled'); raise SystemExit(3)\""
    serving = FakeServing(build=ProjectBuild(command, guard=KeepingGuard()))
    async with shared(tmp_path, serving=serving) as both:
        await both.bench.press("f4")
        console = both.bench.screen.console
        await both.bench.until(lambda: "failed with exit code 3" in shown_text(console))
        assert "compiled" in shown_text(console)


async def test_about_has_versions_and_capabilities(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        await both.bench.press("f12")
        assert isinstance(both.bench.app.screen, AboutDialog)
        await both.bench.pilot.pause()
        text = whole(both.bench)
        for word in ("tuidbg", "Python", "debugpy", "textual", "server", "conditional breakpoints"):
            assert word in text
        await both.bench.press("escape")
        assert isinstance(both.bench.app.screen, DebugScreen)


# Sessions


@pytest.mark.sampled
@pytest.mark.parametrize("size", [WIDE, NARROW, SMALL])
async def test_the_list_of_sessions(size: tuple[int, int], tmp_path: Path) -> None:
    async with shared(tmp_path, size=size) as both:
        bench = both.bench
        await both.add("worker", minutes=5)
        await bench.press("8")
        assert isinstance(bench.app.screen, SessionsDialog)
        await bench.until(lambda: "worker" in whole(bench))
        own, other = shown_rows(bench.app.screen.query_one(SessionsPane))
        assert "viewing" in own
        assert "ends in " in other and "paused" in other and "worker.py:1" in other
        if size == WIDE:
            assert "REST" in other and "sess_" in other
        await bench.press("down", "p")
        await bench.until(lambda: "parked" in whole(bench))
        await bench.press("escape")
        assert isinstance(bench.app.screen, DebugScreen)


@pytest.mark.full
async def test_another_session_is_shown_and_the_first_stays_as_it_was(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        bench, first = both.bench, both.bench.screen
        other = await both.add("worker")
        await bench.press("down", "down", "2", "8", "down", "enter")
        await bench.until(lambda: bench.app.session is other.session)
        shown = bench.app.screen
        assert isinstance(shown, DebugScreen) and shown.session is other.session
        await bench.until(lambda: "def worker" in shown_text(shown.source))
        assert both.hub.current is other
        assert (both.member.watchers, other.watchers) == (0, 1)
        stop = other.session.stop_id
        await bench.press("n")
        await bench.until(lambda: other.session.stop_id > stop)
        await bench.press("8", "up", "enter")
        await bench.until(lambda: bench.app.screen is first)
        assert first.focused_pane == "variables"
        assert (both.member.watchers, other.watchers) == (1, 0)
        await bench.go("n")


async def test_the_session_that_is_shown_is_deleted_by_a_program(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        bench = both.bench
        other = await both.add("worker")
        await bench.press("8", "down", "enter")
        await bench.until(lambda: bench.app.session is other.session)
        await bench.press("?")
        await both.hub.delete(other.id, origin="rest")
        await bench.until(lambda: bench.app.session is both.member.session)
        assert bench.app.screen is bench.screen
        assert "session worker was deleted by rest" in bench.status
        await both.hub.delete(both.member.id, origin="rest")
        await bench.until(lambda: isinstance(bench.app.screen, StartScreen))
        await bench.until(lambda: "was deleted by rest" in whole(bench))


async def test_a_person_deletes_one_after_a_question(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        bench = both.bench
        other = await both.add("worker")
        await bench.press("8", "down", "d")
        await bench.until(lambda: isinstance(bench.app.screen, ChoiceDialog))
        await bench.press("k")
        await bench.press("8", "down", "d")
        await bench.until(lambda: isinstance(bench.app.screen, ChoiceDialog))
        assert len(both.hub) == 2
        await bench.press("d")
        await bench.until(lambda: len(both.hub) == 1)
        assert list(both.hub) == [both.member] and other is not both.member


async def test_a_new_one_begins_on_the_start_screen(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        bench, first = both.bench, both.bench.screen
        await bench.press("8", "n")
        await bench.until(lambda: isinstance(bench.app.screen, StartScreen))
        await bench.press("escape")
        await bench.until(lambda: bench.app.screen is first)
        assert bench.app.session is both.member.session


# The end


@pytest.mark.full
async def test_alone_quit_quits(tmp_path: Path) -> None:
    async with shared(tmp_path, serving=FakeServing()) as both:
        await both.bench.press("q", "q")
        await both.bench.until(lambda: not both.bench.app.is_running)
        assert not both.bench.app.is_left_parked


@pytest.mark.sampled
@pytest.mark.parametrize(("key", "parks"), [("e", False), ("l", True), ("ctrl+q", False)])
async def test_with_others_there_quit_asks(key: str, parks: bool, tmp_path: Path) -> None:
    serving = FakeServing()
    serving.can_park = True
    async with shared(tmp_path, serving=serving) as both:
        bench = both.bench
        await serving.start()
        both.call("status")
        await bench.until(lambda: "⇄ 1" in bench.status)
        await bench.press("q")
        await bench.until(lambda: "a program called" in whole(bench))
        await bench.press("escape")
        assert bench.app.screen is bench.screen
        await bench.press("q", key)
        await until(lambda: not bench.app.is_running, timeout=5)
        assert bench.app.is_left_parked is parks


@pytest.mark.full
async def test_sessions_of_programs_are_a_reason_to_ask(tmp_path: Path) -> None:
    async with shared(tmp_path) as both:
        await both.add("worker")
        await both.bench.press("ctrl+q")
        await both.bench.until(lambda: "1 session of programs would end" in whole(both.bench))
        assert "tuidbg join" not in whole(both.bench)
        await both.bench.press("s")
        assert both.bench.app.is_running
