"""One expression over all ranks: values folded, the odd ones told, and nobody waits for one."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from tests.support.ranks import HAS_LOSS, Ranks, ranks_of_a_job
from tests.support.sessions import until
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.job.members import Across, MemberResult, find_far, fold_answers
from tuidbg.session.model.errors import DoesNotParse
from tuidbg.session.model.state import Status

RANKS = 4


async def ask(ranks: Ranks, across: Across) -> dict[int, MemberResult]:
    """The answers by the ranks."""
    await across.ask(ranks.relatives, origin="tui")
    return told(ranks, across)


def told(ranks: Ranks, across: Across) -> dict[int, MemberResult]:
    return {
        r.identity.rank: across.answers[r.number]
        for r in ranks.relatives
        if r.identity is not None and r.identity.rank is not None and r.number in across.answers
    }


@pytest.mark.full
@pytest.mark.real
async def test_equal_values_are_one_and_the_rank_with_another_is_odd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, RANKS, odd=2, stop_at=HAS_LOSS) as ranks:
        found = await ask(ranks, Across("loss"))
        odd, others = fold_answers(sorted(found.items()))
        assert (odd.members, odd.common, odd.is_odd) == (
            (2,),
            MemberResult(value="71.5", type="float"),
            True,
        )
        assert (others.members, others.common.value, others.is_odd) == ((0, 1, 3), "0.5", False)
        raised = await ask(ranks, Across("1 / (rank - 1)"))
        assert raised[1].problem == "ZeroDivisionError: division by zero"
        assert {raised[n].value for n in (0, 2, 3)} == {"-1.0", "1.0", "0.5"}


@pytest.mark.full
@pytest.mark.real
async def test_it_is_asked_anew_where_a_rank_has_stopped_anew_and_only_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 3, odd=2, stop_at=HAS_LOSS) as ranks:
        first, other = ranks.of(0), ranks.of(1)
        across = Across("vars(os).setdefault('asked', []).append(rank) or (rank, len(os.asked))")
        assert (await ask(ranks, across))[0].value == "(0, 1)"
        await first.execution.resume(Resume.STEP_OVER, origin="tui")
        await until(lambda: first.status is Status.PAUSED and first.stop_id > 1)
        await other.execution.resume(Resume.CONTINUE, origin="tui")
        await until(lambda: other.status is Status.RUNNING)
        again = await ask(ranks, across)
        assert again[0].value == "(0, 2)"
        assert again[1] == MemberResult(instead="running")
        assert again[2].value == "(2, 1)"


@pytest.mark.full
@pytest.mark.real
async def test_one_that_hangs_is_interrupted_and_a_dead_one_given_up_and_neither_delays_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, RANKS, odd=2, stop_at=HAS_LOSS) as ranks:
        hanging = "[rank, __import__('time').sleep(600 if rank == 1 else 0)][0]"
        across, frozen = Across(hanging, limit=1.0), ranks.of(3)
        session = ranks.session
        ranks.kill(3, signal.SIGSTOP)
        try:
            session.spawn(across.ask(ranks.relatives, origin="tui"))
            await until(lambda: {0, 2} <= told(ranks, across).keys())
            assert told(ranks, across).keys() == {0, 2}, "the others are awaited still"
            await until(lambda: len(told(ranks, across)) == RANKS)
        finally:
            ranks.kill(3, signal.SIGCONT)
        found = told(ranks, across)
        assert [found[rank].value for rank in (0, 2)] == ["0", "2"]
        assert found[1].problem == "interrupted: it took more than 1 s"
        assert found[3].problem.startswith("no answer in 1 s: ")
        assert ranks.of(1).status is frozen.status is Status.PAUSED
        assert (await ask(ranks, Across("rank")))[1].value == "1", "it stands as it stood"


@pytest.mark.full
@pytest.mark.real
async def test_where_nobody_waits_any_more_no_rank_hangs_on_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the view is closed meanwhile."""
    async with ranks_of_a_job(tmp_path, monkeypatch, 2, odd=1, stop_at=HAS_LOSS) as ranks:
        across = Across("__import__('time').sleep(600 if rank == 1 else 0)", limit=1.0)
        asking = asyncio.create_task(ask(ranks, across))
        await until(lambda: 0 in told(ranks, across) and ranks.of(1).evaluation.running)
        asking.cancel()
        await until(lambda: 1 in told(ranks, across))
        assert told(ranks, across)[1].problem.startswith("interrupted")
        assert (await ask(ranks, Across("rank")))[1].value == "1"


@pytest.mark.full
@pytest.mark.real
async def test_what_is_no_expression_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 1, odd=0, stop_at=HAS_LOSS) as ranks:
        with pytest.raises(DoesNotParse):
            Across("loss = 0").check(ranks.of(0))
        assert "invalid syntax" in (await ask(ranks, Across("loss = 0")))[0].problem
        assert (await ask(ranks, Across("loss")))[0].value == "71.5"


def numbers(*values: float) -> list[tuple[int, MemberResult]]:
    return [(n, MemberResult(value=repr(value), type="float")) for n, value in enumerate(values)]


def odd_of(answers: list[tuple[int, MemberResult]]) -> list[int]:
    return [member for each in fold_answers(answers) if each.is_odd for member in each.members]


@pytest.mark.parametrize(
    ("answers", "odd"),
    [
        (numbers(0.51, 0.52, 0.5, 0.49, 71.5), [4]),
        (numbers(0.51, 0.52, 0.5, 0.49, 0.55), []),
        (numbers(0.51, 0.52, 0.5, float("nan")), [3]),
        (numbers(0.51, 0.52, float("-inf"), 0.5), [2]),
        (numbers(float("nan"), float("nan"), 1.0, 2.0), []),
        (numbers(1.0, 2.0, 500.0), []),
        (numbers(1.0, 1.0, 500.0), [2]),
        ([*numbers(1.0, 1.0, 1.0), (3, MemberResult(problem="NameError: loss"))], [3]),
        (
            [
                *numbers(1.0),
                (1, MemberResult(instead="running")),
                (2, MemberResult(instead="runs")),
            ],
            [],
        ),
        ([], []),
    ],
)
def test_odd_is_what_most_are_not_or_a_number_far_from_them(
    answers: list[tuple[int, MemberResult]], odd: list[int]
) -> None:
    assert odd_of(answers) == odd


def test_the_odd_come_first_and_who_was_not_asked_last() -> None:
    answers = [*numbers(0.5, 0.51, 0.52, 71.5, 0.53), (5, MemberResult(instead="running"))]
    folds = fold_answers(answers)
    assert folds[0].members == (3,)
    assert folds[-1].members == (5,)
    assert not find_far([])(1.0)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("0.5", 0.5),
        ("np.float64(0.5)", 0.5),
        ("np.float32(-1e-07)", -1e-07),
        ("np.int64(3)", 3.0),
        ("np.float64(inf)", float("inf")),
        ("array(0.5, dtype=float32)", 0.5),
        ("tensor(0.5000)", 0.5),
        ("tensor(2., device='cuda:0', dtype=torch.float64, grad_fn=<MeanBackward0>)", 2.0),
        ("Array(0.5, dtype=float32)", 0.5),
        ("tensor([0.5])", None),
        ("np.str_('0.5')", None),
        ("np.True_", None),
        ("Loss(0.5)", None),
    ],
)
def test_a_scalar_of_an_array_library_is_a_number(value: str, number: float | None) -> None:
    assert MemberResult(value=value).number == number
