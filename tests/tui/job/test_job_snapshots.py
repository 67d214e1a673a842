"""What the view of a job looks like."""

from __future__ import annotations

from collections.abc import Collection

import msgspec
import pytest

from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage
from tests.support.sessions import until
from tuidbg.session.core.process_tree.identity import Identity
from tuidbg.session.features.job.job import JobMember, JobResults
from tuidbg.session.features.job.members import Across, Crew, MemberResult
from tuidbg.session.features.job.stacks import MemberLocation, Stack, StackEntry
from tuidbg.session.model.state import Status
from tuidbg.tui.features.job.dialog import JobDialog


def stack(*calls: tuple[str, str, int]) -> Stack:
    return tuple(StackEntry(function=f, path=f"/job/{file}", line=n) for f, file, n in calls)


WAITS = MemberLocation(
    stack=stack(("all_reduce", "collective.py", 41), ("step", "train.py", 20),
                ("main", "train.py", 31), ("<module>", "train.py", 40))
)  # fmt: skip
LOADS = MemberLocation(
    stack=stack(("load_shard", "shards.py", 12), ("step", "train.py", 18),
                ("main", "train.py", 31), ("<module>", "train.py", 40))
)  # fmt: skip


def job() -> JobResults:
    members = []
    for rank in range(8):
        standing = LOADS if rank == 5 else WAITS
        status = Status.PAUSED if rank == 2 else Status.RUNNING
        if rank == 7:
            standing, status = MemberLocation(instead="was killed (SIGKILL)"), Status.TERMINATED
        identity = Identity(host=f"node{rank // 4}", rank=rank, world_size=8, role="trainer")
        members.append(
            JobMember(
                number=rank + 1,
                name=f"rank {rank} train.py {4700 + rank}",
                identity=identity,
                pid=None if rank == 7 else 4700 + rank,
                status=status,
                standing=standing,
            )
        )
    return JobResults(members=tuple(members))


class Shown(Crew):
    """Is what the pictures show."""

    async def look(self) -> JobResults:
        return job()

    async def ask(self, across: Across, numbers: Collection[int]) -> bool:
        """The answers are there."""
        return False


class Stopped(Shown):
    """Those that ran stand, and the one that stood runs."""

    async def look(self) -> JobResults:
        other = {Status.RUNNING: Status.PAUSED, Status.PAUSED: Status.RUNNING}
        members = (
            msgspec.structs.replace(each, status=other.get(each.status, each.status))
            for each in job().members
        )
        return JobResults(members=tuple(members))


class Losses(Across):
    """The loss of each; one is out of the common, one runs, one is lost, one has none yet."""

    @property
    def answers(self) -> dict[int, MemberResult]:
        values = {rank + 1: MemberResult(value=f"0.5{rank}", type="float") for rank in range(8)}
        return values | {
            2: values[1],
            3: MemberResult(instead="running"),
            5: MemberResult(problem="NameError: name 'loss' is not defined"),
            6: MemberResult(value="71.5", type="float"),
            8: MemberResult(instead="was killed (SIGKILL)"),
        }


async def show(stage: Stage, kind: type[Shown] = Shown) -> JobDialog:
    dialog = JobDialog(kind(stage.session, origin="tui"), 3)
    stage.app.push_screen(dialog)
    await stage.until_dialog()
    await until(lambda: bool(dialog.pane.rows), "all have answered")
    await stage.pilot.pause()
    return dialog


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_the_job(size: Size, pictures: Pictures) -> None:
    async def scene(stage: Stage) -> None:
        await show(stage)

    pictures.compare_scene(scene, size)


@pytest.mark.parametrize("size", SIZES[:2], ids=NAMES[:2])
def test_an_expression_in_all(
    size: Size, pictures: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(stage: Stage) -> None:
        monkeypatch.setattr("tuidbg.tui.features.job.dialog.Across", Losses)
        dialog = await show(stage, Stopped)
        await stage.pilot.press("e", *"loss", "enter")
        await until(lambda: any("71.5" in t for r in dialog.pane.rows for t, _ in r.pieces))
        await stage.pilot.pause()

    pictures.compare_scene(scene, size)
