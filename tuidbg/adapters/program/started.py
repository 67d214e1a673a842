"""A process started by tuidbg: its exit is awaited, and its pipes are read."""

from __future__ import annotations

import asyncio
import codecs
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

TERM = "xterm-256color"
"""The terminal type that tuidbg's own terminal supports."""

# For systems without a `setsid -c`, which does the same in a tenth of the time. Python itself may
# have set LC_CTYPE (PEP 538) and ignores some signals: the program would inherit both.
_CLAIM_TERMINAL = """\
import fcntl, os, sys, termios, _signal as signal
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
for name in ("SIGINT", "SIGQUIT", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGPIPE", "SIGXFSZ"):
    signal.signal(getattr(signal, name), signal.SIG_DFL)
ctype, *args = sys.argv[1:]
os.environ.pop("LC_CTYPE", None)
if ctype:
    os.environ["LC_CTYPE"] = ctype
try:
    os.execvp(args[0], args)
except OSError as error:
    sys.exit(f"tuidbg: can't start {args[0]}: {error.strerror}")
"""


def program_environment(changes: Mapping[str, str | None]) -> dict[str, str]:
    """Return tuidbg's environment with ``changes`` and the type of the program's terminal."""
    environment = dict(os.environ)
    for name in ("COLUMNS", "LINES"):
        environment.pop(name, None)
    environment["TERM"] = TERM
    for key, value in changes.items():
        if value is None:
            environment.pop(key, None)
        else:
            environment[key] = value
    return environment


def can_run(program: str, cwd: str | None, environment: Mapping[str, str]) -> bool:
    """Return whether exec would find ``program``: checked first, as the process could die of it."""
    if "/" in program:
        program = str(Path.cwd() / (cwd or "") / program)
    return shutil.which(program, path=environment.get("PATH")) is not None


def claiming_command(args: Sequence[str], environment: Mapping[str, str]) -> tuple[list[str], bool]:
    """Return a command that makes stdin its controlling terminal and then runs ``args``.

    Also whether it must be started in a new session (``setsid`` makes one itself).
    """
    setsid = shutil.which("setsid") if sys.platform == "linux" else None
    if setsid is not None:
        return [setsid, "-c", *args], False
    ctype = environment.get("LC_CTYPE", "")
    return [sys.executable, "-I", "-S", "-c", _CLAIM_TERMINAL, ctype, *args], True


_GET_INFO = 0xC040FF0B
"""The ``ioctl`` for the first version of ``struct pidfd_info``, of 64 bytes."""

_EXIT = 1 << 3
"""Requests the exit status, and marks its presence in the result."""

_LAYOUT = struct.Struct("=QQ11Ii")

_PAUSE = 0.01
"""Seconds between two checks of an exiting process."""


class ExitStatus:
    """The exit status of a process followed while alive; unknown without kernel support."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        try:
            self._descriptor: int | None = os.pidfd_open(pid)
        except (OSError, AttributeError):
            self._descriptor = None

    def take(self) -> int | None:
        """Return its exit code, or minus the number of the fatal signal; None: unknown."""
        status = self._look()
        self.close()
        return status

    async def wait(self, within: float) -> int | None:
        """Wait and return the same as ``take``; None after ``within`` seconds (it runs on)."""
        loop = asyncio.get_running_loop()
        until = loop.time() + within
        while (status := self._look()) is None and self._descriptor is not None:
            if loop.time() > until:
                break
            await asyncio.sleep(_PAUSE)
        self.close()
        return status

    def _look(self) -> int | None:
        if self._descriptor is None:
            return None
        # First the row: while the process is not reaped, it is the one of our descriptor.
        status = _read_row(self.pid)
        data = bytearray(_LAYOUT.size)
        struct.pack_into("=Q", data, 0, _EXIT)
        try:
            fcntl.ioctl(self._descriptor, _GET_INFO, data)
        except OSError:
            return status
        told = _LAYOUT.unpack(data)
        return os.waitstatus_to_exitcode(told[-1]) if told[0] & _EXIT else status

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _read_row(pid: int) -> int | None:
    """Return the exit status of a zombie; None for any other process."""
    try:
        row = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return os.waitstatus_to_exitcode(int(row[-1])) if row[:1] == [b"Z"] else None


def signal_name(number: int) -> str:
    """Return ``SIGSEGV`` for 11; empty for an invalid number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


_QUIET = 0.1
"""Seconds without output after which ``drain`` assumes that another process holds the pipes."""


class StartedProgram:
    """A child process of tuidbg, awaited by a thread, so that it does not stay a zombie.

    Created on the event loop on which ``wait`` is called.
    """

    def __init__(self, popen: subprocess.Popen[bytes], output: ProgramPipes | None = None) -> None:
        self._popen = popen
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._output = output
        threading.Thread(target=self._reap, name="program-reaper", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, or minus the number of the fatal signal; None while it runs."""
        return self._popen.returncode

    def _reap(self) -> None:
        self._popen.wait()
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._ended.set)

    async def wait(self) -> int:
        """Wait for its end and return its exit code (-N: killed by signal N)."""
        await self._ended.wait()
        code: int = self._popen.returncode
        return code

    async def drain(self, limit: float = 1.0) -> None:
        """Wait until the output of the ended program is read, ``limit`` seconds at most."""
        if self._output is not None:
            await self._output.drain(limit)

    def close(self) -> None:
        """Stop reading its output."""
        if self._output is not None:
            self._output.close()


class ProgramPipes:
    """Stdout and stderr of one program, passed to ``on_output(stream, text)``."""

    def __init__(self, on_output: Callable[[str, str], None]) -> None:
        self._on_output = on_output
        self._ends: tuple[int, ...] = ()
        self._readers: list[_StreamReader] = []
        self._transports: list[asyncio.BaseTransport] = []

    def start(self, args: Sequence[str], cwd: str, env: Mapping[str, str]) -> StartedProgram:
        """Start a program without a terminal, in a session of its own.

        Raises OSError if the program or ``cwd`` can't be used.
        """
        with self.writing_ends() as (out, err):
            popen = subprocess.Popen(
                list(args),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=cwd or None,
                env=dict(env),
                start_new_session=True,
            )
        return StartedProgram(popen, self)

    @contextmanager
    def writing_ends(self) -> Iterator[tuple[int, int]]:
        """Provide the descriptors of the program's ends while it is started."""
        (out, own_out), (err, own_err) = os.pipe(), os.pipe()
        try:
            yield own_out, own_err
        except BaseException:
            os.close(out)
            os.close(err)
            raise
        else:
            self._ends = (out, err)
        finally:
            os.close(own_out)
            os.close(own_err)

    async def read(self) -> None:
        """Start reading."""
        loop = asyncio.get_running_loop()
        for name, end in zip(("stdout", "stderr"), self._ends, strict=True):
            reader = _StreamReader(name, self._on_output)
            file = os.fdopen(end, "rb", buffering=0)
            transport, _ = await loop.connect_read_pipe(partial(_same, reader), file)
            self._readers.append(reader)
            self._transports.append(transport)

    async def drain(self, limit: float) -> None:
        """Wait until both are read to their end, or another process holds them without output."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + limit
        while not all(reader.is_over.is_set() for reader in self._readers):
            heard = sum(reader.count for reader in self._readers)
            with suppress(TimeoutError):
                async with asyncio.timeout(_QUIET):
                    await asyncio.gather(*(reader.is_over.wait() for reader in self._readers))
            is_silent = heard == sum(reader.count for reader in self._readers)
            if is_silent or loop.time() > deadline:
                return

    def close(self) -> None:
        """Stop reading."""
        for transport in self._transports:
            transport.close()


def _same(reader: _StreamReader) -> _StreamReader:
    return reader


class _StreamReader(asyncio.Protocol):
    """A UTF-8 decoder of one stream; invalid bytes become U+FFFD."""

    def __init__(self, name: str, on_output: Callable[[str, str], None]) -> None:
        self.count = 0
        self.is_over = asyncio.Event()
        self._name = name
        self._on_output = on_output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def data_received(self, data: bytes) -> None:
        self.count += len(data)
        self._report(self._decoder.decode(data))

    def connection_lost(self, exc: Exception | None) -> None:
        self._report(self._decoder.decode(b"", final=True))
        self.is_over.set()

    def _report(self, text: str) -> None:
        if text:
            self._on_output(self._name, text)
