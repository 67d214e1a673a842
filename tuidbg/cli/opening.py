"""A session of what the command line asks for, with what is kept for its project.

For front ends that open one session and no screen in this terminal: the line mode and the browser.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.dap_log import DapLog
from tuidbg.adapters.process import Guard
from tuidbg.adapters.table import profile_for
from tuidbg.adapters.traits.sources import SourceProblem
from tuidbg.cli.start import close
from tuidbg.cli.usage import complain
from tuidbg.config.launch import LaunchPlan
from tuidbg.config.project import project_of
from tuidbg.config.request import LaunchRequest
from tuidbg.session.errors import DebuggerError
from tuidbg.session.session import Session
from tuidbg.session.state import BreakpointStatus

if TYPE_CHECKING:
    from tuidbg.cli.project_memory import Keeping


class Opening:
    """Opens one session and sees that what a person sets there is kept."""

    def __init__(self, asked: LaunchRequest, guard: Guard, log: DapLog | None = None) -> None:
        self._asked = asked
        self._guard = guard
        self._log = log
        self._session: Session | None = None
        self._keeping: Keeping | None = None
        self.problem: SourceProblem | None = None
        """Tells why the source can't be run, known once it was to be started."""

    def make(self) -> Session:
        """The session, not started yet. On the loop that it shall belong to."""
        assert self._asked.plan is not None
        profile = profile_for(self._asked.plan)
        self._session = Session(self._asked.plan, profile, self._guard, dap_log=self._log)
        return self._session

    async def start(self) -> None:
        """Start the program; where that fails, the session is ``failed`` and says why."""
        session = self._session
        assert session is not None
        self.problem = (await session.facts.of_target()).problem
        if self.problem is not None:
            return
        if self._asked.is_kept:
            from tuidbg.cli.project_memory import Keeping

            self._keeping = Keeping(session, project_of(session.plan))
            await self._keeping.restore()
        for wanted in self._asked.breakpoints:
            found = session.breakpoints.registry.find(wanted.path, wanted.line)
            if found is not None and found.enabled and not wanted.condition:
                continue  # one of another run stands there; it keeps what it was given then
            made = await session.breakpoints.set(
                wanted.path, wanted.line, condition=wanted.condition, origin="cli"
            )
            if made.status is BreakpointStatus.REFUSED and isinstance(session.plan, LaunchPlan):
                # Else it would run to its end past what a person has asked to see.
                session.plan = msgspec.structs.replace(session.plan, stop_on_entry=True)
        if self._asked.watch:
            session.autorestart.switch(True)
        try:
            await session.lifecycle.start()
        except DebuggerError:
            pass  # the session is `failed` and says why

    async def close(self) -> None:
        """Save what is not saved yet, and end the session."""
        for problem in await self._keeping.close() if self._keeping is not None else ():
            complain(problem)
        if self._session is not None:
            await close(self._session, is_shown=True)
