"""The command ``tuidbg serve``: the server without a screen."""

from __future__ import annotations

from tuidbg.cli.usage import UsageError
from tuidbg.process.guardian import Guardian


def run_command(args: list[str], guardian: Guardian) -> int:
    """Serve until a signal comes; the exit status. Raises UsageError."""
    from tuidbg.api.command_line import WrongOptions, read_serve_options
    from tuidbg.cli import serving
    from tuidbg.session.serving.switch import ServingFailed

    try:
        options, wants_document = read_serve_options(args)
        return serving.print_openapi() if wants_document else serving.serve(options, guardian)
    except (WrongOptions, ServingFailed) as error:
        raise UsageError(str(error)) from None
