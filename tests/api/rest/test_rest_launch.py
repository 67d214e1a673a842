"""Starting programs: what reaches them, and what is refused."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.relay import Relay, relay
from tests.support.sessions import until

pytestmark = pytest.mark.real

TELL = """\
import json, os, sys
told = {
    "argv": sys.argv[1:],
    "cwd": os.getcwd(),
    "env": os.environ.get("RELAY_TEST"),
    "path": bool(os.environ.get("PATH")),
    "flags": sys.flags.optimize,
    "python": sys.executable,
    "name": __name__,
    "tty": sys.stdout.isatty(),
}
print(json.dumps(told))
"""


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Relay]:
    async with relay() as made:
        await made.create(project_root=str(tmp_path))
        yield made


def script(tmp_path: Path, text: str = TELL) -> Path:
    path = tmp_path / "main.py"
    path.write_text(text)
    return path


async def told_by(client: Relay) -> dict[str, Any]:
    """Returns what the program above has told of itself."""
    await client.until_status("terminated")
    entries = (await client.get("output", category="stdout")).data["entries"]
    told: dict[str, Any] = json.loads("".join(entry["output"] for entry in entries))
    return told


@pytest.mark.full
async def test_what_reaches_the_program(client: Relay, tmp_path: Path) -> None:
    arguments = ["--name", "a b", "", "*", "ü", "$HOME", "'\"\\"]
    data = await client.launch(
        script(tmp_path), args=arguments, env={"RELAY_TEST": "ä=b"}, python_args=["-O"]
    )
    assert set(data) == {"session_id", "status", "pid", "program"}
    assert data["session_id"] == client.session_id and data["status"] == "running"
    assert data["pid"] > 1
    assert data["program"] == {
        "script": str(tmp_path / "main.py"),
        "args": arguments,
        "cwd": str(tmp_path),
    }
    told = await told_by(client)
    assert told["argv"] == arguments and told["env"] == "ä=b" and told["path"] is True
    assert told["flags"] == 1 and told["python"] == sys.executable
    assert told["name"] == "__main__"


@pytest.mark.full
async def test_working_directories(client: Relay, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    path = script(tmp_path)
    await client.launch(path)
    assert (await told_by(client))["cwd"] == str(tmp_path)
    await client.create(project_root=str(tmp_path))
    data = (await client.post("launch", {"script": "../main.py", "cwd": "sub"})).data
    assert data["program"]["script"] == str(path)
    assert (await told_by(client))["cwd"] == str(tmp_path / "sub")


@pytest.mark.full
async def test_modules(client: Relay, tmp_path: Path) -> None:
    script(tmp_path)
    data = (await client.post("launch", {"module": "main", "args": ["-x"]})).data
    assert data["program"] == {"module": "main", "args": ["-x"], "cwd": str(tmp_path)}
    assert (await told_by(client))["argv"] == ["-x"]


@pytest.mark.full
async def test_pytest_as_a_module(client: Relay, tmp_path: Path) -> None:
    (tmp_path / "test_math.py").write_text("def test_divide():\n    assert 4 / 2 == 2\n")
    body = {"module": "pytest", "args": ["-xq", "-p", "no:cacheprovider", "test_math.py"]}
    await client.post("launch", body)
    await client.until_status("terminated")
    entries = (await client.get("output")).data["entries"]
    assert "1 passed" in "".join(entry["output"] for entry in entries)


@pytest.mark.full
async def test_stop_on_entry(client: Relay, tmp_path: Path) -> None:
    path = script(tmp_path)
    data = await client.launch(path, stop_on_entry=True)
    assert data["status"] == "paused"
    session = (await client.get()).data
    assert session["stop_reason"] == "entry" and session["current_location"]["line"] == 1
    await client.create(project_root=str(tmp_path), stop_on_entry=True)
    assert (await client.launch(path))["status"] == "paused"
    await client.create(project_root=str(tmp_path), stop_on_entry=True)
    assert (await client.launch(path, stop_on_entry=False))["status"] == "running"
    await client.until_status("terminated")


RAISES = """\
def careful():
    try:
        raise KeyError("caught")
    except KeyError:
        pass


careful()
raise ValueError("not caught")
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("wanted", "stops"),
    [
        (True, ["KeyError", "ValueError"]),
        ("raised", ["KeyError", "ValueError"]),
        ("uncaught", ["ValueError"]),
        (None, ["ValueError"]),
        (False, []),
    ],
    ids=str,
)
async def test_stop_on_exception(
    client: Relay, wanted: bool | str | None, stops: list[str], tmp_path: Path
) -> None:
    body = {} if wanted is None else {"stop_on_exception": wanted}
    await client.launch(script(tmp_path, RAISES), **body)
    seen: list[str] = []
    while (session := await client.until_status("paused", "terminated"))["status"] == "paused":
        assert session["stop_reason"] == "exception"
        if session["exception"]["type"] not in seen:
            seen.append(session["exception"]["type"])
        await client.post("continue")
    assert seen == stops


@pytest.mark.full
@pytest.mark.parametrize(
    ("console", "is_terminal"),
    [(None, False), ("internalConsole", False), ("integratedTerminal", True)],
    ids=str,
)
async def test_consoles(
    client: Relay, console: str | None, is_terminal: bool, tmp_path: Path
) -> None:
    await client.launch(script(tmp_path), **({} if console is None else {"console": console}))
    assert (await told_by(client))["tty"] is is_terminal


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param({}, "body", id="none"),
        pytest.param({"script": "a.py", "module": "b"}, "body", id="both"),
        pytest.param({"script": ""}, "script", id="empty"),
        pytest.param({"script": "a.py", "args": "x"}, "args", id="args-as-text"),
        pytest.param({"script": "a.py", "args": ["a", 5]}, "args[1]", id="args-with-a-number"),
        pytest.param({"script": "a.py", "env": {"A": 1}}, "env.A", id="env-with-a-number"),
        pytest.param(
            {"script": "a.py", "stop_on_exception": "sometimes"},
            "stop_on_exception",
            id="a-word",
        ),
        pytest.param({"script": "a.py", "stop_on_exception": 1}, "stop_on_exception", id="number"),
        pytest.param({"script": "a.py", "console": "here"}, "console", id="unknown-console"),
        pytest.param({"script": "a.py", "sript": "b"}, "sript", id="unknown-field"),
        pytest.param(None, "body", id="no-body"),
    ],
)
async def test_bodies_that_are_none(client: Relay, body: Any, field: str) -> None:
    answer = await client.post("launch", body)
    assert answer.refusal == (400, "INVALID_REQUEST")
    assert {error["field"] for error in answer.error["details"]["errors"]} == {field}
    assert (await client.get()).data["status"] == "created"


@pytest.mark.full
async def test_missing_scripts(client: Relay, tmp_path: Path) -> None:
    for wrong in (str(tmp_path / "no.py"), "no.py", str(tmp_path), "a/../no.py"):
        answer = await client.post("launch", {"script": wrong})
        assert answer.refusal == (400, "LAUNCH_SCRIPT_NOT_FOUND")
        assert answer.error["details"]["file"].startswith(str(tmp_path))
    assert (await client.get()).data["status"] == "created"
    await client.launch(script(tmp_path))
    await client.until_status("terminated")
    kinds = [event["type"] for event in await client.all_events()]
    assert kinds.count("terminated") == 1


@pytest.mark.full
async def test_syntax_errors(client: Relay, tmp_path: Path) -> None:
    path = script(tmp_path, "x = 1\nif x == 1\n    pass\n")
    answer = await client.post("launch", {"script": str(path)})
    assert answer.refusal == (400, "LAUNCH_SYNTAX_ERROR")
    assert answer.error["message"] == "Python syntax error in script"
    details = answer.error["details"]
    assert {k: details[k] for k in ("file", "line", "text")} == {
        "file": str(path),
        "line": 2,
        "text": "if x == 1",
    }
    assert details["offset"] > 0 and "expected ':'" in details["error_message"]
    assert (await client.get()).data["status"] == "created"
    await client.launch(script(tmp_path))


async def test_what_can_not_be_started(client: Relay, tmp_path: Path) -> None:
    await client.create(project_root=str(tmp_path), python_path=str(tmp_path / "no_python"))
    path = script(tmp_path)
    answer = await client.post("launch", {"script": str(path)})
    assert answer.refusal == (500, "LAUNCH_FAILED")
    assert (await client.get()).data["status"] == "failed"
    assert (await client.post("launch", {"script": str(path)})).status == 409
    entry = {"source": {"path": str(path)}, "line": 1}
    late = await client.post("breakpoints", {"breakpoints": [entry]})
    assert late.refusal == (409, "INVALID_SESSION_STATE")


@pytest.mark.full
async def test_only_once(client: Relay, tmp_path: Path) -> None:
    path = script(tmp_path, "import time\ntime.sleep(60)\n")
    await client.launch(path)
    answer = await client.post("launch", {"script": str(path)})
    assert answer.refusal == (409, "INVALID_SESSION_STATE")
    assert answer.error["message"] == "Cannot launch: session is not created"


# Attaching


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param({}, "body", id="none"),
        pytest.param({"pid": 5, "port": 5}, "body", id="both"),
        pytest.param({"port": 0}, "port", id="port-0"),
        pytest.param({"port": 65536}, "port", id="port-65536"),
        pytest.param({"port": 5, "connect_timeout": 0}, "connect_timeout", id="timeout-0"),
        pytest.param({"port": 5, "connect_timeout": 301}, "connect_timeout", id="timeout-301"),
        pytest.param({"port": 5, "timeout": 3}, "timeout", id="unknown-field"),
    ],
)
async def test_attach_bodies_that_are_none(client: Relay, body: Any, field: str) -> None:
    answer = await client.post("attach", body)
    assert answer.refusal == (400, "INVALID_REQUEST")
    assert [error["field"] for error in answer.error["details"]["errors"]] == [field]


async def test_attach_refused(client: Relay) -> None:
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        answer = await client.post("attach", {"host": "127.0.0.1", "port": port})
    assert answer.refusal == (502, "ATTACH_REFUSED")
    again = await client.post("attach", {"port": 1})
    assert again.refusal == (409, "INVALID_SESSION_STATE")


@pytest.mark.full
async def test_attach_timeout(client: Relay) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        body = {"host": "127.0.0.1", "port": port, "connect_timeout": 1}
        answer = await client.post("attach", body)
    assert answer.refusal == (504, "ATTACH_TIMEOUT")


@pytest.mark.full
async def test_attach_failed(client: Relay) -> None:
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", "pass")
    await ended.wait()
    answer = await client.post("attach", {"pid": ended.pid, "connect_timeout": 5})
    assert answer.refusal == (500, "ATTACH_FAILED")


@pytest.mark.full
async def test_attach(client: Relay, tmp_path: Path) -> None:
    path = script(
        tmp_path,
        "import debugpy, time\nprint(debugpy.listen(('127.0.0.1', 0))[1], flush=True)\n"
        "while True:\n    time.sleep(0.01)\n",
    )
    environment = {**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    program = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, str(path)], stdout=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert program.stdout is not None
        port = int(program.stdout.readline())
        data = (await client.post("attach", {"host": "127.0.0.1", "port": port})).data
        assert data == {
            "session_id": client.session_id,
            "status": "running",
            "attached": True,
            "pid": program.pid,
            "host": "127.0.0.1",
            "port": port,
        }
        await client.post("pause")
        frames = (await client.get("stacktrace")).data["frames"]
        assert frames[-1]["source"]["path"] == str(path)
        await client.delete()
        await until(lambda: program.poll() is not None, "deleting has killed the program")
    finally:
        program.kill()
        program.wait()
