"""Builds the expression that patches debugpy in a program, evaluated once on tuidbg's account.

It evaluates to a sentence about the patches that do not fit, or to an empty one.
"""

from __future__ import annotations

from tuidbg.adapters.debugpy.attach import FORGET
from tuidbg.adapters.debugpy.inside_calls import MISFITS, MONITOR, patching_expression

LAUNCHED = f"({patching_expression(sends_at_once=True)}, {MONITOR}, {MISFITS})[-1]"

# An adapter beside the program is not ours. The program may have been debugged before.
ATTACHED = f"({FORGET}, {patching_expression(sends_at_once=True)}, {MONITOR}, {MISFITS})[-1]"
