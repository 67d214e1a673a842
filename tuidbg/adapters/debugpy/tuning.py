"""Builds the expression that patches debugpy in a program, evaluated once on tuidbg's account.

It evaluates to a sentence about the patches that do not fit, or to an empty one.
"""

from __future__ import annotations

import socket

from tuidbg.adapters.debugpy.attach import FORGET
from tuidbg.adapters.debugpy.inside_calls import MISFITS, MONITOR, patching_expression

_QUICK = hasattr(socket, "TCP_QUICKACK")
"""On Linux our adapter acknowledges at once; elsewhere an option is set in the debuggee."""

LAUNCHED = f"({patching_expression(sends_at_once=not _QUICK)}, {MONITOR}, {MISFITS})[-1]"

# An adapter beside the program is not ours. The program may have been debugged before.
ATTACHED = f"({FORGET}, {patching_expression(sends_at_once=True)}, {MONITOR}, {MISFITS})[-1]"
