"""The wording of stops: the reason why a program is stopped, in all its forms.

Displays of a stop have more or less space, and have shown other parts of it already. To make the
differences visible, each sentence has a name and is listed here, beside the others. The first known
of these counts:

=============  ==========================================================================
``line``       the exception, a condition's problem, description, text, the reason
``brief``      the exception's first line, the breakpoint, description, the reason
``label``      the exception's first line; or problem, breakpoint, description, the reason
``heading``    the exception, what was hit, the reason
``cause``      what was hit, "an exception", description, the reason
``note``       problem, text
``account``    description, text
``lines``      what was hit, the exception or that it was paused, and the problem: all of them
``paused_on``  the reason and, as a text of its own, the exception, or the problem, or text
=============  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tuidbg.lines import first_words
from tuidbg.session.model.state import (
    ExceptionState,
    Frame,
    StateValue,
    Stop,
    StopReason,
    ThreadState,
)

ABOVE, BELOW, EARLIER = "above", "below", "earlier"
"""Where frames are omitted, relative to a shown one; the last are of an earlier exception."""


class LeftOut(NamedTuple):
    """Library frames omitted by the debugger at one place beside a frame."""

    where: str
    number: int
    words: str


def left_out(frame: Frame, places: Sequence[str]) -> Iterator[LeftOut]:
    """Yield the frames omitted beside ``frame``, one for each of ``places`` with some."""
    for where in places:
        if count := getattr(frame.beside, where, 0):
            is_earlier = frame.is_earlier or where == EARLIER
            yield LeftOut(where, count, of_libraries(count, is_earlier=is_earlier))


def of_libraries(count: int, *, is_earlier: bool) -> str:
    """Return a number of library frames in words; ``is_earlier``: of an earlier exception."""
    number = f"{count} earlier" if is_earlier else str(count)  # as in the frames' remarks
    return f"{number} frame of a library" if count == 1 else f"{number} frames of libraries"


def render_stack(
    frames: Sequence[Frame],
    *,
    total: int = 0,
    thread: ThreadState | None = None,
    stop: Stop | None = None,
    module_of: Callable[[Frame], str] = lambda frame: "",
) -> str:
    """Render one line a frame, innermost first; ``total`` includes the frames not fetched yet.

    Omitted library frames have one line together.
    """
    lines = []
    if thread is not None:
        why = f", stopped: {stop.reason}" if stop and stop.thread_id == thread.id else ""
        lines.append(f"{thread.name}{why}")
    width = len(str(len(frames)))
    for frame in frames:
        module = module_of(frame)
        place = f"{frame.place.path}:{frame.place.line}" if frame.place else "no source"
        name = f"{frame.name} ({module})" if module else frame.name
        remark = f"  ({frame.remark})" if frame.remark else ""
        lines += [f"... {each.words}" for each in left_out(frame, (ABOVE,))]
        lines.append(f"#{frame.index:<{width}} {name}  {place}{remark}")
        lines += [f"... {each.words}" for each in left_out(frame, (BELOW, EARLIER))]
    if total > len(frames):
        lines.append(f"... {total - len(frames)} more")
    return "\n".join(lines) + "\n"


class StopWording(StateValue, frozen=True):
    """The known facts of a stop; unknown ones are empty.

    ``exception`` is ``Type: message``, ``raised`` the same without a colon if there is no message;
    ``is_uncaught``: it is not caught. ``problem`` is the error of a condition, ``description`` and
    ``text`` are the adapter's own account. ``hits`` are the numbers of the breakpoints.
    """

    reason: StopReason
    exception: str = ""
    raised: str = ""
    is_uncaught: bool = False
    problem: str = ""
    hits: str = ""
    description: str = ""
    text: str = ""

    @property
    def line(self) -> str:
        """Return only the most specific known fact."""
        return self.exception or self.problem or self.description or self.text or self.reason.value

    @property
    def brief(self) -> str:
        """Return the same for a list of stops."""
        return _shorten(self.exception) or self._breakpoint or self.description or self.reason.value

    @property
    def label(self) -> str:
        """Return a few words to show beside the place; for an exception only its own account."""
        if self.reason is StopReason.EXCEPTION:
            return self.raised_briefly or self.reason.value
        return self.problem or self._breakpoint or self.description or self.reason.value

    @property
    def raised_briefly(self) -> str:
        """Return the exception in one line."""
        return _shorten(self.raised)

    @property
    def heading(self) -> str:
        """Return the kind of the stop, and its cause."""
        if self.exception:
            return f"exception {self.exception}"
        return f"breakpoint {self.hits}" if self.hits else self.reason.value

    @property
    def cause(self) -> str:
        """Return what has stopped the program, as the subject of a sentence."""
        if self.hits:
            return f"breakpoint{'s' if ',' in self.hits else ''} {self.hits}"
        if self.reason is StopReason.EXCEPTION:
            return "an exception"
        return self.description or f"a {self.reason}"

    @property
    def note(self) -> str:
        """Return the facts beside the reason."""
        return self.problem or self.text

    @property
    def account(self) -> str:
        """Return the adapter's own account, if there is one."""
        return self.description or self.text

    @property
    def lines(self) -> tuple[str, ...]:
        """Return all facts that are not a step's result, a line for each."""
        found = []
        if self.hits:
            found.append(f"Breakpoint {self.hits}.")
        if self.exception:
            caught = " (not caught)" if self.is_uncaught else ""
            found.append(f"Exception{caught}: {self.raised}")
        elif self.reason is StopReason.PAUSE:
            found.append(f"Stopped: {self.description}." if self.description else "Paused.")
        if self.problem:
            found.append(f"*** {self.problem}")
        return tuple(found)

    def paused_on(self, reason: str) -> tuple[str, str]:
        """Return DAP's description and text of a stop reported with that ``reason``.

        An adapter's account of an exception is in the text.
        """
        if self.reason is StopReason.EXCEPTION:
            said = ": ".join(filter(None, (self.text, self.description)))
            return describe_reason(reason), self.raised or said
        return self.description or describe_reason(reason), self.note

    @property
    def _breakpoint(self) -> str:
        """Return the breakpoints, if they are the cause."""
        is_why = self.hits and self.reason is StopReason.BREAKPOINT
        return f"breakpoint {self.hits}" if is_why else ""


def word_stop(stop: Stop) -> StopWording:
    """Convert a stop for wording."""
    exception = stop.exception
    mode = exception.break_mode if exception is not None else ""
    return StopWording(
        reason=stop.reason,
        exception=f"{exception.type}: {exception.message}" if exception is not None else "",
        raised=word_exception(exception) if exception is not None else "",
        is_uncaught=mode == "unhandled",
        problem=stop.problem,
        hits=", ".join(map(str, stop.hit_breakpoints)),
        description=stop.description,
        text=stop.text,
    )


def name_reason(stop: Stop) -> str:
    """Return the kind of a stop, without message or value, to group equal stops."""
    if stop.exception is not None:
        return stop.exception.type
    if stop.problem:
        return f"error in {word_stop(stop).cause}"
    return stop.signal or stop.other_reason or word_stop(stop)._breakpoint or stop.reason.value


def word_exception(exception: ExceptionState) -> str:
    """Return ``Type: message``, or the known part of it."""
    return ": ".join(filter(None, (exception.type, exception.message)))


def _shorten(exception: str) -> str:
    kind, colon, message = exception.partition(": ")
    return kind + colon + first_words(message)


def describe_reason(reason: str) -> str:
    """Return the plain description of a stop for API clients."""
    return f"Paused on {reason}"
