"""Tests what is kept of a project's screen: whole or not at all, small, and never in the way."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from tuidbg.config.launch import LaunchPlan, TargetKind
from tuidbg.config.project import layout_file, project_of
from tuidbg.config.stores.layout_store import (
    LARGEST,
    MOST_FUNCTIONS,
    MOST_OPEN,
    MOST_PLACES,
    SavedLayout,
    SavedPlace,
    load_layout,
    save_layout,
)

LAYOUT = SavedLayout(
    sizes={"side": 0.4},
    tab="stack",
    bottom="console",
    maximised="source",
    source="/a/b.py",
    places={"/a/b.py": SavedPlace(7, 0, 3)},
    opened={"/a/b.py:work": [("Locals",), ("Locals", "data")]},
)


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "layout.json"
    assert load_layout(file) == (None, "")
    assert save_layout(file, LAYOUT)
    assert load_layout(file) == (LAYOUT, "")
    assert list(file.parent.iterdir()) == [file]  # nothing half written is left


def test_it_stays_small_and_quick(tmp_path: Path) -> None:
    file = tmp_path / "layout.json"
    paths = [("Locals", f"name{number}") for number in range(200)]
    huge = msgspec.structs.replace(
        LAYOUT,
        places={f"/{number}.py": SavedPlace(number) for number in range(500)},
        opened={f"/a.py:f{number}": paths for number in range(500)},
    )
    assert save_layout(file, huge)
    layout, _ = load_layout(file)
    assert layout is not None
    assert (len(layout.places), len(layout.opened)) == (MOST_PLACES, MOST_FUNCTIONS)
    assert list(layout.places)[-1] == "/499.py"  # the latest are kept
    assert {len(opened) for opened in layout.opened.values()} == {MOST_OPEN}

    def seconds() -> float:
        begun = time.perf_counter()
        load_layout(file)
        return time.perf_counter() - begun

    assert min(seconds() for _ in range(20)) < 0.005


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"sizes": 7}',
        b'{"places": {"a": ["x"]}}',
        b"\xff\xfe",
        b" " * (LARGEST + 1),
    ],
    ids=["empty", "cut", "list", "sizes", "places", "bytes", "huge"],
)
def test_what_is_damaged_is_told(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "layout.json"
    file.write_bytes(data)
    layout, problem = load_layout(file)
    assert layout is None
    assert problem.startswith("the layout of this project is damaged (")
    assert save_layout(file, LAYOUT)
    assert load_layout(file) == (LAYOUT, "")


def test_a_newer_version_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    file = tmp_path / "layout.json"
    file.write_bytes(b'{"version": 9, "tab": "stack", "something": {"new": 1}}')
    layout, problem = load_layout(file)
    assert layout is not None
    assert (layout.tab, problem) == ("stack", "")


def test_nowhere_to_keep_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    nowhere = tmp_path / "file" / "layout.json"
    assert load_layout(nowhere) == (None, "")
    assert not save_layout(nowhere, LAYOUT)
    assert not save_layout(Path("/dev/full/layout.json"), LAYOUT)


def test_a_command_belongs_to_the_folder_where_it_is_run(tmp_path: Path) -> None:
    """Not to the environment that it lies in."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "src").mkdir()
    plan = LaunchPlan(
        kind=TargetKind.SCRIPT,
        target="/usr/bin/flask",
        cwd=str(tmp_path / "src"),
        python="python",
        is_command=True,
    )
    assert project_of(plan) == tmp_path
    assert project_of(msgspec.structs.replace(plan, is_command=False)) == Path("/usr/bin")
    assert layout_file(tmp_path) != layout_file(tmp_path / "src")
