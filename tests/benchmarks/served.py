"""The real ``tuidbg serve`` on the loopback, and a client of it that costs as little as possible.

Blocking, on one connection that stays open, and no more of HTTP than the server speaks: a general
client would take longer over an answer than the server.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

Json = dict[str, Any]

_END = b"\r\n\r\n"


class Server:
    """A server process with a token, from its start to its end."""

    def __init__(self, home: Path) -> None:
        """All that it writes is written below ``home``."""
        names = ("HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
        self.environment = {**os.environ, **{name: str(home) for name in names}}
        """What finds it, where it has to be found."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tuidbg", "serve", "--port", "0", "--auth", "token"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.port, self.token = 0, ""
        assert self._process.stdout
        for line in self._process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
            if found := re.match(r"Token of owner: (\S+)", line):
                self.token = found[1]
                return
        raise RuntimeError("tuidbg serve has not told its address and its token")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._process.terminate()
        self._process.communicate(timeout=20)

    def connect(self) -> HttpClient:
        """A connection of its own."""
        return HttpClient(self.port, self.token)


class HttpClient:
    """One connection. What is no success raises RuntimeError."""

    def __init__(self, port: int, token: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._headers = (
            f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\n"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._socket.close()

    def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        """One request; the data of its answer."""
        answer: Json = json.loads(self.ask_raw(method, path, body))
        if not answer["success"]:
            raise RuntimeError(f"{method} {path}: {answer['error']}")
        data: Json = answer["data"]
        return data

    def ask_raw(self, method: str, path: str, body: Json | None = None) -> bytes:
        """One request; the body of its answer, not looked at."""
        content = json.dumps(body).encode() if body is not None else b""
        head = f"{method} /api/v1{path} HTTP/1.1\r\n{self._headers}"
        length = f"Content-Length: {len(content)}\r\n\r\n"
        self._socket.sendall((head + length).encode() + content)
        data = b""
        while _END not in data:
            data += self._receive()
        headers, _, data = data.partition(_END)
        found = re.search(rb"content-length: (\d+)", headers)
        assert found is not None
        while len(data) < int(found[1]):
            data += self._receive()
        return data

    def create(self, folder: Path) -> str:
        """A session without a program; its id."""
        return str(self.ask("POST", "/sessions", {"project_root": str(folder)})["session_id"])

    def _receive(self) -> bytes:
        data = self._socket.recv(65536)
        if not data:
            raise EOFError("the server has closed the connection")
        return data
