"""Numbers, positions and errors as one client knows them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.api.auth.callers import ScopeMissing
from tuidbg.api.dap.arguments import InitializeArguments
from tuidbg.api.operations.operation import words_for
from tuidbg.api.operations.views import view_failure
from tuidbg.recording.timeline import Moment
from tuidbg.session import errors
from tuidbg.session.errors import DebuggerError
from tuidbg.session.state import Frame, Variable

T = TypeVar("T")


class UnknownReference(DebuggerError):
    """A number of the client's that means nothing (any more)."""


class Numbers(Generic[T]):
    """Holds what was given out at the present stop, by its numbers."""

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._next = 1
        self._known: dict[int, T] = {}
        self._by_key: dict[Hashable, int] = {}

    def give(self, thing: T, key: Hashable = None) -> int:
        """A number for it: the one of the thing that was given by the same key, if there is one."""
        number = self._next if key is None else self._by_key.setdefault(key, self._next)
        self._next = max(self._next, number + 1)
        self._known[number] = thing
        return number

    def get(self, number: int) -> T:
        """Tells what that number stands for. Raises UnknownReference."""
        try:
            return self._known[number]
        except KeyError:
            is_old = 0 < number < self._next
            why = "is of an earlier stop" if is_old else "was never given out"
            raise UnknownReference(f"{self._noun} {number} {why}") from None

    def __iter__(self) -> Iterator[T]:
        """All that was given out."""
        return iter(self._known.values())

    def forget(self) -> None:
        """The program goes on: they mean nothing any more."""
        self._known.clear()
        self._by_key.clear()


class StackFrame(msgspec.Struct, frozen=True):
    """A frame as a client knows it: of which thread, and as the session has it."""

    thread_id: int
    frame: Frame


class Container(msgspec.Struct):
    """Something with children: the session's reference, in which frame, and what was told of it.

    ``lazy`` is the variable itself where its value has still to be worked out. ``start`` is where
    the children begin that this stands for: those before are told already; ``part`` is which of
    them, where it is not all.
    """

    reference: int
    frame_id: int
    children: dict[str, Variable] = {}
    page: tuple[Variable, ...] | None = None
    lazy: Variable | None = None
    start: int = 0
    part: str = ""


class JumpTarget(msgspec.Struct, frozen=True):
    """A line to go on at."""

    path: str
    line: int


class RecordedPlace(msgspec.Struct, frozen=True):
    """A recorded moment at which a client looks, its thread for the client, and its ``stopped``."""

    moment: Moment
    thread_id: int
    stopped: dict[str, Any]


class References:
    """All numbers of one client, and the recorded moment that they are of."""

    def __init__(self) -> None:
        self.frames: Numbers[StackFrame] = Numbers("frame")
        self.values: Numbers[Container] = Numbers("variable")
        self.jumps: Numbers[JumpTarget] = Numbers("target")
        self.recorded: RecordedPlace | None = None
        """None: they are of the program as it stands now."""

    def values_changed(self) -> None:
        """Values are others now: none is told from what was read before."""
        for container in self.values:
            container.page = None

    def forget(self) -> None:
        """The program goes on, or another moment of it is looked at."""
        self.frames.forget()
        self.values.forget()
        self.jumps.forget()
        self.recorded = None


class Positions:
    """Those of one client, by its ``traits``."""

    def __init__(self) -> None:
        self.traits = InitializeArguments()

    def line_in(self, line: int) -> int:
        """A line of the client's, counted from 1."""
        return line if self.traits.lines_start_at1 else line + 1

    def line_out(self, line: int) -> int:
        """A line as the client counts them."""
        return line if self.traits.lines_start_at1 else max(0, line - 1)

    def column_in(self, column: int) -> int:
        """A column of the client's, counted from 1."""
        return column if self.traits.columns_start_at1 else column + 1

    def column_out(self, column: int) -> int:
        """A column as the client counts them."""
        return column if self.traits.columns_start_at1 else max(0, column - 1)

    def path_out(self, path: str) -> str:
        """A path as the client names files."""
        if self.traits.path_format == "uri" and path.startswith("/"):
            return Path(path).as_uri()
        return path


class BadRequest(errors.DebuggerError):
    """A request that makes no sense, by its arguments."""


class WrongState(errors.DebuggerError):
    """A request that comes too early, or too late."""


class UnknownCommand(errors.DebuggerError):
    """A command that DAP has not, or that tuidbg can't serve."""


class NoSession(errors.DebuggerError):
    """There is no session to work on."""


class Cancelled(errors.DebuggerError):
    """The client has cancelled the request itself."""


INTERNAL = 1
"""Something went wrong in tuidbg itself."""

NO_MESSAGE = 2
"""It was no DAP message."""

_NUMBERS: dict[type, int] = {
    UnknownCommand: 3,
    BadRequest: 4,
    WrongState: 5,
    NoSession: 6,
    UnknownReference: 7,
    errors.DebuggerError: 10,
    errors.InvalidSessionState: 11,
    errors.PostMortem: 12,
    errors.LaunchFailed: 13,
    errors.AttachFailed: 14,
    errors.AttachRefused: 14,
    errors.AttachTimedOut: 14,
    errors.AgentsPaused: 15,
    ScopeMissing: 16,
    errors.UnsupportedByAdapter: 17,
    errors.EvaluationFailed: 18,
    errors.EvaluationCancelled: 19,
    errors.EvaluationAbandoned: 19,
    Cancelled: 19,
    errors.StaleReply: 20,
    errors.AdapterTimedOut: 21,
    errors.AdapterFailed: 22,
    AdapterError: 22,
    errors.ThreadNotFound: 23,
    errors.FrameNotFound: 23,
    errors.VariableNotFound: 7,
    errors.InvalidCondition: 24,
    errors.InvalidSetting: 24,
    errors.SessionLimitReached: 25,
    errors.SessionNotFound: 6,
    errors.SessionExpired: 6,
}

_SHORT: dict[type, str] = {
    Cancelled: "cancelled",
    errors.EvaluationCancelled: "cancelled",
    errors.StaleReply: "notStopped",
}
"""Words that DAP has for some causes; clients show no error for these."""


def number_of(error: Exception) -> int:
    """The number of its cause."""
    if isinstance(error, AdapterError):
        return _NUMBERS[AdapterError]
    if isinstance(error, errors.DebuggerError):
        return words_for(error, _NUMBERS, _NUMBERS[errors.DebuggerError])
    return INTERNAL


def sentence_of(error: Exception) -> str:
    """Says what is wrong, to the one whom answers are shown to just now."""
    if isinstance(error, errors.StaleReply):
        return "the program has gone on meanwhile"
    if isinstance(error, errors.EvaluationFailed):
        return view_failure(str(error))
    if isinstance(error, errors.DebuggerError | AdapterError):
        return str(error)
    return f"tuidbg itself failed here ({type(error).__name__}); its log has more"


def short_of(error: Exception) -> str:
    """A word of DAP's for it, or nothing."""
    return words_for(error, _SHORT, "") if isinstance(error, errors.DebuggerError) else ""
