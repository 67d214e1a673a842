"""``-b main.c:12`` for a binary: the sources that it was built from need no folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import TUIDBG, environment
from tests.support.native import needs_cc, needs_lldb
from tests.support.waiting import PATIENCE
from tuidbg.cli.arguments import UsageError
from tuidbg.cli.main import read_command_line

pytestmark = [pytest.mark.real, needs_cc, pytest.mark.skipif(sys.platform != "linux", reason="ELF")]

MAIN = """\
int twice(int number);

int main(void) {
    int total = 0;
    for (int i = 0; i < 3; i++)
        total += twice(i);
    return total;
}
"""
TWICE = "int twice(int number) {\n    return number * 2;\n}\n"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder ``elsewhere`` to be in, beside a binary of ``source/app`` and ``source/parts``."""
    for name, text in {"app/main.c": MAIN, "parts/twice.c": TWICE, "parts/main.c": ""}.items():
        file = tmp_path / "source" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    words = ["gcc", "-g", "-o", "../totals", "app/main.c", "parts/twice.c"]
    subprocess.run(words, cwd=tmp_path / "source", check=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    return tmp_path


def place_of(name: str) -> str:
    (wanted,) = read_command_line(["-b", f"{name}:2", "../totals"]).breakpoints
    return wanted.path


@pytest.mark.full
@pytest.mark.parametrize("name", ["main.c", "app/main.c", "../source/app/main.c"])
def test_a_source_is_found_by_the_end_of_its_path(name: str, built: Path) -> None:
    assert place_of(name) == str(built / "source" / "app" / "main.c")
    assert place_of("twice.c") == str(built / "source" / "parts" / "twice.c")


@pytest.mark.full
def test_what_it_was_not_built_from_is_refused(built: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no file other\.c"):
        place_of("other.c")


@pytest.mark.full
def test_the_programs_own_goes_before_one_of_that_name_here(built: Path) -> None:
    (built / "elsewhere" / "main.c").write_text("int other;\n")
    assert place_of("main.c") == str(built / "source" / "app" / "main.c")
    shutil.move(built / "source", built / "moved")
    assert place_of("main.c") == str(built / "elsewhere" / "main.c")


def test_several_of_that_name_are_told(built: Path) -> None:
    source = built / "source"
    (source / "parts" / "main.c").write_text(TWICE)
    words = ["gcc", "-g", "-o", "../totals", "app/main.c", "parts/main.c"]
    subprocess.run(words, cwd=source, check=True)
    with pytest.raises(UsageError, match=r"main\.c may be any of .*app/main\.c, .*parts/main\.c"):
        place_of("main.c")
    assert place_of("parts/main.c") == str(source / "parts" / "main.c")


@pytest.mark.full
@needs_lldb
def test_it_stops_there(built: Path) -> None:
    done = subprocess.run(
        [*TUIDBG, "--plain", "--no-stop-on-entry", "-b", "twice.c:2 if number == 2", "../totals"],
        input="p number\nq\n",
        capture_output=True,
        text=True,
        env=environment(built),
        timeout=PATIENCE,
        check=False,
    )
    assert f"{built}/source/parts/twice.c(2)twice" in done.stdout, done.stdout + done.stderr
    assert "= 2" in done.stdout or "\n2\n" in done.stdout
