"""tuidbg's side of the modules in ``inside/``: the expressions that install and call them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

_RAISED = re.compile(r"\w+\((.*)\)", re.DOTALL)
_FOLDER = Path(__file__).with_name("inside")


@cache
def install_expression(module: str, path: Path) -> str:
    """Executes a file as a module of that name in the program, unless it is there."""
    source = repr(path.read_text(encoding="utf-8"))
    return (
        f"(lambda modules: modules.get('{module}') or modules.setdefault('{module}',"
        f" type(__import__('sys'))('{module}')) and"
        f" exec(compile({source}, '<tuidbg {path.stem}>', 'exec'), modules['{module}'].__dict__))"
        "(__import__('sys').modules)"
    )


MENDS = (
    "(lambda pydevd, module:"
    " getattr(getattr(pydevd, '_tuidbg_mends', 0), 'DB', 0) is pydevd.get_global_debugger()"
    " or setattr(pydevd, '_tuidbg_mends', module('_tuidbg_mends')) or exec(compile("
    f"{(_FOLDER / 'mends.py').read_text(encoding='utf-8')!r}, '<tuidbg mends>', 'exec'),"
    " pydevd._tuidbg_mends.__dict__))(__import__('pydevd'), type(__import__('sys')))"
)
"""Puts right what pydevd takes wrongly, in programs of every kind; no module that they can see."""


class DebugpyInside:
    """``Inside`` for debugpy."""

    def install(self, module: str) -> str:
        return install_expression(_name(module), _FOLDER / f"{module}.py")

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


_MONITORING = _FOLDER / "monitoring.py"
MONITOR = (
    "(__import__('sys').version_info >= (3, 12) and exec(compile("
    f"{_MONITORING.read_text(encoding='utf-8')!r}, '<tuidbg monitoring>', 'exec'),"
    " {'__name__': 'tuidbg monitoring'}))"
)
"""Does what pydevd leaves undone there (``inside/monitoring.py``); no module of it is to be seen."""
