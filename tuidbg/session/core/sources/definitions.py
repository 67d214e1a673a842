"""The search for a name's definition: in the source alone, else in the stopped program.

The source has names, parameters and imports; the program has the current value of a name (a
callback, a plugin, a decorator's result). Both queries are cheap and run no code.
"""

from __future__ import annotations

import ast
import asyncio
import difflib
import os.path
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.lines import split_lines
from tuidbg.session.core.feature import hooks
from tuidbg.session.core.sources.files import project_files, read_text
from tuidbg.session.core.sources.name_scopes import (
    DefinitionKind,
    FoundBinding,
    Resolver,
    line_of,
    parse_file,
    parse_text,
    scopes_at,
)
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Frame, StateValue, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


_CERTAIN = frozenset({DefinitionKind.FUNCTION, DefinitionKind.CLASS, DefinitionKind.MODULE})


class Definition(StateValue, frozen=True):
    """A place where a name is defined. ``name`` is the requested one."""

    name: str
    path: str
    line: int
    kind: DefinitionKind


class _Place(StateValue, frozen=True):
    path: str
    line: int
    name: str


class Definitions:
    """Queries about the names in a session's sources."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def find(
        self, path: str, text: str, line: int, name: str, frame: Frame | None = None
    ) -> tuple[Definition, ...]:
        """Return the definitions of a (dotted) name at a line of a source; the likeliest first.

        ``frame`` is one of the stopped program that may know the name's value. If the source is no
        Python only the program's functions are found, by their machine code.
        """
        if not self._session.profile.language.is_exact:
            for find in hooks.find_definition:
                if found_there := await find(self._session, name, frame):
                    return found_there
            return ()
        await self._session.live_rules.learn_roots()
        names = name.split(".")
        work = partial(find_in_source, path, text, line, names, self._roots())
        found = list(await asyncio.to_thread(work))
        if not any(each.kind in _CERTAIN for each in found):
            told = await self._ask_program(path, text, line, names, frame)
            if told is not None and not any(_is_same(told, each) for each in found):
                found.insert(0, told)
        return tuple(found)

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
    """Return the line of ``def`` or ``class``: the program reports a decorator's, or none."""
    tree = parse_file(told.path)
    line = line_of(tree, told.name, told.line) if tree is not None else told.line
    if not line:
        return None
    kind = (
        DefinitionKind.FUNCTION
        if told.line > 1
        else (DefinitionKind.MODULE if told.line else DefinitionKind.CLASS)
    )
    return Definition(name, told.path, line, kind)


def _is_same(one: Definition, other: Definition) -> bool:
    return one.line == other.line and os.path.realpath(one.path) == os.path.realpath(other.path)


def find_in_source(
    path: str, text: str, line: int, names: Sequence[str], roots: Sequence[str] = ()
) -> list[Definition]:
    """Find it in the source alone. ``roots`` are folders of modules, besides the source's own."""
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


def _definition(name: str, found: FoundBinding) -> Definition:
    return Definition(name, found.path, found.binding.line, found.binding.kind)


def find_module(name: str, level: int, importer: str, *, roots: Sequence[str]) -> str | None:
    """Find the file of a module: ``level`` leading dots count from the importer's package."""
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


MOST_FILES = 5_000
"""Maximum files of a project that are searched for a name."""

MOST_NAMED = 5
"""Maximum candidates listed if a name matches several, or none."""

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

SourceDefinition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class NamedSource(StateValue, frozen=True):
    """The source range of a definition: from the first decorator to its last line."""

    name: str
    path: str
    line: int
    end_line: int
    lines: tuple[str, ...]


class SourceNotNamed(DebuggerError):
    """No or several definitions have that name. ``near`` lists the candidates."""

    def __init__(self, message: str, near: str = "") -> None:
        super().__init__(message)
        self.near = near


async def find_source(name: str, folder: str, roots: Sequence[str] = ()) -> NamedSource:
    """Return the source of ``work``, ``Cart.add``, ``shop.cart.Cart``, ``FILE`` or ``FILE:NAME``.

    ``folder`` is the project; modules are searched below ``roots`` as well. Raises SourceNotNamed.
    """
    return await asyncio.to_thread(_find, name.strip(), Path(folder), roots)


def _find(name: str, folder: Path, roots: Sequence[str]) -> NamedSource:
    file, colon, inner = name.partition(":")
    if colon or name.endswith(".py"):
        path = Path(folder, file)
        if not path.is_file():
            raise SourceNotNamed(f"there is no file {path}")
        if not _is_below(path, (str(folder), *roots)):
            raise SourceNotNamed(f"{path} is no source of the program")
        found = _in_file(path, inner.strip(":").strip())
        if found is None:
            raise SourceNotNamed(f"{path.name} defines no {inner}", _nearest(inner, [path]))
        return found
    if not all(word.isidentifier() for word in name.split(".")):
        raise SourceNotNamed(
            f"{name!r} names nothing", "write NAME, MODULE.NAME, FILE or FILE:NAME"
        )
    if found := _in_module(name, (str(folder), *roots)):
        return found
    return _in_project(name, folder)


def _is_below(path: Path, folders: Iterable[str]) -> bool:
    real = path.resolve()
    is_source = real.suffix in (".py", ".pyw", ".pyi")
    return is_source and any(real.is_relative_to(Path(each).resolve()) for each in folders)


def _in_module(name: str, roots: Iterable[str]) -> NamedSource | None:
    """Find it by the longest existing module at the beginning of the name."""
    words = name.split(".")
    for count in range(len(words), 0, -1):
        for root in dict.fromkeys(roots):
            stem = Path(root, *words[:count])
            for path in (stem.with_name(f"{stem.name}.py"), stem / "__init__.py"):
                if path.is_file() and (found := _in_file(path, ".".join(words[count:]))):
                    return found
    return None


def _in_project(name: str, folder: Path) -> NamedSource:
    files = [path for path in islice(project_files(folder), MOST_FILES) if path.suffix == ".py"]
    last = name.rpartition(".")[2]
    found = [
        NamedSource(name=qualified, path=str(path), line=line, end_line=end, lines=tuple(lines))
        for path in files
        if (text := read_text(path)) is not None and last in text
        for lines in (split_lines(text),)
        for qualified, line, end in _definitions(text)
        if qualified == name or qualified.endswith(f".{name}")
    ]
    if len(found) == 1:
        return found[0]
    if found:
        places = [f"{Path(each.path).relative_to(folder)}:{each.name}" for each in found]
        more = f" and {len(places) - MOST_NAMED} more" if len(places) > MOST_NAMED else ""
        raise SourceNotNamed(
            f"{len(found)} have the name {name}",
            f"name one: {', '.join(places[:MOST_NAMED])}{more}",
        )
    raise SourceNotNamed(f"nothing below {folder} defines {name}", _nearest(name, files))


def _in_file(path: Path, name: str) -> NamedSource | None:
    """Return the whole of a file, or a definition in it by name."""
    text = read_text(path)
    if text is None:
        return None
    lines = tuple(split_lines(text))
    whole = NamedSource(name=path.stem, path=str(path), line=1, end_line=len(lines), lines=lines)
    if not name:
        return whole
    for qualified, line, end in _definitions(text):
        if qualified == name:
            return NamedSource(name=name, path=str(path), line=line, end_line=end, lines=lines)
    return None


def _definitions(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield all functions and classes of a source: qualified name, first and last line."""
    tree = parse_text(text)
    if tree is None:
        return
    pending: list[tuple[str, ast.AST]] = [("", tree)]
    while pending:
        above, node = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _DEFINITIONS):
                name = f"{above}{child.name}"
                yield name, _first_line(child), child.end_lineno or child.lineno
                pending.append((f"{name}.", child))
            elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                pending.append((above, child))


def _first_line(node: SourceDefinition) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def nearest_function(name: str, folder: str) -> str:
    """Return a sentence with similar names in a project; empty if there is none."""
    root = Path(folder)
    files = [path for path in islice(project_files(root), MOST_FILES) if path.suffix == ".py"]
    return _nearest(name, files)


def _nearest(name: str, files: Iterable[Path]) -> str:
    known: dict[str, str] = {}
    for path in files:
        text = read_text(path)
        for qualified, line, _ in _definitions(text) if text is not None else ():
            known.setdefault(qualified, f"{qualified} ({path.name}:{line})")
    ends = {each.rpartition(".")[2]: each for each in reversed(known)} | {k: k for k in known}
    near = difflib.get_close_matches(name, ends, MOST_NAMED, 0.6)
    told = dict.fromkeys(known[ends[each]] for each in near)
    return f"nearest: {', '.join(told)}" if told else ""
