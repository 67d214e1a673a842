"""``uv run python -m tests.structure``: the figures of the house, and what is over its limits.

Folders, files and functions that one can take in at a glance, and modules that can be read one
after the other: imports in a circle can't, those for types included. A test holds the limits.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parent.parent / "tuidbg"

MOST_MODULES = 15
"""Modules of one folder, its ``__init__`` included."""
MOST_LINES = 400
"""Lines of one file."""
LONGER = {
    "tuidbg.recording.inside.kinds": 500,
    "tuidbg.recording.inside.looks": 500,
    "tuidbg/recording": 16,
    "tuidbg/recording/asking": 16,
    "tuidbg/recording/inside": 17,
}
"""Those that would be worse in two."""
MOST_IN_FUNCTION = 65
"""Lines of one function."""
MOST_IN_CIRCLE = 3
"""Files that import each other."""

_Graph = dict[str, set[str]]


class Figures(NamedTuple):
    """The package in numbers, each kind with the largest first."""

    modules: int
    lines: int
    folders: list[tuple[int, str]]
    files: list[tuple[int, str]]
    functions: list[tuple[int, str]]
    circles: list[tuple[int, str]]

    def over_limits(self) -> list[str]:
        """A line for each that is over its limit."""
        kinds = (
            ("modules in the folder", self.folders, MOST_MODULES),
            ("lines in the file", self.files, MOST_LINES),
            ("lines in the function", self.functions, MOST_IN_FUNCTION),
            ("files in the circle", self.circles, MOST_IN_CIRCLE),
        )
        return [
            f"{size} {kind} {name}, of at most {limit}"
            for kind, found, limit in kinds
            for size, name in found
            if size > max(limit, LONGER.get(name, 0))
        ]


def measure(package: Path = PACKAGE) -> Figures:
    """Read all modules of the package; none is imported."""
    paths = {_name_of(path, package): path for path in sorted(package.rglob("*.py"))}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    trees = {name: ast.parse(text) for name, text in texts.items()}
    folders = Counter(str(path.parent.relative_to(package.parent)) for path in paths.values())
    functions = (each for name, tree in trees.items() for each in _functions(name, tree))
    graph = {name: set(_imports(tree, trees)) for name, tree in trees.items()}
    return Figures(
        modules=len(paths),
        lines=sum(text.count("\n") for text in texts.values()),
        folders=_sorted((count, name) for name, count in folders.items()),
        files=_sorted((text.count("\n"), name) for name, text in texts.items()),
        functions=_sorted(functions),
        circles=_sorted((len(circle), ", ".join(sorted(circle))) for circle in _circles(graph)),
    )


def _name_of(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _sorted(found: Iterator[tuple[int, str]]) -> list[tuple[int, str]]:
    return sorted(found, reverse=True)


def _functions(module: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.end_lineno - node.lineno + 1, f"{module}.{node.name}"


def _imports(tree: ast.Module, modules: dict[str, ast.Module]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for each in node.names:
                whole = f"{node.module}.{each.name}"
                if whole in modules:
                    yield whole
                elif node.module in modules:
                    yield node.module


def _circles(graph: _Graph) -> Iterator[set[str]]:
    """The sets of modules each of which reaches each other one."""
    reached = {name: _reach(graph, name) for name in graph}
    done: set[str] = set()
    for name, below in reached.items():
        if name not in done and name in below:
            circle = {other for other in below if name in reached[other]}
            done |= circle
            if len(circle) > 1:
                yield circle


def _reach(graph: _Graph, start: str) -> set[str]:
    found: set[str] = set()
    edge = [start]
    while edge:
        for name in graph[edge.pop()] - found:
            found.add(name)
            edge.append(name)
    return found


def main() -> None:
    """Print the figures."""
    figures = measure()
    by_package: defaultdict[str, int] = defaultdict(int)
    for lines, name in figures.files:
        by_package[".".join(name.split(".")[:2])] += lines
    print(f"{figures.modules} modules, {figures.lines:,} lines")
    for name, lines in sorted(by_package.items(), key=lambda each: -each[1]):
        print(f"  {lines:7,} {name}")
    for title, found, limit in (
        ("Modules in a folder", figures.folders, MOST_MODULES),
        ("Lines in a file", figures.files, MOST_LINES),
        ("Lines in a function", figures.functions, MOST_IN_FUNCTION),
        ("Files in a circle of imports", figures.circles, MOST_IN_CIRCLE),
    ):
        print(f"{title} (at most {limit}):")
        for size, name in found[:5]:
            print(f"  {size:5} {name:.150}")
    over = figures.over_limits()
    print("\n".join(["", "Over the limits:", *over]) if over else "\nNothing is over the limits.")


if __name__ == "__main__":
    main()
