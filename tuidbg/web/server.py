"""Serves the page and its websockets: textual-serve's page and scripts, our own doorkeeper.

textual-serve would start a process for each tab. Here every tab is a terminal of the one session
instead, as one that has joined (``joining.py``), and nothing is let in that the gate does not know.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web
from textual_serve.server import Server, to_int

from tuidbg.api.gate.hosts import Hosts
from tuidbg.api.gate.tokens import Tokens
from tuidbg.session.serving.members import Member
from tuidbg.web.gate import Gate
from tuidbg.web.tab import Tab

if TYPE_CHECKING:
    from tuidbg.sharing.host import Showing

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
