"""Limits of functions, of circles of imports and of names."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.structure import PACKAGE, measure


@pytest.mark.full
def test_nothing_is_over_the_limits() -> None:
    figures = measure()
    assert figures.modules > 300  # it has looked
    assert figures.over_limits() == []
    assert figures.shared_classes == []


def test_a_persons_program_gets_nothing_of_the_house_with_its_hook() -> None:
    settings = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = [
        each
        for each in settings["tool"]["importlinter"]["contracts"]
        if each.get("source_modules") == ["tuidbg.hook", "tuidbg.pytest"]
    ]
    packages = {f"tuidbg.{path.parent.name}" for path in PACKAGE.glob("*/__init__.py")}
    packages.remove("tuidbg.debuggee")  # by its own contract it brings nothing along
    assert packages - {*contract["source_modules"]} <= {*contract["forbidden_modules"]}


def test_what_is_over_the_limits_is_named(tmp_path: Path) -> None:
    package = tmp_path / "house"
    (package / "room").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    for number in range(4):
        other = (number + 1) % 4
        kind = "import house.room.m" if number % 2 else "from house.room import m"
        (package / "room" / f"m{number}.py").write_text(f"{kind}{other}\nclass Same: ...\n")
    (package / "deep.py").write_text("def f():\n" + "    x = 1\n" * 65)
    figures = measure(package)
    assert figures.over_limits() == [
        "66 lines in the function house.deep.f, of at most 65",
        "4 files in the circle house.room.m0, house.room.m1, house.room.m2, house.room.m3,"
        " of at most 3",
    ]
    assert figures.shared_classes == [(4, "Same")] and figures.shared_names == []
