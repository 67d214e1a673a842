"""The whole debugger on the real debugpy, its program on a terminal of tuidbg's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.marked import MarkedProgram
from tests.support.screens import screen_rows
from tests.support.sessions import debugpy_session
from tests.tui.real_bench import RealDebugger
from tuidbg.config.launch import Console
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import Status
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.features.terminal.pane import TerminalPane
from tuidbg.tui.features.terminal.program_terminal import ProgramTerminal


class TerminalDebugger(RealDebugger):
    """Does what tests do with a program's terminal all the time."""

    marked: MarkedProgram

    @property
    def pane(self) -> TerminalPane:
        pane = ProgramTerminal.of(self.screen).shown
        assert pane is not None
        return pane

    @property
    def drawn(self) -> str:
        """Returns what stands on the program's screen, seen or not."""
        return self.session.program_screen.emulator.text

    @property
    def on_screen(self) -> str:
        """Returns what the person sees."""
        return "\n".join(screen_rows(self.app))

    @property
    def is_forward(self) -> bool:
        """Tells whether the terminal stands in the place of the panes, and has the keys."""
        return self.screen.body.maximised == "terminal" and self.screen.typing_pane is not None

    async def comes(self, text: str = "") -> None:
        """The terminal comes by itself and shows a text."""
        await self.until(lambda: self.is_forward and text in self.drawn, f"the terminal: {text!r}")
        await self.sees(text)

    async def sees(self, text: str) -> None:
        """A text comes to stand on the whole screen."""
        await self.until(lambda: text in self.on_screen, f"{text!r} on the screen")

    async def stops(self, *, is_seen: bool = True) -> None:
        """The program stops, and the panes say so; whoever has not seen it types on."""
        await self.until(lambda: self.session.status is Status.PAUSED, "a stop")
        await self.settled()
        if is_seen:
            self._look_up()

    async def ends(self) -> None:
        """The program ends by itself."""
        await self.until(lambda: self.under_test.ended, "the end")
        await self.pilot.pause()
        self._look_up()

    def _look_up(self) -> None:
        """The person has seen it: what is typed from now on is not typed on to the program."""
        self.app._pressed_keys._typed_at = 0.0


@asynccontextmanager
async def terminal_debugger(
    folder: Path,
    program: str,
    *args: str,
    size: tuple[int, int] = (140, 40),
    stop_at: str = "",
    **changes: Any,
) -> AsyncIterator[TerminalDebugger]:
    """The app on debugpy; the program runs, with a breakpoint at the line of that mark."""
    marked = MarkedProgram(folder, program)
    changes = {"console": Console.TERMINAL, "just_my_code": True, **changes}
    async with debugpy_session(folder, marked.path, *args, **changes) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(folder))
        async with app.run_test(size=size) as pilot:
            bench = TerminalDebugger(app, pilot, under_test)  # type: ignore[arg-type]
            bench.marked = marked
            if stop_at:
                await session.breakpoints.set(marked.path, marked[stop_at], origin="tui")
            await under_test.start()
            await session.execution.resume(Resume.CONTINUE, origin="tui")
            yield bench
