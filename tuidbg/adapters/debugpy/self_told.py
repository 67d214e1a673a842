"""Asks a Python program what tells its place in a job: environment, command line, host, names."""

from __future__ import annotations

import ast
from collections.abc import Collection

from tuidbg.adapters.program.self_told import SelfTold

_RAY = (
    "[(type(actor).__name__, name.hex()) for name, actor in list(getattr(getattr("
    "modules.get('ray._private.worker'), 'global_worker', None), 'actors', {}).items())]"
)
"""Ray's actors in this process; nothing is asked of its core, which ends the process where it finds
a question out of place (the name of an actor where there is none, in Ray 2.60)."""


def self_question(names: Collection[str] | None) -> str:
    """An expression that reads what is there; it imports nothing, and takes no frame.

    The program's own environment is read, not the one that it was started with: whoever starts
    further processes by ``fork`` or ``spawn`` sets the rank of each there.
    """
    is_wanted = "" if names is None else f" if name in {tuple(names)!r}"
    return (
        "(lambda modules: ("
        f"{{name: value for name, value in modules['os'].environ.items(){is_wanted}}},"
        " [str(word) for word in getattr(modules['sys'], 'argv', ())],"
        " modules['os'].uname()[1] if hasattr(modules['os'], 'uname') else '',"
        " modules['multiprocessing.process'].current_process().name"
        " if 'multiprocessing.process' in modules else '',"
        " [str(worker.name) for worker in list(getattr(getattr("
        "modules.get('distributed.worker'), 'Worker', None), '_instances', ()))],"
        f" {_RAY}"
        "))(__import__('sys').modules)"
    )


def read_self(answer: str) -> SelfTold:
    """What was answered. Raises ValueError."""
    try:
        environment, words, host, name, workers, actors = ast.literal_eval(answer)
    except (SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError("unexpected reply from the debuggee") from error
    # Several in one process, as threads, are told apart by nothing that is the process's.
    dask_worker = workers[0] if len(workers) == 1 else ""
    ray_actor = " ".join(actors[0]) if len(actors) == 1 else ""
    return SelfTold(environment, tuple(words), host, name, dask_worker, ray_actor)
