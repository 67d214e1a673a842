"""Serves the page and its websockets: textual-serve's page and scripts, our own doorkeeper.

textual-serve would start a process for each tab. Here every tab is a terminal of the one session
instead, as one that has joined (``joining.py``), and nothing is let in that the gate does not know.
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

from tuidbg.api.auth.hosts import Hosts
from tuidbg.api.auth.tokens import Tokens
from tuidbg.session.serving.members import Member

if TYPE_CHECKING:
    from tuidbg.sharing.host import Showing
    from tuidbg.tui.drivers.stream import StreamDriver

_NO_TOKEN = "Open the address with its token, as tuidbg web has printed it.\n"
_NOT_OURS = "This server is not what that request was meant for.\n"


class Gate:
    """Checks each request before anybody sees it."""

    def __init__(self, hosts: Hosts, tokens: Tokens, port: int) -> None:
        self._hosts = hosts
        self._tokens = tokens
        self.cookie = f"tuidbg_{port}"
        """Its name; a browser does not tell the ports of a machine apart."""

    def make_middleware(self) -> object:
        """Returns what aiohttp asks first."""

        @web.middleware
        async def admit(request: web.Request, handler: Handler) -> web.StreamResponse:
            own = self.refuse(request) or self._welcome(request)
            response = own if own is not None else await handler(request)
            if not response.prepared:
                response.headers.update(_headers(request.host))
            return response

        return admit

    def refuse(self, request: web.Request) -> web.Response | None:
        """Tells why not, if not."""
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
        """Put the token of the address into a cookie, and out of the address."""
        token = self._token_of(request)
        if not token or self._tokens.find(token.encode()) is None:
            return None
        response = web.Response(status=303, headers={"Location": "/"})
        # Not for scripts, and sent by no other site's page except where a person follows a link.
        response.set_cookie(self.cookie, token, httponly=True, samesite="Lax", path="/")
        return response


def _headers(host: str) -> dict[str, str]:
    """Returns what keeps the page to itself; nothing is fetched from anywhere else."""
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
"""Bytes that a browser may not have taken yet; then it gets the newest picture later."""

UNREAD = 8 << 20
"""Bytes that may wait for a slow browser; then it is let go, for it would never catch up."""

_LARGEST = 1000
"""Columns or rows that a tab may have."""


class Tab:
    """Carries what is typed there and paints what it gets."""

    def __init__(self, socket: web.WebSocketResponse, columns: int, rows: int) -> None:
        self.size = _size(columns, rows)
        self.term, self.locale = "xterm-256color", "C.UTF-8"
        self.driver: StreamDriver | None = None
        self._socket = socket
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue()
        self._unread = 0
        self._is_gone = asyncio.Event()

    def connect(self, driver: StreamDriver) -> None:
        """The app is there."""
        self.driver = driver

    def write(self, data: bytes) -> None:
        """Paint; a browser that takes in nothing any more is let go."""
        if self._unread > UNREAD:
            self._is_gone.set()
        elif not self._is_gone.is_set():
            self._unread += len(data)
            self._waiting.put_nowait(data)

    def is_free(self) -> bool:
        """Tell whether it is not far behind."""
        return self._unread < BEHIND

    async def carry(self) -> None:
        """Both ways, until the tab is closed."""
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
                return  # it speaks another language

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
"""Tells what xterm.js can show."""

_PATIENCE = 1.0
"""Seconds that tabs get at the end to hear of it."""

_LONGEST_MESSAGE = 1 << 20
"""Bytes; a paste of a megabyte comes in several."""

_HEARTBEAT = 15.0
"""Seconds between two looks whether a tab is still there."""


class CannotListen(Exception):
    """There is no such address, or it is taken; ``str()`` is a sentence."""


class WebServer(Server):
    """One session in all tabs."""

    def __init__(self, member: Member, showing: Showing, title: str) -> None:
        super().__init__(command="", title=title)
        self.tokens = Tokens()
        self._member = member
        self._showing = showing
        self._runner: web.AppRunner | None = None
        self._gate: Gate | None = None

    @property
    def address(self) -> str:
        """Returns what to open: the URL with the token."""
        return f"{self.public_url}/?token={self.tokens.owner.value}"

    async def start(self, host: str, port: int) -> None:
        """Listen there. Raises CannotListen."""
        listening = open_socket(host, port)
        address, port = listening.getsockname()[:2]
        hosts = Hosts()
        hosts.listen(address, port)
        self._gate = Gate(hosts, self.tokens, port)
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
        """Let all tabs go."""
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
        """The page, made for the name that the browser calls us by."""
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
        """Answers with the page's own script."""
        text = _read("page.js")
        return web.Response(text=text, content_type="text/javascript")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A tab: shown the session until it is closed or left."""
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
    """Listen at that address. Raises CannotListen."""
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
    """Returns whether nobody else can reach that address."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return True  # it can't be listened at anyway
    return all(ipaddress.ip_address(each[4][0]).is_loopback for each in found)
