"""Stops that leave nothing behind: to the cursor, and on entry."""

from __future__ import annotations

from collections.abc import Iterable


class TemporaryStops:
    """Tells where the program stops once, without an entry in the list of breakpoints."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        """The line of a file, one for each."""
        self.functions: tuple[str, ...] = ()
        """The functions at the first of which the program is stopped on entry."""
        self.adapter_ids: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self.lines or self.functions)

    def is_hit(self, adapter_ids: Iterable[int]) -> bool:
        """True if one of them is among those that were hit."""
        return any(i in self.adapter_ids for i in adapter_ids)

    def forget(self) -> None:
        """Forget all of them."""
        self.functions = ()
        self.lines.clear()
        self.adapter_ids.clear()
