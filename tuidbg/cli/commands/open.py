"""The command ``tuidbg open``: a recorded run, without its program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.cli.arguments import (
    Parser,
    UsageError,
    absolute,
    add_screen_options,
    check_serving,
    read_folder,
)
from tuidbg.config.request import StartupRequest
from tuidbg.session.core.connect.plans import ProcessRequest, make_plan

if TYPE_CHECKING:
    from tuidbg.process.guardian import Guardian


def run_command(args: list[str], guardian: Guardian) -> int:
    """Open the screen on a recording; return the exit status. Raises UsageError."""
    from tuidbg.cli import main as cli

    options = make_parser().parse_args(args)
    if options.serve is not None:
        check_serving(options.serve)
    path, folder = absolute(options.file), read_folder(options.cwd)
    _check(path, options.plain)
    asked = ProcessRequest(recording=str(path), cwd=folder, python=sys.executable)
    request = StartupRequest(
        plan=make_plan(asked),
        theme=options.theme,
        key_map=options.keys,
        dap_log=options.dap_log,
        plain=options.plain,
        serve=options.serve,
    )
    return cli.debug(request, guardian)


def make_parser() -> Parser:
    parser = Parser(
        prog="tuidbg open",
        description="Look at a recorded run: step back and forth in it, see its values, ask who"
        " changed them. Neither the program nor its machine is needed, and nothing of it runs.",
        epilog="Such files are written by `tuidbg --record=FILE`, `pytest --tuidbg-record` and"
        " `tuidbg.dump()`.",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="the recording")
    parser.add_argument("--cwd", metavar="DIR", help="the project's folder here")
    add_screen_options(parser)
    return parser


def _check(path: Path, is_plain: bool) -> None:
    """Check the file before the screen opens. Raises UsageError."""
    from tuidbg.session.features.recording.opening import Check, NotOpened

    check = Check(path)
    if not is_plain:
        from tuidbg.tui.toolkit.drivers.textual_settings import import_app

        import_app()  # the import takes as long as reading the file
    try:
        check.finish()
    except NotOpened as error:
        raise UsageError(f"open: {error}") from None
