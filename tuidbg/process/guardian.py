"""The guardian: ends adapter and program when tuidbg is gone, however it ended.

A process that is killed can't clean up after itself, and the kernel does not do it for us
(PR_SET_PDEATHSIG fires per thread and misses grandchildren; SIGHUP can be ignored). So tuidbg forks
this small process before it imports anything heavy. It sleeps on a pipe whose other end only tuidbg
holds: the end of that pipe is the end of tuidbg. It ends all processes that are still watched then,
with all that belong to them (see :mod:`tuidbg.process.tree`), in half a second at most if SIGTERM
is ignored, at once otherwise. Before that it restores the terminal, if tuidbg painted on it.

It stays in tuidbg's session, in a group of its own: the kernel continues a stopped process of such
a group when the last of its session that could do so (tuidbg) is gone, and its terminal is its own.

It does *not* end: the rest of a launch whose watched processes were all forgotten, or that was
released. A program that ended by itself may have left a daemon behind on purpose.

Only light modules are imported here: this runs before everything else, at every start.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterable

from tuidbg.process.terminals import KeptTerminal
from tuidbg.process.tree import MARK, end_started, find_kin, find_marked, find_start

_PARENT_CHECK = (
    1_000  # milliseconds; a stray copy of the pipe's end must not hide the end of tuidbg
)


class Guardian:
    """tuidbg's side of the guardian process. Nothing here fails when that process is gone."""

    def __init__(self, pid: int, lifeline: int) -> None:
        self._pid = pid
        self._lifeline = lifeline
        self._stamp = f"{os.getpid()}-{time.time_ns():x}"
        self._launches = 0

    @classmethod
    def fork(cls) -> Guardian:
        """Start the guardian. Call it first of all: single-threaded, small, nothing else open.

        If no process can be created, tuidbg continues without one (:attr:`alive` is false).
        """
        try:
            reader, lifeline = map(_above_standard, os.pipe())
            kin, parent = find_kin(), os.getpid()
            terminal = KeptTerminal.find()
            pid = os.fork()
        except OSError:
            return cls(0, -1)
        if pid == 0:
            try:
                _detach(reader, terminal)
                _stand_guard(reader, parent, kin, terminal)
            finally:
                os._exit(0)
        os.close(reader)
        if terminal is not None:
            terminal.close()
        os.set_blocking(lifeline, False)
        return cls(pid, lifeline)

    @property
    def alive(self) -> bool:
        """True if the guardian runs. Without it, only an orderly end ends the program."""
        if self._pid:
            try:
                ended, _ = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:
                ended = self._pid
            if ended:
                self._pid = 0
        return bool(self._pid)

    def begin_launch(self) -> LaunchMark:
        """Return the guard for the processes of the next launch (or restart)."""
        self._launches += 1
        token = f"{self._stamp}-{self._launches}"
        self._tell(f"launch {token}")
        return LaunchMark(token, self._tell)

    def tell_terminal(self, is_taken: bool) -> None:
        """Report whether the terminal is painted on, or as it was before."""
        self._tell(f"terminal {int(is_taken)}")

    def close(self) -> None:
        """Let the guardian exit. It ends the watched processes first; this does not wait."""
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1
        if self.alive:  # so its number is not reused
            os.kill(self._pid, signal.SIGCONT)  # it may be stopped

    def _tell(self, line: str) -> None:
        if self._lifeline >= 0:
            try:
                os.write(self._lifeline, f"{line}\n".encode("ascii"))
            except OSError:  # the guardian was killed, or is stopped and its pipe full
                pass


class LaunchMark:
    """One launch under guard: the mark its processes carry, and the watched ones."""

    def __init__(self, token: str, tell: Callable[[str], None]) -> None:
        self.token = token
        self._tokens = {token}
        self._tell = tell
        self._watched: dict[int, str] = {}

    @property
    def environment(self) -> dict[str, str]:
        """Return the additions to the environment of each process that this launch starts."""
        outer = os.environ.get(MARK)  # tuidbg under tuidbg: the outer one ends both
        return {MARK: f"{outer},{self.token}" if outer else self.token}

    @property
    def watched(self) -> tuple[int, ...]:
        """Return the watched processes, oldest first."""
        return tuple(self._watched)

    def watch(self, pid: int) -> None:
        """End ``pid`` (adapter, program) with tuidbg. Not for attached ones."""
        if pid > 1 and pid not in self._watched:
            self._watched[pid] = find_start(pid)
            self._tell(f"watch {pid} {self._watched[pid]} {''.join(self._tokens)}")

    def forget(self, pid: int) -> None:
        """Forget ``pid``, which has ended by itself without remaining processes to be ended.

        Its number may soon be reused. After a crash, use :meth:`end_processes`.
        """
        if self._watched.pop(pid, None) is not None:
            self._tell(f"forget {pid}")

    def find_marked(self) -> dict[int, list[str]]:
        """Return its living processes and their start words; empty without /proc. Blocks."""
        return find_marked(self._tokens)

    def release_marked(self) -> None:
        """Release daemons left on purpose by a program that has ended by itself.

        Watched processes (the adapter) stay watched. Without this, their end would end the daemons,
        too.
        """
        self._tokens.clear()
        self._tell(f"release {self.token}")

    def end_processes(self, pids: Iterable[int], *, grace: float = 0.2, limit: float = 0.8) -> None:
        """End ``pids`` with all that belongs to them, in the way of ``end_tree``, and forget them.

        Processes left at the limit (seconds) stay watched, so the guardian tries again later.
        Blocks: use a thread. Without any pid it does nothing at all.
        """
        started = {pid: self._watched.get(pid) or find_start(pid) for pid in pids if pid > 1}
        if started:
            left = end_started(started, self._tokens, find_kin(), grace=grace, limit=limit)
            for pid in started.keys() - left:
                self.forget(pid)


def _above_standard(fd: int) -> int:
    """Return ``fd``, moved out of 0, 1 and 2 if tuidbg was started with one of them closed."""
    if fd > 2:
        return fd
    moved = _above_standard(os.dup(fd))
    os.close(fd)
    return moved


# In the guardian process


def _detach(reader: int, terminal: KeptTerminal | None) -> None:
    """Keep nothing of tuidbg's but the pipe and the terminal: no file, no folder, no signal."""
    for number in signal.valid_signals() - {signal.SIGCHLD, signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):  # not for us to choose
            pass
    os.setpgid(0, 0)
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    try:
        with os.scandir("/dev/fd") as entries:
            opened = {int(entry.name) for entry in entries}
    except OSError:
        opened = set(range(1024))
    for fd in opened - {0, 1, 2, reader, terminal.fd if terminal is not None else reader}:
        try:
            os.close(fd)
        except OSError:  # not open (any more)
            pass


def _stand_guard(reader: int, parent: int, kin: set[int], terminal: KeptTerminal | None) -> None:
    """Follow tuidbg's messages until it is gone, then end the remaining processes."""
    left = _Left()
    rest = b""
    pipe = select.poll()
    pipe.register(reader, select.POLLIN)
    while True:
        if pipe.poll(_PARENT_CHECK):
            data = os.read(reader, 65536)
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                left.follow(line.decode("ascii"))
        elif os.getppid() != parent:
            break
    if terminal is not None:
        if left.has_terminal:
            terminal.put_back()  # at once: a process that waits for tuidbg continues by now
        terminal.close()
    if left.watched or left.tokens:
        # A process being started when tuidbg died carries the mark in a moment.
        time.sleep(0.02)
        started = {pid: start for pid, (start, _) in left.watched.items()}
        end_started(started, left.tokens, kin | find_kin(), grace=0.5, limit=2.5)


class _Left:
    """The processes tuidbg would leave behind if it died now."""

    def __init__(self) -> None:
        self.watched: dict[int, tuple[str, str]] = {}
        self.tokens: set[str] = set()
        self.has_terminal = False

    def follow(self, line: str) -> None:
        """Read one message line of :class:`Guardian` or :class:`Launch`."""
        match line.split(" "):
            case ["terminal", is_taken]:
                self.has_terminal = is_taken == "1"
            case ["launch", token]:
                # From here on, so that a death between a start and its "watch" leaves nothing.
                self.tokens.add(token)
            case ["watch", pid, start, token]:
                self.watched[int(pid)] = (start, token)
                if token:
                    self.tokens.add(token)
            case ["forget", pid]:
                _, token = self.watched.pop(int(pid), ("", ""))
                if all(other != token for _, other in self.watched.values()):
                    self.tokens.discard(token)
            case ["release", token]:
                self.tokens.discard(token)
