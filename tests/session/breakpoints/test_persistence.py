"""Breakpoints are there again the next time, each on its own line of code."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.fakes import Script
from tests.support.sessions import FakeSession, fake_session, until
from tuidbg.config.files import read_source
from tuidbg.config.stores.breakpoint_store import ProjectStore, StoreError
from tuidbg.session.core.breakpoints.line_anchors import LostLine
from tuidbg.session.core.breakpoints.persistence import Persistence
from tuidbg.session.features.anchors.anchor_store import Anchors, describe_lost
from tuidbg.session.features.anchors.matching import FoundLine, UnfoundLine, find_anchor
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus, ExceptionRule

SOURCE = """\
import sys


def total(orders):
    amount = 0
    for order in orders:
        amount += order.price
    return amount


print(total([]), file=sys.stderr)
"""


class Project:
    """A project on disk, and sessions on it one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.folder.mkdir()
        self.file = folder / "state" / "project.json"
        self.source = self.folder / "app.py"
        self.source.write_text(SOURCE)
        self.path = str(self.source)

    @property
    def saved(self) -> list[dict[str, Any]]:
        if not self.file.exists():
            return []
        found: list[dict[str, Any]] = json.loads(self.file.read_bytes())["breakpoints"]
        return found

    @property
    def lines(self) -> list[int]:
        return [each.get("line", 0) for each in self.saved]

    @asynccontextmanager
    async def run(self, *, start: bool = False) -> AsyncIterator[FakeSession]:
        """A run of tuidbg: a session, restored and saved."""
        async with fake_session(self.folder, Script(), target=self.path) as under_test:
            persistence = Persistence(under_test.session, ProjectStore(self.folder, self.file))
            await persistence.restore()
            if start:
                await under_test.start()
            try:
                yield under_test
            finally:
                assert await persistence.close() == ""

    async def read(self) -> list[Breakpoint]:
        """Returns what the next run begins with."""
        async with self.run() as under_test:
            return list(under_test.session.breakpoints.registry)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield Project(tmp_path)


async def test_all_kinds_and_settings_come_back(project: Project) -> None:
    async with project.run() as under_test:
        breakpoints = under_test.session.breakpoints
        first = await breakpoints.set(
            project.path,
            7,
            condition="order",
            hit_condition=">3",
            group="money",
            column=5,
            origin="tui",
        )
        await breakpoints.set(
            project.path, 8, log_message="{amount}", enabled=False, every=2, origin="tui"
        )
        await breakpoints.set_function("total", ignore_count=2, commands=("amount",), origin="tui")
        await breakpoints.set_exception(
            ExceptionRule(type="KeyError", uncaught=False), origin="tui"
        )
        await breakpoints.update(4, trigger=first.number, origin="tui")
        before = {b.uuid: b for b in breakpoints.registry}
    after = await project.read()
    assert {b.uuid for b in after} == set(before)
    names = [
        "kind",
        "line",
        "column",
        "condition",
        "hit_condition",
        "group",
        "log_message",
        "enabled",
        "every",
    ]
    names += ["enabled", "every", "ignore_count", "commands", "exception", "function", "trigger"]
    for found in after:
        for name in names:
            if name == "line" and found.kind is not BreakpointKind.LINE:
                continue
            assert getattr(found, name) == getattr(before[found.uuid], name), name
        assert (found.hits, found.places) == (0, ())
    assert {entry["path"] for entry in project.saved if "path" in entry} == {"app.py"}


async def test_triggers_are_known_by_their_uuid(project: Project) -> None:
    entries = [
        {"uuid": "x", "kind": "exception", "exception": {"type": 7}},
        {"uuid": "a", "path": "app.py", "line": 7, "trigger": "b"},
        {"uuid": "b", "path": "app.py", "line": 8, "trigger": "gone"},
    ]
    project.file.parent.mkdir()
    project.file.write_text(json.dumps({"version": 1, "breakpoints": entries}))
    after = {b.uuid: b for b in await project.read()}
    assert (after["a"].trigger, after["a"].armed) == (after["b"].number, False)
    assert (after["b"].trigger, after["b"].armed) == (None, True)
    assert project.saved[1]["trigger"] == "b"


async def test_a_change_is_saved_at_once(project: Project) -> None:
    async with project.run() as under_test:
        breakpoints = under_test.session.breakpoints
        found = await breakpoints.set(project.path, 7, origin="tui")
        await until(lambda: project.lines == [7], "saved")
        await breakpoints.update(found.number, condition="order", origin="tui")
        await until(lambda: project.saved[0].get("condition") == "order", "the condition saved")
        await breakpoints.move(found.number, 8, origin="tui")
        await until(lambda: project.lines == [8], "the move saved")
        assert project.saved[0]["anchor"]["text"] == "return amount"
        await breakpoints.remove(found.number, origin="tui")
        await until(lambda: project.lines == [], "the deletion saved")
        await breakpoints.restore(origin="tui")
        await until(lambda: project.lines == [8], "the undo saved")


async def test_what_is_meant_for_this_run_alone_is_not_saved(project: Project) -> None:
    async with project.run() as under_test:
        breakpoints = under_test.session.breakpoints
        await breakpoints.set(project.path, 5, origin="cli")
        await breakpoints.set(project.path, 6, temporary=True, origin="tui")
        await breakpoints.set(project.path, 7, origin="tui")
    assert project.lines == [7]


@pytest.mark.real
async def test_a_run_in_which_nothing_happens_writes_nothing(project: Project) -> None:
    async with project.run(start=True):
        pass
    assert not project.file.parent.exists()


async def test_hits_are_no_reason_to_write(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[object] = []
    original = ProjectStore.save

    def save(store: ProjectStore, breakpoints: Any) -> str:
        written.append(breakpoints)
        return original(store, breakpoints)

    monkeypatch.setattr(ProjectStore, "save", save)
    async with project.run() as under_test:
        breakpoints = under_test.session.breakpoints
        found = await breakpoints.set(project.path, 7, origin="tui")
        await until(lambda: project.lines == [7], "saved")
        count = len(written)
        for hits in range(100):
            hit = Breakpoint(number=found.number, uuid=found.uuid, path=project.path, line=7)
            breakpoints.publish(_with(hit, hits=hits), origin="adapter")
        await breakpoints.set(project.path, 8, origin="tui")
        await until(lambda: project.lines == [7, 8], "saved")
        assert len(written) == count + 1


def _with(breakpoint: Breakpoint, **fields: Any) -> Breakpoint:
    return msgspec.structs.replace(breakpoint, **fields)


async def test_many_changes_in_one_turn_are_one_save(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    original = ProjectStore.save

    def save(store: ProjectStore, breakpoints: Any) -> str:
        threads.append(threading.get_ident())
        return original(store, breakpoints)

    monkeypatch.setattr(ProjectStore, "save", save)
    async with project.run() as under_test:
        await until(lambda: len(threads) == 1, "the first look")
        many = [Breakpoint(number=0, path=project.path, line=line) for line in range(1, 11)]
        await under_test.session.breakpoints.adopt(many, origin="tui")
        await until(lambda: len(project.lines) == 10, "saved")
        assert len(threads) == 2
        assert threading.get_ident() not in threads


# Anchors


async def restored(project: Project) -> Breakpoint:
    [found] = await project.read()
    return found


@pytest.fixture
async def at_price(project: Project) -> Project:
    """The project with a breakpoint on the line that adds the price."""
    async with project.run() as under_test:
        await under_test.session.breakpoints.set(project.path, 7, group="money", origin="tui")
    return project


async def test_r001_it_goes_with_its_line_of_code(at_price: Project) -> None:
    at_price.source.write_text(SOURCE.replace("import sys\n", "import os\nimport sys\n"))
    assert (await restored(at_price)).line == 8
    assert at_price.lines == [8]
    at_price.source.write_text("x = 1\n" + at_price.source.read_text())
    found = await restored(at_price)
    assert (found.line, found.status, found.group) == (9, BreakpointStatus.PENDING, "money")


async def test_r001_another_branch_and_back(at_price: Project) -> None:
    at_price.source.write_text("import sys\n\n\ndef total(orders):\n    return sum(orders)\n")
    lost = await restored(at_price)
    assert lost.status is BreakpointStatus.REFUSED
    assert lost.message.startswith("its line of code is gone")
    assert lost.line == 7
    assert at_price.lines == [7]
    at_price.source.write_text("# here again\n" + SOURCE)
    found = await restored(at_price)
    assert (found.line, found.status) == (8, BreakpointStatus.PENDING)


async def test_a_lost_one_names_the_likely_lines(at_price: Project) -> None:
    body = "    for order in orders:\n        amount += order.price\n"
    at_price.source.write_text(SOURCE.replace(body, body.replace(".price", ".tax") * 2))
    lost = await restored(at_price)
    assert lost.status is BreakpointStatus.REFUSED
    assert lost.suggested_line in (7, 9)
    assert lost.message in (
        "its line of code is gone; it may be line 7 or 9",
        "its line of code is gone; it may be line 9 or 7",
        "its line of code is gone; it may be line 9, 7 or 8",
    )


async def test_a_file_that_is_gone_keeps_its_breakpoints(at_price: Project) -> None:
    at_price.source.unlink()
    gone = await restored(at_price)
    assert (gone.status, gone.message) == (BreakpointStatus.REFUSED, "the file is not there")
    assert at_price.lines == [7]
    at_price.source.write_text("\n" + SOURCE)
    assert (await restored(at_price)).line == 8


async def test_a_lost_one_that_is_moved_has_a_new_line(at_price: Project) -> None:
    at_price.source.write_text("import sys\n\n\nprint(sys.argv)\n")
    async with at_price.run() as under_test:
        [lost] = under_test.session.breakpoints.registry
        await under_test.session.breakpoints.move(lost.number, 4, origin="tui")
    assert (await restored(at_price)).line == 4
    assert at_price.saved[0]["anchor"]["text"] == "print(sys.argv)"


async def test_a_hand_written_one_needs_no_anchor(project: Project) -> None:
    project.file.parent.mkdir()
    entry = {"uuid": "a", "path": "app.py", "line": 7, "condition": "order +"}
    project.file.write_text(json.dumps({"version": 1, "breakpoints": [entry]}))
    found = await restored(project)
    assert (found.line, found.status) == (7, BreakpointStatus.REFUSED)
    assert "SyntaxError" in found.message
    assert project.saved[0]["anchor"]["text"] == "amount += order.price"


async def test_what_this_version_does_not_know_stays(project: Project) -> None:
    project.file.parent.mkdir()
    entries = [
        {"uuid": "a", "kind": "hologram"},
        {"uuid": "b", "kind": "exception", "exception": {"type": 7}},
        {"uuid": "c", "path": "app.py", "line": 7, "shiny": 1, "anchor": {"line": "seven"}},
    ]
    project.file.write_text(json.dumps({"version": 3, "breakpoints": entries}))
    async with project.run() as under_test:
        assert len(under_test.session.breakpoints.registry) == 0
        await under_test.session.breakpoints.set(project.path, 8, origin="tui")
    assert project.saved[:3] == entries
    assert project.lines[3] == 8


async def test_a_damaged_file_is_told_of(project: Project) -> None:
    project.file.parent.mkdir()
    project.file.write_text("{")
    async with project.run() as under_test:
        assert ".damaged" in under_test.console
        await under_test.session.breakpoints.set(project.path, 8, origin="tui")
    assert project.lines == [8]


async def test_what_can_not_be_saved_is_said_once_and_tried_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> str:
        raise StoreError("the disk is full")

    async with project.run() as under_test:
        breakpoints = under_test.session.breakpoints
        with monkeypatch.context() as patch:
            patch.setattr(ProjectStore, "save", fail)
            await breakpoints.set(project.path, 7, origin="tui")
            await until(lambda: "the disk is full" in under_test.console, "the warning")
            await breakpoints.set(project.path, 8, origin="tui")
        assert under_test.console.count("the disk is full") == 1
    assert project.lines == [7, 8]


async def test_two_at_once_keep_what_both_have_set(project: Project) -> None:
    async with project.run() as first, project.run() as second:
        await first.session.breakpoints.set(project.path, 5, origin="tui")
        await second.session.breakpoints.set(project.path, 7, origin="tui")
        await until(lambda: sorted(project.lines) == [5, 7], "both saved")
    assert sorted(project.lines) == [5, 7]


@pytest.mark.real
async def test_restored_ones_are_there_before_the_program_runs(project: Project) -> None:
    async with project.run() as under_test:
        await under_test.session.breakpoints.set(project.path, 7, origin="tui")
    async with project.run(start=True) as under_test:
        sent = under_test.sent("setBreakpoints")
        assert any(b["line"] == 7 for each in sent for b in each["breakpoints"])  # type: ignore[attr-defined]


# While tuidbg runs


def test_anchors_follow_a_file_that_changes(project: Project) -> None:
    anchors = Anchors()
    found = Breakpoint(number=1, uuid="a", path=project.path, line=7)
    anchor = anchors.anchored(found)
    assert anchor is not None and anchor.text == "amount += order.price"
    [(_, answer)] = anchors.follow([found], "\n" + SOURCE)
    assert answer == 8
    moved = _with(found, line=8)
    assert not anchors.is_lost(moved)
    [(_, answer)] = anchors.follow([moved], "\n\n" + SOURCE)
    assert answer == 9
    moved = _with(found, line=9)
    [(_, answer)] = anchors.follow([moved], "import sys\n")
    assert isinstance(answer, LostLine) and anchors.is_lost(moved)
    assert not anchors.is_lost(_with(moved, line=1))
    [(_, answer)] = anchors.follow([moved], SOURCE)
    assert answer == 7
    assert not anchors.is_lost(_with(moved, line=7))


def test_only_lines_of_files_have_anchors(project: Project) -> None:
    anchors = Anchors()
    for other in (
        Breakpoint(number=1, uuid="a", kind=BreakpointKind.FUNCTION, function="f"),
        Breakpoint(number=2, uuid="b", path="<string>", line=1),
        Breakpoint(number=3, uuid="c", path=str(project.folder / "gone.py"), line=1),
    ):
        assert anchors.anchored(other) is None
        assert anchors.follow([other], SOURCE) == []


def test_a_lost_line_in_words() -> None:
    assert describe_lost(UnfoundLine()).sentence == "its line of code is gone"
    assert describe_lost(UnfoundLine((12,))) == LostLine(
        "its line of code is gone; it may be line 12", 12
    )
    assert describe_lost(UnfoundLine((1, 2, 3))).sentence.endswith("it may be line 1, 2 or 3")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = 1\n", "x = 1\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"# coding: latin-1\n'\xe9'\n", "# coding: latin-1\n'\u00e9'\n"),
        (b"'\xe9'\n", "'\ufffd'\n"),
        (b"# coding: nonsense\n", "# coding: nonsense\n"),
    ],
)
def test_sources_are_read_as_python_reads_them(data: bytes, text: str, tmp_path: Path) -> None:
    (tmp_path / "x.py").write_bytes(data)
    assert read_source(str(tmp_path / "x.py")) == text
    assert read_source(str(tmp_path)) is None
    assert isinstance(find_anchor(text, _anchor(tmp_path / "x.py")), FoundLine)


def _anchor(path: Path) -> Any:
    return Anchors().anchored(Breakpoint(number=1, uuid="a", path=str(path), line=1))
