"""Which tests of a folder are found, how cheaply, and that nothing of it is run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tuidbg.config import project_programs as project_tests
from tuidbg.config.project_programs import ProjectTests, find_tests

TEST = "def test_it():\n    assert True\n"


def write(path: Path, text: str = TEST, age: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def test_the_newest_come_first(tmp_path: Path) -> None:
    write(tmp_path / "tests" / "test_old.py", age=20)
    write(tmp_path / "tests" / "deep" / "test_new.py", age=1)
    write(tmp_path / "shop_test.py", age=5)
    found = ("tests/deep/test_new.py", "shop_test.py", "tests/test_old.py")
    assert find_tests(tmp_path) == ProjectTests(found, 3, 0)


@pytest.mark.parametrize(
    "path",
    [
        "venv/test_a.py",
        ".tox/test_a.py",
        "node_modules/x/test_a.py",
        "helper.py",
        "test_a.txt",
        "a/b/c/d/e/f/g/test_a.py",
    ],
)
def test_what_is_not_the_projects_is_passed_over(tmp_path: Path, path: str) -> None:
    write(tmp_path / path)
    assert find_tests(tmp_path) is None


def test_an_environment_by_any_name_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "python" / "pyvenv.cfg", "")
    write(tmp_path / "python" / "lib" / "test_a.py")
    assert find_tests(tmp_path) is None


def test_a_file_that_is_only_called_so_has_no_tests(tmp_path: Path) -> None:
    write(tmp_path / "test_connection.py", "print('is it up?')\n")
    assert find_tests(tmp_path) is None


def test_nothing_is_imported(tmp_path: Path) -> None:
    write(tmp_path / "test_a.py", TEST + "open('ran', 'w')\nraise SystemExit\n")
    write(tmp_path / "conftest.py", "raise SystemExit\n")
    assert find_tests(tmp_path) == ProjectTests(("test_a.py",), 1, 0)
    assert not Path("ran").exists() and not (tmp_path / "ran").exists()


def test_odd_things_by_the_name_of_a_test_do_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "test_pipe.py")
    (tmp_path / "test_folder.py").mkdir()
    (tmp_path / "test_nowhere.py").symlink_to(tmp_path / "gone.py")
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    write(tmp_path / "test_a.py")
    assert find_tests(tmp_path) == ProjectTests(("test_a.py",), 1, 0)


def test_of_many_only_so_many_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        write(tmp_path / f"test_{number}.py", age=number)
    found = find_tests(tmp_path)
    assert found is not None
    assert (len(found.files), found.all_files) == (project_tests.MOST_FILES, 20)
    monkeypatch.setattr(project_tests, "MOST_ENTRIES", 5)
    found = find_tests(tmp_path)
    assert found is not None and found.all_files == 5


@pytest.mark.parametrize(
    ("noted", "failed"),
    [
        ('{"test_a.py::test_it": true, "test_a.py::test_b[1]": true, "gone.py::x": true}', 2),
        ("{}", 0),
        ("[1]", 0),
        ("{", 0),
    ],
)
def test_those_that_failed_last_are_counted(tmp_path: Path, noted: str, failed: int) -> None:
    write(tmp_path / "test_a.py")
    write(tmp_path / ".pytest_cache" / "v" / "cache" / "lastfailed", noted)
    found = find_tests(tmp_path)
    assert found is not None and found.failed == failed


def test_a_home_is_not_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "test_a.py")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_tests(tmp_path) is None
    assert find_tests(Path("/")) is None


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert find_tests(tmp_path / "gone") is None
