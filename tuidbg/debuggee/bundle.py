"""Bundles of the modules in this package, as expressions that load them in the program.

This one module runs in tuidbg.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).absolute().parent
LAUNCHER = FOLDER / "preload" / "debugpy_launcher.py"
PYTEST_PATH = FOLDER / "pytest_path"

_IMPORT = re.compile(
    r"^ *from tuidbg\.debuggee(?P<module>[\w.]*) import (?P<names>\([^)]*\)|[^#\n]*)", re.MULTILINE
)
_TYPING = re.compile(
    r"^TYPE_CHECKING = False\nif TYPE_CHECKING:\n(?:    .*\n|\n(?=    ))*", re.MULTILINE
)
_COMMENT = re.compile(r"# .*")
_DEEPEST = 12
"""Levels of indentation."""

_File = tuple[str, int, int, str]
"""As the loader's."""


@cache
def find_modules() -> Mapping[str, Path]:
    """All modules by their names below ``tuidbg.debuggee``."""
    found = {}
    for folder, _, files in os.walk(FOLDER):
        package = folder[len(str(FOLDER)) + 1 :].replace(os.sep, ".")
        for file in files:
            if file.endswith(".py") and file not in ("__init__.py", "bundle.py"):
                found[f"{package}.{file[:-3]}".lstrip(".")] = Path(folder, file)
    return found


@cache
def _read_source(name: str) -> str:
    return find_modules()[name].read_text(encoding="utf-8")


@cache
def find_module(stem: str) -> str:
    """The name of the module whose last part this is."""
    (name,) = (name for name in find_modules() if name.rpartition(".")[2] == stem)
    return name


def find_imports(text: str) -> Iterable[str]:
    """The names of the modules that a module imports, in that order."""
    for found in _IMPORT.finditer(_TYPING.sub("", text)):
        name = found["module"].lstrip(".")
        if name in find_modules():
            yield name
        else:
            for each in re.findall(r"\w+(?: as \w+)?", found["names"]):
                yield f"{name}.{each.split()[0]}".lstrip(".")


@cache
def find_needed(name: str) -> Sequence[str]:
    """The modules that one imports, directly or not, and itself, in the order of their imports."""
    text = _read_source(name)
    imports = (each for each in find_imports(text) if each not in ("loader", name))
    below = (needed for each in imports for needed in find_needed(each))
    return tuple(dict.fromkeys([*below, name]))


def shorten(text: str) -> str:
    """Return a source without its docstrings, comments and imports for types.

    Each line keeps its number.
    """
    text = _TYPING.sub(lambda found: "\n" * found[0].count("\n"), text)
    parts = text.split('"""')  # code and quoted text in turns
    short = [_shorten_code(parts[0])]
    for before, quoted, after in zip(parts[::2], parts[1::2], parts[2::2], strict=False):
        if before.rpartition("\n")[2].strip(" ") or after[:1] not in ("", "\n"):
            short.append(f'"""{quoted}"""')  # a value
        else:
            short.append('""' + "\n" * quoted.count("\n"))
        short.append(_shorten_code(after))
    return "".join(short)


def _shorten_code(code: str) -> str:
    code = _COMMENT.sub("", code)
    for level in range(_DEEPEST, 0, -1):
        code = code.replace("\n" + level * "    ", "\n" + level * "\t")
    return code.replace("\t", " ")


@cache
def _read(name: str) -> _File:
    path = find_modules()[name]
    found = path.stat()
    text = shorten(_read_source(name))
    return str(path), found.st_size, found.st_mtime_ns, text


def bundle(*names: str) -> dict[str, _File]:
    """These modules with their imports, in the form that the loader reads."""
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


_EXPRESSION = """\
(lambda modules, names, path, size, changed, text: (exec(
 modules['os'].access(path, 4)
 and (modules['os'].stat(path).st_size, modules['os'].stat(path).st_mtime_ns) == (size, changed)
 and modules['_frozen_importlib_external'].SourceFileLoader('loader', path).get_code('loader')
 or compile(text, '<tuidbg loader>', 'exec'), names),
 names['{function}'](*{arguments!r}))[1])(__import__('sys').modules, {{}}, *{loader!r})
"""
"""Execute the loader, whose code is taken from Python's cache as that of the modules."""


def _expression(function: str, *arguments: object) -> str:
    text = _EXPRESSION.format(function=function, arguments=arguments, loader=_read("loader"))
    return text.replace("\n", "").strip()
