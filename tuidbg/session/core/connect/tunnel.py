"""A tunnel to a port of another machine, made by the system's own ssh.

The user's ssh configuration (hosts, keys, jumps) applies. ssh must log in without a prompt: the
screen is the debugger's. It ends with the session, and with tuidbg, however that ends.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import TunnelFailed
from tuidbg.lines import split_lines

if TYPE_CHECKING:
    from tuidbg.adapters.process import Guard, LaunchGuard

OPTIONS = {
    "BatchMode": "yes",
    "ExitOnForwardFailure": "yes",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
    # A connection shared with other runs of ssh would not end with this one.
    "ControlPath": "none",
    # Printed when ssh is connected, and the port is open.
    "PermitLocalCommand": "yes",
    "LocalCommand": "echo tuidbg-through",
}
_THROUGH = b"tuidbg-through"
_QUESTIONS = ("Permission denied", "Host key verification failed")


class Tunnel:
    """The tunnel to one port of one machine; reopened after a failure."""

    def __init__(self, machine: str, host: str, port: int, guard: Guard) -> None:
        self._machine = machine
        self._host = f"[{host}]" if ":" in host else host
        self._port = port
        self._guard = guard
        self._launch: LaunchGuard | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._errors: asyncio.Task[bytes] | None = None
        self._local = 0

    @property
    def pid(self) -> int | None:
        """Return the process id of ssh, while there is one."""
        alive = self._process is not None and self._process.returncode is None
        return self._process.pid if alive and self._process is not None else None

    async def open(self) -> int:
        """Return the local port of the tunnel. Raises TunnelFailed with ssh's own message."""
        if self.pid is None:
            await self._start()
        return self._local

    async def _start(self) -> None:
        await self.close()
        self._launch = self._guard.begin_launch()
        self._local = _find_free_port()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, **self._launch.environment},
                start_new_session=True,
            )
        except OSError as error:
            raise TunnelFailed(f"ssh can't be started: {error.strerror}") from error
        self._launch.watch(self._process.pid)
        assert self._process.stdout is not None and self._process.stderr is not None
        self._errors = asyncio.create_task(self._process.stderr.read())
        if _THROUGH not in await self._process.stdout.readline():
            raise TunnelFailed(await self._explain())

    def _command(self) -> list[str]:
        ssh = shutil.which("ssh")
        if ssh is None:
            raise TunnelFailed("ssh is not installed here")
        options = [word for name, value in OPTIONS.items() for word in ("-o", f"{name}={value}")]
        way = f"127.0.0.1:{self._local}:{self._host}:{self._port}"
        return [ssh, "-N", "-T", *options, "-L", way, "--", self._machine]

    async def _explain(self) -> str:
        """Return why ssh has ended, in its own last words."""
        assert self._process is not None and self._errors is not None
        await self._process.wait()
        lines = split_lines((await self._errors).decode("utf-8", "replace").strip())
        told = lines[-1].strip() if lines else f"it ended with status {self._process.returncode}"
        hint = ""
        if any(question in told for question in _QUESTIONS):
            hint = f" (`ssh {self._machine} true` must work without a question)"
        return f"ssh says: {told.rstrip('.')}{hint}"

    async def close(self) -> None:
        process, launch = self._process, self._launch
        self._process = self._launch = None
        if process is not None and process.returncode is None:
            process.terminate()
            try:
                async with asyncio.timeout(1.0):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()
        if process is not None and launch is not None:
            launch.forget(process.pid)
        if self._errors is not None:
            await self._errors
            self._errors = None


def _find_free_port() -> int:
    """Return a port that is free now; if another process binds it meanwhile, ssh reports that."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
