"""The watches of a project on disk: merged, whole or not at all, never lost silently."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tuidbg.config.stores.shared_file import StoreError
from tuidbg.config.stores.watch_store import SavedWatch, WatchStore


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "project.watches.json"


def store(file: Path, program: str = "app.py") -> WatchStore:
    return WatchStore(Path("/project"), program, file)


def saved(*expressions: str) -> list[SavedWatch]:
    return [SavedWatch(expression, program="app.py") for expression in expressions]


def in_file(file: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(file.read_bytes())["watches"]
    return found


def test_what_was_saved_is_there_again(file: Path) -> None:
    watches = [SavedWatch("a"), SavedWatch("b['ü']", pinned=True)]
    assert store(file).save(watches) == ""
    found, problem = store(file).load()
    assert [(w.expression, w.pinned) for w in found] == [("a", False), ("b['ü']", True)]
    assert problem == ""
    assert in_file(file) == [
        {"expression": "a", "program": "app.py"},
        {"expression": "b['ü']", "pinned": True, "program": "app.py"},
    ]


def test_each_program_has_its_own(file: Path) -> None:
    store(file).save(saved("total", "both"))
    tool = store(file, "tools/tool.py")
    assert tool.load() == ([], "")
    tool.save([SavedWatch("both"), SavedWatch("order")])
    tool.save([SavedWatch("order")])
    assert [w.expression for w in store(file).load()[0]] == ["total", "both"]
    assert [w.expression for w in store(file, "tools/tool.py").load()[0]] == ["order"]
    app = store(file)
    app.load()
    app.save([])
    assert in_file(file) == [{"expression": "order", "program": "tools/tool.py"}]


def test_those_that_name_no_program_belong_to_all(file: Path) -> None:
    """They were written when that was not known; they are quiet where their names are not."""
    file.parent.mkdir()
    old = [{"expression": "total"}, {"expression": "self", "pinned": True}]
    file.write_text(json.dumps({"version": 1, "watches": old}))
    app, tool = store(file), store(file, "tool.py")
    everywhere = [SavedWatch("total", pinned=True), SavedWatch("self", pinned=True)]
    assert app.load() == tool.load() == (everywhere, "")
    app.save([*everywhere, SavedWatch("mine")])
    assert in_file(file) == [*old, {"expression": "mine", "program": "app.py"}]
    tool.save(everywhere[:1])
    assert [w.expression for w in store(file).load()[0]] == ["total", "mine"]


def test_nothing_is_written_where_nothing_has_changed(file: Path) -> None:
    first = store(file)
    assert first.load() == ([], "")
    assert first.save([]) == ""
    assert not file.parent.exists()
    first.save(saved("a"))
    inode = file.stat().st_ino
    first.save(saved("a"))
    assert file.stat().st_ino == inode


def test_each_writes_its_own_changes_only(file: Path) -> None:
    store(file).save(saved("both", "gone"))
    one, two = store(file), store(file)
    one.load(), two.load()
    one.save(saved("both", "gone", "of one"))
    two.save(saved("both", "of two"))
    assert [w.expression for w in store(file).load()[0]] == ["both", "of one", "of two"]


def test_what_a_newer_version_writes_is_kept(file: Path) -> None:
    file.parent.mkdir()
    entry = {"expression": "a", "colour": "red", "program": "app.py"}
    newer = {"version": 7, "more": 1, "watches": [entry, {"x": 1}]}
    file.write_text(json.dumps(newer))
    mine = store(file)
    assert mine.load() == (saved("a"), "")
    mine.save([SavedWatch("a", pinned=True), SavedWatch("b")])
    assert in_file(file) == [
        {**entry, "pinned": True},
        {"x": 1},
        {"expression": "b", "program": "app.py"},
    ]
    assert json.loads(file.read_bytes())["more"] == 1


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"watches": 3}', b"\xff\xfe"])
def test_a_damaged_file_is_set_aside(content: bytes, file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    mine = store(file)
    found, problem = mine.load()
    assert found == [] and "can't be read" in problem
    assert "see " in mine.save(saved("a"))
    assert file.with_name(file.name + ".damaged").read_bytes() == content
    assert in_file(file) == [{"expression": "a", "program": "app.py"}]


def test_a_save_that_fails_can_be_done_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = store(file)
    mine.save(saved("a"))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(StoreError, match="the watches can't be saved: No space left"):
            mine.save(saved("a", "b"))
    assert in_file(file) == [{"expression": "a", "program": "app.py"}]
    mine.save(saved("a", "b"))
    assert [entry["expression"] for entry in in_file(file)] == ["a", "b"]


def test_they_stand_beside_the_breakpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    found = WatchStore(tmp_path / "my project", "app.py").file
    assert found.parent == tmp_path / "tuidbg" / "breakpoints"
    assert found.name.startswith("my-project-") and found.name.endswith(".watches.json")
