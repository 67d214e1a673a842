"""Tests which Python runs a program where nobody says it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_command_parsing import make_environment
from tuidbg.config.environments import (
    NONE_ACTIVE,
    _environment_name,
    find_environment,
    find_on_path,
    poetry_prefixes,
)

VARIABLES = (
    *("VIRTUAL_ENV", "CONDA_PREFIX", "UV_PROJECT_ENVIRONMENT", "POETRY_CACHE_DIR"),
    *("POETRY_VIRTUALENVS_PATH", "PYENV_ROOT", "PYENV_VERSION"),
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "pyproject.toml").write_text('[tool.poetry]\nname = "My Shop"\n')
    return folder


def found(folder: Path) -> tuple[str, str]:
    """The environment's folder, and why."""
    environment = find_environment(str(folder))
    return str(Path(environment.python).parent.parent), environment.why


def make_pyenv(root: Path, *versions: str) -> None:
    for version in versions:
        (root / "versions" / version / "bin").mkdir(parents=True)
        for name in ("python", "pip"):
            (root / "versions" / version / "bin" / name).symlink_to(sys.executable)


def test_the_order(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the weakest to the strongest; each next one wins over all before."""
    inside = project / "src"
    assert find_environment(str(inside)).python == sys.executable

    make_pyenv(tmp_path / "pyenv", "3.9.1", "3.12.2", "3.12.10")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    (project / ".python-version").write_text("3.12\n")
    newest = str(tmp_path / "pyenv" / "versions" / "3.12.10")
    assert found(inside) == (newest, ".python-version says 3.12")

    make_environment(tmp_path / "conda")
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "conda"))
    assert found(inside) == (str(tmp_path / "conda"), "the active conda environment")

    monkeypatch.setenv("POETRY_CACHE_DIR", str(tmp_path / "cache"))
    name = f"{_environment_name(project)}-py3.11"
    make_environment(tmp_path / "cache" / "virtualenvs" / name)
    (project / "poetry.lock").write_text("")
    of_poetry = str(tmp_path / "cache" / "virtualenvs" / name)
    assert found(inside) == (of_poetry, "poetry's environment of the project")

    for name in ("venv", ".venv", "src/.venv"):
        make_environment(project / name)
        assert found(inside) == (str(project / name), "the project's environment")

    make_environment(project / "env-of-uv")
    monkeypatch.setenv("UV_PROJECT_ENVIRONMENT", "env-of-uv")
    assert found(inside) == (str(project / "env-of-uv"), "UV_PROJECT_ENVIRONMENT")

    make_environment(tmp_path / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    assert found(inside) == (str(tmp_path / "active"), "the active environment")


def test_only_within_the_project(project: Path, tmp_path: Path) -> None:
    make_environment(tmp_path / ".venv")
    assert find_environment(str(project / "src")).python == sys.executable
    (project / "venv" / "bin").mkdir(parents=True)  # a folder of that name, and no environment
    (project / "venv" / "bin" / "python").symlink_to(sys.executable)
    assert find_environment(str(project)).python == sys.executable


def test_where_no_environment_is_active_words_say_whose_interpreter_it_is(project: Path) -> None:
    assert find_environment(str(project)) == (sys.executable, NONE_ACTIVE)


def test_tuidbgs_own_environment_needs_no_word(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    environment = find_environment(str(project))
    assert (environment.python, environment.why) == (sys.executable, "")


def test_one_whose_python_is_gone_is_not_passed_over(project: Path) -> None:
    """A wrong interpreter would run the program; this one is refused in words."""
    make_environment(project / ".venv")
    python = project / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")
    assert found(project)[0] == str(project / ".venv")


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ('[tool.poetry]\nname = "My Shop"', "my_shop"),
        ('[project]\nname = "My_Shop.X"', "my-shop-x"),
        ("", "non-package-mode"),
        ("no toml at all [", "non-package-mode"),
    ],
)
def test_poetrys_names(fields: str, name: str, project: Path) -> None:
    (project / "pyproject.toml").write_text(fields)
    made = _environment_name(project)
    assert made.startswith(f"{name}-")
    assert len(made) == len(name) + 1 + 8


def test_poetry_env_use_chooses(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POETRY_VIRTUALENVS_PATH", str(tmp_path / "envs"))
    name = _environment_name(project)
    for version in ("3.9", "3.10", "3.12"):
        make_environment(tmp_path / "envs" / f"{name}-py{version}")
    assert [p.name[-4:] for p in poetry_prefixes(project)] == ["3.12", "3.10", "y3.9"]
    (tmp_path / "envs" / "envs.toml").write_text(f'["{name}"]\nminor = "3.10"\npatch = "3.10.2"\n')
    assert poetry_prefixes(project)[0].name.endswith("-py3.10")


def test_behind_pyenvs_scripts(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "pyenv"
    make_pyenv(root, "3.9.1", "3.12.2")
    shim = root / "shims" / "pip"
    shim.parent.mkdir()
    shim.write_text("#!/usr/bin/env bash\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{root / 'shims'}:/usr/bin:/bin")
    assert find_on_path("pip", str(project)) == str(shim)
    (root / "version").write_text("3.9.1\n")
    assert find_on_path("pip", str(project)) == str(root / "versions" / "3.9.1" / "bin" / "pip")
    (project / ".python-version").write_text("3.12\n")
    in_project = find_on_path("pip", str(project / "src"))
    assert in_project == str(root / "versions" / "3.12.2" / "bin" / "pip")
    monkeypatch.setenv("PYENV_VERSION", "3.9.1")
    assert find_on_path("pip", str(project)) == str(root / "versions" / "3.9.1" / "bin" / "pip")


def test_it_costs_nothing_that_is_felt(project: Path) -> None:
    """Under a millisecond on the usual way; the best of many, as the machine may be busy."""
    deep = project / "a" / "b" / "c" / "d"
    deep.mkdir(parents=True)

    def seconds() -> float:
        begun = time.perf_counter()
        find_environment(str(deep))
        return time.perf_counter() - begun

    assert min(seconds() for _ in range(50)) < 0.001
    assert os.environ.get("VIRTUAL_ENV") is None
