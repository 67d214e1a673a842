"""``tuidbg serve`` and ``tuidbg --serve`` as people start them: the real command, to its end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.command import TUIDBG, await_nothing_left, environment, run_tuidbg
from tests.support.remains import find_remains
from tests.support.served import BASE, free_port
from tests.support.waiting import PATIENCE, wait_until
from tuidbg.api.options import read_serve_value
from tuidbg.cli.arguments import UsageError
from tuidbg.cli.main import read_command_line, run
from tuidbg.process.guardian import Guardian

pytestmark = pytest.mark.real

TICK = "import time\nwhile True:\n    time.sleep(0.01)\n"

MARK = "TUIDBG_TEST_RUN"


class Headless:
    """A running ``tuidbg serve``."""

    def __init__(self, folder: Path, *args: str) -> None:
        self.folder = folder
        self.mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            [*TUIDBG, "serve", "--port", "0", *args],
            cwd=folder,
            env={**environment(folder), MARK: self.mark},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith(("While it runs", "No token")):
                break
        assert self.lines, self.process.communicate()[1]
        found = re.search(r"http://\S+", self.lines[0])
        assert found is not None, self.lines
        tokens = [line for line in self.lines if line.startswith("Token of owner: ")]
        headers = {"Authorization": f"Bearer {tokens[0].split()[3]}"} if tokens else {}
        self.client = httpx.Client(
            base_url=found[0], headers=headers, timeout=PATIENCE, trust_env=False
        )

    def launch(self, text: str) -> str:
        """Launch a program; its session's id."""
        program = self.folder / "program.py"
        program.write_text(text)
        made = self.client.post(f"{BASE}/sessions", json={"project_root": str(self.folder)})
        session: str = made.json()["data"]["session_id"]
        launched = self.client.post(
            f"{BASE}/sessions/{session}/launch", json={"script": str(program)}
        )
        assert launched.status_code == 200, launched.text
        return session

    def remains(self) -> dict[int, str]:
        """Returns what still lives of all that it started."""
        return find_remains(MARK, self.mark)

    def await_nothing_left(self) -> None:
        """Fails where something of it lives on."""
        wait_until(lambda: not self.remains(), 5.0, "nothing is left")


@contextmanager
def headless(folder: Path, *args: str) -> Iterator[Headless]:
    """A running ``tuidbg serve`` on any free port."""
    running = Headless(folder, *args)
    try:
        yield running
    finally:
        running.client.close()
        running.process.kill()
        running.process.communicate()
    running.await_nothing_left()


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_with_all_its_programs(tmp_path: Path, number: signal.Signals) -> None:
    with headless(tmp_path) as running:
        running.launch(TICK)
        assert len(running.remains()) > 2
        running.process.send_signal(number)
        assert running.process.wait(5.0) == 0
        running.await_nothing_left()
        assert running.process.stderr is not None and running.process.stderr.read() == ""
        assert not list((tmp_path / "home" / "run" / "tuidbg").glob("*.json"))


@pytest.mark.full
def test_however_it_dies_nothing_is_left(tmp_path: Path) -> None:
    with headless(tmp_path) as running:
        running.launch(TICK)
        running.process.kill()
        running.await_nothing_left()


@pytest.mark.full
def test_what_is_shown_is_enough_to_use_it(tmp_path: Path) -> None:
    with headless(tmp_path, "--token", "bot:read:redact") as running:
        shown = "\n".join(running.lines)
        token = running.client.headers["Authorization"].split()[1]
        assert shown.count(token) == 1
        told = r"^Token of bot: \S+ \(read; secrets are hidden, and texts that may contain one\)$"
        assert re.search(told, shown, re.MULTILINE)
        (file,) = (tmp_path / "home" / "run" / "tuidbg").glob("*.json")
        assert str(file) in shown and json.loads(file.read_text())["token"] == token
        assert running.client.get(f"{BASE}/health").json()["data"]["active_sessions"] == 0
        sent = subprocess.run(
            [*TUIDBG, "send", "--action", "threads"],
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            check=False,
        )
        assert json.loads(sent.stdout)["ok"] is False and "session" in sent.stdout


@pytest.mark.full
def test_without_auth_no_token_is_shown_or_asked_for(tmp_path: Path) -> None:
    with headless(tmp_path, "--auth", "none") as running:
        assert "Token" not in "".join(running.lines)
        assert "Authorization" not in running.client.headers
        assert running.client.get(f"{BASE}/health").status_code == 200
        assert running.client.get("/health").json()["ok"] is True


@pytest.mark.full
def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    taken, port = free_port()
    with taken:
        ended = subprocess.run(
            [*TUIDBG, "serve", "--port", str(port)],
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.returncode == 2 and ended.stdout == ""
    assert ended.stderr.startswith(f"tuidbg: port {port} of 127.0.0.1 is taken")
    assert ended.stderr.count("\n") == 1


@pytest.mark.full
def test_the_openapi_document_is_printed(tmp_path: Path) -> None:
    printed = subprocess.run(
        [*TUIDBG, "serve", "--openapi"],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(printed.stdout)["openapi"].startswith("3.1")


@pytest.fixture
def guardian() -> Iterator[Guardian]:
    made = Guardian(0, -1)
    yield made
    made.close()


@pytest.mark.parametrize("args", [["serve"], ["serve", "--openapi"], ["--serve", "demo"]])
def test_without_the_packages_it_says_how_to_get_them(
    args: list[str],
    guardian: Guardian,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run(args, guardian) == 2
    said = capsys.readouterr()
    assert said.out == "" and "pip install 'tuidbg[serve]'" in said.err
    assert "in a checkout of tuidbg: uv sync --inexact --extra serve" in said.err


@pytest.mark.parametrize(
    "args",
    [
        ["--port", "70000"],
        ["--port", "-1"],
        ["--auth", "basic"],
        ["--token", "bot"],
        ["--token", "bot:write"],
        ["--token", "a:read", "--token", "a:all"],
        ["--auth", "none", "--token", "a:read"],
        ["--auth", "none", "--redact"],
        ["--host", "0.0.0.0"],
        ["--host", "0.0.0.0", "--allow-remote", "--auth", "none"],
        ["program.py"],
    ],
)
def test_what_makes_no_sense_is_refused(
    args: list[str], guardian: Guardian, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", *args], guardian) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("tuidbg: ") and said.err.count("\n") == 1


def test_serve_takes_a_port_or_options() -> None:
    assert read_serve_value("").port == 5679
    assert read_serve_value("0").port == 0
    options = read_serve_value("--port 0 --auth none --bridge-port 4000")
    assert (options.port, options.needs_token, options.bridge_port) == (0, False, 4000)
    for wrong in ("'", "--openapi", "x", "--port x"):
        with pytest.raises(UsageError):
            read_command_line([f"--serve={wrong}", "demo"])
    assert read_command_line(["--serve", "demo"]).serve == ""
    assert read_command_line(["demo", "--serve"]).serve is None


@pytest.mark.full
def test_a_persons_session_is_served(tmp_path: Path) -> None:
    (tmp_path / "three.py").write_text("a = 1\nb = 2\nc = 3\n")
    with run_tuidbg(tmp_path, "--serve=--port 0 --token bot:read", "three.py") as terminal:
        terminal.wait_for("Serving at http://127.0.0.1:")
        terminal.wait_for("Token of bot: ")
        terminal.wait_for("three.py:1")
        (file,) = (tmp_path / "home" / "run" / "tuidbg").glob("*.json")
        told = json.loads(file.read_text())
        assert told["token"] in terminal.text
        headers = {"Authorization": f"Bearer {told['token']}"}
        with httpx.Client(base_url=told["url"], headers=headers, trust_env=False) as client:
            (session,) = client.get(f"{BASE}/sessions").json()["data"]["items"]
            path = f"{BASE}/sessions/{session['session_id']}"
            step = client.post(f"{path}/step-over", json={})
            assert step.json()["data"]["current_location"]["line"] == 2, step.text
            terminal.wait_for("three.py:2")
            output = client.get(f"{path}/output").text + client.get(f"{path}/events").text
            assert told["token"] not in output and "Token of" not in output
        terminal.key("q")
        terminal.wait_for("End all sessions and quit")  # a program called just now
        terminal.key("e")
        assert terminal.wait_exit() == 0
        await_nothing_left(terminal)
        assert not file.exists()


@pytest.mark.full
def test_without_serve_nothing_of_it_is_imported(tmp_path: Path) -> None:
    code = (
        "import sys; from tuidbg.cli.main import read_command_line; import tuidbg.cli.launcher;"
        "read_command_line(['demo']); import tuidbg.tui.app.app;"
        "print([name for name in sys.modules if name.startswith("
        "('tuidbg.api', 'tuidbg.cli.serving', 'fastapi', 'uvicorn', 'starlette', 'pydantic'))])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_plain()
    )
    assert printed.stdout.strip() == "[]"


def _plain() -> dict[str, Any]:
    return {name: value for name, value in os.environ.items() if name != "COVERAGE_PROCESS_START"}


@pytest.mark.full
def test_left_parked_it_goes_on_without_its_terminal_until_the_last_session_ends(
    tmp_path: Path,
) -> None:
    (tmp_path / "three.py").write_text("a = 1\nb = 2\nc = 3\n")
    with run_tuidbg(tmp_path, "--serve=--port 0 --auth none", "three.py") as terminal:
        terminal.wait_for("paused")
        terminal.wait_for("Serving at http")
        url = re.search(r"http://[\d.:]+", terminal.text)
        assert url is not None
        with httpx.Client(base_url=f"{url[0]}{BASE}", trust_env=False) as client:
            (session,) = client.get("/sessions").json()["data"]["items"]
            terminal.key("q")
            terminal.wait_for("Leave them parked")
            terminal.key("l")
            terminal.wait_for("Left parked: three.py.")
            terminal.hang_up()
            step = client.post(f"/sessions/{session['session_id']}/step-over", json={})
            assert step.json()["data"]["current_location"]["line"] == 2, step.text
            client.delete(f"/sessions/{session['session_id']}")
        assert terminal.wait_exit_unread(10) == 0
        await_nothing_left(terminal)
