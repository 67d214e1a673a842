"""The parts of a statement that have values which can be told without running anything again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

MOST = 8
"""Parts of one statement."""

_SIMPLE = (ast.Expr, ast.Assert, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Raise)


def parts_of_statement(text: str, line: int) -> tuple[str, ...]:
    """The names, attributes and items that the statement at a line of a source reads.

    Of ``self.items[0].price`` the whole and each part on the way; what is called is left out, and
    so are names that it binds itself.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    if not found:
        return ()
    innermost = max(found, key=lambda node: (node.lineno, -(node.end_lineno or 0)))
    parts = _read_by(innermost) if isinstance(innermost, _SIMPLE) else _read_by(_head(innermost))
    return tuple(dict.fromkeys(parts))[:MOST]


def _head(node: ast.stmt) -> ast.AST:
    """What a compound statement reads before its body."""
    heads = [getattr(node, name, None) for name in ("test", "iter", "subject")]
    return next((head for head in heads if head is not None), ast.Pass())


def _read_by(node: ast.AST) -> Iterator[str]:
    bound = {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    }
    called = {id(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}
    for each in ast.walk(node):
        is_read = isinstance(getattr(each, "ctx", None), ast.Load) and id(each) not in called
        if is_read and isinstance(each, ast.Name | ast.Attribute | ast.Subscript):
            root = _root(each)
            if root is not None and root not in bound:
                yield ast.unparse(each)


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant | ast.Name):
            return None
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
