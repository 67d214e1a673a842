"""The evaluation of tuidbg's own queries inside the program (``Inside``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Inside(Protocol):
    """Creates the expressions for the adapter, and decodes the results."""

    def needed_by(self, module: str) -> Sequence[str]:
        """Return the dependencies of a module and itself, in the order of installation."""

    def install(self, *modules: str) -> str:
        """Return code that installs query modules in the program, if they don't exist."""

    def call(self, module: str, function: str, arguments: Mapping[str, Any]) -> str:
        """Return a call of a query; the arguments are plain values."""

    def expression(self, module: str, function: str, arguments: Sequence[Any]) -> str:
        """Return an expression whose value is a function's result itself; it gets no frame."""

    def read(self, answer: str) -> bytes:
        """Return the result as JSON from the adapter's evaluation result."""

    def read_refusal(self, answer: str) -> str:
        """Return the error raised by a query as a sentence; else empty."""
