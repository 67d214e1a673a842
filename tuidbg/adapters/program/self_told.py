"""A process's own facts, from which its place in a job is derived."""

from __future__ import annotations

import socket
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

_PROC = Path("/proc")


class SelfTold(msgspec.Struct, frozen=True):
    """Its environment (or a part of it), command line, host, and worker names.

    ``name`` is from ``multiprocessing``, ``dask_worker`` from Dask; ``ray_actor`` is the class and
    id of its Ray actor.
    """

    environment: Mapping[str, str] = {}
    words: tuple[str, ...] = ()
    host: str = ""
    name: str = ""
    dask_worker: str = ""
    ray_actor: str = ""


def read_process(pid: int, names: Collection[str] | None = None) -> SelfTold:
    """Read these facts of a local process, as it was started; empty if unreadable.

    ``names`` are the requested variables; None: all.
    """
    try:
        told = (_PROC / str(pid) / "environ").read_bytes().decode("utf-8", "replace")
        words = (_PROC / str(pid) / "cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return SelfTold()
    pairs = (line.partition("=") for line in told.split("\0") if "=" in line)
    environment = {name: value for name, _, value in pairs if names is None or name in names}
    return SelfTold(environment, tuple(words.rstrip("\0").split("\0")), socket.gethostname())
