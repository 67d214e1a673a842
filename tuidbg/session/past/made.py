"""The recording of a session, for those who ask of every session whether it has one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tuidbg.session.past.past import Past


def past_of(session: object) -> Past | None:
    """The session's ``past``; None where nobody has wanted one, and nothing is imported then."""
    past: Past | None = vars(session).get("past")
    return past


def has_past(session: object) -> bool:
    """True if a run is recorded just now, or was: there is something to go back to."""
    past = past_of(session)
    return past is not None and (past.is_on or not past.is_empty)
