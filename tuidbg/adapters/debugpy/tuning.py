"""Expressions that patch debugpy in a program, evaluated once on tuidbg's account.

They evaluate to a sentence about the patches that do not fit, or to an empty one.
"""

from __future__ import annotations

from functools import cache

from tuidbg.debuggee.bundle import call_expression
from tuidbg.debuggee.start import FULL_SPEED, PATCHES

_LOADED = (*(f"patches.{name}" for name in PATCHES), FULL_SPEED)


@cache
def launched_expression() -> str:
    return call_expression("start", "start", also=_LOADED)


@cache
def attached_expression() -> str:
    """The same for a program that may have been debugged before."""
    return call_expression("start", "start", True, also=_LOADED)
