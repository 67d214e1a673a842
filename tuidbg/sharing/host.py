"""The host of joined terminals: an app for each, on a session of the hub.

The client (``tuidbg join``) is thin: it sends its input and its size and paints the output, so any
tuidbg that can reach the socket will do, also over SSH. The socket is in a folder that only its
owner may enter; access to it is permission to debug. A frame is a kind (one byte), a length (four,
big-endian) and as many bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import struct
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession, SessionRemoved
from tuidbg.session.model.errors import DebuggerError, SessionNotFound
from tuidbg.tui.toolkit.drivers.renderer.capabilities import locale_in

if TYPE_CHECKING:
    from tuidbg.tui.app.app import TuidbgApp
    from tuidbg.tui.toolkit.drivers.stream import FarTerminal, StreamDriver

HEADER = struct.Struct(">cI")

HELLO, INPUT, RESIZE, PAINTED = b"h", b"i", b"r", b"p"  # from the client
OUTPUT, GOODBYE = b"o", b"g"  # to the client

COLOURS = ("TERM", "COLORTERM", "NO_COLOR")
"""Variables of the client that determine its colours."""

LONGEST_FRAME = 1 << 20
"""Maximum bytes of a frame from the client; a paste of a megabyte comes in several."""

BEHIND = 16 << 10
"""Unpainted bytes from which on a terminal gets only the newest screen, later."""

UNREAD = 8 << 20
"""Maximum unsent bytes for a terminal; beyond it, it is disconnected: it can't catch up."""


class ShareHello(msgspec.Struct):
    """The first frame: the session, and the kind of terminal."""

    session: str = ""
    columns: int = 80
    rows: int = 24
    environment: dict[str, str] = {}
    tells_painted: bool = False
    """Whether the client reports how many bytes it has painted."""


class Resize(msgspec.Struct):
    """The new size of the terminal."""

    columns: int
    rows: int


class Painted(msgspec.Struct):
    """Bytes of output that the terminal has accepted."""

    count: int


class Goodbye(msgspec.Struct):
    """The last frame: a message for the user, and the exit status."""

    text: str = ""
    status: int = 0


MakeApp = Callable[[HubSession], "TuidbgApp"]
"""Makes an app for a session; the app never ends the session on exit."""


class _Client:
    """The terminal of one joined user, as the driver sees it."""

    def __init__(self, writer: asyncio.StreamWriter, hello: ShareHello) -> None:
        self.size = (hello.columns, hello.rows)
        self.term = hello.environment.get("TERM", "")
        self.locale = locale_in(hello.environment)
        self.driver: StreamDriver | None = None
        self._writer = writer
        self._tells_painted = hello.tells_painted
        self._unpainted = 0

    def connect(self, driver: StreamDriver) -> None:
        self.driver = driver

    def write(self, data: bytes) -> None:
        """Send output; a terminal that has stopped reading is disconnected."""
        if self._tells_painted:
            self._unpainted += len(data)
        self.send(OUTPUT, data)

    def is_free(self) -> bool:
        """Whether the terminal keeps up with the output."""
        return self._unpainted < BEHIND

    def note_painted(self, count: int) -> None:
        """Record that the terminal has accepted some bytes."""
        was_free, self._unpainted = self.is_free(), max(0, self._unpainted - count)
        if self.driver is not None and self.is_free() and not was_free:
            self.driver.go_on()

    def send(self, kind: bytes, data: bytes) -> None:
        """Send a frame, unless the client is gone."""
        transport = self._writer.transport
        if transport.is_closing():
            return
        if transport.get_write_buffer_size() > UNREAD:
            transport.abort()
            return
        self._writer.write(HEADER.pack(kind, len(data)) + data)


class Showing:
    """The apps on remote terminals, one for each."""

    def __init__(self, hub: Hub, make_app: MakeApp) -> None:
        self._hub = hub
        self._make_app = make_app
        self._stopping = asyncio.Event()
        self._count = 0
        self._streams = (sys.stdout, sys.stderr)

    def stop(self) -> None:
        """Disconnect all."""
        self._stopping.set()

    async def show(
        self,
        member: HubSession,
        terminal: FarTerminal,
        carrying: Coroutine[Any, Any, None],
        environment: dict[str, str],
    ) -> Goodbye:
        """Show a session until the user leaves it; return the goodbye message.

        ``carrying`` forwards the input and ends with the terminal; ``environment`` has the
        variables of ``COLOURS``.
        """
        self._count += 1
        try:
            # in a thread: the import must not block other users
            await asyncio.to_thread(_import_app)
            with _colours_of(environment):
                app = self._make_app(member)
            return await self._run(app, member, terminal, carrying)
        finally:
            carrying.close()
            self._count -= 1
            if not self._count:  # the apps redirect them, and end in any order
                sys.stdout, sys.stderr = self._streams

    async def _run(
        self,
        app: TuidbgApp,
        member: HubSession,
        terminal: FarTerminal,
        carrying: Coroutine[Any, Any, None],
    ) -> Goodbye:
        from tuidbg.tui.toolkit.drivers.stream import driver_for

        app.driver_class = driver_for(terminal)
        running = asyncio.create_task(app.run_async())
        typed = asyncio.create_task(carrying)
        removed = asyncio.create_task(self._until_removed(app, member))
        stopped = asyncio.create_task(self._stopping.wait())
        tasks = (running, typed, removed, stopped)
        self._hub.root_of(member).watchers += 1
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                app.exit()
                await running
            member = _shown(app, member)
            if app.has_crashed:
                return Goodbye(f"The screen has failed; {member.name} goes on.", 1)
            if removed.done():
                return Goodbye(f"Session {member.name} was deleted.")
            if stopped.done():
                return Goodbye("The tuidbg that held the session has ended.")
            return Goodbye(f"Left {member.name}; it goes on.")
        finally:
            self._hub.root_of(_shown(app, member)).watchers -= 1
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _until_removed(self, app: TuidbgApp, member: HubSession) -> None:
        async for entry in self._hub.events.follow():
            event = entry.event
            if isinstance(event, SessionRemoved) and event.id == _shown(app, member).id:
                return


class Joining:
    """The listener on a Unix socket for users who join."""

    def __init__(self, hub: Hub, make_app: MakeApp, path: Path) -> None:
        self.path = path
        self._hub = hub
        self._showing = Showing(hub, make_app)
        self._server: asyncio.Server | None = None
        self.clients: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        """The connected terminals."""

    async def start(self) -> None:
        """Start listening. Raises OSError."""
        mask = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(self._serve, self.path)
        finally:
            os.umask(mask)

    async def stop(self) -> None:
        """Disconnect all clients and remove the socket."""
        if self._server is not None:
            self._server.close()
        self._showing.stop()
        await asyncio.gather(*self.clients.values(), return_exceptions=True)
        self.path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.clients[writer] = task
        try:
            await self._host(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, msgspec.MsgspecError, ValueError):
            pass  # it is disconnected, or uses another protocol
        finally:
            del self.clients[writer]
            with contextlib.suppress(ConnectionError):
                writer.close()
                await writer.wait_closed()

    async def _host(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kind, data = await _read_frame(reader)
        if kind != HELLO:
            raise ValueError(kind)
        hello = msgspec.json.decode(data, type=ShareHello)
        client = _Client(writer, hello)
        try:
            member = self._find(hello.session)
        except DebuggerError as error:
            client.send(GOODBYE, msgspec.json.encode(Goodbye(str(error), 2)))
            return
        carrying = _carry(reader, client)
        goodbye = await self._showing.show(member, client, carrying, hello.environment)
        client.send(GOODBYE, msgspec.json.encode(goodbye))

    def _find(self, wanted: str) -> HubSession:
        if wanted:
            for member in self._hub:
                if wanted in (member.id, member.name):
                    return member
            return self._hub.get(wanted)
        if self._hub.current is None:
            raise SessionNotFound("")
        return self._hub.current


def _import_app() -> None:
    from tuidbg.tui.toolkit.drivers.textual_settings import import_app

    import_app()


def _shown(app: TuidbgApp, joined: HubSession) -> HubSession:
    """Return the viewed session: the joined one, unless the user switched."""
    clients = app.clients
    return clients.member if clients is not None and clients.member is not None else joined


@contextlib.contextmanager
def _colours_of(environment: dict[str, str]) -> Iterator[None]:
    """Set the terminal's colour variables while an app is made: it reads os.environ."""
    before = {name: os.environ.pop(name, None) for name in COLOURS}
    os.environ.update({name: environment[name] for name in COLOURS if name in environment})
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


async def _read_frame(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    kind, length = HEADER.unpack(await reader.readexactly(HEADER.size))
    if length > LONGEST_FRAME:
        raise ValueError(length)
    return kind, await reader.readexactly(length)


async def _carry(reader: asyncio.StreamReader, client: _Client) -> None:
    """Handle the client's frames until it disconnects."""
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            kind, data = await _read_frame(reader)
            driver = client.driver
            if kind == INPUT and driver is not None:
                driver.feed(data)
            elif kind == PAINTED:
                client.note_painted(msgspec.json.decode(data, type=Painted).count)
            elif kind == RESIZE:
                size = msgspec.json.decode(data, type=Resize)
                client.size = (size.columns, size.rows)
                if driver is not None:
                    driver.resize(*client.size)
