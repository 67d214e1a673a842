"""Related sessions: a program, its child processes, and theirs.

Each process is a session of its own that runs and stops by itself. The user's settings are the same
in all of them (intent outlives the session): breakpoints, exceptions, muting and just-my-code are
copied into each that joins before it is configured, and a change in one reaches the others at once.
A process's own results (set or refused, hits, whether a trigger has armed it) stay its own. A plain
run has no family until its first child comes.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.config.launch import AttachPlan, Plan
from tuidbg.session.core.breakpoints.store import BreakpointSettings, pending
from tuidbg.session.core.process_tree.identity import Identity
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.events import (
    BreakpointsChanged,
    BreakpointsMuted,
    Continued,
    EventLog,
    ExceptionFiltersChanged,
    LogEntry,
    ProcessEnded,
    ProcessJoined,
    ProcessLeft,
    ProcessResumed,
    ProcessStopped,
    SourcesChanged,
    StatusChanged,
    Stopped,
)
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    Status,
    StopReason,
)

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


_OWN = frozenset({"hits", "misses", "errors", "armed", "ignore_from"})
_ANSWERED = frozenset({"status", "message", "suggested_line", "places"})
_FOUND_OUT = frozenset({"path", "line"})
"""A function's location, which each session finds out by itself."""

_ASKED = tuple(f for f in Breakpoint.__struct_fields__ if f not in _OWN | _ANSWERED)


def copy_wishes(source: Session, to: Session) -> None:
    """Copy the user's settings of another session into one not started yet."""
    known, new = source.breakpoints, to.breakpoints
    new.muted = known.muted
    new.anchors = known.anchors
    new.publish_all([_fresh(b) for b in known.registry], origin="session")
    to.exceptions.filters = source.exceptions.filters
    to.facts.share(source.facts)  # they run the same program
    _copy_sources(source, to)


def tell_breakpoints(to: Session, changed: Sequence[Breakpoint], removed: Sequence[int]) -> None:
    """Apply another session's changes to a session's breakpoints."""
    breakpoints = to.breakpoints
    registry = breakpoints.registry
    gone = [found for number in removed if (found := registry.look_up(number)) is not None]
    for each in gone:
        registry.remove(each.number)
        to.probe.forget(each.number)
    if gone:
        numbers = tuple(each.number for each in gone)
        to.publish(BreakpointsChanged(removed=numbers), "family")
    new = []
    for each in changed:
        found = registry.look_up(each.number)
        if found is None:
            new.append(_fresh(each))
        elif asked_for(found) != asked_for(each):
            new.append(_with_wishes(to, found, each))
    breakpoints.publish_all(new, origin="family")
    if gone or new:
        to.spawn(breakpoints.synchronise_many([*gone, *new]))


def _fresh(breakpoint: Breakpoint) -> Breakpoint:
    """Return it as before an adapter knows it; a function's location is kept."""
    is_refused = breakpoint.status is BreakpointStatus.REFUSED
    is_function = breakpoint.kind is BreakpointKind.FUNCTION
    return msgspec.structs.replace(
        pending(breakpoint),
        places=breakpoint.places if is_function and not is_refused else (),
        hits=0,
        misses=0,
        errors=0,
        ignore_from=0,
        armed=breakpoint.trigger is None,
    )


def _with_wishes(to: Session, found: Breakpoint, wanted: Breakpoint) -> Breakpoint:
    """Return ``found`` with the other session's settings, including those that restart counts."""
    asked = {name: getattr(wanted, name) for name in _ASKED}
    settings: BreakpointSettings = {}
    if wanted.enabled != found.enabled:
        settings["enabled"] = wanted.enabled
    if wanted.ignore_count != found.ignore_count:
        settings["ignore_count"] = wanted.ignore_count
        asked["ignore_from"] = found.hits
    if wanted.at_most != found.at_most:
        settings["at_most"] = wanted.at_most
    to.breakpoints.binding.probing.note_settings(found, settings)
    if wanted.trigger != found.trigger:
        asked["armed"] = wanted.trigger is None
    changed = msgspec.structs.replace(found, **asked)
    moved = (changed.path, changed.line) != (found.path, found.line)
    is_refused = found.status is BreakpointStatus.REFUSED
    is_elsewhere = changed.ranks != found.ranks
    return pending(changed) if moved or is_refused or is_elsewhere else changed


def asked_for(breakpoint: Breakpoint) -> tuple[Any, ...]:
    """Return the user's settings, which all sessions of a family share."""
    is_function = breakpoint.kind is BreakpointKind.FUNCTION
    hidden = _FOUND_OUT if is_function else frozenset[str]()
    return tuple(getattr(breakpoint, name) for name in _ASKED if name not in hidden)


def tell_muted(to: Session, muted: bool) -> None:
    """Mute or unmute that session, too."""
    if to.breakpoints.muted != muted:
        to.breakpoints.muted = muted
        to.publish(BreakpointsMuted(muted=muted), "family")
        to.spawn(_send_everything(to))


async def _send_everything(session: Session) -> None:
    await session.breakpoints.synchronise_all()
    await session.exceptions.synchronise()


def tell_exceptions(to: Session, moments: frozenset[str]) -> None:
    """Stop at any exception at these moments there, too."""
    if to.exceptions.filters != moments:
        to.exceptions.filters = moments
        to.publish(ExceptionFiltersChanged(filters=tuple(sorted(moments))), "family")
        to.spawn(to.exceptions.synchronise())


def tell_sources(source: Session, to: Session) -> None:
    """Skip the same sources there."""
    here, there = source.sources, to.sources
    if (here.just_my_code, here.rules) == (there.just_my_code, there.rules):
        return
    _copy_sources(source, to)
    to.publish(SourcesChanged(just_my_code=there.just_my_code), "family")
    if to.adapter.is_configurable:
        to.spawn(to.live_rules.put_in_force())


def _copy_sources(source: Session, to: Session) -> None:
    here, there = source.sources, to.sources
    there.just_my_code, there.target = here.just_my_code, here.target
    there.mappings = dict(here.mappings)
    there.take_rules(here.rules)


_NUMBER = re.compile(r"\d+")


def pid_of(plan: Plan) -> int | None:
    """Return a child's process id, as its adapter reported it before it began."""
    pid = plan.configuration.get("subProcessId") if isinstance(plan, AttachPlan) else None
    return pid if isinstance(pid, int) else None


def read_command(plan: Plan) -> str:
    """Return a child's start command, without numbers; "" if unknown."""
    if (pid := pid_of(plan)) is None:
        return ""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
    return _NUMBER.sub("0", words)


def find_predecessor(newcomer: ProcessInfo, known: Iterable[ProcessInfo]) -> Any:
    """Return the ended relative that ``newcomer`` replaces, if any.

    Several workers of one command may live at once: a living one is never replaced.
    """
    if not newcomer.command:
        return None
    candidates = (
        each
        for each in known
        if each is not newcomer
        and each.parent is newcomer.parent
        and each.successor is None
        and each.command == newcomer.command
        and (each.is_over or _is_gone(pid_of(each.session.plan)))
    )
    return max(candidates, key=lambda each: each.number, default=None)


def _is_gone(pid: int | None) -> bool:
    """Return whether a local process is gone, though its adapter has not reported that yet."""
    if pid is None:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


def take_over(newcomer: ProcessInfo, before: ProcessInfo) -> None:
    """Let ``newcomer`` replace ``before``, with the same watches."""
    before.successor = newcomer
    if before.session.watches_in_use is not None:
        watches = before.session.watches
        newcomer.session.watches.adopt((each.expression, each.pinned) for each in watches)


KEPT_ENDED = 32
"""Sessions of ended processes that stay in the tree; the oldest beyond that are dropped."""

ASKED_AGAIN, ASKED_SELDOM = 0.5, 30.0
"""Seconds until an unnamed process is queried again for its name, doubled each time up to the
second: it may get its name long after its start.
"""

_OVER = (Status.TERMINATED, Status.FAILED)

_STOPS_OTHERS = (StopReason.BREAKPOINT, StopReason.EXCEPTION)
"""Reasons of a stop that stop the others, too: no step, and no pause."""


class ProcessInfo:
    """One session of a family. ``number`` counts the arrivals from 0, which is the root."""

    def __init__(
        self, session: Session, parent: ProcessInfo | None, name: str, number: int
    ) -> None:
        self.session = session
        self.parent = parent
        self.name = name
        self.number = number
        self.stopped_as = 0
        """The index of its last stop among all stops of this family; 0 if it never stopped."""
        self.is_shown = False
        """True while the user views it; it is not dropped meanwhile."""
        self.command = read_command(session.plan)
        """The command it was started with."""
        self.successor: ProcessInfo | None = None
        """The process that replaced it, as a reloader's next worker does."""
        self.identity: Identity | None = None
        """Its rank in a job; None while it has not been queried."""
        self.machine: str = parent.machine if parent is not None else ""
        """The name of the machine that forwards it (``forward --name``), if one does."""
        self._pause = ASKED_AGAIN
        self._asked_again_at = 0.0

    @property
    def is_over(self) -> bool:
        """True if its process has ended, or was detached."""
        return self.session.status in _OVER

    @property
    def is_program(self) -> bool:
        """True if it is a program, not the listening session."""
        plan = self.session.plan
        return self.parent is not None or not (isinstance(plan, AttachPlan) and plan.listen)

    @property
    def is_to_be_asked(self) -> bool:
        """True if its rank has to be queried: for the first time, or again as it had no name."""
        is_known = self.identity is not None and bool(self.identity.label)
        return not is_known and time.monotonic() >= self._asked_again_at

    def take_identity(self, identity: Identity) -> None:
        """Store its identity; a forwarding machine is named by the user."""
        if self.machine:
            identity = msgspec.structs.replace(identity, host=self.machine)
        self._asked_again_at = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, ASKED_SELDOM)
        self.identity = identity
        self.session.spawn(self.session.breakpoints.changing.take_rank(identity.rank))

    @property
    def heir(self) -> ProcessInfo | None:
        """Return the process that replaces it after its end, if any yet."""
        heir = self.successor if self.is_over else None
        while heir is not None and heir.is_over and heir.successor is not None:
            heir = heir.successor
        return heir if heir is not None and not heir.is_over else None

    @property
    def depth(self) -> int:
        """Return the number of generations to the root."""
        return 0 if self.parent is None else self.parent.depth + 1


class ProcessTree:
    """The sessions of one root; it outlives their restarts."""

    def __init__(self, root: Session) -> None:
        self.events = EventLog(limit=1_000)
        self.on_dropped: list[Callable[[ProcessInfo], None]] = []
        """Called when one leaves the tree; its session is closed soon."""
        self._relatives: dict[int, ProcessInfo] = {}
        self._next = 0
        self._stops = 0
        self.stops_together = False
        """True if all stop where one stops."""
        self.gathering = 0
        """The number of active barriers: while there are any, no process stops the others."""
        self._is_telling = False
        self._told_breakpoints: dict[int, tuple[Any, ...]] = {}
        """The settings of each when the sessions were last informed."""
        self.root = self._take_in(root, None, root.plan.title)

    @classmethod
    def of(cls, session: Session) -> ProcessTree:
        """Return the family of a session; if it has none yet it is the root of a new one."""
        return session.family if session.family is not None else cls(session)

    def __iter__(self) -> Iterator[ProcessInfo]:
        """Iterate as a tree: each after its parent, children in the order of arrival."""
        children: dict[int, list[ProcessInfo]] = {}
        for each in self._relatives.values():
            if each.parent is not None:
                children.setdefault(each.parent.number, []).append(each)
        waiting = [self.root]
        while waiting:
            relative = waiting.pop()
            yield relative
            waiting += reversed(children.get(relative.number, []))

    def __len__(self) -> int:
        return len(self._relatives)

    def get(self, number: int) -> ProcessInfo | None:
        """Return the one of that number, if it is still in the tree."""
        return self._relatives.get(number)

    def find(self, session: Session) -> ProcessInfo | None:
        """Return a session's entry."""
        return next((r for r in self._relatives.values() if r.session is session), None)

    def children(self, session: Session) -> list[ProcessInfo]:
        """Return the child processes of a session's program, and theirs; not itself."""
        above = self.find(session)
        if above is None or not any(r.parent is above for r in self._relatives.values()):
            return []  # as for most in a job of a thousand, each of which checks that as it ends
        return [r for r in self if above in _ancestors(r)]

    def living_children(self, session: Session) -> list[ProcessInfo]:
        """Return those of ``children`` that have not ended."""
        return [r for r in self.children(session) if not r.is_over]

    # Arrival and departure

    def add(self, session: Session, parent: Session, name: str) -> ProcessInfo:
        """Add a process and copy the settings to its session, before ``lifecycle.start``.

        ``name`` is for display, such as ``worker.py 4711``.
        """
        above = self.find(parent) or self.root
        copy_wishes(above.session, session)
        relative = self._take_in(session, above, name)
        before = find_predecessor(relative, self._relatives.values())
        if before is not None:
            take_over(relative, before)
        event = ProcessJoined(number=relative.number, name=name)
        self.events.append(event, "session")
        above.session.publish(event)
        return relative

    def _take_in(self, session: Session, parent: ProcessInfo | None, name: str) -> ProcessInfo:
        relative = ProcessInfo(session, parent, name, self._next)
        self._next += 1
        self._relatives[relative.number] = relative
        session.family = self
        session.events.subscribers.add(partial(self.note, session))
        return relative

    def rename(self, relative: ProcessInfo, name: str) -> None:
        """Replace its name by a better one."""
        if name != relative.name:
            relative.name = name
            self.events.append(ProcessJoined(number=relative.number, name=name), "session")
            if relative.parent is not None:
                relative.parent.session.publish(ProcessJoined(number=relative.number, name=name))

    def learn_name(self, session: Session, name: str) -> None:
        """Set the name a process reports of itself."""
        relative = self.find(session)
        if name and relative is not None and isinstance(session.plan, AttachPlan):
            known = f"{name} {session.pid}"
            session.plan = msgspec.structs.replace(session.plan, name=known)
            self.rename(relative, known)

    def identify(self, relative: ProcessInfo, identity: Identity) -> None:
        """Set its rank in a job; it is displayed before its name."""
        relative.take_identity(identity)
        if identity.label and isinstance(relative.session.plan, AttachPlan):
            known = f"{identity.label} {relative.name}"
            relative.session.plan = msgspec.structs.replace(relative.session.plan, name=known)
            self.rename(relative, known)

    def drop(self, relative: ProcessInfo) -> None:
        """Remove one from the tree; its children move to its parent."""
        if relative is self.root or self._relatives.pop(relative.number, None) is None:
            return
        for each in self._relatives.values():
            if each.parent is relative:
                each.parent = relative.parent
        self.events.append(ProcessLeft(number=relative.number), "session")
        for told in self.on_dropped:
            told(relative)

    def drop_session(self, session: Session) -> None:
        """Remove the entry of that session."""
        if (relative := self.find(session)) is not None:
            self.drop(relative)

    def drop_ended(self, keep: int = KEPT_ENDED) -> int:
        """Drop the oldest ended processes, but for ``keep``; return how many were dropped.

        One that the user views stays.
        """
        ended = [r for r in self._relatives.values() if r.is_over and r is not self.root]
        dropped = [r for r in ended[: max(0, len(ended) - keep)] if not r.is_shown]
        for relative in dropped:
            self.drop(relative)
            self.root.session.spawn(relative.session.close())
        return len(dropped)

    # Events in one of them

    def last_stopped(self, other: Session) -> ProcessInfo | None:
        """Return the last stopped one of those that are stopped, except ``other``."""
        relatives = (r for r in self._relatives.values() if r.session is not other)
        standing = (r for r in relatives if r.session.status is Status.PAUSED)
        return max(standing, key=lambda r: r.stopped_as, default=None)

    def note(self, session: Session, entry: LogEntry) -> None:
        """Handle an event of one of the sessions."""
        match entry.event:
            case Stopped(stop=stop):
                self._note_stopped(session)
                if self.stops_together and not self.gathering and stop.reason in _STOPS_OTHERS:
                    self._pause_others(session)
            case BreakpointsChanged(changed=changed, removed=removed):
                if entry.origin not in ("adapter", "program"):
                    self._tell_breakpoints(session, changed, removed)
            case BreakpointsMuted(muted=muted):
                self._tell(session, lambda to: tell_muted(to, muted))
            case ExceptionFiltersChanged():
                self._tell(session, lambda to: tell_exceptions(to, session.exceptions.filters))
            case SourcesChanged():
                self._tell(session, lambda to: tell_sources(session, to))
            case Continued():
                if (relative := self.find(session)) is not None:
                    self.events.append(ProcessResumed(number=relative.number), "session")
            case StatusChanged(status=status) if status in _OVER:
                self._note_ended(session)

    def _note_stopped(self, session: Session) -> None:
        if (relative := self.find(session)) is not None:
            self._stops += 1
            relative.stopped_as = self._stops
            self.events.append(ProcessStopped(number=relative.number), "session")

    def _pause_others(self, session: Session) -> None:
        """Pause the others: each when it runs its own code again, none waits for another one."""
        for relative in self._relatives.values():
            other = relative.session
            if other is not session and other.status is Status.RUNNING and relative.is_program:
                other.spawn(_pause(other))

    def _note_ended(self, session: Session) -> None:
        if (relative := self.find(session)) is not None:
            self.events.append(ProcessEnded(number=relative.number), "session")
            self.drop_ended()

    def _tell_breakpoints(
        self, session: Session, changed: Sequence[Breakpoint], removed: Sequence[int]
    ) -> None:
        """Pass changes on; not the results that each of many ending sessions publishes."""
        if self._is_telling:
            return
        new = [b for b in changed if self._told_breakpoints.get(b.number) != asked_for(b)]
        self._told_breakpoints.update({b.number: asked_for(b) for b in new})
        for number in removed:
            self._told_breakpoints.pop(number, None)
        if new or removed:
            self._tell(session, lambda to: tell_breakpoints(to, new, removed))

    def _tell(self, session: Session, follow: Callable[[Session], None]) -> None:
        """Apply a change to the others; their events for it are not passed on again."""
        if self._is_telling:
            return
        self._is_telling = True
        try:
            for relative in tuple(self._relatives.values()):
                if relative.session is not session:
                    follow(relative.session)
        finally:
            self._is_telling = False


async def _pause(session: Session) -> None:
    try:
        await session.execution.pause(origin="session")
    except DebuggerError:
        pass  # it has stopped, or ended, by itself just now


def _ancestors(relative: ProcessInfo) -> Iterator[ProcessInfo]:
    above = relative.parent
    while above is not None:
        yield above
        above = above.parent
