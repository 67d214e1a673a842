"""One expression in many processes: its value in each, and the outliers.

Each process evaluates it in its top frame, a limited number at a time, each with a time limit: one
that hangs is interrupted, or abandoned if that does not help, and delays no other. Only expressions
entered by the user, or a client, are evaluated.
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

from tuidbg.session.core.breakpoints.store import BreakpointSettings
from tuidbg.session.core.control import Control
from tuidbg.session.core.evaluation.prompt import EvaluationContext, check_text
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.process_tree.family import ProcessInfo
from tuidbg.session.core.process_tree.identity import PATIENCE, name_ranks
from tuidbg.session.core.session import Session
from tuidbg.session.core.sources.files import find_file
from tuidbg.session.core.stack.tasks import WaitingThread, find_waits
from tuidbg.session.features.job.commands import (
    HOW,
    Barrier,
    JobCommand,
    NoOrder,
    OrderResult,
    Verb,
    command_all,
)
from tuidbg.session.features.job.job import (
    NO_ANSWER,
    JobMember,
    JobResults,
    describe_absence,
    look_at_job,
)
from tuidbg.session.features.job.stacks import Fold, fold_equal
from tuidbg.session.model.errors import (
    DebuggerError,
    DoesNotParse,
    EvaluationAbandoned,
    EvaluationCancelled,
    EvaluationFailed,
    StaleReply,
)
from tuidbg.session.model.events import ValuesChanged
from tuidbg.session.model.state import BreakpointStatus, StateValue, Status

LIMIT = 5.0
"""Seconds per process; then it is interrupted."""

AT_ONCE = 64
"""Processes queried at the same time."""

_FEWEST, _FAR = 4, 3.5
"""The fewest numbers to search for outliers, and their distance from the median, in units of
the median deviation (Iglewicz and Hoaglin's modified score)."""

_SCORE = 0.6745

_GONE_ON = "has gone on"

_SCALAR = re.compile(
    r"(?:np|numpy|jnp)\.\w+\((?P<numpy>[^(),]+)\)"
    r"|(?:tensor|[Aa]rray|Parameter containing:\s*tensor)\((?P<tensor>[^(),\[\]]+)(?:,.*)?\)",
    re.DOTALL,
)
"""One number of numpy, torch or JAX: ``np.float64(0.5)``, ``tensor(0.5, grad_fn=<Mean>)``."""

T = TypeVar("T")


class MemberResult(StateValue, frozen=True):
    """The result of an expression in one process.

    ``problem`` is an error instead of a value; ``instead`` is the reason it could not be evaluated
    at all.
    """

    value: str = ""
    type: str = ""
    problem: str = ""
    instead: str = ""

    @property
    def words(self) -> str:
        """Return the text to display."""
        return self.instead or self.problem or self.value

    @property
    def number(self) -> float | None:
        """Return its value, if that is a number."""
        if self.problem or self.instead:
            return None
        scalar = _SCALAR.fullmatch(self.value.strip())
        text = (scalar["numpy"] or scalar["tensor"]) if scalar is not None else self.value
        try:
            return float(text)
        except ValueError:
            return None


class Across:
    """An expression evaluated in many processes like a watch: again at each new stop."""

    def __init__(
        self, text: str, *, numbers: Collection[int] | None = None, limit: float = LIMIT
    ) -> None:
        """``numbers`` are the processes to query; None: all."""
        self.text = text.strip()
        self.numbers = None if numbers is None else frozenset(numbers)
        self._limit = limit
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._asked_at: dict[int, tuple[Status, int]] = {}
        self._answers: dict[int, MemberResult] = {}

    @property
    def answers(self) -> Mapping[int, MemberResult]:
        """Return the results so far, by the family's numbers."""
        return self._answers

    def check(self, session: Session) -> None:
        """Raise DoesNotParse for text that is no expression."""
        check_text(self.text, EvaluationContext.WATCH, session.profile.language)

    async def ask(self, relatives: Iterable[ProcessInfo], *, origin: str) -> bool:
        """Evaluate it at the stops not queried yet; False if there are none.

        Returns when all have replied. Cancelling the caller leaves none of them hanging: each
        evaluation belongs to its own session, and is interrupted when its time is over.
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

    async def _ask(self, relative: ProcessInfo, at: object, origin: str) -> None:
        session = relative.session
        if session.status is Status.PAUSED:
            async with self._turns:
                answer = await self._evaluate(session, origin)
        else:
            answer = MemberResult(instead=describe_absence(session))
        if self._asked_at.get(relative.number) == at:
            self._answers[relative.number] = answer

    async def _evaluate(self, session: Session, origin: str) -> MemberResult:
        try:
            self.check(session)
            outcome = await Control(session).where()
            if outcome.frame is None:
                has_gone_on = session.status is not Status.PAUSED
                return MemberResult(instead=_GONE_ON if has_gone_on else NO_ANSWER)
            found = await session.evaluation.evaluate(
                self.text, outcome.frame.id, timeout=self._limit
            )
        except EvaluationFailed as error:
            return MemberResult(problem=str(error))
        except EvaluationCancelled:
            return MemberResult(problem=f"interrupted: it took more than {self._limit:g} s")
        except EvaluationAbandoned as error:
            return MemberResult(problem=f"no answer in {self._limit:g} s: {error}")
        except StaleReply:
            return MemberResult(instead=_GONE_ON)
        except DebuggerError as error:
            return MemberResult(instead=str(error))
        session.publish(ValuesChanged(), origin)
        nothing = session.profile.language.nothing
        return MemberResult(value=found.text or nothing[0], type=found.type or nothing[1])


def fold_answers(answers: Iterable[tuple[T, MemberResult]]) -> tuple[Fold[T, MemberResult], ...]:
    """Group equal ones, the odd ones first, then the smallest groups.

    A result is odd if it differs from most others, or is a number far from the others; a process
    that was not queried is never odd.
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


def describe_values(folds: Iterable[Fold[T, MemberResult]]) -> str:
    """Return the number of different values, in words."""
    different = sum(not each.common.instead for each in folds)
    return {0: "no process is stopped", 1: "one value"}.get(different, f"{different} values")


def find_far(numbers: Iterable[float | None]) -> Callable[[float | None], bool]:
    """Return a test for whether a number is far from the others; it accepts None, too."""
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


async def find_job_waits(relatives: Iterable[ProcessInfo]) -> dict[int, str]:
    """Return what they wait for, in words, by their numbers; without those that can't report it.

    A stopped process only waits for its debugger. One that hangs is not waited for longer than a
    read of the job waits for it.
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
GONE = MemberResult(instead="has ended meanwhile")
Folds = tuple[Fold[JobMember, MemberResult], ...]

ALONE = "each stops by itself; the others run on"


class Crew:
    """All processes related to one; ``origin`` is the source of commands."""

    def __init__(self, session: Session, *, origin: str) -> None:
        self._session, self._origin = session, origin

    def find_all(self) -> list[ProcessInfo]:
        """Return all of them that are programs."""
        family = self._session.family
        everybody = list(family) if family is not None else self.find((0,))
        return [each for each in everybody if each.is_program]

    def find(self, numbers: Collection[int]) -> list[ProcessInfo]:
        """Return those of these numbers that are still there."""
        family = self._session.family
        if family is None:
            return [ProcessInfo(self._session, None, "", 0)] if 0 in numbers else []
        return [each for number in numbers if (each := family.get(number)) is not None]

    @property
    def stops_together(self) -> bool:
        """True while all stop when one stops, at a breakpoint or an exception."""
        family = self._session.family
        return family is not None and family.stops_together

    def stop_together(self, wanted: bool) -> None:
        """Turn stopping together on or off; a single program has no others to stop."""
        if self._session.family is not None:
            self._session.family.stops_together = wanted

    def clear_ended(self) -> str:
        """Remove the ended processes from the job; return the result in words."""
        family = self._session.family
        cleared = family.drop_ended(keep=0) if family is not None else 0
        left = sum(each.is_over for each in self.find_all())
        words = f"{cleared} ended cleared" if cleared else "no ended process to clear"
        return f"{words}; the one on the screen stays" if left else words

    async def look(self) -> JobResults:
        """Query the locations of all of them."""
        return await look_at_job(self._session)

    async def command(self, numbers: Collection[int], how: Resume | None) -> OrderResult:
        """Send some of them a command; None is to pause."""
        return await command_all(self.find(numbers), how, origin=self._origin)

    async def obey(
        self, order: JobCommand, told: Callable[[str], None] = lambda words: None
    ) -> str:
        """Carry out a resume, pause or breakpoint command; return the result in words.

        ``told`` is called with the progress of those that run to a line. Raises DebuggerError.
        """
        if order.verb in HOW:
            return (await self.command(order.numbers, HOW[order.verb])).words
        path = await find_file(self._session, order.file)
        if order.verb is Verb.UNTIL:
            barrier = Barrier(self.find(order.numbers), path, order.line, told)
            return await barrier.gather(origin=self._origin)
        return await self._break(order, path)

    async def _break(self, order: JobCommand, path: str) -> str:
        """Set a breakpoint for the selected ranks; processes that come later get it, too."""
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
        """Return why a text is no expression; empty if it is one."""
        try:
            Across(text).check(self._session)
        except EvaluationFailed as error:
            return str(error)
        return ""

    async def evaluate(self, order: JobCommand, limit: float = LIMIT) -> Folds:
        """Evaluate an expression once; equal results grouped, the odd ones first.

        It may take ``limit`` seconds in each process. Raises DoesNotParse.
        """
        if why := self.why_not(order.about):
            raise DoesNotParse(why)
        across = Across(order.about, numbers=order.numbers, limit=limit)
        await self.ask(across, order.numbers)
        answers = across.answers
        return fold_answers((each, answers.get(each.number, GONE)) for each in order.members)

    async def ask(self, across: Across, numbers: Collection[int]) -> bool:
        """Evaluate an expression in some of them, unless already done."""
        return await across.ask(self.find(numbers), origin=self._origin)
