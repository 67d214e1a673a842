"""Finds where a name of the source is defined: by the source alone, else by the stopped program.

The source knows names, parameters and imports; the program knows what a name stands for at the
moment (a callback, a plugin, what a decorator made). Both are asked cheaply and nothing is run.
"""

from __future__ import annotations

import asyncio
import os.path
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tuidbg.session.errors import DebuggerError
from tuidbg.session.evaluation.inside import AsksInside
from tuidbg.session.sources.live_rules import LiveRules
from tuidbg.session.sources.name_scopes import (
    Found,
    Kind,
    Resolver,
    line_of,
    parse_file,
    parse_text,
    scopes_at,
)
from tuidbg.session.state import Frame, Status, Value

if TYPE_CHECKING:
    from tuidbg.session.native.views import NativeViews


class Defines(AsksInside, Protocol):
    """A session that knows where names are defined."""

    @property
    def native(self) -> NativeViews:
        """The program's memory, and the machine code of functions with their lines."""

    @property
    def live_rules(self) -> LiveRules:
        """The rules by which sources are passed over, and the folders that are libraries."""


_CERTAIN = frozenset({Kind.FUNCTION, Kind.CLASS, Kind.MODULE})


class Definition(Value, frozen=True):
    """A place where a name is defined. ``name`` is the one that was asked for."""

    name: str
    path: str
    line: int
    kind: Kind


class _Place(Value, frozen=True):
    path: str
    line: int
    name: str


class Definitions:
    """Questions about the names in a session's sources."""

    def __init__(self, session: Defines) -> None:
        self._session = session

    async def find(
        self, path: str, text: str, line: int, name: str, frame: Frame | None = None
    ) -> tuple[Definition, ...]:
        """The definitions of a (dotted) name at a line of a source; the likeliest first.

        ``frame`` is one of the stopped program that may know what the name stands for. Where the
        source is no Python only the program's functions are found, by their machine code.
        """
        if not self._session.profile.language.is_exact:
            return await self._find_in_code(name, frame)
        await self._session.live_rules.learn_roots()
        names = name.split(".")
        work = partial(find_in_source, path, text, line, names, self._roots())
        found = list(await asyncio.to_thread(work))
        if not any(each.kind in _CERTAIN for each in found):
            told = await self._ask_program(path, text, line, names, frame)
            if told is not None and not any(_is_same(told, each) for each in found):
                found.insert(0, told)
        return tuple(found)

    async def _find_in_code(self, name: str, frame: Frame | None) -> tuple[Definition, ...]:
        native = self._session.native
        if self._session.status is not Status.PAUSED or native.disassembly.why_not():
            return ()
        try:
            address = await native.memory.find(name, frame.id if frame is not None else None)
            (first, *_) = await native.disassembly.around(address, 0, 1)
        except DebuggerError:
            return ()  # a variable, a type, a macro
        if first.place is None or not Path(first.place.path).is_file():
            return ()
        return (Definition(name, first.place.path, first.place.line, Kind.FUNCTION),)

    def _roots(self) -> tuple[str, ...]:
        session = self._session
        script = Path(session.plan.first_source).parent if session.plan.first_source else None
        own = [str(script)] if script is not None else []
        return (*own, session.plan.cwd, *session.sources.libraries)

    async def _ask_program(
        self, path: str, text: str, line: int, names: Sequence[str], frame: Frame | None
    ) -> Definition | None:
        session = self._session
        if session.status is not Status.PAUSED or not session.inside.is_possible:
            return None
        frame = frame or (session.frames[0] if session.frames else None)
        place = frame.place if frame is not None else None
        is_here = place is not None and place.path == path
        if is_here and place is not None:
            is_here = await asyncio.to_thread(share_function, text, line, place.line)
        try:
            told = await session.inside.ask(
                "modules",
                "find_definition",
                _Place | None,  # type: ignore[arg-type]
                frame_id=frame.id if frame is not None else None,
                names=list(names),
                path=path,
                is_here=is_here,
            )
        except DebuggerError:
            return None
        if told is None or not Path(told.path).is_file():
            return None
        return await asyncio.to_thread(_refine, ".".join(names), told)


def _refine(name: str, told: _Place) -> Definition | None:
    """The line of the ``def`` or ``class``: the program tells that of a decorator, or none."""
    tree = parse_file(told.path)
    line = line_of(tree, told.name, told.line) if tree is not None else told.line
    if not line:
        return None
    kind = Kind.FUNCTION if told.line > 1 else (Kind.MODULE if told.line else Kind.CLASS)
    return Definition(name, told.path, line, kind)


def _is_same(one: Definition, other: Definition) -> bool:
    return one.line == other.line and os.path.realpath(one.path) == os.path.realpath(other.path)


def find_in_source(
    path: str, text: str, line: int, names: Sequence[str], roots: Sequence[str] = ()
) -> list[Definition]:
    """By the source alone. ``roots`` are folders of modules, besides the source's own."""
    tree = parse_text(text)
    if tree is None:
        return []
    find = partial(find_module, roots=roots)
    try:
        found = Resolver(find).resolve(tree, path, line, names)
    except RecursionError:
        return []
    name = ".".join(names)
    return list(dict.fromkeys(_definition(name, each) for each in found))


def share_function(text: str, line: int, other: int) -> bool:
    """True if two lines of a source are in the same function, or in none."""
    tree = parse_text(text)
    if tree is None:
        return False
    return scopes_at(tree, line)[-1] is scopes_at(tree, other)[-1]


def _definition(name: str, found: Found) -> Definition:
    return Definition(name, found.path, found.binding.line, found.binding.kind)


def find_module(name: str, level: int, importer: str, *, roots: Sequence[str]) -> str | None:
    """The file of a module: ``level`` leading dots count from the importer's package."""
    folder = Path(importer).parent
    parts = [part for part in name.split(".") if part]
    if level:
        for _ in range(level - 1):
            folder = folder.parent
        return _module_file(folder, parts)
    package_root = folder
    while (package_root / "__init__.py").is_file() and package_root != package_root.parent:
        package_root = package_root.parent
    for root in dict.fromkeys([str(package_root), *roots]):
        if parts and (found := _module_file(Path(root), parts)) is not None:
            return found
    return None


def _module_file(root: Path, parts: Sequence[str]) -> str | None:
    where = root.joinpath(*parts)
    candidates = [where / "__init__.py"]
    if parts:
        candidates.append(where.with_name(where.name + ".py"))
    return next((str(file) for file in candidates if file.is_file()), None)
