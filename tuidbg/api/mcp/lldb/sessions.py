"""Tools of the set ``lldb`` about sessions: begin, end, what they debug."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from tuidbg.adapters.discovery.binaries import Binary, read_binary
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.lldb.binary import binary_problem
from tuidbg.adapters.table import find_profile
from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.lldb.dialect import Code, Refused, SessionArguments, member_of, tool
from tuidbg.api.mcp.lldb.rendering import tell_state
from tuidbg.api.mcp.tool import NoArguments, Payload
from tuidbg.api.operations import table
from tuidbg.config.launch import LaunchPlan
from tuidbg.session.connect.plans import ProcessRequest, ProgramRequest, make_plan
from tuidbg.session.control import STOP_TIMEOUT
from tuidbg.session.errors import DebuggerError
from tuidbg.session.serving.members import Member, SessionConfig

ADAPTER = "lldb-dap"
"""Names the adapter that debugs the programs of this set."""


@tool(
    "lldb_initialize",
    "New debug session for native programs (C, C++, Rust). Then lldb_createTarget,"
    " lldb_setBreakpoint, lldb_launch, lldb_continue, lldb_pollEvents.",
    table.CREATE_SESSION,
    otherwise=Code.FORBIDDEN,
)
async def initialize(agent: Agent, asked: NoArguments) -> Payload:
    """A new session without a program."""
    try:
        find_profile(ADAPTER).start.command()
    except AdapterNotStarted as error:
        raise Refused(Code.NO_LLDB, str(error)) from None
    config = SessionConfig(
        project_root=str(Path(agent.cwd or ".").absolute()),
        python_path=agent.python or sys.executable,
        stop_on_entry=True,
    )
    member = table.CREATE_SESSION(agent.hub, config, origin=ORIGIN)
    agent.choose(member.id)
    return {"sessionId": member.id}


@tool(
    "lldb_terminate",
    "End a session and its program; an attached program runs on.",
    table.END_SESSION,
    destroys=True,
)
async def terminate(agent: Agent, asked: SessionArguments) -> Payload:
    """End it and its program. One of a person's stays, without its program."""
    member = member_of(agent, asked)
    await table.END_SESSION(agent.hub, member, origin=ORIGIN)
    if member.origin == ORIGIN:
        agent.leave(member)
    return {"ok": True}


@tool(
    "lldb_listSessions",
    "All sessions, those of people and other programs too.",
    table.LIST_SESSIONS,
)
async def list_sessions(agent: Agent, asked: NoArguments) -> Payload:
    """All of this process, those of people and of other programs, too."""
    details = [
        {
            "sessionId": member.id,
            "state": tell_state(member),
            "program": member.session.plan.title,
            "origin": member.origin,
        }
        for member in table.LIST_SESSIONS(agent.hub)
    ]
    return {"sessions": [each["sessionId"] for each in details], "details": details}


class TargetArguments(SessionArguments):
    """The arguments of ``lldb_createTarget``."""

    file: Annotated[str, Meta(description="executable")]
    arch: str = ""
    triple: str = ""
    platform: str = ""


@tool(
    "lldb_createTarget",
    "Name the executable of a new session.",
    table.CHOOSE_PROGRAM,
    otherwise=Code.TARGET,
)
async def create_target(agent: Agent, asked: TargetArguments) -> Payload:
    """Say which program the session debugs; it is started by lldb_launch."""
    member = member_of(agent, asked)
    path = absolute_path(agent, asked.file)
    found = _need_executable(path)
    options: dict[str, Any] = {}
    if asked.triple or asked.arch:
        options["targetTriple"] = asked.triple or asked.arch
    if asked.platform:
        options["platformName"] = asked.platform
    plan = make_plan(
        ProgramRequest(
            program=str(path),
            cwd=member.config.project_root,
            python=member.config.python_path,
            adapter=ADAPTER,
            options=options,
            source="",
        )
    )
    _hub_target(agent, member, plan)
    arch, triple = asked.arch or found.arch, asked.triple or found.triple
    return {"target": {"file": str(path), "arch": arch, "triple": triple}}


def _need_executable(path: Path) -> Binary:
    """Look at a native program. Raises Refused (2001)."""
    found = read_binary(path)
    if problem := binary_problem(path):
        raise Refused(Code.TARGET, f"Failed to create target: {problem}")
    if found is None:
        raise Refused(Code.TARGET, f"Failed to create target: {path} is no native executable")
    return found


def _hub_target(agent: Agent, member: Member, plan: LaunchPlan) -> None:
    try:
        table.CHOOSE_PROGRAM(agent.hub, member, plan, origin=ORIGIN)
    except AdapterNotStarted as error:
        raise Refused(Code.NO_LLDB, str(error)) from None
    except DebuggerError as error:
        raise Refused(
            Code.TARGET, f"Failed to create target: {error}", "lldb_initialize makes a new session"
        ) from error


def absolute_path(agent: Agent, name: str) -> Path:
    """A path as a client wrote it; relative ones begin where its server does."""
    path = os.path.expanduser(name)  # noqa: PTH111, as what follows
    return Path(os.path.normpath(os.path.join(agent.cwd or os.getcwd(), path)))  # noqa: PTH109, PTH118


class CoreArguments(SessionArguments):
    """The arguments of ``lldb_loadCore``."""

    core_path: str
    executable: str


@tool("lldb_loadCore", "Open a core file in a new session.", table.ATTACH, otherwise=Code.CORE)
async def load_core(agent: Agent, asked: CoreArguments) -> Payload:
    """Look at a program as it was when the core file was written."""
    member = member_of(agent, asked)
    core, executable = absolute_path(agent, asked.core_path), absolute_path(agent, asked.executable)
    _need_executable(executable)
    if not core.is_file():
        raise Refused(Code.CORE, f"Failed to load core dump: there is no file {core}")
    asked_for = ProcessRequest(
        core=str(core),
        program=str(executable),
        cwd=member.config.project_root,
        python=member.config.python_path,
        adapter=ADAPTER,
    )
    await table.ATTACH(agent.hub, member, make_plan(asked_for))
    await member.control.wait_for_stop(timeout=STOP_TIMEOUT)
    return {
        "target": {"file": str(executable), "core": str(core)},
        "process": {"state": tell_state(member)},
    }


TOOLS = (
    initialize,
    terminate,
    list_sessions,
    create_target,
    load_core,
)
