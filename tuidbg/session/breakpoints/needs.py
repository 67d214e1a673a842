"""The members of a session that its breakpoints take, beside what every part may take."""

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
        """The text of a file as the program runs it; None where there is none."""


class Elsewhere(Protocol):
    """The sources of a program that runs on another machine."""

    def is_elsewhere(self, path: str) -> bool:
        """True for a file that is only there."""


class Tally(Protocol):
    """The counts of hits that the session decides about."""

    def renew_budget(self, number: int) -> None:
        """A tracepoint may tell as often again as it is allowed to."""


class Hits(Protocol):
    """The part that decides at stops where there is no probe."""

    @property
    def tally(self) -> Tally:
        """The counts."""


class KnowsSources(Protocol):
    """Knows the sources, whether or not there is a program."""

    @property
    def sources(self) -> Sources:
        """The rules by which sources are passed over."""

    @property
    def running_sources(self) -> RunningText:
        """The sources as the program runs them."""

    @property
    def remote(self) -> Elsewhere:
        """The sources of a program that runs elsewhere."""

    @property
    def facts(self) -> ProgramFacts:
        """The interpreter's word on the sources."""


class BreakpointsSession(Core, KnowsSources, Protocol):
    """The session as its breakpoints see it."""

    @property
    def probe(self) -> ProbeLink:
        """The session's end of what decides inside the program."""

    @property
    def hits(self) -> Hits:
        """The part that decides at stops where there is no probe."""

    @property
    def exceptions(self) -> Exceptions:
        """At which exceptions it stops."""
