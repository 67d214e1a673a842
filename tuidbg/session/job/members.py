"""One expression in many processes: what it gives in each, and whose value is out of the common.

Each process is asked in its top frame, so many at a time and each for so long: one that hangs is
interrupted, or left alone where that does not help, and delays no other. What is asked is what a
person, or a program, has typed: nothing else is evaluated.
"""

from __future__ import annotations

import asyncio
import math
import re
import statistics
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import PurePath
from typing import TypeVar

import msgspec

from tuidbg.session.breakpoints.store import BreakpointSettings
from tuidbg.session.control import Control
from tuidbg.session.errors import (
    DebuggerError,
    DoesNotParse,
    EvaluationAbandoned,
    EvaluationCancelled,
    EvaluationFailed,
    StaleReply,
)
from tuidbg.session.evaluation.prompt import Context, check_text
from tuidbg.session.events import ValuesChanged
from tuidbg.session.execution import Resume
from tuidbg.session.job.commands import HOW, Barrier, NoOrder, Obeyed, Order, Verb, command_all
from tuidbg.session.job.identity import PATIENCE
from tuidbg.session.job.job import NO_ANSWER, Job, Member, describe_absence, look_at_job
from tuidbg.session.job.stacks import Fold, fold_equal, name_ranks
from tuidbg.session.process_tree.family import Relative
from tuidbg.session.session import Session
from tuidbg.session.sources.files import find_file
from tuidbg.session.stack.tasks import WaitingThread, find_waits
from tuidbg.session.state import BreakpointStatus, Status, Value

LIMIT = 5.0
"""Seconds that it may take in one process; then it is interrupted."""

AT_ONCE = 64
"""Processes that are asked at the same time."""

_FEWEST, _FAR = 4, 3.5
"""From so many numbers on one is an outlier that is so far from the median, in units of the
median deviation (Iglewicz and Hoaglin's modified score)."""

_SCORE = 0.6745

_GONE_ON = "has gone on"

_SCALAR = re.compile(
    r"(?:np|numpy|jnp)\.\w+\((?P<numpy>[^(),]+)\)"
    r"|(?:tensor|[Aa]rray|Parameter containing:\s*tensor)\((?P<tensor>[^(),\[\]]+)(?:,.*)?\)",
    re.DOTALL,
)
"""One number of numpy, torch or JAX: ``np.float64(0.5)``, ``tensor(0.5, grad_fn=<Mean>)``."""

T = TypeVar("T")


class Answer(Value, frozen=True):
    """What an expression gave in one process.

    ``problem`` came in the place of a value; ``instead`` says why it could not be asked at all.
    """

    value: str = ""
    type: str = ""
    problem: str = ""
    instead: str = ""

    @property
    def words(self) -> str:
        """Returns what there is to be read of it."""
        return self.instead or self.problem or self.value

    @property
    def number(self) -> float | None:
        """Returns its value, where that is a number."""
        if self.problem or self.instead:
            return None
        scalar = _SCALAR.fullmatch(self.value.strip())
        text = (scalar["numpy"] or scalar["tensor"]) if scalar is not None else self.value
        try:
            return float(text)
        except ValueError:
            return None


class Across:
    """An expression that is asked in many processes as a watch is: anew where one stops anew."""

    def __init__(
        self, text: str, *, numbers: Collection[int] | None = None, limit: float = LIMIT
    ) -> None:
        """``numbers`` are those of the processes that are asked at all; None: each is."""
        self.text = text.strip()
        self.numbers = None if numbers is None else frozenset(numbers)
        self._limit = limit
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._asked_at: dict[int, tuple[Status, int]] = {}
        self._answers: dict[int, Answer] = {}

    @property
    def answers(self) -> Mapping[int, Answer]:
        """Returns what was answered so far, by the family's numbers."""
        return self._answers

    def check(self, session: Session) -> None:
        """Raises DoesNotParse for what is no expression."""
        check_text(self.text, Context.WATCH, session.profile.language)

    async def ask(self, relatives: Iterable[Relative[Session]], *, origin: str) -> bool:
        """Ask those that have not been asked where they stand; False where there are none.

        Returns when all have answered. Whoever does not wait for that leaves none of them hanging:
        each is asked on its own session's account, and interrupted when its time is over.
        """
        due: list[asyncio.Task[None]] = []
        for each in relatives:
            if self.numbers is not None and each.number not in self.numbers:
                continue
            at = (each.session.status, each.session.stop_id)
            if self._asked_at.get(each.number) != at:
                self._asked_at[each.number] = at
                self._answers.pop(each.number, None)
                due.append(each.session.spawn(self._ask(each, at, origin)))
        if due:
            await asyncio.wait(due)
        return bool(due)

    async def _ask(self, relative: Relative[Session], at: object, origin: str) -> None:
        session = relative.session
        if session.status is Status.PAUSED:
            async with self._turns:
                answer = await self._evaluate(session, origin)
        else:
            answer = Answer(instead=describe_absence(session))
        if self._asked_at.get(relative.number) == at:
            self._answers[relative.number] = answer

    async def _evaluate(self, session: Session, origin: str) -> Answer:
        try:
            self.check(session)
            outcome = await Control(session).where()
            if outcome.frame is None:
                has_gone_on = session.status is not Status.PAUSED
                return Answer(instead=_GONE_ON if has_gone_on else NO_ANSWER)
            found = await session.evaluation.evaluate(
                self.text, outcome.frame.id, timeout=self._limit
            )
        except EvaluationFailed as error:
            return Answer(problem=str(error))
        except EvaluationCancelled:
            return Answer(problem=f"interrupted: it took more than {self._limit:g} s")
        except EvaluationAbandoned as error:
            return Answer(problem=f"no answer in {self._limit:g} s: {error}")
        except StaleReply:
            return Answer(instead=_GONE_ON)
        except DebuggerError as error:
            return Answer(instead=str(error))
        session.publish(ValuesChanged(), origin)
        nothing = session.profile.language.nothing
        return Answer(value=found.text or nothing[0], type=found.type or nothing[1])


def fold_answers(answers: Iterable[tuple[T, Answer]]) -> tuple[Fold[T, Answer], ...]:
    """Put equal ones together, the odd ones first, then the fewest.

    Odd is what most others are not, or a number far from the others; nobody is odd for not having
    been asked.
    """
    found = list(answers)
    asked = [(member, answer) for member, answer in found if not answer.instead]
    others = [(member, answer) for member, answer in found if answer.instead]
    is_far = find_far(answer.number for _, answer in asked)
    folds = [
        msgspec.structs.replace(each, is_odd=each.is_odd or is_far(each.common.number))
        for each in fold_equal(asked, lambda each: each)
    ]
    folds.sort(key=lambda each: not each.is_odd)
    return (*folds, *fold_equal(others, lambda each: each))


def describe_values(folds: Iterable[Fold[T, Answer]]) -> str:
    """How many different ones there are, in words."""
    different = sum(not each.common.instead for each in folds)
    return {0: "nobody stands", 1: "one value"}.get(different, f"{different} values")


def find_far(numbers: Iterable[float | None]) -> Callable[[float | None], bool]:
    """Tell of each number whether it is far from what the others are, one that is none included."""
    known = [each for each in numbers if each is not None]
    finite = [each for each in known if math.isfinite(each)]
    if len(known) < _FEWEST or 2 * len(finite) <= len(known):
        return lambda number: False
    median = statistics.median(finite)
    deviation = statistics.median(abs(each - median) for each in finite)

    def is_far(number: float | None) -> bool:
        if number is None:
            return False
        if not math.isfinite(number):
            return True
        return deviation > 0 and _SCORE * abs(number - median) / deviation > _FAR

    return is_far


_MAIN = "MainThread"


async def find_job_waits(relatives: Iterable[Relative[Session]]) -> dict[int, str]:
    """What they wait for, in words, by their numbers; of one that can't tell there is nothing.

    One that stands waits for nothing but its debugger. A process that hangs is not waited for
    longer than a look at the job waits for it.
    """
    turns = asyncio.Semaphore(AT_ONCE)
    asked = [each for each in relatives if each.session.status is Status.RUNNING]
    found = await asyncio.gather(*(_find(each.session, turns) for each in asked))
    return {each.number: words for each, words in zip(asked, found, strict=True) if words}


async def _find(session: Session, turns: asyncio.Semaphore) -> str:
    async with turns:
        try:
            async with asyncio.timeout(PATIENCE):
                found = await find_waits(session)
        except (DebuggerError, TimeoutError):
            return ""
    main = next((each for each in found.threads if each.name == _MAIN), None)
    return _describe(main or next(iter(found.threads), None))


def _describe(thread: WaitingThread | None) -> str:
    if thread is None or not thread.held_by:
        return thread.waits_for if thread is not None else ""
    return f"{thread.waits_for}, held by {thread.held_by}"


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
