"""`tuidbg web`: who is let in, and what a tab shows; without a browser."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from tests.support.command import TUIDBG, environment
from tests.web.opened import Opened, Tab, opened, tab

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with opened(tmp_path_factory.mktemp("web")) as running:
        yield running


async def status(
    running: Opened, path: str = "/", *, cookie: bool = False, **headers: str
) -> tuple[int, aiohttp.ClientResponse]:
    sent = {**headers, **({"Cookie": running.cookie} if cookie else {})}
    async with (
        aiohttp.ClientSession() as client,
        client.get(running.origin + path, headers=sent, allow_redirects=False) as response,
    ):
        await response.read()
        return response.status, response


# Who is let in


@pytest.mark.full
async def test_the_token_is_asked_for_once_and_then_in_a_cookie(running: Opened) -> None:
    code, answer = await status(running, f"/?token={running.token}")
    assert code == 303
    assert answer.headers["Location"] == "/"
    cookie = answer.headers["Set-Cookie"]
    assert running.cookie in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    code, page = await status(running, cookie=True)
    assert code == 200
    text = await page.text()
    assert text.count("<title>program.py - tuidbg</title>") == 1
    assert f'data-session-websocket-url="ws://{running.host}/ws"' in text
    assert running.token not in text


async def test_the_page_needs_nothing_from_the_internet(running: Opened) -> None:
    _, page = await status(running, cookie=True)
    text = (await page.text()).replace(f"ws://{running.host}", "")
    assert "://" not in text
    for path in ("/page.js", "/static/js/textual.js", "/static/css/xterm.css"):
        assert path in text
        assert (await status(running, path, cookie=True))[0] == 200
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    "path", ["/", "/?token=wrong", "/?token=", "/ws", "/page.js", "/static/js/textual.js", "/x"]
)
async def test_nothing_is_shown_without_the_token(running: Opened, path: str) -> None:
    code, answer = await status(running, path)
    assert code == 401
    assert "token" in await answer.text()


async def test_a_token_in_the_address_is_for_the_page_alone(running: Opened) -> None:
    assert (await status(running, f"/ws?token={running.token}"))[0] == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1"])
async def test_a_request_for_another_host_is_refused(running: Opened, host: str) -> None:
    assert (await status(running, cookie=True, Host=host))[0] == 403


async def test_the_names_of_this_machine_are_ours(running: Opened) -> None:
    port = running.host.rpartition(":")[2]
    code, page = await status(running, cookie=True, Host=f"localhost:{port}")
    assert code == 200
    assert f"ws://localhost:{port}/ws" in await page.text()


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", ""])
async def test_a_websocket_of_a_foreign_page_is_refused(running: Opened, origin: str) -> None:
    headers = {"Cookie": running.cookie, "Origin": origin}
    async with aiohttp.ClientSession(headers=headers) as client:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"ws://{running.host}/ws")
    assert refused.value.status == 403


async def test_a_websocket_without_an_origin_or_a_token_is_refused(running: Opened) -> None:
    async with aiohttp.ClientSession() as client:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"ws://{running.host}/ws", headers={"Cookie": running.cookie})
        assert refused.value.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"ws://{running.host}/ws", headers={"Origin": running.origin})
        assert refused.value.status == 401


# What is shown


async def stands_at(tab: Tab, line: int) -> None:
    await tab.shows(f"program.py:{line} <module>")


@pytest.mark.full
async def test_every_tab_shows_the_one_session_which_outlives_them(tmp_path: Path) -> None:
    with opened(tmp_path) as running:
        async with tab(running) as first:
            await stands_at(first, 1)
            async with tab(running, 80, 24) as second:
                await stands_at(second, 1)
                await second.press("n")
                await stands_at(second, 2)
                await stands_at(first, 2)
            await first.resize(60, 15)
            await stands_at(first, 2)
            await first.send("ping", "7")
            await first.press("n")
            await stands_at(first, 3)
            assert first.heard == [["pong", "7"]]
        async with tab(running) as third:  # as after a reload
            await stands_at(third, 3)
            await third.press("\x1b[15~")  # F5
            await third.shows("exit code 0")
            await third.press("q")
            assert await third.is_closed()
        async with tab(running) as fourth:
            await fourth.shows("the end")
            assert running.interrupt() == 0
            assert await fourth.is_closed()


@pytest.mark.full
async def test_one_that_speaks_another_language_is_let_go(running: Opened) -> None:
    for nonsense in ("{", "7", '["resize", "wide"]'):
        async with tab(running) as stranger:
            await stranger.shows("program.py")
            await stranger.socket.send_str(nonsense)
            assert await stranger.is_closed()
    async with tab(running, 100_000, -5) as huge:
        await huge.send("focus")
        await huge.press("é€\udcff")
        await huge.resize(80, 24)
        await huge.shows("program.py")


# The command line


def refusal(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [*TUIDBG, "web", *words],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 or "SyntaxError" in done.stderr or "^" in done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.full
def test_what_can_not_be_is_refused_in_a_sentence(tmp_path: Path, running: Opened) -> None:
    (tmp_path / "a.py").write_text("pass\n")
    (tmp_path / "bad.py").write_text("def (\n")
    port = running.host.rpartition(":")[2]
    assert "name a SCRIPT" in refusal(tmp_path)
    assert "no file nothing.py" in refusal(tmp_path, "nothing.py")
    assert "bad.py:1" in refusal(tmp_path, "bad.py")
    assert "no port" in refusal(tmp_path, "--port", "http", "a.py")
    assert "taken by another program" in refusal(tmp_path, "--port", port, "a.py")
    assert "--allow-remote" in refusal(tmp_path, "--host", "0.0.0.0", "a.py")
    assert "can't listen" in refusal(tmp_path, "--host=192.0.2.1", "--allow-remote", "a.py")
    assert "--theme" in refusal(tmp_path, "--theme", "none", "a.py")
    assert "browser" in refusal(tmp_path, "--plain", "a.py")


@pytest.mark.full
def test_missing_packages_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("pass\n")
    code = (
        "import sys; sys.modules['textual_serve'] = sys.modules['aiohttp'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'aiohttp' else find(name, *rest)\n"
        "from tuidbg.cli.main import run; from tuidbg.process.guardian import Guardian\n"
        "sys.exit(run(['web', 'a.py'], Guardian.fork()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install 'tuidbg[web]'" in done.stderr
    assert "pip install '.[web]'" in done.stderr
