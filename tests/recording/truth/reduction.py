"""Makes failing programs small: statements are left out for as long as a failure stays."""

from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.recording.truth.comparison import Tally, check
from tests.recording.truth.programs import PRELUDE


def kind_of(failure: str) -> str:
    """A failure without its numbers, names and values."""
    text = re.sub(r"0x[0-9a-f]+|-?\d+(\.\d+)?", "#", re.sub(r"'[^']*'", "S", failure))
    text = re.sub(r"^moment #, line #: .*?(?= (is|has|lacks)\b)", "value", text)
    text = re.sub(r"^(why|changes of) \(S, #\)\[[^:]*\](?=:| at)", r"\1 part", text)
    return re.sub(r"(?<=is ).*, recorded as .*", "another", text)[:60]


def failures_of(python: str, texts: dict[str, str]) -> dict[str, list[str]]:
    """Of each program that fails, by its name."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        check(python, texts, Path(folder), tally)
    return tally.failures


def smallest(python: str, text: str, kind: str) -> str:
    """The program without what its failure does not need, and without the prelude."""
    body = text.removeprefix(PRELUDE)
    for _ in range(40):
        candidates = {f"c{i:04}": PRELUDE + each for i, each in enumerate(_shorter(body))}
        found = failures_of(python, candidates)
        fitting = [
            name for name, each in found.items() if any(kind_of(one) == kind for one in each)
        ]
        if not fitting:
            break
        body = min((candidates[name] for name in fitting), key=len).removeprefix(PRELUDE)
    return body


def _shorter(text: str) -> Iterator[str]:
    """The text without one of its statements, or with a statement instead of what it is in."""
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.Global):
            continue
        start, end = node.lineno - 1, node.end_lineno or node.lineno
        indent = lines[start][: node.col_offset]
        if indent.strip():
            continue  # behind a semicolon
        yield from _valid(lines[:start], [], lines[end:])
        yield from _valid(lines[:start], [f"{indent}pass"], lines[end:])
        body = getattr(node, "body", None)
        if body:
            first, last = body[0].lineno - 1, body[-1].end_lineno
            deeper = lines[first][: body[0].col_offset]
            inner = [each.replace(deeper, indent, 1) for each in lines[first:last]]
            yield from _valid(lines[:start], inner, lines[end:])


def _valid(before: list[str], middle: list[str], after: list[str]) -> Iterator[str]:
    text = "\n".join([*before, *middle, *after])
    try:
        compile(text, "program.py", "exec")
    except SyntaxError:
        return
    yield text
