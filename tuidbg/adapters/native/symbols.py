"""Questions about the symbols of native programs, and commands of the debugger's own.

A profile has ``SymbolQuestions`` where its adapter can answer them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from tuidbg.adapters.native.questions import Ask


class Symbol(msgspec.Struct, frozen=True):
    """An entry of a symbol table. ``address`` is None for what another module has.

    ``kind``: ``function``, ``data``, ``trampoline`` (a stub that leads to another module),
    ``undefined`` (imported), ``other``.
    """

    name: str
    kind: str
    module: str
    address: int | None = None
    size: int = 0


class Call(msgspec.Struct, frozen=True):
    """A call in a module: of which function, in which, and where."""

    callee: str
    caller: str
    address: int


class SymbolQuestions(Protocol):
    """Asks an adapter that knows symbols. All of them raise AdapterError."""

    async def run_command(self, ask: Ask, text: str, frame_id: int | None = None) -> str:
        """Returns what the debugger answers to a command of its own, errors included."""

    async def list_symbols(self, ask: Ask, module: str) -> Sequence[Symbol]:
        """The symbol table of a module, by its name or path; empty where there is none."""

    async def list_calls(self, ask: Ask, functions: Sequence[Symbol]) -> Sequence[Call]:
        """The calls of other modules' functions in these, which lie near each other."""
