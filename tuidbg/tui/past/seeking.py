"""A question to the recording while it is worked out: the keys go on, and Esc calls it off."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from time import monotonic
from typing import Any, TypeVar

from tuidbg.session.errors import StaleReply
from tuidbg.tui.context import Context

T = TypeVar("T")

SILENT = 0.2
"""Seconds in which an answer comes that needs no word before it."""

_AGAIN = 1.0
"""Seconds between two words that it still seeks."""


async def seek(ui: Context, question: Coroutine[Any, Any, T], what: str) -> T:
    """The answer to a question; ``what`` is sought.

    Raises StaleReply where nobody wants to know it any more: it was called off, another question
    was asked, or the person looks at another moment by now.
    """
    past, asked_at = ui.view.past, _looked_at(ui)
    past.call_off()
    task = past.seeking = asyncio.ensure_future(question)
    began, wait, told = monotonic(), SILENT, ""
    try:
        while not (await asyncio.wait({task}, timeout=wait))[0]:
            told = f"seeks {what}, {monotonic() - began:.0f} s; Esc calls it off"
            ui.status.show_hint(told)
            wait = _AGAIN
    finally:
        task.cancel()
        if past.seeking is task:
            past.seeking = None
        if told:
            ui.status.clear_hint(told)
    if task.cancelled() and past.seeking is None:
        ui.status.show_hint("called off")
    if task.cancelled() or _looked_at(ui) != asked_at:
        raise StaleReply("question")
    answer: T = task.result()
    return answer


def _looked_at(ui: Context) -> tuple[int, object]:
    return ui.session.stop_id, ui.view.past.moment
