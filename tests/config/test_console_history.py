"""The prompt's history in its file: bounded, shared, whole or not at all, never in the way."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tuidbg.config.stores.console_history import (
    MAX_CHARACTERS,
    MAX_ENTRIES,
    ConsoleHistory,
    history_file,
)


def loaded(file: Path) -> list[str]:
    history = ConsoleHistory(file)
    history.load()
    return history.entries


def test_entries_come_back(tmp_path: Path) -> None:
    file = tmp_path / "state" / "history.json"
    history = ConsoleHistory(file)
    history.load()
    for text in ("x", "x", "for i in x:\n    i", "x", "'漢'"):
        history.add(text)
    assert history.save()
    assert loaded(file) == ["x", "for i in x:\n    i", "x", "'漢'"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {path.name for path in file.parent.iterdir()} == {"history.json", "history.json.lock"}


def test_two_runs_at_once_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    one, other = ConsoleHistory(file), ConsoleHistory(file)
    for history, text in ((one, "a"), (other, "b"), (one, "c")):
        history.add(text)
        history.save()
    assert loaded(file) == ["a", "b", "c"]
    assert one.entries == ["a", "c"]


def test_it_is_bounded(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    history = ConsoleHistory(file)
    for number in range(MAX_ENTRIES + 50):
        history.add(str(number))
    history.add("x" * (MAX_CHARACTERS + 1))
    history.save()
    assert len(history.entries) == MAX_ENTRIES
    assert (len(loaded(file)), loaded(file)[-1]) == (MAX_ENTRIES, str(MAX_ENTRIES + 49))


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'["a"'])
def test_a_damaged_file_is_an_empty_one(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    file.write_bytes(content)
    assert loaded(file) == []


def test_where_nothing_can_be_written_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    history = ConsoleHistory(tmp_path / "file" / "history.json")
    history.load()
    history.add("x")
    assert not history.save()
    assert history.entries == ["x"]
    assert ConsoleHistory().save()


def test_a_write_that_fails_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "history.json"
    history = ConsoleHistory(file)
    history.add("a")
    history.save()

    def full(*args: object) -> None:
        raise OSError("the disk is full")

    history.add("b")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        assert not history.save()
    assert loaded(file) == ["a"]
    assert {path.name for path in tmp_path.iterdir()} == {"history.json", "history.json.lock"}
    assert history.save() and loaded(file) == ["a", "b"]


def test_it_is_in_the_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert history_file().name == "console-history.json"
