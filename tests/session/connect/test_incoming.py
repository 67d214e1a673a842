"""Which process is the program, where its children may connect before it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.traits import IncomingServer
from tuidbg.session.core.connect.incoming import IncomingPort


async def test_children_that_connect_before_the_program_are_its_children() -> None:
    taken: list[int] = []
    released: list[int] = []
    children = SimpleNamespace(
        take_in_server=lambda server, *_: taken.append(server.pid),
        release_server=lambda server: released.append(server.pid),
    )
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
    await port.close()
    assert released == []
    lonely = IncomingPort(session, attached_to=100)
    lonely._accept(line, IncomingServer(line, line, 104, 100), "")
    await lonely.close()
    assert released == [104]
    with pytest.raises(AdapterError, match="not waited for"):
        await lonely.wait_for_program(asyncio.sleep(10))
