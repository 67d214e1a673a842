"""The view of a job, on eight real ranks: the odd one is found by its words, in three keys."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.attachable import attached_session, free_port
from tests.support.ranks import HAS_LOSS, ODD, ranks_of_a_job
from tests.support.screens import Debugger, screen_rows
from tests.support.sessions import debugpy_session
from tests.tui.keys.dialog_keys import check_keys
from tuidbg.session.model.state import Status
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.features.job.dialog import NO_PROCESS, JobDialog

pytestmark = pytest.mark.real


@pytest.mark.full
async def test_the_odd_rank_is_found_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 8) as ranks:
        session = ranks.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        async with app.run_test(size=(140, 40)) as pilot:
            bench = Debugger(app, pilot, ranks.under_test)  # type: ignore[arg-type]
            await ranks.settled()
            await bench.until(lambda: app.clients is not None)
            await bench.until(lambda: "8 processes" in bench.status, "the listener is none")
            await bench.until(lambda: "Alt+Q job" in screen_rows(app)[-1], "the way to it")
            await bench.press("alt+q")
            await bench.until(lambda: isinstance(app.screen, JobDialog))
            await bench.press("l")
            odd = f"1  rank {ODD}"
            await bench.until(lambda: any(odd in row for row in screen_rows(app)))
            rows = screen_rows(app)
            at = next(n for n, row in enumerate(rows) if odd in row)
            assert "load_shard at train.py:" in rows[at]
            assert "← train ← <module>" in rows[at]
            assert "7  ranks 0-4, 6-7  all_reduce at train.py:4" in rows[at + 1]
            assert "8 processes, 8 running" in rows[at - 1]
            await bench.press("enter")
            await bench.until(lambda: app.session is ranks.of(ODD), "the odd one is shown")


@pytest.mark.full
async def test_where_one_stops_all_do_by_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bar says what the key would do now, the frame what it has done."""
    async with ranks_of_a_job(tmp_path, monkeypatch, 3, odd=1) as ranks:
        session = ranks.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        async with app.run_test(size=(140, 40)) as pilot:
            bench = Debugger(app, pilot, ranks.under_test)  # type: ignore[arg-type]
            await bench.until(lambda: app.clients is not None)
            await bench.press("alt+q")
            await bench.until(lambda: "3 processes" in screen_text(app))
            await bench.until(lambda: "t stop together" in screen_rows(app)[-1])
            await bench.press("t")
            await bench.until(lambda: "t stop alone" in screen_rows(app)[-1])
            await bench.until(lambda: any("all pause" in row for row in screen_rows(app)))
            family = session.family
            assert family is not None and family.stops_together
            await bench.press("t")
            await bench.until(lambda: not family.stops_together)


@pytest.mark.full
async def test_a_command_goes_to_the_processes_of_the_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To one stack's, a single one, and all: those obey that can, and the view says how many."""
    async with ranks_of_a_job(tmp_path, monkeypatch, 3, odd=1) as ranks:
        session = ranks.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        async with app.run_test(size=(140, 40)) as pilot:
            bench = Debugger(app, pilot, ranks.under_test)  # type: ignore[arg-type]
            await ranks.settled()
            await bench.until(lambda: app.clients is not None)
            await bench.press("alt+q")
            await bench.until(lambda: any("1  rank 1" in row for row in screen_rows(app)))
            await bench.press("c")
            await bench.until(lambda: "none of them is stopped" in screen_text(app))
            await bench.press("p")
            odd = ranks.of(1)
            await bench.until(lambda: odd.status is Status.PAUSED)
            await bench.until(lambda: "3 processes, 2 running, 1 paused" in screen_text(app))
            assert "1 asked to pause" in screen_text(app)
            await bench.press("home", "n")
            await bench.until(lambda: odd.stop_id > 1 and odd.status is Status.PAUSED)
            await bench.until(lambda: "1 step over, 2 are not stopped" in screen_text(app))
            await bench.press("c")
            await bench.until(lambda: "3 processes, 3 running" in screen_text(app))


@pytest.mark.full
async def test_an_expression_is_asked_in_all_and_the_odd_value_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anew at each stop; a rank that runs says so, and what is no expression is refused."""
    async with ranks_of_a_job(tmp_path, monkeypatch, 4, odd=1, stop_at=HAS_LOSS) as ranks:
        session = ranks.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        async with app.run_test(size=(140, 40)) as pilot:
            bench = Debugger(app, pilot, ranks.under_test)  # type: ignore[arg-type]
            await bench.until(lambda: app.clients is not None)
            await bench.press("alt+q")
            await bench.until(lambda: "4 processes, 4 paused" in screen_text(app))
            await bench.press("e", *"loss =", "enter")
            await bench.until(lambda: "invalid syntax" in screen_text(app))
            await bench.press("backspace", "backspace", "enter")
            await bench.until(lambda: "loss: 2 values" in screen_text(app))
            rows = screen_rows(app)
            at = next(n for n, row in enumerate(rows) if "loss: 2 values" in row)
            assert "1  rank 1        71.5" in rows[at + 1]
            assert "3  ranks 0, 2-3  0.5" in rows[at + 2]
            assert any("rank 1  paused" in row and "71.5" in row for row in rows[at + 3 :])
            await bench.press("home", *["down"] * 3)  # the value's row
            await bench.press("c")
            await bench.until(lambda: ranks.of(1).status is Status.RUNNING)
            await bench.until(lambda: "loss: one value" in screen_text(app))
            assert "rank 1        running" in screen_text(app)
            await bench.press("e", *["backspace"] * 4, "enter")
            await bench.until(lambda: "loss" not in screen_text(app))


async def test_a_command_goes_to_the_ranks_that_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What can't be meant is refused in the line; an expression is asked in these alone."""
    async with ranks_of_a_job(tmp_path, monkeypatch, 4, odd=1, stop_at=HAS_LOSS) as ranks:
        session = ranks.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        async with app.run_test(size=(140, 40)) as pilot:
            bench = Debugger(app, pilot, ranks.under_test)  # type: ignore[arg-type]
            await bench.until(lambda: app.clients is not None)
            await bench.press("alt+q")
            await bench.until(lambda: "4 processes, 4 paused" in screen_text(app))
            await bench.press("colon", *"0,9 b train.py:14", "enter")
            await bench.until(lambda: "there is no rank 9 among them" in screen_text(app))
            await bench.press(*["backspace"] * 16, *",2-3 b train.py:14", "enter")
            await bench.until(lambda: "train.py:14 for ranks 0, 2-3" in screen_text(app))
            await bench.press("colon", *"3 b train.py:14 if loss > 9", "enter")
            await bench.until(lambda: "train.py:14 for rank 3 if loss > 9" in screen_text(app))
            await bench.press("colon", *"0,2-3 b train.py:14", "enter")
            await bench.until(lambda: "train.py:14 for ranks 0, 2-3" in screen_text(app))
            await bench.press("colon", *"2,0 evaluate rank", "enter")
            await bench.until(lambda: "rank: 2 values" in screen_text(app))
            values = [row for row in screen_rows(app) if "1  rank " in row]
            assert [row.split()[2:5] for row in values] == [["rank", "0", "0"], ["rank", "2", "2"]]
            await bench.press("colon", *"all until train.py:14", "enter")
            await bench.until(lambda: "3 of 4 are at train.py:14" in screen_text(app))
            await bench.until(lambda: "4 processes, 1 running, 3 paused" in screen_text(app))
            assert "train at train.py:14 (step)" in screen_text(app)
            assert ranks.of(1).status is Status.RUNNING
            await bench.press("colon", *"1 pause", "enter")
            await bench.until(lambda: "3 are at train.py:14; rank 1 " in screen_text(app))
            await bench.press("colon", *"all continue", "enter")
            await bench.until(lambda: "4 go on" in screen_text(app))
            await bench.press("escape")
            await bench.until(lambda: "4 processes  on" in bench.status, "all of them run")


def screen_text(app: TuidbgApp) -> str:
    return "\n".join(screen_rows(app))


@pytest.mark.full
async def test_alone_the_key_says_so(tmp_path: Path) -> None:
    path = tmp_path / "alone.py"
    path.write_text("x = 1\ny = 2\n", encoding="utf-8")
    async with debugpy_session(tmp_path, path) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        async with app.run_test(size=(140, 40)) as pilot:
            bench = Debugger(app, pilot, under_test)  # type: ignore[arg-type]
            await under_test.start()
            await bench.press("alt+q")
            assert "no other process that is debugged" in bench.status


@pytest.mark.full
async def test_each_key_that_the_bar_names_does_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 2, odd=1, stop_at=HAS_LOSS) as ranks:
        session = ranks.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        async with app.run_test(size=(140, 40)) as pilot:
            bench = Debugger(app, pilot, ranks.under_test)  # type: ignore[arg-type]
            await bench.until(lambda: app.clients is not None)

            async def open_it() -> None:
                app.put_on_top(bench.screen)
                await bench.press("alt+q")
                await bench.until(lambda: "2 processes, " in screen_text(app))

            words = await check_keys(app, pilot, open_it, idle="choose")  # there is one row
            assert {"show", "evaluate", "to ranks", "continue", "pause", "over"} <= set(words)


async def test_before_the_first_rank_has_connected_the_view_is_empty_and_says_so(
    tmp_path: Path,
) -> None:
    async with attached_session(tmp_path, port=free_port(), listen=True) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        async with app.run_test(size=(100, 30)) as pilot:
            bench = Debugger(app, pilot, under_test)  # type: ignore[arg-type]
            await session.lifecycle.start()
            await bench.press("alt+q")
            await bench.until(lambda: NO_PROCESS in screen_text(app), "nobody is there")
            for key in ("up", "down", "home", "end", "enter", "c", "p", "n", "s", "o", "l", "t"):
                await bench.press(key)
            assert isinstance(app.screen, JobDialog)
            await bench.press("escape")
            await bench.until(lambda: not isinstance(app.screen, JobDialog))


async def test_what_would_lose_connected_processes_is_refused_or_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 2, odd=1) as ranks:
        session = ranks.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        async with app.run_test(size=(140, 40)) as pilot:
            bench = Debugger(app, pilot, ranks.under_test)  # type: ignore[arg-type]
            await bench.until(lambda: app.clients is not None)
            await bench.press("R")
            await bench.until(lambda: "2 processes are connected, and could" in screen_text(app))
            await bench.press("Q")
            await bench.until(lambda: "2 processes are connected. Stop" in screen_text(app))
            await bench.press("s")
            await bench.until(lambda: app.screen is bench.screen)
            assert session.waiting and ranks.all_are(Status.RUNNING, 2)
            await bench.press("Q")
            await bench.until(lambda: "2 processes are connected. Stop" in screen_text(app))
            await bench.press("d")
            await bench.until(lambda: "detached" in bench.status, "not ended: detached")
            assert "The connected processes run on" in ranks.under_test.output("console")
            assert ranks.all_are(Status.TERMINATED, 2)
            for each in ranks.relatives:
                os.kill(each.session.pid or 0, 0)  # it lives
