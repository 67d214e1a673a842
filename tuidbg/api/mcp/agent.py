"""One agent: which session it works on, what it has heard of, and within which limits it is told.

By default it works on the session that the person looks at; one that it has launched or chosen
itself stays its own, so that several agents do not get into each other's way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

import msgspec

from tuidbg.api.auth.callers import Caller, Gate
from tuidbg.api.mcp.tool import ToolRefused, no_session
from tuidbg.api.operations.execution import Waiter
from tuidbg.session.hub import Hub
from tuidbg.session.serving.members import Member
from tuidbg.session.session import Session
from tuidbg.session.state import Status, TraceRecord

ORIGIN = "mcp"

T = TypeVar("T")


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Tells how much one answer tells, unless a call asks for another number.

    Characters of one value, values of one list, frames, source lines on either side of the current
    one, characters of new output, and characters of a whole answer.
    """

    value: int = 200
    items: int = 30
    frames: int = 10
    source: int = 4
    output: int = 2_000
    reply: int = 8_000


class Agent:
    """The state of one client, for as long as it is connected."""

    def __init__(
        self,
        hub: Hub,
        gate: Gate,
        caller: Caller,
        *,
        limits: Limits | None = None,
        python: str = "",
        cwd: str = "",
        fit_hint: Callable[[str], str] = str,
        shows_attributes: bool = False,
    ) -> None:
        """``python`` and ``cwd`` are those of programs that are launched without any.

        ``fit_hint`` makes a hint name the tools that this client has. ``shows_attributes``: of
        locals that say nothing but their type a stop tells what is in them.
        """
        self.hub = hub
        self.gate = gate
        self.caller = caller
        self.limits = limits or Limits()
        self.python = python
        self.cwd = cwd
        self.fit_hint = fit_hint
        self.shows_attributes = shows_attributes
        self._chosen = ""
        self._started: dict[str, float | None] = {}
        """Tells when the programs that it has launched or attached to began, by their sessions."""
        self._left: set[str] = set()
        self._waiters: dict[Session, Waiter] = {}
        self._read: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
        self._logged: WeakKeyDictionary[Session, int] = WeakKeyDictionary()
        self._kept: WeakKeyDictionary[Session, dict[type, object]] = WeakKeyDictionary()

    # The session

    @property
    def found(self) -> Member | None:
        """The session it works on; None where there is none, or where it has left that."""
        chosen = next((member for member in self.hub if member.id == self._chosen), None)
        found = chosen or self.hub.current
        return None if found is None or found.id in self._left else found

    @property
    def member(self) -> Member:
        """The same. Raises ToolRefused (NO_SESSION) where there is none."""
        found = self.found
        if found is None:
            raise no_session()
        return self.hub.use(found.id)

    @property
    def active(self) -> Member:
        """The same, with a program that has not ended. Raises ToolRefused (NO_SESSION).

        Where a process that the program had started has ended, it is the program's first one again.
        """
        member = self.member
        if member.parent_id and member.session.status in (Status.TERMINATED, Status.FAILED):
            member = self.choose(self.hub.root_of(member).id)
        if member.session.status in (Status.CREATED, Status.TERMINATED, Status.FAILED):
            raise no_session()
        return member

    def choose(self, session_id: str) -> Member:
        """Work on that session from now on. Raises SessionNotFound, SessionExpired."""
        member = self.hub.use(session_id)
        self._chosen = session_id
        self._left.discard(session_id)
        return member

    def note_started(self, member: Member) -> None:
        """It has started the program of that session, or attached to it."""
        self._started[member.id] = member.started_at

    def has_started(self, member: Member) -> bool:
        """Tell whether the program of that session is this client's own doing.

        In a session of a person's only as long as nobody has started another one there.
        """
        root = self.hub.root_of(member)
        if root.id not in self._started:
            return False
        return root.origin == ORIGIN or self._started[root.id] == root.started_at

    def leave(self, member: Member) -> None:
        """Work on that session no more, unless it is chosen again; on the current one instead."""
        self._chosen = ""
        root = self.hub.root_of(member)
        self._left |= {root.id, *(child.id for child in self.hub.children(root))}

    # What it has heard of

    def waiter(self, session: Session) -> Waiter:
        """Find what it has heard of the hits in that session's program, in all its processes."""
        root = session.family.root.session if session.family is not None else session
        waiter = self._waiters.get(root)
        if waiter is None:
            living = {member.session for member in self.hub}
            self._waiters = {s: known for s, known in self._waiters.items() if s in living}
            waiter = self._waiters[root] = Waiter(root)
        return waiter

    def begin(self, session: Session) -> None:
        """It lets that process go on: hits before that are no news to it any more."""
        self.waiter(session).begin(session)

    def processes(self, member: Member) -> list[Member]:
        """All processes of that session's program, the first one first."""
        root = self.hub.root_of(member)
        return [root, *self.hub.children(root)]

    def take_logged(self, session: Session) -> list[TraceRecord]:
        """Take what log points have written there since it was last told of that."""
        records = session.trace.since(self._logged.get(session, 0))
        self._logged[session] = session.trace.last_number
        found = session.breakpoints.registry.look_up
        return [r for r in records if (b := found(r.breakpoint)) is None or not b.trace]

    def output_read(self, session: Session) -> int:
        """The number of the last line of output that it has taken."""
        return self._read.get(session, 0)

    def note_read(self, session: Session, number: int) -> None:
        """It has taken the output up to that line."""
        self._read[session] = number

    def keep(self, session: Session, kind: type[T], make: Callable[[], T]) -> T:
        """Find what this client keeps of a session beside that, one of each kind; made at first."""
        kept = self._kept.setdefault(session, {})
        found = kept.get(kind)
        if not isinstance(found, kind):
            found = kept[kind] = make()
        return found

    # Checks

    def demand_evaluate(self, action: str, session_id: str, *code: str) -> None:
        """Code that will run in the program needs the right to it. Raises ScopeMissing."""
        self.gate.demand_code(self.caller, action, session_id, code)

    def seconds(self, milliseconds: int) -> float:
        """A time limit as the core takes it. Raises ToolRefused (INVALID_PARAMETER)."""
        if not 1 <= milliseconds <= 300_000:
            raise ToolRefused("INVALID_PARAMETER", "timeout_ms must be from 1 to 300000")
        return milliseconds / 1000
