"""Starts tuidbg: what takes long is begun before anything heavy is imported.

First the guardian is forked, while the process is small; then the adapter is started, so that it
gets ready while the command line is read and the user interface imported.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING

from tuidbg.cli.command_table import WITHOUT_PROGRAM, put_word_first

if TYPE_CHECKING:
    from tuidbg.adapters.process import AdapterProcess
    from tuidbg.process.guardian import Guardian

_LEAVING_LIMIT = 3.0
"""Seconds in which Python comes to its end: it waits for threads."""


def main() -> None:
    """The console script ``tuidbg``."""
    from tuidbg.process.own_environment import keep_for_program

    keep_for_program()
    _open_missing_streams()
    from tuidbg.process.guardian import Guardian

    gc.disable()  # what a start makes, stays; the launcher lets it collect later
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl+C during the start ends it without a traceback; the guardian tidies up.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    guardian = Guardian.fork()
    args = put_word_first(sys.argv[1:])
    adapter = _start_adapter(args, guardian)
    from tuidbg.cli.main import run
    from tuidbg.process.leaving import Leaving

    leaving = Leaving()
    try:
        leaving.status = run(args, guardian, adapter)
        sys.exit(leaving.status)
    finally:
        os.environ.pop("PYTHONINSPECT", None)  # Python looks again at its end
        leaving.begin(_LEAVING_LIMIT)


def _open_missing_streams() -> None:
    """Give a process that was started with closed standard streams (``2>&-``) empty ones.

    The next file opened would get the number of a closed one, and be written to as stderr.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            stream = open(number, "r" if number == 0 else "w", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def _forget_own_folder() -> None:
    """Drop the folder that ``python -m`` puts first: a `random.py` there is the program's."""
    if not sys.flags.safe_path and sys.path:
        del sys.path[0]


def _start_adapter(args: list[str], guardian: Guardian) -> AdapterProcess | None:
    """Start the adapter if this looks like a run; the guardian ends one that was not needed."""
    if not args or args[0] in WITHOUT_PROGRAM or args[0] == "--test" or args[0].endswith(".go"):
        return None
    from tuidbg.adapters.debugpy.command import start_adapter
    from tuidbg.adapters.errors import AdapterNotStarted

    try:
        return start_adapter(guardian.begin_launch())
    except AdapterNotStarted:
        return None  # tried again, and told, when the program is launched


if __name__ == "__main__":
    _forget_own_folder()
    main()
