"""Brings processes of a job to one line: each goes on until it is there, and waits for the others.

Who stands at the line already waits there; where all do, all go on to the next time. A process that
something else stops on its way stays where it is, and is told. Nothing stays behind in any of them:
it is the breakpoint of a run to a line, in each.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath

from tuidbg.session.errors import DebuggerError
from tuidbg.session.family.family import Relative
from tuidbg.session.job.job import describe_absence, describe_standing, standing_of_stop
from tuidbg.session.session import Session
from tuidbg.session.sources.passed import why_passed
from tuidbg.session.state import Status

_LIVING = (Status.RUNNING, Status.PAUSED)


class Barrier:
    """Processes that are brought to a line. ``told`` is called with how far that is."""

    def __init__(
        self,
        relatives: Iterable[Relative[Session]],
        path: str,
        line: int,
        told: Callable[[str], None] = lambda words: None,
    ) -> None:
        self._meant = list(relatives)
        self._path, self._line, self._told = path, line, told
        self._refused: dict[int, str] = {}

    @property
    def place(self) -> str:
        """Returns the file's name and the line."""
        return f"{PurePath(self._path).name}:{self._line}"

    async def gather(self, *, origin: str) -> str:
        """Let them go there; returns what came of it when none is on its way any more.

        One that hangs keeps this waiting, and no other process from its way. Raises DebuggerError
        where none can stop there.
        """
        living = [each for each in self._meant if each.session.status in _LIVING]
        if not living:
            raise DebuggerError("none of them runs or stands")
        due = [each for each in living if not self._is_here(each.session)] or living
        with _gathering(living[0].session):
            await asyncio.gather(*(self._bring(each, origin) for each in due))
        if len(self._refused) == len(due):
            raise DebuggerError(next(iter(self._refused.values())))
        return self._describe()

    async def _bring(self, relative: Relative[Session], origin: str) -> None:
        session, before = relative.session, relative.session.stop_id
        try:
            await self._send(session, origin)
        except DebuggerError as error:
            self._refused[relative.number] = str(error)
            return
        self._told(f"{self._count()} of {len(self._meant)} are at {self.place}")
        await session.events.wait_for(lambda: _has_come(session, before))
        self._told(f"{self._count()} of {len(self._meant)} are at {self.place}")

    async def _send(self, session: Session, origin: str) -> None:
        if session.status is Status.PAUSED:
            await session.execution.run_to(self._path, self._line, origin=origin)
            return
        problem = await why_passed(session, self._path, self._line)
        problem = problem or await session.breakpoints.set_temporary(self._path, self._line)
        if problem:
            raise DebuggerError(f"can't run to line {self._line}: {problem}")

    def _is_here(self, session: Session) -> bool:
        if session.status is not Status.PAUSED or session.stack_of != session.stop_id:
            return False
        place = session.frames[0].place if session.frames else None
        return place is not None and (place.path, place.line) == (self._path, self._line)

    def _count(self) -> int:
        return sum(self._is_here(each.session) for each in self._meant)

    def _describe(self) -> str:
        elsewhere = [each for each in self._meant if not self._is_here(each.session)]
        there = self._count()
        told = [f"{'one is' if there == 1 else f'{there} are'} at {self.place}"]
        return "; ".join([*told, *_name(elsewhere, self._refused)])


@contextlib.contextmanager
def _gathering(session: Session) -> Iterator[None]:
    """Who arrives does not stop the others, though one that stops may do so else."""
    family = session.family
    if family is None:
        yield
        return
    family.gathering += 1
    try:
        yield
    finally:
        family.gathering -= 1


def _has_come(session: Session, before: int) -> bool:
    """Tells whether it stands at a later stop, with its stack, or has ended."""
    if session.status not in _LIVING:
        return True
    is_new = session.status is Status.PAUSED and session.stop_id > before
    return is_new and session.stack_of == session.stop_id


def _name(relatives: Sequence[Relative[Session]], refused: dict[int, str]) -> Iterable[str]:
    """Where the others are, or why."""
    for each in relatives:
        session = each.session
        if session.status is Status.PAUSED:
            where = describe_standing(standing_of_stop(session))
        else:
            where = describe_absence(session)
        yield f"{each.name}: {refused.get(each.number, where)}"
