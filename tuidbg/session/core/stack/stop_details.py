"""The data every front end shows of a stop, fetched as soon as the program is stopped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterError, AdapterGone
from tuidbg.session.model.errors import (
    AdapterFailed,
    DebuggerError,
    InvalidSessionState,
    StaleReply,
    UnsupportedByAdapter,
)
from tuidbg.session.model.events import (
    ExceptionDescribed,
    ExceptionUnknown,
    StackChanged,
    ThreadsChanged,
)
from tuidbg.session.model.state import ExceptionState, Frame, Status, Stop, StopReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tuidbg.session.core.connect.adapter_link import AdapterLink
    from tuidbg.session.core.session import Session


_UNCAUGHT = "not caught, so the program aborts"

REST = 0.2
"""Seconds that a program must be stopped before an adapter without thread events is queried for
them: a user who steps on does not wait for the names of thousands."""


def show_stop(session: Session, stop: Stop) -> None:
    """Publish a stop that was withheld so far."""
    session.note_stopped(stop)
    session.spawn(look_around(session, stop))


async def look_around(session: Session, stop: Stop) -> None:
    """Fetch the data every front end shows of a stop, the stack first."""
    for what, look in (
        ("the stack", _fetch_stack),
        ("the exception", _describe_exception),
        ("the threads", _refresh_threads),
    ):
        try:
            await look(session, stop)
        except (StaleReply, InvalidSessionState):
            return  # the program was resumed
        except UnsupportedByAdapter:
            continue
        except DebuggerError as error:
            if isinstance(error.__cause__, AdapterGone):
                return  # which is reported elsewhere
            session.notify(f"can't look at {what}: {error}", "warning")


async def _fetch_stack(session: Session, stop: Stop) -> None:
    try:
        frames, total = await session.inspection.stack(stop.thread_id)
    except AdapterFailed as error:
        if not isinstance(error.__cause__, AdapterGone) and session.stop is stop:
            _show_stack(session, stop, (), 0)  # rather none than that of the last stop
        raise
    _show_stack(session, stop, frames, total)


def _show_stack(session: Session, stop: Stop, frames: tuple[Frame, ...], total: int) -> None:
    session.frames, session.stack_of = frames, stop.id
    session.breakpoints.look_again(frames)
    session.publish(
        StackChanged(stop_id=stop.id, thread_id=stop.thread_id, frames=frames, total=total)
    )


async def _describe_exception(session: Session, stop: Stop) -> None:
    if stop.reason is not StopReason.EXCEPTION:
        return
    try:
        exception = await _exception(session, stop)
    except DebuggerError:
        if session.stop is stop:
            session.publish(ExceptionUnknown(stop_id=stop.id))
        raise
    described = msgspec.structs.replace(stop, exception=exception)
    session.stop = described
    session.publish(ExceptionDescribed(stop=described))


async def _exception(session: Session, stop: Stop) -> ExceptionState:
    if session.profile.native is not None and session.stack_of == stop.id:
        found = await _read_native_exception(session.adapter, stop, session.frames)
        if session.stop is not stop:
            raise StaleReply("exceptionInfo")
        if found is not None:
            return found
    return await session.inspection.exception(stop.thread_id)


async def _read_native_exception(
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


async def _refresh_threads(session: Session, stop: Stop) -> None:
    if not session.threads_changed and session.profile.stops.tells_threads:
        return
    if not session.profile.stops.tells_threads and any(
        t.id == stop.thread_id for t in session.threads
    ):
        await asyncio.sleep(REST)
        if session.stop_id != stop.id or session.status is not Status.PAUSED:
            return
    session.threads_changed = False
    threads = await session.inspection.threads()
    if threads != session.threads:
        session.threads = threads
        session.publish(ThreadsChanged(threads=threads))
