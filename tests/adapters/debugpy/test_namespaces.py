"""Parts that share a namespace in the program: no name of one is silently replaced by another."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tuidbg.adapters.debugpy import inside_calls, probe
from tuidbg.adapters.debugpy.inside import full_speed
from tuidbg.adapters.debugpy.probe_parts import PARTS
from tuidbg.recording import inside as recorder

DEBUGPY = Path(probe.__file__).parent
RECORDER = Path(recorder.__file__).parent

TOGETHER = {
    "patches": [*(DEBUGPY / name for name in inside_calls._PATCHING)],
    "full speed": [DEBUGPY / f"inside/full_speed/{part}.py" for part in full_speed.PARTS],
    "probe": [probe._PRIVATE_NAMES, *(DEBUGPY / f"probe_parts/{part}.py" for part in PARTS)],
    "recorder": [
        RECORDER / f"{part}.py" for part in dict.fromkeys([*recorder.PARTS, *recorder.LOOKING])
    ],
}

_OWN_SCOPE = (
    *(ast.FunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp),
)


def _bindings(node: ast.AST, statement: ast.stmt | None = None) -> Iterator[tuple[str, str]]:
    """The global names that a module binds, each with its statement."""
    for child in ast.iter_child_nodes(node):
        here = child if isinstance(child, ast.stmt) else statement
        text = ast.unparse(here) if here is not None else ""
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield child.name, text
        elif isinstance(child, ast.alias):
            yield (child.asname or child.name).partition(".")[0], text
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id, text
        if not isinstance(child, _OWN_SCOPE):
            yield from _bindings(child, here)


def replaced(parts: Sequence[tuple[str, str]]) -> list[str]:
    """What several parts, each a name and a text, bind to different things.

    The same statement in two parts is no fault: some are executed without the others, too.
    """
    bound: defaultdict[str, dict[str, set[str]]] = defaultdict(dict)
    for part, text in parts:
        for name, statement in _bindings(ast.parse(text)):
            bound[name].setdefault(part, set()).add(statement)
    return [
        f"{name}: {', '.join(places)}"
        for name, places in bound.items()
        if any(texts != next(iter(places.values())) for texts in places.values())
    ]


@pytest.mark.parametrize("paths", TOGETHER.values(), ids=TOGETHER)
def test_no_part_replaces_a_name_of_another(paths: list[Path]) -> None:
    assert not replaced([(path.stem, path.read_text(encoding="utf-8")) for path in paths])


def test_each_kind_of_replacement_is_found() -> None:
    first = "import sys\nLIMIT = whole = 1\nTABLE = {LIMIT: 0}\ndef ask(): 1\nclass Real: 1"
    others = ("LIMIT = 2", "def ask(n): pass", "import re as Real", "for whole in (): pass")
    for other in others:
        text = f"import sys\nif sys:\n  {other}\nTABLE[1] = [x for x in ()]\nTABLE = {{LIMIT: 0}}"
        assert len(replaced([("first", first), ("other", text)])) == 1, other
