"""The hidden command for the screen of a program that called the debugger (``hook``).

The program starts it before listening itself: the user interface is imported meanwhile.
"""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

from tuidbg.cli.arguments import Parser, UsageError, read_folder
from tuidbg.hook.line import OPTION

if TYPE_CHECKING:
    from tuidbg.process.guardian import Guardian


def run_command(args: list[str], guardian: Guardian) -> int:
    """Show the screen until the program ends or is detached; return the exit status."""
    parser = Parser(prog=f"tuidbg {OPTION}", add_help=False, allow_abbrev=False)
    for name in ("--line", "--output", "--port", "--pid"):
        parser.add_argument(name, type=int)
    asked = parser.parse_args(args)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the program's
    from tuidbg.cli import launcher
    from tuidbg.cli.main import read_words
    from tuidbg.config.request import StartupRequest
    from tuidbg.session.core.connect.plans import ProcessRequest, make_plan
    from tuidbg.tui.toolkit.drivers.textual_settings import import_app

    import_app()
    from tuidbg.tui.app.inline_terminal import HookedScreen, InlineScreen

    screen: HookedScreen
    if asked.line is not None:
        try:
            screen, port = InlineScreen.open(asked.line, asked.output)
        except EOFError:
            return 1
    elif asked.port is not None and asked.pid is not None:
        screen, port = HookedScreen(asked.pid), asked.port
    else:
        raise UsageError(f"{OPTION} is for tuidbg's own use; see `tuidbg --help`")
    called = ProcessRequest(
        host="127.0.0.1",
        port=port,
        cwd=read_folder(None),
        python=sys.executable,
        redirect_output=asked.line is None,
        called_by=screen.pid,
        name=f"process {screen.pid}",
    )
    request = StartupRequest(plan=make_plan(called))
    try:
        status = launcher.debug(request, guardian, read_words, screen)
    finally:
        guardian.close()
    if screen.failure:
        print(f"tuidbg: {screen.failure}", file=sys.stderr)
    return status
