"""Times as every front end writes them."""

from __future__ import annotations

from datetime import UTC, datetime


def make_time(seconds: float) -> str:
    """Seconds since 1970 as ISO 8601 in UTC with milliseconds."""
    told = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return told.removesuffix("+00:00") + "Z"
