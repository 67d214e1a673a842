"""Reads a command to some processes of a job: ``0,3-5 continue``, ``node0 break train.py:40``.

The processes come first, then the command, then what it is about. Pure; ``Crew`` carries it out.
"""

from __future__ import annotations

import re
from enum import StrEnum

from tuidbg.session.errors import DebuggerError
from tuidbg.session.execution import Resume
from tuidbg.session.job.job import Job, Member
from tuidbg.session.job.selection import choose
from tuidbg.session.state import Value


class Verb(StrEnum):
    """What they are to do."""

    CONTINUE = "continue"
    NEXT = "next"
    STEP = "step"
    RETURN = "return"
    PAUSE = "pause"
    EVALUATE = "evaluate"
    BREAK = "break"
    UNTIL = "until"


HOW = {
    Verb.CONTINUE: Resume.CONTINUE,
    Verb.NEXT: Resume.STEP_OVER,
    Verb.STEP: Resume.STEP_IN,
    Verb.RETURN: Resume.STEP_OUT,
    Verb.PAUSE: None,
}
"""The verbs that make processes run, or stand still."""

_SHORT = {
    "c": Verb.CONTINUE,
    "n": Verb.NEXT,
    "s": Verb.STEP,
    "r": Verb.RETURN,
    "e": Verb.EVALUATE,
    "p": Verb.EVALUATE,
    "b": Verb.BREAK,
    "unt": Verb.UNTIL,
}
"""As in pdb and by lines: ``p`` prints."""

_VERBS = {**{verb.value: verb for verb in Verb}, **_SHORT}
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d{1,9})(?:\s+if\s+(?P<condition>.+))?", re.DOTALL)

_LISTED = ", ".join(verb.value for verb in Verb)
_ABOUT = {
    Verb.EVALUATE: "an expression: 0,3-5 evaluate loss",
    Verb.BREAK: "a place: 0,3-5 break train.py:40, or train.py:40 if loss > 9",
    Verb.UNTIL: "a place: all until train.py:40",
}


class NoOrder(DebuggerError):
    """The text is no command; ``str()`` says what to write instead."""


class Order(Value, frozen=True):
    """A command. ``about`` is the expression; ``file`` and ``line`` are the place.

    ``condition`` is that of a breakpoint.
    """

    members: tuple[Member, ...]
    verb: Verb
    about: str = ""
    file: str = ""
    line: int = 0
    condition: str = ""
    is_to_all: bool = False

    @property
    def numbers(self) -> tuple[int, ...]:
        """Returns the family's numbers of the processes."""
        return tuple(each.number for each in self.members)


def read_order(job: Job, text: str) -> Order:
    """What is meant, and by whom it is to be done. Raises NoOrder, NotChosen."""
    words = text.split()
    at = next((n for n, word in enumerate(words) if word in _VERBS), None)
    if at is None:
        raise NoOrder(f"that names no command; write 0,3-5 and one of {_LISTED}")
    if not at:
        raise NoOrder(f"say first which processes: all {text.strip()}")
    verb = _VERBS[words[at]]
    rest = text.split(maxsplit=at + 1)[at + 1 :]
    about = rest[0].strip() if rest else ""
    chosen = " ".join(words[:at])
    return make_order(job, chosen, verb, about)


def make_order(job: Job, chosen: str, verb: Verb, about: str = "") -> Order:
    """The same of its parts, none of which is taken for another. Raises NoOrder, NotChosen."""
    members, is_to_all = choose(job, chosen), chosen == "all"
    if not about and verb in _ABOUT:
        raise NoOrder(f"{verb} needs {_ABOUT[verb]}")
    if about and verb in HOW:
        raise NoOrder(f"nothing can follow {verb}: {about}")
    if verb not in (Verb.BREAK, Verb.UNTIL):
        return Order(members=members, verb=verb, about=about, is_to_all=is_to_all)
    place = _PLACE.fullmatch(about)
    if place is None:
        raise NoOrder(f"{about} is no place; {verb} needs {_ABOUT[verb].partition(': ')[2]}")
    condition = (place["condition"] or "").strip()
    if condition and verb is Verb.UNTIL:
        raise NoOrder(f"until takes no condition: write break {about}, then continue")
    return Order(
        members=members,
        verb=verb,
        file=place["file"].strip(),
        line=int(place["line"]),
        condition=condition,
        is_to_all=is_to_all,
    )
