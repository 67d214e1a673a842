"""Says why a program stands: what is known of a stop, and all sentences that are made of it.

Those who tell a stop have more or less room, and have told other things of it already. So that one
sees what differs, each sentence has a name and stands here, beside the others. What counts first in
each, where it is known:

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
from tuidbg.session.state import ExceptionState, Frame, Stop, StopReason, ThreadState, Value

ABOVE, BELOW, EARLIER = "above", "below", "earlier"
"""Where frames are left out, seen from one that is told; the last are of an earlier exception."""


class LeftOut(NamedTuple):
    """Frames of libraries that the debugger leaves out at one place beside a frame."""

    where: str
    number: int
    words: str


def left_out(frame: Frame, places: Sequence[str]) -> Iterator[LeftOut]:
    """Yields what is left out beside ``frame``, one for each of ``places`` where some are."""
    for where in places:
        if count := getattr(frame.beside, where, 0):
            is_earlier = frame.is_earlier or where == EARLIER
            yield LeftOut(where, count, of_libraries(count, is_earlier=is_earlier))


def of_libraries(count: int, *, is_earlier: bool) -> str:
    """So many frames of libraries in words; ``is_earlier``: of an exception before this one."""
    number = f"{count} earlier" if is_earlier else str(count)  # as the frames' remarks have it
    return f"{number} frame of a library" if count == 1 else f"{number} frames of libraries"


def render_stack(
    frames: Sequence[Frame],
    *,
    total: int = 0,
    thread: ThreadState | None = None,
    stop: Stop | None = None,
    module_of: Callable[[Frame], str] = lambda frame: "",
) -> str:
    """One line a frame, the innermost first; ``total`` counts the frames that are not there yet.

    Frames of libraries that the debugger leaves out have a line of their own together.
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


class StopWording(Value, frozen=True):
    """Holds what is known of a stop; that about which there is nothing to say is empty.

    ``exception`` is ``Type: message``, ``raised`` the same without a colon where there is no
    message; ``is_uncaught``: nobody has caught it. ``problem`` says that a condition failed,
    ``description`` and ``text`` are the adapter's own account. ``hits`` are the numbers of the
    breakpoints.
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
        """Everything that is known, the most telling part alone."""
        return self.exception or self.problem or self.description or self.text or self.reason.value

    @property
    def brief(self) -> str:
        """The same for a list of stops."""
        return _shorten(self.exception) or self._breakpoint or self.description or self.reason.value

    @property
    def label(self) -> str:
        """A few words for beside the place; of an exception no account but its own."""
        if self.reason is StopReason.EXCEPTION:
            return self.raised_briefly or self.reason.value
        return self.problem or self._breakpoint or self.description or self.reason.value

    @property
    def raised_briefly(self) -> str:
        """The exception in one line."""
        return _shorten(self.raised)

    @property
    def heading(self) -> str:
        """The kind of the stop, and what made it."""
        if self.exception:
            return f"exception {self.exception}"
        return f"breakpoint {self.hits}" if self.hits else self.reason.value

    @property
    def cause(self) -> str:
        """Tells what has stopped the program, as the subject of a sentence."""
        if self.hits:
            return f"breakpoint{'s' if ',' in self.hits else ''} {self.hits}"
        if self.reason is StopReason.EXCEPTION:
            return "an exception"
        return self.description or f"a {self.reason}"

    @property
    def note(self) -> str:
        """Tells what there is to say beside the reason."""
        return self.problem or self.text

    @property
    def account(self) -> str:
        """The adapter's own account, where it gives one."""
        return self.description or self.text

    @property
    def lines(self) -> tuple[str, ...]:
        """All that is no step's doing, a line for each."""
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
        """DAP's description and text of a stop, of which programs are told that ``reason``.

        What adapters say at an exception is the exception's, and stands in the text.
        """
        if self.reason is StopReason.EXCEPTION:
            said = ": ".join(filter(None, (self.text, self.description)))
            return describe_reason(reason), self.raised or said
        return self.description or describe_reason(reason), self.note

    @property
    def _breakpoint(self) -> str:
        """The breakpoints, where they are why it stands."""
        is_why = self.hits and self.reason is StopReason.BREAKPOINT
        return f"breakpoint {self.hits}" if is_why else ""


def word_stop(stop: Stop) -> StopWording:
    """Put a stop into words."""
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
    """Name the kind of a stop, without message or value: equal stops of many processes are one."""
    if stop.exception is not None:
        return stop.exception.type
    if stop.problem:
        return f"error in {word_stop(stop).cause}"
    return stop.signal or stop.other_reason or word_stop(stop)._breakpoint or stop.reason.value


def word_exception(exception: ExceptionState) -> str:
    """``Type: message``, or what of it is known."""
    return ": ".join(filter(None, (exception.type, exception.message)))


def _shorten(exception: str) -> str:
    kind, colon, message = exception.partition(": ")
    return kind + colon + first_words(message)


def describe_reason(reason: str) -> str:
    """The plain description of a stop for programs."""
    return f"Paused on {reason}"
