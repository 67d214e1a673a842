"""Programs whose Python can be told to run a script (3.14): what is asked of it, and what is run.

Where that Python is not on the machine, a stand-in takes its words, and has them done in the way
that tuidbg has for older ones.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import debugpy
import pytest

from tests.support.attachable import can_enter, running
from tests.support.interpreters import SUPPORTED
from tuidbg.adapters.debugpy.entering import checks, enter, remote

pytestmark = pytest.mark.real

NEWEST = {version: python for version, python in SUPPORTED.items() if version >= (3, 14)}

STAND_IN = """\
#!{python}
import sys
sys.path.insert(0, {root!r})
flags, code, words = sys.argv[1:4], sys.argv[4], sys.argv[5:]
assert flags == ["-I", "-S", "-c"], flags
def remote_exec(pid, script):
    from tuidbg.adapters.debugpy.entering.traced_visit import TracedVisit
    from tuidbg.adapters.debugpy.entering.visit import InjectionKind, InjectionOutcome
    text = "exec(open(%r).read(), {{}})" % script
    visit = TracedVisit(InjectionKind.QUEUE, pid, text, None)
    visit.wait()
    assert visit.outcome()[0] is InjectionOutcome.DONE, visit.outcome()
    open({log!r}, "w").write(script)
sys.remote_exec = remote_exec
sys.argv = ["-c", *words]
exec(code)
"""


def stand_in(folder: Path, code: str) -> str:
    path = folder / "python3.14"
    path.write_text(code, encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def plays(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """From now on every process seems to run that interpreter."""
    monkeypatch.setattr(remote, "_program_of", lambda pid: path)


def test_who_can_tell_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    can = stand_in(tmp_path, "#!/bin/sh\nexit 0\n")
    plays(monkeypatch, can)
    assert remote.find_helper(1) == can
    (tmp_path / "old").mkdir()
    plays(monkeypatch, stand_in(tmp_path / "old", "#!/bin/sh\nexit 1\n"))
    assert remote.find_helper(1) == ""
    run = tmp_path / "was run"
    for name in ("python3.13", "python2.7", "uwsgi", "python3.14-config"):
        other = tmp_path / name
        other.write_text(f"#!/bin/sh\ntouch '{run}'\n", encoding="utf-8")
        other.chmod(0o755)
        plays(monkeypatch, str(other))
        assert remote.find_helper(1) == "", name
    assert not run.exists()


def test_no_gdb_is_needed_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plays(monkeypatch, stand_in(tmp_path, "#!/bin/sh\nexit 0\n"))
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(checks, "can_trace", lambda: False)
    assert checks.entering_obstacle(1) == ""


def test_why_it_can_not_be_told(tmp_path: Path) -> None:
    refuses = stand_in(tmp_path, "#!/bin/sh\necho 'RuntimeError: not enabled' >&2\nexit 1\n")
    assert remote.run_remotely(refuses, 1, tmp_path / "x") == "RuntimeError: not enabled"
    gone = str(tmp_path / "gone")
    assert remote.run_remotely(gone, 1, tmp_path / "x").startswith(f"{gone} could not be run")


async def comes_to_the_adapter(pid: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have it enter without a visit; it connects to where it is told."""
    is_over = threading.Event()
    monkeypatch.setattr(enter, "can_trace", lambda: False)
    monkeypatch.setattr(enter, "_is_called_off", lambda: is_over.wait(0.05))
    with socket.create_server(("127.0.0.1", 0)) as adapter:
        entrance = enter.Entrance(setup_of(pid, adapter.getsockname()))
        entering = asyncio.create_task(asyncio.to_thread(entrance.enter))
        try:
            adapter.setblocking(False)
            async with asyncio.timeout(60):
                line, _ = await asyncio.get_running_loop().sock_accept(adapter)
            line.close()
        finally:
            is_over.set()
            await entering
            entrance.close()


def setup_of(pid: int, address: object) -> dict[str, object]:
    return {
        "pid": pid,
        "debugpy": str(Path(debugpy.__file__).parent),
        "address": address,
        "token": None,
    }


@pytest.mark.skipif(not can_enter(), reason="processes can't be traced here")
async def test_a_stand_in_has_the_script_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program comes to where it is told, once."""
    log = tmp_path / "log"
    root = str(Path(remote.__file__).parents[4])
    code = STAND_IN.format(python=sys.executable, root=root, log=str(log))
    plays(monkeypatch, stand_in(tmp_path, code))
    async with running(tmp_path) as program:
        await program.goes_on()
        await comes_to_the_adapter(program.process.pid, monkeypatch)
        assert log.read_text(encoding="utf-8").endswith("/first.py")
        await program.goes_on()


@pytest.mark.skipif(not NEWEST, reason="no Python 3.14 on this machine")
async def test_the_real_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(tmp_path, python=next(iter(NEWEST.values()))) as program:
        await program.goes_on()
        assert remote.find_helper(program.process.pid)
        await comes_to_the_adapter(program.process.pid, monkeypatch)
        await program.goes_on()


@pytest.mark.skipif(not NEWEST, reason="no Python 3.14 on this machine")
def test_a_script_that_nobody_wants_any_more_is_run_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python tells on the program's stderr that it can't open a script that is gone."""
    monkeypatch.setattr(enter, "can_trace", lambda: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    process = subprocess.Popen(
        [next(iter(NEWEST.values())), "-c", "print(1, flush=True); input(); n = 0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    entrance = enter.Entrance(setup_of(process.pid, ("127.0.0.1", 1)))
    entrance._begin()
    entrance.close()
    assert len(list(tmp_path.glob("tuidbg-*/first.py"))) == 1
    _, error = process.communicate(b"\n")
    assert (process.returncode, error) == (0, b"")
    assert not list(tmp_path.glob("tuidbg-*"))
