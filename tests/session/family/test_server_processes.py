"""Servers and test runners that work in further processes: real ones, reached by real requests."""

from __future__ import annotations

import asyncio
import http.client
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.attachable import free_port, listens
from tests.support.processes import Processes, place_of
from tests.support.sessions import debugpy_session, until
from tuidbg.config.launch import TargetKind

pytestmark = pytest.mark.real

FLASK = """\
from flask import Flask
app = Flask(__name__)
@app.get("/")
def index():
    word = "hello"
    return word
if __name__ == "__main__":
    import sys
    app.run(port=int(sys.argv[1]), debug=True)
"""

DJANGO = """\
import os, sys
from django.conf import settings
from django.http import HttpResponse
from django.urls import path
def index(request):
    word = "hello"
    return HttpResponse(word)
urlpatterns = [path("", index)]
settings.configure(DEBUG=True, ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="none")
if __name__ == "__main__":
    from django.core.management import execute_from_command_line
    execute_from_command_line(sys.argv)
"""

ASGI = """\
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    word = b"hello"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": word})
"""

WSGI = """\
import os
def app(environ, start_response):
    word = str(os.getpid()).encode()
    start_response("200 OK", [("Content-Length", str(len(word)))])
    return [word]
"""

TESTS = """\
import pytest
@pytest.mark.parametrize("n", range(4))
def test_one(n):
    word = "hello"
    assert word
"""


def fetch(port: int) -> str:
    """Returns what a server answers to ``GET /``."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/")
        return connection.getresponse().read().decode()
    finally:
        connection.close()


@asynccontextmanager
async def server(
    folder: Path, name: str, source: str, line: int, module: str, *words: str, **plan: Any
) -> AsyncIterator[Processes]:
    """A server in the file ``name``, run by ``module`` or, where that is empty, by itself."""
    path = folder / name
    path.write_text(source, encoding="utf-8")
    plan["kind"] = TargetKind.MODULE if module else TargetKind.SCRIPT
    target = module or path
    async with debugpy_session(
        folder, target, *words, stop_on_entry=False, env={"PYTHONPATH": str(folder)}, **plan
    ) as under_test:
        await under_test.session.breakpoints.set(str(path), line, origin="tui")
        await under_test.session.lifecycle.start()
        yield Processes(under_test)


async def ask(family: Processes, port: int, name: str, line: int) -> tuple[str, int]:
    """Ask the server; it stops in one of its processes. The answer, and that process's number."""
    await family.until(lambda: listens(port), "the server listens")
    answer = asyncio.create_task(asyncio.to_thread(fetch, port))
    try:
        child = await family.stop_of_child(line)
        assert place_of(child.session) == (name, line)
        value = await child.session.inspection.evaluate("1 + 1", child.session.frames[0].id)
        assert value.value == "2"
        await family.go_on(child)
        return await answer, child.number
    finally:
        answer.cancel()


def successor_of(family: Processes, number: int) -> int | None:
    """The number of the process that has taken the place of another."""
    relative = next(each for each in family.all if each.number == number)
    return relative.successor.number if relative.successor is not None else None


@pytest.mark.full
async def test_flask_with_its_reloader(tmp_path: Path) -> None:
    """The request is answered by the reloader's child, before and after a reload."""
    port = free_port()
    async with server(tmp_path, "web.py", FLASK, 5, "", str(port)) as flask:
        answer, first = await ask(flask, port, "web.py", 5)
        assert answer == "hello"
        path = tmp_path / "web.py"
        path.write_text(FLASK.replace('"hello"', '"changed"'), encoding="utf-8")
        await flask.until(lambda: any(r.is_over for r in flask.children), "the old child is gone")
        await flask.until(lambda: len(flask.children) > 1)
        await until(lambda: listens(port))
        answer, second = await ask(flask, port, "web.py", 5)
        assert answer == "changed"
        assert successor_of(flask, first) == second


@pytest.mark.full
async def test_django_with_its_reloader(tmp_path: Path) -> None:
    port = free_port()
    words = ("runserver", str(port))
    async with server(tmp_path, "manage.py", DJANGO, 6, "", *words) as django:
        answer, first = await ask(django, port, "manage.py", 6)
        assert answer == "hello"
        path = tmp_path / "manage.py"
        path.write_text(DJANGO.replace('"hello"', '"changed"'), encoding="utf-8")

        def is_loaded_anew() -> bool:
            # Django first looks at the files when it serves already: only later changes count.
            path.touch()
            return successor_of(django, first) is not None

        await django.until(is_loaded_anew, "it was loaded anew")
        answer, second = await ask(django, port, "manage.py", 6)
        assert answer == "changed" and successor_of(django, first) == second


@pytest.mark.full
async def test_uvicorn_with_reload(tmp_path: Path) -> None:
    port = free_port()
    words = ("asgi:app", "--reload", "--port", str(port), "--app-dir", str(tmp_path))
    async with server(tmp_path, "asgi.py", ASGI, 4, "uvicorn", *words) as uvicorn:
        answer, first = await ask(uvicorn, port, "asgi.py", 4)
        assert answer == "hello"
        path = tmp_path / "asgi.py"
        path.write_text(ASGI.replace('"hello"', '"changed"'), encoding="utf-8")
        await uvicorn.until(lambda: successor_of(uvicorn, first), "it was loaded anew")
        answer, second = await ask(uvicorn, port, "asgi.py", 4)
        assert answer == "changed" and successor_of(uvicorn, first) == second


@pytest.mark.full
async def test_gunicorn_with_two_workers(tmp_path: Path) -> None:
    port = free_port()
    words = ("wsgi:app", "-w", "2", "-b", f"127.0.0.1:{port}", "--timeout", "0")
    async with server(tmp_path, "wsgi.py", WSGI, 3, "gunicorn", *words) as gunicorn:
        await gunicorn.until(lambda: len(gunicorn.children) == 2, "both workers are there")
        answer, number = await ask(gunicorn, port, "wsgi.py", 3)
        family = gunicorn.root.family
        assert family is not None and (worker := family.get(number)) is not None
        assert int(answer) == worker.session.pid


@pytest.mark.full
async def test_pytest_with_two_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        monkeypatch.delenv(name)  # or it would take itself for a worker of this run
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    words = ("-n", "2", "-p", "no:cacheprovider", "-p", "xdist", "-q", str(tmp_path))
    async with server(tmp_path, "test_words.py", TESTS, 4, "pytest", *words) as run:
        stops = await run.run_to_end()
        assert [line for _, line in stops] == [4] * 4, run.describe()
        assert len({number for number, _ in stops}) == 2
        assert "4 passed" in run.under_test.console
