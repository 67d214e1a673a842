"""Waiting for conditions, with a deadline, in place of sleeping for a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


PATIENCE = 90.0
"""Seconds that a condition may take; what is waited for takes a small part of it.

On a machine that has much else to do, starting some programs takes most of a minute.
"""


def wait_until(
    condition: Callable[[], Result], timeout: float = PATIENCE, what: str = ""
) -> Result:
    """Call ``condition`` until what it returns is true, and return that.

    Fails with ``what`` (or the condition's name) after ``timeout`` seconds.
    """
    deadline = time.monotonic() + timeout
    while not (result := condition()):
        if time.monotonic() > deadline:
            name = what or getattr(condition, "__name__", repr(condition))
            raise AssertionError(f"not within {timeout} s: {name}")
        time.sleep(0.01)
    return result
