"""The sessions of one program: the tree, its bounds, and what the hub makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fakes import FakeProfile, fake_plan
from tests.support.relay import make_hub
from tuidbg.adapters.debugpy.attach import read_program
from tuidbg.adapters.process import LocalGuard
from tuidbg.api.rest.rendering import tell_summary
from tuidbg.config.launch import AttachPlan
from tuidbg.session.core.process_tree.family import KEPT_ENDED, ProcessInfo, ProcessTree
from tuidbg.session.core.process_tree.identity import Identity
from tuidbg.session.core.session import Session
from tuidbg.session.features.job.members import Crew
from tuidbg.session.hub.members import SessionConfig
from tuidbg.session.model.errors import SessionLimitReached
from tuidbg.session.model.events import BreakpointsChanged, LogEntry, ProcessResumed
from tuidbg.session.model.state import BreakpointStatus, Status

CONFIG = SessionConfig(project_root="/", python_path="python3")


def make_root(folder: Path) -> Session:
    return Session(fake_plan(str(folder / "program.py"), str(folder)), FakeProfile(), LocalGuard())


def join(parent: Session, number: int) -> ProcessInfo:
    """A further process of a session's program, not started."""
    configuration = {"subProcessId": number}
    plan = AttachPlan(
        port=5678, cwd="/", python="python3", configuration=configuration, name=f"worker {number}"
    )
    child = Session(plan, FakeProfile(), LocalGuard())
    return ProcessTree.of(parent).add(child, parent, plan.name)


async def test_the_tree_goes_through_children_behind_their_parents(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    first, second = join(root, 1), join(root, 2)
    below = join(first.session, 3)
    family = root.family
    assert family is not None
    assert [r.number for r in family] == [0, 1, 3, 2]
    assert family.children(first.session) == [below]
    assert [r.depth for r in (first, below, second)] == [1, 2, 1]
    family.drop(first)
    assert below.parent is family.root, "it hangs on its grandparent now"
    assert [r.number for r in family] == [0, 2, 3] or [r.number for r in family] == [0, 3, 2]


async def test_a_process_is_asked_again_who_it_is_until_it_has_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuidbg.session.core.process_tree.family.ASKED_AGAIN", 0.0)
    root = make_root(tmp_path)
    child = join(root, 1)
    assert root.family is not None
    assert child.is_to_be_asked
    root.family.identify(child, Identity(host="n1"))
    assert child.is_to_be_asked
    assert child.name == "worker 1"
    root.family.identify(child, Identity(host="n1", worker="ForkPoolWorker-2"))
    assert not child.is_to_be_asked
    assert child.name == "ForkPoolWorker-2 worker 1"
    monkeypatch.setattr("tuidbg.session.core.process_tree.family.ASKED_AGAIN", 600.0)
    other = join(root, 2)
    root.family.identify(other, Identity())
    assert not other.is_to_be_asked, "not at each look"


async def test_the_ended_ones_are_cleared_at_once_but_for_the_one_that_is_shown(
    tmp_path: Path,
) -> None:
    root = make_root(tmp_path)
    crew = Crew(root, origin="tui")
    assert crew.clear_ended() == "no ended process to clear"
    first, second, third = (join(root, number) for number in (1, 2, 3))
    first.is_shown = True
    for relative in (first, second):
        relative.session.move_to(Status.TERMINATED)
    assert crew.clear_ended() == "1 ended cleared; the one on the screen stays"
    assert list(root.family or ())[1:] == [first, third]


async def test_of_many_that_have_ended_the_oldest_go(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    relatives = [join(root, number) for number in range(1, KEPT_ENDED + 11)]
    relatives[0].is_shown = True
    for relative in relatives[:-1]:
        relative.session.move_to(Status.TERMINATED)
    left = list(root.family or ())
    assert relatives[0] in left, "somebody looks at it"
    assert relatives[1] not in left
    assert relatives[-1] in left, "it lives"
    assert len(left) <= KEPT_ENDED + 3


async def test_no_change_comes_back_to_where_it_was_made(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    family = [root, *(join(root, number).session for number in (1, 2, 3))]
    told: dict[int, int] = dict.fromkeys(range(4), 0)
    for index, session in enumerate(family):

        def count(entry: LogEntry, index: int = index) -> None:
            told[index] += isinstance(entry.event, BreakpointsChanged)

        session.events.subscribers.add(count)
    path = str(tmp_path / "other.py")
    first = await family[2].breakpoints.set(path, 3, origin="tui")
    second = await root.breakpoints.set(path, 4, trigger=first.number, origin="tui")
    assert (first.number, second.number) == (1, 2), "numbers are never given twice"
    numbers = [[b.number for b in session.breakpoints.registry] for session in family]
    assert numbers == [[1, 2]] * 4
    assert {s.breakpoints.registry.get(2).armed for s in family} == {False}
    await family[3].breakpoints.remove(first.number, origin="tui")
    assert all(len(session.breakpoints.registry) == 1 for session in family)
    assert max(told.values()) <= 8, told


async def test_what_a_process_makes_of_them_is_its_own(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    child = join(root, 1).session
    told = root.breakpoints.keep_refused(str(tmp_path / "none.py"), 3, "not here", origin="tui")
    assert told.status is BreakpointStatus.REFUSED
    mirrored = child.breakpoints.registry.get(told.number)
    assert (mirrored.uuid, mirrored.message) == (told.uuid, "")
    assert mirrored.status is BreakpointStatus.PENDING


async def test_a_process_that_runs_again_is_reported(tmp_path: Path) -> None:
    """Whoever counts those that are stopped counts again."""
    root = make_root(tmp_path)
    child = join(root, 1)
    family = root.family
    assert family is not None
    child.session.move_to(Status.PAUSED)
    child.session.note_resumed(stepping=False, origin="tui")
    assert family.events.since(0)[-1].event == ProcessResumed(number=1)


async def test_processes_count_for_no_limit(tmp_path: Path) -> None:
    hub, _ = make_hub()
    try:
        member = hub.adopt(make_root(tmp_path), origin="tui")
        relatives = [join(member.session, number) for number in range(1, 21)]
        assert len(hub) == 21 and hub.count == 1
        children = hub.children(member)
        assert [child.name for child in children] == [r.name for r in relatives]
        assert {child.parent_id for child in children} == {member.id}
        assert {child.expires_at for child in children} == {None}
        assert hub.current is member, "none of them becomes the current one"
        assert tell_summary(children[0]).parent_id == member.id
        for _ in range(hub.limit - 1):
            hub.create(CONFIG, origin="rest")
        with pytest.raises(SessionLimitReached):
            hub.create(CONFIG, origin="rest")
        ProcessTree.of(member.session).drop(relatives[0])
        assert children[0] not in list(hub)
        await hub.delete(member.id, origin="rest")
        assert not any(child in list(hub) for child in children), "they go with it"
        assert hub.count == hub.limit - 1
    finally:
        await hub.close()


async def test_a_hub_that_comes_later_finds_them_all(tmp_path: Path) -> None:
    root = make_root(tmp_path)
    below = join(join(root, 1).session, 2)
    hub, _ = make_hub()
    try:
        member = hub.adopt(root, origin="tui")
        found = hub.find(below.session)
        assert found is not None and hub.root_of(found) is member
        assert [m.name for m in hub] == ["program.py", "worker 1", "worker 2"]
    finally:
        await hub.close()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("worker.py --fast", "worker.py"),
        ("-X dev -W error app/worker.py", "worker.py"),
        ("-m gunicorn app:app", "gunicorn"),
        ("/lib/debugpy --connect 127.0.0.1:5 --configure-subProcess true jobs.py", "jobs.py"),
        ("/lib/pydevd.py --port 1 --multiprocess --file jobs.py a", "jobs.py"),
        ("/lib/pydevd.py --module --port 1 --file /lib/debugpy --connect 1:5 web.py", "web.py"),
        ("-c print()", "python -c"),
        ("", ""),
    ],
)
def test_the_name_of_a_process(words: str, name: str) -> None:
    assert read_program(words.split()) == name


def test_what_multiprocessing_and_billiard_start_has_names() -> None:
    for package in ("multiprocessing", "billiard"):
        assert read_program(["-c", f"from {package}.spawn import spawn_main"]) == "spawned"
        assert read_program(["-c", f"from {package}.forkserver import main"]) == "forkserver"
    tracker = "from billiard.semaphore_tracker import main;main(5)"
    assert read_program(["-c", tracker]) == "resource tracker"
