"""``uv run python -m tests.structure``: the size of the package, and what is over its limits.

Long functions, circles of imports (those for types do not count) and two classes of one name are
limited by a test. Names that two modules share, and lines without static checks, are printed.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parent.parent / "tuidbg"

MOST_IN_FUNCTION = 65
"""Lines of one function."""
MOST_IN_CIRCLE = 3
"""Files that import each other."""

_Graph = dict[str, set[str]]


class Figures(NamedTuple):
    """The package in numbers, each kind with the largest first."""

    modules: int
    lines: int
    unchecked_lines: int
    files: list[tuple[int, str]]
    functions: list[tuple[int, str]]
    circles: list[tuple[int, str]]
    shared_names: list[tuple[int, str]]
    """Names of modules that occur more than once."""
    shared_classes: list[tuple[int, str]]

    def over_limits(self) -> list[str]:
        """A line for each that is over its limit."""
        kinds = (
            ("lines in the function", self.functions, MOST_IN_FUNCTION),
            ("files in the circle", self.circles, MOST_IN_CIRCLE),
        )
        return [
            f"{size} {kind} {name}, of at most {limit}"
            for kind, found, limit in kinds
            for size, name in found
            if size > limit
        ]


def measure(package: Path = PACKAGE) -> Figures:
    """Read all modules of the package; none is imported."""
    paths = {_name_of(path, package): path for path in sorted(package.rglob("*.py"))}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    trees = {name: ast.parse(text) for name, text in texts.items()}
    modules = Counter(name.rpartition(".")[2] for name in paths)
    classes = Counter(
        node.name
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    unchecked = _unchecked(package.parent / "pyproject.toml")
    functions = (each for name, tree in trees.items() for each in _functions(name, tree))
    graph = {name: set(_imports(tree, trees)) for name, tree in trees.items()}
    return Figures(
        modules=len(paths),
        lines=sum(text.count("\n") for text in texts.values()),
        unchecked_lines=sum(
            text.count("\n")
            for name, text in texts.items()
            if "ruff: noqa: F821" in text or any(fnmatch(name, each) for each in unchecked)
        ),
        files=_sorted((text.count("\n"), name) for name, text in texts.items()),
        functions=_sorted(functions),
        circles=_sorted((len(circle), ", ".join(sorted(circle))) for circle in _circles(graph)),
        shared_names=_sorted((count, name) for name, count in modules.items() if count > 1),
        shared_classes=_sorted((count, name) for name, count in classes.items() if count > 1),
    )


def _unchecked(settings: Path) -> list[str]:
    """Patterns of the modules whose errors mypy ignores."""
    if not settings.exists():
        return []
    overrides = tomllib.loads(settings.read_text(encoding="utf-8"))["tool"]["mypy"]["overrides"]
    return [name for each in overrides if each.get("ignore_errors") for name in each["module"]]


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


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _running(node)


def _imports(tree: ast.Module, modules: dict[str, ast.Module]) -> Iterator[str]:
    for node in _running(tree):
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
    for count, name in figures.files:
        by_package[".".join(name.split(".")[:2])] += count
    print(
        f"{figures.modules} modules, {figures.lines:,} lines, {figures.unchecked_lines:,} unchecked"
    )
    for name, count in sorted(by_package.items(), key=lambda each: -each[1]):
        print(f"  {count:7,} {name}")
    for title, found in (
        ("Lines in a file", figures.files),
        (f"Lines in a function (at most {MOST_IN_FUNCTION})", figures.functions),
        (f"Files in a circle of imports (at most {MOST_IN_CIRCLE})", figures.circles),
        (f"Modules of one name ({sum(n for n, _ in figures.shared_names)})", figures.shared_names),
        (
            f"Classes of one name ({sum(n for n, _ in figures.shared_classes)})",
            figures.shared_classes,
        ),
    ):
        print(f"{title}, {len(found)}:")
        for size, name in found[:5]:
            print(f"  {size:5} {name:.150}")
    over = figures.over_limits()
    print("\n".join(["", "Over the limits:", *over]) if over else "\nNothing is over the limits.")


if __name__ == "__main__":
    main()
