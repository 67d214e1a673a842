"""The processes of a job, as whoever looks at all of them addresses them: by their numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import PurePath

from tuidbg.session.breakpoints.options import BreakpointSettings
from tuidbg.session.errors import DoesNotParse, EvaluationFailed
from tuidbg.session.execution import Resume
from tuidbg.session.family.family import Relative
from tuidbg.session.job.asking import LIMIT, Across, Answer, fold_answers
from tuidbg.session.job.barrier import Barrier
from tuidbg.session.job.commanding import Obeyed, command_all
from tuidbg.session.job.folding import Fold
from tuidbg.session.job.job import Job, Member, look_at_job
from tuidbg.session.job.orders import HOW, NoOrder, Order, Verb
from tuidbg.session.job.stacks import name_ranks
from tuidbg.session.session import Session
from tuidbg.session.sources.file_names import find_file
from tuidbg.session.state import BreakpointStatus

TOGETHER = "where one stops, at a breakpoint or an exception, all pause"
GONE = Answer(instead="has ended meanwhile")
Folds = tuple[Fold[Member, Answer], ...]

ALONE = "each stops by itself; the others run on"


class Crew:
    """All processes that belong together with one; ``origin`` is who commands them."""

    def __init__(self, session: Session, *, origin: str) -> None:
        self._session, self._origin = session, origin

    def find_all(self) -> list[Relative[Session]]:
        """All of them that are programs."""
        family = self._session.family
        everybody = list(family) if family is not None else self.find((0,))
        return [each for each in everybody if each.is_program]

    def find(self, numbers: Collection[int]) -> list[Relative[Session]]:
        """Those of these numbers that are still there."""
        family = self._session.family
        if family is None:
            return [Relative(self._session, None, "", 0)] if 0 in numbers else []
        return [each for number in numbers if (each := family.get(number)) is not None]

    @property
    def stops_together(self) -> bool:
        """True while all stop where one stops, at a breakpoint or an exception."""
        family = self._session.family
        return family is not None and family.stops_together

    def stop_together(self, wanted: bool) -> None:
        """Have all pause where one stops, or no more; a program alone has nobody to stop."""
        if self._session.family is not None:
            self._session.family.stops_together = wanted

    def clear_ended(self) -> str:
        """Take the ended processes out of the job; what became of it in words."""
        family = self._session.family
        cleared = family.drop_ended(keep=0) if family is not None else 0
        left = sum(each.is_over for each in self.find_all())
        words = f"{cleared} ended cleared" if cleared else "no ended process to clear"
        return f"{words}; the one on the screen stays" if left else words

    async def look(self) -> Job:
        """Ask all of them where they are."""
        return await look_at_job(self._session)

    async def command(self, numbers: Collection[int], how: Resume | None) -> Obeyed:
        """Give some of them a command; None is to pause."""
        return await command_all(self.find(numbers), how, origin=self._origin)

    async def obey(self, order: Order, told: Callable[[str], None] = lambda words: None) -> str:
        """Carry out a command that makes them run, stand or break; what became of it in words.

        ``told`` hears how far they are that are to come to a line. Raises DebuggerError.
        """
        if order.verb in HOW:
            return (await self.command(order.numbers, HOW[order.verb])).words
        path = await find_file(self._session, order.file)
        if order.verb is Verb.UNTIL:
            barrier = Barrier(self.find(order.numbers), path, order.line, told)
            return await barrier.gather(origin=self._origin)
        return await self._break(order, path)

    async def _break(self, order: Order, path: str) -> str:
        """Set a breakpoint for the ranks that are meant; those that come later have it, too."""
        nameless = [each.label for each in order.members if each.identity.rank is None]
        if nameless and not order.is_to_all:
            raise NoOrder(f"breakpoints go by ranks, and {nameless[0]} has none; set it for all")
        ranks = tuple(each.identity.rank or 0 for each in order.members)
        living = [each.session for each in self.find(order.numbers) if not each.is_over]
        if not living:
            raise NoOrder("they have all ended")
        breakpoints = living[0].breakpoints
        is_new = breakpoints.registry.find_line(path, order.line) is None
        settings = BreakpointSettings(ranks=() if order.is_to_all else ranks)
        if order.condition:
            settings["condition"] = order.condition
        made = await breakpoints.set(path, order.line, origin=self._origin, **settings)
        if made.status is BreakpointStatus.REFUSED:
            if is_new:
                await breakpoints.remove(made.number, origin=self._origin, undo=False)
            raise NoOrder(f"no breakpoint at {order.file}:{order.line}: {made.message}")
        whom = name_ranks(made.ranks) if made.ranks else "all"
        under = f" if {made.condition}" if made.condition else ""
        return f"breakpoint {made.number} at {PurePath(path).name}:{order.line} for {whom}{under}"

    def why_not(self, text: str) -> str:
        """Why a text is no expression; empty where it is one."""
        try:
            Across(text).check(self._session)
        except EvaluationFailed as error:
            return str(error)
        return ""

    async def evaluate(self, order: Order, limit: float = LIMIT) -> Folds:
        """Ask an expression once: equal answers together, the odd ones first.

        It may take ``limit`` seconds in each process. Raises DoesNotParse.
        """
        if why := self.why_not(order.about):
            raise DoesNotParse(why)
        across = Across(order.about, numbers=order.numbers, limit=limit)
        await self.ask(across, order.numbers)
        answers = across.answers
        return fold_answers((each, answers.get(each.number, GONE)) for each in order.members)

    async def ask(self, across: Across, numbers: Collection[int]) -> bool:
        """Ask an expression in some of them, where they have not been asked yet."""
        return await across.ask(self.find(numbers), origin=self._origin)
