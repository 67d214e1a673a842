"""The server for programs: without a screen (`tuidbg serve`), or beside a user's session.

Its dependencies are imported on demand only.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import importlib.util
import json
import signal
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tuidbg.adapters.process import Guard
from tuidbg.adapters.table import profile_for
from tuidbg.api.auth.callers import ALL_SCOPES
from tuidbg.api.feed.feed import Feed
from tuidbg.api.options import RelayOptions
from tuidbg.config.extras import missing
from tuidbg.config.launch import LaunchPlan
from tuidbg.process.terminals import abandon_terminal
from tuidbg.session.core.redaction import Redaction
from tuidbg.session.core.session import Session
from tuidbg.session.features.build import ProjectBuild
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.switch import Served, ServingFailed

if TYPE_CHECKING:
    from tuidbg.api.server import Relay
    from tuidbg.sharing.host import Joining

_HIDDEN = {
    Redaction.NOTHING: "",
    Redaction.NAMES: "; secrets are hidden by their names",
    Redaction.TEXTS: "; secrets are hidden, and texts that may contain one",
}
_INVITATION = "`tuidbg join` shows a session in another terminal."


class RelaySwitch:
    """The on/off switch of the server on a user's sessions (see ``session/serving/switch.py``)."""

    can_park = True

    def __init__(
        self,
        options: RelayOptions,
        guard: Guard,
        find_session: Callable[[], Session | None] = lambda: None,
    ) -> None:
        """``find_session`` returns the user's present session. Raises BuildNotPossible."""
        self.build = ProjectBuild(options.build_cmd, guard=guard) if options.build_cmd else None
        self._options = options
        self._guard = guard
        self._find_session = find_session
        self._hub: Hub | None = None
        self._relay: Relay | None = None
        self._joining: Joining | None = None
        self._changing = asyncio.Lock()

    @property
    def status(self) -> Served | None:
        """Where the server listens; None while it is stopped."""
        return self._relay.status if self._relay is not None else None

    @property
    def joined_count(self) -> int:
        """Number of users who joined from other terminals."""
        return len(self._joining.clients) if self._joining is not None else 0

    @property
    def is_counted_on(self) -> bool:
        """Whether clients are connected or may come back: sessions outlive a terminal."""
        parked = self._hub is not None and any(member.is_parked for member in self._hub)
        return self._relay is not None or bool(self.joined_count) or parked

    def make_hub(self) -> Hub:
        """Return the served hub, made at the first call."""
        if self._hub is None:
            self._hub = Hub(self._make_session, follow=Feed)
            if (session := self._find_session()) is not None:
                self._hub.adopt(session, origin="tui")
        return self._hub

    def adopt(self, session: Session) -> None:
        """Add the user's new session to the hub."""
        if self._hub is not None and all(member.session is not session for member in self._hub):
            self._hub.adopt(session, origin="tui")

    async def start(self) -> Served:
        """Start the server, and show the user its address. Raises ServingFailed."""
        async with self._changing:
            if (status := self.status) is not None:
                return status
            require_packages()
            await asyncio.to_thread(importlib.import_module, "tuidbg.api.server")
            from tuidbg.api.server import Relay

            relay = Relay(self.make_hub(), self._options, guard=self._guard)
            status = await relay.start()
            self._relay = relay
            if self._joining is None:  # a parked session may be joined without a server
                self._joining, _ = await _listen_for_clients(self.make_hub(), self)
        if (session := self._find_session()) is not None:
            for line in describe(relay):
                session.output_stream.write_private(line)
        return status

    async def stop(self) -> None:
        """Stop the server; the sessions go on."""
        async with self._changing:
            if self._relay is not None:
                relay, self._relay = self._relay, None
                await self._stop_joining()
                await relay.stop()

    async def _stop_joining(self) -> None:
        joining, self._joining = self._joining, None
        if joining is not None:
            await joining.stop()

    async def stay_parked(self, ended: asyncio.Event) -> None:
        """Go on without a terminal until a signal, or until a client has ended the last session.

        ``ended`` is also set by signals that arrived while the screen was closed. A closed terminal
        (SIGHUP) is no reason to end: the session is parked because of it. Users can join also
        without a server; if they can't, the sessions end.
        """
        hub = self.make_hub()
        for member in hub:
            member.is_parked = True
        await_signals(ended)
        asyncio.get_running_loop().remove_signal_handler(signal.SIGHUP)
        signal.signal(signal.SIGHUP, lambda *_: abandon_terminal())
        async with self._changing:
            if self._joining is None:
                self._joining, problem = await _listen_for_clients(hub, self)
                if self._joining is None and self._relay is None:
                    _say(f"{problem}, so all sessions end.")
                    return
        names = ", ".join(member.name for member in hub)
        _say(f"Left parked: {names}. `tuidbg join` reconnects; Ctrl+C ends it.")
        waits = [asyncio.create_task(ended.wait()), asyncio.create_task(hub.wait_until_empty())]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def close(self) -> None:
        """End all served sessions, report that to their clients, and stop the server."""
        async with self._changing:
            await self._stop_joining()
        if self._hub is not None:
            await self._hub.close()
        await self.stop()
        if self._hub is not None:
            await self._hub.close()  # sessions that clients started meanwhile

    def _make_session(self, plan: LaunchPlan) -> Session:
        return Session(plan, profile_for(plan), self._guard)


def _say(text: str) -> None:
    """Print to the terminal, which may be closed this very moment."""
    with contextlib.suppress(OSError):
        print(text, flush=True)


def require_packages() -> None:
    """Check that the server's dependencies are installed. Raises ServingFailed."""
    if any(importlib.util.find_spec(name) is None for name in ("fastapi", "uvicorn")):
        raise ServingFailed(missing("serving needs", "serve"))


def describe(relay: Relay) -> Iterable[str]:
    """Yield instructions for clients. The tokens are shown nowhere else."""
    yield f"Serving at {relay.address} (REST below /api/v1, the bridge at /command)."
    if relay.bridge_address:
        yield f"The bridge is at {relay.bridge_address}, too."
    for token in relay.tokens or ():
        scopes = "all" if token.scopes == ALL_SCOPES else ", ".join(sorted(token.scopes))
        yield f"Token of {token.name}: {token.value} ({scopes}{_HIDDEN[token.redact]})"
    if relay.tokens is None:
        yield "No token is asked for: any program on this machine may debug, and run code, here."
    elif relay.token_file is not None:
        yield f"While it runs, {relay.token_file} holds your own; `tuidbg send` finds it there."
    for warning in relay.warnings:
        yield f"Warning: {warning}."


def print_openapi() -> int:
    """Print the OpenAPI document. Raises ServingFailed."""
    require_packages()
    from tuidbg.api.app import openapi_document

    print(json.dumps(openapi_document(), indent=2))
    return 0


def serve(options: RelayOptions, guard: Guard) -> int:
    """Serve until a signal, then end all sessions; return the exit status. Raises ServingFailed."""
    require_packages()
    gc.enable()
    from tuidbg.api.server import Relay

    gc.freeze()

    def make_session(plan: LaunchPlan) -> Session:
        return Session(plan, profile_for(plan), guard)

    async def whole() -> None:
        ended = asyncio.Event()
        await_signals(ended)
        hub = Hub(make_session, follow=Feed)
        relay = Relay(hub, options, guard=guard)
        joining = None
        try:
            await relay.start()
            joining, problem = await _listen_for_clients(hub)
            for line in (*describe(relay), _INVITATION if joining is not None else f"{problem}."):
                print(line, file=sys.stderr if line.startswith("Warning") else sys.stdout)
            sys.stdout.flush()
            await ended.wait()
        finally:
            if joining is not None:
                await joining.stop()
            await hub.close()  # clients are notified as long as the relay runs
            await relay.stop()
            await hub.close()

    asyncio.run(whole(), debug=False)
    return 0


async def _listen_for_clients(
    hub: Hub, serving: RelaySwitch | None = None
) -> tuple[Joining | None, str]:
    """Return the listener for joining users, or a warning with the reason for its failure."""
    from tuidbg.sharing.shared_sessions import listen_for_clients

    try:
        return await listen_for_clients(hub, serving), ""
    except OSError as error:
        return None, f"Warning: joining is not possible: {error.strerror or error}"


def await_signals(ended: asyncio.Event) -> None:
    """Set ``ended`` at termination signals; at SIGHUP unless ignored (nohup)."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, ended.set)
