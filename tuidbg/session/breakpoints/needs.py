"""The session members that breakpoints use, beside those open to every part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tuidbg.session.core import Core

if TYPE_CHECKING:
    from tuidbg.session.breakpoints.kinds.exceptions import Exceptions
    from tuidbg.session.hits.probe import ProbeLink
    from tuidbg.session.sources.program_facts import ProgramFacts
    from tuidbg.session.sources.rules import Sources


class RunningText(Protocol):
    """The sources as the program runs them."""

    main: str

    def is_older(self, path: str) -> bool:
        """True if the program runs another text than the file has now."""

    def text(self, path: str) -> str | None:
        """Return the text of a file as the program runs it; None if there is none."""


class Elsewhere(Protocol):
    """The sources of a program that runs on another machine."""

    def is_elsewhere(self, path: str) -> bool:
        """True for a file that exists only there."""


class Tally(Protocol):
    """The hit counts of breakpoints that the session decides on."""

    def renew_budget(self, number: int) -> None:
        """Reset the number of messages a tracepoint may log."""


class Hits(Protocol):
    """The part that decides at stops if there is no probe."""

    @property
    def tally(self) -> Tally:
        """Return the counts."""


class KnowsSources(Protocol):
    """The sources, with or without a program."""

    @property
    def sources(self) -> Sources:
        """Return the rules by which sources are skipped."""

    @property
    def running_sources(self) -> RunningText:
        """Return the sources as the program runs them."""

    @property
    def remote(self) -> Elsewhere:
        """Return the sources of a program that runs elsewhere."""

    @property
    def facts(self) -> ProgramFacts:
        """Return the interpreter's facts about the sources."""


class BreakpointsSession(Core, KnowsSources, Protocol):
    """The session members that breakpoints use."""

    @property
    def probe(self) -> ProbeLink:
        """Return the session's end of the probe inside the program."""

    @property
    def hits(self) -> Hits:
        """Return the part that decides at stops if there is no probe."""

    @property
    def exceptions(self) -> Exceptions:
        """Return the exception breakpoints."""
