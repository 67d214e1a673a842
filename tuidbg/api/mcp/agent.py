"""An agent's state: its session, the events it has seen, and the limits of its answers.

By default it works on the session that the user is viewing; a session that it launched or selected
itself stays selected, so that several agents do not interfere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

import msgspec

from tuidbg.api.auth.callers import AccessGate, Caller
from tuidbg.api.mcp.tool import ToolRefused, no_session
from tuidbg.api.operations.execution import Waiter
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.state import Status, TraceRecord

ORIGIN = "mcp"

T = TypeVar("T")


class AnswerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Default limits of an answer, unless a call sets others.

    Characters of one value, items of one list, frames, source lines on either side of the current
    one, characters of new output, and characters of a whole answer.
    """

    value: int = 200
    items: int = 30
    frames: int = 10
    source: int = 4
    output: int = 2_000
    reply: int = 8_000


class Agent:
    """The state of one client, for the duration of its connection."""

    def __init__(
        self,
        hub: Hub,
        gate: AccessGate,
        caller: Caller,
        *,
        limits: AnswerLimits | None = None,
        python: str = "",
        cwd: str = "",
        fit_hint: Callable[[str], str] = str,
        shows_attributes: bool = False,
    ) -> None:
        """``python`` and ``cwd`` are defaults for launched programs.

        ``fit_hint`` replaces tool names in a hint by those that this client has.
        ``shows_attributes``: for locals whose value is only a type, a stop shows their attributes.
        """
        self.hub = hub
        self.gate = gate
        self.caller = caller
        self.limits = limits or AnswerLimits()
        self.python = python
        self.cwd = cwd
        self.fit_hint = fit_hint
        self.shows_attributes = shows_attributes
        self._chosen = ""
        self._started: dict[str, float | None] = {}
        """Start times of the programs that it launched or attached to, by session id."""
        self._left: set[str] = set()
        self._waiters: dict[Session, Waiter] = {}
        self._read: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
        self._logged: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
        self._kept: WeakKeyDictionary[Session, dict[type, object]] = WeakKeyDictionary()

    # Session

    @property
    def found(self) -> HubSession | None:
        """Its session; None without one, or after leaving it."""
        chosen = next((member for member in self.hub if member.id == self._chosen), None)
        found = chosen or self.hub.current
        return None if found is None or found.id in self._left else found

    @property
    def member(self) -> HubSession:
        """Its session. Raises ToolRefused (NO_SESSION) without one."""
        found = self.found
        if found is None:
            raise no_session()
        return self.hub.use(found.id)

    @property
    def active(self) -> HubSession:
        """Its session with a running or paused program. Raises ToolRefused (NO_SESSION).

        After the end of a child process it is the session of the program's first process again.
        """
        member = self.member
        if member.parent_id and member.session.status in (Status.TERMINATED, Status.FAILED):
            member = self.choose(self.hub.root_of(member).id)
        if member.session.status in (Status.CREATED, Status.TERMINATED, Status.FAILED):
            raise no_session()
        return member

    def choose(self, session_id: str) -> HubSession:
        """Select a session. Raises SessionNotFound, SessionExpired."""
        member = self.hub.use(session_id)
        self._chosen = session_id
        self._left.discard(session_id)
        return member

    def note_started(self, member: HubSession) -> None:
        """Record that it has launched or attached to the session's program."""
        self._started[member.id] = member.started_at

    def has_started(self, member: HubSession) -> bool:
        """Whether this client launched or attached to the session's program.

        In a user's session only until another program is started there.
        """
        root = self.hub.root_of(member)
        if root.id not in self._started:
            return False
        return root.origin == ORIGIN or self._started[root.id] == root.started_at

    def leave(self, member: HubSession) -> None:
        """Leave a session until it is selected again; the current one takes its place."""
        self._chosen = ""
        root = self.hub.root_of(member)
        self._left |= {root.id, *(child.id for child in self.hub.children(root))}

    # Seen events

    def waiter(self, session: Session) -> Waiter:
        """Return the record of the hits it has seen, for all processes of the session's program."""
        root = session.family.root.session if session.family is not None else session
        waiter = self._waiters.get(root)
        if waiter is None:
            living = {member.session for member in self.hub}
            self._waiters = {s: known for s, known in self._waiters.items() if s in living}
            waiter = self._waiters[root] = Waiter(root)
        return waiter

    def begin(self, session: Session) -> None:
        """Mark a process as resumed by this client: earlier hits are no news any more."""
        self.waiter(session).begin(session)

    def processes(self, member: HubSession) -> list[HubSession]:
        """Return the sessions of all processes of the program, the first one first."""
        root = self.hub.root_of(member)
        return [root, *self.hub.children(root)]

    def take_logged(self, session: Session) -> list[TraceRecord]:
        """Return the log point output since the last call."""
        records = session.trace.since(self._logged.get(session, 0))
        self._logged[session] = session.trace.last_number
        found = session.breakpoints.registry.look_up
        return [r for r in records if (b := found(r.breakpoint)) is None or not b.trace]

    def output_read(self, session: Session) -> int:
        """Return the number of the last line of output it has read."""
        return self._read.get(session, 0)

    def note_read(self, session: Session, number: int) -> None:
        self._read[session] = number

    def keep(self, session: Session, kind: type[T], make: Callable[[], T]) -> T:
        """Return this client's object of a kind for a session, created on first use."""
        kept = self._kept.setdefault(session, {})
        found = kept.get(kind)
        if not isinstance(found, kind):
            found = kept[kind] = make()
        return found

    # Checks

    def demand_evaluate(self, action: str, session_id: str, *code: str) -> None:
        """Check that code may run in the program. Raises ScopeMissing."""
        self.gate.demand_code(self.caller, action, session_id, code)

    def seconds(self, milliseconds: int) -> float:
        """Convert a time limit to seconds. Raises ToolRefused (INVALID_PARAMETER)."""
        if not 1 <= milliseconds <= 300_000:
            raise ToolRefused("INVALID_PARAMETER", "timeout_ms must be from 1 to 300000")
        return milliseconds / 1000
