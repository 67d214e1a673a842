"""Who may come in from a browser: textual-serve itself asks nobody anything.

A page of anybody's can make a browser call a server on this machine, by its own name too (DNS
rebinding), and another user of the machine can call it as well. So each request must be addressed
to us, come from no foreign page, and show the token: once in the address, from then on in a cookie.
"""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler

from tuidbg.api.gate.hosts import Hosts
from tuidbg.api.gate.tokens import Tokens

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
