"""The ways to resume a program, and the adapter requests for them."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING

from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class Resume(StrEnum):
    """The ways to resume the program, by their DAP names."""

    CONTINUE = "continue"
    STEP_OVER = "next"
    STEP_IN = "stepIn"
    STEP_OUT = "stepOut"
    STEP_BACK = "stepBack"
    REVERSE_CONTINUE = "reverseContinue"


OPERATIONS = {
    Resume.CONTINUE: "continue",
    Resume.STEP_OVER: "step over",
    Resume.STEP_IN: "step into",
    Resume.STEP_OUT: "step out",
    Resume.STEP_BACK: "step back",
    Resume.REVERSE_CONTINUE: "run back",
}

RUNS = frozenset({Resume.CONTINUE, Resume.REVERSE_CONTINUE})
"""Those that are no steps: they end at a breakpoint."""


async def ask_adapter(session: Session, how: Resume, arguments: dict[str, object]) -> None:
    """Send the request; Ruby's adapter answers a step back only by the stop.

    Raises AdapterError.
    """
    if how is not Resume.STEP_BACK:
        await session.adapter.request(how, arguments)
        return
    asked: asyncio.Future[object] = asyncio.ensure_future(session.adapter.request(how, arguments))
    stopped = asyncio.ensure_future(
        session.events.wait_for(lambda: session.status is not Status.RUNNING)
    )
    try:
        await asyncio.wait((asked, stopped), return_when=asyncio.FIRST_COMPLETED)
        if asked.done():
            asked.result()
    finally:
        asked.cancel()
        stopped.cancel()
