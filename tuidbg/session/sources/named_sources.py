"""The source of a function, a class or a module by its name, without importing anything.

Names are found in the files alone, so that they are known before the program has begun.
"""

from __future__ import annotations

import ast
import asyncio
import difflib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from tuidbg.lines import split_lines
from tuidbg.session.errors import DebuggerError
from tuidbg.session.sources.file_search import project_files, read_text
from tuidbg.session.sources.name_scopes import parse_text
from tuidbg.session.state import Value

MOST_FILES = 5_000
"""Files of a project that are read for a name."""

MOST_NAMED = 5
"""Candidates that are told where a name fits several, or none."""

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class NamedSource(Value, frozen=True):
    """Where something is defined: from the first decorator to the last line of it."""

    name: str
    path: str
    line: int
    end_line: int
    lines: tuple[str, ...]


class SourceNotNamed(DebuggerError):
    """Nothing has that name, or several things have. ``near`` says which there are."""

    def __init__(self, message: str, near: str = "") -> None:
        super().__init__(message)
        self.near = near


async def find_source(name: str, folder: str, roots: Sequence[str] = ()) -> NamedSource:
    """The source of ``work``, ``Cart.add``, ``shop.cart.Cart``, ``FILE`` or ``FILE:NAME``.

    ``folder`` is the project; modules are looked for below ``roots`` as well. Raises
    SourceNotNamed.
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
    """By a module at the beginning of the name: the longest that there is."""
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
    """The whole of a file, or what it defines under a name."""
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
    """All functions and classes of a source: qualified name, first and last line."""
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


def _first_line(node: Definition) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def nearest_function(name: str, folder: str) -> str:
    """A sentence with the names in a project that are like one; empty where none is."""
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
