"""Tests which folder is the project of a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuidbg.config.project import project_folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two projects, one inside the other, and a package in the inner one."""
    (tmp_path / "outer" / ".git").mkdir(parents=True)
    package = tmp_path / "outer" / "inner" / "src" / "pkg"
    package.mkdir(parents=True)
    (tmp_path / "outer" / "inner" / "pyproject.toml").touch()
    (package / "app.py").touch()
    (tmp_path / "outer" / "tool.py").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("outer/inner/src/pkg/app.py", "outer/inner"),
        ("outer/inner/src/pkg", "outer/inner"),
        ("outer/tool.py", "outer"),
        ("outer/inner/../tool.py", "outer"),
    ],
)
def test_the_nearest_folder_with_a_marker(target: str, expected: str, tree: Path) -> None:
    assert project_folder(tree / target, "/") == tree / expected
    assert project_folder(target, tree) == tree / expected


def test_a_module_belongs_to_where_it_is_run(tree: Path) -> None:
    assert project_folder("", tree / "outer" / "inner" / "src") == tree / "outer" / "inner"


def test_a_worktree_has_a_file_for_a_marker(tree: Path) -> None:
    (tree / "outer" / "inner" / "src" / ".git").write_text("gitdir: elsewhere\n")
    assert project_folder(tree / "outer/inner/src/pkg/app.py", "/") == tree / "outer/inner/src"


def test_without_a_marker_it_is_the_scripts_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Somewhere above the temporary folder there may be a project.
    monkeypatch.setattr("tuidbg.config.project.MARKERS", ("no such marker",))
    (tmp_path / "app.py").touch()
    assert project_folder(tmp_path / "app.py", "/") == tmp_path
    assert project_folder("", tmp_path) == tmp_path
    assert project_folder(tmp_path, "/") == tmp_path
