"""Bundles of the modules in ``tuidbg/debuggee``, as expressions that load them in the program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from tuidbg import debuggee

FOLDER = Path(debuggee.__file__).absolute().parent
LAUNCHER = FOLDER / "preload" / "debugpy_launcher.py"
PYTEST_PATH = FOLDER / "pytest_path"

_IMPORT = re.compile(
    r"^ *from tuidbg\.debuggee(?P<module>[\w.]*) import (?P<names>\([^)]*\)|[^#\n]*)", re.MULTILINE
)
_SHORTER = re.compile(
    r"""
    (?P<docstring> ^\ *"{3} (?: [^"\\] | \\. | "(?!"") )* "{3}$ )
    | (?P<value> "{3} (?: [^"\\] | \\. | "(?!"") )* "{3} )
    | (?P<comment> ^\ *\#.*?$ | \ \ \#[ ].*?$ )
    | (?P<indent> ^(?:\ {4})+ )
    """,
    re.MULTILINE | re.VERBOSE | re.DOTALL,
)


_File = tuple[str, int, int, str]
"""As the loader's."""


@cache
def find_modules() -> Mapping[str, Path]:
    """All modules by their names below ``tuidbg.debuggee``."""
    paths = {path.relative_to(FOLDER).with_suffix("").parts: path for path in FOLDER.rglob("*.py")}
    return {".".join(parts): path for parts, path in paths.items() if parts[-1] != "__init__"}


@cache
def find_module(stem: str) -> str:
    """The name of the module whose last part this is."""
    (name,) = (name for name in find_modules() if name.rpartition(".")[2] == stem)
    return name


def find_imports(text: str) -> Iterable[str]:
    """The names of the modules that a module imports, in that order."""
    for found in _IMPORT.finditer(text):
        name = found["module"].lstrip(".")
        if name in find_modules():
            yield name
        else:
            for each in re.findall(r"\w+(?: as \w+)?", found["names"]):
                yield f"{name}.{each.split()[0]}".lstrip(".")


@cache
def find_needed(name: str) -> Sequence[str]:
    """The modules that one imports, directly or not, and itself, in the order of their imports."""
    text = find_modules()[name].read_text(encoding="utf-8")
    imports = (each for each in find_imports(text) if each not in ("loader", name))
    below = (needed for each in imports for needed in find_needed(each))
    return tuple(dict.fromkeys([*below, name]))


def shorten(text: str) -> str:
    """Return a source without its docstrings and comments; each line keeps its number."""
    return _SHORTER.sub(_shorten, text)


def _shorten(found: re.Match[str]) -> str:
    indent = " " * ((len(found[0]) - len(found[0].lstrip(" "))) // 4)
    if found["docstring"]:
        return f'{indent}""' + "\n" * found[0].count("\n")
    if found["indent"]:
        return indent
    return found["value"] or ""


@cache
def _read(name: str) -> _File:
    path = find_modules()[name]
    found = path.stat()
    text = shorten(path.read_text(encoding="utf-8"))
    return str(path), found.st_size, found.st_mtime_ns, text


def bundle(*names: str) -> dict[str, _File]:
    """These modules and those that they import, as the loader takes them."""
    needed = dict.fromkeys(each for name in names for each in find_needed(name))
    return {name: _read(name) for name in needed}


def load_expression(*names: str) -> str:
    """An expression that loads these modules alone, as far as they are not loaded."""
    return _expression("run", {name: _read(name) for name in names})


def call_expression(name: str, function: str, *arguments: object, also: Sequence[str] = ()) -> str:
    """An expression that calls a function of a module, and loads all that needs.

    ``also`` are modules that the function loads itself.
    """
    return _expression("run", bundle(name, *also), name, function, *arguments)


def alone_expression(name: str, function: str, *arguments: object) -> str:
    """The same for a program that has no debugger yet."""
    return _expression("run_alone", bundle(name), name, function, *arguments)


def _expression(function: str, *arguments: object) -> str:
    return (
        "(lambda names: (exec(compile("
        f"{_read('loader')[3]!r}, '<tuidbg loader>', 'exec'), names),"
        f" names['{function}'](*{arguments!r}))[1])({{}})"
    )
