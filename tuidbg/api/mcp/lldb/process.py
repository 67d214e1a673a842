"""Tools of the set ``lldb`` that start the program, attach to it, signal it, write it down."""

from __future__ import annotations

import os
from typing import Annotated

import msgspec
from msgspec import Meta

from tuidbg.adapters.errors import AdapterError
from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.lldb.dialect import (
    Code,
    Refused,
    SessionArguments,
    check_target,
    member_of,
    need_process,
    need_stop,
    tool,
)
from tuidbg.api.mcp.lldb.rendering import tell_process
from tuidbg.api.mcp.lldb.sessions import ADAPTER, absolute_path
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.operations import table
from tuidbg.config.launch import LaunchPlan
from tuidbg.process.listing import find_pids
from tuidbg.session.connect.plans import ProcessRequest, make_plan
from tuidbg.session.control import STOP_TIMEOUT
from tuidbg.session.errors import AdapterTimedOut
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Status

_STOP_AT_ENTRY = "stopAtEntry"

_FORBIDDEN = "0"
"""Holds what an environment variable says to forbid launching or attaching."""


class LaunchArguments(SessionArguments):
    """The arguments of ``lldb_launch``."""

    args: list[str] = []
    env: dict[str, str] = {}
    cwd: str = ""
    flags: Annotated[dict[str, bool], Meta(description="stopAtEntry: true unless given")] = {}


@tool(
    "lldb_launch",
    "Start the target; it stops in main (flags.stopAtEntry).",
    table.LAUNCH,
    check=check_target,
)
async def launch(agent: Agent, asked: LaunchArguments) -> Payload:
    """Start the target; it stands at the beginning of ``main`` then."""
    member = member_of(agent, asked)
    _refuse_forbidden("LLDB_MCP_ALLOW_LAUNCH", Code.LAUNCH_FORBIDDEN, "Launch")
    plan = member.session.plan
    if not isinstance(plan, LaunchPlan) or not plan.target:
        raise Refused(Code.TARGET, "No target to launch", "lldb_createTarget names one")
    if unknown := asked.flags.keys() - {_STOP_AT_ENTRY}:
        raise Refused(Code.PARAMETERS, f"unknown flags: {', '.join(sorted(unknown))}")
    cwd = str(absolute_path(agent, asked.cwd)) if asked.cwd else plan.cwd
    plan = msgspec.structs.replace(
        plan,
        args=tuple(asked.args),
        env={**plan.env, **asked.env},
        cwd=cwd,
        stop_on_entry=asked.flags.get(_STOP_AT_ENTRY, True),
    )
    if member.session.status in (Status.TERMINATED, Status.FAILED):
        member.session.set_plan(plan)
        await _restart(member)
    else:
        await table.LAUNCH(agent.hub, member, plan, origin=ORIGIN)
    return {"process": tell_process(member)}


def _refuse_forbidden(variable: str, code: Code, what: str) -> None:
    """Whoever started the server may forbid it. Raises Refused (7001, 7002)."""
    if os.environ.get(variable, "") == _FORBIDDEN:
        raise Refused(code, f"{what} not allowed: {variable}=0 is set for this server")


class AttachArguments(SessionArguments):
    """The arguments of ``lldb_attach``."""

    pid: int | None = None
    name: Annotated[str, Meta(description="instead: of the executable")] = ""


@tool(
    "lldb_attach",
    "Attach a new session to a running process, and stop it.",
    table.ATTACH,
    otherwise=Code.ATTACH,
)
async def attach(agent: Agent, asked: AttachArguments) -> Payload:
    """Attach to a process of this machine, and stop it."""
    member = member_of(agent, asked)
    _refuse_forbidden("LLDB_MCP_ALLOW_ATTACH", Code.ATTACH_FORBIDDEN, "Attach")
    if (asked.pid is None) == (not asked.name):
        raise Refused(Code.PARAMETERS, "Must provide either pid or name")
    pid = asked.pid if asked.pid is not None else _find_pid(asked.name)
    process = ProcessRequest(
        pid=pid,
        cwd=member.config.project_root,
        python=member.config.python_path,
        adapter=ADAPTER,
    )
    await table.ATTACH(agent.hub, member, make_plan(process))
    if member.session.status is Status.RUNNING:
        try:
            await member.control.pause(origin=ORIGIN)
        except AdapterTimedOut:
            pass  # the answer says that it runs
    return {"process": {**tell_process(member), "pid": pid, "name": asked.name or _name_of(pid)}}


def _find_pid(name: str) -> int:
    found = find_pids(name)
    if len(found) == 1:
        return found[0]
    if not found:
        raise Refused(Code.ATTACH, f"Attach failed: no process is called {name}")
    pids = ", ".join(map(str, found[:10]))
    raise Refused(
        Code.ATTACH, f"Attach failed: several processes are called {name}", f"pid: {pids}"
    )


def _name_of(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/exe").rpartition("/")[2]  # noqa: PTH115
    except OSError:
        return ""


@tool(
    "lldb_restart", "Start the program afresh; breakpoints stay.", table.RESTART, check=check_target
)
async def restart(agent: Agent, asked: SessionArguments) -> Payload:
    """Start it afresh as it was started; breakpoints stay."""
    member = member_of(agent, asked)
    _refuse_forbidden("LLDB_MCP_ALLOW_LAUNCH", Code.LAUNCH_FORBIDDEN, "Launch")
    if member.session.status is Status.CREATED:
        raise Refused(Code.PROCESS, "Nothing was launched yet", "lldb_launch starts it")
    await _restart(member)
    return {"process": tell_process(member)}


async def _restart(member: Member) -> None:
    await table.RESTART(member.session.lifecycle)
    await member.learn_pid()
    if member.session.plan.stop_on_entry:
        try:
            await member.control.wait_for_stop(timeout=STOP_TIMEOUT)
        except AdapterTimedOut:
            pass  # it runs, and stops when it comes to its first line


class SignalArguments(SessionArguments):
    """The arguments of ``lldb_signal``."""

    sig: Annotated[int | str, Meta(description="number, or name as SIGTERM")]


@tool("lldb_signal", "Send the process a signal.", table.SEND_SIGNAL, destroys=True)
async def signal_process(agent: Agent, asked: SignalArguments) -> Payload:
    """Send the process a signal; a stopped one gets it when it runs on."""
    member = member_of(agent, asked)
    need_process(member)
    found = table.SEND_SIGNAL(member.session, asked.sig)
    return {"ok": True, "signal": int(found), "name": found.name}


class DumpArguments(SessionArguments):
    """The arguments of ``lldb_createCoredump``."""

    path: str


@tool(
    "lldb_createCoredump",
    "Write a core file of the stopped program.",
    table.SAVE_CORE,
    otherwise=Code.CORE_DUMP,
)
async def create_core_dump(agent: Agent, asked: DumpArguments) -> Payload:
    """Write the memory of the stopped program to a file that is not there yet."""
    member = member_of(agent, asked)
    need_stop(member)
    path = absolute_path(agent, asked.path)
    if path.exists():
        raise Refused(Code.CORE_DUMP, f"Failed to create core dump: {path} is there already")
    native = member.session.profile.native
    if native is None:
        raise Refused(Code.CORE_DUMP, f"{member.session.profile.name} writes no core files")
    try:
        await native.save_core(member.session.adapter.request, path)
        size = path.stat().st_size
    except (AdapterError, OSError) as error:
        raise Refused(Code.CORE_DUMP, f"Failed to create core dump: {error}") from error
    return {"path": str(path), "size": size}


TOOLS = (
    launch,
    attach,
    restart,
    signal_process,
    create_core_dump,
)
