"""The file of breakpoints: nothing of it is ever lost, whoever else writes or wrote it."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tuidbg.config.stores import shared_file
from tuidbg.config.stores.breakpoint_store import (
    ProjectStore,
    SavedBreakpoint,
    StoreError,
    from_entry,
    merge_entries,
    store_file,
    to_entry,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "project.json"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def store_of(project: Path, file: Path) -> ProjectStore:
    """A store as a process has it that has just been started."""
    store = ProjectStore(project, file)
    store.load()
    return store


def saved(uuid: str, line: int = 1, **fields: Any) -> SavedBreakpoint:
    fields.setdefault("path", "/elsewhere/app.py")
    return SavedBreakpoint(uuid=uuid, line=line, **fields)


def in_file(file: Path) -> dict[str, Any]:
    return {entry["uuid"]: entry for entry in json.loads(file.read_bytes())["breakpoints"]}


# The form


def test_the_form_holds_what_was_set_and_no_more(project: Path, file: Path) -> None:
    store = store_of(project, file)
    store.save([saved("a", 7, path=str(project / "src" / "app.py"), condition="n > 3", every=2)])
    assert json.loads(file.read_bytes()) == {
        "version": 1,
        "project": str(project),
        "breakpoints": [
            {"uuid": "a", "path": "src/app.py", "line": 7, "condition": "n > 3", "every": 2}
        ],
    }


def test_every_field_comes_back(project: Path, file: Path) -> None:
    all_of_it = SavedBreakpoint(
        uuid="a",
        kind="exception",
        path=str(project / "a.py"),
        line=3,
        column=4,
        function="f",
        address=5,
        data="x",
        access="readWrite",
        exception={"type": "ValueError", "ignored": ["KeyError"]},
        enabled=False,
        condition="c",
        hit_condition=">3",
        ignore_count=1,
        log_message="{x}",
        trace=True,
        every=2,
        at_most=3,
        trigger="b",
        commands=("x", "y"),
        on_error="report",
        group="g",
        ranks=(0, 3),
        origin="rest",
        anchor={"line": 3, "text": "x", "before": ["y"]},
    )
    assert set(to_entry(all_of_it, project)) == set(SavedBreakpoint.__struct_fields__)
    assert from_entry(to_entry(all_of_it, project), project) == all_of_it
    store_of(project, file).save([all_of_it])
    assert store_of(project, file).load() == ([all_of_it], "")


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("{project}/a b.py", "a b.py"),
        ("/elsewhere/app.py", "/elsewhere/app.py"),
        ("{project}2/app.py", "{project}2/app.py"),
        ("<string>", "<string>"),
    ],
)
def test_paths_are_relative_in_the_project(path: str, kept: str, project: Path) -> None:
    entry = to_entry(saved("a", path=path.format(project=project)), project)
    assert entry["path"] == kept.format(project=project)
    back = from_entry(entry, project)
    assert back is not None and back.path == path.format(project=project)


def test_a_project_reached_through_a_link(project: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(project)
    assert store_file(link) == store_file(project)
    assert to_entry(saved("a", path=str(project / "a.py")), link)["path"] == "a.py"


def test_projects_of_the_same_name_have_their_own_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    first, second = store_file(Path("/a/shop one")), store_file(Path("/b/shop one"))
    assert first != second
    assert first.name.startswith("shop-one-") and second.name.startswith("shop-one-")
    assert store_file(Path("/")).name.startswith("root-")


# Damage, and what newer versions write


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"version": 1, "breakpoints": 7}', b'{"breakpoints": []}'],
)
def test_a_damaged_file_is_set_aside(content: bytes, project: Path, file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    store = ProjectStore(project, file)
    found, problem = store.load()
    aside = file.with_name(file.name + ".damaged")
    assert found == [] and str(aside) in problem
    assert aside.read_bytes() == content and not file.exists()
    store.save([saved("a")])
    assert list(in_file(file)) == ["a"]
    file.write_bytes(content)
    ProjectStore(project, file).load()
    assert file.with_name(file.name + ".damaged-2").exists()


def test_damaged_meanwhile_nothing_of_ours_is_lost(project: Path, file: Path) -> None:
    store = store_of(project, file)
    store.save([saved("a"), saved("b")])
    file.write_bytes(b"{ half")
    assert ".damaged" in store.save([saved("a"), saved("b"), saved("c")])
    assert list(in_file(file)) == ["a", "b", "c"]
    file.unlink()
    store.save([saved("b"), saved("c")])
    assert list(in_file(file)) == ["b", "c"]


def test_what_a_newer_version_writes_is_kept(project: Path, file: Path) -> None:
    file.parent.mkdir()
    newer = {
        "version": 2,
        "future": {"x": 1},
        "breakpoints": [
            {"uuid": "a", "path": "a.py", "line": 1, "shiny": True, "condition": "x"},
            {"uuid": "b", "kind": "hologram", "where": "everywhere"},
            "no breakpoint at all",
        ],
    }
    file.write_text(json.dumps(newer))
    store = ProjectStore(project, file)
    [known], problem = store.load()
    assert (known.uuid, known.condition, problem) == ("a", "x", "")
    store.save([saved("a", 5, path=str(project / "a.py"))])
    written = json.loads(file.read_bytes())
    assert written == {
        "version": 2,
        "project": str(project),
        "future": {"x": 1},
        "breakpoints": [
            {"uuid": "a", "path": "a.py", "line": 5, "shiny": True},
            {"uuid": "b", "kind": "hologram", "where": "everywhere"},
            "no breakpoint at all",
        ],
    }
    store.save([])
    assert json.loads(file.read_bytes())["breakpoints"] == newer["breakpoints"][1:]  # type: ignore[index]


def test_where_nothing_can_be_written_it_says_so(project: Path, tmp_path: Path) -> None:
    (tmp_path / "a file").touch()
    store = ProjectStore(project, tmp_path / "a file" / "x.json")
    assert not store.exists
    with pytest.raises(StoreError, match="can't be saved"):
        store.save([saved("a")])


def test_a_save_that_fails_leaves_the_old_file(
    project: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(project, file)
    store.save([saved("a")])
    before = file.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(StoreError, match="No space left"):
            store.save([saved("a"), saved("b")])
    assert file.read_bytes() == before
    assert {path.name for path in file.parent.iterdir()} == {file.name, file.name + ".lock"}
    store.save([saved("a"), saved("b")])
    assert list(in_file(file)) == ["a", "b"]


# Several at once


def test_each_writes_its_own_changes_only(project: Path, file: Path) -> None:
    store_of(project, file).save([saved("a", 1), saved("b", 2), saved("c", 3), saved("d", 4)])
    first, second = store_of(project, file), store_of(project, file)
    first.save([saved("a", 10), saved("c", 3), saved("d", 4, group="g"), saved("e", 5)])
    second.save([saved("a", 1, condition="x"), saved("b", 2), saved("d", 4), saved("f", 6)])
    found = in_file(file)
    assert set(found) == {"a", "d", "e", "f"}
    assert (found["a"]["line"], found["a"]["condition"]) == (10, "x")
    assert found["d"]["group"] == "g"
    # What the other has done is not taken back by the next save of the first.
    first.save([saved("a", 11), saved("c", 3), saved("d", 4, group="g"), saved("e", 5)])
    assert set(in_file(file)) == {"a", "d", "e", "f"}
    assert in_file(file)["a"]["condition"] == "x"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ({"x": 1}, {"x": 1}, {"x": 1}, {"x": 1}),
        ({"x": 1}, {"x": 2}, {"x": 1}, {"x": 2}),
        ({"x": 1}, {"x": 1}, {"x": 2}, {"x": 2}),
        ({"x": 1}, {"x": 2}, {"x": 3}, {"x": 2}),
        ({"x": 1}, {}, {"x": 1}, {}),
        ({"x": 1}, {}, {"x": 1, "y": 2}, {"y": 2}),
        ({}, {"x": 1}, {"y": 2}, {"x": 1, "y": 2}),
        ({"x": 1}, None, {"x": 1}, None),
        ({"line": 1}, None, {"line": 2}, {"line": 2}),
        ({"x": 1}, {"x": 1}, None, None),
        ({"x": 1}, {"x": 2}, None, {"x": 2}),
        (None, {"x": 1}, None, {"x": 1}),
        (None, None, {"x": 1}, {"x": 1}),
        ({"x": 1}, None, None, None),
    ],
)
def test_the_merge_of_one_breakpoint(base: Any, ours: Any, theirs: Any, merged: Any) -> None:
    def entries(fields: dict[str, Any] | None) -> dict[str, dict[str, Any]]:
        return {} if fields is None else {"u": fields}

    assert merge_entries(entries(base), entries(ours), entries(theirs)) == entries(merged)


def test_many_at_once_lose_nothing(
    project: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_file, "_LOCK_PATIENCE", 60.0)  # however busy the machine is
    stores = [store_of(project, file) for _ in range(8)]

    def work(number: int) -> None:
        own: list[SavedBreakpoint] = []
        for line in range(1, 11):
            own.append(saved(f"{number}-{line}", line))
            stores[number].save(own)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert len(in_file(file)) == 80


@pytest.mark.full
def test_a_lock_that_is_not_given_back_holds_nobody_up_for_long(project: Path, file: Path) -> None:
    store = store_of(project, file)
    store.save([saved("a")])
    with open(file.with_name(file.name + ".lock"), "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(StoreError, match="another tuidbg"):
            store.save([saved("a"), saved("b")])
    assert store.save([saved("a"), saved("b")]) == ""
    assert list(in_file(file)) == ["a", "b"]


def test_nothing_is_written_where_nothing_has_changed(project: Path, file: Path) -> None:
    store = store_of(project, file)
    assert store.save([]) == ""
    assert not file.parent.exists()
    store.save([saved("a")])
    stamp = file.stat().st_ino
    store.save([saved("a")])
    assert file.stat().st_ino == stamp


@pytest.mark.full
@pytest.mark.real
def test_it_is_light_to_import() -> None:
    code = "import sys, tuidbg.config.stores.breakpoint_store; print('platformdirs' in sys.modules)"
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert asked.stdout == "False\n"
