"""The command ``tuidbg serve``: the server without a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.cli.arguments import UsageError
from tuidbg.process.guardian import Guardian

if TYPE_CHECKING:
    from argparse import ArgumentParser


def make_parser() -> ArgumentParser:
    from tuidbg.api import options as command_line

    return command_line.make_parser()


def run_command(args: list[str], guardian: Guardian) -> int:
    """Serve until a signal; return the exit status. Raises UsageError."""
    from tuidbg.api.options import WrongOptions, read_serve_options
    from tuidbg.cli import serving
    from tuidbg.session.hub.switch import ServingFailed

    try:
        options, wants_document = read_serve_options(args)
        return serving.print_openapi() if wants_document else serving.serve(options, guardian)
    except (WrongOptions, ServingFailed) as error:
        raise UsageError(str(error)) from None
