"""Holds what whoever starts a server has chosen. Light, so that the command line can read it."""

from __future__ import annotations

import msgspec

from tuidbg.api.gate.bodies import Limits
from tuidbg.api.gate.tokens import Token

PORT = 5679
"""Tells where REST is expected."""

TOOL_SETS = ("agent", "breakpoints", "recording", "job", "lldb", "all")
"""The sets of tools that agents can be offered; the first one by default."""


class RelayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Tells where to listen, whom to let in, what the bridge may do.

    ``port`` 0 is any free one; ``uds`` is a Unix socket in place of host and port. ``bridge_port``
    is a second port with the same on it, for those who look for the bridge at 4000.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    uds: str = ""
    bridge_port: int | None = None
    needs_token: bool = True
    allow_remote: bool = False
    redact: bool = False
    """Tells whether the owner's token gets no secrets either."""
    tokens: tuple[Token, ...] = ()
    manage_bridge: bool = False
    build_cmd: str = ""
    tools: str = TOOL_SETS[0]
    """Holds what agents at ``/mcp`` are offered that do not ask for another set."""
    limits: Limits = Limits()
