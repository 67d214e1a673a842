"""The processes of a job, as whoever looks at all of them addresses them: by their numbers."""

from __future__ import annotations

from collections.abc import Collection

from tuidbg.session.errors import EvaluationFailed
from tuidbg.session.execution import Resume
from tuidbg.session.family.family import Relative
from tuidbg.session.job.asking import Across
from tuidbg.session.job.commanding import Obeyed, command_all
from tuidbg.session.job.job import Job, look_at_job
from tuidbg.session.session import Session


class Crew:
    """All processes that belong together with one; ``origin`` is who commands them."""

    def __init__(self, session: Session, *, origin: str) -> None:
        self._session, self._origin = session, origin

    def find(self, numbers: Collection[int]) -> list[Relative[Session]]:
        """Those of these numbers that are still there."""
        family = self._session.family
        if family is None:
            return [Relative(self._session, None, "", 0)] if 0 in numbers else []
        return [each for number in numbers if (each := family.get(number)) is not None]

    async def look(self) -> Job:
        """Ask all of them where they are."""
        return await look_at_job(self._session)

    async def command(self, numbers: Collection[int], how: Resume | None) -> Obeyed:
        """Give some of them a command; None is to pause."""
        return await command_all(self.find(numbers), how, origin=self._origin)

    def why_not(self, text: str) -> str:
        """Why a text is no expression; empty where it is one."""
        try:
            Across(text).check(self._session)
        except EvaluationFailed as error:
            return str(error)
        return ""

    async def ask(self, across: Across, numbers: Collection[int]) -> None:
        """Ask an expression in some of them, where they have not been asked yet."""
        await across.ask(self.find(numbers), origin=self._origin)
