"""Tells how a program has ended, of the exit code that its adapter tells.

A death by a signal is minus its number everywhere, as in Python's own ``subprocess``; adapters tell
it so, or as the number itself.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Protocol

from tuidbg.adapters.program.exit_status import signal_name
from tuidbg.session.core import HasProfile, Program
from tuidbg.session.state import ExitState

if TYPE_CHECKING:
    from tuidbg.session.run.processes import Processes


class Ends(HasProfile, Program, Protocol):
    """A session, as far as the end of its program goes."""

    @property
    def processes(self) -> Processes:
        """Follows how the program ends, where its adapter does not tell."""


def read_exit(session: Ends, code: int) -> ExitState:
    """Returns how the program ended, of the exit code that its adapter tells.

    The same code may stand for a signal and for a number that the program gave itself: where the
    system knows which, it is asked; else the stop before it and the adapter's habits tell.
    """
    followed = session.processes.exit_status
    status = followed.take() if followed is not None else None
    if status is not None:
        return ExitState(code=status, signal=signal_name(-status) if status < 0 else "")
    if name := session.profile.ending.exit_signal(code):
        return ExitState(code=-signal.Signals[name], signal=name)
    last = session.stop.signal if session.stop is not None else ""
    if session.profile.ending.tells_signals_as_codes and last and last == signal_name(code):
        return ExitState(code=-code, signal=last)
    return ExitState(code=code)


def describe_exit(exit_state: ExitState, what: str = "The program") -> str:
    """Say how the program, or ``what`` of it, ended, in words."""
    if exit_state.signal:
        return f"{what} was ended by {exit_state.signal}."
    if exit_state.code is None:
        return f"{what} has ended."
    return f"{what} has ended with exit code {exit_state.code}."
