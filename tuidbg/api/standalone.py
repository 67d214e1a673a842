"""The sessions of a server without a screen and without a relay: `tuidbg mcp`, `tuidbg dap`."""

from __future__ import annotations

import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tuidbg.adapters.process import Guard
from tuidbg.adapters.table import profile_for
from tuidbg.api.auth.audit import Audit
from tuidbg.api.auth.callers import AccessGate
from tuidbg.api.feed.feed import Feed
from tuidbg.config.launch import LaunchPlan
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub


@asynccontextmanager
async def open_gate(guard: Guard) -> AsyncIterator[tuple[Hub, AccessGate]]:
    """Open an empty hub and its gate; both are closed at the end.

    All objects imported so far are frozen for the garbage collector. If the audit log can't be
    opened, a message goes to stderr.
    """
    gc.freeze()
    gc.enable()

    def make(plan: LaunchPlan) -> Session:
        return Session(plan, profile_for(plan), guard)

    hub = Hub(make, follow=Feed)
    try:
        audit: Audit | None = Audit.in_state_folder()
    except (OSError, RuntimeError) as error:
        print(f"tuidbg: there is no audit log: {error}", file=sys.stderr)
        audit = None
    try:
        yield hub, AccessGate(hub, audit)
    finally:
        await hub.close()
        if audit is not None:
            audit.close()
