"""The words for a session's state: badge, stop reason, and placeholders."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from tuidbg.config.launch import AttachPlan, LaunchPlan
from tuidbg.process.input_state import standard_output
from tuidbg.session.core.session import Session
from tuidbg.session.core.stack.stop_wording import word_stop
from tuidbg.session.core.stepping import Granularity
from tuidbg.session.features.autopsy import Autopsy
from tuidbg.session.model.state import Frame, Status, Stop, StopReason
from tuidbg.tui.toolkit.keys.key_map import KeyMap
from tuidbg.tui.toolkit.widgets.rows import Piece, visible

if TYPE_CHECKING:
    pass

BADGES = {
    Status.CREATED: ("created", "ended"),
    Status.LAUNCHING: ("starting", "running"),
    Status.RUNNING: ("running", "running"),
    Status.PAUSED: ("paused", "paused"),
    Status.TERMINATED: ("terminated", "ended"),
    Status.FAILED: ("failed", "failed"),
}
"""The word for a status and its style in the status line."""

NO_STOP = {
    Status.CREATED: "nothing runs yet",
    Status.LAUNCHING: "the program is starting",
    Status.RUNNING: "the program is running",
    Status.PAUSED: "fetching it",
    Status.TERMINATED: "the program has ended",
    Status.FAILED: "the connection to the program was lost",
}
"""Why there is no stack and no variables."""


def why_nothing(session: Session) -> str:
    """Return why there is no stack and no variables of a session."""
    if session.waiting:
        return session.waiting
    if session.status is Status.TERMINATED and session.plan.is_child:
        heir = _heir(session)
        return f"{heir} has taken its place" if heir else "this process has ended"
    if session.exit is not None and session.exit.runs_on:
        return "the program runs on without the debugger"
    return NO_STOP[session.status]


def _heir(session: Session) -> str:
    """Return the name of the process that continues the work of an ended one; "" for none."""
    relative = session.family.find(session) if session.family is not None else None
    heir = relative.heir if relative is not None else None
    return visible(heir.name) if heir is not None else ""


def where_output_goes(session: Session, key_map: KeyMap) -> str:
    """Return where the program's output is; empty if that is its own console."""
    if session.program_place.elsewhere:
        return f"its output is on {session.program_place.elsewhere}"
    if isinstance(session.plan, AttachPlan) and session.is_attached:
        return "" if session.plan.redirect_output else "its output is where it was started"
    family = session.family
    if family is None or family.root.session is session:
        return ""
    if not session.profile.attach.child_event:  # its adapter forwards the output
        return ""
    root = family.root.session
    of_root = {root.terminal.path if root.terminal is not None else ""}
    of_root |= {standard_output(root.pid)} if root.pid is not None else set()
    own = standard_output(session.pid) if session.pid is not None else ""
    if own.startswith(("pipe:", "socket:")) and own not in of_root:
        return "its output goes to the process that started it, through a pipe"
    if own and own not in of_root:
        return f"its output goes to {visible(own)}"
    if root.program_place.elsewhere:
        return f"its output is on {root.program_place.elsewhere}"
    way = key_map.tell("show_sessions", "leads there")
    return f"its output is in the console of {visible(family.root.name, 40)}{way}"


PROGRAMS = frozenset({"rest", "bridge", "mcp", "dap"})
"""The origins of requests by other programs."""

_MUTED: Piece = ("muted  ", "warning")
_ONE_THREAD: Piece = ("one thread  ", "warning")


def describe_state(
    session: Session,
    frame: Frame | None,
    thread_id: int,
    key_map: KeyMap,
    asked_by: str = "",
) -> list[Piece]:
    """Return the pieces after the badge in the status line, for the selected frame and thread.

    ``asked_by`` is the request of another program that led to this (``rest: step over``).
    """
    pieces = _describe_status(session, frame, thread_id, key_map, asked_by)
    if session.stepping.only_this_thread:
        pieces = [_ONE_THREAD, *pieces]
    if session.stepping.granularity is not Granularity.STATEMENT:
        pieces = [(f"by {session.stepping.granularity}s  ", "hint"), *pieces]
    return [_MUTED, *pieces] if session.breakpoints.muted else pieces


def _describe_status(
    session: Session, frame: Frame | None, thread_id: int, key_map: KeyMap, asked_by: str
) -> list[Piece]:
    stop = session.stop
    key = key_map.key_of("restart")
    again = "attaches again" if session.is_attached else "restarts it"
    restart: list[Piece] = [(f"  {key} {again}", "faint")] if key else []
    if session.waiting:
        what = session.waiting
        if session.status is Status.LAUNCHING:  # its first word is the badge
            what = what.partition(" ")[2]
        return [(visible(what), "place"), *_describe_waiting(session, key_map)]
    match session.status:
        case Status.PAUSED if stop is not None:
            return _describe_place(session, stop, frame, thread_id, key_map, asked_by)
        case Status.TERMINATED if session.plan.is_child and (heir := _heir(session)):
            return [(f"replaced by {heir}", "place")]
        case Status.TERMINATED if session.exit is not None:
            if session.exit.runs_on:
                return [("detached: the program is running", "faint"), *restart]
            if session.exit.signal:
                return [(f"killed ({session.exit.signal})", "error"), *restart]
            code = session.exit.code
            style = "faint" if code is None else "error" if code else "good"
            return [("ended" if code is None else f"exit code {code}", style), *restart]
        case Status.FAILED:
            return [(visible(session.failure), "error"), *restart]
    by: list[Piece] = [(f"  {asked_by}", "hint")] if asked_by else []
    if session.status is Status.RUNNING and session.awaited_input.is_awaited:
        return [("waits for input", "warning"), *by]  # the bar names the key
    if session.stop_owner is not None:
        return [(visible(session.stop_owner.activity), "place"), *by]
    return [(visible(session.plan.title), "faint"), *_describe_interpreter(session), *by]


def _describe_interpreter(session: Session) -> list[Piece]:
    """Return which Python is starting the program: the reason first, as paths are long."""
    plan, is_early = session.plan, session.status in (Status.CREATED, Status.LAUNCHING)
    if not (is_early and isinstance(plan, LaunchPlan) and plan.python_from):
        return []
    return [(visible(f"  Python: {plan.python_from}: {plan.python}", 200), "faint")]


def _describe_waiting(session: Session, key_map: KeyMap) -> list[Piece]:
    """Return the user's options meanwhile."""
    ways = [("stop", "gives up"), ("quit", "quits")]
    if isinstance(session.plan, AttachPlan) and not session.plan.listen:
        ways.insert(0, ("restart", "tries now"))
    told = [f"  {key} {word}" for name, word in ways if (key := key_map.key_of(name))]
    return [("".join(told), "faint")]


def _describe_place(
    session: Session,
    stop: Stop,
    frame: Frame | None,
    thread_id: int,
    key_map: KeyMap,
    asked_by: str,
) -> list[Piece]:
    pieces: list[Piece] = []
    if frame is not None and frame.place is not None:
        place = f"{PurePath(frame.place.path).name}:{frame.place.line}"
        pieces += [(visible(place), "place"), (f" {visible(frame.name)}", "")]
    elif frame is not None:
        pieces.append((visible(frame.name), ""))
    if stop.reason is StopReason.EXCEPTION and not Autopsy.of(session).why_not():
        key = key_map.key_of("show_autopsy")
        pieces.append((f"  {key}: autopsy" if key else "", "hint"))
    if stop.reason is not StopReason.STEP or not asked_by:  # otherwise it is mentioned already
        pieces.append((f"  {describe_stop(stop)}", "error" if stop.exception else "faint"))
    if asked_by:
        pieces.append((f"  {asked_by}", "hint"))
    name = next((thread.name for thread in session.threads if thread.id == thread_id), "")
    if name:
        pieces.append((f"  {visible(name)}", "faint"))
    return pieces


def describe_stop(stop: Stop) -> str:
    """Return the stop reason in a few words."""
    return visible(word_stop(stop).label)


def characters(count: int) -> str:
    """Return ``1 character``, ``2,000 characters``."""
    return f"{count:,} character{'s' if count != 1 else ''}"
