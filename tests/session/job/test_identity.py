"""Which rank a process is, by what its launcher has told it."""

from __future__ import annotations

import os

import pytest

from tuidbg.adapters.debugpy.self_told import read_self, self_question
from tuidbg.adapters.program.self_told import SelfTold, read_process
from tuidbg.session.core.process_tree.identity import NAMES, Identity, identify

TORCHRUN = {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "ROLE_NAME": "default"}


@pytest.mark.parametrize(
    ("environment", "words", "name", "expected"),
    [
        (TORCHRUN, "train.py", "", Identity(rank=5, world_size=8, local_rank=1)),
        (TORCHRUN | {"ROLE_NAME": "trainer"}, "", "",
         Identity(rank=5, world_size=8, local_rank=1, role="trainer")),
        ({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4", "PMIX_RANK": "3",
          "OMPI_COMM_WORLD_LOCAL_RANK": "0"}, "", "",
         Identity(rank=3, world_size=4, local_rank=0)),
        ({"PMI_RANK": "2", "PMI_SIZE": "4", "MPI_LOCALRANKID": "2"}, "", "",
         Identity(rank=2, world_size=4, local_rank=2)),
        ({"PMIX_RANK": "2"}, "", "", Identity(rank=2)),
        ({"SLURM_PROCID": "9", "SLURM_NTASKS": "16", "SLURM_LOCALID": "1",
          "SLURMD_NODENAME": "n2"}, "", "",
         Identity(rank=9, world_size=16, local_rank=1, host="n2")),
        (TORCHRUN | {"SLURM_PROCID": "0", "SLURM_NTASKS": "2"}, "", "",
         Identity(rank=5, world_size=8, local_rank=1)),
        ({"JOB_COMPLETION_INDEX": "7"}, "", "", Identity(rank=7)),
        ({"RANK": "first", "SLURM_PROCID": "1"}, "", "", Identity(rank=1)),
        ({"RANK": "", "WORLD_SIZE": "8"}, "", "", Identity()),
        ({"PYTEST_XDIST_WORKER": "gw3"}, "", "", Identity(worker="gw3")),
        ({}, "/usr/bin/dask-worker tcp://s:8786 --name w3", "", Identity(worker="w3")),
        ({}, "/env/bin/dask worker tcp://s:8786 --name=w4", "", Identity(worker="w4")),
        ({}, "/env/bin/other worker --name=w4", "", Identity()),
        ({}, "/env/bin/celery -A app worker -n mails@h", "ForkPoolWorker-2",
         Identity(role="mails@h", worker="ForkPoolWorker-2")),
        ({}, "/env/celery/__main__.py -A app worker --hostname=mails@h", "",
         Identity(role="mails@h")),
        ({}, "pool.py", "SpawnPoolWorker-3", Identity(worker="SpawnPoolWorker-3")),
        ({}, "pool.py", "MainProcess", Identity()),
        ({}, "", "", Identity()),
    ],
)  # fmt: skip
def test_each_launcher_tells_the_rank_in_its_own_way(
    environment: dict[str, str], words: str, name: str, expected: Identity
) -> None:
    assert identify(SelfTold(environment, tuple(words.split()), name=name)) == expected


@pytest.mark.parametrize(
    ("name", "worker"), [("2", "worker 2"), ("w3", "w3"), ("tcp://h:4711", "tcp://h:4711")]
)
def test_a_worker_of_dasks_is_called_as_its_scheduler_calls_it(name: str, worker: str) -> None:
    told = SelfTold(name="Dask Worker process (from Nanny)", dask_worker=name)
    assert identify(told).label == worker


def test_an_actor_of_rays_is_called_by_its_class_and_id() -> None:
    assert identify(SelfTold(ray_actor="Counter 7b3ef8c5e203")).label == "Counter 7b3ef8"
    assert identify(SelfTold(ray_actor="")).label == ""


def test_a_rank_is_called_by_its_number_and_else_by_its_name() -> None:
    assert Identity(rank=3, worker="w").label == "rank 3"
    assert Identity(worker="gw1").label == "gw1"
    assert Identity().label == ""
    assert Identity(host="n1", role="trainer").group == "n1 · trainer"
    assert Identity(host="n1").group == "n1"


def test_a_python_program_is_asked_for_the_wanted_variables_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RANK", "4")
    monkeypatch.setenv("A_SECRET", "12345")
    told = read_self(repr(eval(self_question(NAMES))))
    assert told.environment["RANK"] == "4"
    assert "A_SECRET" not in told.environment
    assert told.host == os.uname().nodename
    assert "MainProcess" in told.name or not told.name
    assert read_self(repr(eval(self_question(None)))).environment["A_SECRET"] == "12345"


def test_an_answer_that_makes_no_sense_is_none() -> None:
    for answer in ("", "nonsense", "()", "(1, 2)", "None", "({}, [], '', '')"):
        with pytest.raises(ValueError):
            read_self(answer)


def test_a_process_of_this_machine_is_read_as_it_was_started() -> None:
    assert read_process(os.getpid(), {"PATH"}).environment.keys() <= {"PATH"}
    assert read_process(os.getpid()).words
    assert read_process(2**22 + 1) == SelfTold()
