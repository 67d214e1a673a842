"""All rows; importing this registers them, in the order of the page."""

from tests.compatibility.rows import loops, servers, workers

__all__ = ["loops", "servers", "workers"]
