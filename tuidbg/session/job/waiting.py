"""What each process of a job waits for, as its main thread tells; nobody is stopped for that."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from tuidbg.session.errors import DebuggerError
from tuidbg.session.family.family import Relative
from tuidbg.session.job.asking import AT_ONCE
from tuidbg.session.job.learning import PATIENCE
from tuidbg.session.session import Session
from tuidbg.session.stack.waits import WaitingThread, find_waits
from tuidbg.session.state import Status

_MAIN = "MainThread"


async def find_job_waits(relatives: Iterable[Relative[Session]]) -> dict[int, str]:
    """What they wait for, in words, by their numbers; of one that can't tell there is nothing.

    One that stands waits for nothing but its debugger. A process that hangs is not waited for
    longer than a look at the job waits for it.
    """
    turns = asyncio.Semaphore(AT_ONCE)
    asked = [each for each in relatives if each.session.status is Status.RUNNING]
    found = await asyncio.gather(*(_find(each.session, turns) for each in asked))
    return {each.number: words for each, words in zip(asked, found, strict=True) if words}


async def _find(session: Session, turns: asyncio.Semaphore) -> str:
    async with turns:
        try:
            async with asyncio.timeout(PATIENCE):
                found = await find_waits(session)
        except (DebuggerError, TimeoutError):
            return ""
    main = next((each for each in found.threads if each.name == _MAIN), None)
    return _describe(main or next(iter(found.threads), None))


def _describe(thread: WaitingThread | None) -> str:
    if thread is None or not thread.held_by:
        return thread.waits_for if thread is not None else ""
    return f"{thread.waits_for}, held by {thread.held_by}"
