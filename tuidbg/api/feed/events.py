"""Defines what programs are told of a session: events in DAP's terms, and entries of its output.

The fields are those of the REST contract, in its names. Fields that a body has only
sometimes are left out when there is nothing to say (``UNSET``).
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from msgspec import UNSET, UnsetType

from tuidbg.session.state import Value


class EventType(StrEnum):
    """The types of events."""

    STOPPED = "stopped"
    CONTINUED = "continued"
    TERMINATED = "terminated"
    OUTPUT = "output"
    BREAKPOINT = "breakpoint"
    THREAD = "thread"
    MODULE = "module"


class FeedBody(Value, frozen=True):
    """Base of all bodies; ``type`` is that of the event."""

    type: ClassVar[EventType]


class ExceptionInfoDetails(Value, frozen=True):
    """What is known of the exception's value."""

    type_name: str
    full_type_name: str
    message: str
    stack_trace: str


class ExceptionInfo(Value, frozen=True):
    """The exception of a stop."""

    exception_id: str
    description: str
    break_mode: str
    details: ExceptionInfoDetails


class StoppedBody(FeedBody, frozen=True):
    """The program stands still. ``hit_breakpoint_ids`` are ``bp_N``."""

    type: ClassVar[EventType] = EventType.STOPPED

    reason: str
    description: str
    thread_id: int
    preserve_focus_hint: bool = False
    text: str | None = None
    all_threads_stopped: bool = True
    hit_breakpoint_ids: tuple[str, ...] = ()
    exception_info: ExceptionInfo | UnsetType = UNSET


class ContinuedBody(FeedBody, frozen=True):
    """The program runs again."""

    type: ClassVar[EventType] = EventType.CONTINUED

    thread_id: int
    all_threads_continued: bool = True


class TerminatedBody(FeedBody, frozen=True):
    """A run has ended. ``exit_code`` is None where nobody knows it."""

    type: ClassVar[EventType] = EventType.TERMINATED

    exit_code: int | None
    restart: bool = False
    error: str | UnsetType = UNSET


class OutputBody(FeedBody, frozen=True):
    """A piece of output."""

    type: ClassVar[EventType] = EventType.OUTPUT

    category: str
    output: str
    source: str | None = None
    line: int | None = None
    column: int | None = None


class BreakpointInfo(Value, frozen=True):
    """A breakpoint, as far as an event tells of it; ``id`` is ``bp_N``."""

    id: str
    verified: bool
    line: int | None
    message: str | None


class BreakpointBody(FeedBody, frozen=True):
    """A breakpoint is ``new``, ``changed`` or ``removed``."""

    type: ClassVar[EventType] = EventType.BREAKPOINT

    reason: str
    breakpoint: BreakpointInfo


class ThreadBody(FeedBody, frozen=True):
    """A thread has ``started`` or ``exited``."""

    type: ClassVar[EventType] = EventType.THREAD

    reason: str
    thread_id: int


class ModuleInfo(Value, frozen=True):
    """A module of the program; ``id`` is the adapter's."""

    id: int | str
    name: str
    path: str | None
    is_optimized: bool
    is_user_code: bool
    version: str | None


class ModuleBody(FeedBody, frozen=True):
    """A module is ``new``."""

    type: ClassVar[EventType] = EventType.MODULE

    reason: str
    module: ModuleInfo


class FeedEvent(Value, frozen=True):
    """One event. ``seq`` counts from 1 without gaps, ``time`` is seconds since 1970.

    ``origin`` is who caused it: ``tui``, ``rest``, ``program``, ``adapter``, ``session``... Where
    it ``is_secret``, the value of a secret stands in it.
    """

    seq: int
    time: float
    origin: str
    body: FeedBody
    is_secret: bool = False

    @property
    def type(self) -> EventType:
        """Returns the kind of event that it is."""
        return self.body.type


class OutputEntry(Value, frozen=True):
    """A piece of output as it arrived, with its line ends.

    ``number`` counts from 1, ``time`` is seconds since 1970. ``category`` is ``stdout``, ``stderr``
    or ``console``; ``path`` and ``line`` say where it was written, if that is known. Where it
    ``is_secret``, the value of a secret stands in it.
    """

    number: int
    category: str
    output: str
    time: float
    path: str | None = None
    line: int | None = None
    is_secret: bool = False
