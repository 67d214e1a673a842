"""Stacks of many processes, folded by equality."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tuidbg.session.core.process_tree.identity import Identity, describe_ranks
from tuidbg.session.features.job.job import (
    JobMember,
    JobResults,
    describe_folds,
    describe_members,
    describe_standing,
)
from tuidbg.session.features.job.stacks import MemberLocation, StackEntry, fold, stack_of
from tuidbg.session.model.state import Frame, Place, Status


def at(*calls: str) -> MemberLocation:
    """A stack of ``function:line``, the newest first."""
    pairs = (call.split(":") for call in calls)
    return MemberLocation(
        stack=tuple(StackEntry(function=f, path="/p/a.py", line=int(n)) for f, n in pairs)
    )


def member(
    rank: int | None, standing: MemberLocation, *, host: str = "n1", worker: str = ""
) -> JobMember:
    identity = Identity(host=host, rank=rank, worker=worker)
    return JobMember(
        number=rank or 0, name="a.py 7", identity=identity, pid=7, status=Status.RUNNING,
        standing=standing,
    )  # fmt: skip


def test_equal_stacks_are_one_and_the_fewest_come_first() -> None:
    waits, works = at("all_reduce:5", "main:9"), at("forward:2", "main:9")
    found = fold([(rank, works if rank == 5 else waits) for rank in range(8)])
    assert [(each.common, each.members, each.is_odd) for each in found] == [
        (works, (5,), True),
        (waits, (0, 1, 2, 3, 4, 6, 7), False),
    ]


def test_where_no_place_is_that_of_most_none_is_odd() -> None:
    found = fold([(0, at("a:1")), (1, at("a:1")), (2, at("b:1")), (3, at("c:1"))])
    assert [each.is_odd for each in found] == [False, False, False]
    assert [each.is_odd for each in fold([(0, at("a:1")), (1, at("b:1"))])] == [False, False]


def test_lines_of_one_function_are_one_place_where_lines_do_not_count() -> None:
    standings = [(0, at("work:3", "main:9")), (1, at("work:4", "main:9"))]
    assert len(fold(standings)) == 2
    (only,) = fold(standings, by_line=False)
    assert only.members == (0, 1)
    assert only.common == standings[0][1], "a line that is true of one is shown"


def test_what_is_known_instead_of_a_stack_is_a_place_too() -> None:
    gone = MemberLocation(instead="ended")
    found = fold([(0, at("a:1")), (1, at("a:1")), (2, gone)])
    assert found[0].common is gone
    assert found[0].is_odd


def test_processes_at_one_line_for_two_reasons_are_two_rows() -> None:
    raised, hit = (msgspec.structs.replace(at("f:1"), reason=r) for r in ("KeyError", "pause"))
    for by_line in (True, False):
        found = fold([(0, hit), (1, raised), (2, hit), (3, hit)], by_line=by_line)
        assert [(each.members, each.is_odd) for each in found] == [((1,), True), ((0, 2, 3), False)]
    assert describe_standing(raised) == "f at a.py:1 (KeyError)"
    assert describe_standing(MemberLocation(reason="pause")) == "outside your code (pause)"


_CALLS = st.lists(st.sampled_from(["a:1", "a:2", "b:1", "c:7"]), max_size=3)
_STANDINGS = st.lists(
    st.one_of(
        _CALLS.map(lambda calls: at(*calls)),
        st.sampled_from(["ended", "starting"]).map(lambda text: MemberLocation(instead=text)),
    ),
    max_size=40,
)


@given(_STANDINGS, st.booleans())
def test_each_is_in_exactly_one_fold_with_its_equals(
    standings: list[MemberLocation], by_line: bool
) -> None:
    found = fold(enumerate(standings), by_line=by_line)
    assert sorted(number for each in found for number in each.members) == [*range(len(standings))]
    keys = [s if by_line else s.without_lines() for s in standings]
    for each in found:
        assert len({keys[number] for number in each.members}) == 1
    assert len(found) == len(set(keys))
    sizes = [len(each.members) for each in found]
    assert sizes == sorted(sizes)
    assert sum(each.is_odd for each in found) in (0, len(found) - 1)


@given(st.sets(st.integers(0, 300)))
def test_ranks_in_few_words_are_the_same_ranks(ranks: set[int]) -> None:
    read: set[int] = set()
    for part in filter(None, describe_ranks(ranks).split(", ")):
        first, _, last = part.partition("-")
        read |= set(range(int(first), int(last or first) + 1))
    assert read == ranks


def test_a_stack_is_what_has_a_source() -> None:
    place = Place(path="/p/a.py", line=3)
    frames = [
        Frame(id=1, index=0, name="inner", place=None),
        Frame(id=2, index=1, name="work", place=place),
        Frame(id=3, index=2, name="before", place=place, is_earlier=True),
    ]
    assert stack_of(frames) == (StackEntry(function="work", path="/p/a.py", line=3),)


def test_the_words_name_places_and_ranks() -> None:
    waits, works = at("all_reduce:5", "main:9"), at("forward:2", "main:9")
    job = JobResults(
        members=tuple(member(rank, works if rank == 5 else waits) for rank in range(8))
    )
    folds = job.folds()
    assert describe_folds(folds) == "1 in forward at a.py:2, 7 in all_reduce at a.py:5"
    assert [describe_members(each.members) for each in folds] == ["rank 5", "ranks 0-4, 6-7"]
    assert describe_standing(MemberLocation()) == "outside your code"
    assert describe_members((member(None, waits, worker="gw1"),)) == "gw1"
    assert describe_members((member(None, waits),)) == "a.py 7"


def test_groups_are_those_of_a_host_and_a_role() -> None:
    members = [member(0, at("a:1")), member(1, at("a:1"), host="n2"), member(2, at("a:1"))]
    groups = JobResults(members=tuple(members)).groups()
    assert {name: [m.number for m in found] for name, found in groups.items()} == {
        "n1": [0, 2],
        "n2": [1],
    }
