"""Programs that connect to us: ``debugpy.connect``, ``python -m debugpy --connect``.

The session that listens is the root of their tree and has no program itself. Each connection that
proves to be a program is used directly: debugpy's server in the program speaks DAP, and no adapter
is started for it. Processes started by such a program connect by themselves, and are handled in the
same way.

How connections are accepted: ``accepting.py``.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import resource
import socket
import ssl
import time
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.forwarding.tls import listening_context
from tuidbg.config.launch import AttachPlan, HostsPlan
from tuidbg.dap.connection import DapConnection
from tuidbg.process.limits import raise_limit
from tuidbg.process.listing import read_name
from tuidbg.session.core.connect import accepting
from tuidbg.session.core.connect.accepting import Acceptor
from tuidbg.session.core.connect.attaching import LOOPBACK
from tuidbg.session.core.connect.incoming import WAKING
from tuidbg.session.core.process_tree.family import ASKED_AGAIN, ProcessInfo, ProcessTree
from tuidbg.session.core.process_tree.identity import learn_identity
from tuidbg.session.core.process_tree.merged_output import MergedOutput
from tuidbg.session.model.errors import AttachFailed, DebuggerError

if TYPE_CHECKING:
    from tuidbg.adapters.forwarding.server import ForwardingServer
    from tuidbg.session.core.session import Session

STARTING_LIMIT = 16
"""Programs attached to at a time: with a thousand at once none would be ready in time."""

GREETING = 10.0
"""Seconds for a peer to prove that it is a program."""

PATIENCE = 30.0
"""Seconds for a connected program to identify itself."""

ARRIVAL = 5.0
"""Seconds for connecting programs to arrive before they are detached."""

NAMED_WITHIN = (ASKED_AGAIN, 2 * ASKED_AGAIN)
"""Seconds between the queries for a process's name, while it has none."""

MANY, SETTLED = 64, 2.0
"""The number of programs from which on garbage collection skips them, and the seconds without
a new one before that."""


class Listener:
    """The port of one session, and the programs that connect."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._acceptor = Acceptor(session, self._greet, self._accept)
        self._arriving: set[asyncio.Task[None]] = set()
        self._arrived_at = 0.0
        self._turns = asyncio.Semaphore(STARTING_LIMIT)
        self._merged = MergedOutput(session.output_stream)
        self._settling: asyncio.TimerHandle | None = None
        self._is_frozen = False
        self._machines: set[str] = set()
        self._hosts: ForwardingServer | None = None
        self._plan: AttachPlan | None = None
        self._serving: asyncio.Task[None] | None = None
        self._files: tuple[int, int] | None = None
        """The limits of open files before it listened."""

    def open(self, plan: AttachPlan) -> None:
        """Listen from now on. Raises AttachFailed."""
        self._plan = plan
        server = bind(plan)
        if plan.hosts is not None:
            self._open_to_hosts(plan, plan.hosts, server)
        self._files = raise_limit()
        family = ProcessTree.of(self._session)
        family.root.name = f"listening on {plan.title}"
        family.on_dropped.append(self._note_gone)
        if warning := warn_of(plan):
            self._session.notify(warning, "warning")
        self._acceptor.open(server)

    def _open_to_hosts(self, plan: AttachPlan, wanted: HostsPlan, server: socket.socket) -> None:
        from tuidbg.adapters.forwarding.server import ForwardingServer

        try:
            context = make_context(wanted)
            port = bind_for_hosts(plan, wanted)
        except AttachFailed:
            server.close()
            raise
        self._hosts = ForwardingServer(self, plan.token, context)
        self._serving = asyncio.create_task(self._hosts.serve(port))

    def take_carried(self, line: socket.socket, host: str) -> None:
        """Accept a program's connection forwarded by another machine."""
        self._machines.add(host)
        self._acceptor.take_carried(line, host)

    @property
    def refusals(self) -> int:
        """Return the number of refused connections."""
        return self._acceptor.refusals

    def refuse(self, peer: str, why: str) -> None:
        """Report a refused connection."""
        self._acceptor.refuse(peer, why)

    def tell_of_host(self, words: str, severity: str) -> None:
        """Report the outcome of connecting a machine."""
        self._session.notify(words, severity)

    def _settle_soon(self) -> None:
        if self._settling is not None:
            self._settling.cancel()
        self._settling = asyncio.get_running_loop().call_later(SETTLED, self._freeze)

    def _freeze(self) -> None:
        """Exclude sessions from garbage collection: scanning a thousand takes 0.2 s."""
        self._settling = None
        if len(ProcessTree.of(self._session)) > MANY:
            gc.freeze()
            self._is_frozen = True

    def _note_gone(self, relative: object) -> None:
        """Make its remains garbage again."""
        if self._is_frozen:
            self._is_frozen = False
            gc.unfreeze()
            self._settle_soon()

    async def settle(self) -> None:
        """Accept no more programs, and let the connecting ones arrive: then they can be detached.

        A program that waits for its debugger would wait for ever if it were dropped in between.
        """
        self._acceptor.stop()
        await self._acceptor.wait_for_carried(ARRIVAL)
        if self._arriving:
            await asyncio.wait(self._arriving, timeout=ARRIVAL)
        await asyncio.sleep(max(0.0, self._arrived_at + WAKING - time.monotonic()))

    async def close(self) -> None:
        """Accept no more programs; the present ones stay."""
        await self._acceptor.close()
        tasks = list(self._arriving)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._merged.close()
        if self._settling is not None:
            self._settling.cancel()
        if self._is_frozen:
            gc.unfreeze()
        if self._files is not None:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, self._files)
        if self._hosts is not None:
            await self._hosts.close()
        self._files = self._hosts = None

    async def _greet(self, line: socket.socket) -> DapConnection:
        assert self._plan is not None
        attach = self._session.profile.attach
        return await attach.greet_caller(line, self._plan.token, GREETING)

    def _accept(self, line: socket.socket, connection: DapConnection, peer: str) -> None:
        """Accept a program in a task of its own, which is never cancelled."""
        assert self._plan is not None
        task = asyncio.create_task(self._take_in(line, connection, peer, self._plan))
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)

    async def _take_in(
        self, line: socket.socket, connection: DapConnection, peer: str, plan: AttachPlan
    ) -> None:
        async with self._turns:
            await self._begin(line, connection, peer, plan)

    async def _begin(
        self, line: socket.socket, connection: DapConnection, peer: str, plan: AttachPlan
    ) -> None:
        """Start a session for the peer; errors are shown to the user."""
        root = self._session
        name = f"from {peer}"
        own = msgspec.structs.replace(
            plan,
            name=name,
            token="",
            connect_timeout=PATIENCE,
            just_my_code=root.sources.just_my_code,
        )
        session = root.make_beside(own)
        for local, remote in own.path_mappings.items():
            session.sources.map_paths(local, remote)
        family = ProcessTree.of(root)
        session.processes.is_caller = session.profile.attach.find_caller(line)
        relative = family.add(session, root, name)
        relative.machine = peer if peer in self._machines else ""
        self._merged.follow(relative)
        try:
            client = session.adapter.connect(session.profile.attach.caller_client())
            await client.over_line(line, connection)
            await session.lifecycle.start(begun=client)
        except (DebuggerError, AdapterNotStarted) as error:
            family.drop(relative)
            await session.close()
            root.notify(
                f"the program that connected from {peer} was not taken in:"
                f" {error.__cause__ or error}",
                "warning",
            )
            return
        self._arrived_at = time.monotonic()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await session.events.wait_for(lambda: session.pid is not None or relative.is_over)
        if session.pid is not None:
            is_here = peer.startswith("127.") or peer == "::1"
            program = _name_here(session) if is_here else ""
            program = program or f"{peer}, process"
            known = f"{program} {session.pid}"
            session.plan = msgspec.structs.replace(own, name=known)
            family.rename(relative, known)
            family.identify(relative, await learn_identity(session, is_here=is_here))
            root.write_output("console", f"{relative.name} has connected\n")
            self._settle_soon()
            session.spawn(_ask_again(family, relative, is_here=is_here))


async def _ask_again(family: ProcessTree, relative: ProcessInfo, *, is_here: bool) -> None:
    """Learn the name of a worker that gets it just after its start: its end is reported by name.

    Later each read of the job queries it.
    """
    for pause in NAMED_WITHIN:
        await asyncio.sleep(pause)
        if relative.is_over or not relative.is_to_be_asked:
            return
        family.identify(relative, await learn_identity(relative.session, is_here=is_here))


def _name_here(session: Session) -> str:
    """Return the command of a local process; the adapter knows that of a child."""
    assert session.pid is not None
    return session.profile.attach.program_of(session.pid) or read_name(session.pid)


def warn_of(plan: AttachPlan) -> str:
    """Return a warning for listening beyond this machine; else empty."""
    if plan.host in LOOPBACK:
        return ""
    if plan.token:
        return (
            f"nothing on the line to {plan.title} is encrypted, its token neither: on networks that"
            " are not yours, listen on 127.0.0.1 and use an SSH tunnel"
        )
    return (
        f"any process that reaches {plan.title} becomes a program to debug, and nothing on the line"
        " is encrypted: on networks that are not yours, listen on 127.0.0.1 and use an SSH tunnel"
    )


def bind(plan: AttachPlan) -> socket.socket:
    """Return a socket that listens there. Raises AttachFailed."""
    assert plan.port is not None
    try:
        found = socket.getaddrinfo(
            plan.host, plan.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, _, _, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
        return accepting.bind(family, address)
    except OSError as error:
        why = accepting.explain_os_error(error)
        raise AttachFailed(f"can't listen at {plan.title}: {why}") from error


def bind_for_hosts(plan: AttachPlan, wanted: HostsPlan) -> socket.socket:
    """Return a socket that listens there. Raises AttachFailed, also if open to everybody."""
    if wanted.host not in LOOPBACK and not plan.token:
        raise AttachFailed(
            f"any machine could call {wanted.host}:{wanted.port}: a token is wanted (--token-file)"
        )
    return bind(msgspec.structs.replace(plan, host=wanted.host, port=wanted.port))


def make_context(wanted: HostsPlan) -> ssl.SSLContext | None:
    """Return TLS with the certificate, if there is one. Raises AttachFailed."""
    if not wanted.certificate:
        return None
    try:
        return listening_context(wanted.certificate, wanted.key)
    except OSError as error:  # OpenSSL's errors are among these
        why = error.strerror or str(error)
        raise AttachFailed(f"can't use the certificate {wanted.certificate}: {why}") from error


def warn_of_hosts(wanted: HostsPlan) -> str:
    """Return a warning for machines connecting without TLS; else empty."""
    if wanted.host in LOOPBACK or wanted.certificate:
        return ""
    return (
        f"nothing on the lines to {wanted.host}:{wanted.port} is encrypted, the token neither:"
        " --certificate has them speak TLS"
    )
