"""Asks the program's interpreter about its sources: which lines there are, what is wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from tuidbg.adapters.languages import Language, language_of
from tuidbg.adapters.traits.sources import SourceFacts
from tuidbg.config.files import file_stamp
from tuidbg.session.errors import ProgramEnded

if TYPE_CHECKING:
    from tuidbg.adapters.profile import AdapterProfile
    from tuidbg.config.launch import Plan


class _Running(Protocol):
    def take(self, path: str) -> None:
        """Keep the text of a file as the program runs it."""

    def is_older(self, path: str) -> bool:
        """Tell whether the program runs another text than the file has now."""

    def facts(self, path: str) -> SourceFacts | None:
        """Tell what is known of the older text."""

    def take_facts(self, path: str, stamp: tuple[int, int], facts: SourceFacts) -> None:
        """Keep what is known of the text that had that stamp."""


class HasSources(Protocol):
    """A session whose program has sources."""

    @property
    def plan(self) -> Plan:
        """The plan by which the program is started."""

    @property
    def profile(self) -> AdapterProfile:
        """The adapter's peculiarities."""

    @property
    def running_sources(self) -> _Running:
        """The sources as the program runs them."""


class ProgramFacts:
    """Asks for facts of sources, and keeps them as long as the files stay as they are."""

    def __init__(self, session: HasSources) -> None:
        self._session = session
        self._target: asyncio.Task[SourceFacts] | None = None
        self._facts: dict[str, tuple[tuple[int, int], SourceFacts]] = {}
        self._stamps: dict[str, tuple[int, int]] = {}

    def forget(self) -> None:
        """Another adapter sees them with other eyes."""
        self._facts.clear()

    def forget_target(self) -> None:
        """Another program is meant from now on."""
        self._target = None

    def begin_run(self) -> None:
        """The program is started anew."""
        self._target = None
        self._stamps.clear()

    def share(self, other: ProgramFacts) -> None:
        """Know what the other knows, and let it know what is learnt here."""
        self._facts = other._facts

    @property
    def tasks(self) -> list[asyncio.Task[SourceFacts]]:
        """The question that may be under way."""
        return [self._target] if self._target is not None else []

    async def of_target(self) -> SourceFacts:
        """Tell what its interpreter says of the program; asked once for each launch.

        Raises ProgramEnded where the session ends meanwhile.
        """
        session = self._session
        if not session.plan.target:
            return SourceFacts()
        if self._target is None:
            self._target = asyncio.create_task(session.profile.sources.examine_target(session.plan))
        target = self._target
        try:
            return await asyncio.shield(target)
        except asyncio.CancelledError:
            if target.cancelled():  # who asks is not called off by that
                raise ProgramEnded from None
            raise

    @property
    def target_path(self) -> str:
        """The file of the program itself, once it is known."""
        target = self._target
        if target is None or not target.done() or target.cancelled() or target.exception():
            return ""
        return target.result().path

    def language_of(self, path: str) -> Language:
        """Tell in what language the expressions of a breakpoint in that source are written."""
        return language_of(path, self._session.profile.language)

    def has_changed(self, path: str) -> bool:
        """Tell whether a file was edited since this was first asked of it in this run."""
        stamp = file_stamp(path)
        return stamp is not None and self._stamps.setdefault(path, stamp) != stamp

    async def of(self, path: str) -> SourceFacts:
        """Tell what its interpreter says of a source; nothing where there is no such file."""
        await self.learn([path])
        if (older := self._session.running_sources.facts(path)) is not None:
            return older
        known = self._facts.get(path)
        return known[1] if known is not None else SourceFacts(path)

    async def learn(self, paths: Iterable[str]) -> None:
        """Ask for the facts of many sources at once: one process instead of one a file."""
        session, running = self._session, self._session.running_sources
        paths = list(paths)
        for path in paths:
            running.take(path)
        paths = [path for path in paths if not running.is_older(path)]
        asked = {path: stamp for path in paths if (stamp := file_stamp(path)) is not None}
        new = [path for path, stamp in asked.items() if self._facts.get(path, (0, 0))[0] != stamp]
        target = await self.of_target() if new else SourceFacts()
        if target.path in new and target.path not in self._facts:
            self._facts[target.path] = (asked[target.path], target)
            new.remove(target.path)
        if new:
            found = await session.profile.sources.examine(session.plan, new)
            for path, facts in zip(new, found, strict=True):
                self._facts[path] = (asked[path], facts)
        for path, stamp in asked.items():
            if (known := self._facts.get(path)) is not None:
                running.take_facts(path, stamp, known[1])
