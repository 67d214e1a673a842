"""References to memory, as adapters write them."""

from __future__ import annotations


def parse_reference(reference: str | None) -> int | None:
    """The address that a DAP reference to memory stands for, where it is one."""
    try:
        return int(reference, 0) if reference else None
    except ValueError:
        return None
