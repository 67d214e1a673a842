"""A made-up adapter ``lua-dap``: the fake one, as a command that a person has installed."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from tests.support.fake_program import Json
from tests.support.fakes import CAPABILITIES, ROOT, Script
from tests.support.recording import count_up

LINES = 4

_COMMAND = """\
#!{python} -ES
import sys
sys.path.insert(0, {root!r})
from tests.support.fake_adapter import play
words = sys.argv[1:]
if words == ["-v"]:
    print("lua-dap 1.2.3")
    sys.exit()
after = dict(zip(words, words[1:]))
play({script!r}, listen=int(after.get("--port", 0)), dial=after.get("--call", ""))
"""


def lua_script(folder: Path) -> Path:
    """A program in Lua, which runs through four lines."""
    path = folder / "count.lua"
    path.write_text("".join(f"i = {line}\n" for line in range(1, LINES + 1)))
    return path


def install_lua_dap(
    folder: Path, program: Path, rules: Sequence[Json] = (), *, stackless: bool = False
) -> Path:
    """The command, in a folder for the PATH; it debugs ``program`` by these rules.

    ``stackless``: its first stop has no frames.
    """
    capabilities: Json = {
        **CAPABILITIES,
        "exceptionBreakpointFilters": [{"filter": "error", "label": "Errors"}],
    }
    played = count_up(str(program), LINES)
    if stackless:
        played["moments"].insert(0, {"frames": []})
    script = Script(program=played, capabilities=capabilities, rules=[*rules])
    file = folder / "lua-dap.json"
    file.write_text(json.dumps(asdict(script)))
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    command = bin_folder / "lua-dap"
    command.write_text(
        _COMMAND.format(python=sys.executable, root=str(ROOT), script=str(file)), encoding="utf-8"
    )
    command.chmod(0o755)
    return bin_folder


@contextmanager
def running_lua_dap(bin_folder: Path) -> Iterator[int]:
    """One that runs already, and the port at which it takes one client."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([bin_folder / "lua-dap", "--port", str(port)])
    try:
        yield port
    finally:
        process.kill()
        process.wait()
