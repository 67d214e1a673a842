"""Finding a text in the files of a project: which files, which lines, and how it is ended."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tuidbg.session.core.sources.files import (
    LINE_LIMIT,
    LineMatch,
    Summary,
    project_files,
    read_text,
    search_files,
)

pytestmark = pytest.mark.real

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")


def search(
    folder: Path, text: str, *, limit: int = 1000, cancel_after: int = 10**9
) -> tuple[list[LineMatch], Summary]:
    found: list[LineMatch] = []
    summary = search_files(
        folder,
        re.compile(re.escape(text)),
        found.extend,
        lambda: len(found) >= cancel_after,
        limit=limit,
    )
    return found, summary


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def names(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in project_files(folder)]


@pytest.mark.full
def test_lines_are_told_with_the_place_of_the_text(tmp_path: Path) -> None:
    write(tmp_path, a_dot_py="x = 1\n    total = x  # total\n", sub__b_dot_txt="no\ntotal\n")
    found, summary = search(tmp_path, "total")
    assert found == [
        LineMatch(str(tmp_path / "a.py"), 2, "total = x  # total", 0, 5),
        LineMatch(str(tmp_path / "sub" / "b.txt"), 2, "total", 0, 5),
    ]
    assert summary == Summary(files=2, matches=2)


def test_a_long_line_is_cut_around_the_text(tmp_path: Path) -> None:
    write(tmp_path, long_dot_py="x" * 5000 + "needle" + "y" * 5000)
    ((match,), _) = search(tmp_path, "needle")
    assert len(match.text) == LINE_LIMIT
    assert match.text[match.start : match.end] == "needle"


def test_it_ends_at_the_limit(tmp_path: Path) -> None:
    write(tmp_path, a_dot_py="hit\n" * 50, b_dot_py="hit\n" * 50)
    found, summary = search(tmp_path, "hit", limit=60)
    assert len(found) == 60
    assert summary.cut and summary.matches == 60


@pytest.mark.full
def test_it_can_be_cancelled(tmp_path: Path) -> None:
    for number in range(20):
        write(tmp_path, **{f"file{number:02}_dot_py": "hit\n"})
    summary = search_files(tmp_path, re.compile("hit"), lambda found: None, lambda: True)
    assert summary.cancelled and summary.matches == 0


def test_data_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(b"hit\0hit")
    (tmp_path / "latin.py").write_bytes("hit = 'é'".encode("latin-1"))
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere")
    found, _ = search(tmp_path, "hit")
    assert [Path(match.path).name for match in found] == ["latin.py"]
    assert read_text(tmp_path / "data.bin") is None
    assert read_text(tmp_path) is None


def test_without_git_what_tools_make_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    write(
        tmp_path,
        main_dot_py="",
        pkg__mod_dot_py="",
        node_modules__x_dot_js="",
        _dot_hidden__x_dot_py="",
        env__pyvenv_dot_cfg="",
        env__lib_dot_py="",
    )
    (tmp_path / "pkg" / "__pycache__").mkdir()
    (tmp_path / "pkg" / "__pycache__" / "mod.pyc").write_text("")
    assert names(tmp_path) == ["main.py", "pkg/mod.py"]


@pytest.mark.full
@needs_git
def test_git_says_what_belongs_to_the_project(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write(tmp_path, new_dot_py="", _dot_gitignore="*.log\nbuild/\n", a_dot_log="")
    write(tmp_path, build__out_dot_py="", sub__b_dot_py="")
    subprocess.run(["git", "-C", str(tmp_path), "add", "sub"], check=True)
    assert names(tmp_path) == [".gitignore", "new.py", "sub/b.py"]


@needs_git
def test_a_folder_in_a_repository(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write(tmp_path, above_dot_py="", sub__näh_dot_py="")
    assert names(tmp_path / "sub") == ["näh.py"]


@pytest.mark.full
@needs_git
def test_a_folder_that_git_ignores_is_walked(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write(tmp_path, _dot_gitignore="scratch/\n", scratch__try_dot_py="")
    assert names(tmp_path / "scratch") == ["try.py"]
