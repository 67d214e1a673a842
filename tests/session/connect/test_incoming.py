"""Which process is the program, where its children may connect before it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from tuidbg.adapters.traits.launch import IncomingServer
from tuidbg.session.connect.incoming import IncomingPort


async def test_children_that_connect_before_the_program_are_its_children() -> None:
    taken: list[int] = []
    children = SimpleNamespace(take_in_server=lambda server, *_: taken.append(server.pid))
    launch = SimpleNamespace(identify=lambda line: None)
    session: Any = SimpleNamespace(
        profile=SimpleNamespace(launch=launch), family=None, children=children
    )
    port = IncomingPort(session, attached_to=100)
    line: Any = None
    for pid, ppid in ((101, 100), (102, 101), (100, 1), (103, 100)):
        port._accept(line, IncomingServer(line, line, pid, ppid), "")
    program = await port.wait_for_program(asyncio.sleep(10))
    assert program.pid == 100
    assert taken == [101, 102, 103]
