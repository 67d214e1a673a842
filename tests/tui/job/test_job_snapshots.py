"""What the view of a job looks like."""

from __future__ import annotations

import pytest

from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage
from tests.support.sessions import until
from tuidbg.session.execution import Resume
from tuidbg.session.job.commanding import Obeyed
from tuidbg.session.job.identity import Identity
from tuidbg.session.job.job import Job, Member
from tuidbg.session.job.stacks import Call, Stack, Standing
from tuidbg.session.state import Status
from tuidbg.tui.job.dialog import JobDialog

pytestmark = pytest.mark.real


def stack(*calls: tuple[str, str, int]) -> Stack:
    return tuple(Call(function=f, path=f"/job/{file}", line=n) for f, file, n in calls)


WAITS = Standing(
    stack=stack(("all_reduce", "collective.py", 41), ("step", "train.py", 20),
                ("main", "train.py", 31), ("<module>", "train.py", 40))
)  # fmt: skip
LOADS = Standing(
    stack=stack(("load_shard", "shards.py", 12), ("step", "train.py", 18),
                ("main", "train.py", 31), ("<module>", "train.py", 40))
)  # fmt: skip


def job() -> Job:
    members = []
    for rank in range(8):
        standing = LOADS if rank == 5 else WAITS
        status = Status.PAUSED if rank == 2 else Status.RUNNING
        if rank == 7:
            standing, status = Standing(instead="was ended by SIGKILL"), Status.TERMINATED
        identity = Identity(host=f"node{rank // 4}", rank=rank, world_size=8, role="trainer")
        members.append(
            Member(
                number=rank + 1,
                name=f"rank {rank} train.py {4700 + rank}",
                identity=identity,
                pid=None if rank == 7 else 4700 + rank,
                status=status,
                standing=standing,
            )
        )
    return Job(members=tuple(members))


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_the_job(size: Size, pictures: Pictures) -> None:
    async def scene(stage: Stage) -> None:
        async def look() -> Job:
            return job()

        async def give(numbers: tuple[int, ...], how: Resume | None) -> Obeyed:
            return Obeyed(how=how, meant=len(numbers), obeying=len(numbers))

        stage.app.push_screen(JobDialog(look, give, 3))
        await stage.until_dialog()
        dialog = stage.app.screen
        assert isinstance(dialog, JobDialog)
        await until(lambda: bool(dialog.pane.rows), "all have answered")
        await stage.pilot.pause()

    pictures.compare_scene(scene, size)
