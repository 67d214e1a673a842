"""Keeps what a person has set up for the next time: breakpoints and watches of a project."""

from __future__ import annotations

import os
from pathlib import Path

from tuidbg.config.launch import AttachPlan
from tuidbg.config.stores.breakpoint_store import ProjectStore
from tuidbg.config.stores.watch_store import WatchStore
from tuidbg.session.breakpoints.persistence import Persistence
from tuidbg.session.session import Session
from tuidbg.session.values.kept_watches import KeptWatches


class Keeping:
    """Keeps what belongs to a project, for one session."""

    def __init__(self, session: Session, project: Path) -> None:
        self._kept = (
            Persistence(session, ProjectStore(project)),
            KeptWatches(session, WatchStore(project, program_of(session, project))),
        )

    async def restore(self) -> None:
        """Put what was kept into the session, and keep its changes from now on."""
        for each in self._kept:
            await each.restore()

    async def close(self) -> list[str]:
        """Save what is not saved yet; a sentence for each that could not be."""
        return [problem for each in self._kept if (problem := await each.close())]


def program_of(session: Session, project: Path) -> str:
    """Tells how a session's program is called in its project, at each start and attach.

    That is a script's path in the project, a module, a binary; of what runs already its name.
    """
    plan = session.plan
    if isinstance(plan, AttachPlan):
        if plan.core or plan.pid is None:
            return plan.program or plan.title
        return session.profile.attach.program_of(plan.pid) or _binary_of(plan.pid)
    if not Path(plan.target).is_absolute() or plan.is_command:
        return plan.title
    path = os.path.relpath(plan.target, project)
    return plan.target if path.startswith(os.pardir) else path


def _binary_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return "a process"
