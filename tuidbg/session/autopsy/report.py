"""The report of an autopsy on an exception, as immutable values."""

from __future__ import annotations

from typing import NamedTuple

from tuidbg.session.errors import DebuggerError
from tuidbg.session.state import Place, Value


class NoException(DebuggerError):
    """The program does not stand at an exception."""

    def __init__(self) -> None:
        super().__init__("the program did not stop at an exception")


class Limits(NamedTuple):
    """Limits what is asked for: frames, those with variables, exceptions that led to it."""

    frames: int
    variable_frames: int
    inner: int


class SourceLine(Value, frozen=True):
    """A line of the program. ``source`` is its text, empty where there is none to be read.

    ``column`` and ``end_column`` say which part of it (from 1, the end exclusive); 0: not known.
    """

    place: Place
    function: str = ""
    source: str = ""
    column: int = 0
    end_column: int = 0


class AutopsyVariable(Value, frozen=True):
    """A value as it was shown, cut and in time.

    ``scope`` is ``Argument`` or ``Local``; ``children_count`` is None where it has none.
    """

    name: str
    type: str
    value: str
    scope: str
    children_count: int | None = None

    @property
    def has_children(self) -> bool:
        """True if there is something inside of it."""
        return self.children_count is not None


class VariableProblem(Value, frozen=True):
    """A variable that could not be read, and why."""

    name: str
    problem: str


class FrameVariables(Value, frozen=True):
    """The locals of a frame; ``errors`` is None where all could be read.

    ``left_out`` counts the arguments and locals beyond the limit.
    """

    locals: tuple[AutopsyVariable, ...]
    errors: tuple[VariableProblem, ...] | None = None
    left_out: int = 0


class AutopsyFrame(Value, frozen=True):
    """A frame that the exception passed through or that called those.

    Frames of libraries are among them, and such as the exception has left already; the stack that
    debugpy tells of has not all of these. ``arguments`` and ``variables`` are None where nobody
    asked for them.
    """

    index: int
    function: str
    module: str
    is_external: bool
    is_throwing: bool
    line: SourceLine
    arguments: tuple[AutopsyVariable, ...] | None = None
    variables: FrameVariables | None = None

    @property
    def location(self) -> SourceLine | None:
        """Returns where it is in the person's own code; None for libraries."""
        return None if self.is_external else self.line


class ExceptionPart(Value, frozen=True):
    """One exception of the autopsy.

    ``link`` says how it belongs to the one above: ``cause`` (the direct cause), ``context`` (it was
    being handled), ``member`` (of a group); empty for the exception itself. ``inner`` is the chain
    that led to it, the latest first, ``members`` those of a group. ``suppressed`` is the
    type of what ``raise ... from None`` hides. ``problem`` says why there is no message.
    """

    type: str
    message: str
    problem: str = ""
    link: str = ""
    notes: tuple[str, ...] = ()
    attributes: tuple[AutopsyVariable, ...] = ()
    raised_at: SourceLine | None = None
    suppressed: str = ""
    members: tuple[ExceptionPart, ...] = ()
    members_total: int = 0
    inner: tuple[ExceptionPart, ...] = ()
    inner_truncated: bool = False


class InnerException(Value, frozen=True):
    """One of the chain; ``depth`` counts from 1."""

    type: str
    message: str
    depth: int


class AutopsyReport(Value, frozen=True):
    """All that is known of the exception at a stop.

    ``is_first_chance``: it may still be caught. ``stack_trace`` is Python's own text of it.
    """

    stop_id: int
    thread_id: int
    exception: ExceptionPart
    is_first_chance: bool
    stack_trace: str
    frames: tuple[AutopsyFrame, ...]
    total_frames: int
    throwing_frame_index: int

    @property
    def inner_exceptions(self) -> tuple[InnerException, ...]:
        """The chain, as far as it was asked for."""
        return tuple(
            InnerException(type=part.type, message=part.message, depth=depth)
            for depth, part in enumerate(self.exception.inner, start=1)
        )

    @property
    def inner_exceptions_truncated(self) -> bool:
        """True if the chain goes on."""
        return self.exception.inner_truncated
