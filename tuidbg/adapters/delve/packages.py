"""Go packages: the package of a file or folder, its program and its tests.

Parsed from the sources alone; nothing is run.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import msgspec

_made = 0


def make_output(name: str) -> Path:
    """Return the path for a new executable; its folder is removed with this process."""
    global _made
    base = _base()
    if not _made:
        _sweep(base)
        atexit.register(shutil.rmtree, base / str(os.getpid()), ignore_errors=True)
    _made += 1
    folder = base / str(os.getpid()) / str(_made)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def _base() -> Path:
    """Return the base folder of the user, writable by no other user."""
    base = Path(tempfile.gettempdir()) / f"tuidbg-go-{os.getuid()}"
    try:
        base.mkdir(mode=0o700, exist_ok=True)
        found = base.lstat()
        if found.st_uid == os.getuid() and not found.st_mode & 0o022 and base.is_dir():
            return base
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="tuidbg-go-"))


def _sweep(base: Path) -> None:
    """Remove the folders of ended processes."""
    for folder in base.iterdir():
        if folder.name.isdecimal() and not _lives(int(folder.name)):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)
_MAIN = re.compile(r"^func\s+main\s*\(\s*\)", re.MULTILINE)
_TEST = re.compile(r"^func\s+(Test(?![a-z])\w*)\s*\(\s*\w+\s+\*testing\.T\s*\)", re.MULTILINE)
_EXCLUDED = re.compile(r"^//(?:go:build|\s*\+build)\s+ignore\b", re.MULTILINE)

FILES = 1_000
"""Maximum files of a module to search."""

HEAD = 1_000_000
"""Maximum characters to read of a source."""


class GoSource(msgspec.Struct, frozen=True):
    """A file of a package: the package name, its tests, and whether it has the main function.

    An ``excluded`` one is not part of the package, and is built by its own name only.
    """

    path: Path
    package: str
    has_main: bool = False
    excluded: bool = False
    tests: tuple[str, ...] = ()

    @property
    def is_test(self) -> bool:
        return self.path.name.endswith("_test.go")


def read_source(path: Path) -> GoSource:
    """Parse a file; an unreadable one is empty."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(HEAD)
    except OSError:
        text = ""
    package = _PACKAGE.search(text)
    begin = text[: package.start()] if package is not None else ""
    return GoSource(
        path,
        package[1] if package is not None else "",
        has_main=_MAIN.search(text) is not None,
        excluded=_EXCLUDED.search(begin) is not None,
        tests=tuple(found for found in _TEST.findall(text) if found != "TestMain"),
    )


def read_package(folder: Path) -> list[GoSource]:
    """Return the files of the package in a folder, by name, including those for other systems."""
    sources = [read_source(path) for path in sorted(folder.glob("*.go")) if path.is_file()]
    return [source for source in sources if not source.excluded]


def main_sources(sources: Iterable[GoSource]) -> list[GoSource]:
    """Return those with a main function."""
    return [s for s in sources if s.has_main and s.package == "main" and not s.is_test]


def test_sources(sources: Iterable[GoSource]) -> list[GoSource]:
    return [s for s in sources if s.is_test and s.tests]


def is_alone(path: Path) -> bool:
    """Return whether a file is built separately from the others of its folder.

    This includes adjacent scripts, each with a ``main`` of its own.
    """
    source = read_source(path)
    return source.excluded or len(main_sources(read_package(path.parent))) > 1


def find_module(folder: Path) -> Path | None:
    """Return the folder of the innermost module (``go.mod``) containing a folder."""
    return next((f for f in (folder, *folder.parents) if (f / "go.mod").is_file()), None)


def find_functions(folder: Path, name: str) -> list[str]:
    """Return functions and methods of that name in a folder's module, by Delve's names."""
    pattern = re.compile(
        rf"^func\s+(?:\(\s*\w*\s*(\*?)(\w+)[^)]*\)\s*)?{re.escape(name)}\s*[(\[]", re.M
    )
    found: dict[str, None] = {}
    for path in islice(sorted((find_module(folder) or folder).rglob("*.go")), FILES):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")[:HEAD]
        except OSError:
            continue
        package = _PACKAGE.search(text)
        for star, kind in pattern.findall(text):
            method = f"({star}{kind})." if star else f"{kind}." if kind else ""
            found[f"{package[1] if package else 'main'}.{method}{name}"] = None
    return list(found)


def package_folder(target: Path) -> Path:
    return target if target.is_dir() else target.parent


def what_is_built(target: Path) -> tuple[Path, str]:
    """Return the folder to build in, and the target: the whole package, or one file of it."""
    folder = package_folder(target)
    if target.is_dir():
        return folder, "."
    if is_alone(target) or (find_module(folder) is None and not target.name.endswith("_test.go")):
        return folder, f"./{target.name}"
    return folder, "."


def first_source(target: Path, *, is_test: bool) -> str:
    """Return the file to show before anything runs; empty if there is none."""
    if not target.is_dir():
        return str(target)
    sources = read_package(target)
    found = test_sources(sources) if is_test else main_sources(sources)
    return str(found[0].path) if found else ""


def test_functions(target: Path) -> tuple[str, ...]:
    """Return the tests of a package by Delve's names."""
    sources = test_sources(read_package(package_folder(target)))
    return tuple(f"{source.package}.{test}" for source in sources for test in source.tests)
