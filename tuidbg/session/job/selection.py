"""Reads which processes of a job are meant: ``all``, ``0,3-5``, a group, a worker, those that run.

Pure: it chooses among what a look at the job has found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tuidbg.session.errors import DebuggerError
from tuidbg.session.job.job import Job, Member
from tuidbg.session.job.stacks import describe_ranks, name_ranks
from tuidbg.session.state import Status

_SPAN = re.compile(r"(?P<first>\d{1,7})\s*(?:-\s*(?P<last>\d{1,7}))?")

_STATES = {"running": Status.RUNNING, "paused": Status.PAUSED}

_NAMED = 6
"""Names that a refusal tells at most."""


class NotChosen(DebuggerError):
    """The text names no processes of the job; ``str()`` says what could be named."""


def choose(job: Job, text: str) -> tuple[Member, ...]:
    """Those that are meant, in the order of the job. Raises NotChosen."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise NotChosen(f"name processes between the commas: {text.strip() or 'all, or 0,3-5'}")
    chosen: set[int] = set()
    for part in parts:
        chosen |= {each.number for each in _read(job, part)}
    return tuple(each for each in job.members if each.number in chosen)


def _read(job: Job, part: str) -> Sequence[Member]:
    if part == "all":
        return job.members
    if span := _SPAN.fullmatch(part):
        return _of_span(job, int(span["first"]), int(span["last"] or span["first"]))
    if status := _STATES.get(part):
        return [each for each in job.members if each.status is status]
    if found := [each for each in job.members if part in _names(each)]:
        return found
    raise NotChosen(f"there is no {part!r} among them; {_what_there_is(job)}")


def _of_span(job: Job, first: int, last: int) -> list[Member]:
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


def _names(member: Member) -> set[str]:
    """What a process, and each group that it belongs to, is called."""
    who = member.identity
    return {who.group, who.host, who.role, who.worker, member.label} - {""}


def _what_there_is(job: Job) -> str:
    ranks = [each.identity.rank for each in job.members if each.identity.rank is not None]
    told = [f"ranks {describe_ranks(ranks)}"] if ranks else []
    names = dict.fromkeys(n for m in job.members for n in (m.identity.group, m.identity.worker))
    told += [name for name in names if name][:_NAMED]
    return f"there are {', '.join(['all', *told])}"
