"""Attacks on the server: each is refused in the promised form, and the session is unharmed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.served import BASE, Served, served, served_session, use_own_folders
from tests.support.sessions import until
from tests.support.waiting import PATIENCE
from tuidbg.api.auth.bodies import RequestLimits, is_too_complex
from tuidbg.api.auth.hosts import AllowedHosts
from tuidbg.api.auth.http_protocol import MOST_CONNECTIONS, MOST_STRANGERS, PatientProtocol

SESSIONS = f"{BASE}/sessions"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_folders(tmp_path, monkeypatch)


@pytest.fixture
async def target(tmp_path: Path) -> AsyncIterator[Served]:
    """A server whose session must be unharmed in the end."""
    async with served_session(tmp_path) as made:
        yield made
        await made.assert_unharmed()


def error_of(answer: Any) -> tuple[int, str]:
    """Status and code of a refusal, which is an envelope."""
    envelope = answer.json()
    assert set(envelope) == {"success", "data", "error", "meta"}
    assert envelope["success"] is False and envelope["data"] is None
    assert envelope["meta"]["request_id"] == answer.headers["x-request-id"]
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    code, details = envelope["error"]["code"], envelope["error"]["details"]
    assert details["suggestion"]
    if code == "INVALID_REQUEST":
        assert all(set(each) == {"field", "message", "value"} for each in details["errors"])
        assert details["errors"]
    return answer.status_code, code


FORBIDDEN = (403, "FORBIDDEN")
UNAUTHORIZED = (401, "UNAUTHORIZED")
INVALID = (400, "INVALID_REQUEST")


@pytest.mark.full
@pytest.mark.parametrize("auth", [True, False], ids=["token", "auth-none"])
async def test_only_our_own_address_is_served(auth: bool) -> None:
    async with served(needs_token=auth) as target:
        for host in ("evil.example", f"evil.example:{target.port}", "127.0.0.1", "127.0.0.1:1", ""):
            answer = await target.ask("GET", f"{BASE}/health", headers={"Host": host})
            assert error_of(answer) == FORBIDDEN, host
        for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
            answer = await target.ask(
                "GET", f"{BASE}/health", headers={"Host": f"{name}:{target.port}"}
            )
            assert answer.status_code == 200, name


@pytest.mark.full
@pytest.mark.parametrize("auth", [True, False], ids=["token", "auth-none"])
async def test_pages_of_others_are_refused(auth: bool) -> None:
    async with served(needs_token=auth) as target:
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": f"https://127.0.0.1:{target.port}"},
            {"Origin": "http://127.0.0.1:1"},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            for method in ("GET", "POST", "DELETE", "OPTIONS"):
                answer = await target.ask(method, SESSIONS, headers=headers)
                assert error_of(answer) == FORBIDDEN, (headers, method)
        assert len(target.hub) == 0
        own = {"Origin": f"http://127.0.0.1:{target.port}", "Sec-Fetch-Site": "same-origin"}
        answer = await target.ask("GET", SESSIONS, headers=own)
        assert answer.status_code == 200
        assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.full
@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None]
)
async def test_a_body_must_be_json(kind: str | None) -> None:
    async with served(needs_token=False) as target:
        headers = {"Content-Type": kind} if kind else {}
        for method in ("POST", "PATCH", "DELETE"):
            answer = await target.ask(method, SESSIONS, content=b"{}", headers=headers)
            assert error_of(answer) == INVALID
        assert len(target.hub) == 0
        headers = {"Content-Type": "application/json; charset=utf-8"}
        answer = await target.ask("POST", SESSIONS, content=b"{}", headers=headers)
        assert answer.status_code == 201


@pytest.mark.full
@pytest.mark.real
async def test_without_the_token_nothing_is_served(target: Served) -> None:
    whole = target.token
    evaluate = f"{SESSIONS}/{target.member.id}/evaluate"
    for shown in ("", "x", whole[:-1], whole + "x", whole.upper(), "\xe9"):
        headers = [("Authorization", f"Bearer {shown}".encode("latin-1"))] if shown else []
        for method, path in (("GET", SESSIONS), ("POST", evaluate), ("GET", "/openapi.json")):
            answer = await target.ask(method, path, "", headers=headers)
            assert error_of(answer) == UNAUTHORIZED, (shown, path)
            assert answer.headers["www-authenticate"] == "Bearer"
            assert whole not in answer.text
    basic = {"Authorization": f"Basic {whole}"}
    assert error_of(await target.ask("GET", SESSIONS, "", headers=basic)) == UNAUTHORIZED
    two = [("Authorization", "Bearer x"), ("Authorization", f"Bearer {whole}")]
    assert error_of(await target.ask("GET", SESSIONS, "", headers=two)) == UNAUTHORIZED


@pytest.mark.full
@pytest.mark.real
async def test_the_bridge_refuses_in_its_own_form(target: Served) -> None:
    for path in ("/command", "/health", "/logs"):
        answer = await target.ask("GET", path, "wrong")
        assert answer.status_code == 401
        assert answer.json() == {
            "ok": False,
            "error": "the bearer token is not one of this server's;"
            " send the header Authorization: Bearer TOKEN",
        }


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
async def test_a_body_too_large_is_refused_and_the_connection_lives(
    target: Served, chunked: bool
) -> None:
    size = RequestLimits().body + 1
    path = f"{SESSIONS}/{target.member.id}/evaluate"

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(size // 65_536 + 1):
            yield b" " * 65_536

    content = pieces() if chunked else b" " * size
    async with target.client() as client:
        headers = {"Content-Type": "application/json"}
        answer = await client.post(path, content=content, headers=headers)
        assert error_of(answer) == INVALID
        before = answer.extensions["network_stream"].get_extra_info("socket").getsockname()
        answer = await client.get(SESSIONS)
        after = answer.extensions["network_stream"].get_extra_info("socket").getsockname()
        assert answer.status_code == 200 and after == before


@pytest.mark.full
@pytest.mark.real
async def test_a_body_without_end_is_not_read_for_ever(target: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", target.port)
    head = (
        f"POST {SESSIONS} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n"
        f"Authorization: Bearer {target.token}\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    writer.write(head.encode())
    piece = b"10000\r\n" + b" " * 65_536 + b"\r\n"
    sent = 0
    answer = asyncio.create_task(reader.read())
    try:
        while not answer.done() and sent < 4 * RequestLimits().swallowed:
            writer.write(piece)
            sent += len(piece)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
    assert sent < 2 * RequestLimits().swallowed
    await asyncio.wait((answer,), timeout=10.0)
    assert answer.done()
    if answer.exception() is None:
        assert answer.result().startswith(b"HTTP/1.1 400")


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("path", [SESSIONS, "/command"])
async def test_a_deep_body_is_refused(target: Served, opening: str, path: str) -> None:
    answer = await target.ask(
        "POST", path, content=opening * 100_000, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400
    assert "nested" in answer.text


def test_depth_is_that_of_lists_and_objects() -> None:
    limits = RequestLimits(depth=5, containers=50)
    for allowed in (
        "[" * 5 + "]" * 5,
        '["[[[[[[[[", "\\"[[[[[["]',
        "[[],[],[]," * 3 + "1" + "]" * 3,
    ):
        assert not is_too_complex(allowed.encode(), limits), allowed
    for refused in ("[" * 6 + "]" * 6, '[{"a":' * 3 + "1" + "}]" * 3, "[" + "[]," * 60 + "1]"):
        json.loads(refused)
        assert is_too_complex(refused.encode(), limits), refused


@pytest.mark.full
@pytest.mark.real
async def test_too_many_headers_are_refused(target: Served) -> None:
    many = {f"X-{number}": "a" for number in range(200)}
    assert error_of(await target.ask("GET", SESSIONS, headers=many)) == INVALID
    flood = b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: " + b"a" * 500_000
    answer = await target.speak(flood)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400")


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize(
    "begun",
    [b"", b"GET /api/v1/health HTTP/1.1\r\nHost: x", b"POST / HTTP/1.1\r\nHost: x\r\nX-a: "],
    ids=["silence", "headers", "one-header"],
)
async def test_who_dawdles_is_hung_up_on(
    target: Served, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PatientProtocol, "patience", 0.2)
    assert await target.speak(begun, limit=10.0) == b""


async def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    async with served(limits=RequestLimits(patience=0.2)) as target:
        head = (
            f"POST {SESSIONS} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n"
            f"Authorization: Bearer {target.token}\r\nContent-Type: application/json\r\n"
            "Content-Length: 100\r\n\r\n{"
        )
        answer = await target.speak(head.encode())
        assert answer.startswith(b"HTTP/1.1 400") and b"INVALID_REQUEST" in answer


@pytest.mark.full
@pytest.mark.real
async def test_a_slow_second_request_is_hung_up_on_too(
    target: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PatientProtocol, "patience", 0.5)
    request = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode()
    answer = await target.speak(request + request[:20])
    assert answer.startswith(b"HTTP/1.1 401") and answer.count(b"HTTP/1.1") == 1


def keep_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Close them for want of room alone, not for their silence."""
    monkeypatch.setattr("tuidbg.api.auth.http_protocol.STRANGERS_PATIENCE", 2 * PATIENCE)
    monkeypatch.setattr(PatientProtocol, "patience", 2 * PATIENCE)


@pytest.mark.full
@pytest.mark.real
async def test_connections_are_limited(target: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_strangers(monkeypatch)
    opened = [
        await asyncio.open_connection("127.0.0.1", target.port)
        for _ in range(MOST_CONNECTIONS + 20)
    ]
    try:
        ended = [asyncio.create_task(reader.read()) for reader, _ in opened]
        await until(lambda: sum(task.done() for task in ended) >= 20, "some are refused")
    finally:
        for _, writer in opened:
            writer.close()
        await asyncio.gather(*ended, return_exceptions=True)


@pytest.mark.full
@pytest.mark.real
async def test_strangers_lock_nobody_out(target: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither who is there already, nor who comes; those who wait longest make place."""
    keep_strangers(monkeypatch)
    strangers = []
    request = f"GET {SESSIONS} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode()
    keeping = httpx.Limits(keepalive_expiry=None)  # it is not the client who hangs up
    async with target.client(timeout=PATIENCE, limits=keeping) as known:
        assert (await known.get(SESSIONS)).status_code == 200
        (here,) = known._transport._pool.connections  # type: ignore[attr-defined]
        try:
            for number in range(2 * MOST_CONNECTIONS):
                strangers.append(await asyncio.open_connection("127.0.0.1", target.port))
                if number % 2:  # refused, and kept open
                    strangers[-1][1].write(request)
                if number % 60 == 0:
                    await target.assert_unharmed()
            await until(lambda: _connections(target) <= MOST_STRANGERS + 1, "the others are closed")
            assert _connections(target) > MOST_STRANGERS / 2
            assert (await known.get(SESSIONS)).status_code == 200
            assert known._transport._pool.connections == [here]  # type: ignore[attr-defined]
        finally:
            for _, writer in strangers:
                writer.close()


@pytest.mark.full
@pytest.mark.real
async def test_a_stranger_is_not_kept_long_between_requests(
    target: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuidbg.api.auth.http_protocol.STRANGERS_PATIENCE", 0.2)
    request = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n\r\n".encode()
    answer = await target.speak(request, limit=10.0)
    assert answer.startswith(b"HTTP/1.1 401") and answer.endswith(b"}")


@pytest.mark.full
@pytest.mark.real
async def test_fifty_can_wait_for_events_at_once(target: Served) -> None:
    async with target.client(timeout=PATIENCE) as client:
        events = f"{SESSIONS}/{target.member.id}/events"
        cursor = (await client.get(events)).json()["data"]["next_cursor"]
        query = {"cursor": cursor, "timeout": 20}
        waiting = [asyncio.create_task(client.get(events, params=query)) for _ in range(50)]
        await until(lambda: _connections(target) >= 50, "all wait")
        await target.assert_unharmed()
        await target.member.session.breakpoints.set(
            target.member.session.plan.first_source, 3, origin="test"
        )
        for answer in await asyncio.gather(*waiting):
            assert answer.status_code == 200 and answer.json()["data"]["events"]


def _connections(target: Served) -> int:
    status = target.relay.status
    return status.clients if status is not None else 0


@pytest.mark.full
@pytest.mark.real
async def test_websockets_are_refused(target: Served) -> None:
    request = (
        f"GET /api/v1/health HTTP/1.1\r\nHost: evil.example:{target.port}\r\n"
        "Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    assert (await target.speak(request.encode())).startswith(b"HTTP/1.1 403")


def test_hosts_of_an_open_address_are_numbers_not_names() -> None:
    hosts = AllowedHosts()
    hosts.listen("0.0.0.0", 5679)
    assert hosts.admit("192.168.1.7:5679") and hosts.admit("localhost:5679")
    assert not hosts.admit("evil.example:5679") and not hosts.admit("192.168.1.7:80")
    assert not hosts.admit("192.168.1.7")
