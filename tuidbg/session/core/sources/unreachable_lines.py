"""Whether a line is still reachable: a script's own lines run once.

A run to an unreachable line would run the program to its end. A function may be called again, and a
loop comes back; code outside of both is passed for good.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tuidbg.session.core.sources.name_scopes import parse_text
from tuidbg.session.model.state import Frame

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


_CALLED = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
"""Code that may run at any time, and often."""

_COMES_BACK = (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)
"""Statements whose first line follows their last one; that of ``with`` once, at its end."""


async def why_passed(session: Session, path: str, line: int) -> str:
    """Return why a line is not reachable any more; empty if it may be.

    Only for the file that the thread has begun with: others may be run again by their caller.
    """
    frames = session.frames
    if not frames or not _is_beginning(frames[-1], path):
        return ""
    lines = [frame.place.line for frame in frames if frame.place and frame.place.path == path]
    if line > max(lines):
        return ""
    text = await asyncio.to_thread(session.running_sources.text, path)
    if not text or not await asyncio.to_thread(is_passed, text, line, lines):
        return ""
    return "the program does not come there any more: no function has it, and no loop that runs"


def _is_beginning(oldest: Frame, path: str) -> bool:
    """True if a frame is the script's own, without any caller, even a library."""
    is_script = oldest.name == "<module>" and oldest.beside is None
    return is_script and oldest.place is not None and oldest.place.path == path


def is_passed(text: str, line: int, at: Sequence[int]) -> bool:
    """Return whether ``line`` of a source that is run once is unreachable.

    ``at`` are the current lines of its frames, innermost first. In doubt it is reachable.
    """
    tree = parse_text(text)
    if tree is None:
        return False
    nodes = list(ast.walk(tree))
    called = [_body(node) for node in nodes if isinstance(node, _CALLED)]
    if any(line in span for span in called):
        return False
    now = next((each for each in at if not any(each in span for span in called)), 0)
    return line <= now and not any(_leads_back(node, line, now) for node in nodes)


def _leads_back(node: ast.AST, line: int, now: int) -> bool:
    """True if a statement at line ``now`` may continue at ``line``, above it or the same."""
    if not isinstance(node, ast.stmt | ast.ExceptHandler):
        return False
    whole, head = range(_first(node), _last(node) + 1), _head(node)
    if now not in whole or line not in whole:
        return False
    if isinstance(node, _COMES_BACK):
        return True
    if isinstance(node, ast.ClassDef | ast.ExceptHandler):
        return line in head  # its decorators, its body's beginning; the name of an exception
    return len(head) > 1 and line in head and now in head  # an expression over several lines


def _first(node: ast.stmt | ast.ExceptHandler) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _last(node: ast.AST) -> int:
    return int(getattr(node, "end_lineno", 0) or getattr(node, "lineno", 0))


def _head(node: ast.stmt | ast.ExceptHandler) -> range:
    """Return the lines of a statement without those of the statements in it."""
    inner: Sequence[ast.stmt] = getattr(node, "body", ())
    end = _first(inner[0]) if inner else _last(node) + 1
    if isinstance(node, ast.Match):
        end = node.cases[0].pattern.lineno
    return range(_first(node), max(end, node.lineno + 1))


def _body(node: ast.AST) -> range:
    """Return the lines executed by a function call; a comprehension or a lambda is all of them."""
    inner = getattr(node, "body", None)
    first = _first(inner[0]) if isinstance(inner, list) else getattr(node, "lineno", 0)
    return range(first, _last(node) + 1)
