"""Imports debugpy at once where Python's mode makes all imports lazy (``-X lazy_imports=all``).

For each way in which debugpy gets into a program. debugpy 1.8 asserts that what it has imported is
in ``sys.modules``, and looks for its own modules on a path that is there for a moment only. The
mode came with Python 3.15.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class EagerImports:
    """A context manager; behind it the program's mode holds again."""

    _sys: Any = sys
    """mypy knows the functions as those of Python 3.15 only."""

    def __enter__(self) -> None:
        self._mode = getattr(sys, "get_lazy_imports", str)()
        if self._mode:
            self._sys.set_lazy_imports("normal")

    def __exit__(self, *raised: object) -> None:
        if self._mode:
            self._sys.set_lazy_imports(self._mode)
