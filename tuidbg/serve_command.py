"""The command ``tuidbg serve``: the server without a screen."""

from __future__ import annotations

from tuidbg.guardian import Guardian
from tuidbg.usage import UsageError


def run_command(args: list[str], guardian: Guardian) -> int:
    """Serve until a signal comes; the exit status. Raises UsageError."""
    from tuidbg import serving
    from tuidbg.api.command_line import WrongOptions, read_serve_options
    from tuidbg.session.serving import ServingFailed

    try:
        options, wants_document = read_serve_options(args)
        return serving.print_openapi() if wants_document else serving.serve(options, guardian)
    except (WrongOptions, ServingFailed) as error:
        raise UsageError(str(error)) from None
