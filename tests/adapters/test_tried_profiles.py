"""The manual's profiles for gdb, bash-dap and seam, on these (rdbg: ``test_going_back.py``)."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.plain.piped import by_lines
from tests.support.adapter_profiles import FOLDER, example, needs_adapter, write_config
from tests.support.native import compiled, needs_cc

pytestmark = [pytest.mark.real, pytest.mark.full]

BASH = """\
total=0
for n in 1 2 3; do
  total=$((total + n))
done
"""

PYTHON = """\
total = 0
for n in range(1, 4):
    total += n
print(total)
"""

LLDB = next((f"lldb-{n}" for n in range(30, 17, -1) if shutil.which(f"lldb-{n}")), "lldb")


@pytest.fixture(autouse=True)
def adapters(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the PATH, before what the machine has of the same name."""
    places = [str(FOLDER), str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(places))


@needs_cc
@needs_adapter("gdb")
def test_gdb(tmp_path: Path) -> None:
    write_config(tmp_path, example("a profile for gdb"))
    commands = ["b add", "c", "p b", "up", "q"]
    told = by_lines(tmp_path, compiled("totals.c"), commands, "--adapter", "gdb")
    assert [function for _, function in told.stops()] == ["main", "add", "main"], told.text
    assert told.answer(2) == "0"


@needs_adapter("bash-dap")
def test_bash_dap(tmp_path: Path) -> None:
    write_config(tmp_path, example("a profile for bash-dap"))
    program = tmp_path / "count.sh"
    program.write_text(BASH)
    told = by_lines(tmp_path, program, ["b 3", "c", "c", "p total", "tbreak 4", "c", "q"])
    assert [line for line, _ in told.stops()][:2] == [3, 3], told.text
    assert told.answer(3) == "1"


@needs_adapter("seam")
@pytest.mark.skipif(sys.version_info < (3, 12), reason="seam needs Python 3.12")
@pytest.mark.skipif(shutil.which(LLDB) is None, reason="seam needs an LLDB")
def test_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAM_LLDB", str(shutil.which(LLDB)))
    write_config(tmp_path, example("a profile for seam"))
    program = tmp_path / "count.py"
    program.write_text(PYTHON)
    commands = ["b 3", "c", "n", "p total", "c", "c", "c"]
    told = by_lines(tmp_path, program, commands, "--adapter", "seam")
    assert [line for line, _ in told.stops()] == [1, 3, 2, 3, 3], told.text
    assert told.answer(3) == "1" and "exit code 0" in told.text
