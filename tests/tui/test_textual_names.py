"""Private names of Textual: all are listed, and one that is gone is reported at the start."""

from __future__ import annotations

import ast
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from textual.app import App

from tests.support.screens import counting, debugger
from tuidbg.tui import textual_names
from tuidbg.tui.textual_names import NAMES, TESTED, describe_misfits

ALL = [(purpose, name) for purpose, names in NAMES.items() for name in names]


def _imported(path: Path) -> set[str]:
    """The private modules and functions of Textual that a module imports."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        for name in node.names if isinstance(node, ast.ImportFrom) else ():
            if module.startswith("textual") and ("._" in module or name.name.startswith("_")):
                found.add(f"{module}:{name.name}")
    return found


def test_each_private_name_that_is_imported_is_listed() -> None:
    paths = Path(textual_names.__file__).parent.rglob("*.py")
    imported = set().union(*map(_imported, paths))
    assert imported and imported <= {name for _, name in ALL}


def test_the_pin_is_the_version_that_is_tested() -> None:
    pyproject = tomllib.loads(Path("pyproject.toml").read_text())
    assert f"textual{TESTED}" in pyproject["project"]["dependencies"]


def test_all_names_exist() -> None:
    assert describe_misfits(App()) == ""


@pytest.mark.parametrize(("purpose", "name"), ALL, ids=[name for _, name in ALL])
def test_each_name_that_is_gone_is_told(
    purpose: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app: App[None] = App()
    module, _, path = name.partition(":")
    *owners, last = path.split(".")
    owner = app if module == "APP" else import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    classes = type(owner).__mro__ if not isinstance(owner, type) else owner.__mro__
    for place in (owner, *classes):
        if last in vars(place):
            monkeypatch.delattr(place, last)
    told = describe_misfits(app)
    assert f"{purpose} (there is no {name.replace(':', '.')}" in told, told
    assert f'pip install "textual{TESTED}"' in told


async def test_the_person_is_told_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(textual_names, "NAMES", {"show panes": ("APP:_gone",)})
    async with debugger(tmp_path, counting(tmp_path)) as bench:
        told = [each.message for each in bench.app._notifications]
        assert any("may fail to show panes (there is no APP._gone)" in each for each in told), told
