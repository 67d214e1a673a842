"""The start of an adapter that uses TCP, on its program's terminal if needed."""

from __future__ import annotations

import os
import socket

from tuidbg.adapters.process import AdapterProcess, LaunchGuard
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.adapters.program.started import TERM
from tuidbg.adapters.traits import Line
from tuidbg.config.launch import Plan


def start_by_tcp(
    profile: AdapterProfile, plan: Plan, launch: LaunchGuard, terminal: str
) -> AdapterProcess:
    """Start it; ``terminal`` is a path, or empty. Raises AdapterNotStarted.

    If the adapter listens, it gets a port that is free at the moment.
    """
    server: socket.socket | None = socket.create_server(("127.0.0.1", 0))
    assert server is not None
    host, port = server.getsockname()
    if profile.start.line is Line.LISTENS:
        server.close()
        server = None
    descriptor = os.open(terminal, os.O_RDWR | os.O_NOCTTY) if terminal else None
    try:
        return AdapterProcess.start(
            profile.start.command_for(plan, f"{host}:{port}"),
            name=profile.name,
            environment={**profile.start.environment(), **({"TERM": TERM} if terminal else {})},
            launch=launch,
            server=server,
            address=None if server is not None else (host, port),
            terminal=descriptor,
        )
    except BaseException:
        if server is not None:
            server.close()
        raise
    finally:
        if descriptor is not None:
            os.close(descriptor)
