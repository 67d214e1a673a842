"""Keeps what a person has set up for the next time: breakpoints and watches of a project."""

from __future__ import annotations

from pathlib import Path

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
            KeptWatches(session, WatchStore(project)),
        )

    async def restore(self) -> None:
        """Put what was kept into the session, and keep its changes from now on."""
        for each in self._kept:
            await each.restore()

    async def close(self) -> list[str]:
        """Save what is not saved yet; a sentence for each that could not be."""
        return [problem for each in self._kept if (problem := await each.close())]
