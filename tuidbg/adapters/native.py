"""Questions to an adapter of native code that DAP has no request for.

A profile has a ``NativeQuestions`` where its adapter can answer them; the session asks and never
knows how (``adapters/lldb/questions.py`` asks by commands of LLDB's).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

T = TypeVar("T")


class Ask(Protocol):
    """Puts a DAP request to the adapter, as ``Session.request``. Raises AdapterError."""

    async def __call__(
        self,
        command: str,
        arguments: object = None,
        *,
        into: type[T],
        timeout: float | None = None,
    ) -> T: ...


class CodePlace(msgspec.Struct, frozen=True):
    """One place at which a breakpoint stands. ``path`` is empty where no source is known."""

    address: int
    path: str = ""
    line: int = 0
    column: int = 0
    function: str = ""
    module: str = ""


class DataPlace(msgspec.Struct, frozen=True):
    """Tells where a value lies in memory, in bytes; ``type`` where it is known."""

    address: int
    size: int
    type: str = ""


class Change(msgspec.Struct, frozen=True):
    """Holds what a data breakpoint saw: the value before and now."""

    old: str
    new: str


class Thrown(msgspec.Struct, frozen=True):
    """An exception of the program's own language: its type, and what it says where it says so."""

    type: str
    message: str = ""


class CannotWatch(Exception):
    """A value can't be watched; the text says why in a sentence."""


class NativeQuestions(Protocol):
    """Asks an adapter of native code. All of them raise AdapterError."""

    @property
    def data_limit(self) -> str:
        """Returns how many values can be watched at a time and how large they may be, in words."""

    async def find_places(self, ask: Ask) -> Mapping[int, Sequence[CodePlace]]:
        """Returns where each breakpoint stands, by the adapter's ids."""

    async def explain_line(self, ask: Ask, path: str, line: int) -> tuple[str, int | None]:
        """Tells why there is no code at a line, and the nearest line of the file that has some."""

    async def find_source(self, ask: Ask, name: str) -> Sequence[str]:
        """The sources of the program of that name, or whose paths end by it."""

    async def find_data(self, ask: Ask, expression: str, frame_id: int | None) -> DataPlace:
        """Returns where the value of an expression is. Raises CannotWatch."""

    async def read_stack_pointer(self, ask: Ask, frame_id: int) -> int | None:
        """The stack pointer of a frame; None where it can't be told."""

    async def read_change(self, ask: Ask, data_id: int) -> Change | None:
        """Returns what the data breakpoint of that id saw last."""

    async def find_thrown(
        self, ask: Ask, frame_id: int, functions: Sequence[str], reason: str
    ) -> Thrown | None:
        """The exception that led to a stop, if one did.

        ``functions`` are those on the stack, the top one (of ``frame_id``) first; ``reason`` is
        what the adapter calls the stop.
        """

    async def save_core(self, ask: Ask, path: Path) -> None:
        """Write the stopped program to a core file."""

    async def handle_signal(self, ask: Ask, name: str, *, stop: bool, deliver: bool) -> None:
        """Sets whether a signal stops the program, and whether the program gets it."""


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
