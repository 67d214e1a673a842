"""The web server: textual-serve's page and scripts behind our own access checks.

textual-serve would start a process for each tab. Here every tab is a terminal of the one session
instead, like a joined one (``sharing/host.py``), and only requests that pass the gate are served.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import json
import os
import socket
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiohttp import WSMsgType, web
from aiohttp.typedefs import Handler
from textual_serve.server import Server, to_int

from tuidbg.api.auth.hosts import AllowedHosts
from tuidbg.api.auth.tokens import Tokens
from tuidbg.session.hub.members import HubSession

if TYPE_CHECKING:
    from tuidbg.sharing.host import Showing
    from tuidbg.tui.toolkit.drivers.stream import StreamDriver

_NO_TOKEN = "Open the address with its token, as tuidbg web has printed it.\n"
_NOT_OURS = "This server is not what that request was meant for.\n"


class WebGate:
    """The access checks before each request."""

    def __init__(self, hosts: AllowedHosts, tokens: Tokens, port: int) -> None:
        self._hosts = hosts
        self._tokens = tokens
        self.cookie = f"tuidbg_{port}"
        """The cookie's name; browsers do not separate cookies by port."""

    def make_middleware(self) -> object:
        """Make the aiohttp middleware."""

        @web.middleware
        async def admit(request: web.Request, handler: Handler) -> web.StreamResponse:
            own = self.refuse(request) or self._welcome(request)
            response = own if own is not None else await handler(request)
            if not response.prepared:
                response.headers.update(_headers(request.host))
            return response

        return admit

    def refuse(self, request: web.Request) -> web.Response | None:
        """Return an error response for an unauthorized request."""
        if not self._hosts.admit(request.host):
            return web.Response(status=403, text=_NOT_OURS)
        origin = request.headers.get("Origin")
        is_socket = request.headers.get("Upgrade", "").lower() == "websocket"
        if (origin is not None or is_socket) and not self._hosts.admit_origin(origin or ""):
            return web.Response(status=403, text=_NOT_OURS)
        shown = request.cookies.get(self.cookie) or self._token_of(request)
        if self._tokens.find(shown.encode()) is None and not self._welcome(request):
            return web.Response(status=401, text=_NO_TOKEN)
        return None

    def _token_of(self, request: web.Request) -> str:
        return request.query.get("token", "") if request.path == "/" else ""

    def _welcome(self, request: web.Request) -> web.Response | None:
        """Move the token from the address to a cookie."""
        token = self._token_of(request)
        if not token or self._tokens.find(token.encode()) is None:
            return None
        response = web.Response(status=303, headers={"Location": "/"})
        # Not for scripts, and sent from other sites' pages only when the user follows a link.
        response.set_cookie(self.cookie, token, httponly=True, samesite="Lax", path="/")
        return response


def _headers(host: str) -> dict[str, str]:
    """Return security headers that isolate the page; nothing is loaded from other servers."""
    policy = (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
        f" connect-src 'self' ws://{host}; frame-ancestors 'none'; base-uri 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }


BEHIND = 16 << 10
"""Unsent bytes from which on a browser gets only the newest screen, later."""

UNREAD = 8 << 20
"""Maximum unsent bytes for a browser; beyond it, it is disconnected: it can't catch up."""

_LARGEST = 1000
"""Maximum columns or rows of a tab."""


class Tab:
    """The terminal in a browser tab."""

    def __init__(self, socket: web.WebSocketResponse, columns: int, rows: int) -> None:
        self.size = _size(columns, rows)
        self.term, self.locale = "xterm-256color", "C.UTF-8"
        self.driver: StreamDriver | None = None
        self._socket = socket
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue()
        self._unread = 0
        self._is_gone = asyncio.Event()

    def connect(self, driver: StreamDriver) -> None:
        self.driver = driver

    def write(self, data: bytes) -> None:
        """Send output; a browser that has stopped reading is disconnected."""
        if self._unread > UNREAD:
            self._is_gone.set()
        elif not self._is_gone.is_set():
            self._unread += len(data)
            self._waiting.put_nowait(data)

    def is_free(self) -> bool:
        """Whether the browser keeps up with the output."""
        return self._unread < BEHIND

    async def carry(self) -> None:
        """Forward both ways until the tab is closed."""
        tasks = [
            asyncio.create_task(work)
            for work in (self._read(), self._paint(), self._is_gone.wait())
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._is_gone.set()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _paint(self) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                data = await self._waiting.get()
                while not self._waiting.empty():
                    data += self._waiting.get_nowait()
                await self._socket.send_bytes(data)
                was_free, self._unread = self.is_free(), self._unread - len(data)
                if self.driver is not None and self.is_free() and not was_free:
                    self.driver.go_on()

    async def _read(self) -> None:
        async for message in self._socket:
            if message.type is not WSMsgType.TEXT:
                continue
            try:
                kind, *rest = json.loads(message.data)
                await self._take(kind, rest[0] if rest else None)
            except (ValueError, TypeError, KeyError):
                return  # another protocol

    async def _take(self, kind: str, value: Any) -> None:
        driver = self.driver
        if kind == "ping":
            await self._socket.send_str(json.dumps(["pong", value]))
        elif kind == "resize":
            self.size = _size(int(value["width"]), int(value["height"]))
            if driver is not None:
                driver.resize(*self.size)
        elif driver is None:
            return
        elif kind == "stdin":
            driver.feed(str(value).encode("utf-8", "ignore"))
        elif kind in ("focus", "blur"):
            driver.look_away(kind == "blur")


def _size(columns: int, rows: int) -> tuple[int, int]:
    return min(max(columns, 1), _LARGEST), min(max(rows, 1), _LARGEST)


_COLOURS = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
"""The abilities of xterm.js."""

_PATIENCE = 1.0
"""Seconds for tabs to receive the goodbye."""

_LONGEST_MESSAGE = 1 << 20
"""Maximum bytes of a message; a paste of a megabyte comes in several."""

_HEARTBEAT = 15.0
"""Seconds between two checks of a tab's connection."""


class CannotListen(Exception):
    """An address that is unknown or in use; ``str()`` is a sentence."""


class WebServer(Server):
    """The web server of one session, for all tabs."""

    def __init__(self, member: HubSession, showing: Showing, title: str) -> None:
        super().__init__(command="", title=title)
        self.tokens = Tokens()
        self._member = member
        self._showing = showing
        self._runner: web.AppRunner | None = None
        self._gate: WebGate | None = None

    @property
    def address(self) -> str:
        """The URL to open, with the token."""
        return f"{self.public_url}/?token={self.tokens.owner.value}"

    async def start(self, host: str, port: int) -> None:
        """Start listening. Raises CannotListen."""
        listening = open_socket(host, port)
        address, port = listening.getsockname()[:2]
        hosts = AllowedHosts()
        hosts.listen(address, port)
        self._gate = WebGate(hosts, self.tokens, port)
        name = f"[{address}]" if ":" in address else address
        if ipaddress.ip_address(address).is_unspecified:
            name = socket.gethostname()
        self.public_url = f"http://{name}:{port}"
        self._runner = web.AppRunner(
            await self._make_app(), access_log=None, shutdown_timeout=_PATIENCE
        )
        await self._runner.setup()
        await web.SockSite(self._runner, listening).start()

    async def stop(self) -> None:
        """Disconnect all tabs."""
        self._showing.stop()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _make_app(self) -> web.Application:
        assert self._gate is not None
        app = web.Application(middlewares=[self._gate.make_middleware()])  # type: ignore[list-item]
        app.add_routes(
            [
                web.get("/", self.handle_page),
                web.get("/page.js", self.handle_script),
                web.get("/ws", self.handle_websocket),
                web.static("/static", self.statics_path),
            ]
        )
        return app

    async def handle_page(self, request: web.Request) -> web.Response:
        """Serve the page, for the host name in the request."""
        values = {
            "title": self.title,
            "socket": f"ws://{request.host}/ws",
            "font_size": str(min(max(to_int(request.query.get("fontsize", ""), 16), 6), 60)),
        }
        page = _read("page.html")
        for name, value in values.items():
            page = page.replace(f"{{{{ {name} }}}}", escape(value))
        return web.Response(text=page, content_type="text/html")

    async def handle_script(self, request: web.Request) -> web.Response:
        """Serve the page's script."""
        text = _read("page.js")
        return web.Response(text=text, content_type="text/javascript")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Show the session in a tab until it is closed or left."""
        websocket = web.WebSocketResponse(heartbeat=_HEARTBEAT, max_msg_size=_LONGEST_MESSAGE)
        await websocket.prepare(request)
        columns = to_int(request.query.get("width", ""), 80)
        rows = to_int(request.query.get("height", ""), 24)
        tab = Tab(websocket, columns, rows)
        await self._showing.show(self._member, tab, tab.carry(), _COLOURS)
        await websocket.close()
        return websocket


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def open_socket(host: str, port: int) -> socket.socket:
    """Open a listening socket. Raises CannotListen."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise CannotListen(f"there is no address {host}") from None
    try:
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CannotListen(f"port {port} of {host} is taken by another program") from None
        why = os.strerror(error.errno or 0).lower()
        raise CannotListen(f"can't listen at port {port} of {host}: {why}") from None


def is_of_this_machine(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return True  # listening will fail anyway
    return all(ipaddress.ip_address(each[4][0]).is_loopback for each in found)
