"""Running the build command of a project, independent of debugging.

The command is one line, as written by the user. It is split into words as a shell does and started
directly; only one that needs a shell (pipes, ``&&``, ``$VARIABLES``, patterns, ``A=b make``) is
passed unchanged to ``/bin/sh -c``. It comes from the user who started tuidbg, never from a caller.

Its processes are ended with it when it is cancelled, and with tuidbg however that ends. Processes
that a successful build leaves behind on purpose (a compiler's daemon) continue.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import subprocess
import threading
import time
from typing import IO

from tuidbg.adapters.process import Guard
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import StateValue

TIME_LIMIT = 1800.0
"""Seconds after which a build is ended."""

OUTPUT_LIMIT = 1_000_000
"""Bytes of stdout and of stderr that are kept: the last ones, where the errors are."""

_DRAIN = 0.5
"""Seconds for the last output after the command's end: its children may hold the pipe."""

_NEEDS_SHELL = re.compile(r"[|&;<>()$`*?\[\]{}~#!\n]|^\s*\w+=")


class BuildNotPossible(DebuggerError):
    """The command can't be run, or one runs already; ``str()`` says which."""


class BuildCancelled(DebuggerError):
    """The build was cancelled, or took too long."""


class BuildResult(StateValue, frozen=True):
    """The result of a build. ``exit_code`` is negative if a signal ended it."""

    command: str
    exit_code: int
    stdout: str
    stderr: str
    seconds: float


def split_command(command: str) -> list[str]:
    """Return the words to start: the command's own, or a shell's if needed (see above).

    Raises BuildNotPossible if it is invalid.
    """
    if _NEEDS_SHELL.search(command):
        return ["/bin/sh", "-c", command]
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BuildNotPossible(f"the build command can't be parsed: {error}") from None
    if not words:
        raise BuildNotPossible("the build command is empty")
    return words


class ProjectBuild:
    """The build of one project: one at a time. Raises BuildNotPossible as ``split_command``."""

    def __init__(self, command: str, *, guard: Guard) -> None:
        self.command = command
        self._words = split_command(command)
        self._guard = guard
        self._running: asyncio.Task[BuildResult] | None = None

    @property
    def is_running(self) -> bool:
        return self._running is not None

    async def run(self, folder: str, *, timeout: float = TIME_LIMIT) -> BuildResult:
        """Run it in a folder, to its end. It is ended if the caller is cancelled.

        Raises BuildNotPossible, BuildCancelled.
        """
        if self._running is not None:
            raise BuildNotPossible("a build is under way already")
        self._running = asyncio.create_task(self._run(folder))
        try:
            async with asyncio.timeout(timeout):
                await asyncio.wait({self._running})
            if self._running.cancelled():
                raise BuildCancelled("the build was cancelled")
            return self._running.result()
        except TimeoutError:
            raise BuildCancelled(f"the build was ended: it took over {timeout:g} s") from None
        finally:
            self._running.cancel()
            await asyncio.wait({self._running})
            self._running = None

    def cancel(self) -> None:
        """Cancel it; the caller of ``run`` gets BuildCancelled when all its processes are gone."""
        if self._running is not None:
            self._running.cancel()

    async def _run(self, folder: str) -> BuildResult:
        launch, begun = self._guard.begin_launch(), time.monotonic()
        try:
            process = subprocess.Popen(  # noqa: ASYNC220 (as adapters are: it takes a millisecond)
                self._words,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **launch.environment},
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            why = error.strerror or str(error)
            raise BuildNotPossible(f"can't run {self._words[0]} in {folder}: {why}") from error
        launch.watch(process.pid)
        assert process.stdout is not None and process.stderr is not None
        outputs = _Tail(process.stdout), _Tail(process.stderr)
        try:
            exit_code = await _end_of(process)
            ends = [asyncio.create_task(output.ended.wait()) for output in outputs]
            await asyncio.wait(ends, timeout=_DRAIN)
            for end in ends:
                end.cancel()
        except asyncio.CancelledError:
            ending = asyncio.to_thread(launch.end_processes, (process.pid,))
            await asyncio.shield(asyncio.ensure_future(ending))
            raise
        finally:
            for output in outputs:
                output.close()
        launch.release_marked()
        launch.forget(process.pid)
        return BuildResult(
            command=self.command,
            exit_code=exit_code,
            stdout=outputs[0].text,
            stderr=outputs[1].text,
            seconds=time.monotonic() - begun,
        )


class _Tail:
    """The last part of a pipe's output."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._kept = bytearray()
        self._dropped = 0
        self.ended = asyncio.Event()
        os.set_blocking(pipe.fileno(), False)
        asyncio.get_running_loop().add_reader(pipe.fileno(), self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._pipe.fileno(), 1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._stop()
            return
        self._kept += data
        if len(self._kept) > 2 * OUTPUT_LIMIT:
            self._cut()

    def _cut(self) -> None:
        too_much = len(self._kept) - OUTPUT_LIMIT
        if too_much > 0:
            del self._kept[:too_much]
            self._dropped += too_much

    def _stop(self) -> None:
        if not self.ended.is_set():
            asyncio.get_running_loop().remove_reader(self._pipe.fileno())
            self.ended.set()

    def close(self) -> None:
        self._stop()
        self._pipe.close()

    @property
    def text(self) -> str:
        """Return the kept output; if some was dropped, the first line says how much."""
        self._cut()
        text = self._kept.decode("utf-8", "replace")
        return f"[{self._dropped} bytes are left out here]\n{text}" if self._dropped else text


async def _end_of(process: subprocess.Popen[bytes]) -> int:
    """Return its exit code, when it has ended; a thread waits, and blocks nothing else."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[int] = loop.create_future()

    def tell(code: int) -> None:
        if not ended.done():
            ended.set_result(code)

    def wait() -> None:
        code = process.wait()
        try:
            loop.call_soon_threadsafe(tell, code)
        except RuntimeError:  # the loop was closed meanwhile
            pass

    threading.Thread(target=wait, name="build", daemon=True).start()
    return await ended
