"""Core files of the stopped program, to be opened later by ``tuidbg --core``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError
from tuidbg.session.model.errors import (
    AdapterFailed,
    DebuggerError,
    InvalidSessionState,
    UnsupportedByAdapter,
)
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


def core_obstacle(session: Session) -> str:
    """Return why there can be no core file of the program now; empty if there can."""
    if session.profile.native is None or session.is_post_mortem:
        return "there is no living native program to write a core file of"
    if session.status is not Status.PAUSED:
        return str(InvalidSessionState("write a core file", session.status))
    return ""


def core_path_problem(path: Path) -> str:
    """Return why no core file can be written there; empty if no obstacle is known."""
    if path.is_dir():
        return f"{path} is a folder"
    return "" if path.parent.is_dir() else f"there is no folder {path.parent}"


async def save_core(session: Session, path: Path) -> None:
    """Write a core file of the stopped program; its state does not change.

    Raises InvalidSessionState, UnsupportedByAdapter, AdapterFailed, and DebuggerError where the
    file can't be there.
    """
    native = session.profile.native
    if session.status is not Status.PAUSED:
        raise InvalidSessionState("write a core file", session.status)
    if native is None or session.is_post_mortem:
        raise UnsupportedByAdapter(core_obstacle(session))
    if problem := core_path_problem(path):
        raise DebuggerError(problem)
    try:
        await native.save_core(session.adapter.request, path)
    except AdapterError as error:
        raise AdapterFailed(f"can't write a core file: {error}") from error
    if not path.is_file():
        raise AdapterFailed(f"the debug adapter has written no file {path}")
