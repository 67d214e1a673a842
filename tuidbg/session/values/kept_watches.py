"""Watches outlive the session: those of a project are there again the next time."""

from __future__ import annotations

import asyncio
from typing import Protocol

from tuidbg.config.stores.shared_file import StoreError
from tuidbg.config.stores.watch_store import SavedWatch, WatchStore
from tuidbg.session.core import Tells
from tuidbg.session.events import Entry, EventLog, EventsLost, WatchesChanged
from tuidbg.session.values.watches import Watches


class Watched(Tells, Protocol):
    """The session whose watches are kept."""

    @property
    def events(self) -> EventLog:
        """They tell when the watches change."""

    @property
    def watches(self) -> Watches:
        """Its watches."""


class KeptWatches:
    """Keeps the watches of a session in the store of its project."""

    def __init__(self, session: Watched, store: WatchStore) -> None:
        self._session = session
        self._store = store
        self._problem = ""
        self._seen = 0
        self._saving: asyncio.Task[None] | None = None
        self._follower: asyncio.Task[None] | None = None

    async def restore(self) -> None:
        """Put the saved ones into the session, and save its changes from now on."""
        self._seen = self._session.events.last_seq
        found, problem = await asyncio.to_thread(self._store.load)
        if problem:
            self._session.notify(problem, "warning")
        if found:
            self._session.watches.adopt((watch.expression, watch.pinned) for watch in found)
        self._follower = asyncio.create_task(self._follow())

    async def close(self) -> str:
        """Save what is not saved yet, and no more after that; a sentence where that failed."""
        if self._follower is None:
            return ""
        self._follower.cancel()
        await asyncio.wait({self._follower, *({self._saving} if self._saving else ())})
        self._follower = None
        if self._problem or any(map(_tells, self._session.events.since(self._seen))):
            await self._save(is_last=True)
        return self._problem

    async def _follow(self) -> None:
        async for entry in self._session.events.follow(self._seen):
            if _tells(entry):
                self._saving = asyncio.create_task(self._save())
                await asyncio.shield(self._saving)
            self._seen = entry.seq

    async def _save(self, *, is_last: bool = False) -> None:
        saved = [SavedWatch(w.expression, w.pinned) for w in self._session.watches]
        try:
            problem = await asyncio.to_thread(self._store.save, saved)
        except StoreError as error:
            problem = str(error)
        if problem and problem != self._problem and not is_last:
            self._session.notify(problem, "warning")
        self._problem = problem


def _tells(entry: Entry) -> bool:
    """True if the watches may be others."""
    return isinstance(entry.event, WatchesChanged | EventsLost)
