"""Queries of native adapters for which DAP has no request.

A profile has a ``NativeQuestions`` if its adapter can answer them; the session does not depend on
how (``adapters/lldb/questions.py`` uses LLDB's commands).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

T = TypeVar("T")


class Ask(Protocol):
    """Sends a DAP request to the adapter, as ``Session.request``. Raises AdapterError."""

    async def __call__(
        self,
        command: str,
        arguments: object = None,
        *,
        into: type[T],
        timeout: float | None = None,
    ) -> T: ...


class CodePlace(msgspec.Struct, frozen=True):
    """A location of a breakpoint. ``path`` is empty if no source is known."""

    address: int
    path: str = ""
    line: int = 0
    column: int = 0
    function: str = ""
    module: str = ""


class DataPlace(msgspec.Struct, frozen=True):
    """The memory location of a value, in bytes; ``type`` if known."""

    address: int
    size: int
    type: str = ""


class Change(msgspec.Struct, frozen=True):
    """The old and new value at a data breakpoint."""

    old: str
    new: str


class Thrown(msgspec.Struct, frozen=True):
    """An exception of the program's own language: its type, and its message if it has one."""

    type: str
    message: str = ""


class CannotWatch(Exception):
    """A value can't be watched; the text is the reason as a sentence."""


class NativeQuestions(Protocol):
    """The queries of native adapters. All of them raise AdapterError."""

    @property
    def data_limit(self) -> str:
        """Return the limits on number and size of watched values, in words."""

    async def find_places(self, ask: Ask) -> Mapping[int, Sequence[CodePlace]]:
        """Return the locations of each breakpoint, by the adapter's ids."""

    async def explain_line(self, ask: Ask, path: str, line: int) -> tuple[str, int | None]:
        """Return why there is no code at a line, and the nearest line of the file that has some."""

    async def find_source(self, ask: Ask, name: str) -> Sequence[str]:
        """Return the program's sources of that name, or whose paths end with it."""

    async def find_data(self, ask: Ask, expression: str, frame_id: int | None) -> DataPlace:
        """Return the location of an expression's value. Raises CannotWatch."""

    async def read_stack_pointer(self, ask: Ask, frame_id: int) -> int | None:
        """Return the stack pointer of a frame; None if unknown."""

    async def read_change(self, ask: Ask, data_id: int) -> Change | None:
        """Return the last change at the data breakpoint of that id."""

    async def find_thrown(
        self, ask: Ask, frame_id: int, functions: Sequence[str], reason: str
    ) -> Thrown | None:
        """Return the exception that led to a stop, if one did.

        ``functions`` are those on the stack, the top one (of ``frame_id``) first; ``reason`` is the
        adapter's word for the stop.
        """

    async def save_core(self, ask: Ask, path: Path) -> None:
        """Write the stopped program to a core file."""

    async def handle_signal(self, ask: Ask, name: str, *, stop: bool, deliver: bool) -> None:
        """Set whether a signal stops the program, and whether it is delivered."""


class Symbol(msgspec.Struct, frozen=True):
    """An entry of a symbol table. ``address`` is None for an import.

    ``kind``: ``function``, ``data``, ``trampoline`` (a stub that leads to another module),
    ``undefined`` (imported), ``other``.
    """

    name: str
    kind: str
    module: str
    address: int | None = None
    size: int = 0


class Call(msgspec.Struct, frozen=True):
    """A call in a module: callee, its module, and the place."""

    callee: str
    caller: str
    address: int


class SymbolQuestions(Protocol):
    """The queries of adapters that know symbols. All of them raise AdapterError."""

    async def run_command(self, ask: Ask, text: str, frame_id: int | None = None) -> str:
        """Run a command of the debugger and return its output, including errors."""

    async def list_symbols(self, ask: Ask, module: str) -> Sequence[Symbol]:
        """Return a module's symbol table, by its name or path; empty if there is none."""

    async def list_calls(self, ask: Ask, functions: Sequence[Symbol]) -> Sequence[Call]:
        """Return calls of other modules' functions in these functions, which are close together."""
