"""Connects pydevd without its wait of 100 ms for the start of its own two threads.

``Thread.start`` returns once a thread runs. This comes before the debugger, in each way in which it
gets into a program; a forked process has it from its parent.
"""

from __future__ import annotations

import sys

from tuidbg.debuggee.patches.registry import patch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NoWaiting(object):
    """Replacement for the module ``time``, of which pydevd uses one function there."""

    @staticmethod
    def sleep(seconds: float) -> None:
        pass


@patch("connect without waiting")
def patch_connecting() -> None:
    pydevd: Any = sys.modules["pydevd"]
    native = pydevd.PyDB.initialize_network
    if native.__globals__ is not vars(pydevd):
        return  # it is done
    names = dict(vars(pydevd), time=NoWaiting)
    pydevd.PyDB.initialize_network = type(native)(native.__code__, names, None, native.__defaults__)
