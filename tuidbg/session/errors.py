"""One error class per cause, raised by the session and rendered by each front end its own way.

``str()`` of each is a sentence for a person: what is wrong and, where there is one, the way out.
"""

from __future__ import annotations


class DebuggerError(Exception):
    """Base of all of them."""


class InvalidSessionState(DebuggerError):
    """The operation makes no sense now (R003-202)."""

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
    "failed": "can't {operation}: the debugger lost the program; restart it first",
}


class LaunchFailed(DebuggerError):
    """The program or its adapter could not be started (R003-211)."""


class AdapterFailed(DebuggerError):
    """The adapter said no, said nothing in time, or is gone (R003-217, R003-218)."""


class UnsupportedByAdapter(DebuggerError):
    """This adapter can't do that."""


class InvalidCondition(DebuggerError):
    """A condition that does not compile (R003-205)."""


class InvalidSetting(DebuggerError):
    """A breakpoint can't have this; ``field`` is one of ``BreakpointSettings`` or the place."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


class BreakpointNotFound(DebuggerError):
    """No breakpoint has this number (R003-203)."""

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no breakpoint {number}")


class EvaluationFailed(DebuggerError):
    """The expression raised or does not parse; ``str()`` is what the program's Python said."""


class EvaluationCancelled(DebuggerError):
    """The evaluation was interrupted, as asked; the program stands where it stood."""

    def __init__(self) -> None:
        super().__init__("interrupted")


class EvaluationAbandoned(DebuggerError):
    """The evaluation is not waited for any more, and goes on in the program; ``str()``: why."""


class StaleReply(DebuggerError):
    """The answer belongs to an earlier stop; whoever asked wants it no more."""
