"""Tells how a recording ends, in words, and what the call gave: one function for each way."""

from __future__ import annotations

from tuidbg.session.errors import DebuggerError
from tuidbg.session.recording.call import RecordedCall
from tuidbg.session.recording.gate import Over
from tuidbg.session.recording.look import Look
from tuidbg.session.recording.recorded import Stepped
from tuidbg.session.recording.source import SourceText
from tuidbg.session.recording.types import Ending, Local, Phase, Recording
from tuidbg.session.stack.stop_wording import word_exception, word_stop
from tuidbg.session.state import Frame, Status, Stop, StopReason

_UNHANDLED = ("unhandled", "userUnhandled")
"""DAP's words for exceptions that nobody catches."""

_CONSTANTS = ("None", "True", "False", "nil", "true", "false")
"""Those that look like names."""


def called_off(recording: Recording, why: Ending, seconds: float) -> Over:
    """Somebody ended it, or its time is up."""
    if why is not Ending.TIME:
        return Over(why, "it was cancelled; the program stands where it was")
    if recording.phase is Phase.WAITING:
        return Over(why, f"{recording.function} was not called within {seconds:g} s")
    return Over(why, f"the call was not over within {seconds:g} s; it stands in the middle of it")


def stopped_elsewhere(stop: Stop, where: str) -> Over:
    """Something stopped the program where there is nothing to record."""
    return Over(Ending.STOPPED, f"{word_stop(stop).cause} stopped the program {where}")


async def stopped_inside(session: Stepped, recording: Recording, stop: Stop, frame: Frame) -> Over:
    """Something stopped the program before the call was over."""
    told = word_stop(stop)
    why = told.cause
    if stop.reason is StopReason.EXCEPTION:
        try:
            exception = await session.inspection.exception(stop.thread_id)
        except DebuggerError:
            pass
        else:
            why = word_exception(exception)
            recording.exception = why
            if exception.break_mode in _UNHANDLED:
                return Over(Ending.RAISED, f"raised {why}, which nobody catches")
    line = frame.place.line if frame.place is not None else recording.line
    way = f"; disable breakpoint {told.hits} to record on" if told.hits else ""
    where = f"in {frame.name} at line {line}"
    return Over(Ending.STOPPED, f"{why} stopped the program {where} before the call was over{way}")


async def left(
    recording: Recording,
    call: RecordedCall,
    frames: tuple[Frame, ...],
    source: SourceText,
    last: Look,
) -> Over:
    """The call is over; ``last`` is what was seen of its locals before its last line."""
    if exception := await call.release():
        recording.exception = exception
        return Over(Ending.RAISED, f"left by {exception}")
    if recording.returned is None and recording.kind in ("", "generator"):
        recording.returned = await call.returned(frames)
    if recording.returned is None:
        _read_value(recording, source, last)
    if recording.returned is not None:
        return Over(Ending.RETURNED, f"returned {recording.returned.value}")
    is_value = bool(source.returns(recording.line))
    what = "; what, this debug adapter does not tell" if is_value else ""
    return Over(Ending.RETURNED, f"returned{what}")


def gone(session: Stepped, recording: Recording, source: SourceText, last: Look) -> Over:
    """The program, or the thread, has ended in the call or just after it."""
    exit_ = session.exit
    is_thread = session.status is Status.RUNNING and exit_ is None
    code = f" with exit code {exit_.code}" if exit_ is not None and exit_.code else ""
    waited = f" while the {recording.kind} waited" if recording.kind else ""
    is_known = recording.returned is not None
    if not (is_known or code or waited) and source.returns(recording.line) is not None:
        _read_value(recording, source, last)
    what = "its thread" if is_thread else "the program"
    runs = "; the program runs on" if is_thread else ""
    return Over(Ending.ENDED, f"{what} ended{code}{waited} after line {recording.line}{runs}")


def _read_value(recording: Recording, source: SourceText, last: Look) -> None:
    """Take for returned what the last line names behind ``return``: a local, a constant."""
    name = source.returned_name(recording.line)
    if not name or recording.is_cut_short:
        return
    found = last.locals.get(name)
    if found is None and (not name.isidentifier() or name in _CONSTANTS):
        found = Local(name="", value=name)
    recording.returned, recording.is_read = found, found is not None
