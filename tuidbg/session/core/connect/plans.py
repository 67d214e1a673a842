"""Plans from requests: of a user at the command line or in a form, or of an API client.

Configurations of launch.json are read below the core (``config/launch_json``).
"""

from __future__ import annotations

import os.path
from pathlib import Path
from typing import Any, overload

import msgspec

from tuidbg.adapters.table import NATIVE_ADAPTER, adapter_of_process, choose_adapter
from tuidbg.config.launch import (
    CONNECT_TIMEOUT,
    DEFAULT_ADAPTER,
    AttachPlan,
    Console,
    HostsPlan,
    LaunchPlan,
    TargetKind,
)


class ProgramRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A program to be started: ``program``, a path relative to ``cwd``, or ``module``.

    ``adapter`` is the name of a required one, else it is chosen by the program. ``options`` are for
    the adapter, beside those that it needs for such a program. All else is as in ``LaunchPlan``.
    """

    program: str = ""
    module: str | None = None
    args: tuple[str, ...] = ()
    cwd: str
    env: dict[str, str] = {}
    python: str
    python_args: tuple[str, ...] = ()
    python_from: str = ""
    is_command: bool = False
    adapter: str = ""
    options: dict[str, Any] = {}
    stop_on_entry: bool = True
    just_my_code: bool = True
    console: Console = Console.TERMINAL
    tty: str = ""
    sub_process: bool = True
    django: bool = False
    jinja: bool = False
    redirect_output: bool | None = None
    source: str | None = None
    record: bool = False
    record_to: str = ""


class ProcessRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A running program, by its process or port; or a core file.

    ``adapter`` is the name of a required one, else it is chosen by the process. All else is as in
    ``AttachPlan``.
    """

    pid: int | None = None
    host: str = "localhost"
    port: int | None = None
    ssh: str = ""
    listen: bool = False
    token: str = ""
    hosts: HostsPlan | None = None
    core: str = ""
    program: str = ""
    recording: str = ""
    cwd: str
    python: str
    adapter: str = ""
    options: dict[str, Any] = {}
    just_my_code: bool = True
    sub_process: bool = True
    path_mappings: dict[str, str] = {}
    redirect_output: bool = True
    connect_timeout: float = CONNECT_TIMEOUT
    wait: float | None = None
    reconnect: bool = False
    called_by: int = 0
    name: str = ""


@overload
def make_plan(asked: ProgramRequest) -> LaunchPlan: ...


@overload
def make_plan(asked: ProcessRequest) -> AttachPlan: ...


def make_plan(asked: ProgramRequest | ProcessRequest) -> LaunchPlan | AttachPlan:
    """Make the plan of a request."""
    return _to_launch(asked) if isinstance(asked, ProgramRequest) else _to_attach(asked)


def _to_launch(asked: ProgramRequest) -> LaunchPlan:
    if asked.module is not None:
        kind, target = TargetKind.MODULE, asked.module
        adapter, options = asked.adapter or DEFAULT_ADAPTER, dict[str, Any]()
    else:
        kind, target = TargetKind.SCRIPT, os.path.normpath(Path(asked.cwd, asked.program))
        adapter, options = choose_adapter(Path(target), asked.adapter)
    return LaunchPlan(
        kind=kind,
        target=target,
        args=asked.args,
        cwd=asked.cwd,
        env=asked.env,
        python=asked.python,
        python_args=asked.python_args,
        python_from=asked.python_from,
        is_command=asked.is_command,
        stop_on_entry=asked.stop_on_entry,
        just_my_code=asked.just_my_code,
        console=asked.console,
        tty=asked.tty,
        sub_process=asked.sub_process,
        django=asked.django,
        jinja=asked.jinja,
        redirect_output=asked.redirect_output,
        adapter=adapter,
        options=options | asked.options,
        source=asked.source,
        record=asked.record,
        record_to=asked.record_to,
    )


def _to_attach(asked: ProcessRequest) -> AttachPlan:
    return AttachPlan(
        host=asked.host,
        port=asked.port,
        pid=asked.pid,
        ssh=asked.ssh,
        listen=asked.listen,
        token=asked.token,
        hosts=asked.hosts,
        core=asked.core,
        program=asked.program,
        recording=asked.recording,
        cwd=asked.cwd,
        python=asked.python,
        just_my_code=asked.just_my_code,
        sub_process=asked.sub_process,
        path_mappings=asked.path_mappings,
        redirect_output=asked.redirect_output,
        connect_timeout=asked.connect_timeout,
        wait=asked.wait,
        reconnect=asked.reconnect,
        called_by=asked.called_by,
        name=asked.name,
        adapter=asked.adapter or _adapter_for(asked),
        options=asked.options,
    )


def _adapter_for(asked: ProcessRequest) -> str:
    if asked.core:
        return NATIVE_ADAPTER
    return DEFAULT_ADAPTER if asked.pid is None else adapter_of_process(asked.pid)
