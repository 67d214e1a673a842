"""Expressions that load and call tuidbg's queries in the program (``tuidbg/debuggee``)."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tuidbg.debuggee import bundle

_RAISED = re.compile(r"\w+\((.*)\)", re.DOTALL)


def own_entry_expression(program: str) -> str:
    """Stops the program in the first module of the person's own (``stepping/own_entry``)."""
    others = ("<", f"{bundle.FOLDER.parent}{os.sep}", program)
    return bundle.call_expression("stepping.own_entry", "watch_for", others)


def loaded_module(stem: str) -> str:
    """An expression for a module of tuidbg's that has been loaded in the program."""
    return f"__import__('pydevd')._tuidbg['{stem}']"


class DebugpyInside:
    """``Inside`` for debugpy. A module is named by the last part of its name."""

    def needed_by(self, module: str) -> Sequence[str]:
        found = ("base", *bundle.find_needed(bundle.find_module(module)))
        return tuple(dict.fromkeys(name.rpartition(".")[2] for name in found))

    def install(self, *modules: str) -> str:
        return bundle.load_expression(*map(bundle.find_module, modules))

    def call(self, module: str, function: str, arguments: Mapping[str, Any]) -> str:
        asked = f"'{bundle.find_module(module)}', '{function}', {dict(arguments)!r}"
        return f"{loaded_module('base')}.call({asked})"

    def expression(self, module: str, function: str, arguments: Sequence[Any]) -> str:
        return f"{loaded_module(module)}.{function}{tuple(arguments)!r}"

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
