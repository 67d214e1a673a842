"""Tests what holds for every answer: envelope, headers, ids, pages, and the server itself."""

from __future__ import annotations

import platform
import re
import uuid
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.support.relay import BASE, Answer, Relay, relay, serving
from tests.support.waiting import PATIENCE
from tuidbg import __version__
from tuidbg.api.operations.views import make_time
from tuidbg.api.rest.errors import sendable
from tuidbg.api.rest.routes import server

pytestmark = pytest.mark.real

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
async def client() -> AsyncIterator[Relay]:
    async with relay() as made:
        yield made


async def test_envelope_of_success(client: Relay) -> None:
    answer = await client.ask("GET", "/health")
    assert answer.envelope["success"] is True and answer.envelope["error"] is None
    meta = answer.envelope["meta"]
    assert set(meta) == {"request_id", "timestamp"}
    assert uuid.UUID(meta["request_id"]).version == 4
    assert TIMESTAMP.fullmatch(meta["timestamp"])
    assert make_time(1768300200.1234) == "2026-01-13T10:30:00.123Z"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        pytest.param("GET", "/sessions/sess_00000000", 404, "SESSION_NOT_FOUND", id="no-session"),
        pytest.param("GET", "/nowhere", 404, "NOT_FOUND", id="unknown-route"),
        pytest.param("GET", "/../../x", 404, "NOT_FOUND", id="outside"),
        pytest.param("GET", "/sessions/", 404, "NOT_FOUND", id="no-redirect"),
        pytest.param("PATCH", "/sessions/x", 405, "METHOD_NOT_ALLOWED", id="patch"),
        pytest.param("POST", "/health", 405, "METHOD_NOT_ALLOWED", id="post"),
        pytest.param("GET", "/sessions/x/launch", 405, "METHOD_NOT_ALLOWED", id="get"),
    ],
)
async def test_envelope_of_errors(
    client: Relay, method: str, path: str, status: int, code: str
) -> None:
    answer = await client.ask(method, path)
    assert answer.refusal == (status, code)
    assert answer.error["details"]["suggestion"]


@pytest.mark.parametrize(
    "body",
    [b"{", b"[1,", b'{"a": }', b"\xff\xfe", b"nope", b'"\xed\xa0\x80"', b"[" * 99 + b"]" * 98],
)
async def test_malformed_bodies(client: Relay, body: bytes) -> None:
    answer = await client.ask(
        "POST", "/sessions", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.refusal == (400, "INVALID_REQUEST")
    assert not len(client.hub)


@pytest.mark.parametrize(
    "body",
    [b'{"name": "\\ud800"}', b'{"x": 1e999}', b'{"line": ' + b"9" * 5000 + b"}", b'{"x": NaN}'],
)
async def test_what_can_not_be_told_back_is_refused_all_the_same(
    client: Relay, body: bytes
) -> None:
    answer = await client.ask(
        "POST", "/sessions", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.refusal == (400, "INVALID_REQUEST")


async def test_unexpected_exceptions(client: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(session_id: str) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr(client.hub, "use", fail)
    answer = await client.ask("GET", "/sessions/sess_00000000")
    assert answer.refusal == (500, "INTERNAL_ERROR")
    assert "secret" not in answer.response.text


async def test_request_ids(client: Relay) -> None:
    for told in ("550e8400-e29b-41d4-a716-446655440000", "no uuid at all", "x" * 256):
        for path in ("/health", "/nowhere", "/sessions/none"):
            answer = await client.ask("GET", path, headers={"X-Request-ID": told})
            assert answer.envelope["meta"]["request_id"] == told
    answer = await client.ask("GET", "/health", headers={"X-Request-ID": "x" * 257})
    uuid.UUID(answer.envelope["meta"]["request_id"])


@pytest.mark.parametrize(
    "headers",
    [{"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"}, {}],
    ids=["text", "form", "none"],
)
async def test_bodies_must_be_json(client: Relay, headers: dict[str, str]) -> None:
    answer = await client.ask("POST", "/sessions", content=b"{}", headers=headers)
    assert answer.refusal == (400, "INVALID_REQUEST")
    assert not len(client.hub)


async def test_accept_and_bodies_are_optional(client: Relay) -> None:
    answer = await client.ask("POST", "/sessions", headers={"Accept": "text/html"})
    assert answer.status == 201
    charset = {"Content-Type": "application/json; charset=utf-8"}
    assert (await client.ask("POST", "/sessions", content=b"{}", headers=charset)).status == 201


@pytest.mark.full
async def test_large_bodies_leave_the_connection_usable() -> None:
    async with serving() as served:
        large = b'{"name": "' + b"x" * (10 * 1024 * 1024) + b'"}'
        headers = {"Content-Type": "application/json"}
        limits = httpx.Limits(max_connections=1)
        async with httpx.AsyncClient(
            base_url=served.client.base_url, limits=limits, timeout=PATIENCE
        ) as one:
            refused = Answer(await one.post(f"{BASE}/sessions", content=large, headers=headers))
            assert refused.refusal == (400, "INVALID_REQUEST")
            for _ in range(50):  # no rate limit
                assert Answer(await one.get(f"{BASE}/health")).data["active_sessions"] == 0


async def test_health(client: Relay) -> None:
    health = (await client.ask("GET", "/health")).data
    assert set(health) == {
        *("status", "version", "uptime_seconds", "active_sessions", "debugpy_available"),
    }
    assert (health["status"], health["version"]) == ("healthy", __version__)
    assert type(health["uptime_seconds"]) is int and health["debugpy_available"] is True
    created = await client.create()
    assert re.fullmatch(r"sess_[0-9a-f]{8}", created["session_id"])
    assert (await client.ask("GET", "/health")).data["active_sessions"] == 1
    await client.delete()
    assert (await client.ask("GET", "/health")).data["active_sessions"] == 0


async def test_health_without_debugpy(client: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "debugpy_version", lambda: None)
    answer = await client.ask("GET", "/health")
    assert answer.refusal == (503, "DEBUGPY_ERROR")
    assert answer.error["details"]["status"] == "unhealthy"


async def test_info(client: Relay) -> None:
    info = (await client.ask("GET", "/info")).data
    assert set(info) == {
        *("name", "version", "api_version", "python_version", "debugpy_version"),
        *("capabilities", "endpoints"),
    }
    assert info["api_version"] == "v1" and info["python_version"] == platform.python_version()
    assert info["endpoints"] == ["/api/v1/sessions", "/api/v1/health", "/api/v1/info"]
    assert info["capabilities"] == {
        "supports_conditional_breakpoints": True,
        "supports_hit_conditional_breakpoints": True,
        "supports_log_points": True,
        "supports_exception_breakpoints": True,
        "supports_function_breakpoints": True,
        "supports_evaluate": True,
        "supports_set_variable": False,
        "supports_restart": True,
        "supports_attach": True,
        "max_sessions": 10,
    }


async def test_pages(client: Relay) -> None:
    made = [(await client.create(name=f"s{i}"))["session_id"] for i in range(5)]
    default = (await client.ask("GET", "/sessions")).data
    assert {k: default[k] for k in ("total", "offset", "limit", "has_more")} == {
        "total": 5,
        "offset": 0,
        "limit": 100,
        "has_more": False,
    }
    for offset, limit in ((0, 2), (2, 2), (4, 2), (3, 2), (5, 2), (9, 1000)):
        page = (await client.ask("GET", f"/sessions?offset={offset}&limit={limit}")).data
        ids = [item["session_id"] for item in page["items"]]
        assert ids == made[offset : offset + limit]
        assert page["has_more"] is (offset + len(ids) < page["total"])


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("limit=1001", "limit"),
        ("limit=0", "limit"),
        ("limit=ten", "limit"),
        ("offset=-1", "offset"),
        ("offset=1.5", "offset"),
        ("offset=99999999999999999999999", "offset"),
        ("status=asleep", "status"),
    ],
)
async def test_pages_that_are_none(client: Relay, query: str, parameter: str) -> None:
    answer = await client.ask("GET", f"/sessions?{query}")
    assert answer.refusal == (400, "INVALID_PARAMETER")
    assert answer.error["details"]["parameter"] == parameter


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("a" * 500, "a" * 199 + "…"),
        ("\ud800", "���"),
        (2**60, str(2**60)),
        (10**5000, "a very large number"),
        (float("nan"), "nan"),
        ([1, 2], "[1, 2]"),
        (True, True),
        (None, None),
    ],
    ids=["long", "half", "int", "huge", "nan", "list", "bool", "null"],
)
def test_values_are_told_back_as_far_as_json_can(value: Any, told: Any) -> None:
    assert sendable(value) == told


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/sessions", "GET, POST"),
        ("/sessions/x", "DELETE, GET"),
        ("/sessions/x/breakpoints", "GET, POST"),
        ("/sessions/x/breakpoints/bp_1", "DELETE"),
    ],
)
async def test_allow_names_all_methods(client: Relay, path: str, methods: str) -> None:
    answer = await client.ask("PATCH", path)
    assert answer.refusal == (405, "METHOD_NOT_ALLOWED")
    assert answer.response.headers["allow"] == methods


@pytest.mark.parametrize(
    ("what", "body", "field"),
    [
        ("pause", "null", "body"),
        ("continue", " null ", "body"),
        ("step-over", "null", "body"),
        ("launch", "null", "body"),
        ("launch", '{"script": "/a.py", "module": null}', "module"),
        ("launch", '{"script": null, "module": "a"}', "script"),
        ("attach", '{"port": 1, "pid": null}', "pid"),
    ],
)
async def test_null_is_no_value(client: Relay, what: str, body: str, field: str) -> None:
    await client.create()
    headers = {"Content-Type": "application/json"}
    path = f"/sessions/{client.session_id}/{what}"
    answer = await client.ask("POST", path, content=body, headers=headers)
    assert answer.refusal == (400, "INVALID_REQUEST")
    assert [each["field"] for each in answer.error["details"]["errors"]] == [field]


async def test_a_session_is_not_made_of_null(client: Relay) -> None:
    headers = {"Content-Type": "application/json"}
    answer = await client.ask("POST", "/sessions", content="null", headers=headers)
    assert answer.refusal == (400, "INVALID_REQUEST") and not len(client.hub)
    assert (await client.ask("POST", "/sessions")).status == 201
