"""tuidbg as people have it: its wheel in a virtual environment of its own, once per test run."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


PACKAGES = ("anyio", "ipython", "pytest", "pytest-asyncio", "pytest-xdist")
"""Packages beside tuidbg's wheel."""


def installed_environment(factory: pytest.TempPathFactory) -> Path:
    """The folder with the commands of the environment; the workers of one run share it."""
    base = factory.getbasetemp()
    folder = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    place = folder / "installed"
    with (folder / "installed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "done").exists():
            _install(place)
            (place / "done").touch()
    return place / "venv" / "bin"


def _install(place: Path) -> None:
    uv = os.environ.get("UV") or shutil.which("uv")
    assert uv, "these tests need uv: pip install uv"
    place.mkdir()
    python = "venv/bin/python"
    _run([uv, "build", "--wheel", "--python", sys.executable, "--out-dir", place, ROOT], place)
    _run([uv, "venv", "--no-project", "--python", sys.executable, "venv"], place)
    [wheel] = place.glob("*.whl")
    _run([uv, "pip", "install", "--python", python, wheel, *PACKAGES], place)


def _run(command: list[str | Path], folder: Path) -> None:
    ended = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
