"""Finds the programs of a folder by their names and a look into them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tuidbg.config.project_programs import MOST_PROGRAMS, find_programs

GUARD = 'def main(): ...\n\nif __name__ == "__main__":\n    main()\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bake.py").write_text(GUARD)
    (tmp_path / "tool.py").write_text("#!/usr/bin/env python3\nprint(1)\n")
    (tmp_path / "library.py").write_text("def work(): ...\n")
    for name in ("test_bake.py", "conftest.py", "setup.py", "-x.py"):
        (tmp_path / name).write_text(GUARD)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__main__.py").write_text("print(1)\n")
    (tmp_path / "not-one").mkdir()
    for time, name in enumerate(("shop", "tool.py", "bake.py")):
        os.utime(tmp_path / name, (time, time))
    return tmp_path


def test_those_changed_last_come_first(folder: Path) -> None:
    assert find_programs(folder) == (("bake.py",), ("tool.py",), ("-m", "shop"))


def test_there_are_only_so_many(tmp_path: Path) -> None:
    for number in range(MOST_PROGRAMS + 2):
        (tmp_path / f"program_{number}.py").write_text(GUARD)
    assert len(find_programs(tmp_path)) == MOST_PROGRAMS


def test_what_is_no_project_has_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_programs(Path("/")) == ()
    assert find_programs(folder / "missing") == ()
    monkeypatch.setenv("HOME", str(folder))
    assert find_programs(folder) == ()
