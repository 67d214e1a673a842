"""The server: where it listens, who may open it, and that it ends when it should."""

from __future__ import annotations

import asyncio
import json
import socket
import stat
import time
from pathlib import Path

import httpx
import pytest

from tests.support.served import BASE, Served, free_port, served, served_session, use_own_folders
from tests.support.sessions import until
from tuidbg.api.options import RelayOptions
from tuidbg.api.server import Relay
from tuidbg.api.server_file import find_servers
from tuidbg.session.features.report import build_report
from tuidbg.session.hub.switch import ServingFailed


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_folders(tmp_path, monkeypatch)


async def test_a_server_is_there_until_it_is_stopped() -> None:
    async with served() as target:
        assert target.relay.address.startswith("http://127.0.0.1:")
        (found,) = find_servers()
        assert (found.url, found.token) == (target.relay.address, target.token)
        status = target.relay.status
        assert status is not None and status.token_file == found.path
        assert stat.S_IMODE(Path(found.path).stat().st_mode) == 0o600
        assert (await target.ask("GET", f"{BASE}/health")).status_code == 200
        await target.relay.stop()
        assert target.relay.status is None and find_servers() == []
        with pytest.raises(httpx.ConnectError):
            async with target.client() as client:
                await client.get(f"{BASE}/health")
        await target.relay.start()
        assert (await target.ask("GET", f"{BASE}/health")).status_code == 200


async def test_an_answer_is_sent_at_once() -> None:
    """Headers and body are two packets; the second must not wait for the first's receipt."""
    async with served() as target, target.client() as client:
        times = []
        for _ in range(20):
            began = time.perf_counter()
            await client.get(f"{BASE}/health")
            times.append(time.perf_counter() - began)
        # A receipt that is waited for takes 40 ms each time; a busy machine not each time.
        assert min(times[5:]) < 0.03


async def test_without_auth_everybody_is_let_in() -> None:
    async with served(needs_token=False) as target:
        assert target.relay.tokens is None
        for path in (f"{BASE}/health", "/health", f"{BASE}/sessions"):
            assert (await target.ask("GET", path)).status_code == 200, path
        answer = await target.ask("POST", f"{BASE}/sessions", json={})
        assert answer.status_code == 201
        (found,) = find_servers()
        assert found.token == ""


async def test_a_unix_socket_is_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "relay.sock"
    async with served(uds=str(path)) as target:
        assert target.relay.address == f"unix:{path}"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        (found,) = find_servers()
        assert (found.url, found.uds) == ("http://localhost", str(path))
        headers = {"Authorization": f"Bearer {target.token}"}
        async with httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=str(path)), base_url="http://localhost"
        ) as client:
            assert (await client.get(f"{BASE}/health")).status_code == 401
            assert (await client.get(f"{BASE}/health", headers=headers)).status_code == 200
            headers["Host"] = "evil.example"
            assert (await client.get(f"{BASE}/health", headers=headers)).status_code == 403
        with pytest.raises(ServingFailed, match="another server answers"):
            await Relay(target.hub, RelayOptions(uds=str(path))).start()
        assert path.exists()
    assert not path.exists()


async def test_a_socket_that_was_left_behind_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "relay.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    async with served(uds=str(path)) as target:
        assert target.relay.status is not None
    path.write_text("a file")
    with pytest.raises(ServingFailed, match="a file of that name"):
        async with served(uds=str(path)):
            pass
    assert path.read_text() == "a file"


@pytest.mark.full
async def test_the_bridge_may_have_a_port_of_its_own() -> None:
    async with served(bridge_port=0) as target:
        assert target.relay.bridge_address not in ("", target.relay.address)
        for address in (target.relay.address, target.relay.bridge_address):
            answer = await target.ask("GET", f"{address}/health")
            assert answer.status_code == 200 and answer.json()["ok"] is True
        (found,) = find_servers()
        assert found.bridge_url == target.relay.bridge_address


@pytest.mark.parametrize("which", ["port", "bridge_port"])
async def test_a_port_that_is_taken_is_told(which: str) -> None:
    taken, port = free_port()
    with taken:
        with pytest.raises(ServingFailed, match=rf"port {port} of 127.0.0.1 is taken"):
            async with served(**{which: port}):
                pass
        assert find_servers() == []


async def test_two_servers_stand_side_by_side() -> None:
    async with served() as one, served() as other:
        assert one.port != other.port
        assert [server.url for server in find_servers()] == [
            other.relay.address,
            one.relay.address,
        ]
        assert (await one.ask("GET", f"{BASE}/health", other.token)).status_code == 401


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"host": "0.0.0.0"}, "--allow-remote"),
        ({"host": "::", "needs_token": False}, "--allow-remote"),
        ({"host": "0.0.0.0", "allow_remote": True, "needs_token": False}, "--auth none"),
        ({"build_cmd": "'"}, "--build-cmd"),
        ({"uds": "/nowhere/at/all.sock"}, "No such file"),
        ({"uds": "/tmp/" + "x" * 200}, "too long"),
    ],
)
async def test_what_cannot_be_served_is_told(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(ServingFailed, match=sentence):
        async with served(**options):
            pass


@pytest.mark.full
@pytest.mark.real
async def test_it_ends_within_a_second_whoever_waits(tmp_path: Path) -> None:
    async with served_session(tmp_path) as target, target.client(timeout=60.0) as client:
        session = f"{BASE}/sessions/{target.member.id}"
        cursor = (await client.get(f"{session}/events")).json()["data"]["next_cursor"]
        query = {"cursor": cursor, "timeout": 30}
        polls = [
            asyncio.create_task(client.get(f"{session}/events", params=query)) for _ in range(20)
        ]
        logs = asyncio.create_task(client.get("/logs"))
        await until(lambda: _clients(target) >= 21, "all wait")
        began = time.monotonic()
        await target.relay.stop()
        assert time.monotonic() - began < 1.0
        ended = await asyncio.gather(*polls, logs, return_exceptions=True)
        assert not [end for end in ended if isinstance(end, asyncio.CancelledError)]
        assert target.member.session.status == "paused"
        await target.relay.start()
        await target.assert_unharmed()


def _clients(target: Served) -> int:
    status = target.relay.status
    return status.clients if status is not None else 0


async def test_without_a_home_it_serves_and_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "file" / "folder"))
    monkeypatch.setattr("tuidbg.api.server_file._own", _refuse)
    async with served() as target:
        assert (await target.ask("GET", f"{BASE}/health")).status_code == 200
        assert len(target.relay.warnings) == 2
        assert "audit log" in target.relay.warnings[0]


def _refuse(folder: Path) -> Path:
    raise PermissionError(1, "no", str(folder))


async def test_nothing_is_said_on_the_screen(capfd: pytest.CaptureFixture[str]) -> None:
    async with served() as target:
        await target.speak(b"nonsense\r\n\r\n")
        await target.ask("GET", "/nowhere")
        await target.ask("POST", f"{BASE}/sessions", content=b"{", headers=JSON)
    assert capfd.readouterr() == ("", "")


JSON = {"Content-Type": "application/json"}


async def test_refusals_come_with_the_request_id_of_the_client() -> None:
    async with served() as target:
        answer = await target.ask("GET", f"{BASE}/health", "x", headers={"X-Request-ID": "mine"})
        assert answer.headers["x-request-id"] == "mine"
        assert json.loads(answer.text)["meta"]["request_id"] == "mine"


@pytest.mark.full
@pytest.mark.real
async def test_a_private_line_is_for_the_persons_eyes_only(tmp_path: Path) -> None:
    async with served_session(tmp_path) as target:
        session = target.member.session
        session.output_stream.write_private("the token is T-123")
        assert "T-123" in "".join(line.text for line in session.output)
        assert "T-123" not in build_report(session)
        target.hub.adopt(session, origin="tui")  # read anew, from the console
        for path in ("output", "events"):
            answer = await target.ask("GET", f"{BASE}/sessions/{target.member.id}/{path}")
            assert answer.status_code == 200 and "T-123" not in answer.text
