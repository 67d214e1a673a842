"""Defines what answers about the recorded run hold, as ``answers.py`` does for the others."""

from __future__ import annotations

from typing import Literal

from tuidbg.api.rest.answers import (
    Answer,
    EvaluateResponse,
    FrameTold,
    SourceLocation,
    VariableTold,
)

EdgeName = Literal["begins", "now"]


class RecordedThreadTold(Answer, frozen=True):
    """A thread of the recording, with the names of its first and last moment."""

    name: str
    moments: int
    first: str
    last: str


class RecordingResponse(Answer, frozen=True):
    """What is recorded; ``obstacle`` is why nothing can be recorded just now.

    ``failed`` is the uncaught exception that ended the program, or its exit code if that is not 0.
    """

    is_on: bool
    obstacle: str | None
    moments: int
    threads: list[RecordedThreadTold]
    left_out: str | None
    failed: str | None


class RecordedMoment(Answer, frozen=True):
    """A moment. ``event`` is ``line`` where that line is about to run.

    ``when`` counts over all threads; ``steps_ago`` are the moments of its thread behind it.
    """

    moment: str
    when: int
    thread: str
    event: str
    location: SourceLocation | None
    steps_ago: int


class MomentResponse(Answer, frozen=True):
    """Where a step has led to; ``edge`` where that is an end of the recording.

    ``left_out`` says what the recording lacks, for example all behind a full disk.
    """

    at: RecordedMoment
    edge: EdgeName | None
    left_out: str | None


class RecordedStackResponse(Answer, frozen=True):
    """A part of the stack of a moment."""

    moment: str
    frames: list[FrameTold]
    total_frames: int


class RecordedVariablesResponse(Answer, frozen=True):
    """Variables of a moment, or of what is in one; ``total`` counts all that there are."""

    moment: str | None
    variables: list[VariableTold]
    total: int


class RecordedEvaluateResponse(Answer, frozen=True):
    """What an expression gave at a moment; ``moment`` is None where it can't be told."""

    moment: str | None
    value: EvaluateResponse


class WriterTold(Answer, frozen=True):
    """A line that has written into a container so often; ``last`` is the last time."""

    last: RecordedMoment
    count: int


class ChangeTold(Answer, frozen=True):
    """A change, seen from ``when`` on; ``by`` is the line that made it.

    ``since`` is the first line that may have, where that is not known exactly. ``filled`` are the
    lines that wrote into a container, the last one first.
    """

    name: str
    old: VariableTold | None
    new: VariableTold | None
    when: int
    by: RecordedMoment | None
    since: RecordedMoment | None
    filled: list[WriterTold]


class ChangesResponse(Answer, frozen=True):
    """Changes up to a moment, the newest first."""

    moment: str
    changes: list[ChangeTold]


class TimeResponse(Answer, frozen=True):
    """When it became true, and by which line; both are None where it never did."""

    at: RecordedMoment | None
    by: RecordedMoment | None


class CallTold(Answer, frozen=True):
    """A call; ``end`` and ``result`` are None while it is under way."""

    function: str
    begin: RecordedMoment
    arguments: list[VariableTold]
    end: RecordedMoment | None
    result: VariableTold | None
    has_raised: bool


class CallsResponse(Answer, frozen=True):
    """Calls of a function, the oldest first."""

    calls: list[CallTold]
    total: int
    has_more: bool


class PassTold(Answer, frozen=True):
    """A moment with values."""

    at: RecordedMoment
    values: list[VariableTold]


class PassesResponse(Answer, frozen=True):
    """Moments with values, the oldest first."""

    passes: list[PassTold]
    has_more: bool
