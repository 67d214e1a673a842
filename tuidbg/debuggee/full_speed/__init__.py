"""Breakpoints and steps that cost nothing where they do not stop, from Python 3.12 on.

pydevd has every line of a function told to it in which there is a breakpoint, and every call under
a step. The interpreter can tell of single lines and functions alone (``sys.monitoring``): so pydevd
finds no breakpoints for its own tracing, and this asks at their lines what pydevd would have asked,
and suspends through it. It stays the adapter for stops, steps, frames and values; where it is not
as expected it does all of it as ever.
"""

from __future__ import annotations
