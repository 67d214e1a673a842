"""Explains in words why a breakpoint does not stop, and what would mend it; from facts alone.

What certainly keeps it from stopping is told first, all of it. Only where nothing does, the rest is
said: the file is not imported, the line was not reached, or there is nothing wrong at all.
"""

from __future__ import annotations

from collections.abc import Callable

from tuidbg.session.doctor.diagnosis import (
    EVERYWHERE,
    RESTART,
    Diagnosis,
    Facts,
    Mend,
    ended,
    times,
)
from tuidbg.session.doctor.rules import RULES
from tuidbg.session.state import BreakpointKind, BreakpointStatus, Status


def explain(facts: Facts) -> Diagnosis:
    """The diagnosis: what blocks it, all together, or else the first of what may be the matter."""
    blocking = [found for rule in RULES if (found := rule(facts)) is not None]
    tells = not facts.breakpoint.stops and not facts.breakpoint.hits
    if not blocking or (tells and len(blocking) == 1):
        blocking += [next(found for rule in _REST if (found := rule(facts)) is not None)]
    mends: dict[str, Mend] = {}
    for each in blocking:
        mends |= {mend.title: mend for mend in each.mends if mend.title not in mends}
    sentences = dict.fromkeys(sentence for each in blocking for sentence in each.sentences)
    return Diagnosis(
        title=blocking[0].title, sentences=tuple(sentences), mends=tuple(mends.values())
    )


def _is_refused(facts: Facts) -> Diagnosis | None:
    found = facts.breakpoint
    if found.status is not BreakpointStatus.REFUSED:
        return None
    sentence = f"It was refused: {found.message or 'the debug adapter gave no reason'}"
    again = Mend(title="Try again", action="update")
    return Diagnosis(title="refused", sentences=(ended(sentence),), mends=(again,))


def _nothing_runs(facts: Facts) -> Diagnosis | None:
    found = facts.breakpoint
    match facts.status:
        case Status.CREATED:
            sentence = "No program has been started yet; it is set when one starts."
            return Diagnosis(title="no program runs", sentences=(sentence,))
        case Status.LAUNCHING:
            sentence = "The program is just starting; it is set in a moment."
            return Diagnosis(title="the program is starting", sentences=(sentence,))
        case Status.TERMINATED | Status.FAILED:
            title, sentence = "the program has ended", "The program has ended and never came to it."
            if found.hits:
                sentence = f"The program has ended; it was hit {times(found.hits)}."
            elif found.kind is BreakpointKind.EXCEPTION:
                sentence = "The program has ended and never raised such an exception"
                return _not_raised(facts, title, sentence, RESTART)
            return Diagnosis(title=title, sentences=(sentence,), mends=(RESTART,))
    return None


def _is_not_imported(facts: Facts) -> Diagnosis | None:
    if facts.loaded is not False:
        return None
    return Diagnosis(
        title="not imported yet",
        sentences=(
            f"The program has not imported {facts.file} yet.",
            "When it does, the breakpoint is set by itself.",
        ),
    )


def _is_pending(facts: Facts) -> Diagnosis | None:
    found = facts.breakpoint
    if found.status is not BreakpointStatus.PENDING:
        return None
    sentence = f"It is not set yet: {found.message or 'the debug adapter has not answered'}"
    return Diagnosis(title="not set yet", sentences=(ended(sentence),))


def _works(facts: Facts) -> Diagnosis | None:
    found = facts.breakpoint
    if not found.hits:
        return None
    sentence = f"It was hit {times(found.hits)} in this run."
    return Diagnosis(title="nothing is wrong", sentences=(sentence,))


def _was_not_reached(facts: Facts) -> Diagnosis:
    if facts.breakpoint.kind is BreakpointKind.EXCEPTION:
        sentence = "It is set; the program has raised no such exception yet"
        return _not_raised(facts, "not raised yet", sentence)
    sentence = "It is set; the program has not come to it yet."
    return Diagnosis(title="not reached yet", sentences=(sentence,))


def _not_raised(facts: Facts, title: str, sentence: str, *mends: Mend) -> Diagnosis:
    """No such exception came; with just-my-code on, none of those that libraries catch could."""
    if not facts.passes_libraries:
        return Diagnosis(title=title, sentences=(f"{sentence}.",), mends=mends)
    passed = "Just-my-code is on: what libraries raise and catch among themselves is passed over."
    sentences = (f"{sentence} in your own code.", passed)
    return Diagnosis(title=title, sentences=sentences, mends=(EVERYWHERE, *mends))


_REST: tuple[Callable[[Facts], Diagnosis | None], ...] = (
    _is_refused,
    _nothing_runs,
    _is_not_imported,
    _is_pending,
    _works,
    _was_not_reached,
)
