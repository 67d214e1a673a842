"""tuidbg's side of the modules in ``inside/``: the expressions that install and call them."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tuidbg.adapters.debugpy.inside.full_speed import PARTS

_RAISED = re.compile(r"\w+\((.*)\)", re.DOTALL)
_NEEDED = re.compile(r"sys\.modules\[\"_tuidbg_(\w+)\"\]")
_FOLDER = Path(__file__).with_name("inside")


def _run_expression(path: Path, paths: Iterable[Path], **names: object) -> str:
    """Executes a file of ours that runs others (``FILES``), with these names."""
    cached = _FOLDER / "running" / "cached_code.py"
    run = "".join(each.read_text(encoding="utf-8") for each in (cached, path))
    files = {each.stem: _read(each) for each in paths}
    space = {"FILES": files, **names}
    return f"exec(compile({run!r}, '<tuidbg {path.stem}>', 'exec'), {space!r})"


def _read(path: Path) -> tuple[str, int, int, str]:
    """Returns the arguments of ``code_of`` in the program."""
    found = path.stat()
    return str(path), found.st_size, found.st_mtime_ns, path.read_text(encoding="utf-8")


@cache
def install_expression(module: str, *paths: Path) -> str:
    """Executes files, one after the other, as a module of that name, unless it is there."""
    run = _run_expression(_FOLDER / "running" / "run_module.py", paths, NAME=module)
    return f"(__import__('sys').modules.get('{module}') or {run})"


@cache
def _files() -> Mapping[str, Path]:
    """The files of all modules, by the modules' names."""
    return {path.stem: path for path in _FOLDER.rglob("*.py") if path.stem != "__init__"}


@cache
def _needed_by(module: str) -> tuple[str, ...]:
    """The modules that one takes, and it itself, in the order in which they are installed."""
    found: dict[str, None] = {"base": None}
    for other in _NEEDED.findall(_files()[module].read_text(encoding="utf-8")):
        if other != module:
            found.update(dict.fromkeys(_needed_by(other)))
    return tuple(dict.fromkeys([*found, module]))


_PATCHING = (
    "patches/table.py",
    "patches/registry.py",
    "inside/values/private_names.py",
    "before/connection.py",
    "inside/mends.py",
    "inside/endings.py",
    "inside/values/held_locals.py",
    "inside/loaded_lines.py",
    "inside/many.py",
    "inside/called_under_steps.py",
    "inside/stepping/pauses.py",
    "inside/passed_over.py",
    "inside/letting_go.py",
    "inside/children/shells.py",
    "inside/tuned.py",
)


@cache
def patching_expression(*, sends_at_once: bool) -> str:
    """Patches pydevd in programs of every kind; ``sends_at_once``: its socket as well."""
    paths = [_FOLDER.parent / name for name in _PATCHING]
    return _run_expression(
        _FOLDER / "running" / "run_patches.py", paths, SENDS_AT_ONCE=sends_at_once
    )


MISFITS = "(lambda registry: registry.notice(registry.TESTED))(__import__('pydevd')._tuidbg_mends)"
"""A sentence for the person about the patches that do not fit, or an empty one; comes last."""


def own_entry_expression(program: str) -> str:
    """Stops the program in the first module of the person's own (``inside/stepping/own_entry``)."""
    text = (_FOLDER / "stepping" / "own_entry.py").read_text(encoding="utf-8")
    others = ("<", f"{_FOLDER.parents[2]}{os.sep}", program)
    space = f"{{'OTHERS': {others!r}}}"
    return f"exec(compile({text!r}, '<tuidbg own_entry>', 'exec'), {space})"


class DebugpyInside:
    """``Inside`` for debugpy."""

    def needed_by(self, module: str) -> Sequence[str]:
        return _needed_by(module)

    def install(self, *modules: str) -> str:
        each = [install_expression(_name(module), _files()[module]) for module in modules]
        return f"({', '.join(each)}, None)[-1]"

    def call(self, module: str, function: str, arguments: Mapping[str, Any]) -> str:
        base = f"__import__('sys').modules['{_name('base')}']"
        return f"{base}.call('{_name(module)}', '{function}', {dict(arguments)!r})"

    def expression(self, module: str, function: str, arguments: Sequence[Any]) -> str:
        return f"__import__('sys').modules['{_name(module)}'].{function}{tuple(arguments)!r}"

    def read(self, answer: str) -> bytes:
        if not answer.startswith("'"):  # in no frame the text itself is told, not its repr
            return answer.encode("utf-8", "surrogatepass")
        text = ast.literal_eval(answer)
        assert isinstance(text, str)
        return text.encode("utf-8", "surrogatepass")

    def read_refusal(self, answer: str) -> str:
        # In the clipboard's context debugpy gives an exception as if it were the value.
        raised = _RAISED.fullmatch(answer)
        if raised is None:
            return ""
        try:
            return str(ast.literal_eval(raised[1]))
        except (ValueError, SyntaxError):
            return answer


def _name(module: str) -> str:
    return f"_tuidbg_{module}"


def _monitor() -> str:
    folder = _FOLDER / "full_speed"
    run = _run_expression(folder / "run.py", [folder / f"{part}.py" for part in PARTS])
    return f"(__import__('sys').version_info >= (3, 12) and {run})"


MONITOR = _monitor()
"""Breakpoints and steps at full speed (``inside/full_speed``), after the patches."""
