"""Tells why the adapter has not done what it was asked for, in the core's own errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError, AdapterLetGo, RequestFailed
from tuidbg.session.errors import AdapterFailed, ProgramEnded

if TYPE_CHECKING:
    from tuidbg.session.core import Asks


def failure(session: Asks, error: AdapterError, operation: str = "") -> AdapterFailed:
    """Returns what to raise from an adapter's error: that the program has ended, if that is why.

    ``operation`` is what could not be done.
    """
    if has_ended(session, error):
        return ProgramEnded(operation)
    return AdapterFailed(f"can't {operation}: {error}" if operation else str(error))


def has_ended(session: Asks, error: AdapterError) -> bool:
    """Returns whether a request came too late: its program had just ended."""
    if isinstance(error, AdapterLetGo):
        return True
    is_answer = isinstance(error, RequestFailed)
    return is_answer and any(said in str(error) for said in session.profile.ending.lost_program)
