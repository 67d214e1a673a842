"""The screen of a program that has called the debugger itself (``tuidbg.breakpoint()``).

On the program's own terminal the screen is inline: it is released once the program has run for a
moment, and acquired again at the next stop. The program's thread in ``hook_line`` ensures that
output printed meanwhile does not end up in the picture: it comes here, into the console, and is
forwarded to the terminal when that is the program's again.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from tuidbg.session.model.events import Continued, LogEntry, ProcessJoined, StatusChanged, Stopped
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session
    from tuidbg.tui.app.app import TuidbgApp
    from tuidbg.tui.toolkit.drivers.inline import InlineDriver

GIVE_BACK = 0.3
"""Seconds of running before the program gets its terminal back: a step must not flicker."""

HUSH = 0.25
"""Seconds of a step after which input is the program's."""

_OVER = (Status.TERMINATED, Status.FAILED)

_START_CHECK = 0.05
"""Seconds between two checks whether the app runs yet."""

_ANSWER_PATIENCE = 1.0
"""Seconds in which the program's thread answers; it may be in the middle of a long C call."""


class HookedScreen:
    """The screen of a program that requested it, on a terminal of its own (a tmux pane)."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.failure = ""
        self._ends_program = False
        self._has_ended = False
        self._farewell = "on"  # Ctrl+Q twice
        self._followed: set[int] = set()
        self._app: TuidbgApp | None = None
        self._session: Session | None = None

    def show(self, app: TuidbgApp, session: Session) -> None:
        """Attach to an app that is about to run."""
        self._app, self._session = app, session
        app.quitting.ask_first = self._ask_to_leave
        session.events.subscribers.add(self._on_event)
        for relative in session.family or ():
            self._follow_process(relative.number)  # the child process was faster than the app

    def _on_event(self, entry: LogEntry) -> None:
        """Close the screen when the program ends."""
        event = entry.event
        if isinstance(event, StatusChanged) and event.status in _OVER:
            if event.status is Status.FAILED:
                self.failure = event.reason
            self._leave("end")
        elif isinstance(event, ProcessJoined):
            self._follow_process(event.number)

    def _leave(self, farewell: str) -> None:
        """End the app; one that does not run yet, as soon as it does.

        The program gets ``farewell``: ``on`` makes it not open the screen again.
        """
        self._farewell = farewell
        if self._app is not None and self._app.is_running:
            self._app.exit(0)
        elif self._app is not None and not self._has_ended:
            asyncio.get_running_loop().call_later(_START_CHECK, self._leave, farewell)

    def _follow_process(self, number: int) -> None:
        family = self._session.family if self._session is not None else None
        if number in self._followed or family is None:
            return  # it has another name now
        self._followed.add(number)
        relative = family.get(number)
        if relative is None or relative.session is self._session:
            return
        relative.session.events.subscribers.add(partial(self._on_process, relative.session))
        if relative.session.status is Status.PAUSED:
            self._show_process(relative.session)

    def _on_process(self, process: Session, entry: LogEntry) -> None:
        """Show a child process that stops while no other process is stopped."""
        if isinstance(entry.event, Stopped):
            self._show_process(process)

    def _show_process(self, process: Session) -> None:
        app = self._app
        if app is not None and not app.is_running and not self._has_ended:
            asyncio.get_running_loop().call_later(_START_CHECK, self._show_process, process)
            return
        if app is None or app.session is None or app.session.status is Status.PAUSED:
            return
        if process.status is not Status.PAUSED:
            return
        clients = app.ready_clients()
        member = clients.hub.find(process) if clients is not None else None
        if member is not None:
            app.call_later(app.show_session, member)

    def _ask_to_leave(self) -> bool:
        """Ask about the program's fate on ``q``; return whether a question is needed."""
        app, session = self._app, self._session
        if app is None or session is None or session.status in _OVER:
            return False
        from tuidbg.tui.toolkit.dialogs.box import BoxChoice

        choices = [
            BoxChoice("e", "End the program"),
            BoxChoice("l", "Let it run on without the debugger"),
            BoxChoice("s", "Stay"),
        ]
        app.quitting.ask("Leave the debugger?", choices, self._take)
        return True

    def _take(self, choice: str | None) -> None:
        if choice in ("e", "l"):
            self._ends_program = choice == "e"
            self._leave("end" if self._ends_program else "on")

    async def hand_back(self) -> None:
        """Release the program; the app has ended, the session is still attached."""
        self._has_ended = True
        if self._ends_program:  # at the stop: detached, it would run on before it is ended
            with suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, signal.SIGTERM)


class InlineScreen(HookedScreen):
    """The screen on the program's own terminal.

    ``line`` connects to the program's thread, ``output`` is the pseudo-terminal for its output
    while the screen shows.
    """

    def __init__(self, pid: int, line: socket.socket, output: int) -> None:
        super().__init__(pid)
        self._line = line
        self._output = output
        self._rest = b""
        self._held_back = bytearray()
        self._is_lent = False
        self._timers: list[asyncio.TimerHandle] = []
        self._given = asyncio.Event()

    def show(self, app: TuidbgApp, session: Session) -> None:
        """Attach to an app; from now on the program's output comes here."""
        from tuidbg.tui.toolkit.drivers.inline import InlineDriver

        super().show(app, session)
        app.driver_class = InlineDriver
        loop = asyncio.get_running_loop()
        os.set_blocking(self._output, False)
        self._line.setblocking(False)
        loop.add_reader(self._line, self._hear)
        loop.add_reader(self._output, self._take_output)
        self._say("hold")

    @property
    def _driver(self) -> InlineDriver | None:
        return self._app._driver if self._app is not None else None  # type: ignore[return-value]

    # Running and stopped

    @property
    def _standing(self) -> Session | None:
        """Return the program or a child process that is stopped."""
        if self._session is None:
            return None
        sessions = [r.session for r in self._session.family or ()] or [self._session]
        return next((each for each in sessions if each.status is Status.PAUSED), None)

    def _on_event(self, entry: LogEntry) -> None:
        super()._on_event(entry)
        match entry.event:
            case Continued(stepping=stepping):
                self._expect_running(HUSH if stepping else 0)
            case StatusChanged(status=Status.RUNNING):
                self._expect_running(HUSH)
            case Stopped():
                self._take_terminal()

    def _on_process(self, process: Session, entry: LogEntry) -> None:
        """Show a child process that is stopped."""
        match entry.event:
            case Continued(stepping=stepping):
                self._expect_running(HUSH if stepping else 0)
            case StatusChanged():
                self._expect_running(HUSH)
            case Stopped():
                self._take_terminal()
                self._show_process(process)

    def _expect_running(self, hush: float) -> None:
        if self._timers or self._is_lent:
            return
        later = asyncio.get_running_loop().call_later
        self._timers = [later(GIVE_BACK, self._give_back)]
        if hush:
            self._timers.append(later(hush, self._hush))
        else:
            self._hush()  # before the program resumes and reads its terminal settings

    def _stop_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _hush(self) -> None:
        if self._driver is not None and self._standing is None:
            self._driver.hush()

    def _give_back(self) -> None:
        """Release the terminal: the program has run for a while.

        Not yet while one of its processes is stopped.
        """
        self._timers.clear()
        if (standing := self._standing) is not None:
            self._show_process(standing)
            return
        driver = self._driver
        if driver is None or not driver.is_held:
            return
        self._is_lent = True
        driver.suspend_application_mode()
        self._flush()
        self._say("give")

    def _take_terminal(self) -> None:
        self._stop_timers()
        driver, app = self._driver, self._app
        if driver is None or app is None:
            return
        if self._is_lent:
            self._is_lent = False
            self._say("hold")
            driver.resume_application_mode()
            app.refresh(layout=True)
        else:
            driver.listen()

    # The program's output

    def _take_output(self) -> None:
        try:
            data = os.read(self._output, 65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._output)
            return
        if self._is_lent:
            _write(data)
            return
        self._held_back += data
        if self._session is not None:
            self._session.write_output("terminal", data)

    def _flush(self) -> None:
        """Write the withheld output to the terminal."""
        _write(bytes(self._held_back))
        self._held_back.clear()

    def _drain(self) -> None:
        with suppress(OSError):
            while data := os.read(self._output, 65536):
                _write(data)

    # The line to the program

    def _say(self, word: str) -> None:
        with suppress(OSError):
            self._line.send(f"{word}\n".encode())

    def _hear(self) -> None:
        try:
            data = self._line.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *lines, self._rest = (self._rest + data).split(b"\n")
        words = {line.split(b" ")[0] for line in lines}
        if b"given" in words:
            self._given.set()
            self._drain()
        if not data:
            asyncio.get_running_loop().remove_reader(self._line)
            self._given.set()
        if not data or b"end" in words:
            self._leave("end")

    async def hand_back(self) -> None:
        """Restore the terminal and the program's output before the program resumes."""
        self._stop_timers()
        self._is_lent = True
        self._flush()
        self._given.clear()
        self._say("give")
        with suppress(TimeoutError):
            async with asyncio.timeout(_ANSWER_PATIENCE):
                await self._given.wait()
        self._drain()
        self._say(f"bye {self._farewell}")
        await super().hand_back()

    @classmethod
    def open(cls, line_number: int, output: int) -> tuple[InlineScreen, int]:
        """Wait until the program's debug server listens; return the screen and the server's port.

        Raises EOFError if the program ends before that.
        """
        line = socket.socket(fileno=line_number)
        data = b""
        while not data.endswith(b"\n"):
            piece = line.recv(4096)
            if not piece:
                raise EOFError
            data += piece
        word, _, told = data.decode().strip().rpartition("\n")[2].partition(" ")
        if word != "open":
            raise EOFError
        facts = json.loads(told)
        return cls(facts["pid"], line, output), facts["port"]


def _write(data: bytes) -> None:
    """Write to the program's terminal, which is our stdout; block while it is slow."""
    while data:
        try:
            data = data[os.write(1, data) :]
        except OSError:  # the terminal is gone
            return
