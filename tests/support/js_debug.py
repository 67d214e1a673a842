"""A made-up js-debug: its first conversation has no program, the one that it asks for has it.

Run as ``js-debug PORT HOST``; ``install_js_debug`` makes that command.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.support.fake_program import Json

TARGET = "53932158"
"""Is what the second conversation must name."""


def play(file: str, port: int) -> None:
    """Be it, for one program."""
    from tests.support.fake_adapter import ProcessAdapter, _speak_over

    with open(file, encoding="utf-8") as script:
        wanted = json.load(script)
    with socket.create_server(("127.0.0.1", port)) as server:
        print(f"Debug server listening at 127.0.0.1:{port}", flush=True)
        root = server.accept()[0]
        threading.Thread(target=_Root(root).run, daemon=True).start()
        _speak_over(server.accept()[0])
    ProcessAdapter(wanted).run()


class _Root:
    """The first conversation."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._stream = connection.makefile("rb")
        self._launch: Json = {}
        self._seq = 0

    def run(self) -> None:
        while header := self._stream.readline():
            self._stream.readline()
            message = json.loads(self._stream.read(int(header.split(b":")[1])))
            if message["type"] == "request":
                self._answer(message)

    def _answer(self, request: Json) -> None:
        match request["command"]:
            case "initialize":
                self._reply(request, {"supportsConfigurationDoneRequest": True})
                self._send({"type": "event", "event": "initialized", "body": {}})
            case "launch":
                self._launch = request
            case "configurationDone":
                self._reply(request)
                self._reply(self._launch)
                configuration = {"type": "pwa-node", "name": "app", "__pendingTargetId": TARGET}
                arguments = {"request": "launch", "configuration": configuration}
                self._send({"type": "request", "command": "startDebugging", "arguments": arguments})
            case _:
                self._reply(request)

    def _reply(self, request: Json, body: Json | None = None) -> None:
        told = {"request_seq": request["seq"], "success": True, "command": request["command"]}
        self._send({"type": "response", **told, "body": body or {}})

    def _send(self, message: dict[str, Any]) -> None:
        self._seq += 1
        body = json.dumps({"seq": self._seq, **message}).encode()
        self._connection.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


_COMMAND = """\
#!{python} -ES
import sys
sys.path.insert(0, {root!r})
from tests.support.js_debug import play
play({script!r}, int(sys.argv[1]))
"""


def install_js_debug(folder: Path, program: Path, lines: int) -> Path:
    """The command, in a folder for the PATH; its program runs through so many lines."""
    from tests.support.fakes import HANDSHAKES, ROOT, Script
    from tests.support.recording import count_up

    script = Script(program=count_up(str(program), lines), handshake=HANDSHAKES["lldb-22"])
    file = folder / "js-debug.json"
    file.write_text(json.dumps(asdict(script)))
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    command = bin_folder / "js-debug"
    text = _COMMAND.format(python=sys.executable, root=str(ROOT), script=str(file))
    command.write_text(text, encoding="utf-8")
    command.chmod(0o755)
    return bin_folder
