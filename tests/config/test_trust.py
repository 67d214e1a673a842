"""Tests what was agreed to: by content, once, and asked again when anything in it changes."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tuidbg.config.launch_json.trust import Trust
from tuidbg.config.launch_json.workspace import Workspace

LAUNCH = """{"configurations": [
    {"name": "A", "type": "debugpy", "request": "launch", "program": "app.py"},
    {"name": "B", "type": "debugpy", "request": "launch", "program": "app.py", "envFile": "b.env"}
]}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "shop"
    (project / ".vscode").mkdir(parents=True)
    (project / ".vscode" / "launch.json").write_text(LAUNCH)
    (project / "app.py").touch()
    return project


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "data" / "trusted.json"


def read(folder: Path, store: Path) -> Workspace:
    """As another tuidbg would, later."""
    path = folder / ".vscode" / "launch.json"
    return Workspace.read(path, cwd=folder, interpreter=sys.executable, trust=Trust(store))


def test_once_agreed_it_is_not_asked_again(folder: Path, store: Path) -> None:
    space = read(folder, store)
    assert not space.is_agreed("A")
    assert space.agree("A") == ""
    assert space.is_agreed("A")
    assert read(folder, store).is_agreed("A")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".vscode/launch.json", LAUNCH + "\n"),
        (".vscode/settings.json", '{"python.defaultInterpreterPath": "./evil"}'),
        (".env", "PYTHONPATH=/evil\n"),
    ],
)
def test_whatever_changes_asks_again(folder: Path, store: Path, name: str, text: str) -> None:
    read(folder, store).agree("A")
    (folder / name).write_text(text)
    assert not read(folder, store).is_agreed("A")
    read(folder, store).agree("A")
    assert read(folder, store).is_agreed("A")


def test_the_file_as_it_was_needs_no_second_agreement(folder: Path, store: Path) -> None:
    read(folder, store).agree("A")
    launch = folder / ".vscode" / "launch.json"
    launch.write_text(LAUNCH.replace("app.py", "other.py"))
    assert not read(folder, store).is_agreed("A")
    launch.write_text(LAUNCH)
    assert read(folder, store).is_agreed("A")


def test_the_env_file_of_a_configuration_counts_for_it(folder: Path, store: Path) -> None:
    (folder / "b.env").write_text("A=1\n")
    read(folder, store).agree("B")
    assert read(folder, store).is_agreed("B")
    (folder / "b.env").write_text("LD_PRELOAD=/evil.so\n")
    assert not read(folder, store).is_agreed("B")


def test_a_copy_elsewhere_is_another_file(folder: Path, store: Path, tmp_path: Path) -> None:
    read(folder, store).agree("A")
    other = tmp_path / "other"
    folder.rename(other)
    assert not read(other, store).is_agreed("A")


def test_what_is_kept_can_be_read_by_people(folder: Path, store: Path) -> None:
    read(folder, store).agree("A")
    assert str(folder / ".vscode" / "launch.json") in store.read_text()


@pytest.mark.parametrize("damage", ["", "{", "[1]", '{"agreed": 3}', "\0"])
def test_a_damaged_store_asks_again(folder: Path, store: Path, damage: str) -> None:
    read(folder, store).agree("A")
    store.write_text(damage)
    assert not read(folder, store).is_agreed("A")
    assert read(folder, store).agree("A") == ""
    assert read(folder, store).is_agreed("A")


def test_notes_are_shown_until_they_were_read(folder: Path, store: Path) -> None:
    notes = ("a task is not run",)
    assert read(folder, store).unread("A", notes) == notes
    read(folder, store).note_read("A", notes)
    assert read(folder, store).unread("A", notes) == ()
    assert read(folder, store).unread("A", (*notes, "another")) == (*notes, "another")
    assert read(folder, store).unread("B", notes) == notes
    assert read(folder, store).unread("A", ()) == ()


def test_where_it_can_not_be_kept_it_holds_for_this_run(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    space = read(folder, tmp_path / "file" / "trusted.json")
    assert re.fullmatch(
        "your agreement can't be kept: [A-Z][a-z ]+; tuidbg will ask again.", space.agree("A")
    )
    assert space.is_agreed("A")
    assert not read(folder, tmp_path / "file" / "trusted.json").is_agreed("A")


@pytest.mark.full
@pytest.mark.real
def test_on_a_full_disk_it_holds_for_this_run(folder: Path, store: Path) -> None:
    """The limit makes every write to a file fail, as a full disk does."""
    code = f"""
import sys
from pathlib import Path
from tuidbg.config.launch_json.trust import Trust
trust = Trust(Path({str(store)!r}))
print(trust.agree("digest", "what"))
print(trust.knows("digest"), [p.name for p in Path({str(store.parent)!r}).iterdir()])
"""

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, preexec_fn=fill
    )
    first, second = done.stdout.splitlines()
    assert first == "your agreement can't be kept: File too large; tuidbg will ask again."
    assert second == "True ['trusted.json.lock']"


def test_without_a_home_it_holds_for_this_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as for a user without an entry
    monkeypatch.chdir(folder)
    trust = Trust()
    assert trust.agree("digest", "what") == (
        "your agreement can't be kept: there is no home folder; set HOME; tuidbg will ask again."
    )
    assert trust.knows("digest")
    assert sorted(path.name for path in folder.iterdir()) == [".vscode", "app.py"]
