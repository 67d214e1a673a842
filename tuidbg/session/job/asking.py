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
from typing import TypeVar

import msgspec

from tuidbg.session.control import Control
from tuidbg.session.errors import (
    DebuggerError,
    EvaluationAbandoned,
    EvaluationCancelled,
    EvaluationFailed,
    StaleReply,
)
from tuidbg.session.evaluation.evaluate import Context, check_text
from tuidbg.session.events import ValuesChanged
from tuidbg.session.family.family import Relative
from tuidbg.session.job.folding import Fold, fold_equal
from tuidbg.session.job.job import NO_ANSWER, describe_absence
from tuidbg.session.session import Session
from tuidbg.session.state import Status, Value

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
