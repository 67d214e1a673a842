"""``tuidbg attach`` and ``tuidbg listen``: what is asked for, what is refused, the real command.

A refusal is one sentence and status 2, before anything is painted.
"""

from __future__ import annotations

import math
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.attachable import PROGRAM, TOTAL, free_port, listens
from tests.support.command import TUIDBG, await_nothing_left, environment, run_tuidbg
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until
from tuidbg.cli.arguments import UsageError
from tuidbg.cli.commands.reach import attach as attach_command
from tuidbg.cli.commands.reach import listen as listen_command
from tuidbg.config.launch import AttachPlan
from tuidbg.config.request import WantedBreakpoint
from tuidbg.session.core.connect import attaching


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of each test."""
    (tmp_path / "src").mkdir()
    (tmp_path / "counting.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def attach_plan(*words: str) -> AttachPlan:
    request = attach_command.read_options(attach_command.make_parser().parse_args(list(words)))
    assert request is not None
    assert isinstance(request.plan, AttachPlan)
    return request.plan


@pytest.mark.parametrize(
    ("address", "host", "port"),
    [
        ("5678", "localhost", 5678),
        ("127.0.0.1:5678", "127.0.0.1", 5678),
        ("box.example:1", "box.example", 1),
        ("[::1]:65535", "::1", 65_535),
    ],
)
def test_where_to_attach(address: str, host: str, port: int) -> None:
    plan = attach_plan(address)
    assert (plan.host, plan.port, plan.pid) == (host, port, None)
    assert plan.wait == math.inf
    assert plan.reconnect


def test_options_of_attaching(folder: Path) -> None:
    plan = attach_plan(
        *("5678", "--wait", "2.5", "--ssh", "me@box", "--all-code", "--cwd", "src"),
        *("--map", "src=/app/", "--map", f"{folder}=/srv"),
    )
    assert (plan.wait, plan.ssh, plan.just_my_code) == (2.5, "me@box", False)
    assert plan.cwd == str(folder / "src")
    assert plan.path_mappings == {str(folder / "src"): "/app", str(folder): "/srv"}
    assert plan.title == "localhost:5678 on box"


def test_a_process_is_not_called_back() -> None:
    plan = attach_plan("--pid", str(os.getpid()))
    assert (plan.pid, plan.port, plan.wait, plan.reconnect) == (os.getpid(), None, None, False)
    assert attaching.patience(plan) == attaching.ENTERING
    patient = attach_plan("--pid", str(os.getpid()), "--wait", "300")
    assert attaching.patience(patient) == 300


def test_breakpoints_here_and_where_the_program_runs(folder: Path) -> None:
    words = ["5678", "-b", "counting.py:4 if number > 2", "-b", "/far/away.py:7"]
    request = attach_command.read_options(attach_command.make_parser().parse_args(words))
    assert request is not None
    assert request.breakpoints == (
        WantedBreakpoint(str(folder / "counting.py"), 4, "number > 2"),
        WantedBreakpoint("/far/away.py", 7),
    )


def test_where_to_listen() -> None:
    port = str(free_port())
    for words, host in (
        ([port], "127.0.0.1"),
        ([f"localhost:{port}"], "localhost"),
        ([port, "--host", "127.0.0.1"], "127.0.0.1"),
    ):
        plan = listen_command.read_request(words).plan
        assert isinstance(plan, AttachPlan)
        assert (plan.host, plan.port, plan.listen) == (host, int(port), True)


def test_who_is_let_in_by_a_token(folder: Path) -> None:
    path, port = folder / "token", free_port()
    path.write_text("of-one-word\n", encoding="utf-8")
    plan = listen_command.read_request([str(port), "--token-file", str(path)]).plan
    assert isinstance(plan, AttachPlan)
    assert plan.token == "of-one-word"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "holds no token: it is to be one word and nothing else"),
        (b"two words", "holds no token: it is to be one word and nothing else"),
        (b"\xff", "it is no text"),
        (None, "No such file or directory"),
    ],
)
def test_a_file_without_a_token_is_refused(
    content: bytes | None, sentence: str, folder: Path
) -> None:
    """Listening without one instead would let everybody in."""
    path = folder / "token"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=sentence):
        listen_command.read_request([str(free_port()), "--token-file", str(path)])


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("attach here", "attach: 'here' is not of the form [HOST:]PORT"),
        ("attach 0", "attach: '0' is not of the form [HOST:]PORT"),
        ("attach h:65536", "attach: 'h:65536' is not of the form [HOST:]PORT"),
        ("attach ::1:80", "attach: '::1:80' is not of the form [HOST:]PORT"),
        ("attach 1 --pid 2", "attach: give either a port or --pid, not both"),
        ("attach --pid 0", "attach: --pid: 0 is no process id"),
        ("attach --pid x", "attach: argument --pid: invalid int value: 'x'"),
        ("attach --pid 99999999", "can't attach to process 99999999: there is no such process"),
        (
            "attach --ssh box",
            "attach: --ssh goes with [HOST:]PORT, the port of a debug server",
        ),
        (
            "attach --ssh box --pid 7",
            "attach: --ssh goes with [HOST:]PORT, the port of a debug server",
        ),
        ("attach 1 --ssh=-oProxyCommand=x", "attach: --ssh: '-oProxyCommand=x' is no [USER@]HOST"),
        ("attach 1 --wait soon", "attach: argument --wait: 'soon' is no number of seconds"),
        ("attach 1 --map src", "--map: 'src' is not of the form LOCAL=REMOTE"),
        ("attach 1 --map nowhere=/app", "--map: there is no folder nowhere"),
        ("attach 1 --cwd nowhere", "--cwd: nowhere is no directory"),
        ("attach 1 -b nowhere.py:3", "--break: there is no file nowhere.py"),
        ("attach 1 -b 3", "--break: name the file of line 3 for a module"),
        (
            "attach",
            "attach: name a [HOST:]PORT or a --pid; choosing one needs a terminal",
        ),
        ("listen", "listen: the following arguments are required: [HOST:]PORT"),
        ("listen x", "listen: 'x' is not of the form [HOST:]PORT"),
        ("listen 203.0.113.7:5678", "this machine has no such address"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(words: str, sentence: str, folder: Path) -> None:
    ran = subprocess.run(
        [*TUIDBG, *words.split()],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith("tuidbg: ")
    assert sentence in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_a_port_that_is_taken_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(UsageError, match="another program listens there already; choose ano"):
            listen_command.read_request([str(port)])


def test_listening_to_everybody_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    listen_command.read_request([f"0.0.0.0:{free_port()}"])
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "nothing on the line is encrypted" in said


@pytest.mark.full
@pytest.mark.real
def test_another_users_process_is_refused(folder: Path) -> None:
    """As somebody else, since root may attach to everything."""
    if os.geteuid() != 0:
        with pytest.raises(UsageError, match="process 1: it belongs to another user"):
            attach_plan("--pid", "1")
        return
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setuid(65_534)
        try:
            attach_command._check_process(1)
        except UsageError as error:
            os.write(write, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(write)
    with os.fdopen(read) as told:
        assert told.read() == "can't attach to process 1: it belongs to another user"


# The real command on a terminal


@contextmanager
def serving(folder: Path, port: int, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """The counting program with a debug server at that port, or connecting to it."""
    how = options or ("--listen", f"127.0.0.1:{port}")
    count = folder / "count"
    with subprocess.Popen(
        [sys.executable, "-m", "debugpy", *how, str(folder / "counting.py"), str(count)],
        env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def await_status(terminal: Terminal, *words: str) -> None:
    """Wait until the status line has all these words."""
    terminal.wait_for(lambda text: all(word in text.split("\n")[-2] for word in words), 30.0)


def await_count(folder: Path) -> None:
    """Wait until the program has counted on."""

    def read() -> int:
        told = folder / "count"
        return int(told.read_text() or 0) if told.exists() else 0

    before = wait_until(read)  # it is empty for a moment, again and again
    wait_until(lambda: read() > before + 2, what="the program runs on")


@pytest.mark.full
@pytest.mark.real
def test_it_waits_attaches_comes_back_and_lets_go(folder: Path) -> None:
    port = free_port()
    with run_tuidbg(folder, "attach", str(port), "-b", f"counting.py:{TOTAL}") as terminal:
        await_status(terminal, "waiting", f"for localhost:{port}", "Q gives up", "q quits")
        with serving(folder, port):
            await_status(terminal, "paused", f"counting.py:{TOTAL}", "breakpoint 1")
            terminal.wait_for("total += 1")
            terminal.key("n")
            await_status(terminal, "paused", f"counting.py:{TOTAL + 1}", "step")
        await_status(terminal, f"waiting for localhost:{port} to come back")
        with serving(folder, port) as program:
            await_status(terminal, "paused", f"counting.py:{TOTAL}")
            terminal.key("Q")
            terminal.wait_for("Detach: it runs on without the debugger")
            terminal.key("d")
            terminal.wait_for("The program runs on without the debugger.")
            await_count(folder)
            terminal.key("R")
            await_status(terminal, "paused", f"counting.py:{TOTAL}")
            terminal.key("q")
            assert terminal.wait_exit() == 0
            await_count(folder)
            assert program.poll() is None
        await_nothing_left(terminal)


@pytest.mark.full
@pytest.mark.real
def test_it_waits_no_longer_than_it_shall(folder: Path) -> None:
    port = free_port()
    with run_tuidbg(folder, "attach", str(port), "--wait", "0") as terminal:
        terminal.wait_for(f"nothing listens at localhost:{port}; start the program with")
        terminal.key("q")
        assert terminal.wait_exit() == 0


@pytest.mark.full
@pytest.mark.real
def test_the_waiting_is_given_up_by_a_key(folder: Path) -> None:
    with run_tuidbg(folder, "attach", str(free_port())) as terminal:
        await_status(terminal, "waiting")
        terminal.key("Q")
        terminal.wait_for("The waiting was given up.")
        terminal.key("q")
        assert terminal.wait_exit() == 0
        await_nothing_left(terminal)


@pytest.mark.full
@pytest.mark.real
@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="needs /proc")
def test_a_file_that_is_only_there_is_shown_and_found_here(folder: Path) -> None:
    """Its path means another folder in each process, as if it were on another machine."""
    for name in ("there/app", "here/src"):
        (folder / name).mkdir(parents=True)
        (folder / name / "far.py").write_text(PROGRAM)
    port, far = free_port(), "/proc/self/cwd/app/far.py"
    words = ["--listen", f"127.0.0.1:{port}", "--wait-for-client", far, str(folder / "count")]
    with (
        subprocess.Popen(
            [sys.executable, "-m", "debugpy", *words], cwd=folder / "there"
        ) as program,
        run_tuidbg(folder / "here", "attach", str(port), "-b", f"{far}:{TOTAL}") as terminal,
    ):
        try:
            await_status(terminal, "paused", f"far.py:{TOTAL}")
            terminal.wait_for("from the program (read-only)")
            terminal.wait_for("total += 1")
            terminal.key("Z")
            terminal.wait_for("src/far.py has the same text")
            terminal.key("m")
            terminal.wait_for(lambda text: "1 src/far.py" in text.split("\n")[0])
            terminal.key("n")
            await_status(terminal, "paused", f"far.py:{TOTAL + 1}", "step")
            terminal.key("q")
            assert terminal.wait_exit() == 0
        finally:
            program.kill()


@pytest.mark.full
@pytest.mark.real
def test_programs_connect_to_one_that_listens(folder: Path) -> None:
    port = free_port()
    with run_tuidbg(folder, "listen", str(port), "-b", f"counting.py:{TOTAL}") as terminal:
        await_status(terminal, "listening", f"on 127.0.0.1:{port}")
        assert listens(port)
        how = ("--connect", f"127.0.0.1:{port}", "--wait-for-client")
        with serving(folder, port, *how) as program:
            terminal.wait_for(f"counting.py {program.pid} has connected", 30.0)
            assert not (folder / "count").exists()
            terminal.key("q")
            assert terminal.wait_exit() == 0
            await_count(folder)
        await_nothing_left(terminal)


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
def test_a_process_is_picked_from_a_list(size: tuple[int, int], folder: Path) -> None:
    """It shows what runs, filters by what is typed, and gives nothing where Esc is pressed."""
    script = folder / "picked_one.py"
    script.write_text("import time\ntime.sleep(60)\n")
    columns, rows = size
    with (
        subprocess.Popen([sys.executable, str(script), "--with", "words"]) as program,
        run_tuidbg(folder, "attach", columns=columns, rows=rows) as terminal,
    ):
        try:
            terminal.send("pickzzzz")
            terminal.wait_for("No program fits")
            for _ in "zzzz":
                terminal.key("backspace")
            terminal.wait_for(str(program.pid))
            terminal.wait_for("picked_one.py")
            terminal.key("escape")
            assert terminal.wait_exit() == 0
            await_nothing_left(terminal)
        finally:
            program.kill()
