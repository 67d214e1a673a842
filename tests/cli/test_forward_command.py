"""``tuidbg forward`` and ``tuidbg listen --hosts``: what is asked, refused, the real commands."""

from __future__ import annotations

import math
import os
import signal
import ssl
import subprocess
from pathlib import Path

import pytest

from tests.session.forwarding.carried import certificate_in
from tests.support.attachable import PROGRAM, TOTAL, connecting_words, free_port, listens
from tests.support.command import TUIDBG, await_nothing_left, environment, run_tuidbg
from tests.support.waiting import wait_until
from tuidbg.cli.arguments import UsageError
from tuidbg.cli.commands.reach import forward, listen
from tuidbg.config.launch import AttachPlan, HostsPlan


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of each test."""
    (tmp_path / "counting.py").write_text(PROGRAM)
    (tmp_path / "token").write_text("a-long-token\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_forwarded_where() -> None:
    wanted = forward.read_forwarding(["5678", "boss:5679"])
    assert (wanted.host, wanted.port) == ("127.0.0.1", 5678)
    assert (wanted.to_host, wanted.to_port) == ("boss", 5679)
    assert (wanted.waits, wanted.context, wanted.token) == (math.inf, None, "")
    assert wanted.name


def test_options_of_forwarding(folder: Path) -> None:
    certificate = certificate_in(folder)
    words = ["[::1]:1", "[::1]:2", "--token-file", "token", "--wait", "0"]
    wanted = forward.read_forwarding([*words, "--ca", certificate, "--name", "node7"])
    assert (wanted.host, wanted.to_host, wanted.name) == ("::1", "::1", "node7")
    assert (wanted.token, wanted.waits) == ("a-long-token", 0.0)
    assert wanted.context is not None and wanted.context.verify_mode is ssl.CERT_REQUIRED
    assert forward.read_forwarding(["1", "boss:2", "--tls"]).context is not None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "the following arguments are required: [HOST:]PORT, DEBUGGER:PORT"),
        ("5678", "the following arguments are required: DEBUGGER:PORT"),
        ("x boss:1", "forward: 'x' is not of the form [HOST:]PORT"),
        ("5678 boss", "forward: 'boss' is not of the form [HOST:]PORT"),
        ("5678 boss:1 --wait soon", "--wait: 'soon' is no number of seconds, nor inf"),
        ("5678 boss:1 --wait -1", "--wait: '-1' is no number of seconds, nor inf"),
        ("5678 boss:1 --wait nan", "--wait: 'nan' is no number of seconds, nor inf"),
        ("5678 boss:1 --ca nowhere.pem", "can't use the certificate nowhere.pem: No such file"),
        ("5678 boss:1 --ca token", "can't use the certificate token"),
        ("5678 boss:1 --token-file nowhere", "can't read the token in nowhere: No such file"),
        ("5678 boss:1 --name a/b", "--name: 'a/b' has characters that no machine's name has"),
    ],
)
def test_what_can_not_be_forwarded(words: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        forward.read_forwarding(words.split())
    assert said in str(caught.value)


def test_where_machines_are_heard(folder: Path) -> None:
    certificate, port = certificate_in(folder), free_port()
    words = [str(free_port()), "--hosts", str(port), "--certificate", certificate]
    plan = listen.read_request(words).plan
    assert isinstance(plan, AttachPlan)
    assert plan.hosts == HostsPlan(host="127.0.0.1", port=port, certificate=certificate)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--certificate token", "--certificate is for the machines that call at --hosts"),
        ("--hosts 1 --key token", "--key belongs to a --certificate"),
        ("--hosts x", "--hosts: 'x' is not of the form [HOST:]PORT"),
        ("--hosts PORT --certificate token", "can't use the certificate token"),
        ("--hosts 0.0.0.0:PORT", "a token is wanted (--token-file)"),
    ],
)
def test_where_machines_can_not_be_heard(options: str, said: str) -> None:
    words = options.replace("PORT", str(free_port())).split()
    with pytest.raises(UsageError) as caught:
        listen.read_request([str(free_port()), *words])
    assert said in str(caught.value)


def test_lines_that_are_not_encrypted_are_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    options = ["--hosts", f"0.0.0.0:{port}", "--token-file", "token"]
    listen.read_request([str(free_port()), *options])
    assert f"nothing on the lines to 0.0.0.0:{port} is encrypted" in capsys.readouterr().err


@pytest.mark.full
@pytest.mark.real
def test_programs_of_a_machine_come_to_the_screen(folder: Path) -> None:
    """Over TLS; SIGTERM lets them run on, and leaves nothing behind."""
    port, hosts, there = free_port(), free_port(), free_port()
    certificate = certificate_in(folder)
    options = ("--hosts", str(hosts), "--certificate", certificate, "--token-file", "token")
    words = ("listen", str(port), *options, "-b", f"counting.py:{TOTAL}")
    carrying = ["forward", str(there), f"localhost:{hosts}", "--ca", certificate]
    carrying += ["--token-file", "token", "--name", "node7"]
    ranked = connecting_words(there)
    ranked += ["--adapter-access-token", "a-long-token", "counting.py", str(folder / "count")]
    with run_tuidbg(folder, *words) as terminal:
        terminal.wait_for(f"on 127.0.0.1:{port}", 30.0)
        with subprocess.Popen(
            [*TUIDBG, *carrying], stderr=subprocess.PIPE, text=True, env=environment(folder)
        ) as carrier:
            wait_until(lambda: listens(there), what="the machine's port")
            with subprocess.Popen(ranked, env={**os.environ}) as program:
                try:
                    terminal.wait_for("stopped at counting.py:4", 30.0)
                    assert not (folder / "count").exists()
                    carrier.send_signal(signal.SIGTERM)
                    assert carrier.wait() == 0
                    wait_until(lambda: (folder / "count").exists(), what="it runs on")
                finally:
                    program.kill()
            assert carrier.stderr is not None
            told = carrier.stderr.read().splitlines()
        assert told[0] == (
            f"what connects to 127.0.0.1:{there} is forwarded to localhost:{hosts}, over TLS"
        )
        assert told[-1] == f"localhost:{hosts} is there"
        terminal.key("q")
        assert terminal.wait_exit() == 0
        await_nothing_left(terminal)


@pytest.mark.full
@pytest.mark.real
def test_who_is_refused_is_told_why(folder: Path) -> None:
    port, hosts = free_port(), free_port()
    options = ("--hosts", str(hosts), "--token-file", "token")
    with run_tuidbg(folder, "listen", str(port), *options) as terminal:
        terminal.wait_for(f"on 127.0.0.1:{port}", 30.0)
        ended = subprocess.run(
            [*TUIDBG, "forward", str(free_port()), f"127.0.0.1:{hosts}"],
            capture_output=True,
            text=True,
            env=environment(folder),
            timeout=60,
        )
        assert ended.returncode == 1
        assert f"127.0.0.1:{hosts} does not take this machine in" in ended.stderr
        assert "does not know the token" in ended.stderr
        terminal.key("q")
        assert terminal.wait_exit() == 0
