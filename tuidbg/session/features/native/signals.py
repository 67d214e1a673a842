"""Signals to the program, by number or by name."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError
from tuidbg.session.model.errors import (
    AdapterFailed,
    DebuggerError,
    InvalidSetting,
    UnsupportedByAdapter,
)

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


def read_signal(text: int | str) -> signal.Signals:
    """Return the signal of a number or name (``15``, ``TERM``). Raises InvalidSetting."""
    try:
        if isinstance(text, int) or text.strip().isdecimal():
            return signal.Signals(int(text))
        name = text.strip().upper()
        return signal.Signals[name if name.startswith("SIG") else f"SIG{name}"]
    except (ValueError, KeyError):
        raise InvalidSetting(
            "signal", f"there is no signal {text!r}; write one such as SIGTERM or 15"
        ) from None


def send_signal(session: Session, wanted: int | str) -> signal.Signals:
    """Send it to the program's process; a stopped one receives it when it is resumed.

    Raises InvalidSetting, and DebuggerError where it can't be sent.
    """
    found = read_signal(wanted)
    if session.pid is None:
        raise DebuggerError("the program's process is not known")
    try:
        os.kill(session.pid, found)
    except OSError as error:
        raise DebuggerError(f"{found.name} could not be sent: {error.strerror}") from None
    return found


async def handle_signal(session: Session, wanted: int | str, *, stop: bool, deliver: bool) -> None:
    """Choose whether a signal stops the program in this run, and whether it is delivered.

    Raises InvalidSetting, UnsupportedByAdapter, AdapterFailed.
    """
    found, native = read_signal(wanted), session.profile.native
    if native is None:
        raise UnsupportedByAdapter("this debug adapter can't pass signals over")
    try:
        await native.handle_signal(session.adapter.request, found.name, stop=stop, deliver=deliver)
    except AdapterError as error:
        raise AdapterFailed(f"can't change what {found.name} does: {error}") from error
