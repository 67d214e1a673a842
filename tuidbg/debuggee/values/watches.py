"""A person's expressions, all evaluated in a frame in one question.

They run in the stopped thread, as what is typed at the prompt does: in another, what belongs to a
thread (databases, event loops, thread locals) would answer differently. One that takes too long is
ended where that can be done, and after that not evaluated any more unless asked for.
"""

from __future__ import annotations

from time import perf_counter as clock

from _pydev_bundle._pydev_saved_modules import threading
from _pydevd_bundle import pydevd_constants
from _pydevd_bundle.pydevd_constants import get_current_thread_id as get_thread_id

from tuidbg.debuggee import base
from tuidbg.debuggee.values import contents, private_names, reading, values, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import Any


ONE = 0.3
"""Seconds that an expression may take unless it was requested."""

ALL = 1.0
"""Seconds that all of them may take together."""

ASKED = 10.0
"""Seconds for one that a person has asked for."""

SLOW = "takes more than %.1f s"

codes: dict[Any, Any] = {}
readers: dict[str, Any] = {}
slow: dict[Any, Any] = {}
"""Expressions that took too long -> seconds."""


class Outcome(object):
    """Holds what became of one expression. ``row`` is as in ``values``."""

    def __init__(self) -> None:
        self.row = None
        self.reference = 0
        self.error = ""
        self.is_slow = self.is_unknown = False


def evaluate(
    frame: FrameType,
    expressions: Sequence[str],
    wanted: Any = None,
    asked: Any = None,
    stop: Any = None,
) -> list[Any]:
    """An outcome for each expression.

    ``wanted`` says of which the children are wanted; ``asked`` is one that a person waits for.
    """
    values.begin(stop)
    question = Question(values.real_frame(frame), wanted or {}, asked)
    pending, outcomes, spent = list(expressions), [], 0.0
    while pending:
        most = ASKED if pending[0] == asked else min(ONE, ALL - spent)
        begun = started = clock()
        try:
            if most <= 0:
                raise base.OutOfTime
            with base.TimeLimit(most):
                while pending and (most == ASKED or pending[0] != asked):
                    started = clock()
                    outcomes.append(question.ask(pending[0]))
                    if not outcomes[-1].is_slow:
                        note_time(pending[0], clock() - started)
                    pending.pop(0)
        except base.OutOfTime:
            outcomes.append(overdue(pending.pop(0), clock() - started))
        spent += min(clock() - begun, ONE)  # what could not be ended is not held against the others
    question.finish()
    return [vars(outcome) for outcome in outcomes]


def evaluate_plainly(
    real: FrameType, expressions: Sequence[str], wanted: Any, stop: Any, until: float
) -> list[Any]:
    """The outcomes in that frame, where none needs code of the program. Raises NotPlainly."""
    values.begin(stop)
    question = PlainQuestion(real, wanted, until)
    return [vars(question.ask(expression)) for expression in expressions]


def overdue(expression: str, taken: float) -> Any:
    outcome = Outcome()
    outcome.is_slow = note_time(expression, taken)
    outcome.error = SLOW % taken if outcome.is_slow else "not evaluated: the others took too long"
    return outcome


def note_time(expression: str, taken: float) -> bool:
    """Notes how long it took, and returns whether it is too slow to be evaluated unasked."""
    if taken > ONE * 0.7:
        slow[expression] = taken
        return True
    slow.pop(expression, None)
    return False


class Question(object):
    """Evaluates in one frame."""

    def __init__(self, real: Any, wanted: Any, asked: Any) -> None:
        self.real = real
        self.names = values.namespace(real)
        self.answer = values.RowCollector(real)
        self.wanted = wanted
        self.asked = asked

    def ask(self, expression: str) -> Any:
        outcome = Outcome()
        if expression in slow and expression != self.asked:
            outcome.is_slow, outcome.error = True, SLOW % slow[expression]
            return outcome
        try:
            value = self.evaluate(expression)
        except (base.OutOfTime, values.NotPlainly):
            raise
        except BaseException as error:
            outcome.error = writing.describe_error(error)
            outcome.is_unknown = isinstance(error, NameError)
            return outcome
        name = "(%s)" % expression
        outcome.row = row = self.answer.row(contents.Entry(expression, value, []), "")
        row[values.EXPRESSION] = name
        if expression in self.wanted and row[values.TOTAL]:
            row[values.CHILDREN] = self.answer.page(value, self.wanted[expression], name)
        if row[values.TOTAL] or row in (late for late, _ in self.answer.late):
            outcome.reference = hold(expression, value)
        return outcome

    def evaluate(self, expression: str) -> Any:
        return eval(compiled(expression, self.real), self.names)

    def finish(self) -> None:
        self.answer.finish()


class PlainQuestion(Question):
    """Reads variables, attributes and items, and raises NotPlainly at anything else."""

    def __init__(self, real: Any, wanted: Any, until: float) -> None:
        Question.__init__(self, real, wanted, None)
        self.answer = values.PlainRowCollector(real, until)

    def evaluate(self, expression: str) -> Any:
        if expression not in readers:
            if len(readers) > 500:
                readers.clear()
            readers[expression] = find_reader(expression)
        read = readers[expression]
        if read is None:
            raise values.NotPlainly
        try:
            return read(self.names, {})
        except (reading.CodeWouldRun, reading.MissingValue):
            raise values.NotPlainly from None


def find_reader(expression: str) -> Any:
    """A function that reads the expression; None where evaluating it takes more than that."""
    if private_names.PRIVATE_NAME.search(expression):
        return None
    try:
        tree = compile(expression.strip(), "<watch>", "eval", reading.ONLY_AST, True)
        return reading.reader_of(tree.body) if reading.is_readable(tree.body) else None
    except (SyntaxError, ValueError):
        return None


def compiled(expression: str, real: Any) -> Any:
    key = (expression, real.f_code) if private_names.PRIVATE_NAME.search(expression) else expression
    code = codes.get(key)
    if code is None:
        if len(codes) > 500:
            codes.clear()
        code = private_names.compile_in(real, expression.strip(), "<watch>", "eval")
        codes[key] = code
    return code


def hold(expression: str, value: Any) -> int:
    """Have pydevd hold the value until the program goes on, so that it can be opened."""
    thread_id = get_thread_id(threading.current_thread())
    tracker = base.DB.suspended_frames_manager.get_frame_tracker(thread_id)
    return 0 if tracker is None else id(tracker.obtain_as_variable(expression, value).value)


def held(reference: Any) -> Any:
    """The value of a watch, at the stop where it was evaluated."""
    return base.DB.suspended_frames_manager.get_variable(reference).value


def install() -> None:
    # Its warning would print the whole of our call into the program's output.
    pydevd_constants.PYDEVD_WARN_EVALUATION_TIMEOUT = 1e6
