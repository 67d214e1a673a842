"""Asks the recorder in the program, in no frame: whether the program stands or runs."""

from __future__ import annotations

from typing import Any, Protocol

from tuidbg.adapters.errors import AdapterError
from tuidbg.dap.messages import decode_json
from tuidbg.session.core import HasAdapter
from tuidbg.session.evaluation.inside import AsksInside
from tuidbg.session.evaluation.own_questions import ask_program
from tuidbg.session.failures import failure
from tuidbg.session.past.standing import HasBreakpoints
from tuidbg.session.past.stops import HasHistory
from tuidbg.session.sources.running import RunningSources
from tuidbg.session.values.variables import Values

WITHIN = 20.0
"""Seconds in which the program answers: another thread of it may be busy writing."""


class HasPast(AsksInside, HasHistory, HasBreakpoints, Protocol):
    """A session whose program is recorded."""

    @property
    def values(self) -> Values:
        """The variables of its frames."""

    @property
    def running_sources(self) -> RunningSources:
        """A recording that is opened brings its sources."""


class RecorderInside:
    """The recorder of one session's program."""

    def __init__(self, session: HasAdapter) -> None:
        self._session = session

    async def ask(self, function: str, into: Any, **arguments: Any) -> Any:
        """What a function of it gives. Raises AdapterFailed."""
        session = self._session
        inside = session.profile.inside
        assert inside is not None
        try:
            if (install := inside.install(*inside.needed_by("recorder"))) and function == "begin":
                await ask_program(session, install, within=WITHIN)
            call = inside.call("recorder", function, arguments)
            answer = await ask_program(session, call, within=WITHIN)
        except AdapterError as error:
            raise failure(session.profile, error) from error
        return decode_json(inside.read(answer), into)
