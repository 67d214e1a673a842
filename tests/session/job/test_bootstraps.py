"""Workers that are in none of a person's code: what they wait for, and where they are else."""

from __future__ import annotations

import pytest

from tuidbg.session.features.job.job import describe_standing, read_worker, without_bootstrap
from tuidbg.session.features.job.stacks import Stack, StackEntry

LIB = "/usr/lib/python3.13"
LINE = "<module> <string>"
WORKER = f"worker {LIB}/multiprocessing/pool.py"
GET = f"get {LIB}/multiprocessing/queues.py"
ENTER = f"__enter__ {LIB}/multiprocessing/synchronize.py"
START = (f"_bootstrap {LIB}/multiprocessing/process.py", LINE)


def stack(*calls: str) -> Stack:
    """A stack of ``function file``, the newest call first."""
    pairs = (call.split(maxsplit=1) for call in calls)
    return tuple(StackEntry(function=f, path=path, line=7) for f, path in pairs)


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ((ENTER, GET, WORKER, *START), "waits for work"),
        ((GET, WORKER, *START), "waits for work"),
        ((GET, "_process_worker /env/loky/process_executor.py", LINE), "waits for work"),
        (("receive /env/billiard/pool.py", "workloop /env/billiard/pool.py"), "waits for work"),
        ((f"main {LIB}/multiprocessing/resource_tracker.py", LINE), "waits for requests"),
        (("main /env/joblib/loky/backend/resource_tracker.py", LINE), "waits for requests"),
        (("main /env/billiard/semaphore_tracker.py", LINE), "waits for requests"),
        (
            (f"select {LIB}/selectors.py", "main /env/billiard/forkserver.py", LINE),
            "waits for requests",
        ),
        # It unpickles a task, writes a result, runs one in C, or is only starting.
        (("_load /env/torch/storage.py", GET, WORKER, *START), "_load at storage.py:7"),
        ((f"put {LIB}/multiprocessing/queues.py", WORKER), "put at queues.py:7"),
        ((WORKER, *START), "worker at pool.py:7"),
        (
            ("exec_module <frozen importlib._bootstrap>", f"spawn_main {LIB}/spawn.py", LINE),
            "spawn_main at spawn.py:7",
        ),
        ((LINE,), "outside your code"),
    ],
)
def test_what_a_worker_waits_for_or_where_it_is(calls: tuple[str, ...], told: str) -> None:
    assert describe_standing(read_worker(stack(*calls))) == told


def test_the_line_that_starts_a_process_is_no_caller() -> None:
    assert without_bootstrap(stack("load /p/shards.py", LINE)) == stack("load /p/shards.py")
    assert without_bootstrap(stack(LINE)) == stack(LINE), "where it is all that there is"
    made = stack("load /p/shards.py", LINE, "main /p/a.py")
    assert without_bootstrap(made) == made
