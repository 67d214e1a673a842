"""Parsing of the words after tuidbg's own options: a script, or a command that runs one.

``flask run``, ``uvicorn app:app``, ``python -X dev -m mod``, ``uv run script.py``, ``poetry run
flask run`` and ``env A=1 python x.py`` are resolved like a shell would; other words are refused
with a sentence. A word that is a file is always a script.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any, NoReturn

import msgspec

from tuidbg.adapters.delve.packages import (
    GoSource,
    find_module,
    first_source,
    main_sources,
    package_folder,
    read_package,
    read_source,
    test_sources,
)
from tuidbg.adapters.table import GO_ADAPTER, adapter_of
from tuidbg.cli.arguments import ProgramArguments, UsageError, absolute, is_there, script_path
from tuidbg.config.environments import (
    Environment,
    find_any_environment,
    find_environment,
    find_on_path,
    find_poetry_environment,
    find_upward,
    find_uv_environment,
)
from tuidbg.config.files import read_head
from tuidbg.config.launch import DEFAULT_ADAPTER, TargetKind

_TEST_FLAGS = frozenset(
    (
        *("bench", "benchmem", "benchtime", "count", "cpu", "failfast", "fullpath", "list"),
        *("parallel", "run", "short", "shuffle", "skip", "timeout", "v"),
    )
)
"""Flags that `go test` passes to the test program with a ``test.`` prefix."""

_BUILD_FLAGS = frozenset(["asan", "race", "trimpath"])
_BUILD_VALUES = frozenset(["asmflags", "gcflags", "ldflags", "mod", "modfile", "tags"])
_ALONE = frozenset(["benchmem", "failfast", "fullpath", "short", "v"])
"""Flags without a value."""


def is_go_folder(path: Path) -> bool:
    """Whether a folder is a Go package or module and contains no Python program."""
    if not path.is_dir() or (path / "__main__.py").exists():
        return False
    if (path / "go.mod").is_file() or any(path.glob("*.go")):
        return True
    return find_module(path) is not None and any(path.glob("*/*.go"))


def read_go(name: str, path: Path, args: Sequence[str]) -> ProgramArguments:
    """Make the program for a Go file or package, or the tests in a file. Raises UsageError."""
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
    return ProgramArguments(
        TargetKind.SCRIPT,
        str(path),
        tuple(args),
        adapter=GO_ADAPTER,
        options={"mode": "debug"},
        source=first_source(path, is_test=False),
    )


def read_tests(words: Sequence[str]) -> ProgramArguments:
    """Parse ``--test`` and the words after it. Raises UsageError."""
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
    return ProgramArguments(
        TargetKind.SCRIPT,
        str(folder),
        tuple(args),
        adapter=GO_ADAPTER,
        options=options,
        source=str(target) if files else first_source(folder, is_test=True),
        cwd=str(folder),  # the working directory of `go test`
    )


def _split_flags(words: list[str]) -> tuple[list[str], list[str]]:
    """Split the flags of `go test` into those for the tests and those for the compiler."""
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


def _refuse_package(name: str, folder: Path, sources: Sequence[GoSource]) -> NoReturn:
    """Refuse a package that is no program, and name one that is."""
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


_INTERPRETER = re.compile(r"(?:python|pypy)[\d.]*t?\Z")
_SHEBANG = re.compile(rb"#!\s*(\S+)[ \t]*([^\r\n]*)")
_LONG_SHEBANG = re.compile(rb"#!/bin/sh\r?\n'''exec' [\"']?([^\"'\n]+?)[\"']? \"\$0\"")
"""The form in which pip and uv write an interpreter whose path is too long or has spaces."""

_BINARIES = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")

_HEAD = 512
"""Bytes of a program's file that identify its type."""

_FLAGS = frozenset("bBdEIOPqRsSuvx")
"""Python's own flags without a value, which do not change what is run."""

_REFUSED = {
    "c": "put the code of -c into a file, which can be shown and stopped in",
    "i": "leave out -i: the debugger's console takes its place",
    "h": "this Python runs no program",
    "V": "this Python runs no program",
    "?": "this Python runs no program",
}
_UV_FLAGS = (
    *("--active", "--all-extras", "--all-groups", "--dev", "--exact", "--frozen", "--locked"),
    *("--managed-python", "--no-dev", "--no-editable", "--no-project", "--no-sync", "--offline"),
    *("--quiet", "-q", "--verbose", "-v"),
)
_UV_VALUES = ("--extra", "--group", "--no-extra", "--no-group", "--package")
_ELSEWHERE = frozenset(["conda", "hatch", "mamba", "micromamba", "pdm", "pipenv", "pixi", "rye"])


def read_program_of(adapter: str, words: Sequence[str]) -> ProgramArguments:
    """Parse the program for a given adapter. Raises UsageError."""
    path = absolute(words[0])
    if adapter == DEFAULT_ADAPTER:
        return ProgramArguments(TargetKind.SCRIPT, str(script_path(words[0])), tuple(words[1:]))
    if not words[0] or not is_there(path):
        _refuse(f"there is no file {words[0] or repr(words[0])}")
    if adapter == GO_ADAPTER and (path.suffix == ".go" or path.is_dir()):
        return read_go(words[0], path, words[1:])
    return ProgramArguments(
        TargetKind.SCRIPT,
        str(path),
        tuple(words[1:]),
        adapter=adapter,
    )


def read_program(words: Sequence[str], cwd: str, python: str | None = None) -> ProgramArguments:
    """Parse the program run in ``cwd``, by ``python`` if given. Raises UsageError."""
    given = Environment(python, "--python") if python else None
    return _CommandReader(cwd, given).read(tuple(words))


class _CommandReader:
    """A parser of one command line; it collects environment variables and the interpreter."""

    def __init__(self, cwd: str, given: Environment | None) -> None:
        self._given = given
        self._said: Environment | None = given
        self._env: dict[str, str] = {}
        self._project = cwd

    def read(self, words: tuple[str, ...]) -> ProgramArguments:
        first, *rest = words
        path = absolute(first)
        if first and is_there(path) and (program := self._file(first, path, tuple(rest))):
            return program
        if "/" not in first:
            if _INTERPRETER.match(first):
                return self._python(first, tuple(rest))
            reader = {"uv": self._uv, "poetry": self._poetry, "env": self._variables}.get(first)
            if reader is not None:
                return reader(first, tuple(rest))
            if first in _ELSEWHERE and rest[:1] == ["run"]:
                _refuse(
                    f"tuidbg doesn't know what `{first} run` would take; name that environment by"
                    " --python, and then what it runs"
                )
            if command := self._find_command(first):
                return self._command(first, command, tuple(rest))
        raise UsageError(f"there is no file {first or repr(first)}")

    def _program(self, kind: TargetKind, target: str, args: Sequence[str]) -> ProgramArguments:
        return ProgramArguments(kind, target, tuple(args), self._said, env=self._env)

    @property
    def _environment(self) -> Environment:
        return self._said or find_environment(self._project)

    # Files

    def _file(self, name: str, path: Path, args: tuple[str, ...]) -> ProgramArguments | None:
        """Make the program for a file; None for an interpreter or an unsuitable file."""
        if program := self._compiled(name, path, args):
            return program
        if path.suffix == ".py" or not path.is_file():
            return self._program(TargetKind.SCRIPT, str(script_path(name)), args)
        if "/" in name and _INTERPRETER.match(path.name) and os.access(path, os.X_OK):
            return self._python(name, args)
        if path.parent.name == "bin" and (program := self._command(name, str(path), args)):
            return program
        _refuse_others(name, read_head(path, _HEAD))
        return self._program(TargetKind.SCRIPT, str(script_path(name)), args)

    def _compiled(self, name: str, path: Path, args: tuple[str, ...]) -> ProgramArguments | None:
        """Make a program for another adapter than Python's; None for others."""
        if path.suffix == ".py":
            return None
        head = read_head(path, _HEAD) if path.is_file() else b""
        adapter = adapter_of(path, head)
        if adapter in ("", GO_ADAPTER) and (
            path.suffix == ".go" or (path.is_dir() and is_go_folder(path))
        ):
            return msgspec.structs.replace(read_go(name, path, args), env=self._env)
        is_python = adapter in ("", DEFAULT_ADAPTER)
        if is_python or ("/" in name and _INTERPRETER.match(path.name)):
            return None
        program = self._program(TargetKind.SCRIPT, str(path), args)
        source = "" if head.startswith(_BINARIES) else None
        return msgspec.structs.replace(program, adapter=adapter, source=source)

    # Commands of an environment

    def _find_command(self, name: str) -> str:
        """Find a command as the shell would, in the program's environment first."""
        if not name or name.startswith("-"):
            return ""
        for environment in (self._environment, find_environment(self._project)):
            here = environment.folder / name
            if here.is_file() and os.access(here, os.X_OK):
                return str(here)
        return find_on_path(name, self._project)

    def _command(self, name: str, path: str, args: tuple[str, ...]) -> ProgramArguments:
        """Make the program for a command that is a Python script, run by its shebang's Python."""
        head = read_head(path, _HEAD)
        python = _interpreter_of(head)
        if python is None:
            _refuse_others(name, head)
            if "/" not in name:
                _refuse(f"{path} is no Python script, and there is no file {name} here")
        if self._given is None and python and os.access(python, os.X_OK):
            beside = self._environment.folder.resolve() == Path(python).parent.resolve()
            self._said = self._environment if beside else Environment(python, f"{name}'s own")
        program = self._program(TargetKind.SCRIPT, path, args)
        return msgspec.structs.replace(program, is_command=True)

    # Python itself

    def _python(self, name: str, words: tuple[str, ...]) -> ProgramArguments:
        if self._given is None:
            self._said = self._interpreter(name)
        options, module, rest = _split_python(words)
        if module:
            program = self._program(TargetKind.MODULE, module, rest)
        elif rest:
            program = self._program(TargetKind.SCRIPT, str(script_path(rest[0])), rest[1:])
        else:
            _refuse(f"name the script or -m MODULE that {name} runs")
        return msgspec.structs.replace(program, python_args=options)

    def _interpreter(self, name: str) -> Environment:
        if "/" in name:
            return Environment(str(absolute(name)), "as asked")
        known = self._said or find_any_environment(self._project)
        if known is not None and (known.folder / name).exists():
            is_own = known.python == sys.executable
            return known if is_own else Environment(str(known.folder / name), known.why)
        if found := find_on_path(name, self._project):
            return Environment(found, f"{name} of the PATH")
        raise UsageError(f"there is no interpreter {name}")

    # Runners: uv, poetry, env

    def _uv(self, name: str, words: tuple[str, ...]) -> ProgramArguments:
        if words[:1] != ("run",):
            _refuse(f"tuidbg knows `uv run` only, not `{' '.join((name, *words[:1]))}`")
        index, kind = self._uv_options(words[1:])
        rest = words[1 + index :]
        if not rest:
            _refuse("name the script or -m MODULE that uv runs")
        if self._given is None:
            self._said = self._uv_environment(rest[0])
        if kind == "module":
            return self._program(TargetKind.MODULE, rest[0], rest[1:])
        if kind == "script":
            return self._program(TargetKind.SCRIPT, str(script_path(rest[0])), rest[1:])
        return self.read(rest)

    def _uv_options(self, words: tuple[str, ...]) -> tuple[int, str]:
        """Return the number of uv's own words, and whether the next one is a module or a script."""
        index = 0
        while index < len(words) and words[index].startswith("-"):
            option, equals, value = words[index].partition("=")
            if option in ("-m", "--module"):
                return index + 1, "module"
            if option in ("-s", "--script"):
                return index + 1, "script"
            if option == "--":
                return index + 1, ""
            if option == "--directory":
                _refuse("go to the directory first: `uv run --directory` is for other commands")
            if option == "--project":
                after = "".join(words[index + 1 : index + 2])
                self._project = str(absolute(value if equals else after))
            elif option not in _UV_FLAGS and option not in _UV_VALUES:
                _refuse(
                    f"`uv run {option}` makes an environment of its own; let it hold tuidbg, too:"
                    f" uv run {option} ... --with tuidbg tuidbg SCRIPT"
                )
            index += 1 if equals or option in _UV_FLAGS else 2
        return index, ""

    def _uv_environment(self, script: str) -> Environment | None:
        head = read_head(absolute(script), 8192) if script.endswith(".py") else b""
        if b"\n# /// script" in b"\n" + head:
            _refuse(
                f"{script} names its own dependencies: after `uv sync --script {script}` it is"
                f' tuidbg --python "$(uv python find --script {script})" {script}'
            )
        found = find_uv_environment(self._project)
        if found is None and find_upward(Path(self._project), "pyproject.toml") is not None:
            _refuse("uv has no environment for this project yet; `uv sync` makes it")
        return found

    def _poetry(self, name: str, words: tuple[str, ...]) -> ProgramArguments:
        if words[:1] != ("run",) or not words[1:]:
            _refuse(f"tuidbg knows `poetry run` only, not `{' '.join((name, *words[:1]))}`")
        if self._given is None:
            self._said = find_poetry_environment(self._project)
            if self._said is None:
                _refuse(
                    "poetry has no environment for this project that tuidbg can find; `poetry"
                    " install` makes it, or name one by --python"
                )
        return self.read(words[1:])

    def _variables(self, name: str, words: tuple[str, ...]) -> ProgramArguments:
        index = 0
        while index < len(words) and (pair := words[index].partition("="))[1]:
            if words[index].startswith("-"):
                break
            self._env[pair[0]] = pair[2]
            index += 1
        if words[index : index + 1] and words[index].startswith("-"):
            _refuse(f"tuidbg doesn't know `{name} {words[index]}`; --env sets a variable")
        if index == len(words):
            _refuse(f"name what {name} runs")
        return self.read(words[index:])


def _split_python(words: tuple[str, ...]) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """Split into Python's own options, the module after ``-m``, and the rest."""
    index = 0
    while index < len(words) and words[index].startswith("-") and words[index] != "-":
        word = words[index]
        if word == "--check-hash-based-pycs":
            index += 2
            continue
        if word.startswith("--"):
            _refuse(f"tuidbg doesn't know Python's option {word}")
        for place, letter in enumerate(word[1:], start=1):
            if letter in _FLAGS:
                continue
            value = word[place + 1 :]
            if letter == "m":
                before = (*words[:index], *([word[:place]] if place > 1 else []))
                module = value or "".join(words[index + 1 : index + 2])
                if not module:
                    _refuse("name the module after -m")
                return before, module, words[index + (1 if value else 2) :]
            if letter in "XW":
                index += 0 if value else 1
                break
            _refuse(_REFUSED.get(letter, f"tuidbg doesn't know Python's option -{letter}"))
        index += 1
    return words[:index], "", words[index:]


def _interpreter_of(head: bytes) -> str | None:
    """Return the Python in a shebang: its path, "" for any Python, None for no Python."""
    found = _LONG_SHEBANG.match(head) or _SHEBANG.match(head)
    if found is None:
        return None
    program = os.fsdecode(found[1])
    if PurePath(program).name == "env":
        words = os.fsdecode(found[2]).replace("-S", "").split()
        return "" if words and _INTERPRETER.match(PurePath(words[0]).name) else None
    return program if _INTERPRETER.match(PurePath(program).name) else None


def _refuse_others(name: str, head: bytes) -> None:
    """Refuse a file that is certainly no Python. Raises UsageError."""
    if head.startswith(_BINARIES):
        _refuse(f"{name} is a compiled program, not Python")
    shebang = _SHEBANG.match(head)
    if shebang is not None and _interpreter_of(head) is None:
        words = [os.fsdecode(shebang[1]), *os.fsdecode(shebang[2]).split()]
        shell = PurePath(words[1] if PurePath(words[0]).name == "env" and words[1:] else words[0])
        _refuse(f"{name} is a script of {shell.name}; debug the Python program that it starts")
