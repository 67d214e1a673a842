"""Lines of the program's sources, and which of them belong to a function."""

from __future__ import annotations

import ast
import asyncio

from tuidbg.lines import split_lines
from tuidbg.session.errors import DebuggerError
from tuidbg.session.session import Session
from tuidbg.session.state import Frame, Place

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


async def read_lines(session: Session, place: Place) -> list[str]:
    """The lines of a source; none where it can't be read."""
    if place.reference:
        try:
            text = await session.inspection.source_text(place.reference, place.path)
        except DebuggerError:
            return []
        return split_lines(text)
    found = await asyncio.to_thread(session.running_sources.text, place.path)
    return split_lines(found or "")


def function_at(lines: list[str], frame: Frame) -> tuple[int, int, list[str]]:
    """First and last line of the frame's function, and the names of its parameters.

    Of a module, and where it can't be told, that is the whole source.
    """
    whole = (1, max(len(lines), 1), list[str]())
    if frame.place is None or frame.name == "<module>":
        return whole
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return whole
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, _Function) and _first(node) <= frame.place.line <= _last(node)
    ]
    if not around:
        return whole
    found = max(around, key=lambda node: (node.lineno, node.col_offset))
    return _first(found), _last(found), _parameters(found.args)


def _first(node: _Function) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _last(node: _Function) -> int:
    return node.end_lineno or node.lineno


def _parameters(args: ast.arguments) -> list[str]:
    names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return names + [arg.arg for arg in (args.vararg, args.kwarg) if arg is not None]
