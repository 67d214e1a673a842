"""The description of native stops: signals in plain words, pauses, value changes, exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.dap.types import StoppedBody
from tuidbg.session.model.state import ExceptionState, StopReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tuidbg.adapters.profile import AdapterProfile
    from tuidbg.session.core.connect.adapter_link import AdapterLink
    from tuidbg.session.core.session import Session
    from tuidbg.session.model.state import Frame, Stop

_UNCAUGHT = "nobody caught it, so the program aborts"


def read_signal(profile: AdapterProfile, body: StoppedBody) -> tuple[StopReason, str, str] | None:
    """Return a signal stop's reason, description and signal name; None: another kind of stop.

    A core file begins with one, whatever its adapter calls the stop.
    """
    if body.reason not in ("exception", "entry"):
        return None
    told = profile.stops.read_signal(body.description or "")
    if told is None:
        return None
    if told.is_pause:
        return StopReason.PAUSE, told.text, ""
    return StopReason.EXCEPTION, told.text, told.name


async def describe_exception(
    adapter: AdapterLink, stop: Stop, frames: Sequence[Frame]
) -> ExceptionState | None:
    """Return a stop's exception as far as native code reports one; None: query the adapter."""
    native = adapter.profile.native
    thrown = None
    if native is not None and frames:
        names = [frame.name for frame in frames]
        try:
            thrown = await native.find_thrown(adapter.request, frames[0].id, names, stop.signal)
        except AdapterError:
            thrown = None
    if thrown is not None:
        message = thrown.message
        if stop.signal:
            message = f"{message} ({_UNCAUGHT})" if message else _UNCAUGHT
        mode = "unhandled" if stop.signal else "always"
        return ExceptionState(type=thrown.type, message=message, break_mode=mode)
    if stop.signal:
        return ExceptionState(type=stop.signal, message=stop.description, break_mode="unhandled")
    return None


async def describe_change(session: Session, body: StoppedBody) -> StoppedBody:
    """Return the same with the change, old and new value, as its description."""
    told = await session.breakpoints.binding.data.describe_change(body.hit_breakpoint_ids or [])
    return msgspec.structs.replace(body, description=told or body.description)
