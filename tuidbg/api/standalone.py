"""The sessions of a server without a person and without a relay: `tuidbg mcp`, `tuidbg dap`."""

from __future__ import annotations

import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tuidbg.adapters.process import AdapterProcess, Guard
from tuidbg.adapters.table import profile_for
from tuidbg.api.feed.feed import Feed
from tuidbg.api.gate.audit import Audit
from tuidbg.api.gate.caller import Gate
from tuidbg.config.launch import LaunchPlan
from tuidbg.session.hub import Hub
from tuidbg.session.session import Session


@asynccontextmanager
async def open_gate(
    guard: Guard, ready: AdapterProcess | None = None
) -> AsyncIterator[tuple[Hub, Gate]]:
    """An empty hub and the gate to it, both closed at the end.

    The first launch takes the adapter that is ``ready``; one that nobody needs the guard ends.
    What has been imported by now is no garbage any more. Where there can be no audit log, that is
    said on stderr.
    """
    gc.freeze()
    gc.enable()
    waiting = [ready] if ready is not None else []

    def take(name: str) -> AdapterProcess | None:
        found = waiting.pop() if waiting and waiting[0].name == name else None
        return found if found is not None and found.popen.poll() is None else None

    def make(plan: LaunchPlan) -> Session:
        session = Session(plan, profile_for(plan), guard)
        session.processes.take_ready = take
        return session

    hub = Hub(make, follow=Feed)
    try:
        audit: Audit | None = Audit.in_state_folder()
    except (OSError, RuntimeError) as error:
        print(f"tuidbg: there is no audit log: {error}", file=sys.stderr)
        audit = None
    try:
        yield hub, Gate(hub, audit)
    finally:
        await hub.close()
        if audit is not None:
            audit.close()
