"""The limits that the system sets to this process."""

from __future__ import annotations

import contextlib
import resource

DESCRIPTORS = 65_536
"""Files that are opened at most, where the system lets us."""


def raise_limit() -> tuple[int, int]:
    """Let this process open as many files as it may: of a thousand ranks each is one.

    What is usual (1,024) is there for programs that use ``select``. Returns the limits before.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):  # some systems have a lower limit beside it
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return soft, hard
