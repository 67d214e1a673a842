"""The table of the contracts' points (``contracts.txt``): none is without a test, and none lies."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

FOLDER = Path(__file__).parent

POINTS = {"R000": 45, "R001": 31, "R002": 42, "R003": 234, "R004": 99}
"""How many points each contract has; they count from 1."""


def functions_of(file: str) -> Iterator[str]:
    """The test functions of a file, those of its classes as ``Class::test``."""
    for node in ast.parse((FOLDER / file).read_text(encoding="utf-8")).body:
        for each in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{node.name}::{each.name}" if isinstance(node, ast.ClassDef) else each.name


def test_every_point_has_tests_and_every_test_is_there() -> None:
    table = ConfigParser(delimiters=["="], interpolation=None)
    table.optionxform = str  # type: ignore[assignment, method-assign]
    table.read(FOLDER / "contracts.txt", encoding="utf-8")
    shown: defaultdict[str, set[int]] = defaultdict(set)
    gone = []
    for file in table.sections():
        there = set(functions_of(file)) if (FOLDER / file).is_file() else set[str]()
        gone += [f"{file}::{test}" for test in table[file] if test not in there]
        for points in table[file].values():
            for point in points.split():
                contract, number = point.split("-")
                shown[contract].add(int(number))
    assert gone == []
    assert shown == {contract: {*range(1, last + 1)} for contract, last in POINTS.items()}
