"""The demo program as it runs without a debugger: the same each time, and to its bitter end."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tuidbg
from tests.support.waiting import PATIENCE

pytestmark = [pytest.mark.real, pytest.mark.full]

DEMO = Path(tuidbg.__file__).parent / "demo" / "main.py"


def run_demo(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DEMO)]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_demo_tells_its_story(tmp_path: Path) -> None:
    demo = run_demo(tmp_path)
    assert demo.returncode == 1
    lines = demo.stdout.splitlines()
    assert "sorry, no croissant here" in lines[3]  # the exception that it catches
    assert all(re.search(r"\x1b\[3\dm", line) for line in lines)
    assert len(lines) == 7
    *trace, error = demo.stderr.splitlines()
    assert error == "counter.OutOfBread: Hana was promised 1 rye too many"
    assert trace[0] == "Traceback (most recent call last):"


def test_demo_is_the_same_each_time(tmp_path: Path) -> None:
    first, second = run_demo(tmp_path), run_demo(tmp_path)
    assert (first.stdout, first.stderr) == (second.stdout, second.stderr)
