"""Go on the screen: where a panic happened, where a program does not compile, goroutines."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.support.go import CRASH, CROWD, GO, go_session, line_of
from tests.support.native import needs_delve
from tests.support.screens import Debugger, shown_rows
from tests.support.sessions import FakeSession
from tests.tui.native.native_bench import shown
from tuidbg.session.model.errors import LaunchFailed
from tuidbg.session.model.state import Status
from tuidbg.tui.app.app import TuidbgApp

pytestmark = [pytest.mark.real, needs_delve, pytest.mark.full]


async def test_a_panic(tmp_path: Path) -> None:
    """The line that led to it is shown with its variables, the runtime's frames are folded."""
    async with (
        go_session(tmp_path, CRASH, "index", stop_on_entry=False) as under_test,
        shown(under_test) as bench,
    ):
        assert f"main.go:{line_of(CRASH, 'return numbers[at]')} main.index" in bench.status
        assert "panic: runtime error: index out of range [6] with length 3" in bench.status
        stack = shown_rows(bench.screen.stack)
        assert "▸ 3 frames of libraries" in stack[0]
        assert "main.index" in stack[1]
        assert any("at = 6" in row for row in shown_rows(bench.screen.variables))
        await bench.press("x")
        assert "Go stops at unrecovered panics" in bench.status


async def test_what_does_not_compile(tmp_path: Path) -> None:
    """The source is shown at the first line that the compiler complains of."""
    main = GO / "broken" / "main.go"
    async with go_session(tmp_path, main) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(tmp_path))
        async with app.run_test(size=(140, 40)) as pilot:
            bench = Debugger(app, pilot, cast(FakeSession, under_test))
            await pilot.pause()
            try:
                await session.lifecycle.start()
            except LaunchFailed:
                pass
            assert session.status is Status.FAILED
            await bench.until(lambda: "count := 3" in bench.source_row, "the line in the source")
            assert "main.go:6: count declared but not used (and 2 more)" in bench.status


async def test_goroutines(tmp_path: Path) -> None:
    """Another one is looked at where its own code stands."""
    async with go_session(tmp_path, CROWD, "3", stop_on_entry=False) as under_test:
        await under_test.session.breakpoints.set(
            str(CROWD), line_of(CROWD, "return some.speak()"), origin="tui"
        )
        async with shown(under_test) as bench:
            stack = bench.screen.stack
            await bench.until(lambda: "▸ [Go" in "".join(shown_rows(stack)), "the goroutines")
            assert "▾ [Go 1] main.look" in shown_rows(stack)[0]
            other = under_test.session.threads[-1].id
            await bench.screen.view.select_thread(other)
            await bench.settled()
            assert f"main.go:{line_of(CROWD, '<-done')} main.wait" in bench.status
            assert any("number = " in row for row in shown_rows(bench.screen.variables))
