"""Reads the words of a command line for Go: a file, a package, a package's tests, a program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from tuidbg.adapters.delve.packages import (
    Source,
    find_module,
    first_source,
    main_sources,
    package_folder,
    read_package,
    read_source,
    test_sources,
)
from tuidbg.adapters.table import GO_ADAPTER
from tuidbg.cli.usage import Program, UsageError, absolute
from tuidbg.config.launch import TargetKind

_TEST_FLAGS = frozenset(
    (
        *("bench", "benchmem", "benchtime", "count", "cpu", "failfast", "fullpath", "list"),
        *("parallel", "run", "short", "shuffle", "skip", "timeout", "v"),
    )
)
"""Flags of `go test` that it hands to the test program with ``test.`` before them."""

_BUILD_FLAGS = frozenset(["asan", "race", "trimpath"])
_BUILD_VALUES = frozenset(["asmflags", "gcflags", "ldflags", "mod", "modfile", "tags"])
_ALONE = frozenset(["benchmem", "failfast", "fullpath", "short", "v"])
"""Flags without a value."""


def is_go_folder(path: Path) -> bool:
    """Returns whether a folder is a package or a module of Go's and nothing of Python's."""
    if not path.is_dir() or (path / "__main__.py").exists():
        return False
    if (path / "go.mod").is_file() or any(path.glob("*.go")):
        return True
    return find_module(path) is not None and any(path.glob("*/*.go"))


def read_go(name: str, path: Path, args: Sequence[str]) -> Program:
    """The program that a Go file or package is, or the tests in a file. Raises UsageError."""
    if path.name.endswith("_test.go"):
        return read_tests([name, *args])
    if path.is_dir():
        sources = read_package(path)
        if not main_sources(sources):
            _refuse_package(name, path, sources)
    else:
        source = read_source(path)
        others = [source] if source.excluded else read_package(path.parent)
        if not main_sources(others):
            _refuse_package(name, path.parent, others)
    return Program(
        TargetKind.SCRIPT,
        str(path),
        tuple(args),
        adapter=GO_ADAPTER,
        options={"mode": "debug"},
        source=first_source(path, is_test=False),
    )


def read_tests(words: Sequence[str]) -> Program:
    """Returns what ``--test`` and the words after it mean. Raises UsageError."""
    rest = list(words)
    files: list[Path] = []
    while rest and rest[0].endswith("_test.go"):
        files.append(_existing(rest.pop(0)))
    if files:
        target = files[0]
        if any(file.parent != target.parent for file in files):
            _refuse("--test: name files of one package")
    else:
        name = rest.pop(0) if rest and not rest[0].startswith("-") else "."
        target = _existing(name)
        if not target.is_dir():
            _refuse_no_package(name)
    sources = read_package(package_folder(target))
    if not test_sources(sources):
        _refuse(f"--test: there are no tests in {package_folder(target)}")
    args, build = _split_flags(rest[1:] if rest[:1] == ["--"] else rest)
    if files and not any(arg.startswith("-test.run") for arg in args):
        names = [test for source in sources if source.path in files for test in source.tests]
        args = [f"-test.run=^({'|'.join(names)})$", *args]
    options: dict[str, Any] = {"mode": "test", **({"buildFlags": build} if build else {})}
    folder = package_folder(target)
    return Program(
        TargetKind.SCRIPT,
        str(folder),
        tuple(args),
        adapter=GO_ADAPTER,
        options=options,
        source=str(target) if files else first_source(folder, is_test=True),
        cwd=str(folder),  # where `go test` runs them
    )


def _split_flags(words: list[str]) -> tuple[list[str], list[str]]:
    """Returns what the tests get, and what the compiler gets, of the flags of `go test`."""
    args: list[str] = []
    build: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if word in ("-args", "--args"):
            return [*args, *words[index:]], build
        flag, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or flag not in _TEST_FLAGS | _BUILD_FLAGS | _BUILD_VALUES:
            args.append(word)
            continue
        if not equals and flag not in _ALONE | _BUILD_FLAGS and index < len(words):
            equals, value = "=", words[index]
            index += 1
        if flag in _TEST_FLAGS:
            args.append(f"-test.{flag}{equals}{value}")
        else:
            build.append(f"-{flag}{equals}{value}")
    return args, build


def _existing(name: str) -> Path:
    path = absolute(name)
    if not path.exists():
        hint = "; tuidbg debugs one package at a time" if name.endswith("...") else ""
        _refuse(f"--test: there is no package {name}{hint}")
    return path


def _refuse_no_package(name: str) -> NoReturn:
    if name.endswith(".py"):
        _refuse(f"--test is for Go; the tests of {name} are `tuidbg -m pytest {name}`")
    _refuse(f"--test: {name} is no package of Go's; name its folder, or its _test.go files")


def _refuse_package(name: str, folder: Path, sources: Sequence[Source]) -> NoReturn:
    """Say why it is no program, and what would be one."""
    package = next((source.package for source in sources if source.package), "")
    if test_sources(sources):
        where = name if Path(name).is_dir() else str(Path(name).parent)
        _refuse(
            f"{name} is the package {package}, and no program; `tuidbg --test {where}` debugs its"
            " tests"
        )
    found = sorted({file.parent for file in folder.glob("**/*.go") if read_source(file).has_main})
    programs = [f"./{path.relative_to(folder)}" for path in found if path != folder]
    if programs:
        listed = ", ".join(programs[:5]) + (" …" if len(programs) > 5 else "")
        _refuse(f"{name} is no program of Go's itself; there are {listed} in it")
    _refuse(f"{name} has no function main, so there is nothing to run")


def _refuse(sentence: str) -> NoReturn:
    raise UsageError(sentence)
