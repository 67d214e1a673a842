"""The API server, run in an existing event loop, with or without a screen."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from tuidbg.adapters.process import Guard
from tuidbg.api.app import build_app
from tuidbg.api.auth.audit import Audit
from tuidbg.api.auth.callers import AccessGate
from tuidbg.api.auth.hosts import AllowedHosts
from tuidbg.api.auth.http_protocol import PatientProtocol
from tuidbg.api.auth.security import Security
from tuidbg.api.auth.tokens import Tokens
from tuidbg.api.bridge.routes import BridgeOptions, make_router
from tuidbg.api.dap.endpoint import PATH as DAP_PATH
from tuidbg.api.dap.endpoint import DapEndpoint
from tuidbg.api.mcp.http import PATH, McpEndpoint
from tuidbg.api.options import RelayOptions
from tuidbg.api.server_file import write_server_file
from tuidbg.api.sockets import BACKLOG, is_loopback, open_tcp, open_unix
from tuidbg.session.features.build import BuildNotPossible
from tuidbg.session.hub.diagnostics import Diagnostics
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.switch import Served, ServingFailed

GRACE = 0.3
"""Seconds for running requests at shutdown; a request that waits for an event would never end."""

KEEP_ALIVE = 75
"""Seconds an idle connection stays open between two requests."""

HEADERS = 32 * 1024
"""Maximum size of a request's headers in bytes."""

SILENT = logging.CRITICAL + 10


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class Relay:
    """One server on one hub."""

    def __init__(self, hub: Hub, options: RelayOptions, *, guard: Guard | None = None) -> None:
        self.options = options
        self.tokens = Tokens(options.tokens, redact=options.redact) if options.needs_token else None
        self.address = ""
        """A URL, or ``unix:`` and a path."""
        self.bridge_address = ""
        self.token_file: Path | None = None
        self.warnings: list[str] = []
        """Sentences for the user, after ``start``."""
        self._hub = hub
        self._guard = guard
        self._audit: Audit | None = None
        self._diagnostics: Diagnostics | None = None
        self._agents: McpEndpoint | None = None
        self._server: _Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self._uds: tuple[Path, int] | None = None

    @property
    def status(self) -> Served | None:
        """Where the server listens; None while it is stopped."""
        if self._server is None:
            return None
        file = str(self.token_file) if self.token_file and self.tokens else ""
        return Served(self.address, file, len(self._server.server_state.connections))

    async def start(self) -> Served:
        """Open the sockets and serve. Raises ServingFailed."""
        self._check_reach()
        hosts, sockets = AllowedHosts(), self._open_sockets()
        try:
            self._name(hosts, sockets)
            self._audit = self._open_audit()
            server = self._make_server(hosts)
            self._serving = asyncio.create_task(server.serve(sockets), name="relay")
            self._serving.add_done_callback(lambda _: server.ready.set())
            await server.ready.wait()
            if self._serving.done():
                raise ServingFailed(f"can't serve: {self._serving.exception()}")
        except BaseException:
            for each in sockets:
                each.close()
            self._clean_up()
            raise
        self._server = server
        self._tell_where()
        status = self.status
        assert status is not None
        return status

    async def stop(self) -> None:
        """Stop the server without waiting for clients; the sessions go on."""
        if self._server is None or self._serving is None:
            return
        if self._diagnostics is not None:
            self._diagnostics.close()
        if self._agents is not None:
            await self._agents.close()
        self._server.should_exit = True
        await self._serving
        self._server = self._serving = None
        self._clean_up()

    def _check_reach(self) -> None:
        options = self.options
        if options.uds or is_loopback(options.host):
            return
        if not options.allow_remote:
            raise ServingFailed(
                f"--host {options.host} can be reached from other machines, and a client that can"
                " evaluate can do all that you can; if that is intended, add --allow-remote"
            )
        if not options.needs_token:
            raise ServingFailed("--allow-remote needs tokens: it can't go with --auth none")
        self.warnings.append(
            f"other machines can reach this server at {options.host}, and nothing is encrypted:"
            " who listens on the network learns the token"
        )

    def _open_sockets(self) -> list[socket.socket]:
        options = self.options
        if options.uds:
            path = Path(options.uds).absolute()
            sockets = [open_unix(path)]
            self._uds = path, path.lstat().st_ino
        else:
            sockets = [open_tcp(options.host, options.port)]
        if options.bridge_port is not None:
            host = "127.0.0.1" if options.uds else options.host
            try:
                sockets.append(open_tcp(host, options.bridge_port))
            except ServingFailed:
                sockets[0].close()
                self._clean_up()
                raise
        return sockets

    def _name(self, hosts: AllowedHosts, sockets: list[socket.socket]) -> None:
        names = []
        for each in sockets:
            if each.family == socket.AF_UNIX:
                hosts.listen_locally()
                names.append(f"unix:{each.getsockname()}")
            else:
                ip, port = each.getsockname()[:2]
                hosts.listen(ip, port)
                names.append(f"http://[{ip}]:{port}" if ":" in ip else f"http://{ip}:{port}")
        self.address, self.bridge_address = names[0], "".join(names[1:])

    def _open_audit(self) -> Audit | None:
        try:
            return Audit.in_state_folder()
        except (OSError, RuntimeError) as error:
            self.warnings.append(
                f"there is no audit log of what programs run here: {_reason(error)}"
            )
            return None

    def _make_server(self, hosts: AllowedHosts) -> _Server:
        self._diagnostics = Diagnostics(self._hub)
        options = BridgeOptions(
            manage_bridge=self.options.manage_bridge,
            build_cmd=self.options.build_cmd,
            folder=str(Path.cwd()),
            guard=self._guard,
        )
        try:
            bridge = make_router(self._hub, options, self._diagnostics)
        except BuildNotPossible as error:
            raise ServingFailed(f"--build-cmd: {error}") from None
        security = Security(
            hosts=hosts, tokens=self.tokens, limits=self.options.limits, audit=self._audit
        )
        gate = AccessGate(self._hub, self._audit)
        self._agents = McpEndpoint(
            self._hub, gate, cwd=str(Path.cwd()), tool_set=self.options.tools
        )
        editors = DapEndpoint(self._hub, gate, cwd=str(Path.cwd()))
        endpoints: dict[str, ASGIApp] = {PATH: self._agents, DAP_PATH: editors}
        app = build_app(self._hub, security, [bridge], gate=gate, endpoints=endpoints)
        return _Server(
            uvicorn.Config(
                app,
                http=PatientProtocol,
                ws="none",
                lifespan="off",
                log_config=None,
                log_level=SILENT,  # uvicorn must not write to the screen
                access_log=False,
                proxy_headers=False,  # no proxy in front could be trusted
                server_header=False,
                backlog=BACKLOG,
                timeout_keep_alive=KEEP_ALIVE,
                h11_max_incomplete_event_size=HEADERS,
            )
        )

    def _tell_where(self) -> None:
        is_local = self.address.startswith("unix:")
        try:
            self.token_file = write_server_file(
                "http://localhost" if is_local else self.address,
                uds=self.address.removeprefix("unix:") if is_local else "",
                bridge_url=self.bridge_address,
                token=self.tokens.owner.value if self.tokens is not None else "",
            )
        except OSError as error:
            self.warnings.append(
                f"`tuidbg send` can't find this server by itself: {_reason(error)}"
            )

    def _clean_up(self) -> None:
        if self.token_file is not None:
            self.token_file.unlink(missing_ok=True)
            self.token_file = None
        if self._uds is not None:
            path, inode = self._uds
            with contextlib.suppress(OSError):
                if path.lstat().st_ino == inode:  # not the socket of a later server
                    path.unlink()
            self._uds = None
        if self._audit is not None:
            self._audit.close()
            self._audit = None


class _Server(uvicorn.Server):
    """A uvicorn server without signal handlers, with a short shutdown."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signal handlers to the owner of the loop."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then set ``ready``."""
        await super().startup(sockets)
        self.ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, wait ``GRACE`` seconds for running requests, then abort them."""
        for server in self.servers:
            server.close()
        state = self.server_state
        for connection in tuple(state.connections):
            connection.shutdown()
        if state.tasks:
            await asyncio.wait(tuple(state.tasks), timeout=GRACE)
        for connection in tuple(state.connections):
            connection.transport.abort()
        left = tuple(state.tasks)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=GRACE)
