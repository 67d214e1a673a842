"""The handlers of adapter events: one function for each DAP event.

They run in the order of the events and never await; work that needs a reply of the adapter is
started as a task of the session.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.traits import TerminalWay
from tuidbg.dap import types as dap
from tuidbg.dap.messages import Event, decode_body
from tuidbg.session.core.hits.hit_filter import Arrival
from tuidbg.session.core.run.ending import read_exit
from tuidbg.session.core.stack.stop_details import look_around
from tuidbg.session.core.stop_reasons import AT_CURSOR, DATA_BREAKPOINT, REASONS, classify
from tuidbg.session.model.events import ProgramStarted, ThreadsChanged
from tuidbg.session.model.state import (
    ExitState,
    Place,
    Status,
    Stop,
    StopReason,
    ThreadState,
)

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


def react(session: Session, event: Event) -> None:
    """Pass an event to its handler; unknown ones are ignored."""
    reaction = _REACTIONS.get(event.event)
    if reaction is not None:
        reaction(session, event)
    elif event.event == session.profile.attach.child_event:
        session.children.take_in_event(event)


def on_initialized(session: Session, event: Event) -> None:
    session.lifecycle.note_initialized()


def on_stopped(session: Session, event: Event) -> None:
    if session.is_still and session.implicit_resume.leave():
        return
    body = session.profile.stops.read(decode_body(event.body, dap.StoppedBody))
    if body.reason == DATA_BREAKPOINT and session.profile.native is not None:
        session.spawn(_take_change(session, body))  # its event does not contain the change
    else:
        _take_stop(session, body)


async def _take_change(session: Session, body: dap.StoppedBody) -> None:
    told = await session.breakpoints.binding.data.describe_change(body.hit_breakpoint_ids or [])
    if session.status in (Status.LAUNCHING, Status.RUNNING) or session.is_still:
        _take_stop(session, msgspec.structs.replace(body, description=told or body.description))


def _take_stop(session: Session, body: dap.StoppedBody) -> None:
    facts = classify(session, body)
    thread_id = body.thread_id
    if thread_id is None:  # dlv's pause omits it
        thread_id = session.threads[0].id if session.threads else 1
    arrival = Arrival(
        body=facts.body,
        thread_id=thread_id,
        reason=facts.reason,
        description=facts.description,
        numbers=facts.hit,
        is_wanted=facts.is_temporary or facts.reason is not StopReason.BREAKPOINT,
        failure=facts.failure,
        show=partial(_show, session),
        signal=facts.signal,
    )
    if session.probe.is_there or not session.hits.take(arrival):
        _show(session, arrival, facts.hit)


def _show(session: Session, arrival: Arrival, hit: tuple[int, ...]) -> None:
    """Publish a stop."""
    session.lifecycle.note_stopped()
    session.breakpoints.end_temporary(hit)
    body, reason, description = arrival.body, arrival.reason, arrival.description
    if reason is StopReason.BREAKPOINT and not hit and arrival.numbers:
        # The filter passed over these breakpoints: the program is stopped for another reason.
        is_paused = session.execution.is_pausing
        reason = StopReason.PAUSE if is_paused else StopReason.STEP
        description = "" if is_paused or not arrival.is_wanted else AT_CURSOR
    session.stop_id += 1
    session.pushed_details.take(body)
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
        other_reason=body.reason if _is_other(arrival) else "",
        signal=arrival.signal,
    )
    if session.stop_owner is not None and session.stop_owner.take(stop):
        session.execution.take_next(reason)  # typed-ahead commands are not for this stop
        return
    session.note_stopped(stop)
    if session.breakpoints.has_temporary:
        # Before anything else is sent: a quick resume must not stop there again.
        session.spawn(session.breakpoints.clear_temporary())
    if (changes := session.changes_in_use) is not None:
        changes.end_awaited()
    waiting = session.execution.take_next(reason)
    if waiting is not None:
        session.spawn(session.execution.start(waiting.request, origin=waiting.origin))
    else:
        session.spawn(look_around(session, stop))


def _is_other(arrival: Arrival) -> bool:
    """True if nothing is known of the stop beyond the adapter's event."""
    return arrival.body.reason not in REASONS and arrival.description == arrival.body.reason


def on_continued(session: Session, event: Event) -> None:
    if session.execution.take_echo() or not session.is_still:
        return
    is_evaluating = session.inspection.evaluations > 0
    is_implicit = session.implicit_resume.enter(is_evaluating=is_evaluating)
    is_news = not is_implicit and not _is_late(session, event)
    if is_news and session.status is Status.PAUSED:
        thread = decode_body(event.body, dap.ContinuedBody).thread_id
        session.note_resumed(stepping=False, origin="adapter", thread_id=thread)


def _is_late(session: Session, event: Event) -> bool:
    """True for the event of a thread that woke up only after another one had stopped again."""
    thread = decode_body(event.body, dap.ContinuedBody).thread_id
    stop = session.stop
    return session.profile.stops.continues_late and stop is not None and thread != stop.thread_id


def on_thread(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.ThreadBody)
    session.threads_changed = True
    others = tuple(t for t in session.threads if t.id != body.thread_id)
    if body.reason == "started":
        if len(others) < len(session.threads):
            return  # an attached program's thread, fetched by name before its event
        others += (ThreadState(id=body.thread_id, name=f"thread {body.thread_id}"),)
    session.threads = others
    session.publish(ThreadsChanged(threads=others))


def on_output(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.OutputBody)
    if session.profile.breakpoints.log_points is not None and session.hits.take_output(body):
        return
    category = body.category or "console"
    text = body.output
    if category not in ("stdout", "telemetry"):
        said = session.profile.ending.read_output(category, text)
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
        else:
            session.output_stream.pass_on("telemetry", body.output)
        return
    if category in ("stdout", "stderr") and session.terminal and session.inspection.evaluations:
        return  # output of an evaluation; it is on the program's terminal already
    place = None
    if body.source is not None and body.source.path and body.line:
        place = Place(path=body.source.path, line=body.line, column=body.column or 1)
    session.write_output(category, text, place, is_piece=True)


def on_breakpoint(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.BreakpointEventBody)
    session.breakpoints.adapter_changed(body.reason, body.breakpoint)


def on_module(session: Session, event: Event) -> None:
    if session.adapter.new_modules:
        body = decode_body(event.body, dap.ModuleEventBody)
        if body.reason == "new":
            session.adapter.new_modules.tell(body.module)


def on_process(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.ProcessBody)
    pid = body.system_process_id
    if pid is None or session.is_post_mortem:
        return
    if pid == session.pid and session.family is not None:
        session.family.learn_name(
            session, body.name
        )  # reported by the process itself: a pytest-xdist worker
        return
    session.pid = pid
    if not session.plan.target:  # it was not started here
        session.running_sources.take_main(body.name)
        session.spawn(session.breakpoints.binding.find_functions())
    session.processes.watch(pid)
    session.processes.follow_exit(pid)
    if session.terminal is not None and session.profile.launch.terminal is TerminalWay.NAMED:
        session.terminal.owner = pid
    session.publish(ProgramStarted(pid=pid))


def on_capabilities(session: Session, event: Event) -> None:
    body = decode_body(event.body, dap.CapabilitiesEventBody)
    session.adapter.add_capabilities(body.capabilities)


def on_exited(session: Session, event: Event) -> None:
    _note_exit(session, decode_body(event.body, dap.ExitedBody).exit_code)


def _note_exit(session: Session, code: int) -> None:
    session.exit = read_exit(session, code)
    session.lifecycle.note_exited()


def on_terminated(session: Session, event: Event) -> None:
    session.lifecycle.note_terminated()


_REACTIONS: dict[str, Callable[[Session, Event], None]] = {
    "breakpoint": on_breakpoint,
    "capabilities": on_capabilities,
    "continued": on_continued,
    "exited": on_exited,
    "initialized": on_initialized,
    "module": on_module,
    "output": on_output,
    "process": on_process,
    "stopped": on_stopped,
    "terminated": on_terminated,
    "thread": on_thread,
}
