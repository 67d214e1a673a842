"""LLDB tools for sessions, processes, execution and events."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from tuidbg.adapters.discovery.binaries import Binary, read_binary
from tuidbg.adapters.errors import AdapterError, AdapterNotStarted
from tuidbg.adapters.lldb.binary import binary_problem
from tuidbg.adapters.table import find_profile
from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.lldb.dialect import (
    ErrorCode,
    LldbToolError,
    SessionArguments,
    check_target,
    member_of,
    need_process,
    need_stop,
    reader_of,
    tool,
)
from tuidbg.api.mcp.lldb.frames import TimeoutMs, selected
from tuidbg.api.mcp.lldb.rendering import tell_outcome, tell_process, tell_state
from tuidbg.api.mcp.tool import NoToolArguments, Payload, Tool
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_call, view_failure, view_output
from tuidbg.config.launch import LaunchPlan
from tuidbg.process.listing import find_pids
from tuidbg.session.core.connect.plans import ProcessRequest, ProgramRequest, make_plan
from tuidbg.session.core.control import STOP_TIMEOUT
from tuidbg.session.core.execution import Resume
from tuidbg.session.hub.members import HubSession, SessionConfig
from tuidbg.session.model.errors import AdapterTimedOut, DebuggerError
from tuidbg.session.model.state import Status

ADAPTER = "lldb-dap"
"""The adapter of this tool set."""


@tool(
    "lldb_initialize",
    "New debug session for native programs (C, C++, Rust). Then lldb_createTarget,"
    " lldb_setBreakpoint, lldb_launch, lldb_continue, lldb_pollEvents.",
    table.CREATE_SESSION,
    otherwise=ErrorCode.FORBIDDEN,
)
async def initialize(agent: Agent, asked: NoToolArguments) -> Payload:
    """Create a session without a program."""
    try:
        find_profile(ADAPTER).start.command()
    except AdapterNotStarted as error:
        raise LldbToolError(ErrorCode.NO_LLDB, str(error)) from None
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
    """End a session and its program. A user's session stays, without its program."""
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
async def list_sessions(agent: Agent, asked: NoToolArguments) -> Payload:
    """List all sessions of this process, also those of users and other programs."""
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
    otherwise=ErrorCode.TARGET,
)
async def create_target(agent: Agent, asked: TargetArguments) -> Payload:
    """Set the session's program; lldb_launch starts it."""
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
    """Read a native program. Raises Refused (2001)."""
    found = read_binary(path)
    if problem := binary_problem(path):
        raise LldbToolError(ErrorCode.TARGET, f"Failed to create target: {problem}")
    if found is None:
        raise LldbToolError(
            ErrorCode.TARGET, f"Failed to create target: {path} is no native executable"
        )
    return found


def _hub_target(agent: Agent, member: HubSession, plan: LaunchPlan) -> None:
    try:
        table.CHOOSE_PROGRAM(agent.hub, member, plan, origin=ORIGIN)
    except AdapterNotStarted as error:
        raise LldbToolError(ErrorCode.NO_LLDB, str(error)) from None
    except DebuggerError as error:
        raise LldbToolError(
            ErrorCode.TARGET,
            f"Failed to create target: {error}",
            "lldb_initialize makes a new session",
        ) from error


def absolute_path(agent: Agent, name: str) -> Path:
    """Resolve a client's path relative to the server's directory."""
    path = os.path.expanduser(name)  # noqa: PTH111, as what follows
    return Path(os.path.normpath(os.path.join(agent.cwd or os.getcwd(), path)))  # noqa: PTH109, PTH118


class CoreArguments(SessionArguments):
    """The arguments of ``lldb_loadCore``."""

    core_path: str
    executable: str


@tool("lldb_loadCore", "Open a core file in a new session.", table.ATTACH, otherwise=ErrorCode.CORE)
async def load_core(agent: Agent, asked: CoreArguments) -> Payload:
    """Open a core file."""
    member = member_of(agent, asked)
    core, executable = absolute_path(agent, asked.core_path), absolute_path(agent, asked.executable)
    _need_executable(executable)
    if not core.is_file():
        raise LldbToolError(ErrorCode.CORE, f"Failed to load core dump: there is no file {core}")
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


SESSION_TOOLS = (
    initialize,
    terminate,
    list_sessions,
    create_target,
    load_core,
)


_STOP_AT_ENTRY = "stopAtEntry"

_FORBIDDEN = "0"
"""Value of the environment variables that forbids launching or attaching."""


class LldbLaunchArguments(SessionArguments):
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
async def launch(agent: Agent, asked: LldbLaunchArguments) -> Payload:
    """Launch the target; it stops at the beginning of ``main``."""
    member = member_of(agent, asked)
    _refuse_forbidden("LLDB_MCP_ALLOW_LAUNCH", ErrorCode.LAUNCH_FORBIDDEN, "Launch")
    plan = member.session.plan
    if not isinstance(plan, LaunchPlan) or not plan.target:
        raise LldbToolError(ErrorCode.TARGET, "No target to launch", "lldb_createTarget names one")
    if unknown := asked.flags.keys() - {_STOP_AT_ENTRY}:
        raise LldbToolError(ErrorCode.PARAMETERS, f"unknown flags: {', '.join(sorted(unknown))}")
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


def _refuse_forbidden(variable: str, code: ErrorCode, what: str) -> None:
    """Check whether the server's environment forbids it. Raises Refused (7001, 7002)."""
    if os.environ.get(variable, "") == _FORBIDDEN:
        raise LldbToolError(code, f"{what} not allowed: {variable}=0 is set for this server")


class LldbAttachArguments(SessionArguments):
    """The arguments of ``lldb_attach``."""

    pid: int | None = None
    name: Annotated[str, Meta(description="instead: of the executable")] = ""


@tool(
    "lldb_attach",
    "Attach a new session to a running process, and stop it.",
    table.ATTACH,
    otherwise=ErrorCode.ATTACH,
)
async def attach(agent: Agent, asked: LldbAttachArguments) -> Payload:
    """Attach to a local process and pause it."""
    member = member_of(agent, asked)
    _refuse_forbidden("LLDB_MCP_ALLOW_ATTACH", ErrorCode.ATTACH_FORBIDDEN, "Attach")
    if (asked.pid is None) == (not asked.name):
        raise LldbToolError(ErrorCode.PARAMETERS, "Must provide either pid or name")
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
            pass  # the answer reports it as running
    return {"process": {**tell_process(member), "pid": pid, "name": asked.name or _name_of(pid)}}


def _find_pid(name: str) -> int:
    found = find_pids(name)
    if len(found) == 1:
        return found[0]
    if not found:
        raise LldbToolError(ErrorCode.ATTACH, f"Attach failed: no process is called {name}")
    pids = ", ".join(map(str, found[:10]))
    raise LldbToolError(
        ErrorCode.ATTACH, f"Attach failed: several processes are called {name}", f"pid: {pids}"
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
    """Restart the program with the same settings; breakpoints are kept."""
    member = member_of(agent, asked)
    _refuse_forbidden("LLDB_MCP_ALLOW_LAUNCH", ErrorCode.LAUNCH_FORBIDDEN, "Launch")
    if member.session.status is Status.CREATED:
        raise LldbToolError(ErrorCode.PROCESS, "Nothing was launched yet", "lldb_launch starts it")
    await _restart(member)
    return {"process": tell_process(member)}


async def _restart(member: HubSession) -> None:
    await table.RESTART(member.session.lifecycle)
    await member.learn_pid()
    if member.session.plan.stop_on_entry:
        try:
            await member.control.wait_for_stop(timeout=STOP_TIMEOUT)
        except AdapterTimedOut:
            pass  # it runs, and stops at its first line


class SignalArguments(SessionArguments):
    """The arguments of ``lldb_signal``."""

    sig: Annotated[int | str, Meta(description="number, or name as SIGTERM")]


@tool("lldb_signal", "Send the process a signal.", table.SEND_SIGNAL, destroys=True)
async def signal_process(agent: Agent, asked: SignalArguments) -> Payload:
    """Send a signal; a stopped process receives it when it resumes."""
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
    otherwise=ErrorCode.CORE_DUMP,
)
async def create_core_dump(agent: Agent, asked: DumpArguments) -> Payload:
    """Write the stopped program's memory to a new file."""
    member = member_of(agent, asked)
    need_stop(member)
    path = absolute_path(agent, asked.path)
    if path.exists():
        raise LldbToolError(
            ErrorCode.CORE_DUMP, f"Failed to create core dump: {path} is there already"
        )
    native = member.session.profile.native
    if native is None:
        raise LldbToolError(
            ErrorCode.CORE_DUMP, f"{member.session.profile.name} writes no core files"
        )
    try:
        await native.save_core(member.session.adapter.request, path)
        size = path.stat().st_size
    except (AdapterError, OSError) as error:
        raise LldbToolError(ErrorCode.CORE_DUMP, f"Failed to create core dump: {error}") from error
    return {"path": str(path), "size": size}


TOOLS = (
    launch,
    attach,
    restart,
    signal_process,
    create_core_dump,
)


@tool(
    "lldb_continue",
    "Let the program run; returns at once. lldb_pollEvents reports the stop.",
    table.CONTINUE,
)
async def go_on(agent: Agent, asked: SessionArguments) -> Payload:
    member = member_of(agent, asked)
    need_stop(member)
    agent.begin(member.session)
    await table.CONTINUE(member.control, thread_id=selected(agent, member).thread_id, origin=ORIGIN)
    return {"process": {"state": "running"}}


class LldbPauseArguments(SessionArguments):
    """The arguments of ``lldb_pause``."""

    timeout_ms: TimeoutMs = 10_000


@tool("lldb_pause", "Stop the running program; returns its position.", table.PAUSE)
async def pause(agent: Agent, asked: LldbPauseArguments) -> Payload:
    """Pause the program, if it is running."""
    member = member_of(agent, asked)
    need_process(member)
    if member.session.status is not Status.PAUSED:
        await table.PAUSE(member.control, timeout=asked.timeout_ms / 1000, origin=ORIGIN)
    outcome = await member.control.where()
    return {
        "process": tell_process(member),
        **tell_outcome(member, outcome, agent.limits.value),
    }


class LldbStepArguments(SessionArguments):
    """The arguments of steps."""

    timeout_ms: TimeoutMs = 30_000


def _step(name: str, description: str, how: Resume) -> Tool:
    @tool(name, description, table.STEP)
    async def step(agent: Agent, asked: LldbStepArguments) -> Payload:
        """Step the selected thread and report the next stop."""
        member = member_of(agent, asked)
        need_stop(member)
        agent.begin(member.session)
        outcome = await table.STEP(
            member,
            how,
            thread_id=selected(agent, member).thread_id,
            timeout=asked.timeout_ms / 1000,
            origin=ORIGIN,
        )
        return tell_outcome(member, outcome, agent.limits.value)

    return step


EXECUTION_TOOLS = (
    go_on,
    pause,
    _step("lldb_stepIn", "Step into the next call, and tell where that led.", Resume.STEP_IN),
    _step("lldb_stepOver", "Step to the next line.", Resume.STEP_OVER),
    _step("lldb_stepOut", "Run until the function returns.", Resume.STEP_OUT),
)


class PollArguments(SessionArguments):
    """The arguments of ``lldb_pollEvents``."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 32


@tool(
    "lldb_pollEvents",
    "New events, oldest first, each told once; does not wait. breakpointHit, watchpointHit,"
    " signal, stdout, stderr, processStateChanged, processExited and others.",
    table.READ_EVENTS,
)
async def poll_events(agent: Agent, asked: PollArguments) -> Payload:
    """Return the client's oldest unread events, without waiting."""
    member = member_of(agent, asked)
    events, more = await reader_of(agent, member).take(asked.limit)
    told: Payload = {"events": events}
    return {**told, "more": more} if more else told


class CommandArguments(SessionArguments):
    """The arguments of ``lldb_command``."""

    command: str
    max_chars: Annotated[int, Meta(ge=1, le=200_000)] | None = None


@tool(
    "lldb_command",
    "Run a command of LLDB's own.",
    table.RUN_COMMAND,
    destroys=True,
    check=check_target,
)
async def run_command(agent: Agent, asked: CommandArguments) -> Payload:
    """Run a command of LLDB."""
    member = member_of(agent, asked)
    symbols = member.session.profile.symbols
    command = " ".join(asked.command.split("\n")).strip()
    if not command:
        raise LldbToolError(ErrorCode.PARAMETERS, "command is empty")
    if symbols is None:
        raise LldbToolError(
            ErrorCode.NO_LLDB, f"{member.session.profile.name} takes no LLDB commands"
        )
    if command.split()[0] in ("quit", "exit", "q"):
        raise LldbToolError(
            ErrorCode.FORBIDDEN, "quit would end the debugger", "use lldb_terminate"
        )
    try:
        output = await table.RUN_COMMAND(member, symbols, command)
    except AdapterError as error:
        raise LldbToolError(ErrorCode.PROCESS, view_failure(str(error))) from error
    most = asked.max_chars or agent.limits.reply - 500
    told: Payload = {"output": view_output(output[:most])}
    return {**told, "leftOut": len(output) - most} if len(output) > most else told


class TranscriptArguments(SessionArguments):
    """The arguments of ``lldb_getTranscript``."""

    max_chars: Annotated[int, Meta(ge=100, le=200_000)] | None = None


@tool(
    "lldb_getTranscript",
    "What was asked of this session and answered, the newest maxChars of it.",
    table.READ_CALLS,
)
async def get_transcript(agent: Agent, asked: TranscriptArguments) -> Payload:
    """Return the newest API calls of this session, with a line of each answer."""
    member = member_of(agent, asked)
    most = asked.max_chars or agent.limits.reply - 500
    lines: list[str] = []
    length = left_out = 0
    for call in reversed(list(table.READ_CALLS(agent.hub.activity))):
        if call.session_id != member.id or call.seconds is None:
            continue
        moment = datetime.fromtimestamp(call.time, UTC).isoformat(" ", "seconds").split("+")[0]
        seen = view_call(call)
        text = f"[{moment}] {seen.actor}> {seen.action} {seen.arguments}\n"
        if seen.result:
            text += f"[{moment}] {'error: ' if seen.failed else ''}{seen.result.rstrip()}\n"
        if length + len(text) > most or left_out:
            left_out += 1
        else:
            lines.append(text)
            length += len(text)
    told: Payload = {"transcript": "".join(reversed(lines))}
    return {**told, "earlierCalls": left_out} if left_out else told


EVENT_TOOLS = (
    poll_events,
    run_command,
    get_transcript,
)
