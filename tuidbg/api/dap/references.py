"""A client's reference numbers, its positions and paths, and the numbers of errors."""

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
from tuidbg.session.model import errors
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Frame, Variable

T = TypeVar("T")


class UnknownReference(DebuggerError):
    """An invalid or expired reference of a client."""


class Numbers(Generic[T]):
    """Objects of the current stop by their reference numbers."""

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._next = 1
        self._known: dict[int, T] = {}
        self._by_key: dict[Hashable, int] = {}

    def give(self, thing: T, key: Hashable = None) -> int:
        """Return a number for an object; the same number for the same key."""
        number = self._next if key is None else self._by_key.setdefault(key, self._next)
        self._next = max(self._next, number + 1)
        self._known[number] = thing
        return number

    def get(self, number: int) -> T:
        """Return the object of a number. Raises UnknownReference."""
        try:
            return self._known[number]
        except KeyError:
            is_old = 0 < number < self._next
            why = "is of an earlier stop" if is_old else "was never given out"
            raise UnknownReference(f"{self._noun} {number} {why}") from None

    def __iter__(self) -> Iterator[T]:
        """Iterate over all objects."""
        return iter(self._known.values())

    def forget(self) -> None:
        """Invalidate all numbers, when the program resumes."""
        self._known.clear()
        self._by_key.clear()


class ClientFrame(msgspec.Struct, frozen=True):
    """A frame as a client knows it: its thread, and the session's frame."""

    thread_id: int
    frame: Frame


class Container(msgspec.Struct):
    """A value with children: the session's reference, its frame, and the children sent so far.

    ``lazy`` is the variable itself if its value is not evaluated yet. ``start`` is the offset of
    the children it contains: the earlier ones are already sent; ``part`` selects named or indexed
    ones.
    """

    reference: int
    frame_id: int
    children: dict[str, Variable] = {}
    page: tuple[Variable, ...] | None = None
    lazy: Variable | None = None
    start: int = 0
    part: str = ""


class JumpTarget(msgspec.Struct, frozen=True):
    """A line to jump to."""

    path: str
    line: int


class RecordedPlace(msgspec.Struct, frozen=True):
    """The recorded moment a client is at, its thread, and its ``stopped`` event."""

    moment: Moment
    thread_id: int
    stopped: dict[str, Any]


class ClientReferences:
    """All reference numbers of one client, and the recorded moment they belong to."""

    def __init__(self) -> None:
        self.frames: Numbers[ClientFrame] = Numbers("frame")
        self.values: Numbers[Container] = Numbers("variable")
        self.jumps: Numbers[JumpTarget] = Numbers("target")
        self.recorded: RecordedPlace | None = None
        """None: they belong to the current stop."""

    def values_changed(self) -> None:
        """Drop the cached values after a change."""
        for container in self.values:
            container.page = None

    def forget(self) -> None:
        """Invalidate everything: the program resumed, or the client moved to another moment."""
        self.frames.forget()
        self.values.forget()
        self.jumps.forget()
        self.recorded = None


class Positions:
    """Conversion of positions and paths for one client, by its ``traits``."""

    def __init__(self) -> None:
        self.traits = InitializeArguments()

    def line_in(self, line: int) -> int:
        """Convert a client's line to 1-based."""
        return line if self.traits.lines_start_at1 else line + 1

    def line_out(self, line: int) -> int:
        """Convert a line to the client's numbering."""
        return line if self.traits.lines_start_at1 else max(0, line - 1)

    def column_in(self, column: int) -> int:
        """Convert a client's column to 1-based."""
        return column if self.traits.columns_start_at1 else column + 1

    def column_out(self, column: int) -> int:
        """Convert a column to the client's numbering."""
        return column if self.traits.columns_start_at1 else max(0, column - 1)

    def path_out(self, path: str) -> str:
        """Convert a path to the client's form."""
        if self.traits.path_format == "uri" and path.startswith("/"):
            return Path(path).as_uri()
        return path


class BadRequest(errors.DebuggerError):
    """A request with invalid arguments."""


class WrongState(errors.DebuggerError):
    """A request that comes too early or too late."""


class UnknownCommand(errors.DebuggerError):
    """A command unknown to DAP, or unsupported by tuidbg."""


class NoSession(errors.DebuggerError):
    """A request without a session."""


class Cancelled(errors.DebuggerError):
    """A request cancelled by the client itself."""


INTERNAL = 1
"""Error number of an internal error."""

NO_MESSAGE = 2
"""Error number of an invalid DAP message."""

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
"""DAP's own error words; clients show no error for these."""


def number_of(error: Exception) -> int:
    """Return the error number."""
    if isinstance(error, AdapterError):
        return _NUMBERS[AdapterError]
    if isinstance(error, errors.DebuggerError):
        return words_for(error, _NUMBERS, _NUMBERS[errors.DebuggerError])
    return INTERNAL


def sentence_of(error: Exception) -> str:
    """Return the message of an error, redacted for the current caller."""
    if isinstance(error, errors.StaleReply):
        return "the program has gone on meanwhile"
    if isinstance(error, errors.EvaluationFailed):
        return view_failure(str(error))
    if isinstance(error, errors.DebuggerError | AdapterError):
        return str(error)
    return f"tuidbg itself failed here ({type(error).__name__}); its log has more"


def short_of(error: Exception) -> str:
    """Return DAP's own word for an error, or ""."""
    return words_for(error, _SHORT, "") if isinstance(error, errors.DebuggerError) else ""
