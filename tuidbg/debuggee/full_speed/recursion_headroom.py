"""Room for what happens at a breakpoint where the program is at the end of its recursion.

Callbacks are calls above the program's own, and pydevd's stop is a dozen more: one that fails in
the middle would leave the thread neither running nor stopped. In the very last call that there can
be the callback itself fails, in the program: it gets one call less deep there.
"""

from __future__ import annotations

import sys

from _pydev_bundle._pydev_saved_modules import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


get_limit, set_limit = sys.getrecursionlimit, sys.setrecursionlimit

ROOM = 500
"""The calls that a stop may take, with what is evaluated there."""


class Given(object):
    """Who has room now. The limit is the whole program's: the last one takes it back."""

    count = limit = 0
    lock = threading.Lock()


def with_room(function: Any, *arguments: Any) -> Any:
    """Call it with a higher limit. RecursionError, before anything, in the last call there can be:
    from there the limit could not be taken back."""
    set_limit(get_limit())
    with Given.lock:
        if Given.count == 0:
            Given.limit = get_limit()
        Given.count += 1
        set_limit(Given.limit + ROOM)
    try:
        return function(*arguments)
    finally:
        with Given.lock:
            Given.count -= 1
            is_as_left = get_limit() == Given.limit + ROOM  # the person may have set another one
            if Given.count == 0 and is_as_left:
                try:
                    set_limit(Given.limit)
                except RecursionError:
                    pass  # this thread began while another one had room


LOST = "RecursionError: reached where the program could call nothing any more"
"""What a breakpoint says that could not stop."""
