"""Commands to processes of a job, the selection of processes, and a barrier."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import PurePath

from tuidbg.session.core.execution import Resume
from tuidbg.session.core.process_tree.family import ProcessInfo
from tuidbg.session.core.process_tree.identity import describe_ranks, name_ranks
from tuidbg.session.core.session import Session
from tuidbg.session.core.sources.unreachable_lines import why_passed
from tuidbg.session.features.job.job import (
    JobMember,
    JobResults,
    describe_absence,
    describe_standing,
    standing_of_stop,
)
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import StateValue, Status

_SPAN = re.compile(r"(?P<first>\d{1,7})\s*(?:-\s*(?P<last>\d{1,7}))?")

_STATES = {"running": Status.RUNNING, "paused": Status.PAUSED}

_NAMED = 6
"""Maximum number of names in a refusal."""


class NotChosen(DebuggerError):
    """The text names no processes of the job; ``str()`` lists the valid names."""


def choose(job: JobResults, text: str) -> tuple[JobMember, ...]:
    """Return the selected processes, in the order of the job. Raises NotChosen."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise NotChosen(f"name processes between the commas: {text.strip() or 'all, or 0,3-5'}")
    chosen: set[int] = set()
    for part in parts:
        chosen |= {each.number for each in _read(job, part)}
    return tuple(each for each in job.members if each.number in chosen)


def _read(job: JobResults, part: str) -> Sequence[JobMember]:
    if part == "all":
        return job.members
    if span := _SPAN.fullmatch(part):
        return _of_span(job, int(span["first"]), int(span["last"] or span["first"]))
    if status := _STATES.get(part):
        return [each for each in job.members if each.status is status]
    if found := [each for each in job.members if part in _names(each)]:
        return found
    raise NotChosen(f"there is no {part!r} among them; {_what_there_is(job)}")


def _of_span(job: JobResults, first: int, last: int) -> list[JobMember]:
    if last < first:
        raise NotChosen(f"{first}-{last} runs backwards: write {last}-{first}")
    found = [each for each in job.members if _is_within(each.identity.rank, first, last)]
    missing = {*range(first, min(last, first + 10_000) + 1)} - {m.identity.rank for m in found}
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise NotChosen(f"there {verb} no {name_ranks(missing)} among them; {_what_there_is(job)}")
    return found


def _is_within(rank: int | None, first: int, last: int) -> bool:
    return rank is not None and first <= rank <= last


def _names(member: JobMember) -> set[str]:
    """Return the names of a process, and of each group it belongs to."""
    who = member.identity
    return {who.group, who.host, who.role, who.worker, member.label} - {""}


def _what_there_is(job: JobResults) -> str:
    ranks = [each.identity.rank for each in job.members if each.identity.rank is not None]
    told = [f"ranks {describe_ranks(ranks)}"] if ranks else []
    names = dict.fromkeys(n for m in job.members for n in (m.identity.group, m.identity.worker))
    told += [name for name in names if name][:_NAMED]
    return f"there are {', '.join(['all', *told])}"


class Verb(StrEnum):
    """The commands for processes."""

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
"""The verbs that resume processes, or pause them."""

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
"""As in pdb and line mode: ``p`` prints."""

_VERBS = {**{verb.value: verb for verb in Verb}, **_SHORT}
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d{1,9})(?:\s+if\s+(?P<condition>.+))?", re.DOTALL)

_LISTED = ", ".join(verb.value for verb in Verb)
_ABOUT = {
    Verb.EVALUATE: "an expression: 0,3-5 evaluate loss",
    Verb.BREAK: "a place: 0,3-5 break train.py:40, or train.py:40 if loss > 9",
    Verb.UNTIL: "a place: all until train.py:40",
}


class NoOrder(DebuggerError):
    """The text is no command; ``str()`` is the correct form."""


class JobCommand(StateValue, frozen=True):
    """A command. ``about`` is the expression; ``file`` and ``line`` are the place.

    ``condition`` is that of a breakpoint.
    """

    members: tuple[JobMember, ...]
    verb: Verb
    about: str = ""
    file: str = ""
    line: int = 0
    condition: str = ""
    is_to_all: bool = False

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the family's numbers of the processes."""
        return tuple(each.number for each in self.members)


def read_order(job: JobResults, text: str) -> JobCommand:
    """Parse a command and its processes. Raises NoOrder, NotChosen."""
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


def make_order(job: JobResults, chosen: str, verb: Verb, about: str = "") -> JobCommand:
    """Make a command from separate parts, without ambiguity. Raises NoOrder, NotChosen."""
    members, is_to_all = choose(job, chosen), chosen == "all"
    if not about and verb in _ABOUT:
        raise NoOrder(f"{verb} needs {_ABOUT[verb]}")
    if about and verb in HOW:
        raise NoOrder(f"nothing can follow {verb}: {about}")
    if verb not in (Verb.BREAK, Verb.UNTIL):
        return JobCommand(members=members, verb=verb, about=about, is_to_all=is_to_all)
    place = _PLACE.fullmatch(about)
    if place is None:
        raise NoOrder(f"{about} is no place; {verb} needs {_ABOUT[verb].partition(': ')[2]}")
    condition = (place["condition"] or "").strip()
    if condition and verb is Verb.UNTIL:
        raise NoOrder(f"until takes no condition: write break {about}, then continue")
    return JobCommand(
        members=members,
        verb=verb,
        file=place["file"].strip(),
        line=int(place["line"]),
        condition=condition,
        is_to_all=is_to_all,
    )


_DONE = {
    None: "asked to pause",
    Resume.CONTINUE: "go on",
    Resume.STEP_OVER: "step over",
    Resume.STEP_IN: "step into",
    Resume.STEP_OUT: "step out",
}


class OrderResult(StateValue, frozen=True):
    """The number of processes that obey; ``refused`` has the reasons of the others."""

    how: Resume | None
    meant: int
    obeying: int
    refused: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Return a one-line summary."""
        if not self.obeying and not self.refused:
            return "none of them is running" if self.how is None else "none of them is stopped"
        rest = self.meant - self.obeying - len(self.refused)
        told = f"{self.obeying} {_DONE[self.how]}"
        if rest:
            told += f", {rest} {'are not running' if self.how is None else 'are not stopped'}"
        return "; ".join((told, *self.refused))


async def command_all(
    relatives: Iterable[ProcessInfo], how: Resume | None, *, origin: str
) -> OrderResult:
    """Resume the stopped processes that way, or (``how`` is None) pause the running ones.

    Returns when their adapters have agreed, not at the next stop. A pause takes until a process
    runs Python code again.
    """
    meant = list(relatives)
    wanted = Status.RUNNING if how is None else Status.PAUSED
    able = [each for each in meant if each.session.status is wanted]
    answers = await asyncio.gather(*(_command(each, how, origin) for each in able))
    refused = tuple(answer for answer in answers if answer)
    return OrderResult(how=how, meant=len(meant), obeying=len(able) - len(refused), refused=refused)


async def _command(relative: ProcessInfo, how: Resume | None, origin: str) -> str:
    """Return why it does not obey; empty if it does."""
    execution = relative.session.execution
    try:
        if how is None:
            await execution.pause(origin=origin)
        else:
            await execution.resume(how, origin=origin, queued=False)
    except DebuggerError as error:
        return f"{relative.name}: {error}"
    return ""


_LIVING = (Status.RUNNING, Status.PAUSED)


class Barrier:
    """Processes that run to a line. ``told`` is called with the progress."""

    def __init__(
        self,
        relatives: Iterable[ProcessInfo],
        path: str,
        line: int,
        told: Callable[[str], None] = lambda words: None,
    ) -> None:
        self._meant = list(relatives)
        self._path, self._line, self._told = path, line, told
        self._refused: dict[int, str] = {}

    @property
    def place(self) -> str:
        """Return the file's name and the line."""
        return f"{PurePath(self._path).name}:{self._line}"

    async def gather(self, *, origin: str) -> str:
        """Run them there; return the result when none is on its way any more.

        One that hangs delays this, but no other process. Raises DebuggerError if none can stop
        there.
        """
        living = [each for each in self._meant if each.session.status in _LIVING]
        if not living:
            raise DebuggerError("none of them is running or stopped")
        due = [each for each in living if not self._is_here(each.session)] or living
        with _gathering(living[0].session):
            await asyncio.gather(*(self._bring(each, origin) for each in due))
        if len(self._refused) == len(due):
            raise DebuggerError(next(iter(self._refused.values())))
        return self._describe()

    async def _bring(self, relative: ProcessInfo, origin: str) -> None:
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
    """Suspend stopping together: an arriving process must not stop the others."""
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
    """True if it is at a later stop, with its stack, or has ended."""
    if session.status not in _LIVING:
        return True
    is_new = session.status is Status.PAUSED and session.stop_id > before
    return is_new and session.stack_of == session.stop_id


def _name(relatives: Sequence[ProcessInfo], refused: dict[int, str]) -> Iterable[str]:
    """Yield where the others are, or why they refused."""
    for each in relatives:
        session = each.session
        if session.status is Status.PAUSED:
            where = describe_standing(standing_of_stop(session))
        else:
            where = describe_absence(session)
        yield f"{each.name}: {refused.get(each.number, where)}"
