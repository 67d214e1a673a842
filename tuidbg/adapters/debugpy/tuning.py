"""Builds the expression that patches debugpy in a program, evaluated once on tuidbg's account.

It evaluates to a sentence about the patches that do not fit, or to an empty one.
"""

from __future__ import annotations

from tuidbg.adapters.debugpy.bundle import call_expression
from tuidbg.debuggee.start import FULL_SPEED, PATCHES

_LOADED = (*(f"patches.{name}" for name in PATCHES), FULL_SPEED)

LAUNCHED = call_expression("start", "start", also=_LOADED)

ATTACHED = call_expression("start", "start", True, also=_LOADED)
"""The program may have been debugged before."""
