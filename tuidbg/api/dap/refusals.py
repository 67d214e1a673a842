"""Tells clients why a request is refused: a number for each cause, and a sentence."""

from __future__ import annotations

from tuidbg.adapters.errors import AdapterError
from tuidbg.api.dap.references import UnknownReference
from tuidbg.api.gate.caller import ScopeMissing
from tuidbg.api.operations.operation import words_for
from tuidbg.api.operations.views import view_failure
from tuidbg.session import errors


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
