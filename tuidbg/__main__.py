"""Starts tuidbg.

The guardian is forked first, while the process is small.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

from tuidbg.cli.command_table import put_word_first

_LEAVING_LIMIT = 3.0
"""Seconds in which Python comes to its end: it waits for threads."""


def main() -> None:
    """The console script ``tuidbg``."""
    from tuidbg.process.own_environment import keep_for_program

    keep_for_program()
    _open_missing_streams()
    _keep_bytecode()
    from tuidbg.process.guardian import Guardian

    gc.disable()  # what a start makes, stays; the launcher lets it collect later
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl+C during the start ends it without a traceback; the guardian tidies up.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    guardian = Guardian.fork()
    args = put_word_first(sys.argv[1:])
    from tuidbg.cli.main import run
    from tuidbg.process.exit_deadline import Leaving

    leaving = Leaving()
    try:
        leaving.status = run(args, guardian)
        sys.exit(leaving.status)
    finally:
        os.environ.pop("PYTHONINSPECT", None)  # Python looks again at its end
        leaving.begin(_LEAVING_LIMIT)


def _keep_bytecode() -> None:
    """Have bytecode in the user's cache where there is none beside the sources."""
    if not sys.dont_write_bytecode and os.access(__file__, os.W_OK):
        return
    from tuidbg.config.files import NoHome, user_folder
    from tuidbg.process import bytecode_cache

    try:
        bytecode_cache.use(user_folder("cache") / "bytecode")
    except NoHome:
        pass


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


if __name__ == "__main__":
    _forget_own_folder()
    main()
