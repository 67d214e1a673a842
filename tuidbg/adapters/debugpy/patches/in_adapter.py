"""Patches of debugpy's adapter, in its own process.

Imported by ``start_adapter.py``, which is a script, by its plain name. The debuggee writes each
message's header and body in two sends without TCP_NODELAY; the kernel holds the second back until
the first is acknowledged, and delays that acknowledgement by 40 ms. Acknowledging at once on our
side of the socket takes that delay out of the whole launch (TCP_QUICKACK is Linux's; elsewhere only
the buffering below has an effect). Reading through a buffer instead of a byte at a time makes each
message cheaper as well. And what a program had said before it ended is read to the end
(``hear_out``), what it has left behind is debugged on (``_Lasting``), and a client that is gone
before its answer costs the others nothing (``outlive_clients``).
"""

import importlib
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

FOLDER = pathlib.Path(__file__).absolute().parent.parent

LOOK_EVERY = 0.05
"""Seconds between two looks at a program that has ended, for its last words."""

SILENCE = 30
"""Looks in a row without a word after which it has said all. On a busy machine they take longer."""

LAST_WORDS = 10.0
"""Seconds that its last words may take."""

_ASKED_FOR = ("client requested", "Client[")
"""Tells how debugpy says that an end is the client's wish; otherwise the program has ended."""


class _Heard:
    """Tells when something was read last."""

    at = 0.0


class _QuickReader(io.RawIOBase):
    """Reads from a socket and acknowledges at once what came."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._sock.recv_into(buffer)
        _Heard.at = time.monotonic()
        if hasattr(socket, "TCP_QUICKACK"):
            try:
                self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            except OSError:
                pass  # not TCP, or closed meanwhile
        return count


class _BufferedReader(io.BufferedReader):
    """Can be closed while another thread reads: the read is ended first, or close() would wait."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(_QuickReader(sock), 65536)
        self._sock = sock

    def close(self) -> None:
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        super().close()


def quicken() -> None:
    """Make debugpy's socket streams quick."""
    from debugpy.common import messaging

    streams: Any = messaging.JsonIOStream
    original = streams.from_socket.__func__

    def from_socket(cls: Any, sock: socket.socket, name: str | None = None) -> Any:
        stream = original(cls, sock, name)
        if getattr(stream, "_reader", None) is not None:
            try:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if hasattr(socket, "TCP_QUICKACK"):
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            except OSError:
                pass
            stream._reader = _BufferedReader(sock)
        return stream

    streams.from_socket = classmethod(from_socket)


def hear_out() -> None:
    """Read all that a program had said before it ended.

    debugpy lets go of the program as soon as the launcher tells that it is gone. What is still on
    its way then is lost, on a busy machine thousands of records.
    """
    from debugpy.adapter import sessions

    any_sessions: Any = sessions
    session: Any = any_sessions.Session
    finalize = session._finalize

    def finalize_later(self: Any, why: str, *args: Any) -> None:
        server, launcher, servers = self.server, self.launcher, any_sessions.servers
        if server and launcher and launcher.exit_code is not None:  # false where there is none
            since, heard, looks = time.monotonic(), _Heard.at, 0
            while server.is_connected and looks < SILENCE:
                if time.monotonic() - since > LAST_WORDS:
                    break
                self.wait_for(lambda: not server.is_connected, timeout=LOOK_EVERY)
                heard, looks = _Heard.at, looks + 1 if heard == _Heard.at else 0
        if not launcher or why.startswith(_ASKED_FOR):
            finalize(self, why, *args)
            return
        any_sessions.servers = _Lasting(servers)
        try:
            finalize(self, why, *args)
        finally:
            any_sessions.servers = servers

    session._finalize = finalize_later


class _Lasting:
    """debugpy's servers, to whoever ends them all with the program that was launched.

    A process that a program leaves behind when it ends by itself is none of the adapter's: it is
    debugged on, and ended by tuidbg where that is wanted.
    """

    def __init__(self, servers: Any) -> None:
        self._servers = servers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._servers, name)

    def stop_serving(self) -> None:
        pass

    def connections(self) -> list[Any]:
        return []


def tell_of_processes() -> None:
    """Tell of the children of a program, too, that was attached to by its process id.

    debugpy keeps them to itself then, and they wait for somebody for ever.
    """
    from debugpy.adapter import clients

    client: Any = clients.Client
    notify = client.notify_of_subprocess

    def notify_always(self: Any, conn: Any) -> Any:
        if self.start_request is not None:
            self.start_request.arguments.pop("processId", None)
        return notify(self, conn)

    client.notify_of_subprocess = notify_always


class _KeptOutput:
    """What a launcher sends of its program's output before that has connected."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events = dict[Any, list[Any]]()
        self._connected = set[Any]()

    def begin(self, launcher: Any) -> None:
        """Keep what comes, unless the launcher is slow and its program has connected already."""
        with self._lock:
            if launcher not in self._connected:
                self._events[launcher] = []

    def take(self, launcher: Any, event: Any) -> bool:
        """Returns whether it is kept."""
        with self._lock:
            if launcher in self._events:
                self._events[launcher].append(event)
            return launcher in self._events

    def end(self, launcher: Any, send: Any) -> None:
        """Send what was kept, and keep no more."""
        with self._lock:
            self._connected.add(launcher)
            for event in self._events.pop(launcher, ()):
                send(event)


def give_up_with_program() -> None:
    """Fail a launch as soon as the program has ended before it connected; say how it did.

    Its output until then is emitted first. debugpy waits a minute for the connection, and handles
    no event of its launcher meanwhile.
    """
    launchers: Any = importlib.import_module("debugpy.adapter.launchers")
    servers: Any = importlib.import_module("debugpy.adapter.servers")
    take, spawn = launchers.Launcher.exited_event, launchers.spawn_debuggee
    begin, emit = launchers.Launcher.process_event, launchers.Launcher.output_event
    wait, changed = servers.wait_for_connection, servers._connections_changed
    codes, kept = dict[Any, int](), _KeptOutput()

    def begin_keeping(self: Any, event: Any) -> Any:
        if not self.session.no_debug:  # no connection is awaited then
            kept.begin(self)
        return begin(self, event)

    def keep_or_emit(self: Any, event: Any) -> Any:
        # The session is locked during the wait, and the exit code comes behind the output.
        return None if kept.take(self, event) else emit(self, event)

    def take_at_once(self: Any, event: Any) -> Any:
        codes[self] = event("exitCode", int)
        changed.set()
        return take(self, event)

    def wait_for_living(session: Any, predicate: Any, timeout: float | None = None) -> Any:
        launcher = session.launcher
        if not launcher:
            return wait(session, predicate, timeout)
        until = None if timeout is None else time.monotonic() + timeout
        while (found := wait(session, predicate, 0)) is None:
            if launcher in codes:
                raise ChildProcessError(codes[launcher])
            if not changed.wait(None if until is None else until - time.monotonic()):
                break
        kept.end(launcher, session.client.propagate_after_start)
        return found

    def spawn_debuggee(session: Any, request: Any, *more: Any) -> None:
        try:
            spawn(session, request, *more)
        except ChildProcessError as error:
            kept.end(session.launcher, session.client.channel.propagate)
            raise request.cant_handle(_describe_exit(error.args[0])) from None

    launcher = launchers.Launcher
    launcher.process_event, launcher.output_event = begin_keeping, keep_or_emit
    launchers.Launcher.exited_event = take_at_once
    servers.wait_for_connection = wait_for_living
    launchers.spawn_debuggee = spawn_debuggee


def _describe_exit(code: int) -> str:
    names = {-each: each.name for each in signal.Signals}
    how = f"was ended by {names[code]}" if code in names else f"ended with exit code {code}"
    return f"it {how} before it could be debugged"


def enter_processes() -> None:
    """Go into programs by their process ids in tuidbg's own way (``entering``), on Linux.

    It is patient: tuidbg decides when nobody waits any more, by ending this adapter. Whoever goes
    in outlives it, or a program would be left in the middle of it.
    """
    if sys.platform != "linux":
        return
    servers: Any = importlib.import_module("debugpy.adapter.servers")
    wait = servers.wait_for_connection
    own = threading.local()

    def inject(pid: int, debugpy_args: list[str], on_output: Any) -> None:
        own.visitor = _begin_to_enter(pid, servers, on_output)

    def wait_patiently(session: Any, predicate: Any, timeout: float | None = None) -> Any:
        visitor, own.visitor = getattr(own, "visitor", None), None
        if visitor is None:
            return wait(session, predicate, timeout)
        found = wait(session, predicate)
        visitor.stdin.close()
        return found

    servers.inject = inject
    servers.wait_for_connection = wait_patiently


def _begin_to_enter(pid: int, servers: Any, on_output: Any) -> "subprocess.Popen[str]":
    """The one who goes in, until its stdin is closed; what it says is handed on."""
    import debugpy
    from debugpy import adapter
    from debugpy.common import sockets

    any_sockets: Any = sockets
    setup = {
        "pid": pid,
        "debugpy": str(pathlib.Path(debugpy.__file__).absolute().parent),
        "address": any_sockets.get_address(servers.listener),
        "token": adapter.access_token,
    }
    script = FOLDER / "entering" / "enter.py"
    visitor = subprocess.Popen(
        [sys.executable, str(script), str(pid)],  # the number is for who looks at ps
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Nothing that says that it belongs to tuidbg, and is to be ended with it.
        env={name: value for name, value in os.environ.items() if name != "TUIDBG_GUARDED"},
        cwd="/",
        start_new_session=True,
    )
    assert visitor.stdin is not None
    visitor.stdin.write(json.dumps(setup) + "\n")
    visitor.stdin.flush()

    def tell() -> None:
        visitor.wait()  # it goes on as a child of nobody's
        for line in visitor.stdout or ():
            kind, _, words = line.partition(": ")
            if kind == "failed":
                on_output("stderr", f"Attach to PID failed.\n\n{words}")
            elif kind == "waiting":
                on_output("console", f"Waiting for process {pid}: {words}")

    threading.Thread(target=tell, daemon=True).start()
    return visitor


def keep_strangers_out(is_trusted: Callable[[socket.socket], bool]) -> None:
    """Accept connections of this machine from the same user alone (``same_user.py``).

    Anybody could attach to a process that just arrives and run code in it, or, with the token in
    the program's command line, pretend to be one. Python's own ``accept`` is guarded, not a
    function of debugpy's: so no port that debugpy opens is left out.
    """
    any_socket: Any = socket.socket
    accept = any_socket.accept

    def accept_ours(self: socket.socket) -> Any:
        while True:
            line, address = accept(self)
            try:
                if is_trusted(line):
                    return line, address
            except Exception:
                pass  # nobody can say whose it is
            line.close()

    any_socket.accept = accept_ours


def outlive_clients() -> None:
    """Let the adapter live on where a client is gone before its answer: it has others."""
    from debugpy.common import messaging

    request: Any = messaging.Request
    respond = request.respond

    def respond_if_there(self: Any, body: Any) -> None:
        try:
            respond(self, body)
        except messaging.NoMoreMessages:
            self.response = messaging.Response(self.channel, 0, self, body)

    request.respond = respond_if_there


def keep_token_secret() -> None:
    """Start launchers by ``debugpy_launcher.py``: no command line of the program has the token.

    It spares the launcher and the program the description of all installed packages as well.
    """
    from debugpy.adapter import launchers

    any_launchers: Any = launchers
    spawn = any_launchers.spawn_debuggee
    by = str(FOLDER / "debugpy_launcher.py")

    def spawn_debuggee(session: Any, request: Any, python: list[str], *more: Any) -> None:
        spawn(session, request, [*python, by], *more)

    any_launchers.spawn_debuggee = spawn_debuggee


def look_at_no_packages() -> None:
    """Keep debugpy from describing, for a log that is not kept, all packages that are installed."""
    if os.environ.get("DEBUGPY_LOG_DIR"):
        return
    from debugpy.common import log

    any_log: Any = log
    any_log.describe_environment = lambda header: None
