"""Commands to some ranks of a job: who is meant, what is refused, and who obeys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.ranks import HAS_LOSS, WAITS, Ranks, ranks_of_a_job
from tests.support.sessions import until
from tuidbg.session.core.process_tree.identity import Identity
from tuidbg.session.features.doctor.doctor import Doctor
from tuidbg.session.features.job.commands import NoOrder, NotChosen, Verb, choose, read_order
from tuidbg.session.features.job.job import JobMember, JobResults
from tuidbg.session.features.job.members import Crew
from tuidbg.session.features.job.stacks import MemberLocation
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import BreakpointStatus, Status


def member(number: int, identity: Identity, status: Status = Status.RUNNING) -> JobMember:
    name = f"train.py {number}"
    return JobMember(
        number=number,
        name=name,
        identity=identity,
        pid=number,
        status=status,
        standing=MemberLocation(),
    )


JOB = JobResults(
    members=(
        *(
            member(
                10 + rank,
                Identity(host=f"node{rank // 4}", rank=rank, role="trainer" if rank else "master"),
                Status.PAUSED if rank == 2 else Status.RUNNING,
            )
            for rank in range(8)
        ),
        member(90, Identity(worker="gw0")),
    )
)


def chosen(text: str) -> list[int]:
    return [each.number for each in choose(JOB, text)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("all", [*range(10, 18), 90]),
        ("0,3-5", [10, 13, 14, 15]),
        (" 5 , 3 - 5,0 ", [10, 13, 14, 15]),
        ("7", [17]),
        ("node1", [14, 15, 16, 17]),
        ("node0 · trainer", [11, 12, 13]),
        ("master, 7", [10, 17]),
        ("gw0", [90]),
        ("rank 3", [13]),
        ("paused", [12]),
    ],
)
def test_who_is_meant(text: str, numbers: list[int]) -> None:
    assert chosen(text) == numbers


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "name processes between the commas: all, or 0,3-5"),
        ("0,,3", "name processes between the commas: 0,,3"),
        ("5-3", "5-3 runs backwards: write 3-5"),
        ("8", "there is no rank 8 among them; there are all, ranks 0-7, node0 · master"),
        ("6-9", "there are no ranks 8-9 among them; there are all, ranks 0-7"),
        ("0-9999999", "there are no ranks 8-"),
        ("node7", "there is no 'node7' among them; there are all, ranks 0-7, node0 · master"),
        ("-1", "there is no '-1' among them"),
    ],
)
def test_who_is_not_there_is_refused_with_those_who_are(text: str, why: str) -> None:
    with pytest.raises(NotChosen) as refused:
        choose(JOB, text)
    assert str(refused.value).startswith(why)


def test_a_command_is_read_behind_the_processes() -> None:
    order = read_order(JOB, "node0 · trainer  e  x if step else y")
    assert (order.numbers, order.verb, order.about) == (
        (11, 12, 13),
        Verb.EVALUATE,
        "x if step else y",
    )
    order = read_order(JOB, "0, 3-5 break src/a b.py:12")
    assert (order.numbers, order.file, order.line) == ((10, 13, 14, 15), "src/a b.py", 12)
    assert not order.is_to_all
    order = read_order(JOB, "0 break a.py:12 if a if b else 'c:3'")
    assert (order.file, order.line, order.condition) == ("a.py", 12, "a if b else 'c:3'")
    assert read_order(JOB, "all pause").is_to_all


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "that names no command; write 0,3-5 and one of continue, next, step,"),
        ("0,3 go", "that names no command; write 0,3-5 and one of"),
        ("continue", "say first which processes: all continue"),
        ("0 continue now", "nothing can follow continue: now"),
        ("0 break", "break needs a place: 0,3-5 break train.py:40"),
        ("0 break train.py", "train.py is no place; break needs 0,3-5 break train.py:40"),
        ("0 break a.py:3 of x", "a.py:3 of x is no place; break needs 0,3-5 break train.py:40, or"),
        ("all until a.py:3 if x", "until takes no condition: write break a.py:3 if x, then"),
        ("all until", "until needs a place: all until train.py:40"),
        ("0 evaluate", "evaluate needs an expression: 0,3-5 evaluate loss"),
        ("9 continue", "there is no rank 9 among them; there are all, ranks 0-7"),
    ],
)
def test_what_is_no_command_is_refused_with_what_to_write(text: str, why: str) -> None:
    with pytest.raises(DebuggerError) as refused:
        read_order(JOB, text)
    assert str(refused.value).startswith(why)


async def order(ranks: Ranks, crew: Crew, text: str) -> str:
    return await crew.obey(read_order(await crew.look(), text))


def line_of(ranks: Ranks, rank: int) -> int:
    session = ranks.of(rank)
    place = session.frames[0].place if session.stack_of == session.stop_id else None
    return place.line if place is not None and session.status is Status.PAUSED else 0


RETURNS = 14


@pytest.mark.full
@pytest.mark.real
async def test_a_breakpoint_for_some_ranks_stops_these_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 4, odd=1, stop_at=HAS_LOSS) as ranks:
        crew = Crew(ranks.session, origin="tui")
        told = await order(ranks, crew, f"0,2 break train.py:{RETURNS}")
        assert told == f"breakpoint 2 at train.py:{RETURNS} for ranks 0, 2"
        found = ranks.of(0).breakpoints.registry
        assert found.get(2).status is BreakpointStatus.SET
        await until(lambda: ranks.of(2).breakpoints.registry.get(2).status is BreakpointStatus.SET)
        assert ranks.of(3).breakpoints.registry.get(2).status is BreakpointStatus.PENDING
        why = await Doctor.of(ranks.of(3)).diagnose(2)
        assert why.sentences[0] == "It is there in ranks 0, 2 alone, and this process is rank 3."
        assert await order(ranks, crew, "all continue") == "4 go on"
        await until(lambda: line_of(ranks, 0) == line_of(ranks, 2) == RETURNS)
        job = await ranks.settled()
        assert [m.status is Status.PAUSED for m in job.members] == [True, False, True, False]
        assert [job.members[3].standing.stack[0].line] == [WAITS], "it is past that line"
        assert await order(ranks, crew, "0-3 next") == "2 step over, 2 are not stopped"
        await until(lambda: ranks.of(3).status is Status.RUNNING)
        with pytest.raises(NoOrder, match=r"no breakpoint at train\.py:99: "):
            await order(ranks, crew, "0 break train.py:99")
        assert len(found) == 2


@pytest.mark.real
async def test_ranks_of_a_breakpoint_can_be_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From one rank to another, and to all."""
    async with ranks_of_a_job(tmp_path, monkeypatch, 3, odd=1, stop_at=HAS_LOSS) as ranks:
        crew = Crew(ranks.session, origin="tui")

        def is_set(rank: int) -> bool:
            found = ranks.of(rank).breakpoints.registry.get(2)
            return found.status is BreakpointStatus.SET

        await order(ranks, crew, f"0 break train.py:{RETURNS}")
        await until(lambda: [is_set(rank) for rank in range(3)] == [True, False, False])
        await order(ranks, crew, f"2 break train.py:{RETURNS}")
        await until(lambda: [is_set(rank) for rank in range(3)] == [False, False, True])
        await order(ranks, crew, "all continue")
        await until(lambda: line_of(ranks, 2) == RETURNS)
        job = await ranks.settled()
        assert job.members[0].standing.stack[0].line == WAITS, "it is past that line"
        told = await order(ranks, crew, f"all break train.py:{RETURNS}")
        assert told == f"breakpoint 2 at train.py:{RETURNS} for all"
        await until(lambda: all(map(is_set, range(3))))
