"""An evaluation at the prompt that can be interrupted, and what went wrong in it.

An interrupt must hit the evaluation and nothing else. A SIGINT that came a moment too late would
end the debugger's own wait, and with it the program; the program's own handler, and asyncio's, must
not see it either. So the signal is sent from in here, under a lock, and only while the evaluation
is inside; its handler is ours for that time.
"""

from __future__ import annotations

import _signal as signals  # type: ignore[import-not-found]
import time as clock
import traceback

from _pydev_bundle._pydev_saved_modules import threading

from tuidbg.debuggee import base
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any


FILE = "<console>"


TEXT_LIMIT = 20000
"""Characters of a result or an error."""


class PromptRefused(Exception):
    """Says what can't be done at the prompt; the message is a sentence for a person."""


class PromptEvaluation(object):
    """One evaluation, from ``begin`` to ``end`` in the thread that it runs in."""

    running: dict[Any, Any] = {}

    def __init__(self, token: int) -> None:
        self.token = token
        self.ident = base.get_ident()
        self.is_main = self.ident == threading.main_thread().ident
        self.inside = self.asked = self.came = self.handles = False

    def begin(self) -> None:
        if self.is_main:
            self.handler = signals.getsignal(signals.SIGINT)
            if self.handler is not None:  # else it is C's and could not be put back
                self.wakeup = signals.set_wakeup_fd(-1)
                signals.signal(signals.SIGINT, self.interrupted)
                self.handles = True
        self.inside = True
        self.running[self.token] = self

    def interrupted(self, number: int, frame: FrameType) -> None:
        self.came = True
        if self.inside:
            raise KeyboardInterrupt

    def interrupt(self) -> None:
        self.asked = True
        if self.handles:
            signals.pthread_kill(self.ident, signals.SIGINT)
        else:
            base.raise_in(self.ident, KeyboardInterrupt)

    def end(self) -> None:
        with base.LOCK:
            self.inside = False
            self.running.pop(self.token, None)
            if not self.handles:
                base.raise_in(self.ident, None)
        if self.handles:
            for _ in range(200):  # one that was sent is under way; let it come
                if self.came or not self.asked:
                    break
                clock.sleep(0.001)
            if signals.getsignal(signals.SIGINT) == self.interrupted:  # else it was just changed
                signals.signal(signals.SIGINT, self.handler)
            signals.set_wakeup_fd(self.wakeup)
            self.handles = False


def guarded(token: int, work: Callable[[], Any]) -> Any:
    """The answer of ``work``, or what went wrong in it, as a dictionary."""
    job = PromptEvaluation(token)
    try:
        try:
            job.begin()
            answer = work()
        except BaseException as error:
            answer = failure(error, job)
    except BaseException as error:  # the interrupt came while an error was being described
        answer = failure(error, job)
    while True:
        try:
            job.end()
            return answer
        except KeyboardInterrupt:
            continue


def failure(error: BaseException, job: PromptEvaluation) -> dict[str, Any]:
    if isinstance(error, PromptRefused):
        return {"kind": "refused", "text": str(error)}
    if isinstance(error, KeyboardInterrupt) and (job.asked or job.came):
        return {"kind": "cancelled", "text": ""}
    if isinstance(error, SystemExit):
        return {"kind": "error", "text": "SystemExit: at this prompt it ends nothing"}
    return {"kind": "error", "text": base.cut(describe_error(error), TEXT_LIMIT)}


def describe_error(error: BaseException) -> Any:
    """As Python prints it, without the frames that are ours; none where only the prompt is left."""
    steps = error.__traceback__
    while steps is not None and steps.tb_frame.f_code.co_filename != FILE:
        steps = steps.tb_next
    if steps is not None and steps.tb_next is None and steps.tb_lineno <= 1:
        steps = None
    kind = type(error)
    try:
        if steps is None and error.__cause__ is None and error.__context__ is None:
            lines = traceback.format_exception_only(kind, error)
        else:
            lines = traceback.format_exception(kind, error, steps)
        return "".join(lines).rstrip("\n")
    except Exception as swallowed:
        SWALLOWED["interrupting.describe_error", type(swallowed)] += 1
        return kind.__name__ + ": <its text can't be shown>"
