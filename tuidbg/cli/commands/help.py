"""``tuidbg help [TOPIC]``: the topics of the manual with a line each, or one page.

At a terminal a page is laid out for its width and shown by the pager (``$PAGER``, else ``less``);
elsewhere it is printed as plain text.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from tuidbg.cli.arguments import Parser, UsageError
from tuidbg.manual.pages import ManualPage, NoSuchTopic, find_topic, list_topics, read_page

if TYPE_CHECKING:
    from tuidbg.process.guardian import Guardian

_WIDEST = 100
"""Maximum line width in cells, for readability."""


def run_command(args: list[str], guardian: Guardian) -> int:
    """Print the topics or a page. Raises UsageError."""
    guardian.close()
    asked = make_parser().parse_args(args).topic
    if not asked:
        topics = list_topics(_width() if sys.stdout.isatty() else None)
        print(f"The manual of tuidbg. `tuidbg help TOPIC` shows one of:\n\n{topics}", end="")
        return 0
    try:
        page = read_page(find_topic(" ".join(asked)))
    except NoSuchTopic as error:
        raise UsageError(str(error)) from None
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        _show(page)
    else:
        print(page.text, end="")
    return 0


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg help",
        description="Show the manual: its topics, or the page of one.",
        epilog="F1 shows the same inside the debugger, and searches it.",
        allow_abbrev=False,
    )
    parser.add_argument("topic", nargs="*", metavar="TOPIC", help="the page to show")
    return parser


def _show(page: ManualPage) -> None:
    """Lay out the page for the terminal and page it."""
    text = _lay_out(page)
    pager = _find_pager()
    if pager:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the pager's
        try:
            environment = {"LESS": "-FRX", **os.environ}
            subprocess.run(pager, input=text.encode(), check=False, env=environment)
            return
        except OSError:
            pass  # without a pager the page is printed
        finally:
            signal.signal(signal.SIGINT, before)
    print(text, end="")


def _lay_out(page: ManualPage) -> str:
    from rich.segment import Segment
    from rich.style import Style

    from tuidbg.manual.rendering import LINK, make_console, render_page

    width = _width()
    console = make_console(width)
    is_plain = bool(os.environ.get("NO_COLOR"))
    shown = []
    for line in render_page(page, width).lines:
        for segment in line:
            style = segment.style or Style()
            if style.link and style.link.startswith(LINK):
                style = style.update_link(None)
            shown.append(Segment(segment.text, None if is_plain else style))
        shown.append(Segment.line())
    return console._render_buffer(shown)


def _width() -> int:
    """Return the terminal's width, limited for readability."""
    return min(_WIDEST, shutil.get_terminal_size().columns)


def _find_pager() -> list[str]:
    """Return the pager command; empty for none, or if the user disabled it."""
    named = os.environ.get("PAGER")
    if named is not None:
        try:
            words = shlex.split(named)
        except ValueError:
            return []
        return words if words and words != ["cat"] else []
    found = shutil.which("less")
    return [found] if found else []
