"""The whole debugger on the real debugpy, stopped at a marked line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.marked import MarkedProgram
from tests.support.screens import Debugger, shown_rows
from tests.support.sessions import debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.tui.app.app import TuidbgApp


class RealDebugger(Debugger):
    """Does what tests do with it all the time."""

    def rows(self) -> list[str]:
        """The rows of the variables pane that are on the screen."""
        return [row for row in shown_rows(self.screen.variables) if row]

    def row(self, name: str) -> str:
        """The row of a variable, from its mark on."""
        found = [row for row in self.rows() if row.lstrip(" ▸▾*+-").startswith(name)]
        assert found, f"no {name} in\n" + "\n".join(self.rows())
        return found[0].strip()

    async def until_row(self, name: str, text: str) -> None:
        """Wait for the row of a variable, which need not be there yet, to have the text."""
        await self.until(
            lambda: any(name in row and text in row for row in self.rows()), f"{text} at {name}"
        )

    async def cursor_on(self, *path: str) -> None:
        """Put the cursor of the variables pane on a row, and the focus there."""
        pane = self.screen.variables
        self.screen.focus_pane("variables")
        await self.until(lambda: pane.move_cursor_to(path), f"a row {path}")
        await self.pilot.pause()


@asynccontextmanager
async def real_debugger(
    folder: Path,
    program: str,
    *,
    mark: str = "here",
    size: tuple[int, int] = (140, 40),
    **changes: Any,
) -> AsyncIterator[RealDebugger]:
    """The app on debugpy, stopped at the line with that mark."""
    marked = MarkedProgram(folder, program)
    async with debugpy_session(folder, marked.path, **changes) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(folder))
        async with app.run_test(size=size) as pilot:
            bench = RealDebugger(app, pilot, under_test)  # type: ignore[arg-type]
            await session.breakpoints.set(marked.path, marked[mark], origin="tui")
            await under_test.start()
            await under_test.go(Resume.CONTINUE)
            await bench.settled()
            yield bench
