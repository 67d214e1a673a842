"""Waits until an app under test has nothing to do, by looking at its event loop.

Textual's pilot sleeps for 20 ms at a time until the process has used little of the processor in
them: that was half of the time of a test of the screen, and on a busy machine it says little.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from textual.timer import Timer

SOON = 0.02
"""Seconds within which a timer counts as due: Textual paints, and gathers changes, by such."""

LONGEST = 0.25
"""Seconds of timers that one wait may take: some timers come again and again."""

QUIET_TURNS = 3
"""Turns of the loop in a row with nothing to do: what comes by a socket pair takes one or two."""


async def wait_for_idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Stands in for ``textual.pilot.wait_for_idle``, and takes its arguments.

    What the loop has to do is read from asyncio's ``_ready`` and ``_scheduled``. A timer of
    Textual's that is due soon ticks at once. The longest time is one of the processor: on a busy
    machine the app takes many times as long. Only threads are waited for by the clock: one may
    itself wait for what the test does next.
    """
    loop: Any = asyncio.get_running_loop()
    threads_until = time.monotonic() + max_sleep
    begun, left, quiet = time.process_time(), LONGEST, 0
    while quiet < QUIET_TURNS and time.process_time() < begun + max_sleep:
        await asyncio.sleep(0)
        if loop._ready:
            quiet = 0
            continue
        if time.monotonic() < threads_until and _threads_work(loop._default_executor):
            quiet = 0
            await asyncio.sleep(0.001)
            continue
        quiet += 1
        if quiet < QUIET_TURNS:
            continue
        due = min(_timers(loop), key=lambda found: found[0], default=None)
        if due is None:
            break
        seconds, handle, timer_sleep = due
        if seconds > min(SOON, left):
            break
        quiet, left = 0, left - seconds
        if timer_sleep is None:
            await asyncio.sleep(seconds)
        else:
            handle.cancel()
            timer_sleep.set_result(None)


def _threads_work(executor: ThreadPoolExecutor | None) -> bool:
    """Tells whether a thread of the loop's own pool has something to do."""
    if executor is None:
        return False
    idle: Any = executor._idle_semaphore
    return bool(idle._value < len(executor._threads) or executor._work_queue.qsize())


def _timers(loop: Any) -> Iterator[tuple[float, asyncio.TimerHandle, asyncio.Future[None] | None]]:
    """What the loop will call, in how many seconds, and the sleep of Textual's timer that it ends.

    Timers that are paused are left out: their tick would do nothing. One that ticked early waits
    for longer by as much, hence its interval.
    """
    for handle in loop._scheduled:
        if handle.cancelled():
            continue
        seconds = max(0.0, handle.when() - loop.time())
        future = next(iter(handle._args or ()), None)
        timer = _timer_of(future) if isinstance(future, asyncio.Future) else None
        if timer is None:
            yield seconds, handle, None
        elif timer._active.is_set() and not future.done():
            yield min(seconds, timer._interval), handle, future


def _timer_of(sleep: Any) -> Timer | None:
    """The timer of Textual's that waits for this sleep."""
    for callback, _ in sleep._callbacks or ():
        task = getattr(callback, "__self__", None)
        coroutine = task.get_coro() if isinstance(task, asyncio.Task) else None
        if inspect.iscoroutine(coroutine) and coroutine.cr_code is Timer._run_timer.__code__:
            coroutine = coroutine.cr_await
        if inspect.iscoroutine(coroutine) and coroutine.cr_code is Timer._run.__code__:
            frame = coroutine.cr_frame
            timer: Timer | None = frame.f_locals["self"] if frame is not None else None
            return timer
    return None
