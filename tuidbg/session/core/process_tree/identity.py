"""The rank of a process in its job, as set by common launchers.

torchrun, Open MPI, MPICH, Slurm and Kubernetes' indexed jobs set variables; Dask and Celery name
their workers on the command line, ``multiprocessing`` names its processes.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.program.self_told import SelfTold, read_process
from tuidbg.session.core.evaluation.implicit_resume import ask_program
from tuidbg.session.model.state import StateValue, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class Identity(StateValue, frozen=True):
    """A process of a job. Unknown fields are empty, or None.

    ``rank`` counts all processes from 0, ``local_rank`` those of its host; ``role`` is shared by
    several of them, ``worker`` is the name of one.
    """

    host: str = ""
    rank: int | None = None
    local_rank: int | None = None
    world_size: int | None = None
    role: str = ""
    worker: str = ""

    @property
    def label(self) -> str:
        """Return its display name; empty if it has neither rank nor name."""
        return f"rank {self.rank}" if self.rank is not None else self.worker

    @property
    def group(self) -> str:
        """Return its group: a host, and a role there."""
        return " · ".join(filter(None, (self.host, self.role)))


def name_ranks(numbers: Collection[int]) -> str:
    """Name ranks: ``rank 3``, ``ranks 0-4, 7``."""
    return f"{'rank' if len(set(numbers)) == 1 else 'ranks'} {describe_ranks(numbers)}"


def describe_ranks(numbers: Iterable[int]) -> str:
    """Return ranks in few words: ``0-4, 7``."""
    spans: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


class _Variables(NamedTuple):
    """The variables of one kind of launcher."""

    rank: str
    world_size: str = ""
    local_rank: str = ""


_LAUNCHERS = (
    _Variables("RANK", "WORLD_SIZE", "LOCAL_RANK"),
    _Variables("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
    _Variables("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
    _Variables("PMIX_RANK"),
    _Variables("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"),
    _Variables("JOB_COMPLETION_INDEX"),
)
"""The nearest to the program comes first: torchrun may run inside Slurm's task 0."""

_ROLE, _HOST, _XDIST = "ROLE_NAME", "SLURMD_NODENAME", "PYTEST_XDIST_WORKER"

_NO_ROLE = "default"
"""torchrun's name for an unnamed role."""

_ALL_NAMES = [name for each in _LAUNCHERS for name in each] + [_ROLE, _HOST, _XDIST]
NAMES = frozenset(filter(None, _ALL_NAMES))
"""The environment variables that are read."""

_NUMBERED = re.compile(r".+[-_]\d+")
"""Worker names by ``multiprocessing``, loky and billiard: ``SpawnPoolWorker-3``."""


def identify(told: SelfTold) -> Identity:
    """Derive the identity from a process's own report."""
    environment = told.environment
    of = next((each for each in _LAUNCHERS if _number(environment, each.rank) is not None), None)
    role = environment.get(_ROLE, "")
    return Identity(
        host=told.host or environment.get(_HOST, ""),
        rank=_number(environment, of.rank) if of is not None else None,
        local_rank=_number(environment, of.local_rank) if of is not None else None,
        world_size=_number(environment, of.world_size) if of is not None else None,
        role="" if role == _NO_ROLE else role or _celery_node(told.words),
        worker=environment.get(_XDIST, "")
        or _dask_name(told.dask_worker)
        or _ray_actor(told.ray_actor)
        or _dask_worker(told.words)
        or (told.name if _NUMBERED.fullmatch(told.name) else ""),
    )


def _number(environment: Mapping[str, str], name: str) -> int | None:
    text = environment.get(name, "").strip()
    return int(text) if text.isascii() and text.isdecimal() else None


def _dask_name(name: str) -> str:
    """Return the name of a Dask worker; ``LocalCluster`` gives it only a number."""
    return f"worker {name}" if name.isdecimal() else name


def _ray_actor(told: str) -> str:
    """Return the class of an actor, and the beginning of its id."""
    kind, _, name = told.partition(" ")
    return f"{kind} {name[:6]}" if name else kind


def _dask_worker(words: Sequence[str]) -> str:
    """Return the name given to ``dask worker`` or ``dask-worker``."""
    programs = [word.rpartition("/")[2] for word in words[:4]]
    is_worker = "dask-worker" in programs or ("dask" in programs and "worker" in programs)
    return _option(words, "--name") if is_worker else ""


def _celery_node(words: Sequence[str]) -> str:
    """Return the node of a Celery worker, or of a process of its pool."""
    programs = [word.removesuffix("/__main__.py").rpartition("/")[2] for word in words[:4]]
    is_worker = "celery" in programs and "worker" in words
    return _option(words, "-n", "--hostname") if is_worker else ""


def _option(words: Sequence[str], *names: str) -> str:
    """Return the value of an option, written as ``--name value`` or ``--name=value``."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word in names:
            return following
        name, equals, value = word.partition("=")
        if equals and name in names:
            return value
    return ""


PATIENCE = 2.0
"""Seconds for a process to reply: one that holds the interpreter's lock never does."""


async def learn_identity(session: Session, *, is_here: bool) -> Identity:
    """Return the rank of a process. ``is_here``: it runs on this machine."""
    told = await _ask(session)
    if told is None and is_here and session.pid is not None:
        told = await asyncio.to_thread(read_process, session.pid, NAMES)
    return identify(told if told is not None else SelfTold())


async def _ask(session: Session) -> SelfTold | None:
    attach = session.profile.attach
    question = attach.self_question(NAMES)
    if not question or session.status not in (Status.RUNNING, Status.PAUSED):
        return None
    try:
        return attach.read_self(await ask_program(session, question, within=PATIENCE))
    except (AdapterError, ValueError):
        return None
