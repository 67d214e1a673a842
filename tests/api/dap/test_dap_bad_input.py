"""Whatever a client sends is answered: with a number and words, or by an end of the connection."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.editors import Editor, LocalEditor, encode, local_editor, why_refused
from tests.support.sessions import KeepingGuard, until
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.api.dap import client as clients
from tuidbg.api.dap.commands import COMMANDS
from tuidbg.dap import server_connection
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub


def make_hub() -> Hub:
    return Hub(lambda plan: Session(plan, DebugpyProfile(), KeepingGuard()))


@pytest.fixture
async def editor() -> LocalEditor:
    return local_editor(make_hub(), joins=None)


async def last(editor: Editor) -> dict[str, object]:
    await editor.until(lambda: editor.told, "an answer")
    return editor.told[-1]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe\x00",
        b'{"seq": 1}',
        b'{"seq": 1, "type": "nonsense"}',
        b'{"seq": 1, "type": "event", "event": "stopped"}',
        b'{"seq": "one", "type": "request", "command": "threads"}',
        b'{"seq": 7, "type": "request", "command": 5}',
        b'{"seq": -7, "type": "request", "command": "threads"}',
        b'{"seq": 1, "type": "request", "command": ""}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
async def test_what_is_no_message(editor: LocalEditor, body: bytes) -> None:
    editor.write(encode(body))
    await last(editor)
    assert why_refused(editor.told[-1])
    assert await editor.ask("initialize", adapterID="tuidbg")  # and all goes on
    assert not editor.problems


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"Content-Length: many\r\n\r\n{}",
        b"Content-Type: x\r\n\r\n{}",
        b"\x00" * 5000,
        b"x" * 10_000,
    ],
)
async def test_where_frames_are_lost_the_connection_ends(editor: LocalEditor, data: bytes) -> None:
    editor.write(data)
    await last(editor)
    assert "closed" in why_refused(editor.told[-1])
    await until(lambda: editor.is_closed)


async def test_a_message_that_is_too_long_is_passed_over(editor: LocalEditor) -> None:
    too_long = server_connection.LONGEST + 1
    header = b"Content-Length: %d\r\n\r\n" % too_long
    editor.write(header)
    piece = b"x" * 1_000_000
    for _ in range(too_long // len(piece)):
        editor.write(piece)
    editor.write(b"x" * (too_long % len(piece)))
    await last(editor)
    assert str(too_long) in why_refused(editor.told[-1])
    assert await editor.ask("initialize", adapterID="tuidbg")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("threads", "initialize"),
        ("launch", "initialize"),
        ("setBreakpoints", "initialize"),
        ("nonsense", "no request 'nonsense'"),
        ("stepBack", "initialize"),
    ],
)
async def test_before_initialize(editor: LocalEditor, command: str, words: str) -> None:
    request: dict[str, object] = {"type": "request", "command": command, "arguments": {}}
    assert words in why_refused(await editor.send_raw(request))


async def test_in_the_wrong_order(editor: LocalEditor) -> None:
    await editor.ask("initialize", adapterID="tuidbg")
    assert "can't come now" in await editor.refused("initialize", adapterID="tuidbg")
    for command in ("threads", "setBreakpoints", "next", "evaluate", "restart"):
        request: dict[str, object] = {"type": "request", "command": command, "arguments": {}}
        assert "after launch or attach" in why_refused(await editor.send_raw(request))
    assert "no session" in await editor.refused("attach", name="nothing")
    await editor.ask("cancel", requestId=99)
    await editor.ask("configurationDone")
    await editor.ask("disconnect")
    await until(lambda: editor.is_closed)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("initialize", []),
        ("initialize", {"linesStartAt1": "yes"}),
        ("initialize", {"pathFormat": "smoke signals"}),
        ("initialize", 7),
    ],
)
async def test_arguments_of_a_wrong_type(
    editor: LocalEditor, command: str, arguments: object
) -> None:
    request: dict[str, object] = {"type": "request", "command": command, "arguments": arguments}
    assert why_refused(await editor.send_raw(request))
    assert await editor.ask("initialize", adapterID="tuidbg")


async def test_what_fails_in_tuidbg_itself_is_answered_too(
    editor: LocalEditor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr(clients, "decode_body", fail)
    sentence = await editor.refused("initialize", adapterID="tuidbg")
    assert "tuidbg itself failed" in sentence
    assert "unforeseen" in capsys.readouterr().err


async def test_split_as_it_pleases(editor: LocalEditor) -> None:
    """Bytes come in pieces of any size, and several messages in one."""
    message = {"seq": 1, "type": "request", "command": "nonsense"}
    data = encode(message) + encode({**message, "seq": 2})
    for index in range(len(data)):
        editor.write(data[index : index + 1])
    await editor.until(lambda: len(editor.told) == 2, "two answers")
    assert [told["request_seq"] for told in editor.told] == [1, 2]
    editor.write(encode({**message, "seq": 3}) + encode({**message, "seq": 4}))
    await editor.until(lambda: len(editor.told) == 4, "four answers")
    assert not editor.problems


async def test_what_is_called_off_by_others_is_answered(
    editor: LocalEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request may wait for what ends with its session: its client is told so all the same."""

    async def serve(client: clients.DapClient, asked: object) -> object:
        waited_for = asyncio.get_running_loop().create_future()
        waited_for.cancel()
        return await waited_for

    odd = COMMANDS["initialize"]._replace(serve=serve)
    monkeypatch.setitem(COMMANDS, "initialize", odd)
    answer = await editor.answer("initialize", adapterID="x")
    assert why_refused(answer) == "initialize was cancelled"
