"""The system's limits for this process."""

from __future__ import annotations

import contextlib
import resource

DESCRIPTORS = 65_536
"""Files that may be open, if the system allows it."""


def raise_limit() -> tuple[int, int]:
    """Raise the limit of open files to the maximum: each of a thousand ranks needs one.

    The usual limit (1,024) protects programs that use ``select``. Returns the limits before.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):  # some systems have a lower limit beside it
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return soft, hard
