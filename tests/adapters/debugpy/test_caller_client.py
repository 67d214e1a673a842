"""The client of debug servers that connect to tuidbg, where the program ends at once."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest

from tuidbg.adapters.debugpy.incoming import CallerClient
from tuidbg.dap.connection import DapConnection
from tuidbg.dap.types import Capabilities


def _framed(message: dict[str, object]) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def _answer(seq: int, command: str) -> bytes:
    answer = {"type": "response", "command": command, "success": True}
    return _framed(answer | {"seq": seq, "request_seq": seq})


GOODBYE = _framed({"seq": 99, "type": "event", "event": "terminated"})


@pytest.mark.parametrize("goodbye", [b"", GOODBYE], ids=["killed", "ended"])
@pytest.mark.parametrize("is_late", [False, True], ids=["with its answer", "after its answer"])
async def test_a_program_that_ends_with_its_last_answer(goodbye: bytes, is_late: bool) -> None:
    events: list[str] = []
    client = CallerClient(
        on_event=lambda event: events.append(event.event),
        on_request=lambda request: None,
        on_closed=lambda reason: events.append("closed"),
    )
    here, there = socket.socketpair()
    with there:
        await client.over_line(here, DapConnection())
        can = Capabilities(supports_configuration_done_request=True)
        client.connection.capabilities = can
        for seq, command in enumerate(("launch", "configurationDone"), 1):
            asking: asyncio.Task[object] = asyncio.create_task(client.request(command, {}))
            await asyncio.sleep(0)
            client.data_received(_answer(seq, command))
            if seq == 1 or is_late:
                await asking
        client.data_received(goodbye)
        client.connection_lost(None)
        await asking
    assert events[0] == "initialized"
    assert sorted(events) == ["closed", "initialized", "terminated"]
    assert client.is_cut is (goodbye == b"")
