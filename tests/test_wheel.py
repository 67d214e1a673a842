"""Tests what people install: the wheel in an environment of its own, far from the checkout.

It is built from the source distribution, so that one is tested as well. The demo then lies in
``site-packages``, where just-my-code would hide it from the debugger.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import tuidbg
from tests.support.command import await_nothing_left, environment, run_tuidbg
from tuidbg.manual.pages import read_page

pytestmark = [pytest.mark.real, pytest.mark.full]

ROOT = Path(__file__).parent.parent


def run(command: Sequence[str | Path], folder: Path, **variables: str) -> str:
    """Run a command in ``folder``; what it printed."""
    ended = subprocess.run(
        [*command],
        cwd=folder,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, f"{command} in {folder}\n{ended.stdout}{ended.stderr}"
    return ended.stdout


@pytest.fixture(scope="module")
def uv() -> str:
    """uv, which the README has everybody install."""
    found = os.environ.get("UV") or shutil.which("uv")  # `uv run` sets the variable
    assert found, "these tests need uv: pip install uv"
    return found


@pytest.fixture(scope="module")
def wheel(uv: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run([uv, "build", "--python", sys.executable, "--out-dir", folder, ROOT], folder)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(uv: str, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the commands of an environment that the wheel was installed in."""
    folder = tmp_path_factory.mktemp("clean")
    run([uv, "venv", "--no-project", "--python", sys.executable, "venv"], folder)
    run([uv, "pip", "install", "--python", "venv/bin/python", wheel], folder)
    return folder / "venv" / "bin"


def test_wheel_holds_what_it_should(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {f"tuidbg/themes/{path.name}" for path in (ROOT / "themes").glob("*.toml")}
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "tuidbg").rglob("*.py")}
    manual = {str(path.relative_to(ROOT)) for path in (ROOT / "tuidbg" / "manual").glob("*.md")}
    assert len(shipped) >= 2
    assert len(manual) >= 20
    assert names >= shipped | sources | manual | {"tuidbg/py.typed"}
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    folders = {name.split("/")[0] for name in names}
    assert folders == {"tuidbg", f"tuidbg-{tuidbg.__version__}.dist-info"}


def test_the_project_page_has_no_link_to_a_file_beside_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [name] = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(name).decode()
    assert "Description-Content-Type: text/markdown" in metadata
    targets = re.findall(r"\]\(([^)\s]+)\)", metadata)
    assert targets and all(target.startswith("https://") for target in targets)


def test_command_and_module_know_their_version(installed: Path, tmp_path: Path) -> None:
    for command in ([installed / "tuidbg"], [installed / "python", "-m", "tuidbg"]):
        assert run([*command, "--version"], tmp_path) == f"tuidbg {tuidbg.__version__}\n"


def test_the_manual_is_found(installed: Path, tmp_path: Path) -> None:
    told = run([installed / "tuidbg", "help", "breakpoints"], tmp_path)
    assert told == read_page("breakpoints").text


def test_themes_are_found(installed: Path, tmp_path: Path) -> None:
    program = (
        "from tuidbg.tui.toolkit.theme.theme import load_themes, themes_folder\n"
        "print(themes_folder(), *sorted(file.theme.name for file in load_themes()))"
    )
    folder, *names = run([installed / "python", "-I", "-c", program], tmp_path).split()
    assert Path(folder).is_relative_to(installed.parent)
    assert "site-packages" in folder
    assert {"tuidbg-dark", "tuidbg-light"} <= set(names)


def test_demo_without_a_terminal(installed: Path, tmp_path: Path) -> None:
    command = [str(installed / "tuidbg"), "demo"]
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    reasons = re.findall("^=== Stopped: (.*)$", ended.stdout, re.MULTILINE)
    assert reasons[0] == "entry"
    assert reasons.count("breakpoint 1") == 2
    assert reasons[-1].startswith("exception OutOfBread: ")
    assert ended.stdout.endswith("The program has ended with exit code 1.\n")


def test_demo_on_a_terminal(installed: Path, tmp_path: Path) -> None:
    with run_tuidbg(tmp_path, "-b", "29", "demo", command=[installed / "tuidbg"]) as terminal:
        terminal.wait_for("main.py:1 <module>  entry")
        terminal.wait_for("Try n to run a line")
        terminal.key("n")
        terminal.wait_for("main.py:7 <module>  step")
        terminal.wait_for("* marks what changed.")
        terminal.key("c")
        terminal.wait_for("main.py:29 serve  breakpoint 1")
        terminal.wait_for("Counter(30 pieces on the shelf)")
        terminal.key("s")
        terminal.wait_for("counter.py:27 find_short  step")
        terminal.key("b")  # sets one here, in the other file
        terminal.wait_for("counter.py:27")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
        await_nothing_left(terminal)
