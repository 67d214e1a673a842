"""All rows; importing this registers them, in the order of the page."""

from tests.compatibility.rows import servers

__all__ = ["servers"]
