"""Tells why the adapter has not done what it was asked for, in the core's own errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError, AdapterLetGo, RequestFailed, ServerGone
from tuidbg.session.errors import AdapterFailed, ProgramEnded

if TYPE_CHECKING:
    from tuidbg.adapters.profile import AdapterProfile


def failure(profile: AdapterProfile, error: AdapterError, operation: str = "") -> AdapterFailed:
    """Return what to raise from an adapter's error: ProgramEnded, where that is why.

    ``operation`` is what could not be done.
    """
    if has_ended(profile, error):
        return ProgramEnded(operation)
    return AdapterFailed(f"can't {operation}: {error}" if operation else str(error))


def has_ended(profile: AdapterProfile, error: AdapterError) -> bool:
    """Tell whether a request came too late: its program had just ended."""
    if isinstance(error, AdapterLetGo | ServerGone):
        return True
    is_answer = isinstance(error, RequestFailed)
    return is_answer and any(said in str(error) for said in profile.ending.lost_program)
