"""Where tuidbg starts: what takes long is begun before anything heavy is imported.

First the guardian is forked, while the process is small; then the adapter is started, so that it
gets ready while the command line is read and the user interface imported.
"""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tuidbg.adapters.process import AdapterProcess
    from tuidbg.guardian import Guardian


def main() -> None:
    """The console script ``tuidbg``."""
    from tuidbg.guardian import Guardian

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl+C during the start ends it without a traceback; the guardian tidies up.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    guardian = Guardian.fork()
    args = sys.argv[1:]
    adapter = _start_adapter(args, guardian)
    from tuidbg.cli import run

    sys.exit(run(args, guardian, adapter))


def _start_adapter(args: list[str], guardian: Guardian) -> AdapterProcess | None:
    """Start the adapter if this looks like a run; the guardian ends one that was not needed."""
    if not args or not {"-h", "--help", "--version"}.isdisjoint(args[:1]):
        return None
    from tuidbg.adapters.debugpy.command import start_adapter
    from tuidbg.adapters.errors import AdapterNotStarted

    try:
        return start_adapter(guardian.begin_launch())
    except AdapterNotStarted:
        return None  # tried again, and told, when the program is launched


if __name__ == "__main__":
    main()
