"""One error class per cause, raised by the session and rendered by each front end its own way.

``str()`` of each is a sentence for the user: what is wrong and, where there is one, the way out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError, AdapterLetGo, RequestFailed, ServerGone

if TYPE_CHECKING:
    from tuidbg.adapters.profile import AdapterProfile


class DebuggerError(Exception):
    """The base class of all session errors."""


class InvalidSessionState(DebuggerError):
    """The operation is not valid in the current state."""

    def __init__(self, operation: str, status: str) -> None:
        super().__init__(_STATE_SENTENCES.get(status, "not now").format(operation=operation))
        self.operation = operation
        self.status = status


_STATE_SENTENCES = {
    "created": "can't {operation}: no program has been started yet",
    "launching": "can't {operation} yet: the program is starting",
    "running": "can't {operation} while the program runs; pause it first",
    "paused": "can't {operation}: the program is paused already",
    "terminated": "can't {operation}: the program has ended; restart it first",
    "failed": "can't {operation}: the connection to the program was lost; restart it first",
}


class PostMortem(DebuggerError):
    """The program is a core file, which is read-only."""

    def __init__(self, operation: str) -> None:
        super().__init__(f"can't {operation}: this is a core file, and its program has ended")
        self.operation = operation


class LaunchFailed(DebuggerError):
    """The program or its adapter could not be started."""


class AttachRefused(DebuggerError):
    """No server listens at the given address."""


class AttachTimedOut(DebuggerError):
    """The peer has not answered in time."""


class AttachFailed(DebuggerError):
    """Attaching failed for any other reason."""


class AdapterFailed(DebuggerError):
    """The adapter refused, did not answer in time, or is gone."""


class ProgramEnded(AdapterFailed):
    """The program ended during a request; ``status`` is the session's status to come."""

    status = "terminated"

    def __init__(self, operation: str = "") -> None:
        told = "the program has ended meanwhile"
        super().__init__(f"can't {operation}: {told}" if operation else told)
        self.operation = operation or "look inside"


class UnsupportedByAdapter(DebuggerError):
    """The adapter does not support that."""


class InvalidCondition(DebuggerError):
    """A condition that does not compile."""


class InvalidSetting(DebuggerError):
    """An invalid breakpoint setting; ``field`` is one of ``BreakpointSettings`` or the place."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


class BreakpointFileNotFound(DebuggerError):
    """There is no such source."""

    def __init__(self, path: str) -> None:
        super().__init__(f"there is no file {path}")
        self.path = path


class LineCannotBreak(DebuggerError):
    """The program can't stop at that line.

    ``content`` is its text; ``suggested`` the nearest line that can break, with its text.
    """

    def __init__(
        self,
        path: str,
        line: int,
        reason: str,
        content: str,
        suggested: int | None,
        suggested_text: str,
    ) -> None:
        super().__init__(reason)
        self.path, self.line, self.content = path, line, content
        self.suggested, self.suggested_text = suggested, suggested_text


class BreakpointNotFound(DebuggerError):
    """No breakpoint has this number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no breakpoint {number}")


class EvaluationFailed(DebuggerError):
    """The expression raised or does not parse; ``str()`` is Python's message in the program."""


class DoesNotParse(EvaluationFailed):
    """The expression is no Python."""


class EvaluationCancelled(DebuggerError):
    """The evaluation was interrupted as requested; the program is at the same place."""

    def __init__(self) -> None:
        super().__init__("interrupted")


class EvaluationAbandoned(DebuggerError):
    """The evaluation continues in the program but is not awaited any more; ``str()``: why."""


class StaleReply(DebuggerError):
    """The reply belongs to an earlier stop; it is of no use to the caller."""


class InvalidCursor(DebuggerError):
    """An invalid position in the output or the events, or one of another session."""


class AdapterTimedOut(AdapterFailed):
    """The adapter did not answer in time, or the program did not stop in time."""


class SessionNotFound(DebuggerError):
    """No session has this id."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"there is no session {session_id!r}, or it has expired")
        self.session_id = session_id


class SessionExpired(DebuggerError):
    """The session was ended because it was unused."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"session {session_id!r} has expired: it was unused")
        self.session_id = session_id


class SessionLimitReached(DebuggerError):
    """The maximum number of sessions is reached."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"there are {limit} sessions already; delete one first")
        self.limit = limit


class AgentsPaused(DebuggerError):
    """The user has paused agents; API clients are read-only."""

    def __init__(self, operation: str, reason: str = "") -> None:
        why = f": {reason}" if reason else ""
        super().__init__(f"can't {operation}: a person has paused the agents{why}")
        self.operation = operation


class ThreadNotFound(DebuggerError):
    """No thread of the program has this id."""

    def __init__(self, thread_id: int) -> None:
        super().__init__(f"there is no thread {thread_id}")
        self.thread_id = thread_id


class FrameNotFound(DebuggerError):
    """The stack is not that deep."""

    def __init__(self, index: int, total: int) -> None:
        super().__init__(f"there is no frame {index}: the stack has {total}")
        self.index, self.total = index, total


class NoAddress(DebuggerError):
    """The named object has no address in the program's memory."""


class MemoryNotWritable(DebuggerError):
    """The bytes at ``address`` can't be written; nothing from there on was changed."""

    def __init__(self, address: int, reason: str) -> None:
        super().__init__(f"can't write to memory at {address:#x}: {reason}")
        self.address, self.reason = address, reason


class NoInstructions(DebuggerError):
    """An address without code to disassemble."""

    def __init__(self, address: int, reason: str = "") -> None:
        why = f": {reason}" if reason else ""
        super().__init__(f"there is no code to show at {address:#x}{why}")
        self.address = address


class RegisterNotFound(DebuggerError):
    """The frame has no register of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no register {name}")
        self.name = name


class VariableNotFound(AdapterFailed):
    """The reference was never issued, or the program has run since then."""

    def __init__(self, reference: int) -> None:
        super().__init__(f"variable {reference} belongs to an earlier stop, or was never there")
        self.reference = reference


class ScriptNotFound(LaunchFailed):
    """There is no such script."""

    def __init__(self, path: str) -> None:
        super().__init__(f"there is no file {path}")
        self.path = path


class ScriptDoesNotCompile(LaunchFailed):
    """The program's interpreter refuses its source. ``text`` is the line."""

    def __init__(self, message: str, path: str, line: int, column: int, text: str) -> None:
        super().__init__(f"{message} ({path}, line {line})" if line else message)
        self.message, self.path = message, path
        self.line, self.column, self.text = line, column, text


def failure(profile: AdapterProfile, error: AdapterError, operation: str = "") -> AdapterFailed:
    """Return the error to raise for an adapter's error: ProgramEnded, if that is the cause.

    ``operation`` is the failed operation.
    """
    if has_ended(profile, error):
        return ProgramEnded(operation)
    return AdapterFailed(f"can't {operation}: {error}" if operation else str(error))


def has_ended(profile: AdapterProfile, error: AdapterError) -> bool:
    """True if a request came too late: its program had just ended."""
    if isinstance(error, AdapterLetGo | ServerGone):
        return True
    is_answer = isinstance(error, RequestFailed)
    return is_answer and any(said in str(error) for said in profile.ending.lost_program)
