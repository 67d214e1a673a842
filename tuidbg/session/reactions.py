"""What the session does when the adapter tells something: one function for each DAP event.

They run in the order in which the events came and never await; what needs an answer from the
adapter is started as a task of the session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterGone
from tuidbg.adapters.profile import TerminalWay
from tuidbg.dap import types as dap
from tuidbg.dap.messages import Event, decode_body
from tuidbg.session.errors import (
    AdapterFailed,
    DebuggerError,
    InvalidSessionState,
    StaleReply,
    UnsupportedByAdapter,
)
from tuidbg.session.events import ExceptionDescribed, ProgramStarted, StackChanged, ThreadsChanged
from tuidbg.session.exits import read_exit
from tuidbg.session.hits.arrivals import Arrival
from tuidbg.session.state import (
    ExceptionState,
    ExitState,
    Frame,
    Place,
    Status,
    Stop,
    StopReason,
    ThreadState,
)

if TYPE_CHECKING:
    from tuidbg.session.session import Session

REST = 0.2
"""Seconds that a program must stand before an adapter that does not tell of threads is asked for
them: a person who steps on does not wait for the names of thousands."""

_DATA = "data breakpoint"

_REASONS = {
    "breakpoint": StopReason.BREAKPOINT,
    "function breakpoint": StopReason.BREAKPOINT,
    _DATA: StopReason.BREAKPOINT,
    "instruction breakpoint": StopReason.BREAKPOINT,
    "step": StopReason.STEP,
    "goto": StopReason.STEP,
    "exception": StopReason.EXCEPTION,
    "entry": StopReason.ENTRY,
    "pause": StopReason.PAUSE,
}


def react(session: Session, event: Event) -> None:
    """Hand an event to its function; unknown ones are passed over."""
    reaction = _REACTIONS.get(event.event)
    if reaction is not None:
        reaction(session, event)


def on_initialized(session: Session, event: Event) -> None:
    session.lifecycle.note_initialized()


def on_stopped(session: Session, event: Event) -> None:
    if session.is_still and session.interlude.leave():
        return
    body = session.profile.read_stop(decode_body(event.body, dap.StoppedBody))
    if body.reason == _DATA and session.profile.native is not None:
        session.spawn(_take_change(session, body))  # its event does not say what changed
    else:
        _take_stop(session, body)


async def _take_change(session: Session, body: dap.StoppedBody) -> None:
    from tuidbg.session.native.stops import describe_change

    body = await describe_change(session, body)
    if session.status in (Status.LAUNCHING, Status.RUNNING) or session.is_still:
        _take_stop(session, body)


def _take_stop(session: Session, body: dap.StoppedBody) -> None:
    adapter_ids = body.hit_breakpoint_ids or []
    reason = _REASONS.get(body.reason, StopReason.PAUSE)
    description, signal = session.profile.stop_text(body.description or ""), ""
    if body.reason == _DATA:
        numbers = session.breakpoints.binding.data.numbers_of(adapter_ids)
        adapter_ids = []  # they count apart from those of the other breakpoints
    else:
        numbers = session.breakpoints.numbers_of(adapter_ids)
    hit = session.probe.take_hit(numbers, is_breakpoint=reason is StopReason.BREAKPOINT)
    if session.profile.native is not None:
        from tuidbg.session.native.stops import read_signal

        description = session.breakpoints.take_left(adapter_ids) or description
        by_itself = reason in (StopReason.STEP, StopReason.BREAKPOINT) and not hit
        if by_itself and session.execution.is_pausing:  # in the midst of loading libraries
            reason, description = StopReason.PAUSE, ""
        if (by_signal := read_signal(session, body)) is not None:
            reason, description, signal = by_signal
    is_wanted = session.breakpoints.hit_temporary(adapter_ids)
    if is_wanted and not hit:
        if session.lifecycle.waits_for_entry:
            reason = StopReason.ENTRY
        else:
            reason, description = StopReason.STEP, "reached the cursor"
    elif session.stepping.take_mark(adapter_ids):
        reason = StopReason.STEP
    elif "changes" in vars(session) and session.changes.take_mark(adapter_ids):
        reason, description = StopReason.BREAKPOINT, "a value changed"
    thread_id = body.thread_id
    if thread_id is None:  # dlv's pause leaves it out
        thread_id = session.threads[0].id if session.threads else 1
    failure = session.profile.condition_failure(body)
    if failure:
        reason, description = StopReason.BREAKPOINT, ""
    elif reason is StopReason.EXCEPTION:
        hit, session.probe.hit_exceptions = session.probe.hit_exceptions, ()
    arrival = Arrival(
        body=body,
        thread_id=thread_id,
        reason=reason,
        description=description,
        numbers=hit,
        is_wanted=is_wanted or reason is not StopReason.BREAKPOINT,
        failure=failure,
        show=partial(_show, session),
        signal=signal,
    )
    if session.probe.is_there or not session.hits.take(arrival):
        _show(session, arrival, hit)


def _show(session: Session, arrival: Arrival, hit: tuple[int, ...]) -> None:
    """The program stands, and whoever looks is told."""
    session.lifecycle.note_stopped()
    session.breakpoints.end_temporary(hit)
    body, reason, description = arrival.body, arrival.reason, arrival.description
    if reason is StopReason.BREAKPOINT and not hit and arrival.numbers:
        # What a filter lets pass, it passes; there is another reason to stand here.
        is_paused = session.execution.is_pausing
        reason = StopReason.PAUSE if is_paused else StopReason.STEP
        description = "" if is_paused or not arrival.is_wanted else "reached the cursor"
    session.stop_id += 1
    thread_id, all_stopped = arrival.thread_id, body.all_threads_stopped is not False
    if reason is StopReason.PAUSE:
        thread_id = session.execution.paused_thread(thread_id, all_stopped=all_stopped)
    stop = Stop(
        id=session.stop_id,
        reason=reason,
        thread_id=thread_id,
        description=description,
        text="" if arrival.failure else body.text or "",
        problem=session.breakpoints.take_failure(hit),
        hit_breakpoints=hit,
        all_threads_stopped=all_stopped,
        adapter_reason=body.reason,
        signal=arrival.signal,
    )
    if session.recorder is not None and session.recorder.take(stop):
        session.execution.take_next(reason)  # what was typed ahead is not meant for this
        return
    session.note_stopped(stop)
    if session.breakpoints.has_temporary:
        # Before anything else is sent: nobody shall stop there again, however fast they go on.
        session.spawn(session.breakpoints.clear_temporary())
    waiting = session.execution.take_next(reason)
    if waiting is not None:
        how, origin, granularity = waiting
        session.spawn(session.execution.resume(how, origin=origin, granularity=granularity))
    else:
        session.spawn(look_around(session, stop))


def show_stop(session: Session, stop: Stop) -> None:
    """Tell of a stop that was kept from everybody so far."""
    session.note_stopped(stop)
    session.spawn(look_around(session, stop))


async def look_around(session: Session, stop: Stop) -> None:
    """Fetch what every front end shows of a stop, the stack first."""
    for what, look in (
        ("the stack", _fetch_stack),
        ("the exception", _describe_exception),
        ("the threads", _refresh_threads),
    ):
        try:
            await look(session, stop)
        except (StaleReply, InvalidSessionState):
            return  # the program went on
        except UnsupportedByAdapter:
            continue
        except DebuggerError as error:
            if isinstance(error.__cause__, AdapterGone):
                return  # which is told elsewhere
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
    import msgspec

    if stop.reason is not StopReason.EXCEPTION:
        return
    try:
        exception = await _exception(session, stop)
    except DebuggerError:
        if session.feed is not None and session.stop is stop:
            session.feed.release_stop()
        raise
    described = msgspec.structs.replace(stop, exception=exception)
    session.stop = described
    session.publish(ExceptionDescribed(stop=described))


async def _exception(session: Session, stop: Stop) -> ExceptionState:
    if session.profile.native is not None and session.stack_of == stop.id:
        from tuidbg.session.native.stops import describe_exception

        found = await describe_exception(session, stop, session.frames)
        if session.stop is not stop:
            raise StaleReply("exceptionInfo")
        if found is not None:
            return found
    return await session.inspection.exception(stop.thread_id)


async def _refresh_threads(session: Session, stop: Stop) -> None:
    if not session.threads_changed and session.profile.tells_threads:
        return
    if not session.profile.tells_threads and any(t.id == stop.thread_id for t in session.threads):
        await asyncio.sleep(REST)
        if session.stop_id != stop.id or session.status is not Status.PAUSED:
            return
    session.threads_changed = False
    threads = await session.inspection.threads()
    if threads != session.threads:
        session.threads = threads
        session.publish(ThreadsChanged(threads=threads))


def on_continued(session: Session, event: Event) -> None:
    if session.execution.take_echo() or not session.is_still:
        return
    if not session.interlude.enter() and session.status is Status.PAUSED:
        session.note_resumed(stepping=False, origin="adapter")


def on_thread(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.ThreadBody)
    session.threads_changed = True
    others = tuple(t for t in session.threads if t.id != body.thread_id)
    if body.reason == "started":
        if len(others) < len(session.threads):
            return  # of an attached program it was asked for before its event came, by its name
        others += (ThreadState(id=body.thread_id, name=f"thread {body.thread_id}"),)
    session.threads = others
    session.publish(ThreadsChanged(threads=others))


def on_output(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.OutputBody)
    if session.profile.log_points is not None and session.hits.take_output(body):
        return
    category = body.category or "console"
    text = body.output
    if category not in ("stdout", "telemetry"):
        said = session.profile.read_output(category, text)
        text = said.text
        if said.exit_code is not None:
            _note_exit(session, said.exit_code)
        elif said.has_ended and session.is_attached:
            session.exit = ExitState()
        if not text:
            return
    probe = session.profile.probe
    if category == "telemetry":
        report = probe.read_report(body.data) if probe is not None else None
        if report is not None:
            session.probe.take(report)
        elif session.feed is not None:
            session.feed.note_output("telemetry", body.output)
        return
    if category in ("stdout", "stderr") and session.terminal and session.inspection.evaluations:
        return  # what an evaluation prints; it stands on the program's terminal already
    place = None
    if body.source is not None and body.source.path and body.line:
        place = Place(path=body.source.path, line=body.line, column=body.column or 1)
    session.write_output(category, text, place, is_piece=True)


def on_breakpoint(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.BreakpointEventBody)
    session.breakpoints.adapter_changed(body.reason, body.breakpoint)


def on_module(session: Session, event: Event) -> None:
    if session.feed is not None:  # nobody else asks
        body = decode_body(event.body, dap.ModuleEventBody)
        if body.reason == "new":
            session.feed.note_module(body.module)


def on_process(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.ProcessBody)
    pid = body.system_process_id
    if pid is None or session.is_post_mortem:
        return
    if pid == session.pid and session.family is not None:
        session.family.learn_name(session, body.name)  # of itself: a worker of pytest-xdist
        return
    session.pid = pid
    session.watch(pid)
    session.follow_exit(pid)
    if session.terminal is not None and session.profile.terminal is TerminalWay.NAMED:
        session.terminal.owner = pid
    session.publish(ProgramStarted(pid=pid))


def on_capabilities(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.CapabilitiesEventBody)
    session.add_capabilities(body.capabilities)


def on_exited(session: Session, event: Event) -> None:
    _note_exit(session, decode_body(event.body, dap.ExitedBody).exit_code)


def _note_exit(session: Session, code: int) -> None:
    session.exit = read_exit(session, code)
    session.lifecycle.note_exited()


def on_terminated(session: Session, event: Event) -> None:
    session.lifecycle.note_terminated()


def on_child(session: Session, event: Event) -> None:
    session.children.take_in_event(event)


_REACTIONS: dict[str, Callable[[Session, Event], None]] = {
    "breakpoint": on_breakpoint,
    "capabilities": on_capabilities,
    "continued": on_continued,
    "debugpyAttach": on_child,
    "exited": on_exited,
    "initialized": on_initialized,
    "module": on_module,
    "output": on_output,
    "process": on_process,
    "stopped": on_stopped,
    "terminated": on_terminated,
    "thread": on_thread,
}
