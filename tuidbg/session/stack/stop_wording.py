"""Words why a program stands: the parts of which every front end makes its own sentence."""

from __future__ import annotations

from tuidbg.session.state import Stop, Value


class StopWording(Value, frozen=True):
    """The parts; those about which there is nothing to say are empty.

    ``exception`` is ``Type: message``, ``problem`` says that a condition failed, ``description``
    and ``text`` are the adapter's own account. ``hits`` are the numbers of the breakpoints.
    """

    reason: str
    exception: str = ""
    problem: str = ""
    hits: str = ""
    description: str = ""
    text: str = ""

    @property
    def headline(self) -> str:
        """The first line of the exception."""
        return self.exception.partition("\n")[0]

    @property
    def breakpoint(self) -> str:
        """The breakpoints, where they are why it stands."""
        return f"breakpoint {self.hits}" if self.hits and self.reason == "breakpoint" else ""

    @property
    def said(self) -> str:
        """The adapter's account, else the plain reason."""
        return self.description or self.reason

    @property
    def line(self) -> str:
        """Everything that is known, the most telling part alone."""
        return self.exception or self.problem or self.description or self.text or self.reason


def word_stop(stop: Stop) -> StopWording:
    """Put a stop into words."""
    exception = stop.exception
    return StopWording(
        reason=stop.reason.value,
        exception=f"{exception.type}: {exception.message}" if exception is not None else "",
        problem=stop.problem,
        hits=", ".join(map(str, stop.hit_breakpoints)),
        description=stop.description,
        text=stop.text,
    )
