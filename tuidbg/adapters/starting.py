"""Starts an adapter that dials us, perhaps on the terminal of its program."""

from __future__ import annotations

import os
import socket

from tuidbg.adapters.process import AdapterProcess, Launch
from tuidbg.adapters.profile import AdapterProfile
from tuidbg.adapters.program_start import TERM


def start_calling_back(profile: AdapterProfile, launch: Launch, terminal: str) -> AdapterProcess:
    """Start it; ``terminal`` is a path, or empty. Raises AdapterNotStarted."""
    server = socket.create_server(("127.0.0.1", 0))
    descriptor = os.open(terminal, os.O_RDWR | os.O_NOCTTY) if terminal else None
    try:
        host, port = server.getsockname()
        return AdapterProcess.start(
            profile.command(f"{host}:{port}"),
            name=profile.name,
            environment={**profile.environment(), **({"TERM": TERM} if terminal else {})},
            launch=launch,
            server=server,
            terminal=descriptor,
        )
    except BaseException:
        server.close()
        raise
    finally:
        if descriptor is not None:
            os.close(descriptor)
