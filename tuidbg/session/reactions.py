"""What the session does when the adapter tells something: one function for each DAP event.

They run in the order in which the events came and never await; what needs an answer from the
adapter is started as a task of the session.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterGone
from tuidbg.dap import types as dap
from tuidbg.dap.messages import Event, decode_body
from tuidbg.session.errors import (
    AdapterFailed,
    DebuggerError,
    InvalidSessionState,
    StaleReply,
    UnsupportedByAdapter,
)
from tuidbg.session.events import (
    ExceptionDescribed,
    ProgramStarted,
    StackChanged,
    ThreadsChanged,
)
from tuidbg.session.state import (
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

_REASONS = {
    "breakpoint": StopReason.BREAKPOINT,
    "function breakpoint": StopReason.BREAKPOINT,
    "data breakpoint": StopReason.BREAKPOINT,
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
    if session.status is Status.PAUSED and session.interlude.leave():
        return
    body = decode_body(event.body, dap.StoppedBody)
    adapter_ids = body.hit_breakpoint_ids or []
    reason = _REASONS.get(body.reason, StopReason.PAUSE)
    description = body.description or ""
    hit = session.probe.take_hit(
        session.breakpoints.numbers_of(adapter_ids),
        is_breakpoint=reason is StopReason.BREAKPOINT,
    )
    if session.breakpoints.hit_temporary(adapter_ids) and not hit:
        if session.lifecycle.waits_for_entry:
            reason = StopReason.ENTRY
        else:
            reason, description = StopReason.STEP, "reached the cursor"
    elif session.stepping.take_mark(adapter_ids):
        reason = StopReason.STEP
    elif "changes" in vars(session) and session.changes.take_mark(adapter_ids):
        reason, description = StopReason.BREAKPOINT, "a value changed"
    session.lifecycle.note_stopped()
    thread_id = body.thread_id
    if thread_id is None:  # dlv's pause leaves it out
        thread_id = session.threads[0].id if session.threads else 1
    if reason is StopReason.EXCEPTION:
        hit, session.probe.hit_exceptions = session.probe.hit_exceptions, ()
    elif hit and not session.probe.is_there and not session.hits.decide(hit, thread_id):
        if session.execution.is_stepping:
            reason = StopReason.STEP  # resumed, the step would run away
        else:
            return
    session.breakpoints.end_temporary(hit)
    session.stop_id += 1
    stop = Stop(
        id=session.stop_id,
        reason=reason,
        thread_id=thread_id,
        description=description,
        text=body.text or "",
        problem=session.breakpoints.take_failure(hit),
        hit_breakpoints=hit,
        all_threads_stopped=body.all_threads_stopped is not False,
        adapter_reason=body.reason,
    )
    session.note_stopped(stop)
    if session.breakpoints.has_temporary:
        # Before anything else is sent: nobody shall stop there again, however fast they go on.
        session.spawn(session.breakpoints.clear_temporary())
    waiting = session.execution.take_next(reason)
    if waiting is not None:
        how, origin = waiting
        session.spawn(session.execution.resume(how, origin=origin))
    else:
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
    session.publish(
        StackChanged(stop_id=stop.id, thread_id=stop.thread_id, frames=frames, total=total)
    )


async def _describe_exception(session: Session, stop: Stop) -> None:
    import msgspec

    if stop.reason is not StopReason.EXCEPTION:
        return
    try:
        exception = await session.inspection.exception(stop.thread_id)
    except DebuggerError:
        if session.feed is not None and session.stop is stop:
            session.feed.release_stop()
        raise
    described = msgspec.structs.replace(stop, exception=exception)
    session.stop = described
    session.publish(ExceptionDescribed(stop=described))


async def _refresh_threads(session: Session, stop: Stop) -> None:
    if not session.threads_changed:
        return
    session.threads_changed = False
    threads = await session.inspection.threads()
    if threads != session.threads:
        session.threads = threads
        session.publish(ThreadsChanged(threads=threads))


def on_continued(session: Session, event: Event) -> None:
    if session.execution.take_echo() or session.status is not Status.PAUSED:
        return
    if not session.interlude.enter():
        session.note_resumed(stepping=False, origin="adapter")


def on_thread(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.ThreadBody)
    session.threads_changed = True
    others = tuple(t for t in session.threads if t.id != body.thread_id)
    if body.reason == "started":
        others += (ThreadState(id=body.thread_id, name=f"thread {body.thread_id}"),)
    session.threads = others
    session.publish(ThreadsChanged(threads=others))


def on_output(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.OutputBody)
    category = body.category or "console"
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
    session.write_output(category, body.output, place)


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
    if pid is None:
        return
    if pid == session.pid and session.family is not None:
        session.family.learn_name(session, body.name)  # of itself: a worker of pytest-xdist
        return
    session.pid = pid
    session.watch(pid)
    session.publish(ProgramStarted(pid=pid))


def on_capabilities(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.CapabilitiesEventBody)
    session.add_capabilities(body.capabilities)


def on_exited(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.ExitedBody)
    signal = session.profile.exit_signal(body.exit_code)
    session.exit = ExitState(code=body.exit_code, signal=signal)
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
