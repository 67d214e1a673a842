"""Carries what goes to the program's terminal, and what comes from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tuidbg.process.input_state import reads_terminal

if TYPE_CHECKING:
    from tuidbg.adapters.program.terminal import ProgramTerminal
    from tuidbg.session.output.stream import OutputStream
    from tuidbg.session.terminal.program_screen import ProgramScreen


class HasTerminal(Protocol):
    """A session whose program may have a terminal of ours."""

    terminal: ProgramTerminal | None

    @property
    def pid(self) -> int | None:
        """The program's process."""

    @property
    def program_screen(self) -> ProgramScreen:
        """The screen that the program draws on its terminal."""

    @property
    def output_stream(self) -> OutputStream:
        """The way of output to the console."""


class TerminalIO:
    """Types to the terminal of one session's program, and takes what is written there."""

    def __init__(self, session: HasTerminal) -> None:
        self._session = session
        self.size = (80, 24)
        """Its columns and rows."""
        self.is_shown_outside = False
        """True where a real terminal shows what the program writes, as it comes."""

    def take_output(self, data: bytes) -> None:
        """Take what the program wrote on its terminal."""
        # Where it is shown as it comes, on a real terminal, that one answers the program.
        lines = data if self.is_shown_outside else self._session.program_screen.take(data)
        self._session.output_stream.write_terminal(data, lines)

    def resize(self, columns: int, rows: int) -> None:
        """Tell the program's terminal how large it is shown."""
        self.size = (columns, rows)
        self._session.program_screen.resize(columns, rows)
        if self._session.terminal is not None:
            self._session.terminal.resize(columns, rows)

    def send_input(self, text: str) -> None:
        """Type to the program's terminal."""
        if self._session.terminal is not None:
            self._session.terminal.write(text.encode())

    def send_end_of_input(self) -> None:
        """Do what Ctrl+D does in a terminal."""
        if self._session.terminal is not None:
            self._session.terminal.send_eof()

    @property
    def is_awaited(self) -> bool:
        """Tells whether the program waits for a line on it, as far as the system tells."""
        pid, terminal = self._session.pid, self._session.terminal
        return terminal is not None and pid is not None and reads_terminal(pid, terminal.path)

    def keep_input_at_end(self) -> None:
        """Do as where a pipe has ended; to be called again and again (``stay_at_end``)."""
        if self._session.terminal is not None:
            self._session.terminal.stay_at_end()

    def send_interrupt(self) -> None:
        """Do what Ctrl+C does in a terminal."""
        if self._session.terminal is not None:
            self._session.terminal.send_interrupt()

    def close(self) -> None:
        """The program has ended: so has its output."""
        session = self._session
        if session.terminal is not None:
            session.terminal.close()
            session.terminal = None
        session.program_screen.end()
        session.output_stream.finish()
