"""Tells how an adapter runs tuidbg's own questions inside the program (``Inside``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Inside(Protocol):
    """Makes the expressions that the adapter evaluates, and reads the answers."""

    def needed_by(self, module: str) -> Sequence[str]:
        """The modules that one is built on, and it itself, in the order of their installation."""

    def install(self, *modules: str) -> str:
        """Puts modules of questions into the program; harmless where they are there already."""

    def call(self, module: str, function: str, arguments: Mapping[str, Any]) -> str:
        """Asks one question; the arguments are plain values."""

    def expression(self, module: str, function: str, arguments: Sequence[Any]) -> str:
        """An expression whose value is a function's answer itself; it takes no frame."""

    def read(self, answer: str) -> bytes:
        """The answer as JSON, of what the adapter gave for the evaluation."""

    def read_refusal(self, answer: str) -> str:
        """Returns in a sentence what a question raised instead of an answer; else nothing."""
