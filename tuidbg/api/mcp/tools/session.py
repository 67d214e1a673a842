"""Tools that start, stop and run a program."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.tool import NoToolArguments, Payload, ToolArguments, ToolRefused, tool
from tuidbg.api.mcp.tools.snapshot import (
    OF_PROGRAM,
    describe_record,
    read_new_output,
    take_snapshot,
    tell_state,
)
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_output
from tuidbg.config.launch import Console
from tuidbg.session.core.connect.plans import ProcessRequest, ProgramRequest, make_plan
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session
from tuidbg.session.hub.members import HubSession, SessionConfig
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Status

_OVER = (Status.CREATED, Status.TERMINATED, Status.FAILED)

TimeoutMs = Annotated[int, Meta(ge=1, le=300_000)]
ThreadId = Annotated[int | None, Meta(description="default: the stopped one")]


class DebugLaunchArguments(ToolArguments):
    """The arguments of ``debug_launch``."""

    program: Annotated[str, Meta(description="script or binary")] = ""
    module: Annotated[str, Meta(description="instead: as python -m")] = ""
    args: list[str] = []
    cwd: str = ""
    env: dict[str, str] = {}
    python: Annotated[str, Meta(description="interpreter")] = ""
    adapter: Annotated[str, Meta(description="default: by the program's language")] = ""
    stop_at_entry: bool = False
    separate_streams: Annotated[
        bool, Meta(description="tell stdout from stderr; the program then has no stdin")
    ] = False


def find_folder(agent: Agent, asked: str) -> str:
    """Return the working directory. Raises ToolRefused (INVALID_PATH)."""
    cwd = os.path.abspath(os.path.expanduser(asked or agent.cwd or "."))  # noqa: PTH111
    if not Path(cwd).is_dir():
        raise ToolRefused("INVALID_PATH", f"there is no directory {cwd}")
    return cwd


def program_request(
    agent: Agent,
    cwd: str,
    *,
    program: str = "",
    module: str = "",
    args: Iterable[str] = (),
    env: Mapping[str, str] | None = None,
    python: str = "",
    record: bool = False,
) -> ProgramRequest:
    """Make the request for a program that runs to its first stop. Raises ToolRefused."""
    if bool(program) == bool(module):
        raise ToolRefused("INVALID_PARAMETER", "give either program or module")
    return ProgramRequest(
        program=program,
        module=module or None,
        args=tuple(args),
        cwd=cwd,
        env=dict(env or {}),
        python=python or agent.python or sys.executable,
        stop_on_entry=False,
        record=record,
    )


@tool(
    table.LAUNCH,
    "Start a Python program under the debugger. Set breakpoints before it runs on"
    " by stop_at_entry.",
)
async def debug_launch(agent: Agent, asked: DebugLaunchArguments) -> Payload:
    """Start a program in a new session, or in the present one without a program."""
    if bool(asked.program) == bool(asked.module):
        raise ToolRefused("INVALID_PARAMETER", "give either program or module")
    cwd = find_folder(agent, asked.cwd)
    plan = make_plan(
        ProgramRequest(
            program=asked.program,
            module=asked.module or None,
            args=tuple(asked.args),
            cwd=cwd,
            env=asked.env,
            python=asked.python or agent.python or sys.executable,
            adapter=asked.adapter,
            stop_on_entry=asked.stop_at_entry,
            console=Console.INTERNAL if asked.separate_streams else Console.TERMINAL,
        )
    )
    member = await make_member(agent, plan.cwd, plan.python)
    agent.begin(member.session)
    await table.LAUNCH(agent.hub, member, plan, origin=ORIGIN)
    agent.note_started(member)
    return {**await take_snapshot(agent, member), "pid": member.pid}


async def make_member(agent: Agent, cwd: str, python: str) -> HubSession:
    """Return a session without a program: the present one, otherwise a new one.

    Raises ToolRefused (SESSION_ACTIVE) if the agent's session has a running program.
    """
    found = agent.found
    if found is not None:
        found = agent.hub.root_of(found)
    if found is not None and found.session.status is Status.CREATED:
        return agent.choose(found.id)
    if found is not None and found.session.status not in _OVER:
        raise ToolRefused(
            "SESSION_ACTIVE",
            f"{found.session.plan.title} is being debugged already ({found.id})",
            "work on it, or debug_disconnect first",
        )
    if found is not None and found.origin == ORIGIN and agent.has_started(found):
        await agent.hub.delete(found.id, origin=ORIGIN)
    config = SessionConfig(project_root=cwd, python_path=python)
    member = table.CREATE_SESSION(agent.hub, config, origin=ORIGIN)
    return agent.choose(member.id)


class DebugAttachArguments(ToolArguments):
    """The arguments of ``debug_attach``."""

    pid: int | None = None
    host: str = "localhost"
    port: Annotated[int, Meta(ge=1, le=65535)] | None = None


@tool(table.ATTACH, "Attach to a running Python program: its debugpy port, or its pid.")
async def debug_attach(agent: Agent, asked: DebugAttachArguments) -> Payload:
    if (asked.pid is None) == (asked.port is None):
        raise ToolRefused("INVALID_PARAMETER", "give either pid or port")
    cwd, python = os.path.abspath(agent.cwd or "."), agent.python or sys.executable
    process = ProcessRequest(
        host=asked.host, port=asked.port, pid=asked.pid, cwd=cwd, python=python
    )
    plan = make_plan(process)
    member = await make_member(agent, cwd, python)
    agent.begin(member.session)
    try:
        await table.ATTACH(agent.hub, member, plan)
    except DebuggerError:
        await agent.hub.delete(member.id, origin=ORIGIN)
        raise
    agent.note_started(member)
    return {**await take_snapshot(agent, member), "pid": member.pid}


class DebugDisconnectArguments(ToolArguments):
    """The arguments of ``debug_disconnect``."""

    terminate: Annotated[
        bool, Meta(description="end an attached program, or another agent's, too")
    ] = False


@tool(
    table.END_SESSION,
    "End the program you launched; one you attached to runs on. A session that"
    " others have begun stays as it is: you only leave it.",
)
async def debug_disconnect(agent: Agent, asked: DebugDisconnectArguments) -> Payload:
    """End this agent's program, detach from an attached one, otherwise only leave the session."""
    member = agent.member
    root = agent.hub.root_of(member)
    is_to_end = agent.has_started(root) or (asked.terminate and root.origin == ORIGIN)
    if not is_to_end:
        if asked.terminate:
            raise ToolRefused(
                "NOT_YOURS",
                "this program was not started by you: its owner ends it",
                "leave terminate out: you leave the session, and it goes on",
            )
        agent.leave(member)
        told = "left: the session stays as it is; debug_state with its session_id comes back"
        return {"success": True, "session_id": member.id, "message": told}
    # In a user's session that had no program, only the program is ended.
    await table.END_SESSION(agent.hub, root, ends_attached=asked.terminate, origin=ORIGIN)
    agent.leave(root)
    return {"success": True, "session_id": root.id}


class StateArguments(ToolArguments):
    """The arguments of ``debug_state``."""

    session_id: Annotated[str, Meta(description="work on that session from now on")] = ""


@tool(
    table.READ_SESSION,
    "Where the program is. Stopped: reason, place, source, stack, locals of the top"
    " frames, new output.",
)
async def debug_state(agent: Agent, asked: StateArguments) -> Payload:
    """Report where the program is, and the other sessions."""
    if asked.session_id:
        agent.choose(asked.session_id)
    member = agent.found
    told: Payload = {"state": "not_attached"}
    if member is not None:
        told = {**await take_snapshot(agent, agent.member), "program": member.session.plan.title}
    others = [
        {"session_id": m.id, "name": m.name, "state": tell_state(m)}
        for m in agent.hub
        if m is not member
    ]
    return {**told, "other_sessions": others} if others else told


class DebugContinueArguments(ToolArguments):
    """The arguments of ``debug_continue``."""

    thread_id: ThreadId = None


@tool(table.CONTINUE, "Let the program run; returns at once. breakpoint_wait waits for the stop.")
async def debug_continue(agent: Agent, asked: DebugContinueArguments) -> Payload:
    member = agent.active
    agent.begin(member.session)
    await table.CONTINUE(member.control, thread_id=asked.thread_id, origin=ORIGIN)
    return {"success": True, "state": "running"}


@tool(table.PAUSE, "Pause the running program; returns its position, as debug_state.")
async def debug_pause(agent: Agent, asked: NoToolArguments) -> Payload:
    member = agent.active
    await table.PAUSE(member.control, origin=ORIGIN)
    return await take_snapshot(agent, member)


class DebugStepArguments(ToolArguments):
    """The arguments of ``debug_step``."""

    action: Literal["over", "into", "out"]
    thread_id: ThreadId = None
    timeout_ms: TimeoutMs = 30_000


_STEPS = {"over": Resume.STEP_OVER, "into": Resume.STEP_IN, "out": Resume.STEP_OUT}


@tool(
    table.STEP,
    "Step and tell where it led, as debug_state. state running: still on its way;"
    " breakpoint_wait waits for breakpoints only.",
)
async def debug_step(agent: Agent, asked: DebugStepArguments) -> Payload:
    """Step, and report the next stop."""
    member = agent.active
    member.control.must_stand("step")
    agent.begin(member.session)
    outcome = await table.STEP(
        member,
        _STEPS[asked.action],
        thread_id=asked.thread_id,
        timeout=asked.timeout_ms / 1000,
        origin=ORIGIN,
    )
    if outcome.status is not Status.RUNNING:
        agent.begin(member.session)  # the answer reports the stop
    return await take_snapshot(agent, member)


# Input and output


class InputArguments(ToolArguments):
    """The arguments of ``process_write_input``."""

    data: Annotated[str, Meta(description="with its \\n")]
    close_after: bool = False


@tool(table.WRITE_INPUT, "Write to the program's stdin.")
async def process_write_input(agent: Agent, asked: InputArguments) -> Payload:
    session = agent.active.session
    write_input(session, asked.data)
    if asked.close_after:
        session.terminal_io.send_end_of_input()
    return {"success": True, "characters": len(asked.data)}


def write_input(session: Session, text: str) -> None:
    """Write to the program's terminal. Raises ToolRefused (STDIN_CLOSED)."""
    if session.terminal is None:
        raise ToolRefused(
            "STDIN_CLOSED",
            "this program's input is not ours",
            "launch it without separate_streams",
        )
    table.WRITE_INPUT(session.terminal_io, text)


class OutputArguments(ToolArguments):
    """The arguments of ``process_read_output``."""

    stream: Annotated[
        Literal["both", "stdout", "stderr", "log"],
        Meta(description="log: what log points and tracepoints wrote"),
    ] = "both"
    clear: Annotated[bool, Meta(description="the next call returns only newer output")] = False
    max_chars: Annotated[int, Meta(ge=1, le=100_000)] = 4_000


_CATEGORIES = {
    "both": OF_PROGRAM,
    "stdout": ("terminal", "stdout"),
    "stderr": ("stderr",),
}


@tool(table.READ_OUTPUT, "What the program has printed: the last max_chars; or log points.")
async def process_read_output(agent: Agent, asked: OutputArguments) -> Payload:
    """Return the end of the output, or the output since ``clear``."""
    member = agent.member
    session = member.session
    if asked.stream == "log":
        return _tell_log(agent, member, asked.max_chars)
    lines, text = read_new_output(agent, session, _CATEGORIES[asked.stream])
    if lines and lines[-1].complete:
        text += "\n"
    told: Payload = {"output": view_output(text[-asked.max_chars :])}
    if len(text) > asked.max_chars:
        told["left_out"] = len(text) - asked.max_chars
    if session.output.dropped:
        told["dropped_lines"] = session.output.dropped
    if asked.clear and lines:
        last = lines[-1]
        agent.note_read(session, last.number if last.complete else last.number - 1)
    return told


def _tell_log(agent: Agent, member: HubSession, most: int) -> Payload:
    """Return the end of the log, of all processes, with names if there are several."""
    lines: list[str] = []
    dropped = 0
    processes = agent.processes(member)
    for process in processes:
        trace = process.session.trace
        dropped += trace.dropped
        name = f"{process.name}: " if len(processes) > 1 else ""
        lines += [f"{name}{describe_record(each)}" for each in trace]
    text = "\n".join(lines)
    told: Payload = {"output": text[-most:]}
    if len(text) > most:
        told["left_out"] = len(text) - most
    if dropped:
        told["dropped_lines"] = dropped
    return told


TOOLS = (
    debug_launch,
    debug_attach,
    debug_disconnect,
    debug_state,
    debug_continue,
    debug_pause,
    debug_step,
    process_write_input,
    process_read_output,
)
