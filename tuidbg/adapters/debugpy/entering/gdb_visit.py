"""Visits by gdb, on processors that tuidbg does not know itself (``traced_visit.py``).

gdb is never ended while it is there: in the middle of a call that would be the end of the program,
or would freeze it.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tuidbg.adapters.debugpy.entering.visit import InjectionKind, InjectionOutcome

_LIBRARIES = r"/\(libc[.-]\|ld-musl\|libpython\)"

_BEGIN = r"""
set pagination off
set confirm off
set width 0
set unwindonsignal on
handle all nostop noprint pass
handle SIGINT nostop noprint pass
handle SIGSEGV SIGBUS SIGILL SIGFPE SIGABRT SIGSYS stop noprint pass
attach {pid}
sharedlibrary {libraries}
"""

_QUEUE = r"""
set $queue = (int (*)(void *, void *)) &Py_AddPendingCall
set $run = (void *) &PyRun_SimpleString
set scheduler-locking on
set $page = ((long (*)(long, long, int, int, int, long)) &mmap)(0, {size}, 3, 0x22, -1, 0)
if $page == -1
  echo tuidbg: no memory\n
else
  restore {text} binary $page
  set scheduler-locking off
  set $said = $queue($run, (void *) $page)
  printf "tuidbg: queued %d\n", $said
end
"""
"""Reserves a page, which stays the program's (nobody knows when it is read last)."""

_RUN = r"""
set $held = ((int (*)(void)) &PyGILState_Check)()
if $held
  echo tuidbg: busy\n
else
  set $state = ((int (*)(void)) &PyGILState_Ensure)()
  set $said = ((int (*)(void)) &Py_MakePendingCalls)()
  if $said
    set $said = ((int (*)(void)) &PyErr_Clear)()
    set $said = ((int (*)(void)) &PyErr_SetInterrupt)()
  end
  set $said = ((int (*)(int)) &PyGILState_Release)($state)
  echo tuidbg: run\n
end
"""
"""Runs what is queued on a main thread that waits for something outside of Python.

An error there can only be a signal's that came meanwhile, Ctrl+C: it is told anew.
"""

_END = "detach\n"


class GdbVisit:
    """One run of gdb on a process (``Visit``)."""

    def __init__(
        self, kind: InjectionKind, gdb: str, pid: int, folder: Path, text: str = ""
    ) -> None:
        """Begin it. ``folder`` is the visitor's alone, ``text`` what is queued. Raises OSError."""
        self.kind = kind
        self._pid = pid
        self._output = folder / f"{kind.value}.out"
        script = folder / f"{kind.value}.gdb"
        script.write_text(self._script(folder, text), encoding="utf-8")
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                [*_command(gdb, pid), "-x", str(script)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**_environment(), "LC_ALL": "C"},
                cwd="/",
                start_new_session=True,
            )

    def _script(self, folder: Path, text: str) -> str:
        begin = _BEGIN.format(pid=self._pid, libraries=_LIBRARIES)
        if self.kind is InjectionKind.RUN:
            return begin + _RUN + _END
        data = text.encode("ascii") + b"\0"
        (folder / "text").write_bytes(data)
        return begin + _QUEUE.format(size=len(data), text=folder / "text") + _END

    @property
    def is_over(self) -> bool:
        """Tells whether gdb has left."""
        return self._process.poll() is not None

    def wait(self) -> None:
        """Until gdb has left, however long that takes."""
        self._process.wait()

    def outcome(self) -> tuple[InjectionOutcome, str]:
        """Returns what came of it, and why it failed, once it is over."""
        said = self._output.read_text(encoding="utf-8", errors="replace")
        if "tuidbg: queued 0" in said or "tuidbg: run" in said:
            return InjectionOutcome.DONE, ""
        if "tuidbg: queued" in said or "tuidbg: busy" in said:
            return InjectionOutcome.AGAIN, ""
        return InjectionOutcome.FAILED, explain(said)


def _command(gdb: str, pid: int) -> list[str]:
    """The program's symbols are read before it is stopped, and nothing of its or of a person's."""
    begin = ("set auto-load no", "set auto-solib-add off", "set debuginfod enabled off")
    words = [gdb, "-nx", "-batch", "--readnever"]
    for each in begin:
        words += ["-iex", each]
    return [*words, f"/proc/{pid}/exe"]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "DEBUGINFOD_URLS"}


_NO_SYMBOL = re.compile(r'No symbol "(\w+)"')
_REASON = re.compile(
    r"^.*(?:ptrace: |Could not attach|Operation not permitted|not found|No such file"
    r"|No such process|unable to|tuidbg: ).*$",
    re.MULTILINE | re.IGNORECASE,
)


def explain(said: str) -> str:
    """Returns why it did not work, of what gdb has written."""
    if missing := _NO_SYMBOL.search(said):
        return f"it is no Python that can be entered ({missing[1]} is not in it)"
    if "No such process" in said:
        return "the process has ended"
    found = _REASON.search(said.replace("ptrace: No such file or directory.", ""))
    if found is not None:
        return found[0].strip().removeprefix("tuidbg: ")
    return "gdb could not get into it (is tracing processes forbidden here?)"
