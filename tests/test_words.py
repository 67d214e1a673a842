"""Texts that reach users are in plain words: none has certain words of an earlier dialect."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tuidbg.api.app import openapi_document
from tuidbg.api.mcp.tool_sets import TOOL_SETS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "tuidbg"

AVOIDED = re.compile(
    r"\b(tells|stands|whoever|nobody|is told|anew|let go|what is|makes no sense|seeks|reckoned)\b",
    re.IGNORECASE,
)
CODE = "entering/texts.py"
"""Source that is sent to programs."""


def test_texts_of_the_product() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in PACKAGE.rglob("*.py")
        if not path.as_posix().endswith(CODE)
        for line, text in strings(ast.parse(path.read_text(encoding="utf-8")))
        if AVOIDED.search(text)
    ]
    assert not found, "\n".join(found)


def test_pages() -> None:
    pages = [*PACKAGE.rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    assert len(pages) > 20
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line}"
        for path in pages
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if AVOIDED.search(line)
    ]
    assert not found, "\n".join(found)


def test_descriptions_for_programs() -> None:
    """Those of the REST document, which are docstrings, and of the tools for agents."""
    told = list(descriptions(openapi_document()))
    for tools in TOOL_SETS.values():
        for tool in tools:
            told += [tool.description, *descriptions(tool.schema)]
    assert len(told) > 300
    found = [text for text in told if AVOIDED.search(text)]
    assert not found, "\n".join(found)


def strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The texts of a module but its docstrings, with their lines."""
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            yield node.lineno, str(node.value)


def descriptions(part: Any) -> Iterator[str]:
    """All descriptions and summaries in a JSON document."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key in ("description", "summary") and isinstance(value, str):
                yield value
            else:
                yield from descriptions(value)
    elif isinstance(part, list):
        for value in part:
            yield from descriptions(value)
