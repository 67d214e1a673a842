"""Makes plans of what programs ask for, in whatever dialect they did."""

from __future__ import annotations

import os.path
from pathlib import Path
from typing import Any, overload

import msgspec

from tuidbg.adapters.table import adapter_of_process, choose_adapter
from tuidbg.config.launch import DEFAULT_ADAPTER, AttachPlan, Console, LaunchPlan, TargetKind


class ProgramRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A program that is to be started: ``program``, a path from ``cwd`` on, or ``module``.

    ``adapter`` is the name of one that is insisted on, else it is chosen by what the program is.
    ``options`` are for the adapter, beside those that it needs for such a program.
    """

    program: str = ""
    module: str = ""
    args: tuple[str, ...] = ()
    cwd: str
    env: dict[str, str] = {}
    python: str
    python_args: tuple[str, ...] = ()
    adapter: str = ""
    options: dict[str, Any] = {}
    stop_on_entry: bool = True
    has_terminal: bool = True
    source: str | None = None


class ProcessRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A program that runs already: its process or its port; or the core file that it has left."""

    pid: int | None = None
    host: str = "localhost"
    port: int | None = None
    core: str = ""
    program: str = ""
    cwd: str
    python: str
    adapter: str = ""
    connect_timeout: float | None = None
    wait: float | None = None


@overload
def make_plan(asked: ProgramRequest) -> LaunchPlan: ...


@overload
def make_plan(asked: ProcessRequest) -> AttachPlan: ...


def make_plan(asked: ProgramRequest | ProcessRequest) -> LaunchPlan | AttachPlan:
    """The plan of what was asked for."""
    return _to_launch(asked) if isinstance(asked, ProgramRequest) else _to_attach(asked)


def _to_launch(asked: ProgramRequest) -> LaunchPlan:
    target = asked.module or os.path.normpath(Path(asked.cwd, asked.program))
    adapter, options = asked.adapter or DEFAULT_ADAPTER, dict[str, Any]()
    if not asked.module:
        adapter, options = choose_adapter(Path(target), asked.adapter)
    return LaunchPlan(
        kind=TargetKind.MODULE if asked.module else TargetKind.SCRIPT,
        target=target,
        args=asked.args,
        cwd=asked.cwd,
        env=asked.env,
        python=asked.python,
        python_args=asked.python_args,
        stop_on_entry=asked.stop_on_entry,
        console=Console.TERMINAL if asked.has_terminal else Console.INTERNAL,
        adapter=adapter,
        options=options | asked.options,
        source=asked.source,
    )


def _to_attach(asked: ProcessRequest) -> AttachPlan:
    adapter = asked.adapter
    if not adapter:
        adapter = DEFAULT_ADAPTER if asked.pid is None else adapter_of_process(asked.pid)
    plan = AttachPlan(
        host=asked.host,
        port=asked.port,
        pid=asked.pid,
        core=asked.core,
        program=asked.program,
        cwd=asked.cwd,
        python=asked.python,
        wait=asked.wait,
        adapter=adapter,
    )
    if asked.connect_timeout is None:
        return plan
    return msgspec.structs.replace(plan, connect_timeout=asked.connect_timeout)
