"""Counts the errors that tuidbg's own code has swallowed in the program.

An error of that code must not arrive in the program, so nothing reports it there. Whoever looks for
a fault reads the counts, in the console (``__import__('pydevd')._tuidbg['swallowed'].report()``) or
in the DAP log at the program's end. ``SWALLOWED[place, type(error)] += 1`` calls nothing of Python,
and works where the program has no room for a call.
"""

from __future__ import annotations

from collections import defaultdict

SWALLOWED: defaultdict[tuple[str, type[BaseException]], int] = defaultdict(int)
"""By the place, MODULE.FUNCTION, and the type of the error: how often."""


def report() -> dict[str, int]:
    """The counts by "PLACE: TYPE"."""
    return {"%s: %s" % (place, kind.__name__): n for (place, kind), n in list(SWALLOWED.items())}
