"""Tells how a program is started so that a pseudo-terminal becomes its own.

A terminal controls a session when the session's leader says so, from inside: the starting process
has to run something between fork and exec. A ``preexec_fn`` would run Python there, which is not
safe beside other threads (and tuidbg imports Textual in one). So the program is started through a
small command that claims the terminal and then becomes the program; the process id stays the same.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

TERM = "xterm-256color"
"""Names what tuidbg's own terminal understands."""

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
    """tuidbg's environment with ``changes``, told of the program's terminal instead of tuidbg's."""
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
    """Tells whether exec would find ``program``: asked first, as the process could die of it."""
    if "/" in program:
        program = str(Path.cwd() / (cwd or "") / program)
    return shutil.which(program, path=environment.get("PATH")) is not None


def claiming_command(args: Sequence[str], environment: Mapping[str, str]) -> tuple[list[str], bool]:
    """The command that makes its standard input the controlling terminal and then becomes ``args``.

    Also whether it must be started in a new session (``setsid`` makes one itself).
    """
    setsid = shutil.which("setsid") if sys.platform == "linux" else None
    if setsid is not None:
        return [setsid, "-c", *args], False
    ctype = environment.get("LC_CTYPE", "")
    return [sys.executable, "-I", "-S", "-c", _CLAIM_TERMINAL, ctype, *args], True
