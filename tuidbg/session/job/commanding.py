"""Commands to several processes of a job at once: each that can obey does, and none waits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from tuidbg.session.errors import DebuggerError
from tuidbg.session.execution import Resume
from tuidbg.session.family.family import Relative
from tuidbg.session.session import Session
from tuidbg.session.state import Status, Value

_DONE = {
    None: "asked to pause",
    Resume.CONTINUE: "go on",
    Resume.STEP_OVER: "step over",
    Resume.STEP_IN: "step into",
    Resume.STEP_OUT: "step out",
}


class Obeyed(Value, frozen=True):
    """How many of those that were meant obey; ``refused`` says of others why not."""

    how: Resume | None
    meant: int
    obeying: int
    refused: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Returns that in a line."""
        if not self.obeying and not self.refused:
            return "none of them runs" if self.how is None else "none of them stands"
        rest = self.meant - self.obeying - len(self.refused)
        told = f"{self.obeying} {_DONE[self.how]}"
        if rest:
            told += f", {rest} {'do not run' if self.how is None else 'do not stand'}"
        return "; ".join((told, *self.refused))


async def command_all(
    relatives: Iterable[Relative[Session]], how: Resume | None, *, origin: str
) -> Obeyed:
    """Let those that stand go on in that way, or (``how`` is None) ask those that run to pause.

    Returns when their adapters have agreed, not at the next stop. A pause takes until a process
    runs Python code again.
    """
    meant = list(relatives)
    wanted = Status.RUNNING if how is None else Status.PAUSED
    able = [each for each in meant if each.session.status is wanted]
    answers = await asyncio.gather(*(_command(each, how, origin) for each in able))
    refused = tuple(answer for answer in answers if answer)
    return Obeyed(how=how, meant=len(meant), obeying=len(able) - len(refused), refused=refused)


async def _command(relative: Relative[Session], how: Resume | None, origin: str) -> str:
    """Returns why it does not obey; nothing where it does."""
    execution = relative.session.execution
    try:
        if how is None:
            await execution.pause(origin=origin)
        else:
            await execution.resume(how, origin=origin, queued=False)
    except DebuggerError as error:
        return f"{relative.name}: {error}"
    return ""
