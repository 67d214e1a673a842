"""Symbols of a native program: search by name, and often misused functions."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.native import Call, Symbol, SymbolQuestions
from tuidbg.dap import types as dap
from tuidbg.session.core.sources.definitions import Definition
from tuidbg.session.core.sources.name_scopes import DefinitionKind
from tuidbg.session.features.native.views import NativeViews
from tuidbg.session.model.errors import AdapterFailed, DebuggerError, UnsupportedByAdapter
from tuidbg.session.model.state import Frame, StateValue, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class Risk(StrEnum):
    """The likelihood and severity of misuse."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Suspicion(StateValue, frozen=True):
    """The reason why a function is suspicious."""

    category: str
    risk: Risk
    description: str


def _of(category: str, risk: Risk, **functions: str) -> dict[str, Suspicion]:
    return {
        name: Suspicion(category=category, risk=risk, description=why)
        for name, why in functions.items()
    }


SUSPICIOUS: dict[str, Suspicion] = {
    **_of(
        "unsafe_string",
        Risk.HIGH,
        gets="reads a line of any length into a buffer; use fgets",
        strcpy="copies a string of any length; use snprintf or strlcpy",
        stpcpy="copies a string of any length; use snprintf",
        strcat="appends a string of any length; use snprintf or strlcat",
        sprintf="writes text of any length into a buffer; use snprintf",
        vsprintf="writes text of any length into a buffer; use vsnprintf",
        wcscpy="copies a wide string of any length; use swprintf",
        wcscat="appends a wide string of any length; use swprintf",
    ),
    **_of(
        "unsafe_input",
        Risk.MEDIUM,
        scanf="%s without a width reads words of any length",
        sscanf="%s without a width reads words of any length",
        fscanf="%s without a width reads words of any length",
        __isoc99_scanf="scanf: %s without a width reads words of any length",
        __isoc99_sscanf="sscanf: %s without a width reads words of any length",
        __isoc99_fscanf="fscanf: %s without a width reads words of any length",
        realpath="with a buffer of its caller's the path may be too long for it",
    ),
    **_of(
        "command_execution",
        Risk.HIGH,
        system="hands a text to the shell; what comes from outside can run anything",
        popen="hands a text to the shell; what comes from outside can run anything",
    ),
    **_of(
        "command_execution",
        Risk.MEDIUM,
        execl="runs a program; its path and arguments must not come from outside",
        execlp="looks for the program in PATH, which others may set",
        execv="runs a program; its path and arguments must not come from outside",
        execvp="looks for the program in PATH, which others may set",
    ),
    **_of(
        "temporary_file",
        Risk.HIGH,
        mktemp="another process may make the file first; use mkstemp",
        tmpnam="another process may make the file first; use mkstemp",
        tempnam="another process may make the file first; use mkstemp",
    ),
    **_of(
        "memory",
        Risk.MEDIUM,
        memcpy="overflows where the size is not checked",
        memmove="overflows where the size is not checked",
        alloca="takes from the stack, without an error when that is too much",
        realloc="older pointers into the block may dangle",
    ),
    **_of(
        "memory",
        Risk.LOW,
        strncpy="leaves the text without its end where it is too long",
        strncat="its size is that of the remaining room, not of the buffer",
        free="a pointer may be used, or freed again, afterwards",
    ),
    **_of(
        "randomness",
        Risk.LOW,
        rand="can be predicted; use getrandom for secrets",
        random="can be predicted; use getrandom for secrets",
    ),
}
"""By function name."""


LARGEST_CODE = 128 * 1024
"""Bytes of code searched for calls: a debugger takes about a second for these."""

_CODE = ("function", "trampoline")


class FoundSymbols(StateValue, frozen=True):
    """The result of a search; ``has_more`` if it was ended by its limit."""

    symbols: tuple[Symbol, ...]
    has_more: bool = False


class SuspiciousFunction(StateValue, frozen=True):
    """A function used by the program's own module; ``calls`` are the places."""

    name: str
    suspicion: Suspicion
    address: int | None = None
    calls: tuple[Call, ...] = ()


class Suspects(StateValue, frozen=True):
    """The suspicious functions of a module. ``looked_at_calls``: else its code was too large."""

    functions: tuple[SuspiciousFunction, ...]
    looked_at_calls: bool = True


class Symbols:
    """Queries about the symbols of a session's program."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def modules(self) -> Sequence[dap.Module]:
        """Return all modules, the program first. Raises UnsupportedByAdapter, AdapterFailed."""
        inspection = self._session.inspection
        return (await inspection.ask("modules", {}, dap.ModulesBody, at_stop=False)).modules

    async def search(self, pattern: str, module: str = "", *, limit: int) -> FoundSymbols:
        """Return the symbols of that name, with ``*`` and ``?`` as in file names, code first.

        ``module`` is a name or a path, or a pattern of names. Raises UnsupportedByAdapter,
        AdapterFailed.
        """
        found: list[Symbol] = []
        for each in await self.modules():
            if module and not _is_called(each, module):
                continue
            symbols = await self._list(each.path or each.name)
            fitting = {
                (s.name, s.address): s
                for s in symbols
                if s.kind != "undefined" and _fits(s.name, pattern)
            }
            found += sorted(fitting.values(), key=lambda s: (s.kind not in _CODE, s.name))
            if len(found) > limit:
                break
        return FoundSymbols(symbols=tuple(found[:limit]), has_more=len(found) > limit)

    async def suspects(self) -> Suspects:
        """Return the often misused functions of the program's own module, with their callers.

        Raises UnsupportedByAdapter, AdapterFailed.
        """
        modules = await self.modules()
        symbols = await self._list(modules[0].path or modules[0].name) if modules else ()
        wanted = {s.name: s for s in symbols if s.name in SUSPICIOUS}
        wanted |= {s.name: s for s in symbols if s.name in wanted and s.address is not None}
        functions = [s for s in symbols if s.kind == "function" and s.size]
        looks = bool(wanted) and _span(functions) <= LARGEST_CODE
        calls = await self._calls(functions) if looks else ()
        return Suspects(
            functions=tuple(
                SuspiciousFunction(
                    name=name,
                    suspicion=SUSPICIOUS[name],
                    address=symbol.address,
                    calls=tuple(call for call in calls if call.callee == name),
                )
                for name, symbol in sorted(wanted.items())
            ),
            looked_at_calls=looks or not wanted,
        )

    def _questions(self) -> SymbolQuestions:
        profile = self._session.profile
        if profile.symbols is None:
            raise UnsupportedByAdapter(f"{profile.name} reports no symbols")
        return profile.symbols

    async def _list(self, module: str) -> Sequence[Symbol]:
        try:
            return await self._questions().list_symbols(self._session.adapter.request, module)
        except AdapterError as error:
            raise AdapterFailed(str(error)) from error

    async def _calls(self, functions: Sequence[Symbol]) -> Sequence[Call]:
        try:
            return await self._questions().list_calls(self._session.adapter.request, functions)
        except AdapterError as error:
            raise AdapterFailed(str(error)) from error


def _span(functions: Sequence[Symbol]) -> int:
    """Return the number of bytes from the first function to the end of the last one."""
    places = [(s.address, s.address + s.size) for s in functions if s.address is not None]
    return max(end for _, end in places) - min(start for start, _ in places) if places else 0


def _is_called(module: dap.Module, wanted: str) -> bool:
    return wanted == module.path or fnmatchcase(module.name, wanted)


def _fits(name: str, pattern: str) -> bool:
    """True if a name matches; C++ names match without namespaces and arguments."""
    bare = name.partition("(")[0]
    return any(fnmatchcase(n, pattern) for n in (name, bare, bare.rpartition("::")[2]))


async def find_function(session: Session, name: str, frame: Frame | None) -> tuple[Definition, ...]:
    """Return the function of that name by its machine code; none for a variable, type or macro."""
    native = NativeViews.of(session)
    if session.status is not Status.PAUSED or native.disassembly.why_not():
        return ()
    try:
        address = await native.memory.find(name, frame.id if frame is not None else None)
        (first, *_) = await native.disassembly.around(address, 0, 1)
    except DebuggerError:
        return ()
    if first.place is None or not Path(first.place.path).is_file():
        return ()
    return (Definition(name, first.place.path, first.place.line, DefinitionKind.FUNCTION),)
