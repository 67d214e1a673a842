"""The whole debugger on a native program: a real adapter behind the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from tests.support.native import lldb_session
from tests.support.screens import Debugger
from tests.support.sessions import FakeSession, SessionUnderTest
from tuidbg.tui.app.app import TuidbgApp


@asynccontextmanager
async def shown(
    under_test: SessionUnderTest, size: tuple[int, int] = (140, 40)
) -> AsyncIterator[Debugger]:
    """The app on a session, started and settled at its first stop."""
    session = under_test.session
    app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=session.plan.cwd)
    async with app.run_test(size=size) as pilot:
        bench = Debugger(app, pilot, cast(FakeSession, under_test))
        await pilot.pause()
        await under_test.start()
        await bench.settled()
        yield bench


@asynccontextmanager
async def c_debugger(
    folder: Path, program: str = "cells.c", *, size: tuple[int, int] = (140, 40)
) -> AsyncIterator[Debugger]:
    """The app on a C program, stopped on entry."""
    async with lldb_session(folder, program) as under_test, shown(under_test, size) as bench:
        yield bench
