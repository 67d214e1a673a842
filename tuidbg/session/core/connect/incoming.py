"""The port of one run: the debug server in the program connects to it, and so do its children.

The first process that connects is the program, unless it is a child of the attached one; each
further one is a child of the process that started it, or the successor of a process after ``exec``.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import time
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.traits import IncomingServer
from tuidbg.session.core.connect import accepting
from tuidbg.session.core.connect.accepting import Acceptor

if TYPE_CHECKING:
    from tuidbg.adapters.program.started import StartedProgram
    from tuidbg.session.core.session import Session

IDENTIFYING = 30.0
"""Seconds for a debug server to report its process; busy machines are slow."""

SUCCESSION = 60.0
"""Seconds for a process that has replaced itself by ``exec`` to connect again."""

WAKING = 0.4
"""Seconds for pydevd to see that it is configured: it checks eight times a second, and a
disconnect before that makes it wait again."""

_LOOK = 0.05
"""Seconds between two checks for it."""


class IncomingPort:
    """The acceptor of the debug servers of one program."""

    def __init__(self, session: Session, attached_to: int | None = None) -> None:
        """``attached_to`` is the program's process id, if it is already running."""
        self._session = session
        self._attached_to = attached_to
        self._early: list[IncomingServer] = []
        """The children that connected before their parent."""
        self.token = secrets.token_hex(32)
        self.number = 0
        self.configuration: dict[str, Any] = {}
        """The arguments of the initial request; those of a child are derived from them."""
        self._program: asyncio.Future[IncomingServer] = asyncio.get_running_loop().create_future()
        self._seen: list[IncomingServer] = []
        identify = partial(session.profile.launch.identify, token=self.token, within=IDENTIFYING)
        self._acceptor = Acceptor(session, identify, self._accept)

    def open(self) -> None:
        """Listen on 127.0.0.1. Raises OSError."""
        server = accepting.bind(socket.AF_INET, ("127.0.0.1", 0))
        self.number = server.getsockname()[1]
        self._acceptor.open(server)

    async def close(self) -> None:
        """Accept no more connections; ``wait_for_program`` raises AdapterError."""
        if not self._program.done():
            self._program.set_exception(AdapterError("it is not waited for any more"))
            self._program.exception()  # retrieved, as there may be no caller that waits
            for each in self._early:
                self._session.children.release_server(each)
        await self._acceptor.close()

    async def wait_for_program(self, bringing: Coroutine[Any, Any, None]) -> IncomingServer:
        """Wait for the program's debug server.

        ``bringing`` runs meanwhile, and raises AdapterError where none can come any more.
        """
        task = asyncio.create_task(bringing)
        try:
            await asyncio.wait((self._program, task), return_when=asyncio.FIRST_COMPLETED)
            if not self._program.done():
                await task
            return await self._program
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def wait_for_successor(self, server: IncomingServer) -> None:
        """Wait until a process's successor has connected, or is known not to."""
        until = time.monotonic() + SUCCESSION
        while not self.has_successor(server) and time.monotonic() < until:
            if not comes_back(server.pid):
                return
            await asyncio.sleep(_LOOK)

    def has_successor(self, server: IncomingServer) -> bool:
        """Return whether the same process has connected again."""
        later = self._seen[self._seen.index(server) + 1 :]
        return any(each.pid == server.pid for each in later)

    def _accept(self, line: socket.socket, server: IncomingServer, peer: str) -> None:
        self._seen.append(server)
        if self._program.done():
            self._take_in(server)
        elif server.ppid in (self._attached_to, *(each.pid for each in self._early)):
            self._early.append(server)
        else:
            self._program.set_result(server)
            for each in self._early:
                self._take_in(each)

    def _take_in(self, server: IncomingServer) -> None:
        configuration = {
            **self.configuration,
            "request": "attach",
            "name": f"Subprocess {server.pid}",
            "subProcessId": server.pid,
        }
        self._find_parent(server).children.take_in_server(server, configuration, self.number)

    def _find_parent(self, server: IncomingServer) -> Session:
        """Return the session of its parent process, or of its predecessor before an ``exec``."""
        family = self._session.family
        for pid in (server.pid, server.ppid):
            for relative in family or ():
                session: Any = relative.session
                if session.pid == pid:
                    found: Session = session
                    return found
        return self._session


def comes_back(pid: int) -> bool:
    """Return whether a process that replaced itself may yet connect: it lives, with pydevd."""
    if not Path("/proc/self/cmdline").exists():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            pass
        return True
    try:
        return b"pydevd" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


async def raise_at_end(program: StartedProgram) -> None:
    """Raise AdapterError as soon as the program has ended and its output is read."""
    code = await program.wait()
    await program.drain()
    raise AdapterError(_describe_exit(code))


def _describe_exit(code: int) -> str:
    from tuidbg.adapters.program.started import signal_name

    name = signal_name(-code) if code < 0 else ""
    how = f"was killed ({name})" if name else f"ended with exit code {code}"
    return f"it {how} before it could be debugged"
