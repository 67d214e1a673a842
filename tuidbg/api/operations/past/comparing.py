"""Where two recorded runs part: what is kept of one, and the question to the other."""

from __future__ import annotations

from tuidbg.api.operations.past.moments import Point, find_moment, point_of
from tuidbg.recording.asking import parting
from tuidbg.recording.timeline import Timeline
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Value


class Parted(Value, frozen=True):
    """Where a run parts from another one: ``at`` is its last moment that is like the other's.

    Either the two have come to other lines (``line`` and ``other_line``, 0: to the end), or
    ``name`` has become other values, which are in words: "" where it was not set.
    """

    at: Point
    line: int
    other_line: int
    name: str
    value: str
    other_value: str


async def finished_recording(member: Member) -> Timeline:
    """All that was recorded of a run that is over, or is about to be ended: for ``compare_runs``.

    Raises NothingRecorded, AdapterFailed.
    """
    past = member.session.past
    await find_moment(member, "")
    await past.end("session")
    return past.timeline


async def compare_runs(member: Member, other: Timeline) -> Parted | None:
    """Where the recorded run parts from another one; None where they are alike.

    Raises NothingRecorded, EvaluationFailed, AdapterFailed.
    """
    past = member.session.past
    await find_moment(member, "")
    found = await past.tables.ask(parting.parting, other)
    if found is None:
        return None
    return Parted(
        at=point_of(past, found.place.moment),
        line=found.line,
        other_line=found.other_line,
        name=found.name,
        value=found.value,
        other_value=found.other_value,
    )
